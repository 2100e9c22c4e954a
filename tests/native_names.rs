//! Settings under Kafka's own names and with its defaults.

use redrive::run::Run;
use redrive::scenario::Scenario;
use serde_json::{Value, json};

fn scenario(log: &str, worker: &str) -> Scenario {
    let text = format!(
        r#"{{"redrive": 1, "parts": {{"a": {{"kind": "producer", "to": "orders"}}, "orders": {{"kind": "log"{log}}},
            "w": {{"kind": "worker", "from": "orders"{worker}}}}}}}"#
    );
    Run::of_document("x", &text).scenario().unwrap_or_else(|faults| panic!("{faults}"))
}

fn value(scenario: &Scenario, part: &str, setting: &str) -> Value {
    scenario.parts[part].kind.get(setting).expect("a setting")
}

#[test]
fn groups_are_set_in_kafkas_words() {
    let check = |name: &str, word: &str, ours: &str, expect: Value| {
        let scenario = scenario("", &format!(r#", "{name}": "{word}""#));
        assert_eq!(value(&scenario, "w", ours), expect, "{name}={word}");
    };
    check("group.protocol", "consumer", "protocol", json!("kip848"));
    check("group.protocol", "classic", "protocol", json!("eager"));
    check("group.instance.id", "email-1", "static_members", json!(true));
    check("group.instance.id", "", "static_members", json!(false));
    check("partition.assignment.strategy", "roundrobin", "assignor", json!("round-robin"));
    check("partition.assignment.strategy", "cooperative-sticky", "assignor", json!("cooperative-sticky"));
    let class = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor";
    check("partition.assignment.strategy", class, "assignor", json!("cooperative-sticky"));
    check("group.remote.assignor", "range", "remote_assignor", json!("range"));
    check("max.poll.interval.ms", "300000", "poll_interval", json!("5m"));
}

#[test]
fn a_log_has_the_defaults_of_its_broker() {
    let check = |log: &str, ours: &str, expect: Value| assert_eq!(value(&scenario(log, ""), "orders", ours), expect, "{log}");
    check("", "idempotent_publish", json!(false));
    check(r#", "broker": "kafka""#, "idempotent_publish", json!(true));
    check(r#", "broker": "kafka""#, "election", json!("9s"));
    check(r#", "broker": "redpanda""#, "election", json!("1.5s"));
    // Whatever is said stays, wherever the broker is named.
    check(r#", "election": "3s", "broker": "redpanda""#, "election", json!("3s"));
    // With fewer confirmations Kafka's producers do not number their batches.
    check(r#", "broker": "kafka", "acks": "leader""#, "idempotent_publish", json!(false));
    check(r#", "broker": "kafka", "acks": 1"#, "idempotent_publish", json!(false));
    // Who says otherwise is taken at their word, in whatever order.
    check(r#", "broker": "kafka", "idempotent_publish": false, "acks": "all""#, "idempotent_publish", json!(false));
    check(r#", "acks": "all", "idempotent_publish": false, "broker": "kafka""#, "idempotent_publish", json!(false));
    check(r#", "broker": "kafka", "acks": "all""#, "idempotent_publish", json!(true));
}

#[test]
fn a_worker_on_a_log_has_the_defaults_of_its_brokers_client() {
    let check = |log: &str, worker: &str, sets: &[(&str, &str)], expect: (Value, Value)| {
        let text = format!(
            r#"{{"redrive": 1, "parts": {{"a": {{"kind": "producer", "to": "orders"}}, "w": {{"kind": "worker", "from": "orders"{worker}}},
                "orders": {{"kind": "log"{log}}}}}}}"#
        );
        let mut run = Run::of_document("x", &text);
        run.sets = sets.iter().map(|(place, value)| ((*place).to_owned(), (*value).to_owned())).collect();
        let scenario = run.scenario().unwrap_or_else(|faults| panic!("{faults}"));
        assert_eq!((value(&scenario, "w", "start_from"), value(&scenario, "w", "batch")), expect, "{log} {worker} {sets:?}");
    };
    let kafka = r#", "broker": "kafka""#;
    check("", "", &[], (json!("earliest"), json!(1)));
    check(kafka, "", &[], (json!("latest"), json!(500)));
    check(r#", "broker": "redpanda""#, "", &[], (json!("latest"), json!(500)));
    check("", "", &[("orders.broker", "kafka")], (json!("latest"), json!(500)));
    // What is said stays, in whichever words, though it be what a plain log's worker has.
    check(kafka, r#", "batch": 1"#, &[], (json!("latest"), json!(1)));
    check(kafka, r#", "auto.offset.reset": "earliest", "max.poll.records": 20"#, &[], (json!("earliest"), json!(20)));
    check(kafka, "", &[("w.start_from", "earliest"), ("w.max.poll.records", "2")], (json!("earliest"), json!(2)));
}
