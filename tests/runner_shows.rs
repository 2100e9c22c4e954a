//! What each scenario that ships is there to show, with its figures, from the runner.

mod runner;

use runner::report;
use serde_json::Value;

fn count(of: &Value, name: &str) -> u64 {
    of[name].as_u64().unwrap_or_else(|| panic!("{name} in {of}"))
}

/// When a rule fired first, on whichever part.
fn fired<'r>(report: &'r Value, rule: &str) -> Option<&'r Value> {
    report["alerts"].as_array().expect("a list").iter().find(|alert| alert["rule"] == rule)
}

fn is_silent(report: &Value, rule: &str) -> bool {
    report["silent"].as_array().expect("a list").iter().any(|silent| silent == rule)
}

const CLUSTER_DOWN: [&str; 5] = ["order-shop", "--do", "41s break orders", "--do", "86s mend orders"];

#[test]
fn the_shop_with_its_cluster_down_keeps_every_order() {
    let report = report(&CLUSTER_DOWN);
    let (facts, users) = (&report["facts"], &report["users"]);
    assert_eq!(count(users, "refused"), 0, "checkout refuses nobody");
    assert_eq!((count(facts, "lost"), count(facts, "twice"), count(facts, "dead")), (0, 0, 0));
    assert!((355_000..365_000).contains(&count(facts, "total")), "2,000 a second for 180 s: {}", count(facts, "total"));
    // Late are the orders that had to wait longer than the promise of 30 s: roughly those of the first half of the break.
    assert!((30_000..80_000).contains(&count(&facts["by_effect"]["email"], "late")));
    assert!((20_000..35_000).contains(&count(users, "p50_us")), "checkout answers as ever");
    let outbox = fired(&report, "outbox-age").expect("someone is told");
    assert_eq!(outbox["part"], "orders-db");
    let after = count(outbox, "after_us");
    assert!((30_000_000..30_200_000).contains(&after), "30 s after the break: {after}");
    assert!(outbox["cleared_us"].as_u64().is_some_and(|cleared| cleared < 100_000_000), "the backlog drains: {outbox}");
    assert!(fired(&report, "produce-errors").is_some());
    assert!(is_silent(&report, "consumer-lag") && is_silent(&report, "error-rate") && is_silent(&report, "latency-p99"));
    let parts = &report["parts"];
    assert!(count(&parts["orders-db"], "outbox_unsent") < 1_000 && count(&parts["email"], "lag") < 1_000, "{parts}");
}

#[test]
fn the_shop_with_a_dual_write_loses_events_in_the_same_break() {
    let words = [&CLUSTER_DOWN[..], &["--set", "lab.publishing=dual-write"]].concat();
    let report = report(&words);
    let facts = &report["facts"];
    // 45 s at 2,000 a second.
    assert!((88_000..93_000).contains(&count(facts, "lost")), "{}", count(facts, "lost"));
    assert_eq!((count(&report["users"], "refused"), count(facts, "twice")), (0, 0));
    assert_eq!(count(&report["users"], "never"), count(facts, "lost"));
    assert!(is_silent(&report, "outbox-age"), "there is no outbox that could tell");
}

#[test]
fn five_dependencies_are_as_slow_as_the_slowest_and_less_available_than_any() {
    let report = report(&["sync-checkout"]);
    let users = &report["users"];
    let (served, refused) = (count(users, "served"), count(users, "refused"));
    let availability = served as f64 / (served + refused) as f64;
    assert!((0.9945..0.9955).contains(&availability), "99.9% five times is 99.5%: {availability}");
    assert!((1_300_000..1_700_000).contains(&count(users, "p99_us")), "email's p99 is 1.5 s: {users}");
}

#[test]
fn behind_a_log_checkout_answers_in_30_ms_whatever_email_does() {
    for words in
        [&["queued-checkout"][..], &["queued-checkout", "--do", "10s break email-provider", "--do", "30s mend email-provider"]]
    {
        let report = report(words);
        let (users, facts) = (&report["users"], &report["facts"]);
        assert_eq!(count(users, "refused"), 0);
        // The histogram's buckets are a few per cent wide.
        assert!((28_500..31_500).contains(&count(users, "p99_us")), "{users}");
        assert_eq!((count(facts, "lost"), count(facts, "twice")), (0, 0));
    }
}

#[test]
fn email_down_refuses_shoppers_who_wait_for_it() {
    let report = report(&["sync-checkout", "--do", "10s break email", "--do", "30s mend email"]);
    assert!(count(&report["users"], "refused") > 39_000, "20 s at 2,000 a second: {}", report["users"]);
}

#[test]
fn a_short_visibility_timeout_sends_invoices_twice_and_no_error_is_logged() {
    let report = report(&["visibility-too-short"]);
    assert!(count(&report["facts"], "twice") > 5, "{}", report["facts"]);
    assert!(fired(&report, "redelivery-rate").is_some());
    assert!(is_silent(&report, "error-rate"));
    for cure in ["jobs.visibility_timeout=2m", "invoicing.heartbeat=true", "invoicing.idempotent=true"] {
        let cured = runner::report(&["visibility-too-short", "--set", cure]);
        assert_eq!(count(&cured["facts"], "twice"), 0, "{cure}");
    }
}

#[test]
fn a_poison_message_holds_up_its_partition_alone() {
    let report = report(&["poison-message"]);
    let facts = &report["facts"];
    // A quarter of what came in the 220 s after it, give or take how keys fall.
    let pending = count(facts, "pending");
    assert!((800..1_400).contains(&pending), "{pending}");
    let lag = fired(&report, "consumer-lag").expect("the lag shows");
    assert!((60_000_000..61_000_000).contains(&count(lag, "after_us")), "{lag}");
    assert!(is_silent(&report, "error-rate"), "one failure every few seconds is no error rate");
    let cured = runner::report(&["poison-message", "--do", "120s set email.poison=dead-letter"]);
    assert_eq!((count(&cured["facts"], "dead"), count(&cured["facts"], "pending")), (1, 0));
    assert!(fired(&cured, "dlq-depth").is_some());
    let skipped = runner::report(&["poison-message", "--do", "120s set email.poison=skip"]);
    assert_eq!((count(&skipped["facts"], "lost"), count(&skipped["facts"], "pending")), (1, 0));
}

#[test]
fn a_dual_write_loses_the_event_or_the_order() {
    let lost = |order: &str| {
        let set = format!("lab.order={order}");
        let facts = report(&["dual-write", "--set", &set])["facts"].clone();
        assert_eq!((count(&facts, "total"), count(&facts, "twice")), (10, 0), "{order}");
        let of = |effect: &str| facts["by_effect"][effect]["ids"]["lost"].clone();
        (of("order"), of("email"))
    };
    assert_eq!(lost("commit-first"), (Value::from(Vec::<&str>::new()), Value::from(vec!["105"])), "an order without its email");
    assert_eq!(lost("publish-first"), (Value::from(vec!["105"]), Value::from(Vec::<&str>::new())), "an email without its order");
    assert_eq!(lost("outbox"), (Value::from(Vec::<&str>::new()), Value::from(Vec::<&str>::new())));
}

#[test]
fn a_relay_that_dies_before_it_marks_repeats_a_batch_and_an_inbox_absorbs_it() {
    let on = report(&["outbox-relay-crash"])["facts"].clone();
    assert_eq!(["once", "lost", "twice"].map(|name| count(&on, name)), [60, 0, 0]);
    assert!(count(&on, "skipped") > 0);
    let off = report(&["outbox-relay-crash", "--set", "lab.inbox=off"])["facts"].clone();
    assert_eq!((count(&off, "twice"), count(&off, "lost")), (count(&on, "skipped"), 0), "without it the batch goes out twice");
}

#[test]
fn a_burst_fills_the_queue_at_15_000_a_second() {
    // The first two minutes of the burst; the whole of it is a benchmark.
    let report = report(&["flash-sale", "--until", "3m"]);
    let waiting = count(&report["parts"]["emails"], "ready");
    assert!((1_795_000..1_805_000).contains(&waiting), "two minutes at 20,000 in and 5,000 out: {waiting}");
    let users = &report["users"];
    assert_eq!(count(users, "refused"), 0);
    let direct = runner::report(&["flash-sale", "--until", "3m", "--set", "lab.path=synchronous"]);
    let refused = count(&direct["users"], "refused");
    assert!((1_795_000..1_805_000).contains(&refused), "15,000 of 20,000 a second are refused: {refused}");
}

#[test]
fn the_first_example_of_the_documentation_charges_order_5_twice() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scenarios.md")).expect("the page");
    let block = page.split("```json\n").nth(1).and_then(|rest| rest.split_once("```")).expect("the first example").0;
    let file = std::env::temp_dir().join(format!("redrive-first-example-{}.json", std::process::id()));
    std::fs::write(&file, block).expect("a temporary file");
    let path = file.to_string_lossy();
    let checked = runner::redrive(&["check", &path]).0;
    let facts = report(&[&path])["facts"].clone();
    let cured = report(&[&path, "--set", "charger.idempotent=true"])["facts"].clone();
    std::fs::remove_file(&file).expect("it is there");
    assert!(checked.ends_with(" is sound: 3 parts, 1 planned command, 5 alert rules\n"), "{checked}");
    assert!(page.contains("mine is sound: 3 parts, 1 planned command, 5 alert rules"), "the page shows what is printed");
    assert_eq!((count(&facts, "total"), count(&facts, "once"), count(&facts, "twice")), (10, 9, 1));
    assert_eq!(facts["ids"]["twice"], Value::from(vec!["5"]));
    assert_eq!((count(&cured, "twice"), count(&cured, "skipped")), (0, 1));
}
