//! The report of a run for people: what came of every fact, what users got, who would have noticed.

use std::io::Write;

use redrive::scenario::Scenario;
use redrive::sim::time::{clock, grouped, spoken};
use serde_json::Value;

use crate::Failure;

/// Writes a report, as `--json` has it, in words.
pub fn write(out: &mut impl Write, scenario: &Scenario, report: &Value) -> Result<(), Failure> {
    writeln!(out, "{} ({}), seed {}, {}", scenario.title, scenario.id, scenario.seed, spoken(scenario.until_us()))?;
    let facts = &report["facts"];
    writeln!(
        out,
        "\nfacts    {}",
        counts(facts, &["total", "once", "lost", "twice", "pending", "dead", "late", "out_of_order", "skipped"])
    )?;
    for (name, effect) in facts["by_effect"].as_object().into_iter().flatten() {
        writeln!(
            out,
            "  {name}: {}",
            counts(effect, &["once", "lost", "twice", "pending", "dead", "late", "out_of_order", "skipped"])
        )?;
    }
    for (what, ids) in facts["ids"].as_object().into_iter().flatten() {
        let ids: Vec<&str> = ids.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !ids.is_empty() {
            writeln!(out, "  {what}: {}", ids.join(", "))?;
        }
    }
    let users = &report["users"];
    if users["served"].as_u64().unwrap_or(0) + users["refused"].as_u64().unwrap_or(0) > 0 {
        writeln!(out, "users    {}", counts(users, &["served", "refused", "late", "never", "twice"]))?;
        let time = |name: &str| spoken(users[name].as_u64().unwrap_or(0));
        writeln!(out, "  answers: p50 {}, p99 {}", time("p50_us"), time("p99_us"))?;
    }
    for alert in report["alerts"].as_array().into_iter().flatten() {
        let text = |name: &str| alert[name].as_str().unwrap_or("?").to_owned();
        let at = |name: &str| alert[name].as_u64();
        let after = at("after_us").map_or_else(String::new, |after| format!(", {} after the fault", spoken(after)));
        let cleared = at("cleared_us").map_or_else(String::new, |cleared| format!(", cleared at {}", clock(cleared)));
        writeln!(out, "alert    {} on {} at {}{after}{cleared}", text("rule"), text("part"), clock(at("at_us").unwrap_or(0)))?;
    }
    let silent: Vec<&str> = report["silent"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !silent.is_empty() {
        writeln!(out, "silent   {}", silent.join(", "))?;
    }
    let hash = report["trace_hash"].as_str().unwrap_or("?");
    writeln!(out, "\n{} events, trace {hash}", grouped(report["events"].as_u64().unwrap_or(0)))?;
    Ok(())
}

/// `3 once, 1 lost`: the counts that are not nought, or `none`.
fn counts(of: &Value, names: &[&str]) -> String {
    let shown: Vec<String> = names
        .iter()
        .filter_map(|name| {
            of[*name].as_u64().filter(|count| *count > 0).map(|count| format!("{} {}", grouped(count), name.replace('_', " ")))
        })
        .collect();
    if shown.is_empty() { "none".into() } else { shown.join(", ") }
}
