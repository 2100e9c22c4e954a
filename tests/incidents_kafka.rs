//! What people met with Kafka, played: each scenario shows what they reported, and its cure makes it go away.

use redrive::command::Timed;
use redrive::observe::findings::FindingKind;
use redrive::run::Run;
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
