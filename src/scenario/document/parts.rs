//! Reads the parts of a document and the settings that `--set` changes.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::reader::{Reader, below};
use super::switches::LAB;
use crate::scenario::alerts::ALERTS;
use crate::scenario::nearest::known;
use crate::scenario::{Kind, PartSpec, native, valid_id};

/// The most parts of a scenario.
pub const MAX_PARTS: usize = 64;
/// The last column and row of the stage.
pub const MAX_CELL: u64 = 40;
/// What a part's id looks like, for messages.
const ID_SHAPE: &str = "a lower-case letter, then up to 39 lower-case letters, digits and hyphens";

/// The parts that could be read, and the ids of those that could not: what refers to these is not a fault of its own.
#[derive(Default)]
pub struct Parts {
    /// By id, in order.
    pub read: IndexMap<String, PartSpec>,
    /// Ids of parts that stand there and cannot be read.
    pub unread: Vec<String>,
}

/// Reads `parts`.
pub fn read(reader: &mut Reader, document: &Map<String, Value>) -> Parts {
    let mut parts = Parts::default();
    let shape = "an object of parts: {\"jobs\": {\"kind\": \"queue\"}, …}";
    let Some(value) = document.get("parts") else {
        reader.fault("", "`parts` is missing", format!("\"parts\": {shape}"));
        return parts;
    };
    let Some(fields) = reader.object("parts", value, shape) else { return parts };
    if fields.is_empty() || fields.len() > MAX_PARTS {
        reader.fault("parts", format!("there are {} parts", fields.len()), format!("1 to {MAX_PARTS}"));
        return parts;
    }
    for (id, value) in fields {
        let path = below("parts", id);
        if id == LAB {
            reader.fault(&path, format!("`{LAB}` is kept for switches"), "any other id");
        } else if id == ALERTS {
            reader.fault(&path, format!("`{ALERTS}` is kept for alert rules"), "any other id");
        } else if !valid_id(id) {
            reader.fault(&path, "this cannot be the id of a part", ID_SHAPE);
        }
        match part(reader, &path, id, value) {
            Some(spec) => {
                if let Some(at) = spec.at
                    && let Some((other, _)) = parts.read.iter().find(|(_, part)| part.at == Some(at))
                {
                    reader.fault(below(&path, "at"), format!("`{other}` stands at [{}, {}] already", at.0, at.1), "a free place");
                }
                parts.read.insert(id.clone(), spec);
            }
            None => parts.unread.push(id.clone()),
        }
    }
    parts
}

/// Reads one part; `None` where not even its kind is known.
fn part(reader: &mut Reader, path: &str, id: &str, value: &Value) -> Option<PartSpec> {
    let fields = reader.object(path, value, "a part like {\"kind\": \"queue\"}")?;
    let Some(word) = fields.get("kind") else {
        reader.fault(path, "`kind` is missing", format!("\"kind\": {}", Kind::WORDS.join(", ")));
        return None;
    };
    let Some(mut kind) = word.as_str().and_then(Kind::from_word) else {
        let shown = word.as_str().unwrap_or_default();
        reader.fault(below(path, "kind"), format!("{word} is not a kind"), known(shown, Kind::WORDS));
        return None;
    };
    let mut spec_title = None;
    let mut at = None;
    // First what others' defaults depend on: whatever is said of those stays, wherever it stands.
    let first = ["broker", "acks"];
    let firsts = first.iter().filter_map(|name| fields.get_key_value(*name));
    for (name, value) in firsts.chain(fields.iter().filter(|(name, _)| !first.contains(&name.as_str()))) {
        match name.as_str() {
            "kind" => {}
            "title" => spec_title = reader.field::<String>(path, fields, "title", ""),
            "at" => at = place(reader, &below(path, "at"), value),
            _ => {
                if let Err(refused) = kind.set(name, value) {
                    let names = ["kind", "title", "at"].into_iter().chain(kind.table().iter().map(|row| row.name));
                    reader.refused(below(path, name), name, &kind, names, refused);
                }
            }
        }
    }
    let title = spec_title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| id.to_owned());
    Some(PartSpec { title, kind, at })
}

/// Gives workers on a log of a broker the defaults of its client, for what neither the document nor a set says.
pub fn client_defaults(document: &Map<String, Value>, parts: &mut Parts, sets: &[(String, String)]) {
    let on = |part: &PartSpec| {
        let Kind::Worker(settings) = &part.kind else { return None };
        let source = &parts.read.get(settings.from.id()?)?.kind;
        matches!(source, Kind::Log(_)).then(|| native::profile_of(source)).flatten()
    };
    let clients: Vec<_> = parts.read.iter().filter_map(|(id, part)| Some((id.clone(), on(part)?))).collect();
    for (id, profile) in clients {
        let Some(part) = parts.read.get_mut(&id) else { continue };
        let fields = document.get("parts").and_then(|parts| parts.get(&id)).and_then(Value::as_object);
        let named = fields.into_iter().flatten().map(|(name, value)| part.kind.in_our_words(name, value).0);
        let of_part = sets.iter().filter_map(|(place, value)| Some((place.strip_prefix(&id)?.strip_prefix('.')?, value)));
        let set = of_part.map(|(name, value)| part.kind.in_our_words(name, &Value::String(value.clone())).0);
        let said: Vec<String> = named.chain(set).collect();
        for row in part.kind.table().iter().filter(|row| native::CLIENT_DEFAULTS.contains(&row.name)) {
            if let (Some(value), false) = (native::default_of(profile, row), said.iter().any(|said| said == row.name)) {
                // Within our own range: a test holds it.
                let _ = part.kind.set(row.name, &value);
            }
        }
    }
}

/// Reads `[column, row]`.
fn place(reader: &mut Reader, path: &str, value: &Value) -> Option<(u32, u32)> {
    let cell = |value: &Value| value.as_u64().filter(|cell| *cell <= MAX_CELL).and_then(|cell| u32::try_from(cell).ok());
    let read = match value.as_array().map(Vec::as_slice) {
        Some([column, row]) => cell(column).zip(cell(row)),
        _ => None,
    };
    if read.is_none() {
        reader.fault(path, format!("{value} is not a place"), format!("[column, row], each a whole number from 0 to {MAX_CELL}"));
    }
    read
}

/// Carries out `--set PART.SETTING=VALUE`.
pub fn set(reader: &mut Reader, parts: &mut Parts, sets: &[(String, String)]) {
    for (place, value) in sets {
        let path = format!("set {place}");
        let Some((id, name)) = place.split_once('.') else {
            reader.fault(path, format!("`{place}` names no setting"), "PART.SETTING=VALUE, like orders.retention=1h");
            continue;
        };
        if id == LAB || id == ALERTS || parts.unread.iter().any(|unread| unread == id) {
            continue;
        }
        let Some(part) = parts.read.get_mut(id) else {
            reader.fault(path, format!("there is no part `{id}`"), known(id, parts.read.keys().map(String::as_str)));
            continue;
        };
        if let Err(refused) = part.kind.set(name, &Value::String(value.clone())) {
            let names = part.kind.table().iter().map(|row| row.name);
            reader.refused(path, name, &part.kind, names, refused);
        }
    }
}
