//! Alert rules to take home: each as an expression of Prometheus, over the metrics that a broker's own exporter has.
//!
//! Names and labels are those of the RabbitMQ plugin (`/metrics/per-object`), of Kafka Exporter and Kafka Lag Exporter, of the
//! Kafka clients by Micrometer, of the CloudWatch exporter, of the Postgres exporter, and for requests of OpenTelemetry. What
//! none of them has is under a name of our own, `redrive_…`, in seconds, ratios and bytes: whoever takes the rule home exports
//! it under that name or writes in another.

use super::alerts::gauge_of;
use super::choices::{Broker, LogBroker, Reads};
use super::gauges::{GaugeSpec, Unit};
use super::kind::Kind;
use super::{AlertSpec, Scenario};
use crate::sim::Micros;

/// A value in millionths as a plain decimal: `0.5`, `30`.
fn millionths(value: u64) -> String {
    let (whole, rest) = (value / 1_000_000, value % 1_000_000);
    if rest == 0 {
        return whole.to_string();
    }
    let digits = (1_000_000 + rest).to_string();
    [&whole.to_string(), ".", digits[1..].trim_end_matches('0')].concat()
}

/// A threshold in the unit that metrics have: seconds, ratios, bytes.
fn bound(unit: Unit, above: u64) -> String {
    match unit {
        Unit::Duration | Unit::Share => millionths(above),
        Unit::Count | Unit::Rate | Unit::Bytes => above.to_string(),
    }
}

/// A metric of our own, named after its gauge and unit.
fn own(kind: &Kind, gauge: &GaugeSpec, part: &str) -> String {
    let kind = if matches!(kind, Kind::Worker(_)) { "consumer" } else { kind.word() };
    let (name, unit) = match gauge.unit {
        Unit::Duration => (gauge.name.trim_end_matches("_us"), "_seconds"),
        Unit::Share => (gauge.name.trim_end_matches("_ppm"), "_ratio"),
        Unit::Count | Unit::Rate | Unit::Bytes => (gauge.name, ""),
    };
    ["redrive_", kind, "_", name, unit, "{part=\"", part, "\"}"].concat()
}

/// Metric and labels of what requests a service has answered.
fn requests(suffix: &str, part: &str, more: &str) -> String {
    ["rate(http_server_request_duration_seconds_", suffix, "{job=\"", part, "\"", more, "}[1m])"].concat()
}

/// The broker of a queue; of a plain one that takes dead letters, the one of the queue that they come from.
fn broker_of(scenario: &Scenario, id: &str) -> Broker {
    let queues = || {
        scenario.parts.iter().filter_map(|(id, part)| match &part.kind {
            Kind::Queue(queue) => Some((id, queue)),
            _ => None,
        })
    };
    let own = queues().find(|(queue, _)| *queue == id).map_or(Broker::Generic, |(_, queue)| queue.broker);
    if own != Broker::Generic {
        return own;
    }
    queues().find(|(_, queue)| queue.dead_letters.id() == Some(id)).map_or(own, |(_, queue)| queue.broker)
}

/// What a queue's broker calls one of its gauges.
fn of_queue(scenario: &Scenario, id: &str, gauge: &str) -> Option<String> {
    let named = |front: &str, back: &str| Some([front, "\"", id, "\"}", back].concat());
    match (broker_of(scenario, id), gauge) {
        (Broker::RabbitmqClassic | Broker::RabbitmqQuorum, "ready") => named("rabbitmq_queue_messages_ready{queue=", ""),
        (Broker::RabbitmqClassic | Broker::RabbitmqQuorum, "hidden") => named("rabbitmq_queue_messages_unacked{queue=", ""),
        (Broker::RabbitmqClassic | Broker::RabbitmqQuorum, "oldest_us") => {
            named("time() - rabbitmq_queue_head_message_timestamp{queue=", "")
        }
        (Broker::RabbitmqClassic | Broker::RabbitmqQuorum, "redelivered_ppm") => Some(
            [
                "sum(rate(rabbitmq_channel_messages_redelivered_total{queue=\"",
                id,
                "\"}[1m])) / sum(rate(rabbitmq_channel_messages_delivered_ack_total{queue=\"",
                id,
                "\"}[1m]))",
            ]
            .concat(),
        ),
        (Broker::Sqs | Broker::SqsFifo, "ready") => {
            named("aws_sqs_approximate_number_of_messages_visible_maximum{queue_name=", "")
        }
        (Broker::Sqs | Broker::SqsFifo, "hidden") => {
            named("aws_sqs_approximate_number_of_messages_not_visible_maximum{queue_name=", "")
        }
        (Broker::Sqs | Broker::SqsFifo, "delayed") => {
            named("aws_sqs_approximate_number_of_messages_delayed_maximum{queue_name=", "")
        }
        (Broker::Sqs | Broker::SqsFifo, "oldest_us") => {
            named("aws_sqs_approximate_age_of_oldest_message_maximum{queue_name=", "")
        }
        _ => None,
    }
}

/// What a client of Kafka calls one of the gauges of a publisher.
fn of_publisher(scenario: &Scenario, id: &str, to: Option<&str>, kind: &Kind, gauge: &GaugeSpec) -> Option<String> {
    let kafka = match &scenario.parts.get(to?)?.kind {
        Kind::Log(log) => log.broker != LogBroker::Generic,
        _ => false,
    };
    match (kafka, gauge.name) {
        (true, "produce_errors") => Some(["sum(rate(kafka_producer_record_error_total{client_id=\"", id, "\"}[1m]))"].concat()),
        (true, "produce_us") => Some(["max(kafka_producer_request_latency_avg{client_id=\"", id, "\"}) / 1000"].concat()),
        (false, "produce_errors") => {
            Some(["rate(redrive_", kind.word(), "_produce_errors_total{part=\"", id, "\"}[1m])"].concat())
        }
        _ => None,
    }
}

/// What a group's gauges are called: by partition, so that the alert tells which.
fn of_group(scenario: &Scenario, id: &str, from: &str, gauge: &str) -> Option<String> {
    let Kind::Log(log) = &scenario.parts.get(from)?.kind else { return of_queue(scenario, from, gauge) };
    let kafka = log.broker != LogBroker::Generic;
    let lag = match kafka {
        true => ["kafka_consumergroup_group_lag_seconds{group=\"", id, "\",topic=\"", from, "\"}"].concat(),
        false => ["redrive_consumer_lag_seconds{part=\"", id, "\"}"].concat(),
    };
    match gauge {
        "lag_us" => Some(["max by (partition) (", &lag, ")"].concat()),
        "lag_spread_us" => Some(["max(", &lag, ") - quantile(0.5, ", &lag, ")"].concat()),
        "retention_ppm" => Some(["max by (partition) (", &lag, ") / ", &millionths(log.retention.0)].concat()),
        "lag" if kafka => Some(["sum(kafka_consumergroup_lag{consumergroup=\"", id, "\",topic=\"", from, "\"})"].concat()),
        "rebalances_per_h" if kafka => {
            Some(["max(kafka_consumer_coordinator_rebalance_rate_per_hour{client_id=~\"", id, ".*\"})"].concat())
        }
        "rebalances_per_h" => Some(["increase(redrive_consumer_rebalances_total{part=\"", id, "\"}[1h])"].concat()),
        _ => None,
    }
}

/// What an exporter calls what a rule looks at; none where it would be a metric of our own.
fn exported(scenario: &Scenario, id: &str, kind: &Kind, gauge: &GaugeSpec) -> Option<String> {
    match (kind, gauge.name) {
        (Kind::Producer(settings), _) => of_publisher(scenario, id, settings.to.id(), kind, gauge),
        (Kind::Relay(settings), _) => of_publisher(scenario, id, settings.to.id(), kind, gauge),
        (Kind::Service(_), "requests_per_s") => Some(["sum(", &requests("count", id, ""), ")"].concat()),
        (Kind::Service(_), "error_ppm") => {
            let failed = requests("count", id, ",http_response_status_code=~\"5..\"");
            Some(["sum(", &failed, ") / sum(", &requests("count", id, ""), ")"].concat())
        }
        (Kind::Service(_), "p50_us" | "p99_us") => {
            let quantile = if gauge.name == "p50_us" { "0.5" } else { "0.99" };
            Some(["histogram_quantile(", quantile, ", sum by (le) (", &requests("bucket", id, ""), "))"].concat())
        }
        (Kind::Database(_), "slot_bytes") => {
            let reads =
                |kind: &Kind| matches!(kind, Kind::Relay(relay) if relay.from.id() == Some(id) && relay.reads == Reads::Cdc);
            let (relay, _) = scenario.parts.iter().find(|(_, part)| reads(&part.kind))?;
            Some(["pg_replication_slots_pg_wal_lsn_diff{slot_name=\"", &relay.replace('-', "_"), "\"}"].concat())
        }
        (Kind::Queue(_), _) => of_queue(scenario, id, gauge.name),
        (Kind::Exchange(settings), "unroutable") => {
            let rabbit = |queue: &str| matches!(broker_of(scenario, queue), Broker::RabbitmqClassic | Broker::RabbitmqQuorum);
            settings
                .bindings
                .0
                .iter()
                .any(|(queue, _)| rabbit(queue))
                .then(|| ["sum(rabbitmq_channel_messages_unroutable_dropped_total{exchange=\"", id, "\"})"].concat())
        }
        (Kind::Log(log), "under_replicated") if log.broker != LogBroker::Generic => {
            Some(["sum(kafka_topic_partition_under_replicated_partition{topic=\"", id, "\"})"].concat())
        }
        (Kind::Log(log), "in_sync") if log.broker != LogBroker::Generic => {
            Some(["min(kafka_topic_partition_in_sync_replica{topic=\"", id, "\"})"].concat())
        }
        (Kind::Worker(settings), _) => of_group(scenario, id, settings.from.id()?, gauge.name),
        _ => None,
    }
}

/// A rule as an alerting expression: `max by (partition) (redrive_consumer_lag_seconds{part="email"}) > 60`. How long it has
/// to hold stands beside it, as [`AlertSpec::hold`].
#[must_use]
pub fn expression(scenario: &Scenario, rule: &AlertSpec) -> String {
    let (Some(part), Some(gauge)) = (scenario.parts.get(&rule.part), gauge_of(scenario, rule)) else { return String::new() };
    let metric = exported(scenario, &rule.part, &part.kind, gauge).unwrap_or_else(|| own(&part.kind, gauge, &rule.part));
    [&metric, " > ", &bound(gauge.unit, rule.above)].concat()
}

/// A duration as Prometheus writes it: whole numbers only.
fn duration(span: Micros) -> String {
    match span.0 % 1_000_000 {
        0 => span.to_string(),
        _ => [&span.0.div_ceil(1_000).to_string(), "ms"].concat(),
    }
}

/// `outbox-age` as `OutboxAge`.
fn camel(rule: &str) -> String {
    rule.split('-')
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            [&first.to_ascii_uppercase(), rest].concat()
        })
        .collect()
}

/// All rules of a scenario as a rules file of Prometheus. `keep_firing_us` is for how long a rule goes on after its gauge is
/// back.
#[must_use]
pub fn rules_file(scenario: &Scenario, keep_firing_us: u64) -> String {
    // A JSON text is a YAML text between double quotes.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut out = ["groups:\n  - name: ", &quoted(&scenario.id), "\n    rules:\n"].concat();
    if scenario.alerts.is_empty() {
        out = ["groups:\n  - name: ", &quoted(&scenario.id), "\n    rules: []\n"].concat();
    }
    for rule in &scenario.alerts {
        let (Some(part), Some(gauge)) = (scenario.parts.get(&rule.part), gauge_of(scenario, rule)) else { continue };
        let summary = [gauge.title, " > ", &gauge.unit.spoken(rule.above), " on ", &part.title].concat();
        let mut row = |front: &str, text: &str| out.extend([front, text, "\n"]);
        row("      - alert: ", &camel(&rule.rule));
        row("        expr: ", &quoted(&expression(scenario, rule)));
        if rule.hold.0 > 0 {
            row("        for: ", &duration(rule.hold));
        }
        row("        keep_firing_for: ", &duration(Micros(keep_firing_us)));
        row("        labels:\n          part: ", &quoted(&rule.part));
        row("        annotations:\n          summary: ", &quoted(&summary));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_the_units_of_metrics() {
        assert_eq!(bound(Unit::Duration, 30_000_000), "30");
        assert_eq!(bound(Unit::Duration, 1_250_000), "1.25");
        assert_eq!(bound(Unit::Share, 50_000), "0.05");
        assert_eq!(bound(Unit::Share, 1), "0.000001");
        assert_eq!(bound(Unit::Bytes, 1_000_000_000), "1000000000");
        assert_eq!(duration(Micros::seconds(90)), "90s");
        assert_eq!(duration(Micros(1_500_000)), "1500ms");
        assert_eq!(camel("outbox-age"), "OutboxAge");
    }
}
