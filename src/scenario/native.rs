//! Settings under their brokers' own names: `maxReceiveCount` for `max_receives` on SQS, `x-delivery-limit` on RabbitMQ.
//!
//! A document and `--set` take either name. A bare number under a broker's own name is in that broker's unit: seconds for
//! Amazon's, milliseconds for the others'.

use redrive_brokers::profile::{self, Native, Profile};
use serde_json::Value;

use super::parts::Kind;
use super::setting::{Form, Spec};

/// The broker that a part is set to, where it is set to one.
#[must_use]
pub fn profile_of(kind: &Kind) -> Option<&'static Profile> {
    match kind {
        Kind::Queue(settings) => profile::named(settings.broker.word()),
        _ => None,
    }
}

/// The broker's own row for one of our settings of this part.
#[must_use]
pub fn native_of(kind: &Kind, ours: &str) -> Option<&'static Native> {
    match kind {
        Kind::Worker(_) | Kind::Log(_) | Kind::Relay(_) | Kind::Producer(_) => every(ours),
        _ => profile_of(kind)?.settings.iter().find(|native| native.ours == ours),
    }
}

/// The first row of any broker for one of our settings.
fn every(ours: &str) -> Option<&'static Native> {
    profile::ALL.iter().flat_map(|profile| profile.settings).find(|native| native.ours == ours)
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
    let unit = if profile.id.starts_with('s') { "s" } else { "ms" };
    let bare = match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => Some(text.clone()),
        _ => None,
    };
    let value = match (form, bare) {
        (Form::Duration | Form::Latency, Some(number)) => Value::String(format!("{number}{unit}")),
        _ => value.clone(),
    };
    Some((native.ours, value))
}

/// The default of a setting on a part of this broker, where the broker ships another than ours.
#[must_use]
pub fn default_of(profile: &Profile, row: &Spec) -> Option<Value> {
    let native = profile.settings.iter().find(|native| native.ours == row.name)?;
    match native.default {
        "" | "none" => None,
        default => Some(Spec { default, ..*row }.default_value()),
    }
}
