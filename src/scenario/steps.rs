//! Two small languages inside a scenario: the steps of a service and the listed messages of a producer.

use std::fmt;

use serde_json::{Map, Value};

use super::setting::{Form, SettingValue};
use crate::sim::{Latency, Micros};

/// One step of a service's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The service's own work.
    Work(Latency),
    /// Calls one or several dependencies at the same time and waits for all.
    Call(Vec<String>),
    /// A transaction: the order row, and the outbox row with it if asked for.
    Write {
        /// The database.
        database: String,
        /// Whether an outbox row is written in the same transaction.
        outbox: bool,
    },
    /// Sends the order's event to a queue or log and waits for the confirmation.
    Publish(String),
    /// Tells the user yes. Steps after it run in the process's memory.
    Answer,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work(latency) => write!(f, "work {latency}"),
            Self::Call(parts) => write!(f, "call {}", parts.join(" + ")),
            Self::Write { database, outbox: false } => write!(f, "write {database}"),
            Self::Write { database, outbox: true } => write!(f, "write {database} with outbox"),
            Self::Publish(part) => write!(f, "publish {part}"),
            Self::Answer => f.write_str("answer"),
        }
    }
}

impl Step {
    /// Reads one step.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["answer"] => Ok(Self::Answer),
            ["work", rest @ ..] if !rest.is_empty() => Latency::parse(&rest.join(" ")).map(Self::Work),
            ["call", rest @ ..] if !rest.is_empty() => {
                let parts: Vec<String> = rest.join(" ").split('+').map(|part| part.trim().to_owned()).collect();
                if parts.iter().any(|part| part.is_empty() || part.contains(' ')) {
                    return Err(format!("`{text}`: write several calls as call A + B"));
                }
                Ok(Self::Call(parts))
            }
            ["write", database] => Ok(Self::Write { database: (*database).to_owned(), outbox: false }),
            ["write", database, "with", "outbox"] => Ok(Self::Write { database: (*database).to_owned(), outbox: true }),
            ["publish", part] => Ok(Self::Publish((*part).to_owned())),
            _ => Err(format!("`{text}` is not a step")),
        }
    }

    /// The parts that the step names.
    #[must_use]
    pub fn parts(&self) -> Vec<&str> {
        match self {
            Self::Work(_) | Self::Answer => Vec::new(),
            Self::Call(parts) => parts.iter().map(String::as_str).collect(),
            Self::Write { database, .. } => vec![database],
            Self::Publish(part) => vec![part],
        }
    }
}

/// The steps of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps(pub Vec<Step>);

impl SettingValue for Steps {
    const FORM: Form = Form::Steps;
    fn read(value: &Value, _range: &str) -> Result<Self, String> {
        let texts: Vec<&str> = match value {
            Value::Array(items) => items.iter().map(Value::as_str).collect::<Option<_>>().ok_or("a step is a text")?,
            Value::String(text) => text.split(',').map(str::trim).collect(),
            other => return Err(format!("{other} is not a list of steps")),
        };
        if texts.is_empty() || texts.len() > 16 {
            return Err(format!("there are {} steps; 1 to 16 are allowed", texts.len()));
        }
        let steps = texts.into_iter().map(Step::parse).collect::<Result<Vec<_>, _>>()?;
        match steps.iter().filter(|step| matches!(step, Step::Answer)).count() {
            1 => Ok(Self(steps)),
            0 => Err("no step answers the user: add \"answer\"".into()),
            more => Err(format!("`answer` stands {more} times; a request is answered once")),
        }
    }
    fn write(&self) -> Value {
        Value::Array(self.0.iter().map(|step| Value::String(step.to_string())).collect())
    }
}

/// The bindings of an exchange: a queue each, with its binding key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings(pub Vec<(String, String)>);

/// The most bindings of an exchange.
const MOST_BINDINGS: usize = 64;

impl SettingValue for Bindings {
    const FORM: Form = Form::Bindings;
    fn read(value: &Value, _range: &str) -> Result<Self, String> {
        let text = value.as_str().ok_or_else(|| format!("{value} is not {}", Self::FORM.described()))?;
        let bindings: Vec<(String, String)> = text
            .split(',')
            .map(str::trim)
            .filter(|binding| !binding.is_empty())
            .map(|binding| binding.split_once(' ').unwrap_or((binding, "")))
            .map(|(queue, key)| (queue.to_owned(), key.trim().to_owned()))
            .collect();
        if bindings.len() > MOST_BINDINGS {
            return Err(format!("there are {} bindings; {MOST_BINDINGS} at most are allowed", bindings.len()));
        }
        match bindings.iter().find(|(_, key)| key.contains(' ') || key.len() > 255) {
            Some((queue, _)) => Err(format!("`{queue}`: a binding key is one word of at most 255 letters")),
            None => Ok(Self(bindings)),
        }
    }
    fn write(&self) -> Value {
        let bindings: Vec<String> = self.0.iter().map(|(queue, key)| format!("{queue} {key}").trim_end().to_owned()).collect();
        Value::String(bindings.join(", "))
    }
}

/// A message that a scenario lists by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The fact that it tells of. Two messages with one id tell of the same fact: the second is a repeat.
    pub id: String,
    /// Its key, if it has one of its own.
    pub key: Option<u64>,
    /// Whether it can never be processed.
    pub poison: bool,
    /// Whether it has no value, so that a compacted log forgets its key.
    pub tombstone: bool,
    /// Its priority, if it has one of its own.
    pub priority: Option<u64>,
    /// How long it stays invisible, if that is its own matter.
    pub delay: Option<Micros>,
    /// How long it may wait, if that is its own matter.
    pub ttl: Option<Micros>,
    /// Its routing key, if it has one of its own.
    pub routing: Option<String>,
    /// When it comes; without one, right after the message before it.
    pub at: Option<Micros>,
    /// A figure that its effect adds to its key's total.
    pub value: u64,
}

/// Listed messages, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages(pub Vec<Listed>);

/// The fields of a listed message.
const FIELDS: &str = "id, key, poison, tombstone, priority, delay, ttl, routing, at, value";

/// A field of a listed message that has a range.
fn ranged<T: SettingValue>(name: &str, value: &Value, range: &str) -> Result<T, String> {
    T::read(value, range).map_err(|fault| format!("{name}: {fault}; {} is allowed", range.replace("..=", " to ")))
}

impl Listed {
    fn read(value: &Value) -> Result<Self, String> {
        let mut listed = Self::default();
        match value {
            Value::String(id) => listed.id.clone_from(id),
            Value::Object(fields) => {
                for (name, value) in fields {
                    let wrong = |fault: String| format!("{name}: {fault}");
                    match name.as_str() {
                        "id" => listed.id = String::read(value, "").map_err(wrong)?,
                        "key" => listed.key = Some(ranged(name, value, "0..=10000000")?),
                        "poison" => listed.poison = bool::read(value, "").map_err(wrong)?,
                        "tombstone" => listed.tombstone = bool::read(value, "").map_err(wrong)?,
                        "priority" => listed.priority = Some(ranged(name, value, "0..=255")?),
                        "delay" => listed.delay = Some(ranged(name, value, "0s..=15m")?),
                        "ttl" => listed.ttl = Some(ranged(name, value, "0s..=365d")?),
                        "routing" => listed.routing = Some(String::read(value, "").map_err(wrong)?),
                        "at" => listed.at = Some(ranged(name, value, "0s..=365d")?),
                        "value" => listed.value = ranged(name, value, "0..=1000000000")?,
                        _ => return Err(format!("`{name}` is not a field of a message, which has {FIELDS}")),
                    }
                }
            }
            other => return Err(format!("{other} is not a message")),
        }
        if listed.id.is_empty() || listed.id.len() > 40 {
            return Err("a message needs an id of 1 to 40 characters".into());
        }
        Ok(listed)
    }

    fn write(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("id".into(), Value::String(self.id.clone()));
        if let Some(key) = self.key {
            fields.insert("key".into(), Value::from(key));
        }
        if self.poison {
            fields.insert("poison".into(), Value::Bool(true));
        }
        if self.tombstone {
            fields.insert("tombstone".into(), Value::Bool(true));
        }
        if let Some(priority) = self.priority {
            fields.insert("priority".into(), Value::from(priority));
        }
        for (name, span) in [("delay", self.delay), ("ttl", self.ttl)] {
            if let Some(span) = span {
                fields.insert(name.into(), span.write());
            }
        }
        if let Some(routing) = &self.routing {
            fields.insert("routing".into(), Value::from(routing.clone()));
        }
        if let Some(at) = self.at {
            fields.insert("at".into(), at.write());
        }
        if self.value > 0 {
            fields.insert("value".into(), Value::from(self.value));
        }
        if fields.len() == 1 { Value::String(self.id.clone()) } else { Value::Object(fields) }
    }
}

impl SettingValue for Messages {
    const FORM: Form = Form::Messages;
    fn read(value: &Value, _range: &str) -> Result<Self, String> {
        let items = match value {
            Value::Array(items) => items.clone(),
            Value::String(text) => text.split(',').map(|id| Value::String(id.trim().to_owned())).collect(),
            other => return Err(format!("{other} is not a list of messages")),
        };
        if items.len() > 10_000 {
            return Err(format!("{} messages are listed; at most 10000", items.len()));
        }
        items
            .iter()
            .enumerate()
            .map(|(index, item)| Listed::read(item).map_err(|fault| format!("message {index}: {fault}")))
            .collect::<Result<_, _>>()
            .map(Self)
    }
    fn write(&self) -> Value {
        Value::Array(self.0.iter().map(Listed::write).collect())
    }
}
