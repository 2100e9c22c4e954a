//! Incidents that happened to others, each as a scenario with its outcome and its cure.

mod play;

use play::play;
use redrive::observe::ledger::Standing;

/// An event store's relay that kept the last id while two writers committed out of order.
#[test]
fn an_event_is_skipped_for_ever() {
    assert!(play("late-commit", &[], &[]).effect("email").lost > 0);
    assert_eq!(play("late-commit", &["lab.reads=horizon"], &[]).effect("email").lost, 0);
}

/// debezium/debezium#1082: a connector on idle tables of a busy server keeps gigabytes of write-ahead log.
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

/// celery/kombu#337: a task due later than the visibility timeout, held in the worker's memory until then.
#[test]
fn a_task_for_later_runs_once_for_every_hour_that_it_was_held() {
    let played = play("scheduler", &[], &[]);
    // Received at once and after one, two, three and four hours; due after four and a half.
    assert_eq!(played.standing("r1", "reminder"), Standing::Done(5));
    assert_eq!((played.effect("reminder").twice, played.highest("tasks", "hidden")), (10, 10));
    let longer = play("scheduler", &[], &["0s set tasks.visibility_timeout=6h"]).effect("reminder");
    assert_eq!((longer.once, longer.twice), (10, 0));
    let remembered = play("scheduler", &[], &["1h set reminder.idempotent=true"]).effect("reminder");
    assert_eq!((remembered.once, remembered.twice, remembered.skipped), (10, 0, 40));
}

/// OptimalBits/bull#308: a worker that cannot renew its lock in time, and a second one that takes the job as stalled.
#[test]
fn a_job_whose_lock_runs_out_is_run_by_a_second_worker() {
    assert_eq!(play("lock-runs-out", &[], &[]).standing("report-1", "report"), Standing::Done(2));
    for cure in ["0s set jobs.visibility_timeout=2m", "0s set workers.heartbeat=true"] {
        assert_eq!(play("lock-runs-out", &[], &[cure]).standing("report-1", "report"), Standing::Done(1), "{cure}");
    }
}

/// sidekiq/sidekiq#4633: jobs are popped off their list and die with the process that popped them.
#[test]
fn jobs_popped_and_deleted_die_with_their_worker() {
    let popped = play("pop-and-delete", &[], &[]).effect("job");
    assert!((5..=20).contains(&popped.lost), "two processes with up to ten jobs each: {popped:?}");
    assert_eq!(popped.once + popped.lost, 300);
    let fetched = play("pop-and-delete", &[], &["0s set workers.order=work-then-ack"]).effect("job");
    assert_eq!((fetched.once, fetched.lost), (300, 0));
}
