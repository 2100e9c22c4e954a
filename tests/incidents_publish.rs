//! Incidents that happened to others, each as a scenario with its outcome and its cure.

mod play;

use play::play;

/// An event store's relay that kept the last id while two writers committed out of order.
#[test]
fn an_event_is_skipped_for_ever() {
    assert!(play("late-commit", &[], &[]).effect("email").lost > 0);
    assert_eq!(play("late-commit", &["lab.reads=horizon"], &[]).effect("email").lost, 0);
}

/// debezium/debezium pull request 1082: a connector on idle tables of a busy server keeps gigabytes of write-ahead log.
#[test]
fn a_slot_on_idle_tables_keeps_gigabytes() {
    let played = play("idle-slot", &[], &[]);
    // From the third order to the fourth: eight minutes at 20 MB a second.
    assert_eq!(played.highest("orders-db", "slot_bytes") / 100_000_000, 95);
    assert_eq!(played.fired_s("slot-size"), Some(51));
    let cured = play("idle-slot", &[], &["60s set reader.heartbeat=10s"]);
    assert!(cured.highest("orders-db", "slot_bytes") < 1_300_000_000);
    assert!(cured.newest("orders-db", "slot_bytes") <= 220_000_000, "{}", cured.newest("orders-db", "slot_bytes"));
    assert_eq!(cured.effect("email").once, 5);
}
