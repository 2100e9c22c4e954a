//! Groups that read from the nearest replica of a log (KIP-392): what they see later, and what becomes of them when that
//! replica goes.

mod play;

use play::{captured, play_document};
use proptest::prelude::*;
use redrive::observe::record::{Kind, Record, unpack_place};
use redrive::run::Run;
use redrive::view::BodyView;
use redrive::world::World;

/// Ten records a second from 1 s on, at a log of three replicas that copy in 20 ms, and a group.
fn document(log: &str, worker: &str, breaks: &str) -> String {
    format!(
        r#"{{"redrive": 1, "until": "60s", "parts": {{
            "p": {{"kind": "producer", "to": "t", "rate": "10/s", "start": "1s", "limit": 100}},
            "t": {{"kind": "log", "broker": "kafka", "replicas": 3, "latency": "1ms", "linger": "0s", "replicate": "20ms" {log}}},
            "w": {{"kind": "worker", "from": "t", "batch": 100, "work": "0s", "fetch_wait": "0s" {worker}}}}},
            "breaks": [{breaks}]}}"#
    )
}

const NEAREST: &str = r#", "fetch_from": "nearest""#;

/// How long each record had been stored when it was read first, in milliseconds, in order of offset; and how many were.
fn waits(document: &str) -> Vec<u64> {
    let records = captured(document).1;
    let at = |kind: Kind, fact: u32| records.iter().find(|record| record.kind == kind && record.fact == fact);
    let stored = records.iter().filter(|record| record.kind == Kind::Appended);
    stored.filter_map(|stored| Some((at(Kind::Read, stored.fact)?.at_us - stored.at_us) / 1_000)).collect()
}

#[test]
fn a_follower_gives_a_record_out_one_fetch_later_than_the_leader() {
    // Followers ask again 20 ms after a record came: then it is committed. They hear of that 20 ms after.
    assert_eq!(waits(&document("", "", "")), [20; 100]);
    assert_eq!(waits(&document("", NEAREST, "")), [40; 100]);
    assert_eq!(waits(&document("", r#", "client.rack": "eu-west-1b""#, "")), [40; 100], "under Kafka's name");
    assert_eq!(waits(&document("", r#", "client.rack": """#, "")), [20; 100]);
    assert_eq!(waits(&document(r#", "acks": "leader""#, NEAREST, "")), [40; 100], "whatever publishers wait for");
    let alone = document("", NEAREST, "").replace(r#""replicas": 3"#, r#""replicas": 1"#);
    assert_eq!(waits(&alone), [0; 100], "without followers there is only the leader");
    // Set while it runs: those of 1 s to 5 s at the leader.
    let set = waits(&document("", "", r#""5050ms set w.fetch_from=nearest""#));
    assert_eq!((&set[..40], &set[41..]), (&[20; 40][..], &[40; 59][..]));
    let back = waits(&document("", NEAREST, r#""5050ms set w.fetch_from=leader""#));
    assert_eq!((&back[..40], &back[41..]), (&[40; 40][..], &[20; 59][..]));
}

#[test]
fn a_group_at_the_leader_waits_for_no_other() {
    let both = document("", NEAREST, "").replace(
        r#""w": {"kind""#,
        r#""v": {"kind": "worker", "from": "t", "batch": 100, "work": "0s", "fetch_wait": "0s"}, "w": {"kind""#,
    );
    let (world, records) = captured(&both);
    let effect = |name: &str| world.observer.ledger.effects.iter().position(|effect| effect.name == name).expect("an effect");
    let first = |name: &str| {
        let mask = 1_u8 << effect(name);
        records.iter().find(|record| record.kind == Kind::Read && record.effects == mask).map(|record| record.at_us / 1_000)
    };
    assert_eq!((first("v"), first("w")), (Some(1_021), Some(1_041)));
}

/// The replicas that a group reads from, by broker from 1, at a moment.
fn read_from(document: &str, at_ms: u64) -> Vec<u32> {
    let scenario = Run::of_document("test", document).scenario().unwrap_or_else(|faults| panic!("{faults}"));
    let mut world = World::new(&scenario);
    world.run_until(at_ms * 1_000);
    let BodyView::Log { partitions, .. } = &world.stage(0).parts[1].body else { panic!("it is a log") };
    partitions[0].replicas.iter().filter(|replica| replica.read).map(|replica| replica.broker).collect()
}

#[test]
fn it_goes_on_while_any_replica_that_is_in_sync_runs() {
    let settings = r#", "election": "2s", "restart": "4s", "min_insync": 1"#;
    let check = |breaks: &str, expect: &[(u64, &[u32])]| {
        let story = document(settings, NEAREST, breaks);
        for (at_ms, brokers) in expect {
            assert_eq!(read_from(&story, *at_ms), *brokers, "{breaks} at {at_ms} ms");
        }
        let effect = play_document(&story, &[], &[]).effect("w");
        assert_eq!((effect.once, effect.twice, effect.lost), (100, 0, 0), "{breaks}");
    };
    check("", &[(3_000, &[2])]);
    // The leader dies: what is committed is read on at the follower, which then leads; another is the nearest from then on.
    check(r#""5s crash t""#, &[(5_500, &[2]), (7_500, &[3]), (20_000, &[1])]);
    // All followers hang: the leader has to do until they are back.
    check(r#""5s pause t", "12s resume t""#, &[(4_000, &[2]), (6_000, &[1]), (14_000, &[2])]);
}

#[test]
fn nobody_reads_where_nobody_leads() {
    // The followers are out of sync when the leader dies: nothing until it is back.
    let settings = r#", "election": "2s", "restart": "10s", "acks": "leader", "replica_lag": "1s""#;
    let story = document(settings, NEAREST, r#""3s pause t", "8s crash t", "12s resume t""#);
    assert_eq!(read_from(&story, 11_000), [0_u32; 0]);
    assert_eq!(play_document(&story, &[], &[]).effect("w").lost, 0);
}

const FAULTS: [&str; 12] = [
    "crash t",
    "crash t",
    "pause t",
    "resume t",
    "slow t 20x",
    "mend t",
    "cut w t",
    "mend w",
    "crash w",
    "set w.fetch_from=leader",
    "set w.fetch_from=nearest",
    "rewind w to 0",
];

/// Every record of the trace that was read, with the high watermark of its partition at that moment.
fn beyond(document: &str, commands: &[String]) -> Option<Record> {
    let mut run = Run::of_document("test", document);
    for text in commands {
        run.commands.push(redrive::command::Timed::parse(text).expect("a command"));
    }
    run.commands.sort_by_key(|timed| timed.at_us);
    let scenario = run.scenario().unwrap_or_else(|faults| panic!("{faults}"));
    let mut world = World::new(&scenario);
    world.observer.capture();
    let mut found = None;
    for at_ms in (0..20_000).step_by(10) {
        world.run_until(at_ms * 1_000);
        let BodyView::Log { partitions, .. } = &world.stage(0).parts[1].body else { panic!("it is a log") };
        let ends: Vec<u64> = partitions.iter().map(|partition| partition.high_watermark).collect();
        let read = world.observer.take_captured().into_iter().filter(|record| record.kind == Kind::Read).find(|record| {
            let (partition, offset) = unpack_place(record.extra);
            offset >= ends[partition as usize]
        });
        found = found.or(read);
        world.observer.capture();
    }
    world.run_until(scenario.until_us());
    assert_eq!(world.audit(), Ok(()));
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_above_the_high_watermark_is_read_and_all_of_it_is(
        broker in 0..2_usize, replicas in 2..4_u64, partitions in 1..4_u64, committed: bool,
        faults in prop::collection::vec((0..15_000_u64, 0..FAULTS.len()), 0..8),
    ) {
        // Redpanda takes odd numbers only.
        let (broker, replicas) = [("kafka", replicas), ("redpanda", 3)][broker];
        let isolation = ["read_uncommitted", "read_committed"][usize::from(committed)];
        let log = format!(r#", "partitions": {partitions}, "replicas": {replicas}, "election": "1s", "restart": "3s", "broker": "{broker}""#);
        let worker = format!(r#"{NEAREST}, "isolation": "{isolation}", "workers": 2, "restart": "1s", "session": "2s""#);
        let document = document(&log, &worker, "").replace(r#""broker": "kafka", "replicas": 3, "#, "");
        let commands: Vec<String> = faults.iter().map(|(at_ms, which)| format!("{at_ms}ms {}", FAULTS[*which]))
            .chain(["20s mend t".into(), "20s resume t".into(), "20s mend w".into()]).collect();
        // Within ten milliseconds a new leader may know of a lower one than its readers saw, and none is below what was read.
        prop_assert_eq!(beyond(&document, &commands), None);
        let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
        let effect = play_document(&document, &[], &commands).effect("w");
        prop_assert_eq!((effect.lost, effect.once + effect.twice), (0, 100));
    }
}
