//! Who reads a log or a table, and how: groups that come later, records without keys, rows that others have locked.

mod play;

use play::{captured, given_ms, play_document};
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
    // Sixteen kilobytes at a time, or one record.
    assert_eq!(taken("sticky"), [27, 16, 17]);
    assert_eq!(taken("round-robin"), [20, 20, 20]);
}

#[test]
fn without_skip_locked_a_claim_waits_for_the_rows_of_another() {
    let document = |more: &str| {
        format!(
            r#"{{"redrive": 1, "until": "60s", "parts": {{
                "p": {{"kind": "producer", "to": "q", "messages": ["1", "2", "3", "4"]}},
                "q": {{"kind": "queue", "broker": "postgres-table", "claim": "transaction"{more}}},
                "w": {{"kind": "worker", "from": "q", "workers": 2, "batch": 2, "work": "5s", "restart": "10m"}}}},
                "breaks": ["0s pause w", "1s resume w", "3s crash w"]}}"#
        )
    };
    let given = |more: &str| ["1", "2", "3", "4"].map(|id| given_ms(&document(more), id));
    // The rows of a backend that is killed are free at once.
    assert_eq!(given(""), [vec![1000, 11_000], vec![1000, 11_000], vec![1000], vec![1000]]);
    assert_eq!(given(r#", "SKIP LOCKED": false"#), [vec![1000, 3000], vec![1000, 3000], vec![13_000], vec![13_000]]);
}
