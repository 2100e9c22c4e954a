//! Kafka at work in a scenario, under its own names: what publishers and groups meet beside failures of its brokers.

mod play;

use play::{captured, play_document};
use redrive::observe::ledger::Standing;
use redrive::observe::record::{Cause, Kind, unpack_place};

#[test]
fn a_group_that_comes_later_has_no_offset() {
    let played = |reset: &str| {
        let document = format!(
            r#"{{"redrive": 1, "until": "30s", "parts": {{
                "p": {{"kind": "producer", "to": "t", "messages": ["a", {{"id": "b", "at": "15s"}}]}},
                "t": {{"kind": "log", "broker": "kafka"}},
                "w": {{"kind": "worker", "from": "t", "workers": 0, "auto.offset.reset": "{reset}"}}}}, "breaks": ["10s scale w 1"]}}"#
        );
        let played = play_document(&document, &[], &[]);
        (played.standing("a", "w"), played.standing("b", "w"))
    };
    let (done, waits) = (Standing::Done(1), Standing::Pending);
    assert_eq!(played("earliest"), (done, done));
    assert_eq!(played("latest"), (Standing::Lost(Cause::BeganBehind), done));
    assert_eq!(played("none"), (waits, waits), "it stops with an error");
}

#[test]
fn records_without_a_key_go_from_partition_to_partition() {
    let taken = |partitioner: &str| {
        let document = format!(
            r#"{{"redrive": 1, "until": "9s", "parts": {{
                "p": {{"kind": "producer", "to": "t", "rate": "10/s", "limit": 60, "partitioner": "{partitioner}"}},
                "t": {{"kind": "log", "broker": "kafka", "partitions": 3}}, "w": {{"kind": "worker", "from": "t"}}}}}}"#
        );
        let (_, records) = captured(&document);
        let appended = records.iter().filter(|record| record.kind == Kind::Appended).map(|record| unpack_place(record.extra).0);
        appended.fold([0; 3], |mut counts, partition| {
            counts[partition as usize] += 1;
            counts
        })
    };
    // Seventeen records are more than sixteen kilobytes; or one at a time.
    assert_eq!(taken("sticky"), [26, 17, 17]);
    assert_eq!(taken("round-robin"), [20, 20, 20]);
}

#[test]
fn an_idempotent_producer_keeps_its_order_through_retries() {
    let out_of_order = |idempotent: bool, breaks: &str| {
        let document = format!(
            r#"{{"redrive": 1, "until": "90s", "parts": {{
                "p": {{"kind": "producer", "to": "t", "rate": "10/s", "keys": 5, "limit": 400}},
                "t": {{"kind": "log", "broker": "kafka", "replication.factor": 3, "partitions": 3, "enable.idempotence": {idempotent}}},
                "w": {{"kind": "worker", "from": "t"}}}}, "breaks": [{breaks}]}}"#
        );
        let played = play_document(&document, &[], &[]);
        assert_eq!(played.effect("w").lost, 0);
        played.effect("w").out_of_order
    };
    let (leader, errors) = (r#""5s crash t""#, r#""5s fail t 30%", "20s mend t""#);
    assert_eq!((out_of_order(true, leader), out_of_order(true, errors)), (0, 0));
    assert!(out_of_order(false, leader) > 0 && out_of_order(false, errors) > 0);
}

#[test]
fn a_group_has_no_offset_in_partitions_that_come_after_it() {
    let lost = |worker: &str| {
        let document = format!(
            r#"{{"redrive": 1, "until": "30s", "parts": {{
                "p": {{"kind": "producer", "to": "t", "rate": "10/s", "keys": 50, "limit": 100}},
                "t": {{"kind": "log", "broker": "kafka"}},
                "w": {{"kind": "worker", "from": "t"{worker}}}}}, "breaks": ["5s set t.partitions=3"]}}"#
        );
        let effect = play_document(&document, &[], &[]).effect("w");
        (effect.once + effect.lost, effect.lost)
    };
    // What is stored there until the members have shared them out: latest begins behind it.
    assert_eq!(lost(r#", "auto.offset.reset": "earliest""#), (100, 0));
    assert_eq!(lost(r#", "auto.offset.reset": "latest""#), (100, 11));
    // Its members hear of it with their next heartbeat, up to 5 s later.
    assert_eq!(lost(r#", "auto.offset.reset": "latest", "group.protocol": "consumer""#), (100, 22));
}

#[test]
fn what_a_group_is_set_past_is_lost_for_a_named_cause() {
    let document = r#"{"redrive": 1, "until": "30s", "parts": {
        "p": {"kind": "producer", "to": "t", "messages": ["a", {"id": "b", "at": "12s"}]},
        "t": {"kind": "log", "broker": "kafka"}, "w": {"kind": "worker", "from": "t"}},
        "breaks": ["0s pause w", "10s rewind w to 5s", "11s resume w"]}"#;
    let played = play_document(document, &[], &[]);
    assert_eq!((played.standing("a", "w"), played.standing("b", "w")), (Standing::Lost(Cause::BeganBehind), Standing::Done(1)));
}
