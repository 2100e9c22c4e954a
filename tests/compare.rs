//! A run and the same run with one change, on one clock.

use redrive::command::{Command, Timed};
use redrive::compare::{Compare, Differences, Side};
use redrive::run::Run;
use redrive::timeline::{Progress, Timeline};
use redrive::world::World;

const SECOND: u64 = 1_000_000;
/// When the first thing happens otherwise where the broker breaks at 20 s: a publish gets no answer.
const BROKEN_SEEN_US: u64 = 21_400_000;

fn set(run: &Run, place: &str, value: &str) -> Run {
    let mut run = run.clone();
    run.sets.push((place.into(), value.into()));
    run
}

fn doing(run: &Run, text: &str) -> Run {
    let mut run = run.clone();
    run.commands.push(Timed::parse(text).expect("a command"));
    run
}

fn travel(both: &mut Compare, to_us: u64, portion: u64) {
    while both.travel(to_us, portion) == Progress::More {}
}

fn ends(left: &Run, right: &Run) -> (Compare, Differences) {
    let mut both = Compare::open(left, right).unwrap_or_else(|faults| panic!("{faults}"));
    let until_us = both.until_us();
    travel(&mut both, until_us, u64::MAX);
    let differences = both.differences();
    (both, differences)
}

fn world(run: &Run, to_us: u64) -> World {
    let mut world = World::new(&run.scenario().expect("a good run"));
    world.run_until(to_us);
    world
}

fn hash(run: &Run, to_us: u64) -> u64 {
    world(run, to_us).trace_hash()
}

fn happened(run: &Run, to_us: u64) -> u64 {
    world(run, to_us).happened()
}

/// A figure of an effect, left and right.
fn count(found: &Differences, effect: &str, name: &str) -> (u64, u64) {
    let effect = found.effects.iter().find(|figures| figures.effect == effect).expect("it is counted");
    let figure = effect.counts.iter().find(|figure| figure.name == name).expect("a count");
    (figure.left, figure.right)
}

#[test]
fn one_setting_makes_the_difference() {
    let run = Run::of_library("ack-order");
    let (both, found) = ends(&run, &set(&run, "lab.idempotent", "true"));
    assert_eq!((count(&found, "charge", "twice"), count(&found, "charge", "skipped")), ((1, 0), (0, 1)));
    // m5 is received again 30 s after 4 s: skipped at once here, charged a second later there.
    assert_eq!(found.differs_us, Some(34 * SECOND));
    assert_eq!(both.world(Side::Left).trace_hash(), hash(&run, 120 * SECOND));
    let (_, same) = ends(&run, &run);
    assert_eq!((same.differs_us, same.parts.is_empty(), same.alerts_left.len()), (None, true, 0));
}

#[test]
fn a_command_makes_the_difference_from_its_moment_on() {
    let run = Run::of_library("outbox-relay-crash");
    let broken = doing(&run, "20s break orders");
    let (both, found) = ends(&run, &broken);
    // The relay's next look finds the broker gone.
    assert_eq!(found.differs_us, Some(BROKEN_SEEN_US));
    assert_eq!((count(&found, "email", "once"), count(&found, "email", "late")), ((60, 39), (0, 21)));
    let fired =
        |alerts: &[redrive::compare::AlertFired]| -> Vec<String> { alerts.iter().map(|alert| alert.rule.clone()).collect() };
    assert_eq!(
        (fired(&found.alerts_left), fired(&found.alerts_right)),
        (vec![], vec!["outbox-age".into(), "produce-errors".into(), "produce-latency".into()])
    );
    let part = found.parts.iter().find(|part| part.part == "orders-db").expect("its outbox fills");
    let gauge = part.gauges.iter().find(|gauge| gauge.gauge == "outbox_unsent").expect("rows that nobody takes");
    assert_eq!([gauge.left, gauge.right, gauge.left_max, gauge.right_max], [Some(0), Some(21), Some(15), Some(21)]);
    let served = found.users.iter().find(|figure| figure.name == "served").expect("users");
    assert_eq!((served.left, served.right), (60, 39));
    assert!(found.parts.iter().all(|part| part.part != "shoppers" && part.part != "checkout"), "{:?}", found.parts);
    assert_eq!(
        (both.world(Side::Left).trace_hash(), both.world(Side::Right).trace_hash()),
        (hash(&run, 60 * SECOND), hash(&broken, 60 * SECOND))
    );
}

#[test]
fn a_command_alone_is_no_difference_in_what_happens() {
    let run = Run::of_library("outbox-relay-crash");
    let slowed = doing(&run, "0s slow email 2x");
    let (both, found) = ends(&run, &slowed);
    let first = found.differs_us.expect("the first email takes longer");
    assert!(first > SECOND / 10, "nothing has been worked on at {first}");
    assert_eq!(both.fork_us(), 0);
    // Mended though nothing was broken: nothing happens otherwise.
    let (_, same) = ends(&run, &doing(&run, "0s mend email"));
    assert_eq!(same.differs_us, None);
    // The same, given live.
    let mut both = Compare::open(&run, &run).expect("good runs");
    travel(&mut both, 15 * SECOND, u64::MAX);
    both.send(&[Command::parse("slow email 2x").expect("a command")]).expect("it makes sense");
    let until_us = both.until_us();
    travel(&mut both, until_us, 5_000);
    let first = both.differs_us().expect("emails take longer from then on");
    assert!(first > 15 * SECOND, "{first}");
    let changed = both.run(Side::Right).clone();
    assert_eq!(happened(&run, first), happened(&changed, first));
    assert_ne!(happened(&run, first + 1), happened(&changed, first + 1));
}

#[test]
fn both_travel_as_each_would_alone() {
    let run = Run::of_library("outbox-relay-crash");
    for (changed, differs_us) in [(doing(&run, "20s break orders"), 20 * SECOND), (set(&run, "email.work", "60ms"), 0)] {
        let mut both = Compare::open(&run, &changed).expect("good runs");
        for (stop, portion) in [(35, 300), (10, 1_000), (60, 777), (19, 50), (20, 50), (41, 9_999), (5, 1)] {
            let stop = stop * SECOND;
            travel(&mut both, stop, portion);
            assert_eq!(both.now_us(), stop);
            assert_eq!(both.world(Side::Left).trace_hash(), hash(&run, stop), "left at {stop}");
            assert_eq!(both.world(Side::Right).trace_hash(), hash(&changed, stop), "right at {stop}");
        }
        let known = both.differs_us().expect("it was passed");
        assert_eq!(happened(&run, known), happened(&changed, known));
        assert_ne!(happened(&run, known + 1), happened(&changed, known + 1));
        assert!(known >= differs_us);
        let mut steps = Vec::new();
        for _ in 0..20 {
            both.step();
            assert_eq!(both.world(Side::Left).now_us(), both.world(Side::Right).now_us());
            steps.push(both.now_us());
        }
        assert!(steps.is_sorted_by(|before, after| before < after), "{steps:?}");
        while both.step_back(1_000) == Progress::More {}
        assert!(both.now_us() < steps[19]);
    }
}

#[test]
fn a_run_under_way_is_forked_and_changed_live() {
    let run = Run::of_library("outbox-relay-crash");
    let mut timeline = Timeline::open(&run).expect("it ships");
    while timeline.travel(15 * SECOND, u64::MAX) == Progress::More {}
    let mut both = Compare::fork(&timeline, &run).expect("good runs");
    assert_eq!((both.now_us(), both.differs_us()), (15 * SECOND, None));
    both.send(&[Command::parse("break orders").expect("a command")]).expect("it makes sense");
    let until_us = both.until_us();
    travel(&mut both, until_us, 5_000);
    assert_eq!(both.differs_us(), Some(16_600_000), "a publish gets no answer");
    let changed = both.run(Side::Right).clone();
    assert_eq!(changed.commands, [Timed::parse("15s break orders").expect("a command")]);
    assert_eq!(
        (both.world(Side::Left).trace_hash(), both.world(Side::Right).trace_hash()),
        (hash(&run, until_us), hash(&changed, until_us))
    );
}

#[test]
fn sides_change_and_either_goes_on_alone() {
    let run = Run::of_library("outbox-relay-crash");
    let broken = doing(&run, "20s break orders");
    for stop in [10, 40] {
        let mut both = Compare::open(&run, &broken).expect("good runs");
        travel(&mut both, stop * SECOND, 700);
        both.swap();
        assert_eq!((both.run(Side::Left), both.run(Side::Right)), (&broken, &run));
        travel(&mut both, 50 * SECOND, 700);
        assert_eq!(both.world(Side::Left).trace_hash(), hash(&broken, 50 * SECOND));
        assert_eq!(both.world(Side::Right).trace_hash(), hash(&run, 50 * SECOND));
        assert_eq!(both.differs_us(), Some(BROKEN_SEEN_US));
        travel(&mut both, stop * SECOND, 700);
        for (side, expect) in [(Side::Left, &broken), (Side::Right, &run)] {
            let mut alone = both.clone().keep(side);
            assert_eq!((alone.run(), alone.trace_hash()), (expect, hash(expect, stop * SECOND)), "at {stop}");
            while alone.travel(45 * SECOND, 700) == Progress::More {}
            assert_eq!(alone.trace_hash(), hash(expect, 45 * SECOND), "on from {stop}");
        }
    }
}

#[test]
fn a_run_past_the_fork_is_taken_back_there_by_the_first_travel() {
    let run = Run::of_library("outbox-relay-crash");
    let mut timeline = Timeline::open(&run).expect("it ships");
    while timeline.travel(45 * SECOND, u64::MAX) == Progress::More {}
    let broken = doing(&run, "20s break orders");
    let mut both = Compare::fork(&timeline, &broken).expect("good runs");
    assert_eq!(both.fork_us(), 20 * SECOND);
    travel(&mut both, 45 * SECOND, 300);
    assert_eq!((both.now_us(), both.differs_us()), (45 * SECOND, Some(BROKEN_SEEN_US)));
    assert_eq!(both.world(Side::Left).trace_hash(), hash(&run, 45 * SECOND));
    assert_eq!(both.world(Side::Right).trace_hash(), hash(&broken, 45 * SECOND));
}

#[test]
fn the_next_surprise_is_that_of_either() {
    let run = Run::of_library("outbox-relay-crash");
    let broken = doing(&run, "20s break orders");
    let moments = |run: &Run| {
        let mut timeline = Timeline::open(run).expect("a good run");
        let mut moments = Vec::new();
        while timeline.now_us() < timeline.until_us() {
            while timeline.next_finding(1_000) == Progress::More {}
            moments.push(timeline.now_us());
        }
        moments
    };
    let mut expect = [moments(&run), moments(&broken)].concat();
    expect.sort_unstable();
    expect.dedup();
    let mut both = Compare::open(&run, &broken).expect("good runs");
    let mut found = Vec::new();
    while both.now_us() < both.until_us() {
        while both.next_finding(1_000) == Progress::More {}
        assert_eq!(both.world(Side::Left).now_us(), both.world(Side::Right).now_us());
        found.push(both.now_us());
    }
    assert!(found.len() > 2);
    assert_eq!(found, expect);
}

#[test]
fn a_shorter_run_stays_at_its_end() {
    let run = Run::of_library("outbox-relay-crash");
    let shorter = Run { until_us: Some(15 * SECOND), ..run.clone() };
    let mut both = Compare::open(&run, &shorter).expect("good runs");
    travel(&mut both, 40 * SECOND, 500);
    assert_eq!((both.now_us(), both.until_us()), (40 * SECOND, 60 * SECOND));
    assert_eq!(both.world(Side::Left).trace_hash(), hash(&run, 40 * SECOND));
    assert_eq!(both.world(Side::Right).trace_hash(), hash(&shorter, 15 * SECOND));
    travel(&mut both, 5 * SECOND, 500);
    assert_eq!((both.now_us(), both.differs_us()), (5 * SECOND, None));
}

#[test]
fn wherever_they_are_stopped_both_settle_at_one_moment() {
    let run = Run::of_library("outbox-relay-crash");
    let broken = doing(&run, "20s break orders");
    for portion in [1, 7, 333] {
        let mut both = Compare::open(&run, &broken).expect("good runs");
        travel(&mut both, 25 * SECOND, u64::MAX);
        for _ in 0..10 {
            both.travel(55 * SECOND, portion);
        }
        both.settle();
        let now_us = both.now_us();
        assert_eq!((both.world(Side::Left).now_us(), both.world(Side::Right).now_us()), (now_us, now_us));
        assert_eq!(both.world(Side::Left).trace_hash(), hash(&run, now_us));
        assert_eq!(both.world(Side::Right).trace_hash(), hash(&broken, now_us));
    }
}
