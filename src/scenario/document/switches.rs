//! Switches: named choices, each a JSON merge patch (RFC 7396) over the whole document.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::reader::{Reader, below};
use crate::scenario::nearest::known;
use crate::scenario::{SwitchSpec, valid_id};

/// The part name that `--set` reserves for switches: `lab.kind=log`.
pub const LAB: &str = "lab";
/// The switch that every document with planned faults has: `lab.planned=no` leaves them out.
pub const PLANNED: &str = "planned";
/// Its choices: they strike, or they do not.
pub const PLANNED_WORDS: [&str; 2] = ["yes", "no"];
/// The most switches, and the most choices of one.
const MOST: usize = 8;

/// Reads the switches of a document, takes each one's choice and patches the document with it.
pub fn apply(reader: &mut Reader, document: &mut Map<String, Value>, sets: &[(String, String)]) -> IndexMap<String, SwitchSpec> {
    let mut switches = IndexMap::new();
    let mut patches = Vec::new();
    let declared = document.remove("switches").unwrap_or_else(|| Value::Object(Map::new()));
    let shape = "an object of switches: {\"kind\": {\"default\": \"a\", \"choices\": {\"a\": {…}, \"b\": {…}}}}";
    if let Some(fields) = reader.object("switches", &declared, shape) {
        if fields.len() > MOST {
            reader.fault("switches", format!("there are {} switches", fields.len()), format!("at most {MOST}"));
        }
        for (name, value) in fields.iter().take(MOST) {
            if let Some((spec, patch)) = one(reader, name, value, sets) {
                patches.push(patch);
                switches.insert(name.clone(), spec);
            }
        }
    }
    for (place, value) in sets {
        let Some((LAB, name)) = place.split_once('.') else { continue };
        let shown = format!("{LAB}.{name}={value}");
        if name == PLANNED && declared.get(name).is_none() {
            if !PLANNED_WORDS.contains(&value.as_str()) {
                let wrong = format!("`{shown}`: the planned faults strike or they do not");
                reader.fault(format!("set {LAB}.{name}"), wrong, PLANNED_WORDS.join(" or "));
            }
        } else if declared.get(name).is_none() {
            let names = switches.keys().map(String::as_str);
            let allowed = if switches.is_empty() { "no switch: this scenario has none".into() } else { known(name, names) };
            reader.fault(format!("set {LAB}.{name}"), format!("`{shown}`: there is no switch `{name}`"), allowed);
        }
    }
    let mut whole = Value::Object(std::mem::take(document));
    for patch in patches {
        merge(&mut whole, patch);
    }
    if let Value::Object(fields) = whole {
        *document = fields;
    }
    switches
}

/// Whether the faults that a document plans strike in this run; none where it plans none. Left out, they are taken out of
/// the document.
pub fn planned(document: &mut Map<String, Value>, declared: bool, sets: &[(String, String)]) -> Option<bool> {
    let breaks = document.get_mut("breaks")?.as_array_mut()?;
    if declared || breaks.is_empty() {
        return None;
    }
    let set = sets.iter().rev().find(|(place, _)| place.split_once('.') == Some((LAB, PLANNED)));
    let strike = set.is_none_or(|(_, word)| word != PLANNED_WORDS[1]);
    if !strike {
        breaks.clear();
    }
    Some(strike)
}

/// Reads one switch and the patch of its choice in force.
fn one(reader: &mut Reader, name: &str, value: &Value, sets: &[(String, String)]) -> Option<(SwitchSpec, Value)> {
    let path = below("switches", name);
    if !valid_id(name) {
        reader.fault(
            &path,
            "this cannot name a switch",
            "a lower-case letter, then up to 39 lower-case letters, digits and hyphens",
        );
        return None;
    }
    let fields = reader.object(&path, value, "{\"title\": …, \"default\": …, \"choices\": {…}}")?;
    reader.only(&path, fields, "a switch", &["title", "default", "choices"]);
    let title = reader.field::<String>(&path, fields, "title", "").unwrap_or_else(|| name.to_owned());
    let choices_path = below(&path, "choices");
    let Some(choices) = fields.get("choices") else {
        reader.fault(&path, "`choices` is missing", "\"choices\": {\"a\": {\"patch\": {…}}, \"b\": {\"patch\": {…}}}");
        return None;
    };
    let choices = reader.object(&choices_path, choices, "an object of choices")?;
    if choices.is_empty() || choices.len() > MOST {
        reader.fault(&choices_path, format!("there are {} choices", choices.len()), format!("1 to {MOST}"));
        return None;
    }
    let mut read = Vec::new();
    let mut patches = Vec::new();
    for (word, choice) in choices {
        let choice_path = below(&choices_path, word);
        let fields = reader.object(&choice_path, choice, "{\"title\": …, \"patch\": {…}}")?;
        reader.only(&choice_path, fields, "a choice", &["title", "patch"]);
        let title = reader.field::<String>(&choice_path, fields, "title", "").unwrap_or_else(|| word.clone());
        let patch = fields.get("patch").cloned().unwrap_or_else(|| Value::Object(Map::new()));
        let patch_path = below(&choice_path, "patch");
        let patch_fields = reader.object(&patch_path, &patch, "an object: what this choice changes in the document")?;
        for fixed in ["redrive", "switches"] {
            if patch_fields.contains_key(fixed) {
                reader.fault(below(&patch_path, fixed), format!("a choice cannot change `{fixed}`"), "any other field");
            }
        }
        read.push((word.clone(), title));
        patches.push(patch);
    }
    let words = || read.iter().map(|(word, _)| word.as_str());
    let default = match fields.get("default") {
        None => read[0].0.clone(),
        Some(value) => match value.as_str().filter(|word| words().any(|known| known == *word)) {
            Some(word) => word.to_owned(),
            None => {
                let shown = value.as_str().unwrap_or_default();
                reader.fault(below(&path, "default"), format!("{value} is not a choice here"), known(shown, words()));
                read[0].0.clone()
            }
        },
    };
    let set = sets.iter().rev().find(|(place, _)| place.split_once('.') == Some((LAB, name))).map(|(_, value)| value.as_str());
    let found = |word: &str| words().position(|known| known == word);
    if let Some(unknown) = set.filter(|word| found(word).is_none()) {
        reader.fault(format!("set {LAB}.{name}"), format!("`{unknown}` is not a choice here"), known(unknown, words()));
    }
    // After a fault the first choice stands in, so that the rest of the document is read as it would be.
    let index = set.and_then(found).or_else(|| found(&default)).unwrap_or_default();
    let value = read[index].0.clone();
    Some((SwitchSpec { title, value, choices: read }, patches.swap_remove(index)))
}

/// JSON merge patch, RFC 7396: objects merge, `null` removes, anything else replaces.
pub fn merge(target: &mut Value, patch: Value) {
    let Value::Object(changes) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else { return };
    for (name, change) in changes {
        if change.is_null() {
            fields.shift_remove(&name);
        } else {
            merge(fields.entry(name).or_insert(Value::Null), change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn merges_as_the_rfc_says() {
        // The cases of RFC 7396, appendix A, that differ from each other in kind.
        let check = |target: Value, patch: Value, expect: Value| {
            let mut merged = target;
            merge(&mut merged, patch);
            assert_eq!(merged, expect);
        };
        check(json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"}));
        check(json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"}));
        check(json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"}));
        check(json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}}));
        check(json!({"a": "foo"}), json!({"b": {"c": null}}), json!({"a": "foo", "b": {}}));
        check(json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"}));
        check(json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1}));
    }
}
