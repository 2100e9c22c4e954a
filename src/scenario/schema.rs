//! The JSON Schema (2020-12) of a scenario, made from the same tables that check it. For editors: names, descriptions,
//! defaults and the form of every value. What only the whole document shows (a part that is referred to exists and fits) is
//! for [`document::read`](super::document::read) to say.

use serde_json::{Map, Value, json};

use super::FORMAT;
use super::document::header::Header;
use super::document::{MAX_CELL, MAX_PARTS};
use super::gauges::gauges;
use super::kind::Kind;
use super::properties::{PropertyKind, What};
use super::setting::{Form, Spec};

/// Where the schema is published beside the lab.
const ID: &str = "scenario.schema.json";

const DECIMAL: &str = r"[0-9]+(\.[0-9]+)?";
const PART_ID: &str = "^[a-z][a-z0-9-]{0,39}$";

/// The pattern of a duration without anchors.
fn duration() -> String {
    format!("(0|{DECIMAL} *(us|ms|s|m|min|h|d))")
}

/// A text of this pattern, or a bare 0: the one number that needs no unit.
fn text_or_zero(pattern: &str) -> Value {
    json!({"anyOf": [{"type": "string", "pattern": format!("^{pattern}$")}, {"const": 0}]})
}

/// What a value of this form looks like.
fn form(row: &Spec) -> Value {
    let duration = duration();
    match row.form {
        Form::Duration => text_or_zero(&duration),
        Form::Count => {
            let mut count = json!({"type": "integer", "minimum": 0});
            if let Some((low, high)) = row.range.split_once("..=")
                && let (Ok(low), Ok(high)) = (low.parse::<u64>(), high.parse::<u64>())
            {
                count = json!({"type": "integer", "minimum": low, "maximum": high});
            }
            count
        }
        Form::Share => text_or_zero(&format!("(0|{DECIMAL} *%)")),
        Form::Rate => text_or_zero(r"(0|[0-9][0-9_,]*(\.[0-9]+)? */ *(s|m|min|h))"),
        Form::Flag => json!({"type": "boolean"}),
        Form::Choice => json!({"enum": row.range.split('|').collect::<Vec<_>>()}),
        Form::Part => json!({"anyOf": [{"type": "string", "pattern": "^([a-z][a-z0-9-]{0,39})?$"}, {"type": "null"}]}),
        Form::Latency => {
            text_or_zero(&format!("({duration}|{duration} *\\.\\. *{duration}|exp +{duration}|p50 +{duration} +p99 +{duration})"))
        }
        Form::Steps => json!({"type": "array", "minItems": 1, "maxItems": 16, "items": {"$ref": "#/$defs/step"}}),
        Form::Messages => json!({"type": "array", "maxItems": 10_000, "items": {"$ref": "#/$defs/message"}}),
        Form::Bindings => json!({"type": "string", "maxLength": 20_000}),
        Form::Text => json!({"type": "string", "maxLength": 200}),
    }
}

/// The schema of one row of a settings table.
fn setting(row: &Spec) -> Value {
    let mut schema = form(row);
    if let Value::Object(fields) = &mut schema {
        let range = match (row.form, row.range) {
            (Form::Duration | Form::Share | Form::Rate, range) => range.split_once("..="),
            _ => None,
        };
        let doc = match range {
            Some((low, high)) => format!("{} {low} to {high}.", row.doc),
            None => row.doc.to_owned(),
        };
        fields.insert("description".into(), Value::from(doc));
        fields.insert("default".into(), row.default_value());
    }
    schema
}

fn object(description: &str, properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({
        "description": description, "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

fn fields<const N: usize>(rows: [(&str, Value); N]) -> Map<String, Value> {
    rows.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn text(description: &str) -> Value {
    json!({"description": description, "type": "string", "maxLength": 200})
}

/// What a kind of part is, in a sentence.
#[must_use]
pub fn kind_doc(kind: &Kind) -> &'static str {
    match kind {
        Kind::Producer(_) => "Where messages or shoppers come from.",
        Kind::Service(_) => "Answers users, step by step.",
        Kind::Database(_) => "Keeps rows, and the outbox beside them.",
        Kind::Relay(_) => "Reads the outbox, publishes, marks what is sent.",
        Kind::Queue(_) => "A work queue: hides what it has given out, deletes what is acknowledged.",
        Kind::Exchange(_) => "Gives each queue that a binding names a copy; keeps none.",
        Kind::Log(_) => "A partitioned log: keeps records, groups commit how far they have read.",
        Kind::Worker(_) => "Receives from a queue or a log, works, takes effect, acknowledges.",
        Kind::Dependency(_) => "What services and workers call.",
    }
}

/// One part: the kind decides which other fields there are.
fn part() -> Value {
    let cases: Vec<Value> = Kind::WORDS
        .iter()
        .map(|word| {
            json!({
                "if": {"properties": {"kind": {"const": word}}},
                "then": {"$ref": format!("#/$defs/{word}")},
            })
        })
        .collect();
    json!({
        "type": "object", "required": ["kind"],
        "properties": {"kind": {"description": "What the part is.", "enum": Kind::WORDS}},
        "allOf": cases,
    })
}

/// The schema of one kind of part.
fn kind(kind: &Kind) -> Value {
    let cell = json!({"type": "integer", "minimum": 0, "maximum": MAX_CELL});
    let mut properties = fields([
        ("kind", json!({"const": kind.word()})),
        ("title", text("Name for people. The id if left out.")),
        (
            "at",
            json!({"description": "Column and row on the stage; each place once.", "type": "array", "items": cell, "minItems": 2, "maxItems": 2}),
        ),
    ]);
    properties.extend(kind.table().iter().map(|row| (row.name.to_owned(), setting(row))));
    object(kind_doc(kind), properties, &["kind"])
}

/// Every gauge of any kind, each once.
fn gauge_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Kind::WORDS
        .iter()
        .filter_map(|word| Kind::from_word(word))
        .flat_map(|kind| gauges(&kind))
        .map(|gauge| gauge.name)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The schema.
#[must_use]
pub fn schema() -> Value {
    let duration_text = text_or_zero(&duration());
    let commands = |description: &str, most: u64| json!({"description": description, "type": "array", "items": {"type": "string"}, "maxItems": most});
    let mut defs = fields([
        ("part", part()),
        (
            "step",
            json!({
                "description": "work DURATION, call A + B, write DB, write DB with outbox, publish P, or answer.",
                "type": "string", "pattern": "^ *(answer|(work|call|write|publish) +[^ ].*)$",
            }),
        ),
        (
            "message",
            json!({"anyOf": [
                {"type": "string", "minLength": 1, "maxLength": 40},
                object("A message by name.", fields([
                    ("id", json!({"description": "The fact it tells of; the same id again is a repeat.", "type": "string", "minLength": 1, "maxLength": 40})),
                    ("key", json!({"description": "Its key.", "type": "integer", "minimum": 0, "maximum": 10_000_000})),
                    ("poison", json!({"description": "It can never be processed.", "type": "boolean"})),
                    ("tombstone", json!({"description": "It has no value: a compacted log forgets its key.", "type": "boolean"})),
                    ("priority", json!({"description": "Its priority.", "type": "integer", "minimum": 0, "maximum": 255})),
                    ("delay", duration_text.clone()),
                    ("ttl", duration_text.clone()),
                    ("routing", json!({"description": "Its routing key.", "type": "string"})),
                    ("at", duration_text.clone()),
                    ("value", json!({"description": "What its effect adds to its key's total.", "type": "integer", "minimum": 0, "maximum": 1_000_000_000})),
                ]), &["id"]),
            ]}),
        ),
        (
            "alert",
            object(
                "A rule that fires when a gauge is above a value for a while.",
                fields([
                    ("rule", json!({"description": "Its name.", "type": "string", "pattern": PART_ID})),
                    ("part", json!({"description": "The part it looks at.", "type": "string", "pattern": PART_ID})),
                    ("gauge", json!({"description": "The gauge of that part.", "enum": gauge_names()})),
                    (
                        "above",
                        json!({"description": "A duration, a share, a rate or a count, as the gauge is.", "type": ["string", "integer"], "default": 0}),
                    ),
                    (
                        "for",
                        json!({"description": "How long the gauge must have been above it.", "default": "0s", "anyOf": duration_text["anyOf"]}),
                    ),
                ]),
                &["rule", "part", "gauge"],
            ),
        ),
        (
            "cure",
            object(
                "A button that helps.",
                fields([
                    ("title", text("What the button says.")),
                    (
                        "do",
                        json!({"description": "Commands without a time: mend orders.", "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 20}),
                    ),
                    ("why", text("Why it helps.")),
                ]),
                &["title", "do"],
            ),
        ),
        (
            "property",
            object(
                "What should be true of every run.",
                fields([
                    ("name", text("In words: every order is charged exactly once.")),
                    (
                        "kind",
                        json!({"description": "At every moment, or in the end.", "enum": PropertyKind::WORDS.map(|(word, _)| word)}),
                    ),
                    ("effect", text("The effect it is about.")),
                    (
                        "what",
                        json!({"description": "How often it should take place for a fact, or in which order.", "enum": What::WORDS.map(|(word, _)| word)}),
                    ),
                ]),
                &["name", "kind", "effect", "what"],
            ),
        ),
        (
            "switch",
            object(
                "A named choice: --set lab.NAME=CHOICE.",
                fields([
                    ("title", text("Name for people.")),
                    (
                        "default",
                        json!({"description": "The choice in force unless another is made; the first if left out.", "type": "string"}),
                    ),
                    (
                        "choices",
                        json!({
                            "type": "object", "minProperties": 1, "maxProperties": 8,
                            "additionalProperties": object("A choice.", fields([
                                ("title", text("Name for people.")),
                                ("patch", json!({"description": "What it changes in the document: a JSON merge patch (RFC 7396).", "type": "object"})),
                            ]), &[]),
                        }),
                    ),
                ]),
                &["choices"],
            ),
        ),
    ]);
    defs.extend(Kind::WORDS.iter().filter_map(|word| Some(((*word).to_owned(), kind(&Kind::from_word(word)?)))));
    let mut properties = fields([
        ("$schema", json!({"type": "string"})),
        ("redrive", json!({"description": "The version of the format.", "const": FORMAT})),
    ]);
    properties.extend(Header::TABLE.iter().map(|row| (row.name.to_owned(), setting(row))));
    if let Some(Value::Object(speed)) = properties.get_mut("speed") {
        speed.insert("pattern".into(), Value::from(format!("^ *{DECIMAL}x *$")));
    }
    properties.extend(fields([
        ("parts", json!({
            "description": "The parts by id, in the order in which they are shown.", "type": "object", "minProperties": 1, "maxProperties": MAX_PARTS,
            "propertyNames": {"pattern": PART_ID, "not": {"enum": ["lab", "alerts"]}}, "additionalProperties": {"$ref": "#/$defs/part"},
        })),
        ("breaks", commands("Planned commands with their times: 41s break orders.", 1_000)),
        ("alerts", json!({
            "description": "Alert rules. Left out, the parts get the usual ones; an empty list has none.", "type": "array", "maxItems": 100,
            "items": {"$ref": "#/$defs/alert"},
        })),
        ("cures", json!({"description": "Cures on offer.", "type": "array", "maxItems": 20, "items": {"$ref": "#/$defs/cure"}})),
        ("switches", json!({
            "description": "Named choices that each patch the document.", "type": "object", "maxProperties": 8, "propertyNames": {"pattern": PART_ID},
            "additionalProperties": {"$ref": "#/$defs/switch"},
        })),
        ("properties", json!({
            "description": "What should be true of every run: redrive explore tries to break it. Every effect has the usual ones besides.",
            "type": "array", "maxItems": 20, "items": {"$ref": "#/$defs/property"},
        })),
        ("ask", object("A question to answer before the run; the run gives the answer.", fields([
            ("text", text("The question: how often is order 105 charged?")),
            ("effect", text("The effect it is about.")),
            ("fact", json!({"description": "The id of the message or order it is about.", "type": ["string", "integer"]})),
        ]), &["text", "effect", "fact"])),
    ]));
    let mut schema = fields([
        ("$schema", json!("https://json-schema.org/draft/2020-12/schema")),
        ("$id", json!(ID)),
        ("title", json!("A scenario of Redrive")),
    ]);
    if let Value::Object(whole) = object(
        "Parts, settings, what goes wrong when, and what to tell. docs/scenarios.md explains it by example.",
        properties,
        &["redrive", "parts"],
    ) {
        schema.extend(whole);
    }
    schema.insert("$defs".into(), Value::Object(defs));
    Value::Object(schema)
}
