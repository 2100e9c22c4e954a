//! What a setting is: a name, a kind of value, a default, a range and a sentence that says what it does.
//!
//! The [`settings!`](crate::settings) macro makes a typed struct and a table from one declaration. The table serves the
//! checks of a scenario, `--set`, `redrive export`, the JSON Schema and the inspector of the page, so a setting is
//! written down once.

use std::fmt;

use serde_json::Value;

use crate::sim::{Latency, Micros, PerSecond, Ppm};

/// One row of a settings table.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Name in JSON and in `--set`.
    pub name: &'static str,
    /// What kind of value it takes.
    pub form: Form,
    /// The default as text.
    pub default: &'static str,
    /// What is allowed, as text: `0s..=12h`, `a|b`, or empty where the form says it all.
    pub range: &'static str,
    /// What it does.
    pub doc: &'static str,
}

/// The kinds of value a setting may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `30s`
    Duration,
    /// A whole number.
    Count,
    /// `0.1%`
    Share,
    /// `2000/s`
    Rate,
    /// `true` or `false`
    Flag,
    /// One word of several.
    Choice,
    /// The id of another part, or nothing.
    Part,
    /// A duration or a distribution of durations.
    Latency,
    /// A list of steps: `["write orders-db", "answer"]`.
    Steps,
    /// A list of messages.
    Messages,
    /// Queues with their binding keys.
    Bindings,
    /// Any text.
    Text,
}

impl Form {
    /// What to write for a value of this kind, for messages: `a duration like 30s`.
    #[must_use]
    pub fn described(self) -> &'static str {
        match self {
            Self::Duration => "a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
            Self::Count => "a whole number",
            Self::Share => "a share like 30% or 0.1%",
            Self::Rate => "a rate like 2000/s, 0.5/s or 6/min",
            Self::Flag => "true or false",
            Self::Choice => "one of the words",
            Self::Part => "the id of a part",
            Self::Latency => "a latency like 20ms, 20ms..80ms, exp 20ms or p50 20ms p99 1.5s",
            Self::Steps => "a list of steps like [\"call card-issuer\", \"write orders-db with outbox\", \"answer\"]",
            Self::Messages => "a list of messages like [\"m1\", {\"id\": \"m2\", \"poison\": true}]",
            Self::Bindings => "queues with binding keys like email order.*, audit #",
            Self::Text => "a text",
        }
    }
}

/// A type that a setting can have.
pub trait SettingValue: Sized + Clone + Default {
    /// The kind, for tables.
    const FORM: Form;

    /// Reads a JSON value, or the text that `--set` carries.
    ///
    /// # Errors
    /// What is wrong, in words. The caller adds the place and what is allowed.
    fn read(value: &Value, range: &str) -> Result<Self, String>;

    /// Writes it as a scenario would.
    fn write(&self) -> Value;
}

/// The text of a JSON value that should be one.
fn text(value: &Value, form: Form) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("{value} is not {}", form.described()))
}

/// Checks `parsed` against a range `low..=high` whose ends are written like the value.
fn within<T: PartialOrd>(parsed: T, shown: &str, range: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    let Some((low, high)) = range.split_once("..=") else { return Ok(parsed) };
    let inside = parse(low).is_ok_and(|low| parsed >= low) && parse(high).is_ok_and(|high| parsed <= high);
    if inside { Ok(parsed) } else { Err(format!("{shown} is out of range")) }
}

macro_rules! text_setting {
    ($type:ty, $form:expr, $parse:expr) => {
        impl SettingValue for $type {
            const FORM: Form = $form;
            fn read(value: &Value, range: &str) -> Result<Self, String> {
                // A bare 0 has no unit to be wrong about; any other number has.
                let shown = match value {
                    Value::Number(number) => number.to_string(),
                    other => text(other, Self::FORM)?.to_owned(),
                };
                within($parse(&shown)?, &format!("`{shown}`"), range, $parse)
            }
            fn write(&self) -> Value {
                Value::String(self.to_string())
            }
        }
    };
}

text_setting!(Micros, Form::Duration, Micros::parse);
text_setting!(PerSecond, Form::Rate, PerSecond::parse);
text_setting!(Ppm, Form::Share, Ppm::parse);

impl SettingValue for Latency {
    const FORM: Form = Form::Latency;
    fn read(value: &Value, _range: &str) -> Result<Self, String> {
        match value {
            Value::Number(number) => Self::parse(&number.to_string()),
            other => Self::parse(text(other, Self::FORM)?),
        }
    }
    fn write(&self) -> Value {
        Value::String(self.to_string())
    }
}

impl SettingValue for u64 {
    const FORM: Form = Form::Count;
    fn read(value: &Value, range: &str) -> Result<Self, String> {
        let shown = match value {
            Value::Number(number) => number.to_string(),
            other => text(other, Self::FORM)?.trim().to_owned(),
        };
        if shown.starts_with('-') {
            return Err(format!("{shown} is negative"));
        }
        let parse = |text: &str| text.parse::<Self>().map_err(|_| format!("`{text}` is not a whole number"));
        within(parse(&shown)?, &shown, range, parse)
    }
    fn write(&self) -> Value {
        Value::from(*self)
    }
}

impl SettingValue for bool {
    const FORM: Form = Form::Flag;
    fn read(value: &Value, _range: &str) -> Result<Self, String> {
        match value {
            Value::Bool(flag) => Ok(*flag),
            Value::String(word) if word == "true" || word == "on" => Ok(true),
            Value::String(word) if word == "false" || word == "off" => Ok(false),
            other => Err(format!("{other} is neither true nor false")),
        }
    }
    fn write(&self) -> Value {
        Value::Bool(*self)
    }
}

/// Whether a character is not read but obeyed: a control, or one that turns round what stands after it on the line.
fn is_obeyed(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

impl SettingValue for String {
    const FORM: Form = Form::Text;
    fn read(value: &Value, _range: &str) -> Result<Self, String> {
        let text = text(value, Self::FORM)?;
        if text.chars().count() > 200 {
            return Err("the text is longer than the 200 characters that are allowed".into());
        }
        if text.chars().any(is_obeyed) {
            return Err("the text has a control character, which is not allowed".into());
        }
        Ok(text.to_owned())
    }
    fn write(&self) -> Value {
        Value::String(self.clone())
    }
}

/// The id of another part, or nothing (written as an empty text).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartName(pub String);

impl PartName {
    /// The id, where one is named.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(self.0.as_str())
    }
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SettingValue for PartName {
    const FORM: Form = Form::Part;
    fn read(value: &Value, _range: &str) -> Result<Self, String> {
        match value {
            Value::Null => Ok(Self::default()),
            other => text(other, Self::FORM).map(|id| Self(id.trim().to_owned())),
        }
    }
    fn write(&self) -> Value {
        Value::String(self.0.clone())
    }
}

/// Why a value was not taken for a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no setting of this name.
    Unknown,
    /// The value is wrong: what is wrong, and what is allowed.
    Bad {
        /// What is wrong.
        wrong: String,
        /// What is allowed.
        allowed: String,
    },
}

impl Spec {
    /// What is allowed, in words: `0s..=12h: a duration like …`.
    #[must_use]
    pub fn allowed(&self) -> String {
        match (self.form, self.range) {
            (Form::Choice, words) => words.replace('|', ", "),
            (form, "") => form.described().to_owned(),
            (form, range) => match range.split_once("..=") {
                Some((low, high)) => format!("{low} to {high}, written as {}", form.described()),
                None => form.described().to_owned(),
            },
        }
    }

    /// The default, as a scenario would write it.
    #[must_use]
    pub fn default_value(&self) -> Value {
        match self.form {
            Form::Count => self.default.parse::<u64>().map_or(Value::Null, Value::from),
            Form::Flag => Value::Bool(self.default == "true"),
            Form::Steps | Form::Messages => serde_json::from_str(self.default).unwrap_or(Value::Null),
            Form::Duration
            | Form::Share
            | Form::Rate
            | Form::Choice
            | Form::Part
            | Form::Latency
            | Form::Bindings
            | Form::Text => Value::String(self.default.to_owned()),
        }
    }
}

/// The field of a setting, whatever its type.
pub trait Slot {
    /// Takes a value.
    ///
    /// # Errors
    /// What is wrong, in words; nothing has changed then.
    fn take(&mut self, value: &Value, range: &str) -> Result<(), String>;

    /// Its value, as a scenario would write it.
    fn shown(&self) -> Value;
}

impl<T: SettingValue> Slot for T {
    fn take(&mut self, value: &Value, range: &str) -> Result<(), String> {
        *self = T::read(value, range)?;
        Ok(())
    }

    fn shown(&self) -> Value {
        self.write()
    }
}

/// A struct whose fields are settings. What is the same for all of them is done on [`Slot`]s, once for all types.
pub trait Settings {
    /// The table, in the order of declaration.
    fn table(&self) -> &'static [Spec];

    /// The field of a row of the table.
    fn slot(&self, row: usize) -> Option<&dyn Slot>;

    /// The field of a row of the table, to change.
    fn slot_mut(&mut self, row: usize) -> Option<&mut dyn Slot>;

    /// Gives one setting a value.
    ///
    /// # Errors
    /// [`Refused`] when there is no such setting or the value is not allowed; nothing has changed then.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), Refused> {
        let (row, spec) = find(self.table(), name).ok_or(Refused::Unknown)?;
        let slot = self.slot_mut(row).ok_or(Refused::Unknown)?;
        slot.take(value, spec.range).map_err(|wrong| Refused::Bad { wrong, allowed: spec.allowed() })
    }

    /// The field of the setting with this name, to change.
    fn slot_of(&mut self, name: &str) -> Option<&mut dyn Slot> {
        let (row, _) = find(self.table(), name)?;
        self.slot_mut(row)
    }

    /// The value of a setting, as a scenario would write it.
    fn get(&self, name: &str) -> Option<Value> {
        let (row, _) = find(self.table(), name)?;
        self.slot(row).map(Slot::shown)
    }
}

fn find(table: &'static [Spec], name: &str) -> Option<(usize, &'static Spec)> {
    table.iter().enumerate().find(|(_, spec)| spec.name == name)
}

/// Gives every setting its default.
///
/// # Panics
/// Where a default is not a value of its own setting: a slip in a declaration, which every test meets.
pub fn fill(settings: &mut dyn Settings) {
    for (row, spec) in settings.table().iter().enumerate() {
        let taken = settings.slot_mut(row).map(|slot| slot.take(&spec.default_value(), spec.range));
        assert!(matches!(taken, Some(Ok(()))), "default of {}: {taken:?}", spec.name);
    }
}
