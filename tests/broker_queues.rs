//! The same story on every broker: one crash and one message that fails for good, and what each broker makes of it.

mod runner;

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Twelve messages, two workers; the first to finish dies before its acknowledgement, the sixth can never be processed.
const STORY: &str = r#"{"redrive": 1, "title": "Story", "until": "10m", "parts": {
    "source": {"kind": "producer", "to": "jobs", "messages": ["m1", "m2", "m3", "m4", "m5", {"id": "m6", "poison": true}, "m7"]},
    "jobs": {"kind": "queue", "broker": "BROKER", "visibility_timeout": "30s", "max_receives": 3, "dead_letters": "dlq"},
    "dlq": {"kind": "queue"},
    "worker": {"kind": "worker", "from": "jobs", "workers": 2, "work": "1s", "restart": "5s", "failure": "requeue"}},
    "breaks": ["0s crash worker at worked"]}"#;

/// Runs the story with these settings and gives what happened.
fn run(broker: &str, sets: &[&str]) -> Value {
    let mut words = vec!["run".to_owned(), "-".to_owned(), "--json".to_owned()];
    words.extend(sets.iter().flat_map(|set| ["--set".to_owned(), (*set).to_owned()]));
    let mut child = Command::new(env!("CARGO_BIN_EXE_redrive"))
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the runner starts");
    child.stdin.take().expect("a pipe").write_all(STORY.replace("BROKER", broker).as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("the runner ends");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Compares the order in which the messages took effect, and what is among the dead letters and lost.
fn check(broker: &str, sets: &[&str], applied: &str, dead: &[&str], lost: &[&str]) {
    let report = run(broker, sets);
    let words = |value: &Value| -> Vec<String> {
        value.as_array().map_or_else(Vec::new, |ids| ids.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    };
    let effect = &report["facts"]["by_effect"]["worker"];
    let found = (words(&effect["first_applied"]).join(" "), words(&effect["ids"]["dead"]), words(&effect["ids"]["lost"]));
    assert_eq!(
        (found.0.as_str(), found.1, found.2),
        (applied, dead.iter().map(|id| (*id).to_owned()).collect(), lost.iter().map(|id| (*id).to_owned()).collect()),
        "{broker}"
    );
}

#[test]
fn one_story_on_every_broker() {
    // Its holder is dead and SQS waits out the visibility timeout: m1 comes back after everything else.
    check("sqs", &[], "m1 m2 m3 m4 m5 m7 m1", &["m6"], &[]);
    check("sqs-fifo", &[], "m1 m2 m3 m4 m5 m7 m1", &["m6"], &[]);
    // RabbitMQ sees the connection end. A classic queue has no limit: m6 goes round for ever.
    check("rabbitmq-classic", &[], "m1 m2 m4 m1 m3 m5 m7", &[], &[]);
    // Since 4.3 what a consumer gives back on purpose does not count either.
    check("rabbitmq-quorum", &["jobs.version=4.3"], "m1 m2 m4 m1 m3 m5 m7", &[], &[]);
    check("rabbitmq-quorum", &[], "m1 m2 m4 m1 m3 m5 m7", &["m6"], &[]);
    // A share group archives what fails too often: it is gone.
    check("kafka-share", &[], "m1 m2 m1 m3 m4 m5 m7", &[], &["m6"]);
    check("postgres-table", &[], "m1 m2 m3 m4 m5 m7 m1", &["m6"], &[]);
    // What was popped had taken effect before its worker died, so nothing is lost and nothing comes again.
    check("postgres-table", &["jobs.claim=pop"], "m1 m2 m3 m4 m5 m7", &["m6"], &[]);
    check("postgres-table", &["jobs.claim=transaction"], "m1 m2 m1 m3 m4 m5 m7", &["m6"], &[]);
}

/// Runs a document of these parts; it must come to its end, with its books in balance all the way.
fn comes_to_its_end(jobs: &str, worker: &str, breaks: &str) {
    let document = format!(
        r#"{{"redrive": 1, "until": "90s", "parts": {{
        "source": {{"kind": "producer", "to": "router", "rate": "5/s", "limit": 30, "poison": "20%", "due": "1s"}},
        "router": {{"kind": "exchange", "exchange": "topic", "bindings": "jobs 1*, jobs 2*, jobs 3", "alternate": "dlq"}},
        "jobs": {{"kind": "queue", {jobs}, "dead_letters": "dlq"}}, "dlq": {{"kind": "queue"}},
        "worker": {{"kind": "worker", "from": "jobs", {worker}}}}}, "breaks": [{breaks}]}}"#
    );
    // By fanout all goes to the jobs; by topic most of it goes to the alternate, which nobody consumes.
    for exchange in ["router.exchange=fanout", "router.exchange=topic"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_redrive"))
            .args(["run", "-", "--json", "--set", exchange])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the runner starts");
        child.stdin.take().expect("a pipe").write_all(document.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("the runner ends");
        assert!(output.status.success(), "{exchange}: {document}");
    }
}

#[test]
fn settings_at_their_ends() {
    // No visibility timeout at all, with a worker that recognises repeats.
    comes_to_its_end(r#""broker": "sqs-fifo", "visibility_timeout": "0s""#, r#""workers": 3, "idempotent": true"#, "");
    // Nor with a queue of no broker in particular, whose worker keeps in memory what is not due.
    comes_to_its_end(r#""visibility_timeout": "0s""#, r#""workers": 3, "idempotent": true"#, "");
    comes_to_its_end(r#""visibility_timeout": "0s""#, r#""workers": 3, "holds_until_due": true"#, "");
    // Dropped by retention before the delay is over.
    comes_to_its_end(r#""broker": "sqs", "delay": "15m", "retention": "1m""#, r#""work": "1s""#, "");
    // Redriven into a queue that has room for one: the rest comes back.
    let full = r#""broker": "rabbitmq-classic", "max_length": 1"#;
    comes_to_its_end(full, r#""workers": 0"#, r#""20s redrive dlq""#);
    // Given back at once by a worker that needs no time.
    comes_to_its_end(r#""broker": "rabbitmq-classic""#, r#""work": "0s", "failure": "requeue""#, "");
}

#[test]
fn a_broker_with_an_end_of_its_own_needs_no_dead_letters() {
    for broker in ["kafka-share", "rabbitmq-quorum", "postgres-table"] {
        let report = runner::report(&["work-queue-crash", "--set", &format!("jobs.broker={broker}")]);
        assert_eq!(report["scenario"], "work-queue-crash", "{broker}");
        runner::report(&["visibility-too-short", "--set", &format!("jobs.broker={broker}")]);
    }
}
