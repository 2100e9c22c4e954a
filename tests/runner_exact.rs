//! The exact runs, from the runner: a work queue with a crash and a corrupt message (A), charge and acknowledge in all eight
//! combinations (B), an inbox on a log (C).

mod runner;

use runner::{redrive, report};
use serde_json::{Value, json};

/// The lines of a story about receives, failures, effects and acknowledgements, with whole seconds.
fn story(words: &[&str], about: &[&str]) -> Vec<String> {
    let (out, _) = redrive(&[&["run"], words, &["--story"]].concat());
    out.lines()
        .filter(|line| about.iter().any(|about| line.contains(about)))
        .filter_map(|line| line.split_once("  "))
        .filter_map(|(at, text)| at.split_once('.').map(|(seconds, _)| format!("{seconds} {text}")))
        .collect()
}

#[test]
fn run_a_a_crash_and_a_corrupt_message_on_a_queue() {
    let about = ["receives it", "crashes", "failed", "acknowledged", "dead letters"];
    let expect = [
        "00:00 m1 · Workers A receives it",
        "00:00 Workers A crashes",
        "00:00 m2 · Workers B receives it",
        "00:00 m3 · Workers C receives it",
        "00:00 m2 · Workers: try 1 failed: it can never be processed",
        "00:00 m3 · Jobs: acknowledged and deleted",
        "00:30 m1 · Workers B receives it again, receive 2",
        "00:30 m2 · Workers C receives it again, receive 2",
        "00:30 m1 · Jobs: acknowledged and deleted",
        "00:30 m2 · Workers: try 1 failed: it can never be processed",
        "01:00 m2 · Workers A receives it again, receive 3",
        "01:00 m2 · Workers: try 1 failed: it can never be processed",
        "01:30 m2 goes to the dead letters in Dead letters",
    ];
    assert_eq!(story(&["work-queue-crash"], &about), expect);
    let report = report(&["work-queue-crash"]);
    assert_eq!(report["facts"]["ids"]["once"], json!(["m1", "m3"]));
    assert_eq!(report["facts"]["ids"]["dead"], json!(["m2"]));
    assert_eq!(report["facts"]["by_effect"]["job"]["first_applied"], json!(["m3", "m1"]), "a redelivery reorders");
    assert_eq!((&report["facts"]["lost"], &report["facts"]["twice"]), (&json!(0), &json!(0)));
}

/// One combination of run B: which are lost, which charged twice, how many repeats are skipped, in which order is charged.
fn run_b(kind: &str, order: &str, idempotent: bool, lost: &[&str], twice: &[&str], skipped: u64, charges: &str) {
    let sets = [format!("lab.kind={kind}"), format!("lab.order={order}"), format!("lab.idempotent={idempotent}")];
    let report = report(&["ack-order", "--set", &sets[0], "--set", &sets[1], "--set", &sets[2]]);
    let facts = &report["facts"];
    let which = format!("{kind}, {order}, idempotent {idempotent}");
    assert_eq!(facts["ids"]["lost"], json!(lost), "{which}");
    assert_eq!(facts["ids"]["twice"], json!(twice), "{which}");
    let once = 10 - lost.len() as u64 - twice.len() as u64;
    let counts = ["total", "once", "lost", "twice", "skipped", "dead", "pending"].map(|name| facts[name].as_u64());
    let expect = [10, once, lost.len() as u64, twice.len() as u64, skipped, 0, 0].map(Some);
    assert_eq!(counts, expect, "{which}");
    let charged: Vec<String> = charges.split(' ').map(|number| format!("m{number}")).collect();
    assert_eq!(facts["by_effect"]["charge"]["first_applied"], json!(charged), "{which}");
}

#[test]
fn run_b_all_eight() {
    run_b("queue", "work-then-ack", false, &[], &["m5"], 0, "1 2 3 4 5 6 7 8 9 10 5");
    run_b("queue", "work-then-ack", true, &[], &[], 1, "1 2 3 4 5 6 7 8 9 10");
    run_b("queue", "ack-then-work", false, &["m5"], &[], 0, "1 2 3 4 6 7 8 9 10");
    run_b("queue", "ack-then-work", true, &["m5"], &[], 0, "1 2 3 4 6 7 8 9 10");
    run_b("log", "work-then-ack", false, &[], &["m4", "m5"], 0, "1 2 3 4 5 4 5 6 7 8 9 10");
    run_b("log", "work-then-ack", true, &[], &[], 2, "1 2 3 4 5 6 7 8 9 10");
    run_b("log", "ack-then-work", false, &["m5", "m6"], &[], 0, "1 2 3 4 7 8 9 10");
    run_b("log", "ack-then-work", true, &["m5", "m6"], &[], 0, "1 2 3 4 7 8 9 10");
}

#[test]
fn run_b_replayed_from_0() {
    let replayed = |idempotent: &str, order: &str| {
        let sets = [format!("lab.idempotent={idempotent}"), format!("lab.order={order}")];
        let words =
            ["ack-order", "--set", "lab.kind=log", "--set", &sets[0], "--set", &sets[1], "--do", "60s rewind charger to 0"];
        let facts = report(&words)["facts"].clone();
        ["once", "twice", "lost"].map(|name| facts[name].as_u64().expect("a count"))
    };
    // Idempotence survives a full replay, and a replay brings back what was acknowledged and lost.
    assert_eq!(replayed("true", "work-then-ack"), [10, 0, 0]);
    assert_eq!(replayed("false", "work-then-ack"), [0, 10, 0]);
    assert_eq!(replayed("true", "ack-then-work"), [10, 0, 0]);
}

#[test]
fn run_c_an_inbox_on_a_log() {
    let about = ["reads p0", "takes effect", "repeat", "crashes", "committed past"];
    let lines = story(&["inbox-on-a-log"], &about);
    let without_times: Vec<&str> = lines.iter().filter_map(|line| line.split_once(' ')).map(|(_, text)| text).collect();
    let read = |id: &str, offset: u64| format!("{id} · Events: points reads p0 offset {offset}");
    let (effect, skip) = (
        |id: &str| format!("{id} · Points: points takes effect"),
        |id: &str| format!("{id} · Points: points recognised as a repeat and skipped"),
    );
    let passed = |id: &str| format!("{id} · Events: points has committed past it");
    let expect = [
        read("evt-a", 0),
        read("evt-b", 1),
        read("evt-c", 2),
        effect("evt-a"),
        effect("evt-b"),
        effect("evt-c"),
        passed("evt-a"),
        passed("evt-b"),
        passed("evt-c"),
        read("evt-b", 3),
        read("evt-d", 4),
        read("evt-e", 5),
        skip("evt-b"),
        effect("evt-d"),
        "Points crashes".into(),
        read("evt-b", 3),
        read("evt-d", 4),
        read("evt-e", 5),
        skip("evt-b"),
        skip("evt-d"),
        effect("evt-e"),
        passed("evt-b"),
        passed("evt-d"),
        passed("evt-e"),
    ];
    assert_eq!(without_times, expect);
    let facts = report(&["inbox-on-a-log"])["facts"].clone();
    assert_eq!(facts["by_effect"]["points"]["totals"], json!({"101": 10, "102": 5, "103": 20, "104": 8, "105": 12}));
    assert_eq!((&facts["total"], &facts["once"], &facts["skipped"]), (&json!(5), &json!(5), &json!(3)));
    // Without the inbox the repeat counts, and so does what is read again after the crash.
    let bare = report(&["inbox-on-a-log", "--set", "points.idempotent=false"])["facts"].clone();
    assert_eq!(bare["ids"]["twice"], json!(["evt-b"]));
    let points: &Value = &bare["by_effect"]["points"]["totals"];
    assert_eq!(points, &json!({"101": 10, "102": 15, "103": 20, "104": 8, "105": 12}));
}
