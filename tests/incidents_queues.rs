//! Incidents that people had with queues: what was reported comes out of the run, and the cure makes it go away.

mod runner;

use runner::report;
use serde_json::Value;

/// The number at a path of the report, like `facts.twice`.
fn number(report: &Value, path: &str) -> u64 {
    let value = path.split('.').fold(report, |value, name| &value[name]);
    value.as_u64().unwrap_or_else(|| panic!("{path}: {value}"))
}

/// Runs a scenario with these further words and compares figures of its report.
fn check(words: &[&str], expect: &[(&str, u64)]) {
    let report = report(words);
    let found: Vec<(&str, u64)> = expect.iter().map(|(path, _)| (*path, number(&report, path))).collect();
    assert_eq!(found, expect, "{}", words.join(" "));
}

/// The effects that took place first, in order.
fn applied(words: &[&str], effect: &str) -> String {
    let report = report(words);
    let ids = report["facts"]["by_effect"][effect]["first_applied"].as_array().expect("a list").clone();
    ids.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

/// A job of 45 min, and a channel that is closed after 30: the job starts again for ever.
#[test]
fn a_job_longer_than_the_consumer_timeout() {
    check(&["consumer-timeout"], &[("facts.twice", 1), ("parts.jobs.hidden", 1)]);
    check(&["consumer-timeout", "--set", "jobs.consumer_timeout=2h"], &[("facts.once", 1), ("parts.jobs.hidden", 0)]);
    check(&["consumer-timeout", "--set", "transcoder.order=ack-then-work"], &[("facts.once", 1), ("facts.twice", 0)]);
}

/// Prefetch 0: the broker pushes thousands of messages to one consumer, and its process dies, again and again.
#[test]
fn no_limit_on_prefetch() {
    // What comes back is more than it can hold: it dies as soon as it is up.
    check(&["unbounded-prefetch"], &[("parts.indexer.crashed", 1), ("parts.jobs.ready", 6_001), ("facts.once", 3_999)]);
    check(&["unbounded-prefetch", "--set", "jobs.prefetch=100"], &[("parts.indexer.crashed", 0), ("facts.once", 10_000)]);
}

/// A failing message that is given back at once goes round hundreds of times a second.
#[test]
fn given_back_at_once() {
    check(&["requeue-loop"], &[("parts.jobs.redelivered_per_s", 500), ("facts.pending", 2)]);
    check(&["requeue-loop", "--set", "mailer.failure=reject"], &[("parts.jobs.redelivered_per_s", 0), ("facts.dead", 1)]);
    check(&["requeue-loop", "--set", "lab.queue=quorum"], &[("parts.jobs.redelivered_per_s", 0), ("facts.dead", 1)]);
}

/// Nothing fails, and messages are found among the dead letters: they were received too often.
#[test]
fn healthy_messages_among_the_dead_letters() {
    let report = report(&["lambda-visibility"]);
    assert!(number(&report, "parts.dlq.ready") > 0 && number(&report, "facts.twice") > 0, "{}", report["facts"]);
    assert_eq!(number(&report, "facts.lost"), 0);
    let cured = &["lambda-visibility", "--set", "jobs.visibility_timeout=6m"];
    check(cured, &[("facts.once", 60), ("facts.twice", 0), ("parts.dlq.ready", 0)]);
}

/// Seven days of retries, four days of dead letters: the message is gone as it arrives.
#[test]
fn dead_on_arrival() {
    check(&["dead-letters-vanish"], &[("facts.lost", 1), ("facts.dead", 0)]);
    check(&["dead-letters-vanish", "--set", "dlq.retention=14d"], &[("facts.lost", 0), ("facts.dead", 1)]);
}

/// The third of a FIFO batch fails and the rest is done: its group is out of order.
#[test]
fn a_batch_that_goes_on_after_a_failure() {
    assert_eq!(applied(&["fifo-batch"], "post"), "r1 r2 r4 r5 r3");
    check(&["fifo-batch"], &[("facts.out_of_order", 1)]);
    assert_eq!(applied(&["fifo-batch", "--set", "poster.stop_group=true"], "post"), "r1 r2 r3 r4 r5");
}

/// A slow subscriber falls behind alone.
#[test]
fn one_topic_three_subscribers() {
    check(&["fan-out"], &[("parts.search-queue.ready", 2_700), ("parts.email-queue.ready", 0), ("parts.audit-queue.ready", 0)]);
    check(&["fan-out", "--do", "60s mend search"], &[("parts.search-queue.ready", 0), ("facts.lost", 0)]);
}

/// What no binding takes is confirmed and gone; an alternate exchange takes it.
#[test]
fn a_routing_key_that_nobody_bound() {
    let lost = number(&report(&["topic-routing"]), "parts.events.unroutable");
    assert!(lost > 0);
    check(&["topic-routing"], &[("facts.lost", lost)]);
    check(&["topic-routing", "--set", "events.alternate=unrouted"], &[("facts.lost", 0), ("parts.events.unroutable", 0)]);
}

/// The leader of a quorum queue dies, then a second node: publishers wait, nothing that was confirmed is lost.
#[test]
fn a_quorum_queue_loses_its_leader() {
    let report = report(&["quorum-leader-dies"]);
    assert_eq!((number(&report, "facts.lost"), number(&report, "facts.twice")), (0, 0));
    assert!(number(&report, "facts.late") > 0, "two of three nodes are gone for a while");
    let quick = self::report(&["quorum-leader-dies", "--do", "26s mend jobs"]);
    assert!(number(&quick, "facts.late") < number(&report, "facts.late"));
}
