//! docs/scenarios.md and docs/scenario.schema.json say what the code does: their tables are made from the code's own, and
//! every document they show is read. `REDRIVE_BLESS=1 cargo test --test scenario_docs` writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use redrive::command::VERBS;
use redrive::scenario::document::header::Header;
use redrive::scenario::gauges::{Unit, gauges};
use redrive::scenario::setting::{Form, Spec};
use redrive::scenario::verbs::{VERB_DOCS, commands_for, crash_steps, fixed_settings};
use redrive::scenario::{Kind, document, schema};
use serde_json::Value;

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(docs(name)).expect("the file is part of the project")
}

/// Compares a file with what it should say, or writes that into it when asked to.
fn current(name: &str, expect: &str) {
    if std::env::var_os("REDRIVE_BLESS").is_some() {
        // In one step: another test may be reading it.
        let fresh = docs(&format!("{name}.fresh"));
        fs::write(&fresh, expect).and_then(|()| fs::rename(&fresh, docs(name))).expect("docs can be written");
    }
    assert!(read(name) == expect, "docs/{name} is not current: REDRIVE_BLESS=1 cargo test --test scenario_docs writes it anew");
}

fn kinds() -> impl Iterator<Item = Kind> {
    Kind::WORDS.into_iter().filter_map(Kind::from_word)
}

/// A cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn default_of(row: &Spec) -> String {
    match row.default_value() {
        Value::String(text) if text.is_empty() => String::new(),
        value => format!("`{value}`"),
    }
}

fn form_of(row: &Spec) -> String {
    let what = match row.form {
        Form::Duration => "duration",
        Form::Count => "number",
        Form::Share => "share",
        Form::Rate => "rate",
        Form::Flag => "`true`, `false`",
        Form::Choice => return row.range.split('|').map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Form::Part => "part",
        Form::Latency => "latency",
        Form::Steps => "steps",
        Form::Messages => "messages",
        Form::Bindings => "bindings",
        Form::Text => "text",
    };
    match row.range.split_once("..=") {
        Some((low, high)) => format!("{what}, {low} to {high}"),
        None => what.to_owned(),
    }
}

fn settings_table(out: &mut String, table: &[Spec], fixed: &[&str]) {
    out.push_str("| setting | default | takes | what it does |\n|---|---|---|---|\n");
    for row in table {
        let doc = if fixed.contains(&row.name) { format!("{} *Fixed during a run.*", row.doc) } else { row.doc.to_owned() };
        let _ = writeln!(out, "| `{}` | {} | {} | {} |", row.name, cell(&default_of(row)), cell(&form_of(row)), cell(&doc));
    }
}

fn document_table() -> String {
    let mut out = String::from("| field | default | takes | what it does |\n|---|---|---|---|\n");
    out.push_str("| `redrive` | needed | `1` | The version of the format. |\n");
    for row in Header::TABLE {
        let _ = writeln!(out, "| `{}` | {} | {} | {} |", row.name, default_of(row), form_of(row), row.doc);
    }
    for (name, default, takes, doc) in [
        ("parts", "needed", "object", "The parts by id."),
        ("breaks", "`[]`", "list", "Planned commands with their times."),
        ("alerts", "the usual ones", "list", "Alert rules."),
        ("cures", "`[]`", "list", "What helps, as buttons."),
        ("switches", "`{}`", "object", "Named choices that each change the document."),
        ("properties", "the usual ones", "list", "What should be true of every run, for `redrive explore`."),
        ("ask", "", "object", "A question to answer before the run."),
        ("$schema", "", "text", "For editors; not looked at."),
    ] {
        let _ = writeln!(out, "| `{name}` | {default} | {takes} | {doc} |");
    }
    out
}

fn values_table() -> String {
    let mut out = String::from("| value | how it is written |\n|---|---|\n");
    for (name, form) in [
        ("duration", Form::Duration),
        ("share", Form::Share),
        ("rate", Form::Rate),
        ("latency", Form::Latency),
        ("number", Form::Count),
        ("part", Form::Part),
    ] {
        let text = form.described();
        let text = ["a ", "the "].iter().find_map(|article| text.strip_prefix(article)).unwrap_or(text);
        let _ = writeln!(out, "| {name} | {} |", text.trim_start_matches(name).trim_start_matches(" like ").trim());
    }
    out.push_str("\nOf the latencies, `20ms` is always the same, `20ms..80ms` is uniform, `exp 20ms` is exponential with that mean, and\n`p50 20ms p99 1.5s` is log-normal with that median and 99th percentile.\n");
    out
}

fn parts_tables() -> String {
    let mut out = String::new();
    for kind in kinds() {
        let _ = writeln!(out, "### `{}`\n\n{}\n", kind.word(), schema::kind_doc(&kind));
        settings_table(&mut out, kind.table(), fixed_settings(&kind));
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn commands_table() -> String {
    let mut out = String::from("| command | what it does | for |\n|---|---|---|\n");
    for ((verb, form), doc) in VERBS.iter().zip(VERB_DOCS) {
        let takers: Vec<&str> = kinds().filter(|kind| commands_for(kind).contains(verb)).map(|kind| kind.word()).collect();
        let takers = if takers.len() == Kind::WORDS.len() { "every part".to_owned() } else { takers.join(", ") };
        let _ = writeln!(out, "| `{}` | {} | {takers} |", cell(form), cell(doc));
    }
    out
}

fn steps_table() -> String {
    let mut out = String::from("| part | steps |\n|---|---|\n");
    for kind in kinds().filter(|kind| !crash_steps(kind).is_empty()) {
        let steps: Vec<String> = crash_steps(&kind).iter().map(|step| format!("`{}`", step.word())).collect();
        let _ = writeln!(out, "| {} | {} |", kind.word(), steps.join(", "));
    }
    out
}

fn gauges_table() -> String {
    let mut out = String::from("| part | gauge | what it shows | counted as |\n|---|---|---|---|\n");
    for kind in kinds() {
        for gauge in gauges(&kind) {
            let unit = match gauge.unit {
                Unit::Count => "number",
                Unit::Bytes => "number of bytes",
                Unit::Duration => "duration",
                Unit::Share => "share",
                Unit::Rate => "rate: how many within the last second",
            };
            let _ = writeln!(out, "| {} | `{}` | {} | {unit} |", kind.word(), gauge.name, gauge.title);
        }
    }
    out
}

/// What the document of the first example would say with one thing wrong in it.
fn faults_table() -> String {
    let mut out = String::new();
    let first = documents().swap_remove(0);
    for (right, wrong) in [
        ("\"visibility_timeout\": \"20s\"", "\"visibilty_timeout\": \"20s\""),
        ("\"visibility_timeout\": \"20s\"", "\"visibility_timeout\": 20"),
        ("\"visibility_timeout\": \"20s\"", "\"visibility_timeout\": \"13h\""),
        ("\"from\": \"jobs\"", "\"from\": \"job\""),
        ("\"to\": \"jobs\"", "\"to\": \"charger\""),
        ("\"kind\": \"queue\"", "\"kind\": \"que\""),
        ("at worked", "at wroked"),
        ("crash charger", "crash jobs"),
        ("\"redrive\": 1", "\"redrive\": 2"),
        ("\"limit\": 10 }", "\"limit\": 10, }"),
    ] {
        assert!(first.contains(right), "the first example has {right}");
        let faults = document::read("mine", &first.replacen(right, wrong, 1), &[]).expect_err(wrong);
        let _ = writeln!(out, "    {wrong}\n      {}\n", faults.to_string().replace('\n', "\n      "));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The whole documents that the page shows: its JSON blocks that say which version they are.
fn documents() -> Vec<String> {
    let page = read("scenarios.md");
    page.split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(block, _)| block.to_owned())
        .filter(|block| block.contains("\"redrive\""))
        .collect()
}

#[test]
fn the_page_has_the_tables_of_the_code() {
    let page = read("scenarios.md");
    let mut expect = String::new();
    let mut rest = page.as_str();
    while let Some((front, after)) = rest.split_once("<!-- generated: ") {
        let (name, after) = after.split_once(" -->\n").expect("a name");
        let (_, after) = after.split_once("<!-- end -->").expect("an end");
        let table = match name {
            "document" => document_table(),
            "values" => values_table(),
            "parts" => parts_tables(),
            "commands" => commands_table(),
            "steps" => steps_table(),
            "gauges" => gauges_table(),
            "faults" => faults_table(),
            _ => panic!("nothing makes a table called {name}"),
        };
        let _ = write!(expect, "{front}<!-- generated: {name} -->\n{table}<!-- end -->");
        rest = after;
    }
    expect.push_str(rest);
    current("scenarios.md", &expect);
}

#[test]
fn the_schema_file_is_the_schema() {
    let text = serde_json::to_string_pretty(&schema::schema()).expect("a schema is JSON");
    current("scenario.schema.json", &format!("{text}\n"));
}

#[test]
fn every_document_on_the_page_is_sound_and_the_first_is_short() {
    let documents = documents();
    assert!(documents.len() >= 2, "{}", documents.len());
    assert!(documents[0].lines().count() <= 20);
    for document in documents {
        if let Err(faults) = document::read_every_choice("mine", &document, &[]) {
            panic!("{document}\n{faults}");
        }
    }
}
