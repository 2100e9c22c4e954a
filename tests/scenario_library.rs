//! Every scenario that ships is sound in every combination of its switches, fits the schema, survives its export, and has a
//! place on the stage for each part.

use redrive::scenario::links::links;
use redrive::scenario::{Scenario, document, export, library, schema};
use serde_json::Value;

fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    library::ids().map(|id| (id, library::text(id).expect("it exists")))
}

fn sound(id: &str, text: &str, sets: &[(String, String)]) -> Scenario {
    document::read_every_choice(id, text, sets).unwrap_or_else(|faults| panic!("{id}: {faults}"))
}

#[test]
fn every_scenario_is_sound_and_says_what_it_is() {
    for (id, text) in all() {
        let scenario = sound(id, text, &[]);
        assert!(!scenario.summary.is_empty() && scenario.title != id, "{id}");
        assert!(scenario.cures.iter().all(|cure| !cure.why.is_empty()), "{id}");
    }
}

#[test]
fn the_first_one_ships() {
    assert_eq!(library::ids().next(), Some(library::FIRST));
}

#[test]
fn every_part_has_a_place_and_no_two_the_same() {
    for (id, text) in all() {
        let scenario = sound(id, text, &[]);
        let mut places: Vec<_> =
            scenario.parts.values().map(|part| part.at.unwrap_or_else(|| panic!("{id}: a part has no place"))).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), scenario.parts.len(), "{id}");
    }
}

#[test]
fn every_part_is_linked_to_another() {
    for (id, text) in all() {
        let scenario = sound(id, text, &[]);
        let links = links(&scenario.parts);
        for (index, part) in scenario.parts.keys().enumerate() {
            let linked = links.iter().any(|link| usize::from(link.from) == index || usize::from(link.to) == index);
            assert!(linked, "{id}: {part}");
        }
    }
}

/// A scenario without its switches, which an export leaves out, as comparable text.
fn plain(scenario: &Scenario) -> String {
    let mut scenario = scenario.clone();
    scenario.switches.clear();
    format!("{scenario:?}")
}

#[test]
fn an_export_reads_back_to_the_same_scenario() {
    for (id, text) in all() {
        let scenario = document::read(id, text, &[]).expect("sound");
        let written = export::complete(&scenario).to_string();
        let again = document::read(id, &written, &[]).unwrap_or_else(|faults| panic!("{id}: {faults}"));
        assert_eq!(plain(&again), plain(&scenario), "{id}");
    }
}

#[test]
fn an_export_keeps_what_was_set() {
    let text = library::text("ack-order").expect("it exists");
    let sets = [("lab.kind", "log"), ("jobs.partitions", "3")].map(|(place, value)| (place.to_owned(), value.to_owned()));
    let written = export::complete(&document::read("ack-order", text, &sets).expect("sound"));
    assert_eq!(written["parts"]["jobs"]["kind"], "log");
    assert_eq!(written["parts"]["jobs"]["partitions"], 3);
    assert_eq!(written["parts"]["charger"]["batch"], 3);
    assert!(document::read("ack-order", &written.to_string(), &[]).is_ok());
}

/// Checks a value against the keywords that the scenario's schema uses, and no others: an unknown keyword is a panic, so
/// that none goes unchecked.
fn validate(root: &Value, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let Some(keywords) = schema.as_object() else {
        return if schema == &Value::Bool(false) { Err(path.to_owned()) } else { Ok(()) };
    };
    let fails = |why: &str| Err(format!("{path}: {why}: {value}"));
    let number = |name: &str| keywords[name].as_u64().unwrap_or_else(|| panic!("{name} is a number"));
    let list = |name: &str| keywords[name].as_array().unwrap_or_else(|| panic!("{name} is a list"));
    for (keyword, rule) in keywords {
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "default" | "then" => {}
            "$ref" => {
                let name = rule.as_str().and_then(|name| name.strip_prefix("#/$defs/")).expect("a local reference");
                validate(root, &root["$defs"][name], value, path)?;
            }
            "type" => {
                let is = |name: &Value| match name.as_str().expect("a type") {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "integer" => value.is_u64() || value.is_i64(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    other => panic!("type {other}"),
                };
                if !rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is)) {
                    return fails("type");
                }
            }
            "const" if value != rule => return fails("const"),
            "enum" if !list("enum").contains(value) => return fails("enum"),
            "const" | "enum" => {}
            "minimum" if value.as_u64().is_some_and(|value| value < number("minimum")) => return fails("minimum"),
            "maximum" if value.as_u64().is_some_and(|value| value > number("maximum")) => return fails("maximum"),
            "minimum" | "maximum" => {}
            "pattern" => {
                let pattern = regex_lite::Regex::new(rule.as_str().expect("a pattern")).expect("a good pattern");
                if value.as_str().is_some_and(|text| !pattern.is_match(text)) {
                    return fails("pattern");
                }
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                let size = match (value, keyword.contains("Length"), keyword.contains("Items")) {
                    (Value::String(text), true, _) => text.chars().count(),
                    (Value::Array(items), _, true) => items.len(),
                    (Value::Object(fields), false, false) => fields.len(),
                    _ => continue,
                } as u64;
                if keyword.starts_with("min") && size < number(keyword) || keyword.starts_with("max") && size > number(keyword) {
                    return fails(keyword);
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(root, rule, item, &format!("{path}[{index}]"))?;
                }
            }
            "required" => {
                let missing = |name: &&Value| value.is_object() && value.get(name.as_str().expect("a name")).is_none();
                if list("required").iter().any(|name| missing(&name)) {
                    return fails("required");
                }
            }
            "properties" => {
                for (name, rule) in rule.as_object().expect("properties") {
                    if let Some(field) = value.get(name) {
                        validate(root, rule, field, &format!("{path}.{name}"))?;
                    }
                }
            }
            "additionalProperties" => {
                for (name, field) in value.as_object().into_iter().flatten() {
                    if keywords.get("properties").is_none_or(|known| known.get(name).is_none()) {
                        validate(root, rule, field, &format!("{path}.{name}"))?;
                    }
                }
            }
            "propertyNames" => {
                for name in value.as_object().into_iter().flat_map(|fields| fields.keys()) {
                    validate(root, rule, &Value::from(name.as_str()), path)?;
                }
            }
            "not" if validate(root, rule, value, path).is_ok() => return fails("not"),
            "not" => {}
            "anyOf" if list("anyOf").iter().all(|rule| validate(root, rule, value, path).is_err()) => return fails("anyOf"),
            "anyOf" => {}
            "allOf" => list("allOf").iter().try_for_each(|rule| validate(root, rule, value, path))?,
            "if" if validate(root, rule, value, path).is_ok() => validate(root, &keywords["then"], value, path)?,
            "if" => {}
            other => panic!("the schema uses `{other}`, and this check does not know it"),
        }
    }
    Ok(())
}

#[test]
fn every_scenario_and_every_export_fits_the_schema() {
    let schema = schema::schema();
    for (id, text) in all() {
        let value: Value = serde_json::from_str(text).expect("JSON");
        validate(&schema, &schema, &value, id).unwrap_or_else(|fault| panic!("{fault}"));
        let export = export::complete(&document::read(id, text, &[]).expect("sound"));
        validate(&schema, &schema, &export, id).unwrap_or_else(|fault| panic!("export of {fault}"));
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema = schema::schema();
    let good = r#"{"redrive": 1, "parts": {"a": {"kind": "producer", "to": "b"}, "b": {"kind": "queue", "delay": "3s"}}}"#;
    let refused = |right: &str, wrong: &str| {
        assert!(good.contains(right), "{right}");
        let text = good.replacen(right, wrong, 1);
        assert!(document::read("x", &text, &[]).is_err(), "the reader takes {wrong}");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert!(validate(&schema, &schema, &value, "x").is_err(), "the schema takes {wrong}");
    };
    validate(&schema, &schema, &serde_json::from_str(good).expect("JSON"), "x").expect("a good document");
    refused("\"redrive\": 1", "\"redrive\": 2");
    refused("\"redrive\": 1, ", "");
    refused("\"queue\"", "\"quue\"");
    refused("\"3s\"", "\"3\"");
    refused("\"3s\"", "\"-3s\"");
    refused("\"3s\"", "3");
    refused("\"delay\"", "\"delai\"");
    refused("\"b\": {", "\"B\": {");
    refused("\"parts\"", "\"part\"");
    refused("\"kind\": \"queue\", ", "");
}
