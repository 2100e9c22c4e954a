//! Flow control and order: buffers that fill, keys worked off in parallel, retries beside the main topic, messages for later.

mod play;

use play::{p99, play, play_document, waits_us};
use redrive::observe::ledger::{Outcome, Standing};
use redrive::observe::record::Cause;
use redrive::run::Run;
use redrive::world::World;

#[test]
fn four_hundred_in_work_keep_up_and_twenty_four_do_not() {
    let by_key = play("parallel-by-key", &[], &[]);
    assert_eq!(by_key.effect("booking").out_of_order, 0);
    assert!(by_key.newest("ledger", "lag_us") < 4_000_000, "{}", by_key.newest("ledger", "lag_us"));
    let one = play("parallel-by-key", &["lab.way=one"], &[]);
    // 24 in work at 200 ms each are 120 a second of 2,000: after 30 s 3,600 of 60,000.
    let done = one.effect("booking").once;
    assert!((3_500..3_700).contains(&done), "{done}");
    let any = play("parallel-by-key", &["lab.way=any"], &[]);
    assert!(any.effect("booking").out_of_order > 100, "{:?}", any.effect("booking"));
    let partitions = play("parallel-by-key", &["lab.way=partitions"], &[]);
    assert_eq!(partitions.effect("booking").out_of_order, 0);
}

#[test]
fn keys_in_order_hold_on_a_queue_too_and_a_hot_key_does_not_fill_the_memory() {
    let document = r#"{"redrive": 1, "until": "60s", "parts": {
        "source": {"kind": "producer", "to": "jobs", "rate": "50/s", "limit": 500, "keys": 10, "hot_key": "50%"},
        "jobs": {"kind": "queue", "visibility_timeout": "1h"},
        "worker": {"kind": "worker", "from": "jobs", "concurrency": 20, "ordering": "key", "work": "20ms..80ms", "effect": "job"}
    }}"#;
    let played = play_document(document, &[], &[]);
    let job = played.effect("job");
    assert_eq!((job.once, job.out_of_order), (500, 0));
    assert!(played.highest("jobs", "hidden") <= 41, "{}", played.highest("jobs", "hidden"));
    let crashed = play_document(document, &["jobs.visibility_timeout=5s"], &["3s crash worker", "6s crash worker at worked"]);
    assert_eq!((crashed.effect("job").lost, crashed.effect("job").pending), (0, 0));
    let any = play_document(document, &["worker.ordering=none"], &[]);
    assert!(any.effect("job").out_of_order > 0);
}

#[test]
fn retry_topics_unblock_the_partition_and_break_the_order_of_keys() {
    let topics = play("retry-topics", &[], &[]);
    let charge = topics.effect("charge");
    assert_eq!((charge.once, charge.dead, charge.lost), (1_199, 1, 0));
    assert!(charge.out_of_order > 100, "{charge:?}");
    assert!(topics.highest("charger", "lag_us") < 2_000_000, "{}", topics.highest("charger", "lag_us"));
    let block = play("retry-topics", &["lab.way=block"], &[]);
    let charge = block.effect("charge");
    assert_eq!((charge.once, charge.dead, charge.out_of_order), (1_199, 1, 0));
    assert!(block.highest("charger", "lag_us") > 85_000_000, "{}", block.highest("charger", "lag_us"));
}

#[test]
fn a_parked_key_keeps_its_order_and_waits_for_its_dead_letter() {
    let park = play("retry-topics", &["lab.way=park"], &[]);
    let charge = park.effect("charge");
    assert_eq!((charge.out_of_order, charge.lost, charge.twice), (0, 0, 0));
    assert!(charge.dead > 1, "the poisoned payment and those of its key behind it: {charge:?}");
    assert_eq!(charge.once + charge.dead, 1_200);
    assert!(park.highest("charger", "lag_us") < 2_000_000, "nobody else waits");
    let redriven = play("retry-topics", &["lab.way=park"], &["17m redrive dead"]).effect("charge");
    assert_eq!((redriven.once, redriven.dead, redriven.out_of_order), (1_200, 0, 0));
    let early = play("retry-topics", &["lab.way=park"], &["13m redrive dead"]).effect("charge");
    assert!(early.dead > 0 && early.out_of_order == 0, "what came after is parked behind what was redriven: {early:?}");
}

#[test]
fn a_queue_with_a_delay_is_a_retry_topic_too() {
    let document = r#"{"redrive": 1, "until": "3m", "parts": {
        "source": {"kind": "producer", "to": "jobs", "rate": "1/s", "limit": 20},
        "jobs": {"kind": "queue"},
        "worker": {"kind": "worker", "from": "jobs", "calls": "service", "effect": "job", "dead_letters": "later"},
        "later": {"kind": "queue", "delay": "30s"},
        "again": {"kind": "worker", "from": "later", "calls": "service", "effect": "job", "dead_letters": "dead"},
        "dead": {"kind": "queue"},
        "service": {"kind": "dependency"}
    }}"#;
    let played = play_document(document, &[], &["4500ms fail service 100%", "9500ms mend service"]);
    assert_eq!((played.effect("job").once, played.effect("job").dead, played.highest("later", "delayed")), (20, 0, 5));
    // The one of the fifth second comes again at 35 s, when it fails once more.
    let longer = play_document(document, &[], &["4500ms fail service 100%", "36s mend service"]).effect("job");
    assert_eq!((longer.once, longer.dead, longer.lost), (19, 1, 0));
}

#[test]
fn who_waits_and_what_is_parked_shows_on_the_stage() {
    let stands = |id: &str, set: &str, at_us: u64, part: u16| {
        let mut run = Run::of_library(id);
        run.sets = set.split_once('=').map(|(place, value)| (place.to_owned(), value.to_owned())).into_iter().collect();
        let mut world = World::new(&run.scenario().unwrap_or_else(|faults| panic!("{faults}")));
        world.run_until(at_us);
        let stage = world.stage(0);
        stage.parts[usize::from(part)].figure.clone()
    };
    assert_eq!(stands("bounded-buffer", "lab.full=pause", 12_000_000, 0), "waits, 500 unconfirmed");
    let parked = stands("retry-topics", "lab.way=park", 100_000_000, 2);
    assert!(parked.contains("parked"), "{parked}");
}

#[test]
fn a_full_publisher_waits_says_no_drops_or_dies() {
    let check = |full: &str, once: u64, lost: u64, refused: u64, most: u64| {
        let played = play("bounded-buffer", &[&format!("lab.full={full}")], &[]);
        let email = played.effect("email");
        let found = (email.once, email.lost, played.users(Outcome::Refused), played.highest("orders", "waiting"));
        assert_eq!(found, (once, lost, refused, most), "{full}");
    };
    // 100 a second for ten seconds: 500 fit. Up to a second after the broker is back they are sent.
    check("pause", 3_000, 0, 0, 500);
    check("reject", 2_499, 0, 501, 500);
    check("drop", 2_499, 501, 0, 500);
    check("grow", 2_200, 800, 0, 800);
}

#[test]
fn what_was_dropped_is_named() {
    let played = play("bounded-buffer", &["lab.full=drop"], &[]);
    assert_eq!(played.standing("1100", "email"), Standing::Lost(Cause::BufferFull));
    let played = play("bounded-buffer", &["lab.full=grow"], &[]);
    assert_eq!(played.standing("600", "email"), Standing::Lost(Cause::OutOfMemory));
}

#[test]
fn a_table_gives_out_what_is_due_and_each_once() {
    let table = play("scheduler", &["lab.way=table"], &[]);
    assert_eq!((table.effect("reminder").once, table.effect("reminder").twice), (10, 0));
    let waits = waits_us("scheduler", &["lab.way=table"], "r");
    let due_us = 270 * 60 * 1_000_000;
    assert!(waits.iter().all(|wait| (due_us..due_us + 3_000_000).contains(wait)), "{waits:?}");
}

#[test]
fn at_nine_all_are_due_at_once() {
    let waits = waits_us("scheduler", &["lab.way=table", "app.due=0s", "app.due_at=3h"], "r");
    assert_eq!(waits.len(), 10);
    let nine_us = 3 * 3_600 * 1_000_000;
    assert!(waits.iter().all(|wait| (nine_us - 9_000_000..nine_us + 3_000_000).contains(wait)), "{waits:?}");
}

#[test]
fn a_password_waits_behind_a_campaign_or_has_a_pool_of_its_own() {
    let shared = p99(&waits_us("priority-pools", &[], "otp"));
    assert!(shared > 90_000_000, "20,000 at 200 a second are 100 s: {shared}");
    let apart = waits_us("priority-pools", &["lab.queues=apart"], "otp");
    assert_eq!((apart.len(), p99(&apart)), (360, 105_000));
    assert_eq!(waits_us("priority-pools", &["lab.queues=apart"], "c").len(), 20_000, "the campaign ends ten seconds later");
}

#[test]
fn a_noisy_tenant_keeps_others_waiting_or_itself() {
    let shared = p99(&waits_us("noisy-tenant", &[], "t"));
    assert!(shared > 55_000_000, "6,000 at 100 a second: {shared}");
    let apart = waits_us("noisy-tenant", &["lab.queues=apart"], "t");
    assert!(p99(&apart) < 200_000, "{}", p99(&apart));
    assert!(p99(&waits_us("noisy-tenant", &["lab.queues=apart"], "n")) > 100_000_000);
}

#[test]
fn letters_must_not_go_in_a_circle_nor_where_nobody_reads() {
    let check = |letters: &str, more: &str, wrong: &str| {
        let document = format!(
            r#"{{"redrive": 1, "parts": {{
            "source": {{"kind": "producer", "to": "main"}}, "main": {{"kind": "log"}}, "retry": {{"kind": "log"}}, "dead": {{"kind": "queue"}},
            "worker": {{"kind": "worker", "from": "main", "dead_letters": "{letters}"}}{more}}}}}"#
        );
        let faults = Run::of_document("x", &document).scenario().expect_err("it is refused").to_string();
        assert!(faults.contains(wrong), "{faults}");
    };
    check("retry", "", "nobody reads `retry`");
    let again = r#", "again": {"kind": "worker", "from": "retry", "dead_letters": "main"}"#;
    check("retry", again, "dead letters go in a circle: `retry` leads back to `main`");
}
