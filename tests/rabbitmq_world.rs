//! RabbitMQ at work in a scenario, under its own names.

mod play;
mod refused;

use play::{Played, play_document, times_ms};
use redrive::observe::ledger::Standing;
use redrive::observe::record::{Cause, Kind};

/// A queue with these arguments, a consumer and listed messages; other parts may follow.
fn document(queue: &str, messages: &str, worker: &str, more: &str) -> String {
    format!(
        r#"{{"redrive": 1, "until": "60s", "parts": {{
            "p": {{"kind": "producer", "to": "q", "attempts": 1, "messages": [{messages}]}},
            "q": {{"kind": "queue", {queue}}}, "dlq": {{"kind": "queue"}},
            "w": {{"kind": "worker", "from": "q"{worker}}}{more}}}}}"#
    )
}

fn standings(played: &Played, ids: &str) -> Vec<Standing> {
    ids.split(' ').map(|id| played.standing(id, "w")).collect()
}

#[test]
fn what_a_full_queue_refuses_may_become_a_dead_letter() {
    let full = |overflow: &str| {
        let queue = format!(
            r#""x-queue-type": "classic", "x-max-length": 3, "x-overflow": "{overflow}",
            "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dlq""#
        );
        let played = play_document(&document(&queue, r#""A", "B", "C", "D", "E""#, r#", "workers": 0"#, ""), &[], &[]);
        (standings(&played, "A B C D E"), played.newest("p", "produce_errors"))
    };
    let (lost, dead, waits) = (Standing::Lost(Cause::PublishGivenUp), Standing::Dead, Standing::Pending);
    assert_eq!(full("reject-publish").0, [waits, waits, waits, lost, lost]);
    assert_eq!(full("reject-publish-dlx").0, [waits, waits, waits, dead, dead]);
    assert_eq!(full("drop-head").0, [dead, dead, waits, waits, waits]);
    let quorum = document(r#""x-queue-type": "quorum", "x-overflow": "reject-publish-dlx""#, r#""A""#, "", "");
    let expect = "parts.q.overflow: a quorum queue does not know reject-publish-dlx; allowed: drop-head, reject-publish";
    refused::check(&["check", "-"], &quorum, expect);
}

#[test]
fn a_retry_loop_goes_round_as_long_as_someone_rejects() {
    let retry = r#", "retry": {"kind": "queue", "broker": "rabbitmq-classic", "x-message-ttl": 1000, "dead_letters": "q"}"#;
    let text = document(
        r#""broker": "rabbitmq-quorum", "x-delivery-limit": 2, "dead_letters": "retry""#,
        r#"{"id": "A", "poison": true}"#,
        r#", "failure": "reject", "work": "100ms""#,
        retry,
    );
    // Each lap is the work and the time to live; the delivery limit counts from nought again each lap.
    assert_eq!(times_ms(&text, "A", &[Kind::WorkFailed])[..4], [105, 1205, 2305, 3405]);
    let played = play_document(&text, &[], &[]);
    assert_eq!(played.standing("A", "w"), Standing::Pending);
    assert!(!played.world.board.alerts.iter().any(|alert| alert.spec.part == "retry" && alert.spec.rule == "dlq-depth"));
}

#[test]
fn a_loop_without_a_rejection_ends_the_message() {
    let retry = r#", "retry": {"kind": "queue", "broker": "rabbitmq-classic", "x-message-ttl": 1000, "dead_letters": "q"}"#;
    let queue = r#""broker": "rabbitmq-classic", "x-message-ttl": 500, "dead_letters": "retry""#;
    let text = document(queue, r#""A""#, r#", "workers": 0"#, retry);
    assert_eq!(times_ms(&text, "A", &[Kind::Dropped]), [1505]);
    assert_eq!(play_document(&text, &[], &[]).standing("A", "w"), Standing::Lost(Cause::WentRound));
}

#[test]
fn a_dead_letter_that_a_full_queue_refuses_is_gone() {
    let more = r#", "full": {"kind": "queue", "broker": "rabbitmq-classic", "x-max-length": 1, "x-overflow": "reject-publish"},
        "v": {"kind": "worker", "from": "full", "workers": 0, "effect": "w"}"#;
    let queue = r#""broker": "rabbitmq-classic", "x-message-ttl": 500, "dead_letters": "full""#;
    let played = play_document(&document(queue, r#""A", "B""#, r#", "workers": 0"#, more), &[], &[]);
    assert_eq!(standings(&played, "A B"), [Standing::Pending, Standing::Lost(Cause::QueueFull)]);
    // The same where the consumer moves them there itself.
    let queue = r#""broker": "rabbitmq-classic", "x-max-length": 9"#;
    let messages = r#"{"id": "A", "poison": true}, {"id": "B", "poison": true}"#;
    let played = play_document(&document(queue, messages, r#", "dead_letters": "full""#, more), &[], &[]);
    assert_eq!(standings(&played, "A B"), [Standing::Pending, Standing::Lost(Cause::QueueFull)]);
}

#[test]
fn a_dead_letter_that_is_refused_when_it_is_sent_back_stays_where_it_is() {
    let queue = r#""broker": "rabbitmq-classic", "dead_letters": "dlq", "x-max-length": 1, "x-overflow": "reject-publish""#;
    let messages =
        r#"{"id": "A", "poison": true}, {"id": "B", "poison": true, "at": "1s"}, {"id": "C", "poison": true, "at": "2s"}"#;
    let text = document(queue, messages, r#", "failure": "reject""#, "");
    let played = play_document(&text, &[], &["10s pause w", "20s redrive dlq"]);
    assert_eq!(standings(&played, "A B C"), [Standing::Pending, Standing::Dead, Standing::Dead]);
    assert_eq!((played.newest("q", "ready"), played.newest("dlq", "ready")), (1, 2));
}

#[test]
fn a_time_to_live_of_its_own_holds_where_it_is_less_and_only_at_the_head() {
    let moved = |queue: &str, fact: &str| {
        let messages = r#"{"id": "slow", "ttl": "3s"}, {"id": "fast", "ttl": "500ms"}"#;
        let queue = format!(r#""broker": "rabbitmq-classic", "dead_letters": "dlq"{queue}"#);
        times_ms(&document(&queue, messages, r#", "workers": 0"#, ""), fact, &[Kind::LeftQueue])
    };
    assert_eq!((moved("", "slow"), moved("", "fast")), (vec![3005], vec![3005]));
    let less = r#", "x-message-ttl": 1000"#;
    assert_eq!((moved(less, "slow"), moved(less, "fast")), (vec![1005], vec![1005]));
    // Under RabbitMQ's name, for all that a producer sends.
    let text = document(r#""broker": "rabbitmq-quorum", "dead_letters": "dlq""#, r#""A""#, r#", "workers": 0"#, "")
        .replace(r#""attempts": 1"#, r#""expiration": "700""#);
    assert_eq!(times_ms(&text, "A", &[Kind::LeftQueue]), [705]);
}

#[test]
fn a_message_has_a_priority_and_a_routing_key_of_its_own() {
    let messages =
        r#"{"id": "a", "priority": 1}, {"id": "b", "priority": 5}, {"id": "c", "priority": 9}, {"id": "d", "priority": 5}"#;
    let queue = r#""broker": "rabbitmq-classic", "x-max-priority": 9, "prefetch_count": 1"#;
    let text = document(queue, messages, r#", "work": "1s""#, "");
    let at = |id| times_ms(&text, id, &[Kind::Effect])[0] / 1_000;
    assert_eq!(["a", "b", "c", "d"].map(at), [1, 3, 2, 4]);
    let routed = r#"{"redrive": 1, "parts": {"p": {"kind": "producer", "to": "x", "messages": [{"id": "m", "routing": "order.created"}]},
        "x": {"kind": "exchange", "exchange": "topic", "bindings": "q1 order.*, q2 user.*"},
        "q1": {"kind": "queue"}, "q2": {"kind": "queue"},
        "w": {"kind": "worker", "from": "q1"}, "v": {"kind": "worker", "from": "q2"}}}"#;
    let played = play_document(routed, &[], &[]);
    assert_eq!((played.standing("m", "w"), played.standing("m", "v")), (Standing::Done(1), Standing::Foreign));
}

#[test]
fn a_headers_exchange_compares_headers() {
    let taken = |bindings: &str, headers: &str| {
        let text = format!(
            r#"{{"redrive": 1, "parts": {{
                "p": {{"kind": "producer", "to": "x", "messages": [{{"id": "m", "routing": "{headers}"}}]}},
                "x": {{"kind": "exchange", "exchange": "headers", "bindings": "{bindings}"}},
                "q1": {{"kind": "queue"}}, "q2": {{"kind": "queue"}},
                "w": {{"kind": "worker", "from": "q1"}}, "v": {{"kind": "worker", "from": "q2"}}}}}}"#
        );
        let played = play_document(&text, &[], &[]);
        (played.standing("m", "w") == Standing::Done(1), played.standing("m", "v") == Standing::Done(1))
    };
    let by_type = "q1 type=invoice&format=pdf, q2 x-match=any&type=invoice&format=pdf";
    assert_eq!(taken(by_type, "type=invoice&format=pdf&size=9"), (true, true));
    assert_eq!(taken(by_type, "format=pdf&type=letter"), (false, true));
    assert_eq!(taken(by_type, "type=letter"), (false, false));
    // A name without a value asks for the header, whatever its value.
    assert_eq!(taken("q1 type, q2 type=", "type=invoice"), (true, false));
    // A header whose name begins with x- is looked at only where the binding says so.
    assert_eq!(taken("q1 x-old=1&type=a, q2 x-match=all-with-x&x-old=1&type=a", "type=a"), (true, false));
}

#[test]
fn the_first_consumer_is_served_first_and_a_single_active_one_alone() {
    let second = r#", "v": {"kind": "worker", "from": "q", "work": "10ms", "effect": "w"}"#;
    let messages = r#""0", "1", "2", "3", "4""#;
    let given = |queue: &str, breaks: &str, fact: &str| {
        let queue = format!(r#""broker": "rabbitmq-classic", {queue}"#);
        let text = document(&queue, messages, r#", "work": "30s", "restart": "1h""#, second);
        let text = text.replacen(r#""until": "60s""#, &format!(r#""until": "10s", "breaks": [{breaks}]"#), 1);
        times_ms(&text, fact, &[Kind::Received])
    };
    // The first is never acknowledged: the others go round it.
    let round = ["0", "1", "2", "3", "4"].map(|id| given(r#""prefetch_count": 1"#, "", id));
    assert_eq!(round, [vec![5], vec![5], vec![15], vec![25], vec![35]]);
    let single = |id| given(r#""prefetch_count": 2, "x-single-active-consumer": true"#, r#""5s crash w""#, id);
    assert_eq!(["0", "1", "2", "3", "4"].map(single), [vec![5, 5000], vec![5, 5000], vec![5010], vec![5020], vec![5030]]);
}

#[test]
fn what_must_be_routed_comes_back_to_its_publisher() {
    let played = |mandatory: bool| {
        let document = format!(
            r#"{{"redrive": 1, "parts": {{
                "p": {{"kind": "producer", "to": "x", "mandatory": {mandatory}, "attempts": 2, "routing": "other", "messages": ["m"]}},
                "x": {{"kind": "exchange", "exchange": "direct", "bindings": "q own"}},
                "q": {{"kind": "queue", "broker": "rabbitmq-classic"}}, "w": {{"kind": "worker", "from": "q"}}}}}}"#
        );
        let played = play_document(&document, &[], &[]);
        (played.standing("m", "w"), played.highest("p", "produce_errors"), played.newest("x", "unroutable"))
    };
    assert_eq!(played(false), (Standing::Lost(Cause::Unroutable), 0, 1), "confirmed and gone");
    assert_eq!(played(true), (Standing::Lost(Cause::PublishGivenUp), 1, 2));
}

#[test]
fn a_time_to_live_of_nought_is_for_those_who_wait() {
    let text = |worker: &str| {
        document(r#""broker": "rabbitmq-classic", "x-message-ttl": 0"#, r#""A", {"id": "B", "at": "2s"}"#, worker, "")
    };
    let served = play_document(&text(""), &[], &[]);
    assert_eq!(standings(&served, "A B"), [Standing::Done(1), Standing::Done(1)]);
    let unserved = play_document(&text(r#", "workers": 0"#), &[], &[]);
    assert_eq!(standings(&unserved, "A B"), [Standing::Lost(Cause::TimeToLive), Standing::Lost(Cause::TimeToLive)]);
    let limit = document(r#""x-queue-type": "quorum", "x-delivery-limit": 0"#, r#""A""#, "", "");
    refused::check(
        &["check", "-"],
        &limit,
        "parts.q.x-delivery-limit: 0 is out of range; allowed: 1 to 1000, written as a whole number",
    );
}

#[test]
fn names_of_its_own_are_told_apart() {
    let check = |queue: &str, expect: &str| {
        refused::check(&["check", "-"], &document(queue, r#""A""#, "", ""), &format!("parts.q.{expect}⋯watched"));
    };
    check(
        r#""x-message-ttl": 500"#,
        "x-message-ttl: `x-message-ttl` is a setting of RabbitMQ classic queue, and `broker` is another",
    );
    check(
        r#""broker": "sqs", "x-max-priority": 5"#,
        "x-max-priority: `x-max-priority` is a setting of RabbitMQ classic queue, and `broker` is another",
    );
    check(r#""broker": "rabbitmq-quorum", "x-queue-mode": "lazy""#, "x-queue-mode: `x-queue-mode` is not modelled");
    check(
        r#""broker": "sqs-fifo", "ContentBasedDeduplication": true"#,
        "ContentBasedDeduplication: `ContentBasedDeduplication` of Amazon SQS FIFO queue is not modelled for a queue",
    );
}

#[test]
fn a_setting_is_changed_during_a_run_under_the_brokers_own_name() {
    let text = document(
        r#""broker": "rabbitmq-classic", "dead_letters": "dlq""#,
        r#""A", {"id": "B", "at": "2s"}"#,
        r#", "workers": 0"#,
        "",
    );
    let played = play_document(&text, &[], &["1s set q.x-message-ttl=500"]);
    assert_eq!(standings(&played, "A B"), [Standing::Pending, Standing::Pending], "what waits at the head keeps its own time");
    let played = play_document(&text, &[], &["1s set q.x-message-ttl=500", "1s set q.x-max-length=1"]);
    assert_eq!(standings(&played, "A B"), [Standing::Dead, Standing::Dead]);
}

#[test]
fn a_second_acknowledgement_brings_back_what_else_is_held() {
    let times = |queue: &str, more: &str, kind: Kind| {
        let text = document(queue, r#""A", "B", "C""#, &format!(r#", "batch": 3, "work": "100ms"{more}"#), "");
        ["A", "B", "C"].map(|id| times_ms(&text, id, &[kind]))
    };
    let once = [vec![105], vec![205], vec![305]];
    let twice = r#", "acks_twice": true"#;
    let classic = r#""broker": "rabbitmq-classic", "prefetch": 3"#;
    assert_eq!(times(classic, "", Kind::Effect), once);
    // The channel closes with each message that is done on it. What else it held is worked on all the same, and once more.
    assert_eq!(times(classic, twice, Kind::Effect), [vec![105], vec![205, 405], vec![305, 505, 605]]);
    assert_eq!(times(r#""broker": "rabbitmq-classic", "prefetch": 1"#, twice, Kind::Effect), once);
    // A delivery limit counts the closes: a message that never failed is a dead letter.
    let limited = r#""broker": "rabbitmq-quorum", "prefetch": 3, "x-delivery-limit": 1, "dead_letters": "dlq""#;
    assert_eq!(times(limited, twice, Kind::LeftHands).map(|left| left.len()), [0, 0, 1]);
    for other in ["sqs", "kafka-share", "postgres-table"] {
        assert_eq!(times(&format!(r#""broker": "{other}""#), twice, Kind::Effect), once, "{other} takes it");
    }
}
