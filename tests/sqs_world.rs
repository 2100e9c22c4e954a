//! Amazon SQS at work in a scenario, under its own names.

mod play;
mod refused;

use play::{captured, given_ms, play_document};
use redrive::command::Timed;
use redrive::observe::ledger::Standing;
use redrive::observe::record::{Kind, unpack_receive};
use redrive::run::Run;
use redrive::world::World;

fn document(queue: &str, messages: &str, worker: &str) -> String {
    format!(
        r#"{{"redrive": 1, "until": "400s", "parts": {{
            "p": {{"kind": "producer", "to": "q", "attempts": 1, "messages": [{messages}]}},
            "q": {{"kind": "queue", {queue}}}, "dlq": {{"kind": "queue"}},
            "w": {{"kind": "worker", "from": "q"{worker}}}}}}}"#
    )
}

const REDRIVE: &str = r#""broker": "sqs", "VisibilityTimeout": 5, "RedrivePolicy": {"maxReceiveCount": 3, "deadLetterTargetArn": "arn:aws:sqs:eu-west-1:1:dlq"}"#;

#[test]
fn the_receive_after_the_last_one_moves_a_message() {
    let poison = r#"{"id": "a", "poison": true}"#;
    let text = document(REDRIVE, poison, "");
    assert_eq!(given_ms(&text, "a"), [5, 5005, 10005]);
    assert_eq!(play_document(&text, &[], &[]).standing("a", "w"), Standing::Dead);
    // As the service takes it too: the policy as a text, its number in quotes.
    let as_text = text.replace(
        r#"{"maxReceiveCount": 3, "deadLetterTargetArn": "arn:aws:sqs:eu-west-1:1:dlq"}"#,
        r#""{\"maxReceiveCount\": \"2\", \"deadLetterTargetArn\": \"dlq\"}""#,
    );
    assert_eq!(given_ms(&as_text, "a"), [5, 5005]);
    // Visibility 0 gives it back at once.
    assert_eq!(given_ms(&document(REDRIVE, poison, r#", "failure": "requeue""#), "a"), [5, 15, 25]);
}

#[test]
fn a_message_has_a_delay_of_its_own_but_not_on_fifo() {
    let messages = r#""a", {"id": "b", "delay": "3s"}, {"id": "c", "delay": "20s"}"#;
    let given = |id| given_ms(&document(r#""broker": "sqs", "DelaySeconds": 10"#, messages, ""), id);
    assert_eq!([given("a"), given("b"), given("c")], [[10005], [3005], [20005]]);
    let (_, records) = captured(&document(r#""broker": "sqs", "DelaySeconds": 10"#, messages, ""));
    let delays = records.iter().filter(|record| record.kind == Kind::StoredDelayed).map(|record| record.extra / 1_000_000);
    assert_eq!(delays.collect::<Vec<_>>(), [10, 3, 20], "it is said how long");
    let fifo = play_document(&document(r#""broker": "sqs-fifo""#, r#""a", {"id": "b", "delay": "3s"}"#, ""), &[], &[]);
    assert_eq!(fifo.standing("a", "w"), Standing::Done(1));
    assert!(matches!(fifo.standing("b", "w"), Standing::Lost(_)), "it is refused");
}

#[test]
fn repeats_are_recognised_for_five_minutes_and_whatever_their_group() {
    let messages =
        r#"{"id": "a", "key": 1}, {"id": "a", "key": 2, "at": "60s"}, {"id": "a", "at": "299s"}, {"id": "a", "at": "301s"}"#;
    assert_eq!(given_ms(&document(r#""broker": "sqs-fifo""#, messages, ""), "a"), [5, 301_005]);
    assert_eq!(given_ms(&document(r#""broker": "sqs""#, messages, ""), "a").len(), 4);
}

#[test]
fn a_failure_brings_back_the_batch_of_a_function_that_does_not_report_it() {
    let messages = r#""m1", "m2", {"id": "m3", "poison": true}, "m4""#;
    let played = |more: &str| {
        let worker = format!(r#", "batch": 10, "ack_batch": true, "work": "100ms"{more}"#);
        let text =
            document(REDRIVE, messages, &worker).replacen(r#""until""#, r#""breaks": ["0s pause w", "1s resume w"], "until""#, 1);
        (["m1", "m2", "m3", "m4"].map(|id| given_ms(&text, id).len()), play_document(&text, &[], &[]))
    };
    let (receives, all) = played("");
    assert_eq!((receives, all.newest("dlq", "ready")), ([3, 3, 3, 3], 4), "healthy ones among the dead letters");
    let (receives, reported) = played(r#", "report_failures": true"#);
    assert_eq!((receives, reported.newest("dlq", "ready")), ([1, 1, 3, 1], 1));
}

#[test]
fn a_dead_letter_goes_on_counting_its_receives_and_its_age() {
    let text = |dlq: &str| {
        document(REDRIVE, r#"{"id": "a", "poison": true}"#, "").replacen(
            r#""dlq": {"kind": "queue"}"#,
            &format!(r#""dlq": {{"kind": "queue", {dlq}}}, "v": {{"kind": "worker", "from": "dlq", "effect": "w"}}"#),
            1,
        )
    };
    let (_, records) = captured(&text(r#""broker": "sqs", "MessageRetentionPeriod": 60"#));
    let receives: Vec<u16> =
        records.iter().filter(|record| record.kind == Kind::Received).map(|record| unpack_receive(record.extra).2).collect();
    assert_eq!(receives, [1, 2, 3, 4, 5], "three here, then N + 1 there");
    let gone: Vec<u64> =
        records.iter().filter(|record| record.kind == Kind::DroppedHeld).map(|record| record.at_us / 1_000).collect();
    assert_eq!(gone, [60_005], "sixty seconds after it was first sent");
    let expect = "parts.q.dead_letters: dead letters of a queue with broker sqs go to one of its own kind; allowed: a queue with the same broker";
    refused::check(&["check", "-"], &text(r#""broker": "sqs-fifo""#), expect);
}

#[test]
fn what_is_moved_to_a_fifo_queue_is_no_repeat_and_lacks_no_deduplication_id() {
    let messages = r#"{"id": "a", "key": 1}, {"id": "b", "key": 1}"#;
    let by_count = r#""broker": "sqs-fifo", "visibility_timeout": "10s", "max_receives": 2, "dead_letters": "dlq""#;
    let text = document(by_count, messages, "")
        .replace(r#""dlq": {"kind": "queue"}"#, r#""dlq": {"kind": "queue", "broker": "sqs-fifo"}"#);
    // All of it within five minutes of the first send.
    let broken = ["0s fail w 100%", "100s mend w"];
    let before = play_document(&text, &[], &broken);
    assert_eq!([before.standing("a", "w"), before.standing("b", "w")], [Standing::Dead; 2]);
    let twice = ["0s fail w 100%", "50s redrive dlq", "100s mend w", "150s redrive dlq"];
    for commands in [&[broken[0], broken[1], "120s redrive dlq"][..], &twice] {
        let after = play_document(&text, &[], commands);
        assert_eq!([after.standing("a", "w"), after.standing("b", "w")], [Standing::Done(1); 2], "{commands:?}");
    }
    // The worker moves them itself, to a queue that another worker reads.
    let chain = r#"{"redrive": 1, "until": "60s", "parts": {
            "p": {"kind": "producer", "to": "q", "messages": [{"id": "a", "key": 1, "poison": true}, {"id": "b", "key": 1}]},
            "q": {"kind": "queue", "broker": "sqs-fifo"}, "late": {"kind": "queue", "broker": "sqs-fifo"}, "dlq": {"kind": "queue"},
            "w": {"kind": "worker", "from": "q", "effect": "e", "poison": "dead-letter", "dead_letters": "late"},
            "v": {"kind": "worker", "from": "late", "effect": "e", "poison": "dead-letter", "dead_letters": "dlq"}}}"#;
    let chained = play_document(chain, &[], &[]);
    assert_eq!([chained.standing("a", "e"), chained.standing("b", "e")], [Standing::Dead, Standing::Done(1)]);
}

#[test]
fn the_oldest_message_is_one_that_waits_behind_another_of_its_group() {
    let messages = r#"{"id": "a", "key": 1, "poison": true}, {"id": "b", "key": 1}, {"id": "c", "key": 1}"#;
    let played = play_document(&document(r#""broker": "sqs-fifo", "visibility_timeout": "60s""#, messages, ""), &[], &[]);
    assert_eq!((played.newest("q", "oldest_us") / 1_000_000, played.fired_s("oldest-message")), (399, Some(300)));
    // On a standard queue the others pass it.
    let passed = play_document(&document(r#""broker": "sqs", "visibility_timeout": "60s""#, messages, ""), &[], &[]);
    assert_eq!((passed.newest("q", "oldest_us"), passed.fired_s("oldest-message")), (0, None));
}

#[test]
fn what_the_service_refuses_is_refused() {
    let check = |queue: &str, expect: &str| {
        let text = document(&format!(r#""broker": "sqs", "dead_letters": "dlq", {queue}"#), r#""a""#, "");
        refused::check(&["check", "-"], &text, &format!("parts.q.{expect}⋯"));
    };
    check(r#""VisibilityTimeout": 43201"#, "VisibilityTimeout: `43201s` is out of range; allowed: 0s to 12h");
    check(r#""DelaySeconds": 901"#, "DelaySeconds: `901s` is out of range; allowed: 0s to 15m");
    check(r#""MessageRetentionPeriod": 59"#, "MessageRetentionPeriod: `59s` is out of range; allowed: 1m to 14d");
    check(r#""maxReceiveCount": 0"#, "maxReceiveCount: 0 is out of range; allowed: 1 to 1000");
    let eleven = document(r#""broker": "sqs""#, r#""a""#, r#", "MaxNumberOfMessages": 11"#);
    refused::check(&["check", "-"], &eleven, "parts.w.MaxNumberOfMessages: 11 is out of range; allowed: 1 to 10⋯");
}

#[test]
fn a_policy_set_while_it_runs_counts_and_what_of_it_is_fixed_is_refused() {
    let run = |command: &str| {
        let policy =
            r#""broker": "sqs", "VisibilityTimeout": 5, "RedrivePolicy": {"maxReceiveCount": 9, "deadLetterTargetArn": "dlq"}"#;
        let mut run = Run::of_document("test", &document(policy, r#"{"id": "a", "poison": true}"#, ""));
        run.commands.push(Timed::parse(command).expect("a command"));
        let scenario = run.scenario().map_err(|faults| faults.to_string())?;
        let mut world = World::new(&scenario);
        world.observer.capture();
        world.run_until(scenario.until_us());
        let moved = world.observer.take_captured().into_iter().find(|record| record.kind == Kind::LeftQueue);
        Ok::<_, String>(moved.map(|record| record.at_us / 1_000_000))
    };
    // Received at 0, 5 and 10 s; the receive after the second one moves it.
    assert_eq!(run(r#"1s set q.RedrivePolicy={"maxReceiveCount": 2}"#), run("1s set q.maxReceiveCount=2"));
    assert_eq!(run("1s set q.maxReceiveCount=2"), Ok(Some(10)));
    for fixed in [r#"1s set q.RedrivePolicy={"deadLetterTargetArn": "other"}"#, "1s set q.x-queue-type=quorum"] {
        let fault = run(fixed).expect_err("fixed");
        assert!(fault.contains("fixed once the run has begun"), "{fault}");
    }
    let fault = run(r#"1s set q.RedrivePolicy={"maxReceiveCount": 5000}"#).expect_err("out of range");
    assert!(fault.contains("1..=1000") || fault.contains("1 to 1000"), "{fault}");
}
