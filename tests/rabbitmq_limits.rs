//! What RabbitMQ queues do not keep: more than so many bytes, and themselves where nobody consumes them.

mod play;

use play::{Played, play_document, times_ms};
use redrive::observe::ledger::Standing;
use redrive::observe::record::{Cause, Kind};

/// A queue with these settings, a consumer and messages `A` to `H`, one each second; other parts may follow.
fn document(queue: &str, worker: &str, more: &str) -> String {
    let at = |(second, id): (usize, char)| format!(r#"{{"id": "{id}", "at": "{second}s"}}"#);
    let messages: Vec<String> = ('A'..='H').enumerate().map(at).collect();
    format!(
        r#"{{"redrive": 1, "until": "60s", "parts": {{
            "p": {{"kind": "producer", "to": "q", "attempts": 1, "messages": [{}]}},
            "q": {{"kind": "queue", {queue}}}, "dlq": {{"kind": "queue"}},
            "w": {{"kind": "worker", "from": "q"{worker}}}{more}}}}}"#,
        messages.join(", ")
    )
}

const NOBODY: &str = r#", "workers": 0"#;

/// What became of `A` to `H`: `w`aits, `d`ead letter, `r`efused, `D`one, `u`nroutable, gone with its queue (`q`), dropped (`f`).
fn ends(played: &Played) -> String {
    ('A'..='H')
        .map(|id| match played.standing(&id.to_string(), "w") {
            Standing::Pending => 'w',
            Standing::Dead => 'd',
            Standing::Done(1) => 'D',
            Standing::Lost(Cause::PublishGivenUp) => 'r',
            Standing::Lost(Cause::QueueFull) => 'f',
            Standing::Lost(Cause::Unroutable) => 'u',
            Standing::Lost(Cause::Unused) => 'q',
            other => panic!("{id}: {other:?}"),
        })
        .collect()
}

#[test]
fn a_queue_holds_so_many_bytes_or_so_many_messages_whichever_is_less() {
    let full = |kind: &str, limits: &str| {
        let queue = format!(r#""broker": "rabbitmq-{kind}", "dead_letters": "dlq", {limits}"#);
        ends(&play_document(&document(&queue, NOBODY, ""), &[], &[]))
    };
    let reject = r#", "x-overflow": "reject-publish""#;
    // Three messages of a thousand bytes, and not a fourth.
    assert_eq!(full("classic", r#""x-max-length-bytes": 3999"#), "dddddwww");
    assert_eq!(full("classic", &format!(r#""x-max-length-bytes": 3999{reject}"#)), "wwwrrrrr");
    assert_eq!(full("classic", r#""x-max-length-bytes": 3999, "x-overflow": "reject-publish-dlx""#), "wwwddddd");
    assert_eq!(full("quorum", r#""x-max-length-bytes": 3999"#), "dddddwww");
    // A quorum queue refuses one message late.
    assert_eq!(full("quorum", &format!(r#""x-max-length-bytes": 3999{reject}"#)), "wwwwrrrr");
    assert_eq!(full("classic", r#""x-max-length-bytes": 3999, "message_bytes": 500"#), "dwwwwwww");
    // With both limits, the one that is reached first.
    assert_eq!(full("classic", &format!(r#""x-max-length-bytes": 3000, "x-max-length": 5{reject}"#)), "wwwrrrrr");
    assert_eq!(full("classic", &format!(r#""x-max-length-bytes": 9000, "x-max-length": 2{reject}"#)), "wwrrrrrr");
    assert_eq!(full("quorum", r#""x-max-length-bytes": 9000, "x-max-length": 2"#), "ddddddww");
    // Set while it runs: what is too much makes room at once.
    let queue = document(r#""broker": "rabbitmq-classic""#, NOBODY, "");
    let set = |command: &str| ends(&play_document(&queue, &[], &[command]));
    assert_eq!(set("4500ms set q.x-max-length-bytes=2000"), "ffffffww");
    assert_eq!(set("9s set q.x-max-length-bytes=2000"), "ffffffww");
}

#[test]
fn a_quorum_queue_takes_again_at_four_fifths_of_both_limits() {
    // Six wait, then one is worked off each 900 ms: publishers may go on once four are left.
    let queue = r#""broker": "rabbitmq-quorum", "x-max-length-bytes": 5000, "x-overflow": "reject-publish", "prefetch": 1"#;
    let played = play_document(&document(queue, r#", "work": "10s", "workers": 1"#, ""), &[], &["7500ms set w.work=1ms"]);
    assert_eq!(ends(&played), "DDDDDDDr");
}

#[test]
fn a_queue_that_nobody_consumes_is_deleted_with_what_it_holds() {
    for kind in ["classic", "quorum"] {
        let queue = format!(r#""broker": "rabbitmq-{kind}", "dead_letters": "dlq", "x-expires": 3500"#);
        let played = |worker: &str, commands: &[&str]| play_document(&document(&queue, worker, ""), &[], commands);
        // Declared with the start and never consumed: deleted at 3.5 s, and nothing of it becomes a dead letter.
        let never = played(NOBODY, &[]);
        assert_eq!(ends(&never), "qqqquuuu");
        assert_eq!((never.newest("p", "produce_errors"), never.newest("q", "ready")), (0, 0), "confirmed and gone");
        assert_eq!(times_ms(&document(&queue, NOBODY, ""), "B", &[Kind::Dropped]), [3_500]);
        // One that is consumed stays, however little there is to do.
        assert_eq!(ends(&played("", &[])), "DDDDDDDD");
        // Whoever is back in time finds it.
        let back = r#", "restart": "3s""#;
        assert_eq!(ends(&played(back, &["1500ms crash w"])), "DDDDDDDD");
        // Whoever is late declares it anew: what was there and what came meanwhile is gone.
        let late = r#", "restart": "5s""#;
        assert_eq!(ends(&played(late, &["1500ms crash w"])), "DDqqquuD");
        // Scaled to nobody for good.
        assert_eq!(ends(&played("", &["1500ms scale w 0"])), "DDqqquuu");
        assert_eq!(ends(&played("", &["1500ms scale w 0", "4s set q.x-expires=1h"])), "DDwwwwww");
    }
}

#[test]
fn an_exchange_has_no_binding_for_a_queue_that_is_gone() {
    let routed = |more: &str, exchange: &str| {
        let text = format!(
            r#"{{"redrive": 1, "until": "60s", "parts": {{
                "p": {{"kind": "producer", "to": "x", "attempts": 1, "messages": [{{"id": "m", "at": "5s"}}] {more}}},
                "x": {{"kind": "exchange", {exchange}}},
                "q": {{"kind": "queue", "broker": "rabbitmq-classic", "x-expires": 1000}},
                "w": {{"kind": "worker", "from": "q", "workers": 0}},
                "other": {{"kind": "queue", "broker": "rabbitmq-classic"}}, "v": {{"kind": "worker", "from": "other"}}}}}}"#
        );
        let played = play_document(&text, &[], &[]);
        (played.standing("m", "w"), played.standing("m", "v"), played.newest("x", "unroutable"))
    };
    let gone = Standing::Lost(Cause::Unroutable);
    assert_eq!(routed("", r#""exchange": "fanout", "bindings": "q""#), (gone, Standing::Foreign, 1));
    // Who is bound beside it gets its copy.
    assert_eq!(routed("", r#""exchange": "fanout", "bindings": "q, other""#), (gone, Standing::Done(1), 0));
    let alternate = r#""exchange": "fanout", "bindings": "q", "alternate": "other""#;
    assert_eq!(routed("", alternate).1, Standing::Done(1));
    let (own, _, unroutable) = routed(r#", "mandatory": true"#, r#""exchange": "fanout", "bindings": "q""#);
    assert_eq!((own, unroutable), (Standing::Lost(Cause::PublishGivenUp), 1));
}

#[test]
fn what_is_sent_to_a_deleted_queue_comes_back_only_if_it_must_be_routed() {
    let queue = r#""broker": "rabbitmq-classic", "x-expires": 1500"#;
    let must = document(queue, NOBODY, "").replace(r#""attempts": 1"#, r#""attempts": 1, "mandatory": true"#);
    let played = play_document(&must, &[], &[]);
    assert_eq!((ends(&played).as_str(), played.highest("p", "produce_errors")), ("qqrrrrrr", 1));
    // A dead letter whose queue is gone is gone too.
    let more = r#", "gone": {"kind": "queue", "broker": "rabbitmq-classic", "x-expires": 1000},
        "v": {"kind": "worker", "from": "gone", "workers": 0, "effect": "w"}"#;
    let dead = r#""broker": "rabbitmq-classic", "x-message-ttl": 2000, "dead_letters": "gone""#;
    assert_eq!(ends(&play_document(&document(dead, NOBODY, more), &[], &[])), "uuuuuuuu");
}

#[test]
fn a_server_that_restarts_begins_the_time_anew() {
    let queue = r#""broker": "rabbitmq-classic", "x-expires": 3500"#;
    let text = document(queue, NOBODY, "");
    assert_eq!(
        times_ms(&text.replace(r#""parts""#, r#""breaks": ["2500ms break q", "3s mend q"], "parts""#), "B", &[Kind::Dropped]),
        [6_500]
    );
    assert_eq!(
        times_ms(&text.replace(r#""parts""#, r#""breaks": ["2500ms break q", "20s mend q"], "parts""#), "B", &[Kind::Dropped]),
        [23_500]
    );
}
