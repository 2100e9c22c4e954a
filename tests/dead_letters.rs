//! Dead letters of quorum queues that stay until their target has confirmed them (`x-dead-letter-strategy=at-least-once`).

mod play;

use play::{Played, captured, play_document, times_ms};
use proptest::prelude::*;
use redrive::observe::findings::FindingKind;
use redrive::observe::ledger::Standing;
use redrive::observe::record::{Cause, Kind};

/// Messages that a consumer rejects, one each second, a quorum queue with these settings, and where its dead letters go.
fn document(queue: &str, target: &str) -> String {
    let at = |(second, id): (usize, char)| format!(r#"{{"id": "{id}", "at": "{second}s", "poison": true}}"#);
    let messages: Vec<String> = ('A'..='F').enumerate().map(at).collect();
    format!(
        r#"{{"redrive": 1, "until": "10m", "parts": {{
            "p": {{"kind": "producer", "to": "q", "attempts": 1, "messages": [{}]}},
            "q": {{"kind": "queue", "broker": "rabbitmq-quorum", "dead_letters": "dlq", {queue}}},
            "w": {{"kind": "worker", "from": "q", "work": "10ms", "failure": "reject", "effect": "e"}},
            "dlq": {{"kind": "queue", {target}}},
            "v": {{"kind": "worker", "from": "dlq", "workers": 0, "effect": "e"}}}}}}"#,
        messages.join(", ")
    )
}

const SURE: &str = r#""x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish""#;
const ONCE: &str = r#""x-dead-letter-strategy": "at-most-once", "x-overflow": "reject-publish""#;
const CLASSIC: &str = r#""broker": "rabbitmq-classic""#;

/// In the queue, in its target, and lost.
fn ends(played: &Played) -> (u64, u64, u64) {
    (played.newest("q", "ready"), played.newest("dlq", "ready"), played.effect("e").lost)
}

#[test]
fn a_target_that_is_down_gets_it_once_it_is_back() {
    let breaks = ["1500ms break dlq", "4500ms mend dlq"];
    // B to D come while it is down: 2.015 s is the rejection of C.
    assert_eq!(ends(&play_document(&document(ONCE, CLASSIC), &[], &breaks)), (0, 3, 3));
    let sure = play_document(&document(SURE, CLASSIC), &[], &breaks);
    assert_eq!(ends(&sure), (0, 6, 0));
    assert!(sure.world.observer.findings.found().iter().all(|finding| finding.kind != FindingKind::Redelivered));
    let moved = |id: &str| {
        let broken =
            document(SURE, CLASSIC).replace(r#""parts""#, r#""breaks": ["1500ms break dlq", "4500ms mend dlq"], "parts""#);
        times_ms(&broken, id, &[Kind::LeftHands, Kind::LeftQueue])
    };
    // C is sent again three minutes later, and not when the target is back; the others went at once.
    assert_eq!(["A", "B", "C", "D", "E", "F"].map(|id| moved(id)[0]), [15, 1_015, 182_015, 183_015, 184_015, 5_015]);
    let sooner = format!(r#"{SURE}, "dead_letter_worker_publisher_confirm_timeout": 3000"#);
    let sooner =
        document(&sooner, CLASSIC).replace(r#""parts""#, r#""breaks": ["1500ms break dlq", "4500ms mend dlq"], "parts""#);
    assert_eq!(times_ms(&sooner, "C", &[Kind::LeftQueue]), [5_015]);
}

#[test]
fn a_target_that_refuses_or_is_missing_loses_none() {
    for kind in ["classic", "quorum"] {
        let full = format!(r#""broker": "rabbitmq-{kind}", "x-max-length": 2, "x-overflow": "reject-publish""#);
        // A quorum queue takes one more than it should, and dead letters that nobody confirms without a limit.
        let (lost, room) = if kind == "classic" { (4, 2) } else { (0, 6) };
        assert_eq!(ends(&play_document(&document(ONCE, &full), &[], &[])), (0, room, lost), "{kind}");
        let room = if kind == "classic" { 2 } else { 3 };
        assert_eq!(ends(&play_document(&document(SURE, &full), &[], &[])), (6 - room, room, 0), "{kind}");
        let more = ["20s set dlq.x-max-length=100"];
        assert_eq!(ends(&play_document(&document(SURE, &full), &[], &more)), (0, 6, 0), "{kind}");
    }
    let gone = format!(r#"{CLASSIC}, "x-expires": 500"#);
    // A is there before the target is deleted, and goes with it.
    assert_eq!(ends(&play_document(&document(ONCE, &gone), &[], &[])), (0, 0, 6));
    assert_eq!(ends(&play_document(&document(SURE, &gone), &[], &[])), (5, 0, 1));
    // Someone declares it anew.
    assert_eq!(ends(&play_document(&document(SURE, &gone), &[], &["20s scale v 1"])).0, 0);
}

#[test]
fn without_reject_publish_it_falls_back_to_at_most_once() {
    let drop_head = r#""x-dead-letter-strategy": "at-least-once""#;
    let breaks = ["1500ms break dlq", "4500ms mend dlq"];
    assert_eq!(ends(&play_document(&document(drop_head, CLASSIC), &[], &breaks)), (0, 3, 3));
}

#[test]
fn what_stays_counts_against_the_limit_of_its_queue() {
    // Three stay, and the queue refuses: one late, as a quorum queue does.
    let limited = format!(r#"{SURE}, "x-max-length": 2"#);
    let down = play_document(&document(&limited, CLASSIC), &[], &["0s break dlq"]);
    assert_eq!(ends(&down), (3, 0, 3));
    let standings = ["A", "C", "D", "F"].map(|id| down.standing(id, "e"));
    let (kept, refused) = (Standing::Pending, Standing::Lost(Cause::PublishGivenUp));
    assert_eq!(standings, [kept, kept, refused, refused]);
    // What is told of one: it stays, and nobody gets it again.
    let text = document(SURE, CLASSIC).replace(r#""parts""#, r#""breaks": ["0s break dlq"], "parts""#);
    let records = captured(&text).1;
    assert_eq!(records.iter().filter(|record| record.kind == Kind::Received).count(), 6);
}

#[test]
fn those_that_expire_stay_as_well_and_no_more_than_thirty_two_are_tried_at_once() {
    let text = format!(
        r#"{{"redrive": 1, "until": "10m", "parts": {{
            "p": {{"kind": "producer", "to": "q", "rate": "100/s", "limit": 100}},
            "q": {{"kind": "queue", "broker": "rabbitmq-quorum", "dead_letters": "dlq", "x-message-ttl": 1000, {SURE}}},
            "w": {{"kind": "worker", "from": "q", "workers": 0, "effect": "e"}},
            "dlq": {{"kind": "queue", {CLASSIC}}}, "v": {{"kind": "worker", "from": "dlq", "workers": 0, "effect": "e"}}}}}}"#
    );
    let down = play_document(&text, &[], &["0s break dlq", "100s mend dlq"]);
    assert_eq!(ends(&down), (0, 100, 0));
    let text = text.replace(r#""parts""#, r#""breaks": ["0s break dlq", "100s mend dlq"], "parts""#);
    let left: Vec<u64> =
        captured(&text).1.iter().filter(|record| record.kind == Kind::LeftQueue).map(|record| record.at_us / 1_000_000).collect();
    // The first one that is confirmed lets those behind the first thirty-two go.
    assert_eq!((left.len(), left[0], left[99]), (100, 181, 181));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_or_doubled_on_the_way_to_the_dead_letters(
        quorum: bool, ttl: bool, faults in prop::collection::vec((0..30_000_u64, 0..8_usize), 0..8),
    ) {
        let target = if quorum { r#""broker": "rabbitmq-quorum""# } else { CLASSIC };
        let queue = format!(
            r#"{SURE}, "dead_letter_retry": "2s", "x-max-length": 4 {}"#,
            if ttl { r#", "x-message-ttl": 300"# } else { "" }
        );
        let words = ["break dlq", "mend dlq", "crash dlq", "crash q", "break q", "mend q", "crash w", "set dlq.max_length=1"];
        let words = words.map(|word| if word == "crash dlq" && !quorum { "mend dlq" } else { word });
        let document = document(&queue, target)
            .replace(r#""attempts": 1, "messages": ["#, r#""retry": "1s", "messages": ["#)
            .replace(r#""kind": "queue", "broker": "rabbitmq"#, r#""kind": "queue", "overflow": "reject-publish", "broker": "rabbitmq"#)
            .replace(&format!(r#", {SURE}"#), r#", "x-dead-letter-strategy": "at-least-once""#);
        let commands: Vec<String> = faults.iter().map(|(at_ms, which)| format!("{at_ms}ms {}", words[*which]))
            .chain(["60s mend dlq".into(), "60s mend q".into(), "60s set dlq.max_length=0".into()]).collect();
        let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
        let played = play_document(&document, &[], &commands);
        let effect = played.effect("e");
        prop_assert_eq!((played.newest("q", "ready"), effect.lost), (0, 0));
        prop_assert!(played.newest("dlq", "ready") >= 6, "{}", played.newest("dlq", "ready"));
    }
}
