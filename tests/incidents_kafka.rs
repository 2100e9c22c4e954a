//! What people met with Kafka, played: each scenario shows what they reported, and its cure makes it go away.

use redrive::command::Timed;
use redrive::observe::findings::FindingKind;
use redrive::run::Run;
use redrive::view::BodyView;
use redrive::world::World;

const SECOND: u64 = 1_000_000;

/// A scenario of the library, played to its end with these settings and commands.
fn play(id: &str, sets: &[(&str, &str)], commands: &[&str]) -> World {
    let mut run = Run::of_library(id);
    run.sets = sets.iter().map(|(place, value)| ((*place).to_owned(), (*value).to_owned())).collect();
    run.commands = commands.iter().map(|text| Timed::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))).collect();
    let scenario = run.scenario().unwrap_or_else(|faults| panic!("{id}: {faults}"));
    let mut world = World::new(&scenario);
    world.run_until(scenario.until_us());
    assert_eq!(world.audit(), Ok(()), "{id}");
    world
}

/// Facts of the first effect: once, twice, lost, pending, dead.
fn counts(world: &World) -> [u64; 5] {
    let counts = world.observer.ledger.counts(0);
    [counts.once, counts.twice, counts.lost, counts.pending, counts.dead]
}

fn found(world: &World, kind: FindingKind) -> u64 {
    world.observer.findings.found().iter().filter(|finding| finding.kind == kind).map(|finding| finding.count).sum()
}

/// When a rule of this name fired first, in seconds.
fn fired_s(world: &World, rule: &str) -> Option<u64> {
    let alerts = world.board.alerts.iter().filter(|alert| alert.spec.rule == rule);
    alerts.filter_map(|alert| alert.fired.first()).map(|firing| firing.at_us / SECOND).min()
}

#[test]
fn a_leader_that_confirms_alone_takes_confirmed_records_along() {
    let check = |sets: &[(&str, &str)], commands: &[&str], expect: [u64; 5], repeats: bool| {
        let world = play("leader-dies", sets, commands);
        assert_eq!((counts(&world), found(&world, FindingKind::Absorbed) > 0), (expect, repeats), "{sets:?} {commands:?}");
        assert_eq!(fired_s(&world, "under-replicated"), Some(29));
        assert!(found(&world, FindingKind::Elected) > 0);
    };
    let cure = ["55s set orders.acks=all", "55s set orders.idempotent_publish=true", "56s crash orders"];
    check(&[], &[], [3596, 0, 4, 0, 0], false);
    check(&[], &["56s crash orders"], [3582, 0, 18, 0, 0], false);
    check(&[], &cure, [3596, 0, 4, 0, 0], true);
    check(&[("lab.acks", "all")], &[], [3600, 0, 0, 0, 0], true);
    // Without the numbers of an idempotent publisher every retry is another record.
    check(&[("lab.acks", "all"), ("orders.idempotent_publish", "false")], &[], [3248, 352, 0, 0, 0], false);
}

/// What a run of an incident comes to: effects once, twice, lost, pending, dead; late; out of order; partitions given up;
/// commits refused; evictions.
fn sum(id: &str, sets: &[(&str, &str)], commands: &[&str]) -> String {
    let world = play(id, sets, commands);
    let effect = world.observer.ledger.counts(0);
    format!(
        "{:?} late {} ooo {} moved {} refused {} evicted {}",
        counts(&world),
        effect.late,
        effect.out_of_order,
        found(&world, FindingKind::Moved),
        found(&world, FindingKind::CommitRefused),
        found(&world, FindingKind::Evicted),
    )
}

#[test]
fn a_deploy_stops_everyone_or_hardly_anyone() {
    let check = |protocol: &str, expect: &str| {
        assert_eq!(sum("rebalance-storm", &[("lab.protocol", protocol)], &[]), expect, "{protocol}");
    };
    check("eager", "[401, 14, 0, 45, 0] late 133 ooo 0 moved 72 refused 0 evicted 6");
    check("cooperative", "[450, 0, 0, 10, 0] late 2 ooo 0 moved 12 refused 0 evicted 6");
    check("kip848", "[446, 6, 0, 8, 0] late 2 ooo 0 moved 31 refused 0 evicted 6");
    check("static", "[451, 1, 0, 8, 0] late 0 ooo 0 moved 12 refused 0 evicted 0");
}

#[test]
fn a_consumer_that_does_not_beat_never_gets_anywhere() {
    let check = |sets: &[(&str, &str)], commands: &[&str], expect: &str| {
        assert_eq!(sum("no-heartbeat", sets, commands), expect, "{sets:?} {commands:?}");
    };
    check(&[], &[], "[0, 3, 0, 3, 0] late 0 ooo 0 moved 111 refused 38 evicted 39");
    check(&[], &["200s set render.heartbeat_by=thread"], "[4, 2, 0, 0, 0] late 0 ooo 0 moved 15 refused 7 evicted 6");
    check(&[], &["200s set render.session=2m"], "[4, 2, 0, 0, 0] late 0 ooo 0 moved 15 refused 7 evicted 6");
    check(&[("render.heartbeat_by", "thread")], &[], "[6, 0, 0, 0, 0] late 0 ooo 0 moved 0 refused 0 evicted 0");
}

#[test]
fn one_record_that_nobody_can_read_stops_its_partition() {
    let check = |commands: &[&str], expect: [u64; 5]| {
        let world = play("poison-on-a-log", &[], commands);
        assert_eq!(counts(&world), expect, "{commands:?}");
    };
    check(&[], [457, 0, 0, 143, 0]);
    check(&["60s set billing.poison=dead-letter"], [599, 0, 0, 0, 1]);
    let lag = |world: &World| fired_s(world, "consumer-lag");
    assert_eq!(lag(&play("poison-on-a-log", &[], &[])), Some(70), "the lag of one partition shows");
}

#[test]
fn tries_that_take_longer_than_the_poll_interval_repeat_the_batch() {
    let check = |commands: &[&str], expect: &str| {
        assert_eq!(sum("poll-interval-too-short", &[], commands), expect, "{commands:?}");
    };
    check(&[], "[111, 26, 0, 63, 0] late 0 ooo 0 moved 36 refused 18 evicted 19");
    check(&["150s set billing.backoff_first=2s"], "[180, 19, 0, 0, 1] late 0 ooo 0 moved 10 refused 4 evicted 4");
    check(&["150s set billing.poll_interval=5m"], "[180, 19, 0, 0, 1] late 0 ooo 0 moved 8 refused 5 evicted 4");
}

#[test]
fn two_hashes_of_one_key_are_two_partitions_and_no_order() {
    let check = |commands: &[&str], out_of_order: u64| {
        let world = play("two-partitioners", &[], commands);
        let effect = world.observer.ledger.counts(0);
        assert_eq!((effect.once, effect.out_of_order), (1600, out_of_order), "{commands:?}");
    };
    check(&[], 37);
    check(&["0s set node.partitioner=murmur2"], 0);
}

/// The newest value of a gauge.
fn gauge(world: &World, part: &str, name: &str) -> u64 {
    let place = world.scenario().parts.get_index_of(part).expect("a part");
    let table = redrive::scenario::gauges::gauges(&world.scenario().parts[place].kind);
    world.gauges_now(place as u16)[table.iter().position(|gauge| gauge.name == name).expect("a gauge")]
}

/// Offset after the newest record, and how far each group has committed, of the first partition.
fn offsets(world: &World, log: usize) -> (u64, Vec<u64>) {
    let stage = world.stage(0);
    let BodyView::Log { partitions, .. } = &stage.parts[log].body else { panic!("it is a log") };
    (partitions[0].end, partitions[0].committed.clone())
}

#[test]
fn an_open_transaction_holds_up_who_reads_committed_records() {
    let stuck = play("stuck-transaction", &[], &[]);
    assert_eq!(offsets(&stuck, 2), (1_663, vec![200, 1_663]));
    let lags =
        |world: &World| [gauge(world, "billing", "lag"), gauge(world, "billing", "lag_stable"), gauge(world, "search", "lag")];
    assert_eq!(lags(&stuck), [1_463, 0, 0]);
    assert_eq!((fired_s(&stuck, "consumer-lag"), fired_s(&stuck, "open-transaction")), (Some(70), Some(70)));
    for cure in ["120s crash import", "120s set import.transaction_timeout=10s"] {
        let cured = play("stuck-transaction", &[], &[cure]);
        assert_eq!((offsets(&cured, 2), lags(&cured)), ((1_664, vec![1_664; 2]), [0, 0, 0]), "a marker takes an offset");
        assert_eq!((cured.observer.ledger.counts(0).once, cured.observer.ledger.counts(0).lost), (1_662, 1));
        assert_eq!(cured.observer.ledger.counts(1).once, 1_663, "who reads uncommitted records got it");
    }
    let whole = play("stuck-transaction", &[("import.transaction", "1")], &[]);
    assert_eq!((offsets(&whole, 2), lags(&whole)), ((1_664, vec![1_664; 2]), [0, 0, 0]));
}

#[test]
fn a_group_that_was_away_for_too_long_begins_anew() {
    let check = |sets: &[(&str, &str)], commands: &[&str], expect: [u64; 5]| {
        let world = play("offsets-expired", sets, commands);
        assert_eq!(counts(&world), expect, "{sets:?} {commands:?}");
    };
    check(&[], &[], [450, 150, 0, 0, 0]);
    check(&[("lab.reset", "latest")], &[], [250, 0, 350, 0, 0]);
    check(&[("lab.reset", "none")], &[], [150, 0, 0, 450, 0]);
    check(&[("lab.reset", "none")], &["110s rewind billing to 30s"], [600, 0, 0, 0, 0]);
    check(&[], &["10s set billing.offsets_retention=7d"], [600, 0, 0, 0, 0]);
    check(&[], &["10s set billing.idempotent=true"], [550, 50, 0, 0, 0]);
}
