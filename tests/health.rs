//! How consumers are, over time: each verdict with its moment and its reason.

mod play;

use play::{Played, play, play_document};
use redrive::observe::health::{MOST_STRETCHES, Verdict};
use redrive::observe::report::report;

/// Every verdict of the first consumer: since when in milliseconds, how it is, and why.
fn verdicts(played: &Played) -> Vec<(u64, &'static str, String)> {
    let health = played.world.panels().health;
    health[0].spans.iter().map(|span| (span.from_us / 1_000, span.verdict.word(), span.why.clone())).collect()
}

#[test]
fn a_consumer_goes_through_every_verdict_and_stays_well_once_protected() {
    let played = play("consumer-health", &[], &[]);
    let found = verdicts(&played);
    let expect: Vec<(u64, &str, String)> = [
        (0, "healthy", "keeps up, 9.9 s behind at most"),
        (75_400, "degraded", "48.4 s behind"),
        (151_400, "degraded", "31% of its work fails"),
        (151_600, "down", "100% of its work fails"),
        (219_200, "down", "104% of the retention used: unread records are dropped"),
        (270_000, "degraded", "2 min behind"),
        (303_200, "healthy", "keeps up, 1.5 s behind at most"),
        (421_300, "degraded", "23% of its work fails"),
        (441_100, "healthy", "keeps up, 95 ms behind at most"),
    ]
    .into_iter()
    .map(|(at_ms, verdict, why)| (at_ms, verdict, why.to_owned()))
    .collect();
    assert_eq!(found, expect);
    // What was dropped unread was so before the protection, and nothing after it.
    let before = play("consumer-health", &[], &["271s pause shop"]);
    assert!(before.effect("email").lost > 1_000);
    assert_eq!(played.effect("email").lost, before.effect("email").lost);
}

#[test]
fn the_report_has_the_verdicts_with_their_rules() {
    let played = play("consumer-health", &[], &["100s set email.workers=4"]);
    let health = &report(&played.world)["health"][0];
    assert_eq!((&health["part"], &health["verdict"]), (&"email".into(), &"healthy".into()));
    let signs: Vec<&str> = health["spans"].as_array().expect("a list").iter().filter_map(|span| span["sign"].as_str()).collect();
    let expect =
        ["keeps-up", "behind", "some-fails", "most-fails", "past-retention", "behind", "keeps-up", "some-fails", "keeps-up"];
    assert_eq!(signs, expect);
}

#[test]
fn who_is_dead_or_stuck_is_down() {
    let document = r#"{"redrive": 1, "until": "2m", "parts": {
        "shop": {"kind": "producer", "to": "jobs", "rate": "10/s"}, "jobs": {"kind": "queue"},
        "w": {"kind": "worker", "from": "jobs", "restart": "1h", "crashes": "0%"}}}"#;
    let crashed = play_document(document, &[], &["20s crash w"]);
    assert_eq!(verdicts(&crashed)[1..], [(20_000, "down", "no process runs".to_owned())]);
    let paused = play_document(document, &[], &["20s pause w"]);
    let found = verdicts(&paused);
    assert_eq!(found[1], (30_100, "degraded", "30.7 s behind".to_owned()));
    assert_eq!((found[2].0, found[2].1), (50_900, "down"), "{found:?}");
    assert!(found[2].2.starts_with("nothing done for 99."), "{found:?}");
    let well = play_document(document, &[], &[]);
    assert_eq!(well.world.panels().health[0].verdict, Verdict::Healthy);
}

#[test]
fn who_comes_and_goes_for_hours_is_told_in_so_many_stretches() {
    let document = r#"{"redrive": 1, "until": "4h", "sample": "1s", "parts": {
        "shop": {"kind": "producer", "to": "jobs", "rate": "1/s"}, "jobs": {"kind": "queue"},
        "w": {"kind": "worker", "from": "jobs", "restart": "30s", "workers": 2, "crashes": "1%"}}}"#;
    let played = play_document(document, &[], &[]);
    let spans = &played.world.panels().health[0].spans;
    assert_eq!(spans.len(), MOST_STRETCHES);
    assert!(spans.windows(2).all(|pair| pair[0].to_us == Some(pair[1].from_us)), "one follows the other");
}
