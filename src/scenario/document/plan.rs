//! Reads what a document plans and says: breaks, alert rules, cures and the question.

use serde_json::{Map, Value};

use super::reader::{Reader, below, described};
use crate::command::{Command, Timed};
use crate::scenario::gauges::gauges;
use crate::scenario::links::effects;
use crate::scenario::nearest::known;
use crate::scenario::properties::{PropertyKind, PropertySpec, What};
use crate::scenario::setting::{Form, SettingValue};
use crate::scenario::verbs::check_command;
use crate::scenario::{AlertSpec, CureSpec, Fault, PartSpec, Question, Scenario, alerts, valid_id};
use crate::sim::Micros;
use crate::sim::order::by_key;

/// The most planned commands.
const MAX_BREAKS: usize = 1_000;
/// The most alert rules.
const MAX_ALERTS: usize = 100;
/// The most cures, and commands of one.
const MAX_CURES: usize = 20;

/// The most properties.
const MAX_PROPERTIES: usize = 20;

/// Reads `breaks`, `alerts`, `cures`, `properties` and `ask` into a scenario that has its parts; rules as `--set` has them.
pub fn read(
    reader: &mut Reader,
    document: &Map<String, Value>,
    scenario: &mut Scenario,
    unread: &[String],
    sets: &[(String, String)],
) {
    breaks(reader, document, scenario, unread);
    match document.get("alerts") {
        None => scenario.alerts = alerts::usual(&scenario.parts),
        Some(value) => {
            let shape =
                "a list of rules like {\"rule\": \"too-old\", \"part\": \"jobs\", \"gauge\": \"oldest_us\", \"above\": \"30s\"}";
            for (index, value) in reader.list("alerts", value, MAX_ALERTS, shape).iter().enumerate() {
                let path = format!("alerts[{index}]");
                let Some(alert) = alert(reader, &path, value, scenario, unread) else { continue };
                if scenario.alerts.iter().any(|known| known.part == alert.part && known.rule == alert.rule) {
                    let wrong = format!("`{}` has a rule of this name already", alert.part);
                    reader.fault(below(&path, "rule"), wrong, "another name");
                }
                scenario.alerts.push(alert);
            }
        }
    }
    for fault in alerts::set(scenario, sets) {
        reader.push(fault);
    }
    if let Some(value) = document.get("cures") {
        let shape = "a list of cures like {\"title\": \"Mend it\", \"do\": [\"mend jobs\"], \"why\": \"…\"}";
        for (index, value) in reader.list("cures", value, MAX_CURES, shape).iter().enumerate() {
            if let Some(cure) = cure(reader, &format!("cures[{index}]"), value, scenario, unread) {
                scenario.cures.push(cure);
            }
        }
    }
    if let Some(value) = document.get("properties") {
        let shape = "a list of properties like {\"name\": \"nobody is charged twice\", \"kind\": \"always\", \"effect\": \"charge\", \"what\": \"at-most-once\"}";
        for (index, value) in reader.list("properties", value, MAX_PROPERTIES, shape).iter().enumerate() {
            if let Some(property) = property(reader, &format!("properties[{index}]"), value, scenario) {
                scenario.properties.push(property);
            }
        }
    }
    if let Some(value) = document.get("ask") {
        scenario.ask = question(reader, value, scenario);
    }
}

/// Checks a command unless it is about a part that has a fault of its own.
fn checked(reader: &mut Reader, path: &str, scenario: &Scenario, unread: &[String], command: &Command) {
    let unreadable = |id: &str| unread.iter().any(|unread| unread == id);
    if unreadable(command.part()) || matches!(command, Command::Cut(_, other) if unreadable(other)) {
        return;
    }
    if let Err(fault) = check_command(scenario, command) {
        reader.push(Fault { path: path.to_owned(), ..fault });
    }
}

fn breaks(reader: &mut Reader, document: &Map<String, Value>, scenario: &mut Scenario, unread: &[String]) {
    let Some(value) = document.get("breaks") else { return };
    let shape = "a list of commands with their times like [\"41s break orders\", \"86s mend orders\"]";
    for (index, item) in reader.list("breaks", value, MAX_BREAKS, shape).iter().enumerate() {
        let path = format!("breaks[{index}]");
        let Some(text) = item.as_str() else {
            reader.fault(path, format!("it is {}", described(item)), "a text like \"41s break orders\"");
            continue;
        };
        match Timed::parse(text) {
            Ok(timed) => {
                checked(reader, &path, scenario, unread, &timed.command);
                scenario.breaks.push(timed);
            }
            Err(fault) => reader.push(Fault { path, ..fault }),
        }
    }
    scenario.breaks = by_key(std::mem::take(&mut scenario.breaks), |timed| timed.at_us);
}

/// The part that a rule names.
fn part<'s>(reader: &mut Reader, path: &str, scenario: &'s Scenario, unread: &[String], id: &str) -> Option<&'s PartSpec> {
    let part = scenario.parts.get(id);
    if part.is_none() && !unread.iter().any(|unread| unread == id) {
        reader.fault(
            below(path, "part"),
            format!("there is no part `{id}`"),
            known(id, scenario.parts.keys().map(String::as_str)),
        );
    }
    part
}

fn alert(reader: &mut Reader, path: &str, value: &Value, scenario: &Scenario, unread: &[String]) -> Option<AlertSpec> {
    let fields = reader.object(path, value, "a rule like {\"rule\": …, \"part\": …, \"gauge\": …, \"above\": …}")?;
    reader.only(path, fields, "a rule", &["rule", "part", "gauge", "above", "for"]);
    let rule = reader.needed_text(path, fields, "rule", "a name like \"too-old\"");
    let id = reader.needed_text(path, fields, "part", "the id of a part");
    let gauge = reader.needed_text(path, fields, "gauge", "one of the gauges of the part");
    let hold =
        reader.field::<Micros>(path, fields, "for", &["0s..=", &alerts::MAX_HOLD.to_string()].concat()).unwrap_or_default();
    let (rule, id, gauge) = (rule?, id?, gauge?);
    if !valid_id(&rule) {
        reader.fault(
            below(path, "rule"),
            "this cannot name a rule",
            "a lower-case letter, then up to 39 lower-case letters, digits and hyphens",
        );
    }
    let part = part(reader, path, scenario, unread, &id)?;
    let table = gauges(&part.kind);
    let Some(spec) = table.iter().find(|spec| spec.name == gauge) else {
        let wrong = format!("`{gauge}` is not a gauge of a {}", part.kind.word());
        reader.fault(below(path, "gauge"), wrong, known(&gauge, table.iter().map(|spec| spec.name)));
        return None;
    };
    let above = match fields.get("above") {
        None => Ok(0),
        Some(Value::String(text)) => spec.unit.parse(text),
        Some(Value::Number(number)) => spec.unit.parse(&number.to_string()),
        Some(other) => Err(format!("it is {}", described(other))),
    };
    match above {
        Ok(above) => Some(AlertSpec { rule, part: id, gauge, above, hold }),
        Err(wrong) => {
            reader.fault(below(path, "above"), wrong, spec.unit.described());
            None
        }
    }
}

fn cure(reader: &mut Reader, path: &str, value: &Value, scenario: &Scenario, unread: &[String]) -> Option<CureSpec> {
    let fields = reader.object(path, value, "a cure like {\"title\": …, \"do\": […], \"why\": …}")?;
    reader.only(path, fields, "a cure", &["title", "do", "why"]);
    let title = reader.needed_text(path, fields, "title", "what the button says");
    let why = reader.field::<String>(path, fields, "why", "").unwrap_or_default();
    let list_path = below(path, "do");
    let Some(list) = fields.get("do") else {
        reader.fault(path, "`do` is missing", "\"do\": [\"mend jobs\"]");
        return None;
    };
    let items = reader.list(&list_path, list, MAX_CURES, "a list of commands like [\"mend jobs\"]");
    let mut commands = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = format!("{list_path}[{index}]");
        let Some(text) = item.as_str() else {
            reader.fault(path, format!("it is {}", described(item)), "a command like \"mend jobs\"");
            continue;
        };
        match Command::parse(text) {
            Ok(command) => {
                checked(reader, &path, scenario, unread, &command);
                commands.push(command);
            }
            Err(fault) => reader.push(Fault { path, ..fault }),
        }
    }
    if list.as_array().is_some_and(Vec::is_empty) {
        reader.fault(&list_path, "it does nothing", "at least one command like \"mend jobs\"");
    }
    Some(CureSpec { title: title?, commands, why })
}

/// One of several words.
fn word<T: Copy>(reader: &mut Reader, path: &str, fields: &Map<String, Value>, name: &str, words: &[(&str, T)]) -> Option<T> {
    let all = || words.iter().map(|(word, _)| *word);
    let text = reader.needed_text(path, fields, name, &all().collect::<Vec<_>>().join(", "))?;
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    if found.is_none() {
        reader.fault(below(path, name), format!("`{text}` is not a choice here"), known(&text, all()));
    }
    found
}

fn property(reader: &mut Reader, path: &str, value: &Value, scenario: &Scenario) -> Option<PropertySpec> {
    let fields = reader.object(path, value, "{\"name\": …, \"kind\": …, \"effect\": …, \"what\": …}")?;
    reader.only(path, fields, "a property", &["name", "kind", "effect", "what"]);
    let name = reader.needed_text(path, fields, "name", "what should be true, in words");
    let kind = word(reader, path, fields, "kind", &PropertyKind::WORDS);
    let what = word(reader, path, fields, "what", &What::WORDS);
    let effect = counted(reader, path, fields, scenario);
    Some(PropertySpec { name: name?, kind: kind?, effect: effect?, what: what? })
}

/// The effect that is named, if it is counted.
fn counted(reader: &mut Reader, path: &str, fields: &Map<String, Value>, scenario: &Scenario) -> Option<String> {
    let effect = reader.needed_text(path, fields, "effect", "what is counted")?;
    let effects = effects(&scenario.parts);
    if !effects.contains(&effect.as_str()) {
        reader.fault(below(path, "effect"), format!("`{effect}` is not counted here"), known(&effect, effects));
    }
    Some(effect)
}

fn question(reader: &mut Reader, value: &Value, scenario: &Scenario) -> Option<Question> {
    let fields = reader.object("ask", value, "{\"text\": …, \"effect\": …, \"fact\": …}")?;
    reader.only("ask", fields, "the question", &["text", "effect", "fact"]);
    let text = reader.needed_text("ask", fields, "text", "the question");
    let effect = counted(reader, "ask", fields, scenario);
    let fact = match fields.get("fact") {
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(value) => match String::read(value, "") {
            Ok(fact) => Some(fact),
            Err(wrong) => {
                reader.fault("ask.fact", wrong, Form::Text.described());
                None
            }
        },
        None => {
            reader.fault("ask", "`fact` is missing", "\"fact\": the id of a message or order");
            None
        }
    };
    Some(Question { text: text?, effect: effect?, fact: fact? })
}
