//! What a log keeps: the newest record of every key, old segments in remote storage.

mod play;
mod refused;

use play::{Played, play_document};
use redrive::observe::ledger::Standing;
use redrive::observe::record::Cause;
use redrive::view::{BodyView, TokenShape};

/// A reader that stands still and comes back 10 s before the end, on a log that is written to by hand.
fn behind(log: &str, messages: &str, until_s: u64) -> Played {
    let document = format!(
        r#"{{"redrive": 1, "until": "{until_s}s", "parts": {{
            "p": {{"kind": "producer", "to": "t", "messages": [{messages}]}},
            "t": {{"kind": "log", "broker": "kafka", {log}}},
            "w": {{"kind": "worker", "from": "t", "start_from": "earliest", "batch": 100, "work": "1ms"}}}},
            "breaks": ["0s pause w", "{}s resume w"]}}"#,
        until_s - 10
    );
    play_document(&document, &[], &[])
}

/// What the reader got, and what of the rest is gone because it was compacted.
fn check(played: &Played, ids: &[&str], got: &str) {
    let is = |id: &&&str, standing| played.standing(id, "w") == standing;
    let done: Vec<&str> = ids.iter().filter(|id| is(id, Standing::Done(1))).copied().collect();
    assert_eq!(done.join(" "), got);
    let gone = ids.iter().filter(|id| is(id, Standing::Lost(Cause::Compacted))).count();
    assert_eq!(done.len() + gone, ids.len(), "each was read or compacted");
}

const STORY: &str = r#"{"id": "a1", "key": 1}, {"id": "b1", "key": 2}, {"id": "a2", "key": 1}, {"id": "c1", "key": 3},
    {"id": "b2", "key": 2, "tombstone": true}, {"id": "a3", "key": 1}, {"id": "d1", "key": 4, "at": "20s"}"#;
const IDS: [&str; 7] = ["a1", "b1", "a2", "c1", "b2", "a3", "d1"];

#[test]
fn who_is_behind_gets_only_the_newest_of_each_key() {
    let log = r#""cleanup.policy": "compact", "segment.ms": 10000"#;
    check(&behind(log, STORY, 60), &IDS, "c1 b2 a3 d1");
    // The active segment is left alone: here all of it is one.
    check(&behind(r#""cleanup.policy": "compact""#, STORY, 60), &IDS, "a1 b1 a2 c1 b2 a3 d1");
    // Nothing is done before enough is new, nor with what is too young.
    let young = r#""cleanup.policy": "compact", "segment.ms": 10000, "min.compaction.lag.ms": 45000"#;
    check(&behind(young, STORY, 50), &IDS, "a1 b1 a2 c1 b2 a3 d1");
    check(&behind(young, STORY, 80), &IDS, "c1 b2 a3 d1");
    // At 60 s the records of the first moment are old enough, and one of 20 s shares their segment.
    let shared = r#""cleanup.policy": "compact", "segment.ms": 25000, "min.compaction.lag.ms": 45000"#;
    let news = format!(r#"{STORY}, {{"id": "d2", "key": 4, "at": "30s"}}"#);
    let ids: Vec<&str> = IDS.into_iter().chain(["d2"]).collect();
    check(&behind(shared, &news, 70), &ids, "a1 b1 a2 c1 b2 a3 d1 d2");
    check(&behind(shared, &news, 90), &ids, "c1 b2 a3 d1 d2");
    // More than half of it has to be new: exactly half is not enough.
    let ratio = |ratio: &str| format!(r#""cleanup": "compact", "segment": 6, "dirty_ratio": "{ratio}""#);
    let half = format!(
        r#"{STORY}, {}"#,
        r#"{"id": "a4", "key": 1, "at": "40s"}, {"id": "b4", "key": 2}, {"id": "e1", "key": 5}, {"id": "e2", "key": 5}, {"id": "e3", "key": 5}, {"id": "e4", "key": 5}"#
    );
    let ids: Vec<&str> = IDS.into_iter().chain(["a4", "b4", "e1", "e2", "e3", "e4"]).collect();
    check(&behind(&ratio("66.6%"), &half, 90), &ids, "c1 d1 a4 b4 e3 e4");
    check(&behind(&ratio("67%"), &half, 90), &ids, "c1 b2 a3 d1 a4 b4 e1 e2 e3 e4");
    // Time alone does nothing to a log that is only compacted.
    let old = r#""cleanup.policy": "compact", "segment.ms": 10000, "retention.ms": 1000"#;
    check(&behind(old, STORY, 60), &IDS, "c1 b2 a3 d1");
}

#[test]
fn a_tombstone_goes_some_time_after_the_pass_that_met_it() {
    // Met at 30 s; from 50 s on it may go with the next pass, which begins once something is new.
    let log =
        r#""cleanup.policy": "compact", "segment.ms": 10000, "delete.retention.ms": 20000, "min.cleanable.dirty.ratio": 0.1"#;
    let news = format!(r#"{STORY}, {{"id": "d2", "key": 4, "at": "65s"}}"#);
    let ids: Vec<&str> = IDS.into_iter().chain(["d2"]).collect();
    check(&behind(log, &news, 70), &ids, "c1 b2 a3 d1 d2");
    check(&behind(log, &news, 90), &ids, "c1 a3 d1 d2");
}

#[test]
fn a_pass_waits_until_enough_is_new() {
    let news = format!(r#"{STORY}, {{"id": "d2", "key": 4, "at": "40s"}}, {{"id": "e1", "key": 5, "at": "60s"}}"#);
    let ids: Vec<&str> = IDS.into_iter().chain(["d2", "e1"]).collect();
    let log = r#""cleanup.policy": "compact", "segment.ms": 10000"#;
    // After the first pass three records are clean and two of five new: with half it stays, with a third it goes.
    check(&behind(log, &news, 100), &ids, "c1 b2 a3 d1 d2 e1");
    let third = format!(r#"{log}, "min.cleanable.dirty.ratio": "0.33""#);
    check(&behind(&third, &news, 100), &ids, "c1 b2 a3 d2 e1");
    let waited = format!(r#"{log}, "max.compaction.lag.ms": 30000"#);
    check(&behind(&waited, &news, 100), &ids, "c1 b2 a3 d2 e1");
}

#[test]
fn an_aborted_record_replaces_none() {
    let document = r#"{"redrive": 1, "until": "90s", "parts": {
        "p": {"kind": "producer", "to": "t", "messages": [{"id": "a1", "key": 1}]},
        "q": {"kind": "producer", "to": "t", "first_id": 100, "transaction": 5, "transaction_timeout": "5s",
            "messages": [{"id": "a2", "key": 1, "at": "1s"}]},
        "r": {"kind": "producer", "to": "t", "first_id": 200, "messages": [{"id": "b1", "key": 2, "at": "20s"}]},
        "t": {"kind": "log", "broker": "kafka", "cleanup.policy": "compact", "segment.ms": 10000},
        "w": {"kind": "worker", "from": "t", "start_from": "earliest", "isolation.level": "read_committed"}},
        "breaks": ["0s pause w", "80s resume w"]}"#;
    let played = play_document(document, &[], &[]);
    assert_eq!(played.standing("a1", "w"), Standing::Done(1));
    assert_eq!(played.standing("a2", "w"), Standing::Lost(Cause::Aborted));
}

#[test]
fn a_group_that_is_set_back_reads_what_is_left() {
    let document = format!(
        r#"{{"redrive": 1, "until": "60s", "parts": {{
            "p": {{"kind": "producer", "to": "t", "messages": [{STORY}]}},
            "t": {{"kind": "log", "broker": "kafka", "cleanup.policy": "compact", "segment.ms": 10000}},
            "w": {{"kind": "worker", "from": "t", "start_from": "earliest"}}}}, "breaks": ["50s rewind w to 0"]}}"#
    );
    let played = play_document(&document, &[], &[]);
    let twice: Vec<&str> = IDS.into_iter().filter(|id| played.standing(id, "w") == Standing::Done(2)).collect();
    assert_eq!(twice.join(" "), "c1 b2 a3 d1");
    assert_eq!(played.newest("t", "records"), 4);
    // Drawn as places without an id.
    let stage = played.world.stage(0);
    let BodyView::Log { partitions, .. } = &stage.parts[1].body else { panic!("a log is drawn as one") };
    let cells: Vec<&str> = partitions[0].cells.iter().map(|cell| cell.label.as_str()).collect();
    assert_eq!(cells, ["", "", "", "c1", "b2", "a3", "d1"]);
    let gone = partitions[0].cells.iter().take_while(|cell| cell.shape == TokenShape::Gone).count();
    assert_eq!(gone, 3, "and not as a message that was poison, or lost");
}

/// A hundred records, one a second; the reader comes back after 120 s. How many it got, and when it had them all.
fn tiered(log: &str) -> (u64, u64) {
    let document = format!(
        r#"{{"redrive": 1, "until": "180s", "parts": {{
            "p": {{"kind": "producer", "to": "t", "rate": "1/s", "limit": 100}},
            "t": {{"kind": "log", "broker": "kafka", "segment": 10, "remote_read": "2s", {log}}},
            "w": {{"kind": "worker", "from": "t", "start_from": "earliest", "batch": 500, "work": "1ms"}}}},
            "breaks": ["0s pause w", "120s resume w"]}}"#
    );
    let played = play_document(&document, &[], &[]);
    let lag = &played.world.board.series[2][6];
    let behind = lag.iter().filter(|lag| **lag > 0).count() as u64;
    (played.effect("w").once, behind / 10)
}

#[test]
fn what_only_remote_storage_has_takes_longer_and_retention_alone_loses() {
    // All of it is on the disk: it is read at once.
    assert_eq!(tiered(r#""retention.ms": -1"#), (100, 120));
    // Retention has dropped thirty when the reader comes back.
    assert_eq!(tiered(r#""retention.ms": 90000"#), (70, 120));
    // All ten segments are in remote storage alone, and are fetched one by one.
    assert_eq!(tiered(r#""retention.ms": -1, "remote.storage.enable": true, "local.retention.ms": 20000"#), (100, 140));
    assert_eq!(tiered(r#""retention.ms": 90000, "remote.storage.enable": true, "local.retention.ms": 20000"#), (70, 134));
    // Without a limit of its own the disk keeps what the log keeps.
    assert_eq!(tiered(r#""retention.ms": 90000, "remote.storage.enable": true, "local.retention.ms": -2"#), (70, 120));
}

#[test]
fn bytes_close_segments_and_are_kept() {
    // 100 records of 1,000 bytes in segments of 10: the last 25 kB and what completes a segment.
    assert_eq!(tiered(r#""segment.bytes": 10000, "retention.bytes": 25000, "retention.ms": -1"#).0, 30);
    assert_eq!(tiered(r#""segment.bytes": 5000, "retention.bytes": 25000"#).0, 25);
}

#[test]
fn a_compacted_log_is_not_in_remote_storage() {
    let document = r#"{"redrive": 1, "parts": {"p": {"kind": "producer", "to": "t"},
        "t": {"kind": "log", "broker": "kafka", "cleanup.policy": "compact", "remote.storage.enable": true}}}"#;
    let expect = "parts.t.remote: a compacted log is not kept in remote storage; allowed: false, or `cleanup`: delete";
    refused::check(&["check", "-"], document, expect);
}
