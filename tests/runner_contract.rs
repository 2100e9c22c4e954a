//! The runner's words are a contract: its commands, its options, and the fields of what it prints.

mod runner;

use redrive::run::Run;
use redrive::scenario::{document, library};
use runner::{redrive, report};
use serde_json::{Value, json};

fn names(object: &Value) -> Vec<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn list_has_one_line_a_scenario() {
    let (out, _) = redrive(&["list"]);
    let ids: Vec<&str> = out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(ids, library::ids().collect::<Vec<_>>());
    assert!(out.contains("The order shop"));
}

#[test]
fn check_is_content_with_everything_that_ships() {
    for id in library::ids() {
        assert!(redrive(&["check", id]).0.starts_with(&format!("{id} is sound")));
    }
}

#[test]
fn run_prints_the_report_of_the_contract() {
    let report = report(&["order-shop", "--until", "3s", "--seed", "11"]);
    assert_eq!(
        names(&report),
        ["scenario", "seed", "until_us", "events", "trace_hash", "facts", "users", "alerts", "silent", "parts", "health"]
    );
    assert_eq!(
        (&report["scenario"], &report["seed"], &report["until_us"]),
        (&json!("order-shop"), &json!(11), &json!(3_000_000))
    );
    let hash = report["trace_hash"].as_str().expect("a text");
    assert!(hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    for name in ["total", "once", "lost", "twice", "pending", "skipped", "dead", "late", "out_of_order"] {
        assert!(report["facts"][name].is_u64(), "{name}");
    }
    for name in ["lost", "twice", "dead"] {
        assert!(report["facts"]["ids"][name].is_array(), "{name}");
    }
    assert_eq!(names(&report["facts"]["by_effect"]), ["email", "stock", "analytics"]);
    for name in ["served", "refused", "late", "never", "twice", "p50_us", "p99_us"] {
        assert!(report["users"][name].is_u64(), "{name}");
    }
    let ids = "shoppers, checkout, card-issuer, orders-db, relay, orders, email, inventory, analytics, email-provider, stock-db, warehouse, email-dlq";
    let mut expect: Vec<&str> = ids.split(", ").collect();
    let mut parts = names(&report["parts"]);
    expect.sort_unstable();
    parts.sort_unstable();
    assert_eq!(parts, expect);
    assert!(report["parts"]["orders-db"]["outbox_oldest_us"].is_u64());
}

#[test]
fn an_alert_says_when_and_how_long_after_the_fault() {
    let report = report(&["work-queue-crash"]);
    assert_eq!(names(&report["alerts"][0]), ["rule", "part", "at_us", "after_us", "cleared_us"]);
    assert!(report["silent"].as_array().expect("a list").iter().all(Value::is_string));
}

#[test]
fn the_same_run_has_the_same_hash_and_another_seed_another() {
    let hash = |seed: &str| report(&["visibility-too-short", "--seed", seed])["trace_hash"].clone();
    assert_eq!(hash("3"), hash("3"));
    assert_ne!(hash("3"), hash("4"));
}

#[test]
fn every_verb_is_taken() {
    for text in [
        "1s break orders",
        "1s mend orders",
        "1s slow card-issuer 40x",
        "1s fail email-provider 30%",
        "1s cut relay orders",
        "1s crash relay",
        "1s crash email at worked",
        "1s lose-acks email 3",
        "1s poison orders",
        "1s burst shoppers 10x for 1s",
        "1s deploy email",
        "1s scale email 6",
        "1s pause relay",
        "1s resume relay",
        "1s redrive email-dlq",
        "1s rewind email to 0",
        "1s rewind email to 500ms",
        "1s set relay.poll=1s",
    ] {
        let with = report(&["order-shop", "--until", "2s", "--do", text]);
        let without = report(&["order-shop", "--until", "2s"]);
        assert_ne!(with["trace_hash"], without["trace_hash"], "{text} leaves a trace");
    }
}

#[test]
fn a_trace_has_one_object_a_line_and_a_story_one_sentence() {
    let file = std::env::temp_dir().join(format!("redrive-trace-{}.jsonl", std::process::id()));
    let path = file.to_string_lossy().into_owned();
    let (out, beside) = redrive(&["run", "work-queue-crash", "--trace", &path, "--story", "--json"]);
    let trace = std::fs::read_to_string(&file).expect("the trace was written");
    std::fs::remove_file(&file).expect("it is there");
    serde_json::from_str::<Value>(&out).expect("with --json the report has the output to itself");
    let records: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    assert_eq!(beside.lines().count(), records.len(), "as many sentences as records");
    assert!(records.iter().all(|record| names(record) == ["at_us", "what", "part", "fact", "effects", "extra", "text"]));
    let effects: Vec<&Value> = records.iter().filter(|record| record["what"] == "effect").map(|record| &record["fact"]).collect();
    assert_eq!(effects, ["m3", "m1"]);
    assert!(beside.contains("01:30.00  m2 goes to the dead letters in Dead letters"), "{beside}");
    let (story, _) = redrive(&["run", "work-queue-crash", "--story"]);
    assert!(story.starts_with(&beside), "without --json the story comes first");
}

#[test]
fn without_json_the_summary_says_it_in_words() {
    let (out, _) = redrive(&["run", "work-queue-crash"]);
    for line in [
        "A worker crashes (work-queue-crash), seed 7, 2 min",
        "  dead: m2",
        "silent   produce-errors, produce-latency, oldest-message",
    ] {
        assert!(out.lines().any(|shown| shown == line), "{line} in {out}");
    }
}

#[test]
fn messages_are_listed_with_what_became_of_them() {
    let words = ["ack-order", "--set", "lab.order=ack-then-work", "--messages", "lost", "--messages", "once", "--most", "3"];
    let report = report(&words);
    let lost = &report["messages"]["lost"];
    let row = json!({
        "id": "m5", "key": 5, "born_us": 0, "at_us": 4_000_000, "part": "charger",
        "what": "charge lost: acknowledged before the work, and the worker died in between",
    });
    assert_eq!(*lost, json!({ "rows": [row], "more": false }));
    let once = &report["messages"]["once"];
    let ids: Vec<Value> = once["rows"].as_array().expect("rows").iter().map(|row| row["id"].clone()).collect();
    assert_eq!((json!(ids), once["more"].as_bool()), (json!(["m1", "m2", "m3"]), Some(true)));
    let (text, _) = redrive(&["run", "ack-order", "--messages", "lost"]);
    assert!(text.ends_with("\nmessages lost: none\n"), "{text}");
}

#[test]
fn explore_counts_outcomes_and_links_the_worst() {
    let explore = |words: &[&str]| -> Value {
        let (out, _) = redrive(&[&["explore"], words, &["--json"]].concat());
        serde_json::from_str(&out).expect("one object")
    };
    let found = explore(&["work-queue-crash"]);
    assert_eq!(names(&found), ["tried", "outcomes", "properties", "worst"]);
    assert_eq!(names(&found["outcomes"]), ["clean", "lost", "twice", "late", "out_of_order"]);
    assert_eq!(names(&found["properties"][0]), ["name", "kind", "holds", "tried", "counterexample"]);
    assert_eq!(names(&found["worst"]), ["at_us", "part", "step", "link"]);
    assert!(found["tried"].as_u64() > Some(3), "{found}");
    assert_eq!((&found["outcomes"]["lost"], found["outcomes"]["twice"].as_u64() > Some(0)), (&json!(0), true));
    let link = found["worst"]["link"].as_str().and_then(|link| link.strip_prefix("#/run/")).expect("a link");
    let run = Run::from_link(link).expect("a sound link");
    let mut world = redrive::world::World::new(&run.scenario().expect("a sound run"));
    world.run_until(run.scenario().expect("a sound run").until_us());
    assert!(world.observer.ledger.counts(0).twice > 0, "the linked run shows the harm");
    let cured = explore(&["work-queue-crash", "--set", "workers.idempotent=true"]);
    assert_eq!(cured["outcomes"]["clean"], cured["tried"], "{cured}");
    assert!(cured["worst"].is_null() && cured["properties"][0]["holds"] == json!(true), "{cured}");
}

#[test]
fn an_export_is_complete_and_runs_to_the_same_trace() {
    for id in ["order-shop", "ack-order"] {
        let (out, _) = redrive(&["export", id]);
        let value: Value = serde_json::from_str(&out).expect("JSON");
        let scenario = document::read(id, &out, &[]).expect("an export is sound");
        for (part, spec) in &scenario.parts {
            for row in spec.kind.table() {
                assert!(value["parts"][part].get(row.name).is_some(), "{part}.{} is spelled out", row.name);
            }
        }
        let file = std::env::temp_dir().join(format!("redrive-export-{}-{id}.json", std::process::id()));
        std::fs::write(&file, out).expect("a temporary file");
        let hash = report(&[&file.to_string_lossy(), "--until", "10s"])["trace_hash"].clone();
        std::fs::remove_file(&file).expect("it is there");
        assert_eq!(hash, report(&[id, "--until", "10s"])["trace_hash"], "{id}");
    }
}

#[test]
fn schema_is_the_file_in_docs() {
    let file = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scenario.schema.json")).expect("the schema");
    assert_eq!(redrive(&["schema"]).0, file);
}

#[test]
fn help_and_version_are_there() {
    assert!(redrive(&["--help"]).0.contains("redrive run FILE|ID"));
    assert_eq!(redrive(&["--version"]).0, format!("redrive {}\n", env!("CARGO_PKG_VERSION")));
}

/// The words of a command line, quoted ones in one.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (index, piece) in line.split('\'').enumerate() {
        if index % 2 == 1 { words.push(piece) } else { words.extend(piece.split_whitespace()) }
    }
    words
}

#[test]
fn every_example_of_the_docs_is_what_the_runner_prints() {
    let text = include_str!("../docs/runner.md");
    let mut lines = text.lines().peekable();
    let mut examples = 0;
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("    $ redrive ") else { continue };
        examples += 1;
        let (out, _) = redrive(&words(command));
        let mut printed = out.lines();
        let mut skips = false;
        while let Some(shown) = lines.next_if(|line| line.is_empty() || line.starts_with("    ")) {
            let shown = shown.strip_prefix("    ").unwrap_or_default();
            match shown {
                "…" => skips = true,
                // A blank line may be the end of the example.
                "" => skips |= printed.clone().next() != Some("") || printed.next().is_none(),
                _ => {
                    let found = if skips { printed.find(|line| *line == shown) } else { printed.next() };
                    assert_eq!(found, Some(shown), "redrive {command} prints\n{out}");
                    skips = false;
                }
            }
        }
    }
    assert!(examples >= 7, "{examples}");
}
