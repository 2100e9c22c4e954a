//! A table as a queue: the machine for many rows does what the statements do, and its copies are never in two places.

use std::collections::{BTreeMap, BTreeSet};

use redrive_brokers::postgres::{
    Act, Change, Claim, Database, Held, Options, Pick, Recovery, Reply, Row, Session, Status, Strength, Style, Table, TableQueue,
};
use redrive_brokers::{Consumer, Counts, Delivery, Publish, Published, QueueServer, Refusal, Settle, Tag, What, Why};

const S: u64 = 1_000_000;
const MOST_ATTEMPTS: u32 = 3;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Where every copy is, by the happenings alone.
#[derive(Default)]
struct Books {
    ready: BTreeSet<u64>,
    held: BTreeSet<u64>,
    delayed: BTreeSet<u64>,
    at_us: u64,
    seen: Vec<What>,
}

impl Books {
    fn follow(&mut self, queue: &mut TableQueue) {
        for happening in queue.take_happenings() {
            assert!(happening.at_us >= self.at_us, "time runs back: {happening:?}");
            self.at_us = happening.at_us;
            self.seen.push(happening.what);
            let copy = happening.copy.0;
            let fits = match happening.what {
                What::Stored => self.ready.insert(copy),
                What::Delayed(_) => self.delayed.insert(copy),
                What::Ripened => self.delayed.remove(&copy) && self.ready.insert(copy),
                What::Delivered(_) => self.ready.remove(&copy) && self.held.insert(copy),
                What::Returned(_) => self.held.remove(&copy) && self.ready.insert(copy),
                What::Acked | What::DroppedHeld(_) | What::DeadLetteredHeld(_) => self.held.remove(&copy),
                What::AckedLate | What::DeadLettered(_) | What::Dropped(_) => self.ready.remove(&copy),
            };
            assert!(fits, "a copy is in two places or in none: {happening:?}");
        }
        let counts = Counts { ready: self.ready.len() as u64, held: self.held.len() as u64, delayed: self.delayed.len() as u64 };
        assert_eq!(queue.counts(), counts);
        assert_eq!(queue.held(usize::MAX).len() as u64, counts.held + counts.delayed);
    }
}

/// The statements that the machine stands for.
struct Statements {
    database: Database,
    style: Style,
}

impl Statements {
    fn rows(&mut self, pick: &Pick) -> Vec<Row> {
        self.database.select(Session(99), Table::Rows, pick).expect("it is in no transaction")
    }

    fn claim(&mut self, by: u32, pick: Pick, most: u32, act: Act) -> Vec<u64> {
        let held = if matches!(pick, Pick::Ids(_) | Pick::Owned(_)) { Held::Wait } else { Held::Skip };
        match self.database.claim(Session(by), Claim { table: Table::Rows, pick, most, held, strength: Strength::Update, act }) {
            Reply::Ids(ids) => ids,
            other => panic!("nothing waits or fails here: {other:?}"),
        }
    }

    /// The bodies of the rows that a consumer gets.
    fn receive(&mut self, by: u32, most: u32) -> Vec<u64> {
        let bodies: BTreeMap<u64, u64> = self.rows(&Pick::All).iter().map(|row| (row.id, row.body)).collect();
        let ids = match self.style {
            Style::Transaction { .. } => {
                self.database.begin(Session(by));
                self.claim(by, Pick::Ready, most, Act::Lock)
            }
            Style::Lease { lease_us, recovery, .. } => {
                let pick = if recovery == Recovery::Claims { Pick::Due } else { Pick::Ready };
                self.claim(by, pick, most, Act::Set(Change::Lease { for_us: lease_us }))
            }
            Style::Pop => self.claim(by, Pick::Ready, most, Act::Delete),
        };
        ids.iter().map(|id| bodies[id]).collect()
    }

    /// Whether a row was there to be settled.
    fn settle(&mut self, by: u32, body: u64, how: Settle) -> bool {
        let all = self.rows(&Pick::All);
        let found = all.iter().find(|row| row.body == body && row.status != Status::Failed).map(|row| row.id);
        let (id, pick) = match (self.style, found) {
            (Style::Pop, _) => {
                if how == Settle::Requeue {
                    self.database.insert(Session(by), Table::Rows, &[body]);
                }
                return true;
            }
            (_, None) => return false,
            (Style::Lease { guarded: true, .. }, Some(id)) => (id, Pick::Owned(vec![id])),
            (_, Some(id)) => (id, Pick::Ids(vec![id])),
        };
        let act = match (how, self.style) {
            (Settle::Requeue, Style::Lease { .. }) => Act::Set(Change::Reap { max_attempts: MOST_ATTEMPTS }),
            (Settle::Requeue, _) => Act::Set(Change::Attempt),
            (Settle::Extend { for_us }, Style::Lease { .. }) => Act::Set(Change::Extend { for_us }),
            (Settle::Extend { .. }, _) => Act::Lock,
            (Settle::Ack | Settle::Reject, _) => Act::Delete,
        };
        self.claim(by, pick, 1, act) == [id]
    }
}

/// Plays random calls on both and compares what comes of each.
fn side_by_side(style: Style, most: u32, seed: u64) {
    let max_attempts = if matches!(style, Style::Lease { .. }) { MOST_ATTEMPTS } else { 0 };
    let mut queue = TableQueue::new(Options { style, max_attempts, ..Options::pop() });
    let mut real = Statements { database: Database::new(700), style };
    let (mut dice, mut books, mut now_us, mut body) = (Dice(seed), Books::default(), 0, 0);
    // What each consumer has in hand, and what it has settled of its open transaction.
    let mut hands: BTreeMap<u32, Vec<Delivery>> = BTreeMap::new();
    for _ in 0..800 {
        let before_us = now_us;
        now_us += [0, 0, 1, 200_000, 700_000][dice.below(5) as usize];
        if let Style::Lease { recovery: Recovery::Reaper { every_us }, .. } = style
            && now_us / every_us > before_us / every_us
        {
            real.database.advance(now_us / every_us * every_us);
            real.claim(98, Pick::Expired, u32::MAX, Act::Set(Change::Reap { max_attempts: MOST_ATTEMPTS }));
        }
        real.database.advance(now_us);
        if let Style::Lease { recovery: Recovery::Claims, .. } = style {
            // A row without attempts left is failed when its lease is over.
            let spent: Vec<u64> =
                real.rows(&Pick::Expired).iter().filter(|row| row.attempts >= MOST_ATTEMPTS).map(|row| row.id).collect();
            real.claim(98, Pick::Ids(spent), u32::MAX, Act::Set(Change::Reap { max_attempts: MOST_ATTEMPTS }));
        }
        let by = dice.below(4) as u32;
        let consumer = Consumer(by);
        let hand = hands.entry(by).or_default();
        match dice.below(7) {
            0 | 1 => {
                body += 1;
                queue.publish(now_us, Publish { body, ..Publish::default() });
                real.database.insert(Session(97), Table::Rows, &[body]);
            }
            2 | 3 if hand.is_empty() => {
                *hand = queue.receive(now_us, consumer, most);
                let bodies: Vec<u64> = hand.iter().map(|delivery| delivery.body).collect();
                assert_eq!(bodies, real.receive(by, most), "another claim at {now_us}");
                if hand.is_empty() {
                    real.database.rollback(Session(by));
                }
            }
            4 | 5 if !hand.is_empty() => {
                let delivery = hand.remove(dice.below(hand.len() as u64) as usize);
                let how = [Settle::Ack, Settle::Ack, Settle::Requeue][dice.below(3) as usize];
                let said = queue.settle(now_us, consumer, delivery.tag, how).is_ok();
                assert_eq!(said, real.settle(by, delivery.body, how), "{how:?} of {delivery:?} at {now_us}");
                if hand.is_empty() {
                    real.database.commit(Session(by));
                }
            }
            _ => {
                hand.clear();
                queue.close(now_us, consumer);
                real.database.kill(Session(by));
            }
        }
        queue.advance(now_us);
        books.follow(&mut queue);
        let failed = real.rows(&Pick::All).iter().filter(|row| row.status == Status::Failed).count();
        let rows = real.rows(&Pick::All).len() - failed;
        let popped = if style == Style::Pop { hands.values().map(Vec::len).sum() } else { 0 };
        let counts = queue.counts();
        assert_eq!(counts.ready + counts.held, (rows + popped) as u64, "rows at {now_us}");
    }
}

#[test]
fn the_machine_for_many_rows_does_what_the_statements_do() {
    let lease = |recovery, guarded| Style::Lease { lease_us: S, recovery, guarded };
    let transaction = |together| Style::Transaction { skip_locked: true, together, idle_limit_us: 0 };
    for seed in 0..5 {
        side_by_side(transaction(false), 1, seed);
        side_by_side(transaction(true), 3, seed);
        side_by_side(lease(Recovery::Claims, true), 1, seed);
        side_by_side(lease(Recovery::Claims, false), 3, seed);
        side_by_side(lease(Recovery::Nobody, true), 2, seed);
        side_by_side(lease(Recovery::Reaper { every_us: 3 * S }, true), 2, seed);
        side_by_side(Style::Pop, 2, seed);
    }
}

/// Publishes bodies 1 to `most` into an empty table.
fn table(options: Options, most: u64) -> TableQueue {
    let mut queue = TableQueue::new(options);
    for body in 1..=most {
        queue.publish(0, Publish { body, ..Publish::default() });
    }
    queue
}

fn bodies(given: &[Delivery]) -> Vec<u64> {
    given.iter().map(|delivery| delivery.body).collect()
}

const A: Consumer = Consumer(1);
const B: Consumer = Consumer(2);

#[test]
fn a_worker_that_is_blocked_past_its_lease_and_a_second_one_both_do_the_job() {
    let check = |lease_s: u64, expect: &[u64]| {
        let mut queue = table(Options::lease(lease_s * S), 1);
        let first = queue.receive(0, A, 1);
        let second = queue.receive(35 * S, B, 1);
        assert_eq!(bodies(&second), expect, "lease of {lease_s} s");
        let done = queue.settle(40 * S, A, first[0].tag, Settle::Ack);
        assert_eq!(done.is_ok(), expect.is_empty(), "the first one's receipt");
    };
    check(30, &[1]);
    check(60, &[]);
}

#[test]
fn what_was_popped_is_lost_with_its_worker_and_what_was_claimed_is_not() {
    let check = |options: Options, at_us: u64, expect: &[u64]| {
        let mut queue = table(options, 2);
        queue.receive(0, A, 1);
        queue.close(S, A);
        assert_eq!(bodies(&queue.receive(at_us, B, 5)), expect, "{options:?} at {at_us}");
    };
    check(Options::pop(), 100 * S, &[2]);
    check(Options::transaction(), S, &[1, 2]);
    check(Options::lease(30 * S), S, &[2]);
    check(Options::lease(30 * S), 31 * S, &[1, 2]);
}

#[test]
fn a_job_that_kills_its_worker_counts_no_attempt_in_a_transaction_and_is_given_up_under_leases() {
    let deliveries = |options: Options| {
        let mut queue = table(Options { max_attempts: 3, ..options }, 1);
        let killed = (0..10).filter(|minute| {
            let got = queue.receive(minute * 60 * S, A, 1);
            queue.close(minute * 60 * S + 1, A);
            !got.is_empty()
        });
        killed.count()
    };
    assert_eq!(deliveries(Options::transaction()), 10);
    assert_eq!(deliveries(Options::lease(30 * S)), 3);
}

#[test]
fn without_skip_locked_the_second_worker_waits() {
    let style = Style::Transaction { skip_locked: false, together: false, idle_limit_us: 0 };
    let mut queue = table(Options { style, ..Options::transaction() }, 3);
    let first = queue.receive(0, A, 1);
    assert_eq!(bodies(&queue.receive(0, B, 1)), []);
    queue.settle(S, A, first[0].tag, Settle::Ack).expect("it holds the row");
    assert_eq!(bodies(&queue.receive(S, B, 1)), [2]);
}

#[test]
fn the_idle_limit_ends_a_transaction_and_its_worker_s_word_counts_no_more() {
    let style = Style::Transaction { skip_locked: true, together: false, idle_limit_us: 10 * S };
    let mut queue = table(Options { style, ..Options::transaction() }, 1);
    let first = queue.receive(0, A, 1);
    queue.settle(6 * S, A, first[0].tag, Settle::Extend { for_us: 0 }).expect("any statement will do");
    assert_eq!(queue.next_due_us(), Some(16 * S));
    queue.advance(16 * S);
    assert_eq!(queue.settle(17 * S, A, first[0].tag, Settle::Ack), Err(Refusal::Stale));
    let whats: Vec<What> = queue.take_happenings().iter().map(|happening| happening.what).collect();
    assert_eq!(whats, [What::Stored, What::Delivered(A), What::Returned(Why::ConsumerTimeout)]);
}

#[test]
fn a_reaper_looks_at_its_own_times() {
    let recovery = Recovery::Reaper { every_us: 60 * S };
    let style = Style::Lease { lease_us: 10 * S, recovery, guarded: true };
    let mut queue = table(Options { style, max_attempts: 2, ..Options::pop() }, 1);
    for (at_s, expect) in [(0, &[1][..]), (59, &[]), (60, &[1]), (119, &[]), (120, &[])] {
        assert_eq!(bodies(&queue.receive(at_s * S, A, 1)), expect, "at {at_s} s");
    }
    let last = queue.take_happenings().pop().map(|happening| (happening.at_us, happening.what));
    assert_eq!(last, Some((120 * S, What::DeadLetteredHeld(Why::Limit))));
}

#[test]
fn an_unguarded_finish_takes_the_row_from_its_new_holder() {
    let check = |guarded: bool, first_says: Result<(), Refusal>, second_says: Result<(), Refusal>| {
        let style = Style::Lease { lease_us: 10 * S, recovery: Recovery::Claims, guarded };
        let mut queue = table(Options { style, ..Options::pop() }, 1);
        let first = queue.receive(0, A, 1);
        let second = queue.receive(11 * S, B, 1);
        assert_eq!(queue.settle(12 * S, A, first[0].tag, Settle::Ack), first_says, "guarded: {guarded}");
        assert_eq!(queue.settle(13 * S, B, second[0].tag, Settle::Ack), second_says, "guarded: {guarded}");
    };
    check(true, Err(Refusal::Stale), Ok(()));
    check(false, Ok(()), Err(Refusal::Stale));
}

#[test]
fn priorities_delays_and_unique_keys() {
    let mut queue = TableQueue::new(Options { by_priority: true, unique: true, ..Options::transaction() });
    let plain = Publish::default();
    queue.publish(0, Publish { body: 1, ..plain });
    queue.publish(0, Publish { body: 2, priority: 5, ..plain });
    queue.publish(0, Publish { body: 3, priority: 9, delay_us: S, ..plain });
    assert!(matches!(queue.publish(0, Publish { body: 4, dedup: Some(7), ..plain }), Published::Stored(_)));
    assert_eq!(queue.publish(0, Publish { body: 5, dedup: Some(7), ..plain }), Published::Duplicate);
    assert_eq!(bodies(&queue.receive(0, A, 1)), [2]);
    let rest = queue.receive(S, A, 9);
    assert_eq!(bodies(&rest), [3, 1, 4]);
    queue.settle(S, A, rest[2].tag, Settle::Ack).expect("it holds the row");
    assert!(matches!(queue.publish(S, Publish { body: 5, dedup: Some(7), ..plain }), Published::Stored(_)));
}

#[test]
fn nothing_that_is_said_of_other_tags_does_harm() {
    for options in [Options::transaction(), Options::lease(S), Options::pop()] {
        let mut queue = table(options, 1);
        queue.receive(0, A, 1);
        for tag in [0, 1, 1 << 16, u64::MAX] {
            for how in [Settle::Ack, Settle::Requeue, Settle::Reject, Settle::Extend { for_us: u64::MAX }] {
                assert!(queue.settle(0, A, Tag(tag), how).is_err(), "{options:?} {tag} {how:?}");
            }
        }
        queue.advance(u64::MAX);
    }
}
