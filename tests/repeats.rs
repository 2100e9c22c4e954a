//! Records that are sent again to a log that recognises repeats: each is stored once, in whichever order its tries arrive.

mod play;

use play::{captured, play_document};
use proptest::prelude::*;
use redrive::observe::record::{Kind, Record};

fn at_ms(records: &[Record], kind: Kind) -> Vec<u64> {
    records.iter().filter(|record| record.kind == kind).map(|record| record.at_us / 1_000).collect()
}

/// Publishes one record to a log whose first try takes 3 s and outlives its timeout of 1 s; the second takes 10 ms. Gives
/// when it was stored, when a repeat of it was recognised, and how often the group worked on it.
fn first_is_late(parts: &str, log: &str) -> (Vec<u64>, Vec<u64>, u64, u64) {
    let document = format!(
        r#"{{"redrive": 1, "until": "30s", "parts": {{
            {parts},
            "t": {{"kind": "log", "latency": "10ms", {log}}},
            "w": {{"kind": "worker", "from": "t", "work": "0s"}}}},
            "breaks": ["0s slow t 300x", "1500ms mend t"]}}"#
    );
    let records = captured(&document).1;
    let effect = play_document(&document, &[], &[]).effect("w");
    (at_ms(&records, Kind::Appended), at_ms(&records, Kind::Deduplicated), effect.once, effect.twice)
}

const PRODUCER: &str = r#""p": {"kind": "producer", "to": "t", "limit": 1}"#;
const SERVICE: &str = r#""p": {"kind": "producer", "to": "s", "limit": 1},
    "s": {"kind": "service", "attempts": 3, "retry": "1s", "steps": ["publish t", "answer"]}"#;
const RELAY: &str = r#""p": {"kind": "producer", "to": "s", "limit": 1},
    "s": {"kind": "service", "steps": ["write d with outbox", "answer"]}, "d": {"kind": "database", "latency": "0s"},
    "r": {"kind": "relay", "from": "d", "to": "t", "timeout": "1s", "poll": "1ms"}"#;

#[test]
fn a_first_try_that_comes_after_its_confirmed_repeat_is_recognised() {
    let numbered = r#""idempotent_publish": true"#;
    for parts in [PRODUCER, SERVICE] {
        assert_eq!(first_is_late(parts, numbered), (vec![2_010], vec![3_000], 1, 0), "{parts}");
        assert_eq!(first_is_late(parts, r#""idempotent_publish": false"#), (vec![2_010, 3_000], vec![], 0, 1), "{parts}");
        // Gathered for half a second, and on its way for three.
        let lingers = r#""idempotent_publish": true, "linger": "500ms""#;
        assert_eq!(first_is_late(parts, lingers), (vec![2_510], vec![3_500], 1, 0), "{parts}");
        let replicas = r#""idempotent_publish": true, "replicas": 3, "min_insync": 2, "replicate": "10ms""#;
        let (stored, repeats, once, twice) = first_is_late(parts, replicas);
        assert_eq!((stored, repeats, once, twice), (vec![2_010], vec![3_000], 1, 0), "{parts}");
    }
    // What a relay sends is what it publishes by then.
    let (stored, _, once, twice) = first_is_late(RELAY, numbered);
    assert_eq!((stored.len(), once, twice), (1, 1, 0));
}

#[test]
fn every_late_try_is_recognised_until_the_last_one() {
    // Three tries time out; the fourth is confirmed at 6.01 s, and they come at 8, 10 and 12 s.
    let document = r#"{"redrive": 1, "until": "30s", "parts": {
        "p": {"kind": "producer", "to": "t", "limit": 1},
        "t": {"kind": "log", "latency": "10ms", "idempotent_publish": true}, "w": {"kind": "worker", "from": "t"}},
        "breaks": ["0s slow t 800x", "5500ms mend t"]}"#;
    let records = captured(document).1;
    assert_eq!(at_ms(&records, Kind::Appended), [6_010]);
    assert_eq!(at_ms(&records, Kind::Deduplicated), [8_000, 10_000, 12_000]);
}

const FAULTS: [&str; 10] = [
    "slow t 40x",
    "slow t 300x",
    "mend t",
    "mend t",
    "fail t 40%",
    "cut p t",
    "lose-acks t 3",
    "break t",
    "crash t",
    "set t.linger=70ms",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_try_of_a_publisher_that_lives_is_stored_twice(
        linger in 0..3_usize, latency in 0..3_usize, replicas in 1..4_u64, timeout in 0..3_usize, service: bool,
        partitioner in 0..2_usize, faults in prop::collection::vec((0..6_000_u64, 0..FAULTS.len()), 0..10),
    ) {
        let (linger, latency) = (["0s", "60ms", "400ms"][linger], ["5ms", "1ms..60ms", "50ms..400ms"][latency]);
        let tries = format!(r#""timeout": "{}", "retry": "200ms""#, ["1s", "80ms", "20ms"][timeout]);
        let partitioner = ["murmur2", "sticky"][partitioner];
        let source = if service {
            format!(r#""p": {{"kind": "producer", "to": "s", "rate": "40/s", "limit": 150}},
                "s": {{"kind": "service", {tries}, "attempts": 100, "partitioner": "{partitioner}", "steps": ["publish t", "answer"]}}"#)
        } else {
            format!(r#""p": {{"kind": "producer", "to": "t", {tries}, "rate": "40/s", "limit": 150, "partitioner": "{partitioner}"}}"#)
        };
        let document = format!(
            r#"{{"redrive": 1, "until": "60s", "parts": {{ {source},
                "t": {{"kind": "log", "linger": "{linger}", "latency": "{latency}", "idempotent_publish": true, "partitions": 2,
                    "replicas": {replicas}, "min_insync": {}, "restart": "3s", "election": "1s"}},
                "w": {{"kind": "worker", "from": "t", "batch": 100, "work": "0s"}}}}}}"#,
            replicas.min(2)
        );
        let faults = faults.iter().filter(|(_, which)| replicas > 1 || FAULTS[*which] != "crash t");
        let commands: Vec<String> = faults
            .map(|(at_ms, which)| format!("{at_ms}ms {}", FAULTS[*which].replace("cut p", if service { "cut s" } else { "cut p" })))
            .collect();
        let commands: Vec<&str> = commands.iter().map(String::as_str).chain(["8s mend t"]).collect();
        prop_assert_eq!(play_document(&document, &[], &commands).effect("w").twice, 0);
    }
}
