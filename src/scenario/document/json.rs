//! From text to a JSON value, strictly: a name that stands twice in one object is a fault, not a guess.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::scenario::Fault;
use crate::sim::time::grouped;

/// The most bytes of a document.
pub const MAX_BYTES: usize = 1_000_000;

/// Reads the text of a document.
///
/// # Errors
/// One fault, whose path is the line and column where reading stopped.
pub fn parse(text: &str) -> Result<Value, Fault> {
    if text.len() > MAX_BYTES {
        let allowed = format!("at most {} bytes", grouped(MAX_BYTES as u64));
        return Err(Fault::new("", format!("the document has {} bytes", grouped(text.len() as u64)), allowed));
    }
    // Some editors put a byte order mark first; it says nothing in UTF-8.
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(Fault::new("", "the document is empty", "a scenario like {\"redrive\": 1, \"parts\": {…}}"));
    }
    serde_json::from_str::<Strict>(text).map(|strict| strict.0).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let message = error.to_string();
        let message = message.rsplit_once(" at line").map_or(message.as_str(), |(front, _)| front);
        match error.classify() {
            Category::Data => Fault::new(place, message, "each name once"),
            Category::Eof => Fault::new(place, "the document ends too early", "JSON"),
            Category::Io | Category::Syntax => Fault::new(place, message, "JSON"),
        }
    })
}

/// A JSON value in which no object has a name twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            if fields.contains_key(&name) {
                let shown: String = name.chars().take(60).collect();
                return Err(A::Error::custom(format!("`{shown}` stands here twice")));
            }
            let Strict(value) = access.next_value()?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}
