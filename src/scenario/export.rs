//! A scenario as JSON again, complete: every setting spelled out, so that nothing depends on a default.

use serde_json::{Map, Value, json};

use super::alerts::gauge_of;
use super::document::header::Speed;
use super::properties::PropertySpec;
use super::setting::SettingValue;
use super::{AlertSpec, CureSpec, FORMAT, PartSpec, Scenario};

/// The whole scenario as a document that reads back to the same parts, plans and rules.
///
/// Switches are left out: their choices are in force in what is written, and a patch over a complete document would undo
/// what `--set` has changed.
#[must_use]
pub fn complete(scenario: &Scenario) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("redrive", Value::from(FORMAT));
    put("title", Value::from(scenario.title.as_str()));
    put("summary", Value::from(scenario.summary.as_str()));
    put("group", Value::from(scenario.group.as_str()));
    put("seed", Value::from(scenario.seed));
    put("until", scenario.until.write());
    put("sample", scenario.sample.write());
    put("speed", Speed(scenario.speed_milli).write());
    put("parts", Value::Object(scenario.parts.iter().map(|(id, spec)| (id.clone(), part(spec))).collect()));
    put("breaks", scenario.breaks.iter().map(|timed| Value::from(timed.to_string())).collect());
    put("alerts", scenario.alerts.iter().map(|rule| alert(scenario, rule)).collect());
    put("cures", scenario.cures.iter().map(cure).collect());
    if !scenario.properties.is_empty() {
        put("properties", scenario.properties.iter().map(property).collect());
    }
    if let Some(ask) = &scenario.ask {
        put("ask", json!({"text": ask.text, "effect": ask.effect, "fact": ask.fact}));
    }
    Value::Object(fields)
}

fn part(spec: &PartSpec) -> Value {
    let mut fields = Map::new();
    fields.insert("kind".into(), Value::from(spec.kind.word()));
    fields.insert("title".into(), Value::from(spec.title.as_str()));
    if let Some((column, row)) = spec.at {
        fields.insert("at".into(), json!([column, row]));
    }
    for row in spec.kind.table() {
        fields.insert(row.name.into(), spec.kind.get(row.name).unwrap_or(Value::Null));
    }
    Value::Object(fields)
}

fn alert(scenario: &Scenario, rule: &AlertSpec) -> Value {
    let gauge = gauge_of(scenario, rule);
    let above = gauge.map_or_else(|| Value::from(rule.above), |gauge| Value::from(gauge.unit.written(rule.above)));
    json!({"rule": rule.rule, "part": rule.part, "gauge": rule.gauge, "above": above, "for": rule.hold.write()})
}

fn cure(cure: &CureSpec) -> Value {
    let commands: Vec<String> = cure.commands.iter().map(ToString::to_string).collect();
    json!({"title": cure.title, "do": commands, "why": cure.why})
}

fn property(property: &PropertySpec) -> Value {
    json!({"name": property.name, "kind": property.kind, "effect": property.effect, "what": property.what})
}
