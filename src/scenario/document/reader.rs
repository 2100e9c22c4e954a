//! Collects faults while a document is read, so that one look shows all of them.

use serde_json::{Map, Value};

use crate::scenario::kind::Kind;
use crate::scenario::native;
use crate::scenario::nearest::known;
use crate::scenario::setting::{Refused, SettingValue};
use crate::scenario::{Fault, Faults};

/// The most faults that are listed. Whoever has more mends these first.
const MAX_FAULTS: usize = 100;
/// The most characters of a message: a document may hold a megabyte where a word belongs.
const MAX_SHOWN: usize = 300;

/// The faults found so far.
#[derive(Default)]
pub struct Reader {
    faults: Vec<Fault>,
    more: u64,
}

/// The JSON path of a field below another.
pub fn below(path: &str, name: &str) -> String {
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_' || b == b'$');
    match (path.is_empty(), plain) {
        (true, true) => name.to_owned(),
        (false, true) => format!("{path}.{name}"),
        (_, false) => {
            let shown: String = name.chars().take(60).collect();
            format!("{path}[{}]", Value::String(shown))
        }
    }
}

/// What a JSON value is, in words.
pub fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn clipped(text: String) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl Reader {
    /// Notes a fault.
    pub fn fault(&mut self, path: impl Into<String>, wrong: impl Into<String>, allowed: impl Into<String>) {
        self.push(Fault::new(path, wrong, allowed));
    }

    /// Notes a fault that someone else has found.
    pub fn push(&mut self, fault: Fault) {
        if self.faults.len() == MAX_FAULTS {
            self.more += 1;
            return;
        }
        self.faults.push(Fault { wrong: clipped(fault.wrong), ..fault });
    }

    /// The value as an object.
    pub fn object<'v>(&mut self, path: &str, value: &'v Value, allowed: &str) -> Option<&'v Map<String, Value>> {
        let object = value.as_object();
        if object.is_none() {
            self.fault(path, format!("it is {}", described(value)), allowed);
        }
        object
    }

    /// The value as a list.
    pub fn list<'v>(&mut self, path: &str, value: &'v Value, most: usize, allowed: &str) -> &'v [Value] {
        match value.as_array() {
            Some(items) if items.len() > most => {
                self.fault(path, format!("it has {} entries", items.len()), format!("at most {most}"));
                &[]
            }
            Some(items) => items,
            None => {
                self.fault(path, format!("it is {}", described(value)), allowed);
                &[]
            }
        }
    }

    /// Notes every field that has no meaning here.
    pub fn only(&mut self, path: &str, fields: &Map<String, Value>, what: &str, names: &[&str]) {
        for name in fields.keys().filter(|name| !names.contains(&name.as_str())) {
            let shown: String = name.chars().take(60).collect();
            self.fault(below(path, name), format!("`{shown}` is not a field of {what}"), known(&shown, names.iter().copied()));
        }
    }

    /// A field of the type of a setting; `None` where it is missing or wrong.
    pub fn field<T: SettingValue>(&mut self, path: &str, fields: &Map<String, Value>, name: &str, range: &str) -> Option<T> {
        let value = fields.get(name)?;
        match T::read(value, range) {
            Ok(read) => Some(read),
            Err(wrong) => {
                self.fault(below(path, name), wrong, T::FORM.described());
                None
            }
        }
    }

    /// A text that must be there.
    pub fn needed_text(&mut self, path: &str, fields: &Map<String, Value>, name: &str, allowed: &str) -> Option<String> {
        match fields.get(name) {
            None => {
                self.fault(path, format!("`{name}` is missing"), format!("\"{name}\": {allowed}"));
                None
            }
            Some(_) => self.field::<String>(path, fields, name, ""),
        }
    }

    /// Notes that a setting refused its value.
    pub fn refused(
        &mut self,
        path: String,
        name: &str,
        kind: &Kind,
        names: impl IntoIterator<Item = &'static str>,
        refused: Refused,
    ) {
        match refused {
            Refused::Unknown => {
                let shown: String = name.chars().take(60).collect();
                self.fault(path, native::unknown(kind, name), known(&shown, names));
            }
            Refused::Bad { wrong, allowed } => self.fault(path, wrong, allowed),
        }
    }

    /// Everything was fine, or all faults.
    pub fn finish(mut self) -> Result<(), Faults> {
        if self.more > 0 {
            let more = format!("{} more faults are not listed", self.more);
            self.faults.push(Fault::new("", more, ""));
        }
        if self.faults.is_empty() { Ok(()) } else { Err(Faults(self.faults)) }
    }
}
