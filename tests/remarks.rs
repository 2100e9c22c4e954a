//! What is sound in a document and comes to nothing.

use redrive::scenario::remarks::remarks;
use redrive::scenario::{document, library};

fn check(document: &str, expect: &[&str]) {
    let scenario = document::read("test", document, &[]).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(remarks(&scenario).iter().map(ToString::to_string).collect::<Vec<_>>(), expect);
}

fn queue(queue: &str, worker: &str) -> String {
    format!(
        r#"{{"redrive": 1, "until": "10s", "breaks": ["10s break q"], "parts": {{
            "p": {{"kind": "producer", "to": "q"}}, "q": {{"kind": "queue", {queue}}},
            "w": {{"kind": "worker", "from": "q", {worker}}}}}}}"#
    )
}

#[test]
fn a_setting_that_the_broker_does_not_know() {
    let none: &[&str] = &[];
    let limited = r#""ttl": "5s", "max_length": 5"#;
    check(
        &queue(&format!(r#""broker": "sqs", {limited}"#), r#""batch": 10"#),
        &[
            "parts.q.ttl: it does nothing with `broker` sqs; allowed: leave it out, or another broker",
            "parts.q.max_length: it does nothing with `broker` sqs; allowed: leave it out, or another broker",
        ],
    );
    check(&queue(&format!(r#""broker": "rabbitmq-quorum", {limited}"#), r#""batch": 50"#), none);
    check(&queue(r#""broker": "rabbitmq-quorum", "version": "4.0", "priorities": 0"#, r#""batch": 50"#), none);
    check(&queue(r#""broker": "kafka-share", "max_receives": 5"#, r#""batch": 50"#), none);
}

#[test]
fn a_batch_larger_than_a_receive_brings() {
    for broker in ["sqs", "sqs-fifo"] {
        let remark = "parts.w.batch: a receive from SQS brings 10 at most, not 11; allowed: 1 to 10";
        check(&queue(&format!(r#""broker": "{broker}""#), r#""batch": 11"#), &[remark]);
    }
}

#[test]
fn a_command_after_the_end() {
    let late = queue(r#""broker": "generic""#, r#""batch": 1"#).replace("10s break q", "11s break q");
    check(&late, &["breaks, `11s break q`: 11s is after the end of the run; allowed: up to 10s, or a later `until`"]);
}

#[test]
fn there_is_nothing_to_remark_on_what_ships() {
    for id in library::ids() {
        check(library::text(id).expect("it ships"), &[]);
    }
}
