//! Members of Kafka's groups at work in a scenario: who comes back to its place, who is refused, and who takes over.

mod play;
mod refused;

use play::{captured, given_ms, play_document};
use redrive::observe::ledger::Standing;
use redrive::observe::record::{Cause, Kind};
use redrive::observe::words::Names;
use refused::check;

/// Three members on six partitions, one of which dies at 10 s and is away for so long; with these settings of theirs.
fn document(worker: &str) -> String {
    format!(
        r#"{{"redrive": 1, "until": "40s", "breaks": ["10s crash w"], "parts": {{
            "p": {{"kind": "producer", "to": "t", "rate": "20/s", "keys": 50}},
            "t": {{"kind": "log", "broker": "kafka", "partitions": 6}},
            "w": {{"kind": "worker", "from": "t", "workers": 3, "start_from": "earliest", "session": "10s", {worker}}}}}}}"#
    )
}

/// What the group does from the crash on, a line a record, with whole seconds.
fn story(worker: &str) -> Vec<String> {
    let (world, records) = captured(&document(worker));
    let kinds = [
        Kind::Restarted,
        Kind::NameTaken,
        Kind::Evicted,
        Kind::PartitionAssigned,
        Kind::PartitionRevoked,
        Kind::PartitionLost,
        Kind::RebalanceBegan,
    ];
    let told = records.iter().filter(|record| record.at_us > 10_000_000 && kinds.contains(&record.kind));
    told.map(|record| format!("{} {}", record.at_us / 1_000_000, Names::new(&world).line(record))).collect()
}

#[test]
fn a_static_member_within_its_session_is_back_in_its_place() {
    for (protocol, restart) in [("eager", 5), ("cooperative", 5), ("cooperative", 9)] {
        let back = story(&format!(r#""protocol": "{protocol}", "static_members": true, "restart": "{restart}s""#));
        let (at, first, second) = (10 + restart, 0, if protocol == "eager" { 1 } else { 3 });
        let reads = |partition| format!("{at} w A reads partition {partition}");
        assert_eq!(back, [format!("{at} w A is back"), reads(first), reads(second)], "{protocol}");
    }
}

#[test]
fn a_static_member_after_its_session_is_a_new_one() {
    let late = story(r#""protocol": "cooperative", "static_members": true, "restart": "15s""#);
    assert_eq!(late[..3], ["19 w A is taken for dead", "21 w B reads partition 0", "21 w C reads partition 3"]);
    assert_eq!(late[3..5], ["25 w A is back", "27 w B gives up partition 4"]);
}

/// KIP-848: only who has left with epoch -2 leaves its name behind; to the client `UNRELEASED_INSTANCE_ID` is fatal.
#[test]
fn the_new_protocol_refuses_the_name_of_a_member_that_died_until_its_session_is_over() {
    let refused = story(r#""protocol": "kip848", "static_members": true, "restart": "5s""#);
    let until_taken_over = [
        "15 w A is back",
        "15 w A is refused: who had its name has not left the group",
        "20 w A is taken for dead",
        "20 w B reads partition 0",
        "20 w C reads partition 1",
        "20 w A is back",
    ];
    assert_eq!(refused[..6], until_taken_over);
    assert!(refused.contains(&"30 w A reads partition 4".into()), "{refused:?}");
    // Without a name it is a new member at once.
    let dynamic = story(r#""protocol": "kip848", "restart": "5s""#);
    assert!(dynamic.iter().all(|line| !line.contains("refused")), "{dynamic:?}");
    let taken_over = dynamic.iter().position(|line| line == "20 w A is taken for dead");
    assert!(taken_over.is_some_and(|at| at > 0), "{dynamic:?}");
}

/// `group.consumer.heartbeat.interval.ms` is 5 s where `heartbeat.interval.ms` is 3 s.
#[test]
fn a_member_of_the_new_protocol_hears_of_a_newcomer_every_five_seconds() {
    let newcomer = |protocol: &str| {
        let text = document(&format!(r#""protocol": "{protocol}""#)).replace("10s crash w", "11s scale w 4");
        let (_, records) = captured(&text);
        let mut revoked = records.iter().filter(|record| record.kind == Kind::PartitionRevoked && record.at_us > 11_000_000);
        revoked.next().map(|record| record.at_us / 1_000_000)
    };
    assert_eq!([newcomer("cooperative"), newcomer("kip848")], [Some(12), Some(15)]);
}

#[test]
fn a_heartbeat_that_is_no_shorter_than_the_session_is_refused() {
    let fault = |worker: &str, expect: &str| check(&["check", "-"], &document(worker), expect);
    fault(
        r#""heartbeat_interval": "10s""#,
        "parts.w.heartbeat_interval: a heartbeat every 10s is not shorter than `session`, 10s; allowed: less than `session`",
    );
    let short = document(r#""protocol": "kip848""#).replace(r#""session": "10s""#, r#""session": "4s""#);
    check(
        &["check", "-"],
        &short,
        "parts.w.heartbeat_interval: a heartbeat every 5s is not shorter than `session`, 4s; allowed: less than `session`",
    );
}

/// `group.share.delivery.count.limit` is 5 and cannot be switched off.
#[test]
fn a_share_group_without_a_limit_of_its_own_has_the_brokers() {
    let given = |limit: &str| {
        let text = format!(
            r#"{{"redrive": 1, "until": "10m", "parts": {{
                "p": {{"kind": "producer", "to": "q", "messages": [{{"id": "a", "poison": true}}]}},
                "q": {{"kind": "queue", "broker": "kafka-share"{limit}}},
                "w": {{"kind": "worker", "from": "q"}}}}}}"#
        );
        assert_eq!(play_document(&text, &[], &[]).standing("a", "w"), Standing::Lost(Cause::TooOften));
        given_ms(&text, "a").len()
    };
    assert_eq!([given(""), given(r#", "max_receives": 0"#), given(r#", "max_receives": 2"#)], [5, 5, 2]);
}
