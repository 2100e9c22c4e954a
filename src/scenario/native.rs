//! Settings under their brokers' own names: `maxReceiveCount` for `max_receives` on SQS, `x-delivery-limit` on RabbitMQ.
//!
//! A document and `--set` take either name. A bare number under a broker's own name is in that broker's unit: seconds for
//! Amazon's, milliseconds for the others'.

use indexmap::IndexMap;
use redrive_brokers::profile::{self, Native, Profile};
use serde_json::Value;

use super::PartSpec;
use super::choices::Broker;
use super::kind::Kind;
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
        "claim" | "skip_locked" | "reaper" => settings.broker == Broker::PostgresTable,
        "message_bytes" => knows(kind, "max_bytes"),
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
/// words, a member with a name of its own is static, one with a rack reads there, and no limit is -1 or -2 there.
#[must_use]
pub fn understood(name: &str, value: &Value) -> Value {
    let word = match (name, value.to_string().trim_matches('"')) {
        ("retention.ms", "-1") | ("local.retention.ms", "-2") => "365d",
        ("retention.bytes", "-1") | ("max.compaction.lag.ms", "9223372036854775807") => "0",
        // Expired at once, unless a consumer waits for it.
        ("x-message-ttl" | "expiration", "0") => "1us",
        ("cleanup.policy", word) if word.contains("compact") && word.contains("delete") => "both",
        ("acks", "-1") => "all",
        ("acks", "0") => "none",
        ("acks", "1") => "leader",
        ("group.protocol", "classic") => "eager",
        ("group.protocol", "consumer") => "kip848",
        ("client.rack", "" | "null") => "leader",
        ("client.rack", _) => "nearest",
        ("group.instance.id", "" | "null") => "false",
        ("group.instance.id", _) => "true",
        ("partition.assignment.strategy", strategy) => match strategy.strip_prefix(ASSIGNORS).unwrap_or(strategy) {
            "RangeAssignor" => "range",
            "RoundRobinAssignor" | "roundrobin" => "round-robin",
            "StickyAssignor" => "sticky",
            "CooperativeStickyAssignor" => "cooperative-sticky",
            _ => return value.clone(),
        },
        // RabbitMQ's name and ours; its number is in milliseconds.
        ("consumer_timeout", number) if number != "0" && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            return Value::from(format!("{number}ms"));
        }
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
        .find(|(_, native)| is_called(native, name) && table.iter().any(|row| row.name == native.ours))?;
    if profile_of(kind).is_none() && !knows(kind, native.ours) {
        return None;
    }
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

/// Whether a broker calls a setting so, in whichever of its words: `prefetch_count` is one of `basic.qos prefetch_count`.
fn is_called(native: &Native, name: &str) -> bool {
    native.name == name
        || native.name.split(", ").any(|one| one == name || one.rsplit_once(' ').is_some_and(|(_, last)| last == name))
}

/// The range that a broker allows for a setting under its own name, where that is a range and no setting of the server: with
/// Kafka and PostgreSQL it is.
#[must_use]
pub fn range_of(kind: &Kind, name: &str) -> Option<&'static str> {
    let all = profile::ALL.iter().filter(|profile| profile_of(kind).is_none_or(|own| own == **profile));
    let fixed = all.filter(|profile| profile.id.starts_with("sqs") || profile.id.starts_with("rabbitmq"));
    let known = |native: &&Native| native.name == name && native.ours != name;
    fixed.flat_map(|profile| profile.settings).find(known).map(|native| native.allowed).filter(|allowed| allowed.contains("..="))
}

/// Settings of brokers that no profile has, because nothing here follows them.
const LEFT_OUT: &str = " x-queue-mode x-priority RedriveAllowPolicy \
    fetch.min.bytes fetch.max.wait.ms metadata.max.age.ms compression.type message.timestamp.type ";

/// What is wrong with a name that is no setting of a part: of a broker's own ones it says which broker's.
#[must_use]
pub fn unknown(kind: &Kind, name: &str) -> String {
    let shown: String = name.chars().take(60).collect();
    let mut brokers = profile::ALL.iter().filter(|profile| profile.settings.iter().any(|native| is_called(native, name)));
    let own = profile_of(kind);
    let is_own = own.is_some_and(|own| own.settings.iter().any(|native| is_called(native, name)));
    match brokers.next() {
        Some(broker) if !is_own && matches!(kind, Kind::Queue(_) | Kind::Log(_)) => {
            format!("`{shown}` is a setting of {}, and `broker` is another", broker.title)
        }
        Some(broker) => format!("`{shown}` of {} is not modelled for a {}", own.unwrap_or(broker).title, kind.word()),
        None if LEFT_OUT.contains(&format!(" {name} ")) => format!("`{shown}` is not modelled"),
        None => format!("`{shown}` is not a setting of a {}", kind.word()),
    }
}

/// What one native setting says in several of ours: the type of a queue of RabbitMQ, and where its dead letters or those of a
/// queue of SQS go.
#[must_use]
pub fn spread(name: &str, value: &Value) -> Option<Vec<(String, Value)>> {
    let text = value.as_str();
    match (name, text) {
        ("x-queue-type", Some(kind)) => Some(vec![("broker".into(), Value::from(format!("rabbitmq-{kind}")))]),
        // The default exchange: the routing key is the queue.
        ("x-dead-letter-exchange", Some("")) => Some(Vec::new()),
        ("RedrivePolicy", _) => {
            let read = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
            let fields = read.as_ref().unwrap_or(value).as_object()?;
            Some(fields.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        ("deadLetterTargetArn", Some(arn)) => {
            Some(vec![("dead_letters".into(), Value::from(arn.rsplit(':').next().unwrap_or(arn)))])
        }
        _ => None,
    }
}

/// A share that is written as a part of one: `0.5` is `50%`.
fn share(value: &Value) -> Value {
    let text = value.to_string();
    match Ppm::parse(&format!("{}%", text.trim_matches('"'))) {
        Ok(hundredth) if hundredth.0 <= Ppm::ONE.0 / 100 => Value::String(Ppm(hundredth.0 * 100).to_string()),
        _ => value.clone(),
    }
}

/// The settings in which a worker on a log has the defaults of its broker's client where nothing is said.
pub const CLIENT_DEFAULTS: [&str; 2] = ["start_from", "batch"];

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
