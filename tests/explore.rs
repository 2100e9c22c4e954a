//! Every crash, one a run: what holds under all of them, what does not, and the shortest way to break it.

use redrive::explore::{Exploration, Explorer, FaultKind, Harm, Plan, Property, What};
use redrive::run::Run;
use redrive::timeline::Progress;
use redrive::world::World;

fn with(id: &str, sets: &[&str]) -> Run {
    let sets = sets.iter().filter_map(|set| set.split_once('=')).map(|(place, value)| (place.into(), value.into()));
    Run { sets: sets.collect(), ..Run::of_library(id) }
}

/// A scenario without what it plans, so that the tried fault is the only one.
fn calm(id: &str, sets: &[&str]) -> Run {
    with(id, &[sets, &["lab.planned=no"]].concat())
}

fn explored(run: &Run, plan: Plan) -> Exploration {
    Explorer::new(run, plan).unwrap_or_else(|faults| panic!("{faults}")).finish()
}

fn crashed(run: &Run) -> Exploration {
    explored(run, Plan::default())
}

fn property(found: &Exploration, what: What) -> &Property {
    found.properties.iter().find(|property| property.what == what).expect("it is there")
}

/// Plays what a link stands for.
fn opened(link: &str) -> World {
    let run = Run::from_link(link.strip_prefix("#/run/").expect("an address")).expect("a sound link");
    let scenario = run.scenario().expect("a sound run");
    let mut world = World::new(&scenario);
    world.run_until(scenario.until_us());
    world
}

#[test]
fn only_at_least_once_with_an_idempotent_consumer_charges_once_whatever_crashes() {
    for kind in ["queue", "log"] {
        for order in ["work-then-ack", "ack-then-work"] {
            for idempotent in ["true", "false"] {
                let sets = [&format!("lab.kind={kind}"), &format!("lab.order={order}"), &format!("lab.idempotent={idempotent}")];
                let found = crashed(&calm("ack-order", &sets.map(String::as_str)));
                let (once, never_lost) = (property(&found, What::AtMostOnce).holds, property(&found, What::AtLeastOnce).holds);
                let which = sets.map(String::as_str).join(", ");
                assert_eq!(never_lost, order == "work-then-ack", "lost: {which}: {found:?}");
                assert_eq!(once, order == "ack-then-work" || idempotent == "true", "twice: {which}: {found:?}");
                assert_eq!(found.outcomes.clean == found.tried, once && never_lost, "{which}: {found:?}");
                let named = found.properties.iter().find(|one| one.name == "every order is charged exactly once").expect("named");
                assert_eq!(named.holds, once && never_lost, "{which}: {found:?}");
                // Received or acknowledged, worked and done, of ten messages.
                assert!(found.tried >= 30 - 10 * u64::from(order == "ack-then-work"), "{which}: {}", found.tried);
            }
        }
    }
}

#[test]
fn an_idempotent_consumer_stands_a_full_replay_and_a_crash() {
    let mut run = calm("ack-order", &["lab.kind=log", "lab.idempotent=true"]);
    run.commands.push(redrive::command::Timed::parse("60s rewind charger to 0").expect("a command"));
    let found = crashed(&run);
    assert_eq!((found.outcomes.clean, found.outcomes.lost, found.outcomes.twice), (found.tried, 0, 0));
    assert!(found.tried > 30, "the replay is crashed too: {}", found.tried);
    let mut bare = run.clone();
    bare.sets.push(("charger.idempotent".into(), "false".into()));
    let twice = property(&crashed(&bare), What::AtMostOnce).clone();
    let shown = twice.counterexample.expect("the replay alone charges twice");
    assert_eq!(
        (shown.at_us, shown.part.as_str(), shown.step, shown.fact.as_deref()),
        (60_000_000, "charger", "rewind", Some("m1"))
    );
}

#[test]
fn every_run_stands_in_the_row_of_what_was_struck_and_can_be_found_again() {
    let run = with("dual-write", &["lab.order=outbox"]);
    let scenario = run.scenario().expect("it ships");
    let mut explorer = Explorer::new(&run, Plan { faults: FaultKind::ALL.to_vec(), ..Plan::default() }).expect("a sound plan");
    while explorer.step(u64::MAX) == Progress::More {}
    let found = explorer.result();
    let sum = |read: fn(&redrive::explore::Row) -> u64| found.table.iter().map(read).sum::<u64>();
    assert_eq!((sum(|row| row.tried), explorer.attempts().len() as u64), (found.tried, found.tried));
    let columns = [sum(|row| row.outcomes.clean), sum(|row| row.outcomes.lost), sum(|row| row.outcomes.twice)];
    assert_eq!(columns, [found.outcomes.clean, found.outcomes.lost, found.outcomes.twice]);
    let published = found.table.iter().find(|row| (row.part.as_str(), row.step) == ("relay", "published")).expect("it is struck");
    assert_eq!(published.outcomes.twice, published.tried, "a relay that dies before it marks sends again: {published:?}");

    // The run of any attempt ends as the attempt says.
    let twice = explorer.attempts().iter().find(|attempt| attempt.harm.twice > 0).expect("there is one");
    let again = redrive::explore::struck(&run, &scenario, Some(twice.first), twice.second).scenario().expect("a sound run");
    let mut world = World::new(&again);
    world.run_until(again.until_us());
    let harm: u64 = (0..world.observer.ledger.effects.len()).map(|effect| Harm::of(&world, effect).twice).sum();
    assert_eq!(harm, twice.harm.twice);
}

#[test]
fn what_is_planned_can_be_left_out() {
    let planned = with("work-queue-crash", &[]).scenario().expect("it ships");
    assert_eq!((planned.planned, planned.breaks.is_empty()), (Some(true), false));
    let calm = with("work-queue-crash", &["lab.planned=no"]).scenario().expect("it ships");
    assert_eq!((calm.planned, calm.breaks.len()), (Some(false), 0));
    assert_eq!(with("order-shop", &[]).scenario().expect("it ships").planned, None);
    let fault = with("work-queue-crash", &["lab.planned=maybe"]).scenario().expect_err("no such choice").to_string();
    assert!(fault.contains("set lab.planned") && fault.contains("yes or no"), "{fault}");
}

#[test]
fn what_is_suggested_can_be_swept() {
    let mut offered = 0;
    for id in redrive::scenario::library::ids() {
        let run = Run::of_library(id);
        for suggestion in redrive::explore::suggestions(&run.scenario().expect("it ships")) {
            let sweep = redrive::explore::Sweep::new(&run, &suggestion.vary, &suggestion.measure, 1);
            assert!(sweep.is_ok(), "{id}: {suggestion:?}: {}", sweep.err().map(|faults| faults.to_string()).unwrap_or_default());
            offered += 1;
        }
    }
    assert!(offered > 60, "{offered}");
}

#[test]
fn an_outbox_loses_nothing_and_a_dual_write_does() {
    let outbox = crashed(&with("outbox-relay-crash", &[]));
    assert_eq!((outbox.outcomes.lost, outbox.outcomes.twice), (0, 0), "{outbox:?}");
    assert!(outbox.properties.iter().all(|property| property.holds && property.tried == outbox.tried) && outbox.tried > 100);
    for order in ["commit-first", "publish-first"] {
        let dual = crashed(&calm("dual-write", &[&format!("lab.order={order}")]));
        assert!(dual.outcomes.lost >= 9, "{order}: {dual:?}");
    }
    assert_eq!(crashed(&calm("dual-write", &["lab.order=outbox"])).outcomes.lost, 0);
}

#[test]
fn a_counterexample_is_the_shortest_and_its_link_is_that_very_run() {
    let run = calm("ack-order", &[]);
    let found = crashed(&run);
    let shown = property(&found, What::AtMostOnce).counterexample.clone().expect("work, then ack, and no inbox");
    // m1 is charged when its second of work is over, and is visible again 30 s after it was received.
    assert_eq!((shown.at_us, shown.part.as_str(), shown.step), (1_000_000, "charger", "worked"));
    assert_eq!((shown.shows_us, shown.fact.as_deref(), &shown.then), (Some(31_000_000), Some("m1"), &None));
    let world = opened(&shown.link);
    assert!(Harm::of(&world, 0).breaks(What::AtMostOnce));
    let mut direct = run.clone();
    direct.commands.push(redrive::command::Timed::parse("1s crash charger at worked").expect("a command"));
    let scenario = direct.scenario().expect("a sound run");
    let mut straight = World::new(&scenario);
    straight.run_until(scenario.until_us());
    assert_eq!(world.trace_hash(), straight.trace_hash());
    assert!(shown.link.ends_with("/at/1000000"), "it opens at that moment: {}", shown.link);
}

#[test]
fn what_a_run_breaks_by_itself_needs_no_further_fault() {
    let found = crashed(&with("ack-order", &[]));
    let shown = property(&found, What::AtMostOnce).counterexample.clone().expect("m5 is charged twice as it is");
    assert_eq!(
        (shown.at_us, shown.part.as_str(), shown.step, shown.fact.as_deref()),
        (4_500_000, "charger", "worked", Some("m5"))
    );
    assert!(shown.planned && opened(&shown.link).observer.ledger.counts(0).twice == 1);
}

#[test]
fn words_can_be_lost_too() {
    let plan = |fault| Plan { faults: vec![fault], ..Plan::default() };
    let run = calm("ack-order", &[]);
    let acks = explored(&run, plan(FaultKind::LostAck));
    assert_eq!((acks.tried, acks.outcomes.twice, acks.outcomes.lost), (10, 10, 0), "{acks:?}");
    let answers = explored(&run, plan(FaultKind::LostAnswer));
    // All ten come in one moment: one place.
    assert_eq!((answers.tried, answers.outcomes.twice), (1, 1), "{answers:?}");
    assert_eq!(answers.worst.map(|worst| (worst.part, worst.step)), Some(("jobs".into(), "lost-answer")));
    let cured = Plan { faults: FaultKind::ALL.to_vec(), ..Plan::default() };
    let cured = explored(&calm("ack-order", &["lab.idempotent=true"]), cured);
    assert_eq!((cured.tried, cured.outcomes.clean), (41, 41), "{cured:?}");
}

#[test]
fn a_part_can_be_chosen() {
    let plan = |part: &str| Plan { parts: vec![part.into()], ..Plan::default() };
    let run = with("outbox-relay-crash", &[]);
    let all = crashed(&run).tried;
    let each: Vec<u64> = ["checkout", "relay", "email"].map(|part| explored(&run, plan(part)).tried).to_vec();
    assert_eq!(each.iter().sum::<u64>(), all, "{each:?}");
    let refused = |part: &str| Explorer::new(&run, plan(part)).expect_err("no crash there").to_string();
    assert_eq!(refused("orders"), "part: none of these faults strikes `orders`: it is a log; allowed: checkout, relay, email");
    assert_eq!(refused("rely"), "part: there is no part `rely`; allowed: checkout, relay, email; nearest: relay");
}

#[test]
fn two_faults_together_find_what_one_does_not() {
    // Hidden once, a charge comes after 30 s and in time; hidden twice it does not.
    let run = calm("ack-order", &["charger.promise=45s"]);
    let one = crashed(&run);
    let two = explored(&run, Plan { together: 2, ..Plan::default() });
    assert_eq!((one.outcomes.late, two.outcomes.late > 0), (0, true), "{one:?} {two:?}");
    assert!(two.tried > one.tried * 10 && two.sampled_of.is_none(), "{} and {}: {:?}", one.tried, two.tried, two.sampled_of);
    let shown = property(&two, What::AtMostOnce).counterexample.clone().expect("a crash after the work");
    assert!(shown.then.is_none(), "one fault is enough: {shown:?}");
    let worst = two.worst.clone().expect("two messages are charged twice");
    let then = worst.then.expect("with two faults");
    assert!(then.at_us >= worst.at_us, "{then:?}");
    assert_eq!(opened(&worst.link).observer.ledger.counts(0).twice, 2);
    let few = explored(&run, Plan { together: 2, most: Some(100), ..Plan::default() });
    assert_eq!(few.sampled_of, Some(two.tried), "{few:?}");
    assert!(few.tried < two.tried);
}

#[test]
fn portions_and_stops_change_nothing() {
    let run = calm("ack-order", &[]);
    let whole = crashed(&run);
    for portion in [1, 500, 7_000] {
        let mut explorer = Explorer::new(&run, Plan::default()).expect("it ships");
        let mut seen = Vec::new();
        while explorer.step(portion) == Progress::More {
            seen.push(explorer.progress());
        }
        assert_eq!(explorer.result(), &whole, "{portion}");
        assert!(seen.is_sorted() && explorer.progress() == (whole.tried, whole.tried), "{seen:?}");
    }
}

#[test]
fn a_scenario_says_itself_what_should_be_true() {
    let text = r#"{
      "redrive": 1, "until": "3m",
      "parts": {
        "orders": { "kind": "producer", "to": "jobs", "limit": 4, "keys": 2 },
        "jobs": { "kind": "queue", "visibility_timeout": "20s" },
        "charger": { "kind": "worker", "from": "jobs", "workers": 2, "work": "200ms", "effect": "charge", "idempotent": true }
      },
      "properties": [
        { "name": "every order is charged exactly once", "kind": "always", "effect": "charge", "what": "once" },
        { "name": "charges of a customer keep their order", "kind": "always", "effect": "charge", "what": "in-order" }
      ]
    }"#;
    let found = crashed(&Run::of_document("mine", text));
    let told: Vec<(&str, bool)> = found.properties.iter().map(|property| (property.name.as_str(), property.holds)).collect();
    // A crash delays a charge until its message is visible again: the next one of its customer overtakes it.
    let expect = [
        ("every order is charged exactly once", true),
        ("charges of a customer keep their order", false),
        ("charge takes place at most once for every fact", true),
        ("charge takes place for every fact", true),
    ];
    assert_eq!(told, expect, "{found:?}");
    assert_eq!(found.outcomes.out_of_order + found.outcomes.clean, found.tried, "{found:?}");
}
