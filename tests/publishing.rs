//! Ways to publish from a database write, each with what it costs.

mod play;

use play::play;
use proptest::prelude::*;
use redrive::database::Outbox;
use redrive::message::Message;
use redrive::observe::ledger::{Outcome, Standing};
use redrive::observe::record::Cause;
use redrive::scenario::choices::Reads;
use redrive_brokers::postgres::{Horizon, LastId, Row, Xids};

#[test]
fn a_relay_that_keeps_the_last_id_loses_what_commits_late_and_no_gauge_moves() {
    let played = play("late-commit", &[], &[]);
    let email = played.effect("email");
    assert_eq!(email.once + email.lost, 300);
    assert!(email.lost > 10, "{email:?}");
    assert_eq!(played.newest("orders-db", "outbox_unsent"), 0, "the rows are below what the relay asks for");
    assert_eq!(played.newest("orders-db", "outbox_rows"), email.lost, "and still in the table");
    assert_eq!(played.fired_s("outbox-age"), None);
}

#[test]
fn marks_a_horizon_and_the_log_lose_nothing() {
    for reads in ["flag", "horizon", "cdc"] {
        let played = play("late-commit", &[&format!("lab.reads={reads}")], &[]);
        let email = played.effect("email");
        assert_eq!((email.once, email.lost, email.twice), (300, 0, 0), "{reads}");
    }
}

#[test]
fn marks_find_what_was_passed_over_and_a_horizon_does_not() {
    let lost = play("late-commit", &[], &[]).effect("email").lost;
    let cured = play("late-commit", &[], &["20s set relay.reads=flag"]).effect("email");
    assert_eq!((cured.once, cured.lost, cured.twice), (300, 0, 0));
    let late = play("late-commit", &[], &["20s set relay.reads=horizon"]).effect("email");
    assert_eq!(late.lost, lost, "all had been passed over by then");
    let early = play("late-commit", &[], &["5s set relay.reads=horizon"]).effect("email");
    assert!((1..lost).contains(&early.lost), "{early:?}");
}

#[test]
fn a_transaction_that_stays_open_holds_up_a_horizon_and_no_mark() {
    let slow = ["2s slow orders-db 100x", "3s mend orders-db"];
    let oldest =
        |reads: &str| play("late-commit", &[&format!("lab.reads={reads}")], &slow).highest("orders-db", "outbox_oldest_us");
    assert!(oldest("horizon") > 2_000_000, "{}", oldest("horizon"));
    assert!(oldest("flag") < 500_000, "{}", oldest("flag"));
}

#[test]
fn a_rollback_leaves_a_gap_that_no_relay_waits_for() {
    for reads in ["last-id", "horizon"] {
        let played = play("late-commit", &[&format!("lab.reads={reads}")], &["0s fail orders-db 30%"]);
        assert_eq!(played.newest("orders-db", "outbox_unsent"), 0, "{reads}");
        assert!(played.users(Outcome::Refused) > 50, "{reads}");
    }
}

#[test]
fn two_relays_send_everything_twice_or_lose_the_order() {
    let free = play("two-relays", &[], &[]).effect("email");
    assert_eq!((free.once + free.twice, free.lost), (200, 0));
    assert!(free.twice > 140, "{free:?}");
    let locked = play("two-relays", &["lab.locks=locked"], &[]).effect("email");
    assert_eq!((locked.once, locked.twice, locked.lost), (200, 0, 0));
    assert!(locked.out_of_order > 10, "{locked:?}");
    let one = play("two-relays", &["lab.locks=locked"], &["0s pause relay-b"]).effect("email");
    assert_eq!((one.once, one.out_of_order), (200, 0));
}

#[test]
fn a_locked_batch_is_free_again_when_its_relay_dies() {
    let played = play("two-relays", &["lab.locks=locked"], &["2s crash relay-a at received", "2s pause relay-a"]).effect("email");
    assert_eq!((played.once, played.lost), (200, 0));
}

#[test]
fn sent_rows_stay_until_they_are_pruned() {
    let kept = |keep: &str| play("outbox-relay-crash", &[&format!("orders-db.keep={keep}")], &[]);
    assert_eq!(kept("0s").newest("orders-db", "outbox_rows"), 0);
    assert_eq!(kept("1h").newest("orders-db", "outbox_rows"), 60);
    let pruned = kept("10s");
    assert_eq!((pruned.highest("orders-db", "outbox_rows") > 15, pruned.newest("orders-db", "outbox_rows")), (true, 0));
}

#[test]
fn who_listens_to_itself_loses_nothing_and_finds_its_own_write_late() {
    let writer = play("listen-to-yourself", &[], &[]);
    let (order, email) = (writer.effect("order"), writer.effect("email"));
    assert_eq!((order.once, order.lost, email.once, writer.users(Outcome::Refused)), (600, 0, 600, 0));
    // 20 s without a database at 10 orders a second; the last second's are within the promise, and then it catches up.
    assert!((185..260).contains(&order.late), "{order:?}");
    let outbox = play("listen-to-yourself", &["lab.way=outbox"], &[]);
    let refused = outbox.users(Outcome::Refused);
    assert!((195..=215).contains(&refused), "{refused}");
    assert_eq!((outbox.effect("order").once, outbox.effect("order").late), (600 - refused, 0));
}

#[test]
fn a_crash_after_publishing_writes_the_order_of_a_user_who_was_told_no() {
    let played = play("listen-to-yourself", &[], &["5s crash checkout at published"]);
    assert!(played.users(Outcome::Refused) > 0);
    assert_eq!(played.standing("o50", "order"), Standing::Done(1));
}

#[test]
fn a_lost_slot_loses_what_was_written_until_there_is_a_new_one() {
    let played = play("idle-slot", &["lab.limit=5gb"], &[]);
    assert_eq!(played.standing("m4", "email"), Standing::Lost(Cause::SlotDropped));
    assert_eq!(played.standing("m5", "email"), Standing::Done(1), "by the new slot");
    assert_eq!(played.fired_s("produce-errors"), Some(252), "5 GB at 20 MB a second, and the poll after");
    let found = play("idle-slot", &["lab.limit=5gb"], &["9m set reader.reads=flag"]);
    assert_eq!(found.effect("email").once, 5);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The lab's outbox against the relays of the PostgreSQL machine, which are held to recordings: transactions begin, commit
    /// and roll back in any order, and at every poll both read the same rows.
    #[test]
    fn rows_are_read_as_the_machine_reads_them(steps in prop::collection::vec((0..4_u8, any::<prop::sample::Index>()), 1..80), below: bool) {
        let mut outbox = Outbox::default();
        outbox.index(true);
        let (mut xids, mut visible, mut open) = (Xids::new(1), Vec::<Row>::new(), Vec::<u64>::new());
        let (mut last_id, mut horizon) = (LastId::default(), Horizon::default());
        let reads = if below { Reads::Horizon } else { Reads::LastId };
        for (step, which) in steps {
            match step {
                0 => {
                    open.push(xids.assign());
                    prop_assert_eq!(outbox.begins(), open[open.len() - 1]);
                }
                1 | 2 if !open.is_empty() => {
                    let id = open.swap_remove(which.index(open.len()));
                    xids.end(id);
                    if step == 1 {
                        visible.push(Row { id, xid: id, ..Row::default() });
                        visible.sort_by_key(|row| row.id);
                        let fact = id as u32;
                        outbox.add(Message { stored_us: 0, fact, key: 0, receives: 0, effects: 1, poison: false, tombstone: false }, id, 0);
                    }
                    outbox.ends(id);
                }
                _ => {
                    let expect = if below { horizon.poll(&visible, xids.snapshot(None).xmin, 3) } else { last_id.poll(&visible, 3) };
                    let batch = outbox.read(reads, 3, false, 0);
                    prop_assert_eq!(batch.iter().map(|(key, _)| key.1).collect::<Vec<_>>(), expect);
                    for (key, _) in &batch {
                        outbox.mark(*key);
                        outbox.last = outbox.last.max(key.1);
                    }
                    outbox.pass_over();
                }
            }
        }
        prop_assert!(!below || outbox.passed_over() == 0, "below the horizon nothing is passed over");
    }
}
