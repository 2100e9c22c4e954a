//! The same story on every broker: one crash and one message that fails for good, and what each broker makes of it.

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
