//! What a group of Kafka's gets to read when a transaction stays open, its offsets expire, or the log lets go of what it wanted.

mod play;

use play::{Played, play_document};
use redrive::observe::ledger::Standing;
use redrive::observe::record::Cause;

fn played(until: &str, producers: &str, log: &str, worker: &str, commands: &[&str]) -> Played {
    let document = format!(
        r#"{{"redrive": 1, "until": "{until}", "parts": {{ {producers},
            "t": {{"kind": "log", "broker": "kafka"{log}}}, "w": {{"kind": "worker", "from": "t", {worker}}}}}}}"#
    );
    play_document(&document, &[], commands)
}

/// Of the effect: once, twice, lost, still to come.
fn counts(played: &Played) -> [u64; 4] {
    let effect = played.effect("w");
    [effect.once, effect.twice, effect.lost, effect.pending]
}

#[test]
fn a_transaction_that_is_not_ended_is_aborted_after_its_timeout_and_holds_up_all_that_is_behind_it() {
    let open = |isolation: &str, until: &str| {
        let producers = r#""p": {"kind": "producer", "to": "t", "rate": "10/s", "limit": 12, "transaction": 5, "transaction_timeout": "20s"},
            "plain": {"kind": "producer", "to": "t", "rate": "1/s", "start": "2s", "limit": 10, "first_id": 100}"#;
        played(until, producers, "", &format!(r#""start_from": "earliest", "isolation": "{isolation}""#), &[])
    };
    assert_eq!(counts(&open("read_committed", "15s")), [10, 0, 0, 12]);
    let over = open("read_committed", "30s");
    assert_eq!(counts(&over), [20, 0, 2, 0]);
    assert_eq!([over.standing("10", "w"), over.standing("11", "w")], [Standing::Done(1), Standing::Lost(Cause::Aborted)]);
    assert_eq!(counts(&open("read_uncommitted", "15s")), [22, 0, 0, 0]);
}

const SECONDLY: &str = r#""p": {"kind": "producer", "to": "t", "rate": "1/s", "limit": 200}"#;

#[test]
fn a_group_that_was_away_begins_anew_only_once_its_offsets_have_expired() {
    let away = |start_from: &str, back: &str| {
        let worker = format!(r#""start_from": "{start_from}", "offsets.retention.minutes": "30s""#);
        counts(&played("300s", SECONDLY, "", &worker, &["60s scale w 0", back]))
    };
    for start_from in ["earliest", "latest", "none"] {
        assert_eq!(away(start_from, "80s scale w 1"), [200, 0, 0, 0], "{start_from}");
    }
    assert_eq!(away("earliest", "120s scale w 1"), [140, 60, 0, 0]);
    assert_eq!(away("latest", "120s scale w 1"), [140, 0, 60, 0]);
    assert_eq!(away("none", "120s scale w 1"), [60, 0, 0, 140]);
}

#[test]
fn a_group_whose_place_is_gone_goes_to_an_end_of_the_log_or_stops() {
    let behind = |start_from: &str| {
        let worker = format!(r#""start_from": "{start_from}""#);
        let log = r#", "segment": 10, "retention_bytes": 20000"#;
        counts(&played("300s", SECONDLY, log, &worker, &["60s pause w", "150s resume w"]))
    };
    // At 150 s the log begins with record 131; whom it set to its end then has missed what was there.
    assert_eq!(behind("earliest"), [130, 0, 70, 0]);
    assert_eq!(behind("latest"), [110, 0, 90, 0]);
    assert_eq!(behind("none"), [60, 0, 120, 20]);
}

#[test]
fn a_write_that_waits_for_all_needs_as_many_in_sync_as_are_asked_for() {
    let down = |min_insync: u64| {
        let log = format!(r#", "replicas": 3, "min.insync.replicas": {min_insync}, "restart": "60s""#);
        let producer = r#""p": {"kind": "producer", "to": "t", "rate": "10/s", "limit": 300}"#;
        let two = ["3s crash t", "4s crash t"];
        counts(&played("50s", producer, &log, r#""start_from": "earliest", "batch": 1, "work": "1ms""#, &two))
    };
    assert_eq!(down(1), [300, 0, 0, 0]);
    assert_eq!([down(2), down(3)], [[30, 0, 0, 270]; 2]);
}
