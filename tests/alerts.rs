//! Alert rules: what a run's settings make of them, what they tell, and what they are on Prometheus.

mod play;

use play::{Played, play, play_document};
use redrive::run::Run;
use redrive::scenario::prometheus::{expression, rules_file};
use redrive::scenario::setting::Form;
use redrive::timeline::{Progress, Timeline};
use redrive::view::AlertView;

/// A group of four whose first key is more than one member can do, on a log that keeps a minute.
const HOT: &str = r#"{"redrive": 1, "until": "4m", "parts": {
    "shop": {"kind": "producer", "to": "orders", "rate": "40/s", "keys": 400, "hot_key": "40%"},
    "orders": {"kind": "log", "partitions": 4, "retention": "1m", "segment": 10},
    "email": {"kind": "worker", "from": "orders", "workers": 4, "work": "60ms", "batch": 10}}}"#;

/// Every firing of a rule: when, in milliseconds, and the partition it tells.
fn firings(played: &Played, rule: &str) -> Vec<(u64, Option<u32>)> {
    let rules = played.world.board.alerts.iter().filter(|alert| alert.spec.rule == rule);
    rules.flat_map(|alert| &alert.fired).map(|firing| (firing.at_us / 1_000, firing.partition)).collect()
}

fn with(id: &str, sets: &[(&str, &str)]) -> Run {
    let sets = sets.iter().map(|(place, value)| ((*place).to_owned(), (*value).to_owned())).collect();
    Run { sets, ..Run::of_library(id) }
}

fn refused(sets: &[(&str, &str)]) -> String {
    with("poison-message", sets).scenario().expect_err("a wrong setting").to_string()
}

#[test]
fn a_threshold_is_a_setting_that_changes_when_it_fires_and_nothing_that_happens() {
    let usual = play("poison-message", &[], &[]);
    assert_eq!(firings(&usual, "consumer-lag"), [(80_100, Some(1))], "the poison comes at 20 s, the rule looks for 60 s");
    for place in ["alerts.email.consumer-lag.above=10s", "alerts.consumer-lag.above=10s"] {
        let sooner = play("poison-message", &[place], &[]);
        assert_eq!(firings(&sooner, "consumer-lag"), [(30_100, Some(1))], "{place}");
        assert_eq!(sooner.world.trace_hash(), usual.world.trace_hash());
    }
    let held = play("poison-message", &["alerts.email.consumer-lag.above=10s", "alerts.email.consumer-lag.for=20s"], &[]);
    assert_eq!(firings(&held, "consumer-lag"), [(50_100, Some(1))]);
}

#[test]
fn it_travels_in_a_link_and_shows_in_the_view() {
    let run = with("poison-message", &[("alerts.email.consumer-lag.above", "10s"), ("alerts.email.consumer-lag.for", "5s")]);
    let mut timeline = Timeline::open(&Run::from_link(&run.to_link()).expect("a link")).expect("a sound run");
    let alert = |timeline: &Timeline| -> AlertView {
        timeline.panels().alerts.into_iter().find(|alert| alert.rule == "consumer-lag").expect("the rule")
    };
    let before = alert(&timeline);
    assert_eq!((before.threshold.as_str(), before.hold.as_str(), before.form), ("10s", "5s", Form::Duration));
    assert_eq!(before.set, "alerts.email.consumer-lag.above");
    assert_eq!(before.expr, "max by (partition) (redrive_consumer_lag_seconds{part=\"email\"}) > 10");
    assert_eq!((before.at_us, before.why.as_str()), (None, "stayed at 0: no help here"));
    assert_eq!(timeline.travel(32_000_000, u64::MAX), Progress::Done);
    assert_eq!(alert(&timeline).why, "was above it for 1.8 s at most");
    assert_eq!(timeline.travel(40_000_000, u64::MAX), Progress::Done);
    let fired = alert(&timeline);
    assert_eq!((fired.at_us, fired.partition), (Some(35_100_000), Some(1)));
    assert_eq!(fired.text, "lag in time > 10.0 s for 5.0 s on Email, partition 1");
}

#[test]
fn a_setting_that_names_no_rule_is_answered_with_what_exists() {
    assert_eq!(
        refused(&[("alerts.email.consumer-lat.above", "10s")]),
        "set alerts.email.consumer-lat.above: there is no rule `email.consumer-lat`; allowed: email.consumer-lag, email.error-rate, parked.dlq-depth; nearest: email.consumer-lag"
    );
    assert_eq!(
        refused(&[("alerts.dlq-dept.above", "1")]),
        "set alerts.dlq-dept.above: there is no rule `dlq-dept`; allowed: consumer-lag, error-rate, dlq-depth; nearest: dlq-depth"
    );
    assert_eq!(
        refused(&[("alerts.email.consumer-lag.over", "10s")]),
        "set alerts.email.consumer-lag.over: `over` is not a setting of a rule; allowed: above, for"
    );
    assert_eq!(
        refused(&[("alerts.email.error-rate.above", "10s")]),
        "set alerts.email.error-rate.above: `10s` is not a share: write it with a percent sign, like 30% or 0.1%; allowed: a share like 1%"
    );
    assert_eq!(
        refused(&[("alerts.email.error-rate.for", "31d")]),
        "set alerts.email.error-rate.for: `31d` is out of range; allowed: 0s to 30d"
    );
    assert_eq!(
        refused(&[("alerts.error-rate", "5%")]),
        "set alerts.error-rate: `error-rate` names no rule; allowed: alerts.PART.RULE.above or alerts.PART.RULE.for"
    );
}

#[test]
fn two_rules_of_a_part_have_two_names_and_no_part_is_called_alerts() {
    let rule = r#"{"rule": "old", "part": "jobs", "gauge": "oldest_us", "above": "1m"}"#;
    let document = |parts: &str, alerts: &str| format!(r#"{{"redrive": 1, "parts": {{{parts}}}, "alerts": [{alerts}]}}"#);
    let faults = |text: &str| Run::of_document("x", text).scenario().expect_err("a fault").to_string();
    let parts = r#""a": {"kind": "producer", "to": "jobs"}, "jobs": {"kind": "queue"}"#;
    assert_eq!(
        faults(&document(parts, &format!("{rule}, {rule}"))),
        "alerts[1].rule: `jobs` has a rule of this name already; allowed: another name"
    );
    let parts = r#""a": {"kind": "producer", "to": "alerts"}, "alerts": {"kind": "queue"}"#;
    assert_eq!(faults(&document(parts, "")), "parts.alerts: `alerts` is kept for alert rules; allowed: any other id");
}

#[test]
fn one_partition_behind_the_rest_is_told_from_a_group_that_is_slow() {
    let hot = play_document(HOT, &[], &[]);
    assert_eq!(firings(&hot, "partition-lag").first().map(|(_, partition)| *partition), Some(Some(0)));
    let slow = play_document(HOT, &["shop.hot_key=0%", "email.work=200ms", "orders.retention=1h"], &[]);
    assert!(firings(&slow, "consumer-lag").len() == 1 && slow.newest("email", "lag_us") > 100_000_000);
    assert_eq!(firings(&slow, "partition-lag"), []);
}

#[test]
fn half_the_retention_is_told_before_anything_is_lost() {
    let told = firings(&play_document(HOT, &[], &[]), "retention-headroom");
    assert_eq!(told.iter().map(|(_, partition)| *partition).collect::<Vec<_>>(), [Some(0)]);
    let when = [&told[0].0.to_string(), "ms"].concat();
    let by_then = play_document(HOT, &[], &[&format!("{when} pause shop")]);
    assert_eq!(by_then.effect("email").lost, 0, "who stops the orders there loses nothing");
    assert!(play_document(HOT, &[], &[]).effect("email").lost > 100, "who looks on does");
}

#[test]
fn rebalances_are_counted_by_the_hour() {
    let storm = play("rebalance-storm", &[], &[]);
    assert_eq!((storm.newest("email", "rebalances"), storm.newest("email", "rebalances_per_h")), (7, 7));
    assert_eq!(firings(&storm, "rebalances").len(), 1);
    let calm = play("rebalance-storm", &["lab.protocol=static"], &[]);
    assert_eq!(calm.newest("email", "rebalances"), 1, "the first assignment");
    assert_eq!(firings(&calm, "rebalances"), []);
    let long = play_document(
        r#"{"redrive": 1, "until": "3h", "parts": {
            "shop": {"kind": "producer", "to": "orders", "rate": "1/min"}, "orders": {"kind": "log", "partitions": 4},
            "email": {"kind": "worker", "from": "orders", "workers": 2}}, "breaks": ["10m deploy email", "100m deploy email"]}"#,
        &[],
        &[],
    );
    let (all, hour) = (long.newest("email", "rebalances"), long.newest("email", "rebalances_per_h"));
    assert!(all == 2 * long.highest("email", "rebalances_per_h") && hour == 0, "{all} in all, {hour} in the last hour");
}

#[test]
fn a_broker_that_confirms_late_is_told_by_the_latency_of_publishing() {
    let document = r#"{"redrive": 1, "until": "30s", "parts": {
        "shop": {"kind": "producer", "to": "jobs", "rate": "10/s"}, "jobs": {"kind": "queue", "latency": "20ms"},
        "w": {"kind": "worker", "from": "jobs"}}}"#;
    let well = play_document(document, &[], &[]);
    assert_eq!((well.newest("shop", "produce_us"), firings(&well, "produce-latency")), (20_000, vec![]));
    let slow = play_document(document, &[], &["10s slow jobs 40x"]);
    assert_eq!(slow.newest("shop", "produce_us"), 800_000);
    assert_eq!(firings(&slow, "produce-latency"), [(11_000, None)]);
    assert_eq!(firings(&slow, "produce-errors"), [], "each is confirmed within the second that it may take");
    let down = play_document(document, &[], &["10s break jobs"]);
    assert_eq!(down.newest("shop", "produce_us"), 1_000_000, "a publish without an answer takes until its timeout");
}

#[test]
fn a_rule_goes_home_under_the_names_of_its_brokers_exporter() {
    let check = |id: &str, sets: &[(&str, &str)], part: &str, rule: &str, expect: &str| {
        let scenario = with(id, sets).scenario().expect("a sound run");
        let rule = scenario.alerts.iter().find(|known| known.rule == rule && known.part == part).expect("the rule");
        assert_eq!(expression(&scenario, rule), expect);
    };
    let rabbit = &[("lab.broker", "rabbitmq-quorum")];
    check(
        "any-broker",
        &[("lab.broker", "sqs")],
        "jobs",
        "oldest-message",
        "aws_sqs_approximate_age_of_oldest_message_maximum{queue_name=\"jobs\"} > 300",
    );
    check("any-broker", rabbit, "jobs", "oldest-message", "time() - rabbitmq_queue_head_message_timestamp{queue=\"jobs\"} > 300");
    check("any-broker", rabbit, "dlq", "dlq-depth", "rabbitmq_queue_messages_ready{queue=\"dlq\"} > 0");
    check(
        "any-broker",
        rabbit,
        "worker",
        "redelivery-rate",
        "sum(rate(rabbitmq_channel_messages_redelivered_total{queue=\"jobs\"}[1m])) / sum(rate(rabbitmq_channel_messages_delivered_ack_total{queue=\"jobs\"}[1m])) > 0.05",
    );
    check(
        "leader-dies",
        &[],
        "orders",
        "under-replicated",
        "sum(kafka_topic_partition_under_replicated_partition{topic=\"orders\"}) > 0",
    );
    check(
        "leader-dies",
        &[],
        "billing",
        "consumer-lag",
        "max by (partition) (kafka_consumergroup_group_lag_seconds{group=\"billing\",topic=\"orders\"}) > 60",
    );
    check(
        "leader-dies",
        &[],
        "shop",
        "produce-errors",
        "sum(rate(kafka_producer_record_error_total{client_id=\"shop\"}[1m])) > 0",
    );
    check("idle-slot", &[], "orders-db", "slot-size", "pg_replication_slots_pg_wal_lsn_diff{slot_name=\"reader\"} > 1000000000");
    check("order-shop", &[], "orders-db", "outbox-age", "redrive_database_outbox_oldest_seconds{part=\"orders-db\"} > 30");
    check(
        "order-shop",
        &[("alerts.checkout.latency-p99.above", "250ms")],
        "checkout",
        "latency-p99",
        "histogram_quantile(0.99, sum by (le) (rate(http_server_request_duration_seconds_bucket{job=\"checkout\"}[1m]))) > 0.25",
    );
    check(
        "order-shop",
        &[],
        "email",
        "retention-headroom",
        "max by (partition) (redrive_consumer_lag_seconds{part=\"email\"}) / 604800 > 0.5",
    );
}

#[test]
fn a_scenarios_rules_are_a_file_for_prometheus() {
    let run = with("poison-message", &[("alerts.email.error-rate.for", "1.5s")]);
    let expect = r#"groups:
  - name: "poison-message"
    rules:
      - alert: ConsumerLag
        expr: "max by (partition) (redrive_consumer_lag_seconds{part=\"email\"}) > 60"
        keep_firing_for: 10s
        labels:
          part: "email"
        annotations:
          summary: "lag in time > 60.0 s on Email"
      - alert: ErrorRate
        expr: "redrive_consumer_error_ratio{part=\"email\"} > 0.05"
        for: 1500ms
        keep_firing_for: 10s
        labels:
          part: "email"
        annotations:
          summary: "errors > 5% on Email"
      - alert: DlqDepth
        expr: "redrive_queue_ready{part=\"parked\"} > 0"
        keep_firing_for: 10s
        labels:
          part: "parked"
        annotations:
          summary: "ready > 0 on Parked"
"#;
    assert_eq!(rules_file(&run.scenario().expect("a sound run"), 10_000_000), expect);
}
