//! The alert rules that a scenario gets when it names none: what an operator of such parts really has.

use indexmap::IndexMap;

use super::links::trays;
use super::parts::{Kind, Reads};
use super::steps::Step;
use super::{AlertSpec, PartSpec};
use crate::sim::Micros;

const SECOND_US: u64 = 1_000_000;

/// The usual rules for these parts, in their order.
#[must_use]
pub fn usual(parts: &IndexMap<String, PartSpec>) -> Vec<AlertSpec> {
    let mut alerts = Vec::new();
    for (id, part) in parts {
        let mut rule = |rule: &str, gauge: &str, above: u64| {
            alerts.push(AlertSpec { rule: rule.into(), part: id.clone(), gauge: gauge.into(), above, hold: Micros::ZERO });
        };
        match &part.kind {
            Kind::Producer(settings) => {
                if settings
                    .to
                    .id()
                    .and_then(|to| parts.get(to))
                    .is_some_and(|to| matches!(to.kind, Kind::Queue(_) | Kind::Exchange(_) | Kind::Log(_)))
                {
                    rule("produce-errors", "produce_errors", 0);
                }
            }
            Kind::Service(_) => {
                rule("error-rate", "error_ppm", 10_000);
                rule("latency-p99", "p99_us", SECOND_US);
            }
            Kind::Database(_) => {
                if has_outbox(parts, id) {
                    rule("outbox-age", "outbox_oldest_us", 30 * SECOND_US);
                }
                if has_slot(parts, id) {
                    rule("slot-size", "slot_bytes", 1_000_000_000);
                }
            }
            Kind::Relay(_) => rule("produce-errors", "produce_errors", 0),
            Kind::Queue(settings) => match trays(parts).contains(&id.as_str()) {
                true if settings.watched => rule("dlq-depth", "ready", 0),
                true => {} // Nobody looks: that is what the setting says.
                false => rule("oldest-message", "oldest_us", 300 * SECOND_US),
            },
            Kind::Log(settings) => {
                if settings.replicas > 1 {
                    rule("under-replicated", "under_replicated", 0);
                }
                let writes = |part: &PartSpec| match &part.kind {
                    Kind::Producer(producer) => producer.transaction > 0 && producer.to.id() == Some(id),
                    _ => false,
                };
                if parts.values().any(writes) {
                    rule("open-transaction", "transaction_us", 60 * SECOND_US);
                }
            }
            Kind::Exchange(_) => rule("unroutable", "unroutable", 0),
            Kind::Dependency(_) => {}
            Kind::Worker(settings) => {
                if settings.from.id().and_then(|from| parts.get(from)).is_some_and(|from| matches!(from.kind, Kind::Log(_))) {
                    rule("consumer-lag", "lag_us", 60 * SECOND_US);
                } else {
                    rule("redelivery-rate", "redelivered_ppm", 50_000);
                }
                rule("error-rate", "error_ppm", 50_000);
            }
        }
    }
    alerts
}

/// Whether a relay reads this database by a replication slot.
fn has_slot(parts: &IndexMap<String, PartSpec>, id: &str) -> bool {
    parts.values().any(|part| match &part.kind {
        Kind::Relay(settings) => settings.from.id() == Some(id) && settings.reads == Reads::Cdc,
        _ => false,
    })
}

/// Whether anyone writes or reads an outbox in this database.
fn has_outbox(parts: &IndexMap<String, PartSpec>, id: &str) -> bool {
    parts.values().any(|part| match &part.kind {
        Kind::Relay(settings) => settings.from.id() == Some(id),
        Kind::Service(settings) => {
            settings.steps.0.iter().any(|step| matches!(step, Step::Write { database, outbox: true } if database == id))
        }
        _ => false,
    })
}
