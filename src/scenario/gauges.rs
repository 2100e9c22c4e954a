//! The gauges of each kind of part: what an operator could put on a dashboard, and what an alert rule can look at.
//!
//! All of them are whole numbers, so that a rule fires at the same sample everywhere. The world fills a part's gauges in
//! the order of its table.

use super::kind::Kind;
use super::setting::Form;
use crate::sim::time::{grouped, spoken};
use crate::sim::{Micros, PerSecond, Ppm};

/// What a gauge counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// So many.
    Count,
    /// Microseconds.
    Duration,
    /// Parts per million.
    Share,
    /// So many within the last second.
    Rate,
    /// Bytes.
    Bytes,
}

/// One gauge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaugeSpec {
    /// Name in alert rules and in the report.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What it counts in.
    pub unit: Unit,
}

const fn gauge(name: &'static str, title: &'static str, unit: Unit) -> GaugeSpec {
    GaugeSpec { name, title, unit }
}

const PRODUCER: [GaugeSpec; 4] = [
    gauge("sent_per_s", "sent", Unit::Rate),
    gauge("waiting", "waiting to be sent", Unit::Count),
    gauge("produce_errors", "produce errors", Unit::Rate),
    gauge("produce_us", "produce latency", Unit::Duration),
];
const SERVICE: [GaugeSpec; 5] = [
    gauge("requests_per_s", "requests", Unit::Rate),
    gauge("error_ppm", "errors", Unit::Share),
    gauge("p50_us", "p50 latency", Unit::Duration),
    gauge("p99_us", "p99 latency", Unit::Duration),
    gauge("in_flight", "in flight", Unit::Count),
];
const DATABASE: [GaugeSpec; 6] = [
    gauge("commits_per_s", "commits", Unit::Rate),
    gauge("errors_per_s", "errors", Unit::Rate),
    gauge("outbox_unsent", "outbox rows unsent", Unit::Count),
    gauge("outbox_oldest_us", "oldest unsent row", Unit::Duration),
    gauge("outbox_rows", "rows in the outbox table", Unit::Count),
    gauge("slot_bytes", "slot size", Unit::Bytes),
];
const RELAY: [GaugeSpec; 4] = [
    gauge("sent_per_s", "sent", Unit::Rate),
    gauge("produce_errors", "produce errors", Unit::Rate),
    gauge("retry_in_us", "next try in", Unit::Duration),
    gauge("produce_us", "produce latency", Unit::Duration),
];
const QUEUE: [GaugeSpec; 5] = [
    gauge("ready", "ready", Unit::Count),
    gauge("hidden", "hidden", Unit::Count),
    gauge("delayed", "delayed", Unit::Count),
    gauge("oldest_us", "oldest message", Unit::Duration),
    gauge("redelivered_per_s", "redelivered", Unit::Rate),
];
const EXCHANGE: [GaugeSpec; 3] = [
    gauge("per_s", "routed", Unit::Rate),
    gauge("unroutable", "unroutable", Unit::Count),
    gauge("produce_errors", "produce errors", Unit::Rate),
];
const LOG: [GaugeSpec; 9] = [
    gauge("records", "records kept", Unit::Count),
    gauge("per_s", "appended", Unit::Rate),
    gauge("produce_errors", "produce errors", Unit::Rate),
    gauge("under_replicated", "under-replicated partitions", Unit::Count),
    gauge("in_sync", "fewest replicas in sync", Unit::Count),
    gauge("elections", "leader elections", Unit::Count),
    gauge("transaction_us", "oldest open transaction", Unit::Duration),
    gauge("batches_per_s", "batches written", Unit::Rate),
    gauge("records_per_batch", "records a batch", Unit::Count),
];
const WORKER: [GaugeSpec; 13] = [
    gauge("working", "working", Unit::Count),
    gauge("idle", "idle", Unit::Count),
    gauge("crashed", "crashed", Unit::Count),
    gauge("done_per_s", "done", Unit::Rate),
    gauge("error_ppm", "errors", Unit::Share),
    gauge("redelivered_ppm", "redelivered", Unit::Share),
    gauge("lag", "lag", Unit::Count),
    gauge("lag_us", "lag in time", Unit::Duration),
    gauge("lag_stable", "lag to the last stable offset", Unit::Count),
    gauge("lag_spread_us", "one partition behind the rest", Unit::Duration),
    gauge("retention_ppm", "retention used", Unit::Share),
    gauge("rebalances", "rebalances so far", Unit::Count),
    gauge("rebalances_per_h", "rebalances an hour", Unit::Count),
];
/// Place of the number of rebalances among the gauges of a worker.
pub const REBALANCES: usize = 11;
const DEPENDENCY: [GaugeSpec; 4] = [
    gauge("in_flight", "in flight", Unit::Count),
    gauge("waiting", "waiting in line", Unit::Count),
    gauge("calls_per_s", "calls", Unit::Rate),
    gauge("error_ppm", "errors", Unit::Share),
];

/// The gauges of a kind of part, in the order in which the world fills them.
#[must_use]
pub fn gauges(kind: &Kind) -> &'static [GaugeSpec] {
    match kind {
        Kind::Producer(_) => &PRODUCER,
        Kind::Service(_) => &SERVICE,
        Kind::Database(_) => &DATABASE,
        Kind::Relay(_) => &RELAY,
        Kind::Queue(_) => &QUEUE,
        Kind::Exchange(_) => &EXCHANGE,
        Kind::Log(_) => &LOG,
        Kind::Worker(_) => &WORKER,
        Kind::Dependency(_) => &DEPENDENCY,
    }
}

impl Unit {
    /// Reads a value of this unit as a scenario writes it: `30s`, `1%`, `100/s`, `5`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(self, text: &str) -> Result<u64, String> {
        let text = text.trim();
        match self {
            Self::Count | Self::Bytes => text.parse().map_err(|_| format!("`{text}` is not a whole number")),
            Self::Duration => Micros::parse(text).map(|span| span.0),
            Self::Share => Ppm::parse(text).map(|share| u64::from(share.0)),
            Self::Rate => match text.parse() {
                Ok(count) => Ok(count),
                Err(_) => PerSecond::parse(text).map(|rate| rate.milli / 1_000),
            },
        }
    }

    /// How a value of this unit is edited.
    #[must_use]
    pub fn form(self) -> Form {
        match self {
            Self::Count | Self::Bytes => Form::Count,
            Self::Duration => Form::Duration,
            Self::Share => Form::Share,
            Self::Rate => Form::Rate,
        }
    }

    /// What to write for a value of this unit, for messages.
    #[must_use]
    pub fn described(self) -> &'static str {
        match self {
            Self::Count => "a whole number",
            Self::Duration => "a duration like 30s",
            Self::Share => "a share like 1%",
            Self::Rate => "a rate like 100/s, or 0",
            Self::Bytes => "a whole number of bytes",
        }
    }

    /// The value as a scenario writes it; [`Unit::parse`] reads it back.
    #[must_use]
    pub fn written(self, value: u64) -> String {
        match self {
            Self::Count | Self::Bytes => value.to_string(),
            Self::Duration => Micros(value).to_string(),
            Self::Share => Ppm(u32::try_from(value).unwrap_or(u32::MAX)).to_string(),
            Self::Rate => format!("{value}/s"),
        }
    }

    /// The value as a person says it: `45.2 s`, `1,904`, `0.5%`, `2,000/s`.
    #[must_use]
    pub fn spoken(self, value: u64) -> String {
        match self {
            Self::Count => grouped(value),
            Self::Duration => spoken(value),
            Self::Share => Ppm(u32::try_from(value / 100 * 100).unwrap_or(u32::MAX)).to_string(),
            Self::Rate => format!("{}/s", grouped(value)),
            Self::Bytes if value < 10_000_000 => format!("{} KB", grouped(value / 1_000)),
            Self::Bytes => format!("{} MB", grouped(value / 1_000_000)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_reads_back_as_it_is_written() {
        for unit in [Unit::Count, Unit::Duration, Unit::Share, Unit::Rate, Unit::Bytes] {
            for value in [0, 1, 999, 50_000, 1_000_000] {
                assert_eq!(unit.parse(&unit.written(value)), Ok(value), "{unit:?} {value}");
            }
        }
    }

    #[test]
    fn every_kind_has_gauges_with_names_of_their_own() {
        for word in Kind::WORDS {
            let table = gauges(&Kind::from_word(word).expect("a kind"));
            assert!(!table.is_empty(), "{word}");
            assert_eq!(WORKER[REBALANCES].name, "rebalances");
            for (index, gauge) in table.iter().enumerate() {
                assert!(table[..index].iter().all(|other| other.name != gauge.name), "{word}.{}", gauge.name);
            }
        }
    }
}
