//! Publishers that gather what they send to a log: how large batches get, when they go, and what becomes of all of a batch.

mod play;

use play::{Played, captured, play_document};
use proptest::prelude::*;
use redrive::explore::{Explorer, Plan, What};
use redrive::observe::ledger::EffectCounts;
use redrive::observe::record::{Cause, Kind, Record, unpack_place};
use redrive::run::Run;
use redrive::scenario::library;
use redrive::world::World;

/// A producer, a log and a group, and what there is to say of each of them.
fn document(producer: &str, log: &str, more: &str) -> String {
    format!(
        r#"{{"redrive": 1, "until": "60s", "parts": {{
            "p": {{"kind": "producer", "to": "t", {producer}}},
            "t": {{"kind": "log", {log}}},
            "w": {{"kind": "worker", "from": "t", "batch": 100, "work": "0s"}}}}{more}}}"#
    )
}

/// The batches in which records were stored, as moment in milliseconds, partition and number of records.
fn batches(document: &str) -> Vec<(u64, u32, u64)> {
    let mut found: Vec<(u64, u32, u64)> = Vec::new();
    for record in captured(document).1.iter().filter(|record| record.kind == Kind::Appended) {
        let (at_ms, partition) = (record.at_us / 1_000, unpack_place(record.extra).0);
        match found.last_mut().filter(|last| (last.0, last.1) == (at_ms, partition)) {
            Some(last) => last.2 += 1,
            None => found.push((at_ms, partition, 1)),
        }
    }
    found
}

fn sizes(document: &str) -> Vec<u64> {
    batches(document).into_iter().map(|(_, _, records)| records).collect()
}

fn count(records: &[Record], kind: Kind) -> usize {
    records.iter().filter(|record| record.kind == kind).count()
}

const STEADY: &str = r#""rate": "100/s", "limit": 100"#;
const SLOW: &str = r#""rate": "10/s", "limit": 40"#;

#[test]
fn without_a_linger_each_record_is_a_batch() {
    let plain = document(STEADY, r#""linger": "0s""#, "");
    assert_eq!(sizes(&plain), [1; 100]);
    let played = play_document(&plain, &[], &[]);
    assert_eq!((played.highest("t", "batches_per_s"), played.highest("t", "records_per_batch")), (100, 1));
    assert_eq!(sizes(&document(STEADY, r#""latency": "5ms""#, "")), [1; 100], "and that is how a log is");
}

#[test]
fn a_batch_goes_when_it_has_lingered_since_its_first_record() {
    let lingers = document(STEADY, r#""linger": "50ms""#, "");
    assert_eq!(sizes(&lingers), [5; 20]);
    // Until 50 ms, and on its way for 5 ms.
    assert_eq!(batches(&lingers)[..2], [(55, 0, 5), (105, 0, 5)]);
    let played = play_document(&document(r#""rate": "100/s", "limit": 1000"#, r#""linger": "50ms""#, ""), &[], &[]);
    assert_eq!((played.highest("t", "batches_per_s"), played.highest("t", "records_per_batch")), (20, 5));
    assert_eq!(played.effect("w").once, 1_000);
}

#[test]
fn kafka_lingers_unless_it_is_told_otherwise() {
    let fast = r#""rate": "1000/s", "limit": 100"#;
    let most = |log: &str| sizes(&document(fast, log, "")).into_iter().max();
    assert_eq!(most(r#""broker": "kafka""#), Some(5));
    assert_eq!(most(r#""broker": "redpanda", "linger.ms": 10"#), Some(10));
    assert_eq!(most(r#""broker": "kafka", "linger.ms": 0"#), Some(1));
    assert_eq!(most(r#""broker": "kafka", "linger.ms": 100, "batch.size": 7000"#), Some(7));
    assert_eq!(most(r#""broker": "generic""#), Some(1));
}

#[test]
fn a_full_batch_goes_at_once() {
    let full = |bytes: u64| document(STEADY, &format!(r#""linger": "10s", "batch_bytes": {bytes}"#), "");
    assert_eq!(batches(&full(3_000))[..2], [(25, 0, 3), (55, 0, 3)], "with its third record");
    assert_eq!(batches(&full(3_500))[..2], [(35, 0, 3), (65, 0, 3)], "with the fourth, which has no room in it");
    assert_eq!(sizes(&full(3_500)).iter().sum::<u64>(), 100);
    assert_eq!(sizes(&full(999)), [1; 100], "a record that is larger than a batch is one by itself");
}

#[test]
fn each_partition_has_its_own_batch() {
    let turns = document(&format!(r#"{STEADY}, "partitioner": "round-robin""#), r#""linger": "50ms", "partitions": 5"#, "");
    // Each is opened by one record and closed 50 ms after that, when the next for its partition comes.
    assert_eq!(sizes(&turns), [1; 100]);
    let keyed =
        batches(&document(&format!(r#"{STEADY}, "keys": 2"#), r#""linger": "1s", "partitions": 2, "record_bytes": 100"#, ""));
    let by_partition = |wanted: u32| keyed.iter().filter(|(_, partition, _)| *partition == wanted).count();
    assert_eq!((by_partition(0), by_partition(1)), (1, 1), "{keyed:?}");
}

#[test]
fn records_without_a_key_fill_batches_where_they_stick_to_a_partition() {
    let each = |partitioner: &str| {
        let producer = format!(r#""rate": "1000/s", "limit": 3000, "partitioner": "{partitioner}""#);
        let log = r#""linger": "20ms", "partitions": 6, "record_bytes": 1024"#;
        let batches = batches(&document(&producer, log, ""));
        let mut partitions = [0_u64; 6];
        batches.iter().for_each(|(_, partition, records)| partitions[*partition as usize] += records);
        (3_000 / batches.len() as u64, partitions)
    };
    let ((sticky, stuck), (turns, turned)) = (each("sticky"), each("round-robin"));
    assert_eq!((sticky, turns), (15, 4), "sixteen kilobytes are sixteen records; a sixth of those of 20 ms are four");
    assert_eq!(turned, [500; 6]);
    assert_eq!(stuck, [512, 504, 496, 496, 496, 496]);
}

#[test]
fn who_waits_for_an_answer_waits_for_the_linger_too_and_the_log_writes_less_often() {
    let played = |linger: &str| {
        let document = format!(
            r#"{{"redrive": 1, "until": "20s", "parts": {{
                "p": {{"kind": "producer", "to": "s", "rate": "200/s"}},
                "s": {{"kind": "service", "steps": ["work 1ms", "publish t", "answer"]}},
                "t": {{"kind": "log", "linger": "{linger}", "record_bytes": 100}}, "w": {{"kind": "worker", "from": "t", "work": "0s"}}}}}}"#
        );
        let played = play_document(&document, &[], &[]);
        assert_eq!(played.effect("w").lost, 0);
        (played.newest("s", "p50_us") / 1_000, played.newest("t", "batches_per_s"))
    };
    assert_eq!(played("0s"), (5, 200));
    assert_eq!(played("20ms"), (16, 50));
    assert_eq!(played("100ms"), (55, 10));
}

#[test]
fn a_process_that_dies_loses_what_it_has_gathered_and_nothing_else() {
    let lost = |log: &str, crash: &str| {
        let document = document(SLOW, log, &format!(r#", "breaks": ["{crash} crash p"]"#));
        let (world, records) = captured(&document);
        assert_eq!(world.audit(), Ok(()));
        let died = |record: &&Record| record.kind == Kind::GaveUp && record.extra == Cause::ProcessDied as u64;
        let gone = records.iter().filter(died).count() as u64;
        let effect = play_document(&document, &[], &[]).effect("w");
        assert_eq!((effect.once + effect.lost, effect.twice), (40, 0));
        (gone, effect.lost)
    };
    // Those of 2.0 s to 2.5 s.
    assert_eq!(lost(r#""linger": "1s""#, "2550ms"), (6, 6));
    assert_eq!(lost(r#""linger": "0s""#, "2550ms"), (0, 0));
    // Those of 1.0 s to 1.9 s are on their way: they arrive, though nobody is there to hear of it.
    assert_eq!(lost(r#""linger": "1s", "latency": "500ms""#, "2350ms"), (14, 4));
}

#[test]
fn a_service_that_dies_loses_what_it_has_gathered() {
    let document = r#"{"redrive": 1, "until": "30s", "parts": {
        "p": {"kind": "producer", "to": "s", "rate": "10/s", "limit": 40},
        "s": {"kind": "service", "steps": ["answer", "publish t"]},
        "t": {"kind": "log", "linger": "1s"}, "w": {"kind": "worker", "from": "t", "work": "0s"}},
        "breaks": ["2550ms crash s"]}"#;
    let played = play_document(document, &[], &[]);
    let effect = played.effect("w");
    // Six were gathered; fourteen asked while nobody was there.
    assert_eq!((effect.once, effect.lost), (20, 6), "{effect:?}");
}

#[test]
fn a_lost_answer_repeats_all_of_a_batch_unless_the_log_recognises_it() {
    let played = |idempotent: bool, replicas: u64| {
        let log = format!(r#""linger": "1s", "idempotent_publish": {idempotent}, "replicas": {replicas}"#);
        let document = document(r#""rate": "10/s", "limit": 10"#, &log, r#", "breaks": ["0s lose-acks t 1"]"#);
        let (_, records) = captured(&document);
        let effect = play_document(&document, &[], &[]).effect("w");
        assert_eq!((count(&records, Kind::AckLost), count(&records, Kind::PublishFailed)), (10, 10));
        (sizes(&document), effect.once, effect.twice, count(&records, Kind::Deduplicated))
    };
    for replicas in [1, 3] {
        assert_eq!(played(false, replicas), (vec![10, 10], 0, 10, 0), "sent again together");
        assert_eq!(played(true, replicas), (vec![10], 10, 0, 10));
    }
}

#[test]
fn one_that_is_given_up_while_it_is_on_its_way_arrives_all_the_same() {
    let producer = r#""rate": "10/s", "limit": 10, "timeout": "300ms", "attempts": 1"#;
    let document = document(producer, r#""linger": "1s", "latency": "2s""#, "");
    let (world, records) = captured(&document);
    assert_eq!((count(&records, Kind::GaveUp), count(&records, Kind::Appended)), (10, 10));
    assert_eq!((world.audit(), play_document(&document, &[], &[]).effect("w").once), (Ok(()), 10));
}

#[test]
fn a_batch_is_confirmed_once_every_replica_in_sync_has_it() {
    let log = r#""linger": "50ms", "replicas": 3, "min_insync": 2, "acks": "all", "partitions": 2"#;
    let document = document(&format!(r#"{STEADY}, "keys": 10"#), log, "");
    let (world, records) = captured(&document);
    assert_eq!(world.audit(), Ok(()));
    assert_eq!((count(&records, Kind::Appended), count(&records, Kind::Released)), (100, 100));
    let released = records.iter().filter(|record| record.kind == Kind::Released);
    let moments = released.fold(Vec::new(), |mut moments: Vec<u64>, record| {
        if !moments.contains(&record.at_us) {
            moments.push(record.at_us);
        }
        moments
    });
    assert!(moments.len() <= 40, "an answer is for all of a batch: {}", moments.len());
}

/// What becomes of what two hundred records should do when the log is away for a while.
fn outage(log: &str, breaks: &str) -> EffectCounts {
    let producer = r#""rate": "50/s", "limit": 200, "keys": 5"#;
    play_document(&document(producer, log, &format!(r#", "breaks": [{breaks}]"#)), &[], &[]).effect("w")
}

#[test]
fn nothing_is_lost_while_a_log_is_away_and_keys_keep_their_order_where_it_numbers_records() {
    let away = [
        r#""1s break t", "2500ms mend t""#,
        r#""1s fail t 40%", "3s mend t""#,
        r#""1s cut p t", "2s mend t""#,
        r#""1s lose-acks t 7""#,
    ];
    for breaks in away {
        for latency in ["0s", "5ms"] {
            let numbered = format!(r#""linger": "60ms", "idempotent_publish": true, "partitions": 3, "latency": "{latency}""#);
            let kept = outage(&numbered, breaks);
            assert_eq!((kept.once, kept.twice, kept.lost, kept.out_of_order), (200, 0, 0, 0), "{breaks}, {latency}");
            let plain = outage(&format!(r#""linger": "60ms", "partitions": 3, "latency": "{latency}""#), breaks);
            assert_eq!((plain.once + plain.twice, plain.lost), (200, 0), "{breaks}, {latency}");
        }
    }
    let leader = r#""linger": "60ms", "idempotent_publish": true, "partitions": 3, "replicas": 3, "min_insync": 2"#;
    let kept = outage(leader, r#""1s crash t""#);
    assert_eq!((kept.once, kept.twice, kept.lost, kept.out_of_order), (200, 0, 0, 0));
    assert!(outage(r#""linger": "60ms", "partitions": 3"#, r#""1s fail t 40%", "3s mend t""#).out_of_order > 0);
}

/// What can be done to a log and to who writes to it that must not cost a record, a repeat or the order of a key.
const MENDABLE: [&str; 10] = [
    "break t",
    "mend t",
    "mend t",
    "fail t 40%",
    "cut p t",
    "lose-acks t 3",
    "crash t",
    "set t.linger=0s",
    "set t.linger=70ms",
    "set t.batch_bytes=2000",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_that_numbers_records_keeps_them_all_once_and_in_order(
        linger in 0..3_usize, latency in 0..3_usize, replicas in 1..4_u64, partitions in 1..4_u64, timeout in 0..2_usize,
        faults in prop::collection::vec((0..6_000_u64, 0..MENDABLE.len()), 0..8),
    ) {
        let (linger, latency) = (["0s", "60ms", "400ms"][linger], ["0s", "5ms", "1ms..60ms"][latency]);
        let producer = format!(r#""rate": "50/s", "limit": 200, "keys": 5, "timeout": "{}""#, ["1s", "80ms"][timeout]);
        let log = format!(
            r#""linger": "{linger}", "latency": "{latency}", "idempotent_publish": true, "min_insync": {},
            "replicas": {replicas}, "partitions": {partitions}, "restart": "3s", "election": "1s", "record_bytes": 300"#,
            replicas.min(2)
        );
        let document = document(&producer, &log, "");
        // Who has no followers has no leader to lose.
        let faults = faults.iter().filter(|(_, which)| replicas > 1 || MENDABLE[*which] != "crash t");
        let commands: Vec<String> = faults.map(|(at_ms, which)| format!("{at_ms}ms {}", MENDABLE[*which])).collect();
        let commands: Vec<&str> = commands.iter().map(String::as_str).chain(["20s mend t", "20s mend p"]).collect();
        let effect = play_document(&document, &[], &commands).effect("w");
        prop_assert_eq!((effect.once, effect.twice, effect.lost, effect.out_of_order), (200, 0, 0, 0));
    }
}

#[test]
fn a_linger_can_be_set_while_something_is_gathered() {
    let set = |value: &str| {
        let breaks = format!(r#", "breaks": ["250ms set t.linger={value}"]"#);
        batches(&document(r#""rate": "10/s", "limit": 6"#, r#""linger": "1s""#, &breaks))
    };
    assert_eq!(set("0s"), [(255, 0, 3), (305, 0, 1), (405, 0, 1), (505, 0, 1)], "what is gathered goes at once");
    assert_eq!(set("350ms"), [(355, 0, 4), (755, 0, 2)], "since its first record");
    assert_eq!(set("2s"), [(2_005, 0, 6)]);
    let later =
        batches(&document(r#""rate": "10/s", "limit": 6"#, r#""linger": "0s""#, r#", "breaks": ["250ms set t.linger=1s"]"#));
    assert_eq!(later, [(5, 0, 1), (105, 0, 1), (205, 0, 1), (1_305, 0, 3)]);
}

#[test]
fn who_waits_for_room_sends_what_it_has_without_lingering() {
    let buffer = r#""rate": "10/s", "limit": 12, "buffer": 4, "full": "pause""#;
    let batches = batches(&document(buffer, r#""linger": "10s""#, ""));
    assert_eq!(batches.iter().map(|batch| batch.2).collect::<Vec<_>>(), [4, 4, 4]);
    assert_eq!(batches[0].0, 405, "the fifth finds no room at 400 ms");
}

#[test]
fn a_transaction_takes_what_was_gathered_for_it() {
    let played = |breaks: &str| -> Played {
        let producer = format!(r#"{SLOW}, "transaction": 4"#);
        let log = r#""linger": "250ms", "broker": "kafka""#;
        play_document(&document(&producer, log, breaks), &["w.isolation=read_committed"], &[])
    };
    assert_eq!(played("").effect("w").once, 40);
    assert_eq!(played(r#", "breaks": ["2s lose-acks t 1"]"#).effect("w").once, 40);
}

#[test]
fn whatever_crashes_a_gathering_service_can_lose_and_its_answer_cannot_come_before() {
    let document = r#"{"redrive": 1, "until": "5s", "parts": {
        "p": {"kind": "producer", "to": "s", "rate": "5/s", "limit": 10},
        "s": {"kind": "service", "steps": ["publish t", "answer"]},
        "t": {"kind": "log", "linger": "500ms", "idempotent_publish": true},
        "w": {"kind": "worker", "from": "t", "work": "0s", "idempotent": true}}}"#;
    let found = Explorer::new(&Run::of_document("test", document), Plan::default()).expect("a good run").finish();
    assert!(found.tried > 10, "{}", found.tried);
    let once = found.properties.iter().find(|property| property.what == What::AtMostOnce).expect("it is there");
    assert!(once.holds, "{found:?}");
}

#[test]
fn the_stage_shows_what_is_gathered_and_the_linger_that_runs_out() {
    let at = |log: &str, until_us: u64| {
        let scenario = Run::of_document("test", &document(SLOW, log, "")).scenario().expect("a good run");
        let mut world = World::new(&scenario);
        world.run_until(until_us);
        world.stage(0).parts[0].gathers.clone()
    };
    let gathers = at(r#""linger": "1s""#, 2_350_000).expect("it gathers");
    let first = gathers.first.expect("something");
    assert_eq!((gathers.records, first.since_us, first.until_us, first.what), (4, 2_000_000, 3_000_000, "linger"));
    assert_eq!(first.token.label, "21");
    let nothing = at(r#""linger": "20ms""#, 2_350_000).expect("it gathers");
    assert_eq!((nothing.records, nothing.first), (0, None));
    assert_eq!(at(r#""linger": "0s""#, 2_350_000), None);
}

#[test]
fn only_what_is_told_to_gathers() {
    let gathers = library::ids().filter(|id| {
        let scenario = Run::of_library(id).scenario().expect("it ships");
        let lingers = |part: &redrive::scenario::PartSpec| part.kind.get("linger").is_some_and(|linger| linger != "0s");
        scenario.parts.values().any(lingers)
    });
    assert_eq!(gathers.collect::<Vec<_>>(), ["leader-dies"]);
}
