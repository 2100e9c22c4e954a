//! Properties of any run: the books balance after every event (debug builds check that themselves), statuses add up, and
//! a timeline that was dragged about shows what running straight there shows.

mod random;

use proptest::prelude::*;
use random::{UNTIL_US, break_at, slow_run};
use redrive::command::Command;
use redrive::observe::ledger::Status;
use redrive::run::Run;
use redrive::scenario::Kind;
use redrive::timeline::{Progress, Timeline};
use redrive::world::World;

const SECOND: u64 = 1_000_000;

/// What can be set of logs, their readers and their writers: kind of part, setting, values; an empty one leaves it.
const LOG_SETTINGS: [(&str, &str, &[&str]); 12] = [
    ("log", "replicas", &["", "2", "3"]),
    ("log", "acks", &["all", "leader", "none"]),
    ("log", "min_insync", &["1", "2"]),
    ("log", "unclean", &["false", "true"]),
    ("log", "idempotent_publish", &["false", "true"]),
    ("log", "replicate", &["2ms", "700ms"]),
    ("log", "linger", &["", "40ms", "3s"]),
    ("log", "batch_bytes", &["16384", "3000"]),
    ("worker", "protocol", &["eager", "cooperative", "kip848"]),
    ("worker", "static_members", &["false", "true"]),
    ("worker", "isolation", &["read_uncommitted", "read_committed"]),
    ("producer", "transaction", &["0", "3"]),
];

/// A run of some scenario, slowed down so that a debug build can check every event, and broken at random.
fn any_run() -> impl Strategy<Value = Run> {
    let faults = prop::collection::vec((0..UNTIL_US, any::<prop::sample::Index>()), 0..7);
    let ways = (0..5_usize, 0..5_usize, any::<bool>(), prop::collection::vec(0..6_usize, LOG_SETTINGS.len()));
    (any::<prop::sample::Index>(), any::<u64>(), faults, ways).prop_map(|(which, seed, faults, ways)| {
        let (reads, full, by_key, log_ways) = ways;
        let (mut run, plain) = slow_run(which, seed);
        let relays = plain.parts.values().filter(|part| matches!(part.kind, Kind::Relay(_))).count();
        for (id, part) in &plain.parts {
            match part.kind {
                Kind::Relay(_) if reads > 0 && relays == 1 => {
                    run.sets.push((format!("{id}.reads"), ["flag", "last-id", "horizon", "cdc"][reads - 1].into()));
                }
                Kind::Producer(_) if full > 0 => {
                    let sets = [("buffer", "20"), ("memory", "40"), ("full", ["grow", "pause", "reject", "drop"][full - 1])];
                    run.sets.extend(sets.map(|(name, value)| (format!("{id}.{name}"), value.to_owned())));
                }
                Kind::Worker(_) if by_key => run.sets.push((format!("{id}.ordering"), "key".into())),
                _ => {}
            }
        }
        if plain.parts.values().any(|part| matches!(part.kind, Kind::Log(_))) {
            for ((word, setting, values), way) in LOG_SETTINGS.iter().zip(&log_ways) {
                let value = values[way % values.len()];
                let parts = plain.parts.iter().filter(|(_, part)| part.kind.word() == *word && !value.is_empty());
                for (id, _) in parts {
                    run.sets.push((format!("{id}.{setting}"), value.to_owned()));
                    // What is refused, and said so, is not tried.
                    if run.scenario().is_err() {
                        run.sets.pop();
                    }
                }
            }
        }
        break_at(&mut run, faults);
        run
    })
}

fn straight(run: &Run, to_us: u64) -> World {
    let mut world = World::new(&run.scenario().expect("a good run"));
    world.run_until(to_us);
    world
}

fn travel(timeline: &mut Timeline, to_us: u64, portion: u64) {
    while timeline.travel(to_us, portion) == Progress::More {}
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn books_balance_and_statuses_add_up(run in any_run()) {
        let world = straight(&run, UNTIL_US);
        prop_assert_eq!(world.audit(), Ok(()));
        let ledger = &world.observer.ledger;
        let all = [Status::Once, Status::Pending, Status::Dead, Status::Lost, Status::Twice];
        prop_assert_eq!(all.iter().map(|status| ledger.with_status(*status)).sum::<u64>(), ledger.total());
        for effect in 0..ledger.effects.len() {
            let counts = ledger.counts(effect);
            let counted = counts.once + counts.twice + counts.lost + counts.pending + counts.dead;
            prop_assert!(counted <= u64::from(ledger.facts()), "{counts:?} of {}", ledger.facts());
        }
    }

    #[test]
    fn going_somewhere_is_being_there(run in any_run(), stops in prop::collection::vec(0..UNTIL_US, 1..6), portion in 1_u64..5_000) {
        let mut timeline = Timeline::open(&run).expect("a good run");
        for stop in stops {
            travel(&mut timeline, stop, portion);
            let world = straight(&run, stop);
            prop_assert_eq!(timeline.trace_hash(), world.trace_hash(), "at {} us", stop);
            prop_assert_eq!(timeline.events(), world.events());
            prop_assert_eq!(timeline.panels(), world.panels());
        }
    }

    #[test]
    fn a_command_given_live_is_the_same_in_a_replay(run in any_run(), at in 0..UNTIL_US, portion in 1_u64..500, which in any::<prop::sample::Index>()) {
        let mut timeline = Timeline::open(&run).expect("a good run");
        // Stops in the middle of whatever is going on, as a page does when its frame is over.
        timeline.travel(at, portion * 10);
        let parts = timeline.scenario().parts.len();
        let offers = timeline.inspect(which.index(parts) as u16).expect("a part").offers;
        let command = Command::parse(&offers[which.index(offers.len())].command).expect("an offer is a command");
        timeline.send(&[command]).expect("an offer makes sense");
        travel(&mut timeline, UNTIL_US, 10_000);
        let replay = straight(timeline.run(), UNTIL_US);
        prop_assert_eq!(timeline.trace_hash(), replay.trace_hash());
        let back = UNTIL_US / 3;
        travel(&mut timeline, back, 10_000);
        prop_assert_eq!(timeline.trace_hash(), straight(timeline.run(), back).trace_hash());
    }
}

#[test]
fn a_withdrawn_command_has_never_been() {
    let plain = Run::of_library("work-queue-crash");
    let mut timeline = Timeline::open(&plain).expect("it ships");
    travel(&mut timeline, 20 * SECOND, u64::MAX);
    timeline.send(&[Command::parse("break jobs").expect("a command")]).expect("it makes sense");
    travel(&mut timeline, 100 * SECOND, u64::MAX);
    assert_ne!(timeline.trace_hash(), straight(&plain, 100 * SECOND).trace_hash());
    timeline.withdraw(0);
    travel(&mut timeline, 100 * SECOND, u64::MAX);
    assert_eq!(timeline.trace_hash(), straight(&plain, 100 * SECOND).trace_hash());
    assert!(timeline.run().commands.is_empty());
}

#[test]
fn steps_go_event_by_event_and_back_again() {
    let mut timeline = Timeline::open(&Run::of_library("work-queue-crash")).expect("it ships");
    let mut stops = vec![(timeline.now_us(), timeline.trace_hash())];
    for _ in 0..5 {
        timeline.step();
        stops.push((timeline.now_us(), timeline.trace_hash()));
    }
    assert!(stops.is_sorted_by(|before, after| before.0 < after.0), "{stops:?}");
    for (_, hash) in stops.iter().rev().skip(1) {
        while timeline.step_back(1_000) == Progress::More {}
        assert_eq!(timeline.trace_hash(), *hash);
    }
}

#[test]
fn the_next_surprise_is_where_something_new_is_found() {
    let mut timeline = Timeline::open(&Run::of_library("work-queue-crash")).expect("it ships");
    let mut seen = Vec::new();
    while timeline.now_us() < timeline.until_us() {
        while timeline.next_finding(5) == Progress::More {}
        seen.push(timeline.panels().findings.len());
    }
    assert!(seen.is_sorted() && seen.last() >= Some(&4), "{seen:?}");
}

#[test]
fn a_journey_is_the_same_however_one_came_there() {
    let mut run = Run::of_library("order-shop");
    run.sets.push(("shoppers.rate".into(), "50/s".into()));
    let mut timeline = Timeline::open(&run).expect("it ships");
    travel(&mut timeline, 30 * SECOND, u64::MAX);
    let fact = timeline.find("300").expect("it has been born");
    timeline.watch(Some(fact));
    let (progress, journey) = timeline.journey(u64::MAX);
    assert_eq!(progress, Progress::Done);
    let lines = journey.expect("it is watched").lines;
    assert!(lines.first().is_some_and(|line| line.text.starts_with("comes at")), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.text.ends_with("takes effect")).count(), 3);
    travel(&mut timeline, 10 * SECOND, u64::MAX);
    travel(&mut timeline, 30 * SECOND, u64::MAX);
    assert_eq!(timeline.journey(u64::MAX).1.expect("it is watched").lines, lines);
}

/// A budget that ends in the middle of a moment leaves a state that no other way leads to, until it is settled.
#[test]
fn a_settled_moment_is_found_again() {
    let run = Run::of_library("order-shop");
    let mut paused = Timeline::open(&run).expect("it ships");
    let mut unsettled = 0;
    for events in 1..400 {
        let _ = paused.travel(2_000_000, events);
        let mut straight = Timeline::open(&run).expect("it ships");
        while straight.travel(paused.now_us(), u64::MAX) == Progress::More {}
        unsettled += u32::from(straight.trace_hash() != paused.trace_hash());
        paused.settle();
        while straight.travel(paused.now_us(), u64::MAX) == Progress::More {}
        assert_eq!(straight.trace_hash(), paused.trace_hash(), "at {} us", paused.now_us());
    }
    assert!(unsettled > 0, "no budget ended in the middle of a moment: this shows nothing");
}
