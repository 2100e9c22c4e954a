//! A log with replicas: what publishers are told, what readers may read, and what an election costs.

use redrive::command::Timed;
use redrive::observe::findings::FindingKind;
use redrive::observe::ledger::Standing;
use redrive::observe::record::Cause;
use redrive::scenario::document;
use redrive::view::BodyView;
use redrive::world::World;

const SECOND: u64 = 1_000_000;

/// A producer of ten a second from 1 s on, a log with three replicas, and a worker; with these settings of the log.
fn world(settings: &str, commands: &[&str]) -> World {
    let text = format!(
        r#"{{ "redrive": 1, "until": "60s", "parts": {{
            "shop": {{ "kind": "producer", "to": "orders", "rate": "10/s", "start": "1s", "limit": 100, "keys": 5 }},
            "orders": {{ "kind": "log", "replicas": 3, "latency": "1ms" {settings} }},
            "billing": {{ "kind": "worker", "from": "orders", "batch": 100, "work": "1ms" }}
        }} }}"#
    );
    let mut scenario = document::read("test", &text, &[]).unwrap_or_else(|faults| panic!("{faults}"));
    scenario.breaks = commands.iter().map(|text| Timed::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))).collect();
    World::new(&scenario)
}

fn at(settings: &str, commands: &[&str], seconds: u64) -> World {
    let mut world = world(settings, commands);
    world.run_until(seconds * SECOND);
    assert_eq!(world.audit(), Ok(()));
    world
}

/// Of the effect: done once, done twice, lost, still to come.
fn counts(world: &World) -> [u64; 4] {
    let counts = world.observer.ledger.counts(0);
    [counts.once, counts.twice, counts.lost, counts.pending]
}

/// Ends of the replicas of the first partition in order of preference, with `*` for the leader and `-` out of sync, and the
/// high watermark.
fn picture(world: &World) -> String {
    let stage = world.stage(0);
    let BodyView::Log { partitions, .. } = &stage.parts[1].body else { panic!("it is a log") };
    let replicas = partitions[0].replicas.iter().map(|replica| {
        let (leads, out) = (if replica.leads { "*" } else { "" }, if replica.in_sync { "" } else { "-" });
        format!("{}{leads}{out}", replica.end)
    });
    format!("{} hw {}", replicas.collect::<Vec<_>>().join(" "), partitions[0].high_watermark)
}

fn found(world: &World, kind: FindingKind) -> u64 {
    world.observer.findings.found().iter().find(|finding| finding.kind == kind).map_or(0, |finding| finding.count)
}

#[test]
fn settings_may_go_by_kafkas_names() {
    let kafkas = r#", "replication.factor": 3, "min.insync.replicas": 2, "acks": 1, "enable.idempotence": true,
        "replica.lag.time.max.ms": 10000, "unclean.leader.election.enable": true, "broker.session.timeout.ms": "4s""#;
    let ours = r#", "min_insync": 2, "acks": "leader", "idempotent_publish": true,
        "replica_lag": "10s", "unclean": true, "election": "4s""#;
    let orders = |settings: &str| format!("{:?}", world(settings, &[]).scenario().parts["orders"].kind);
    assert_eq!(orders(kafkas), orders(ours));
    let mut worker = world("", &[]).scenario().parts["billing"].kind.clone();
    for (name, value, ours, expect) in [
        ("isolation.level", "read_committed", "isolation", "read_committed"),
        ("auto.offset.reset", "none", "start_from", "none"),
        ("offsets.retention.minutes", "1440", "offsets_retention", "1d"),
        ("session.timeout.ms", "30000", "session", "30s"),
        ("heartbeat.interval.ms", "1000", "heartbeat_interval", "1s"),
        ("max.poll.interval.ms", "60000", "poll_interval", "1m"),
        ("partition.assignment.strategy", "sticky", "assignor", "sticky"),
    ] {
        worker.set(name, &serde_json::json!(value)).unwrap_or_else(|refused| panic!("{name}: {refused:?}"));
        assert_eq!(worker.get(ours), Some(serde_json::json!(expect)), "{name}");
    }
}

#[test]
fn readers_stop_at_the_high_watermark() {
    // The followers hang from 3 s on: 20 records are everywhere, the leader confirms others alone.
    let pause = ["3s pause orders"];
    let acks = r#", "acks": "leader""#;
    assert_eq!(picture(&at(acks, &pause, 8)), "70* 20 20 hw 20");
    assert_eq!(counts(&at(acks, &pause, 8)), [20, 0, 0, 50]);
    // Fenced after nine seconds they count no more.
    assert_eq!(picture(&at(acks, &pause, 14)), "100* 20- 20- hw 100");
    assert_eq!(counts(&at(acks, &pause, 14)), [100, 0, 0, 0]);
    let resumed = ["3s pause orders", "20s resume orders"];
    assert_eq!(picture(&at(acks, &resumed, 21)), "100* 100 100 hw 100");
}

#[test]
fn a_write_that_waits_for_all_waits_for_the_followers_and_is_refused_with_too_few() {
    let strict = r#", "min_insync": 2, "election": "4s", "idempotent_publish": true"#;
    let late = at(strict, &["3s pause orders"], 30);
    // What the leader took before the others were given up waits for them; after that it takes nothing.
    assert_eq!((counts(&late)[0], found(&late, FindingKind::WriteRefused) > 0), (20, true));
    let cause = late.observer.findings.found().iter().find(|finding| finding.kind == FindingKind::WriteRefused);
    assert_eq!(cause.map(|finding| Cause::from_number(finding.detail)), Some(Cause::TooFewInSync));
    let mended = at(strict, &["3s pause orders", "30s resume orders"], 60);
    assert_eq!((counts(&mended), picture(&mended)), ([100, 0, 0, 0], "100* 100 100 hw 100".into()));
    let one = at(r#", "min_insync": 1, "idempotent_publish": true"#, &["3s pause orders"], 30);
    assert_eq!((counts(&one), found(&one, FindingKind::WriteRefused)), ([100, 0, 0, 0], 0));
}

#[test]
fn a_follower_leads_once_the_dead_leader_is_noticed() {
    let kill = ["5s crash orders"];
    let settings = r#", "election": "4s", "restart": "10s", "idempotent_publish": true"#;
    assert_eq!(found(&at(settings, &kill, 8), FindingKind::Elected), 0);
    assert_eq!(found(&at(settings, &kill, 10), FindingKind::Elected), 1);
    let over = at(settings, &kill, 60);
    assert_eq!((counts(&over), picture(&over)), ([100, 0, 0, 0], "100 100* 100 hw 100".into()));
}

#[test]
fn a_replica_that_was_not_in_sync_leads_only_if_it_may_and_then_records_are_gone() {
    // Frozen followers are given up at 12 s; the leader dies at 14 s; the followers go on at 20 s.
    let story = ["3s pause orders", "14s crash orders", "20s resume orders"];
    let safe = r#", "acks": "leader", "restart": "30s""#;
    let waiting = at(safe, &story, 40);
    assert_eq!((counts(&waiting), found(&waiting, FindingKind::Leaderless)), ([100, 0, 0, 0], 1));
    let bold = at(r#", "acks": "leader", "restart": "30s", "unclean": true"#, &story, 59);
    assert_eq!((picture(&bold), counts(&bold)), ("20 20* 20 hw 20".into(), [100, 0, 0, 0]));
}

#[test]
fn records_that_nobody_had_read_are_lost_for_a_named_cause() {
    // Followers copy every three seconds; the leader dies in between and comes back when another has long led.
    let world = at(r#", "acks": "leader", "replicate": "3s", "election": "4s", "restart": "30s""#, &["6500ms crash orders"], 59);
    assert_eq!((counts(&world), found(&world, FindingKind::Overwritten)), ([75, 0, 25, 0], 25));
    assert_eq!(world.observer.ledger.standing(40, 0), Standing::Lost(Cause::LeaderDied));
    assert_eq!(picture(&world), "75 75* 75 hw 75");
}

#[test]
fn who_waits_for_nothing_hears_of_nothing() {
    let world = at(r#", "acks": "none", "election": "4s""#, &["5s crash orders"], 59);
    let [once, _, lost, _] = counts(&world);
    assert_eq!((once, lost), (60, 40));
    assert_eq!(world.observer.ledger.standing(45, 0), Standing::Lost(Cause::NoLeader));
    assert_eq!(found(&world, FindingKind::ProduceErrors), 0);
}

#[test]
fn a_majority_is_enough_for_redpanda() {
    let one_hangs = ["3s crash orders"];
    let settings = r#", "broker": "redpanda", "election": "1500ms", "restart": "50s", "idempotent_publish": true"#;
    let world = at(settings, &one_hangs, 12);
    assert_eq!(counts(&world)[0], 100, "two of three go on");
}

#[test]
fn a_confirmation_that_is_lost_makes_a_second_record_only_where_repeats_are_not_recognised() {
    let lost = ["5s lose-acks orders 3"];
    for replicas in [1, 3] {
        let check = |idempotent: bool, expect: [u64; 4], skipped: u64| {
            let settings = format!(r#", "idempotent_publish": {idempotent}"#).replace("}}", "}");
            let mut scenario = world(&settings, &lost).scenario().clone();
            let orders = scenario.parts.get_mut("orders").expect("it is there");
            orders.kind.set("replicas", &serde_json::json!(replicas)).expect("a good value");
            let mut world = World::new(&scenario);
            world.run_until(59 * SECOND);
            assert_eq!((counts(&world), found(&world, FindingKind::Absorbed)), (expect, skipped), "{replicas}");
        };
        check(false, [97, 3, 0, 0], 0);
        check(true, [100, 0, 0, 0], 3);
    }
}
