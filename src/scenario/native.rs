//! Settings under their brokers' own names: `maxReceiveCount` for `max_receives` on SQS, `x-delivery-limit` on RabbitMQ.
//!
//! A document and `--set` take either name. A bare number under a broker's own name is in that broker's unit: seconds for
//! Amazon's, milliseconds for the others'.

use indexmap::IndexMap;
use redrive_brokers::profile::{self, Native, Profile};
use serde_json::Value;

use super::PartSpec;
use super::parts::{Broker, Kind};
use super::setting::{Form, Spec};
use crate::sim::Ppm;

/// The broker that a part is set to, where it is set to one.
#[must_use]
pub fn profile_of(kind: &Kind) -> Option<&'static Profile> {
    match kind {
        Kind::Queue(settings) => profile::named(settings.broker.word()),
        Kind::Log(settings) => profile::named(settings.broker.word()),
        _ => None,
    }
}

/// The broker under whose names people know a part's settings: its own, or for a worker the one of what it reads.
#[must_use]
pub fn broker_of(parts: &IndexMap<String, PartSpec>, kind: &Kind) -> Option<&'static Profile> {
    match kind {
        Kind::Queue(_) | Kind::Log(_) => profile_of(kind),
        Kind::Worker(settings) => match &parts.get(settings.from.id()?)?.kind {
            source @ (Kind::Queue(_) | Kind::Log(_)) => broker_of(parts, source),
            _ => None,
        },
        _ => None,
    }
}

/// A broker's own row for one of our settings.
#[must_use]
pub fn native_of(profile: &Profile, ours: &str) -> Option<&'static Native> {
    profile.settings.iter().find(|native| native.ours == ours)
}

/// Whether a part does anything with one of its settings: a queue has those of every broker, and a broker knows its own.
#[must_use]
pub fn knows(kind: &Kind, ours: &str) -> bool {
    let Kind::Queue(settings) = kind else { return true };
    match ours {
        "broker" | "latency" | "watched" => true,
        "dead_letters" => settings.broker != Broker::KafkaShare,
        "claim" | "reaper" => settings.broker == Broker::PostgresTable,
        "version" => matches!(settings.broker, Broker::RabbitmqClassic | Broker::RabbitmqQuorum),
        _ => match profile_of(kind) {
            Some(profile) => native_of(profile, ours).is_some(),
            None => matches!(ours, "visibility_timeout" | "max_receives" | "delay" | "retention"),
        },
    }
}

/// Where Kafka's Java client has its assignors: there the setting names a class.
const ASSIGNORS: &str = "org.apache.kafka.clients.consumer.";

/// A value as we write it: a producer's `acks` are also numbers, Kafka's group protocols, assignors and policies have other
/// words, a member with a name of its own is static, and no limit is -1 or -2 there.
#[must_use]
pub fn understood(name: &str, value: &Value) -> Value {
    let word = match (name, value.to_string().trim_matches('"')) {
        ("retention.ms", "-1") | ("local.retention.ms", "-2") => "365d",
        ("retention.bytes", "-1") | ("max.compaction.lag.ms", "9223372036854775807") => "0",
        ("cleanup.policy", word) if word.contains("compact") && word.contains("delete") => "both",
        ("acks", "-1") => "all",
        ("acks", "0") => "none",
        ("acks", "1") => "leader",
        ("group.protocol", "classic") => "eager",
        ("group.protocol", "consumer") => "kip848",
        ("group.instance.id", "" | "null") => "false",
        ("group.instance.id", _) => "true",
        ("partition.assignment.strategy", strategy) => match strategy.strip_prefix(ASSIGNORS).unwrap_or(strategy) {
            "RangeAssignor" => "range",
            "RoundRobinAssignor" | "roundrobin" => "round-robin",
            "StickyAssignor" => "sticky",
            "CooperativeStickyAssignor" => "cooperative-sticky",
            _ => return value.clone(),
        },
        _ => return value.clone(),
    };
    Value::from(word)
}

/// Our name for what a broker calls `name`, with its value in our way of writing; none where no broker of this part has such
/// a name.
#[must_use]
pub fn translated(kind: &Kind, table: &[Spec], name: &str, value: &Value) -> Option<(&'static str, Value)> {
    let own = profile_of(kind).into_iter();
    let profiles =
        if own.len() > 0 { own.chain([].iter().copied()) } else { None.into_iter().chain(profile::ALL.iter().copied()) };
    let (profile, native) = profiles
        .flat_map(|profile| profile.settings.iter().map(move |native| (profile, native)))
        .find(|(_, native)| native.name == name && table.iter().any(|row| row.name == native.ours))?;
    let form = table.iter().find(|row| row.name == native.ours)?.form;
    let unit = match name.rsplit('.').next() {
        Some("ms") => "ms",
        Some("seconds") => "s",
        Some("minutes") => "m",
        _ if profile.id.starts_with('s') => "s",
        _ => "ms",
    };
    let bare = match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => Some(text.clone()),
        _ => None,
    };
    let value = match (form, bare) {
        (Form::Duration | Form::Latency, Some(number)) if number != "0" => Value::String(format!("{number}{unit}")),
        (Form::Share, _) => share(value),
        _ => value.clone(),
    };
    Some((native.ours, value))
}

/// A share that is written as a part of one: `0.5` is `50%`.
fn share(value: &Value) -> Value {
    let text = value.to_string();
    match Ppm::parse(&format!("{}%", text.trim_matches('"'))) {
        Ok(hundredth) if hundredth.0 <= Ppm::ONE.0 / 100 => Value::String(Ppm(hundredth.0 * 100).to_string()),
        _ => value.clone(),
    }
}

/// The default of a setting on a part of this broker, where the broker ships another than ours.
#[must_use]
pub fn default_of(profile: &Profile, row: &Spec) -> Option<Value> {
    let native = profile.settings.iter().find(|native| native.ours == row.name)?;
    match native.default {
        "" | "none" => None,
        // A gigabyte would close no segment within a run.
        _ if row.name == "segment_bytes" => None,
        default => {
            let value = understood(native.name, &Spec { default, ..*row }.default_value());
            Some(if row.form == Form::Share { share(&value) } else { value })
        }
    }
}
