//! What holds for every queue, over long runs of random calls that a small generator makes the same each time.

use std::collections::{BTreeMap, BTreeSet};

use redrive_brokers::sqs::{Fifo, Options, Queue, Receive, Received, Scope, Send, Throughput};
use redrive_brokers::{Consumer, Counts, QueueServer, Tag, What};

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
}

impl Books {
    fn follow(&mut self, queue: &mut Queue) {
        for happening in queue.take_happenings() {
            assert!(happening.at_us >= self.at_us, "time runs back: {happening:?}");
            self.at_us = happening.at_us;
            let copy = happening.copy.0;
            let fits = match happening.what {
                What::Stored => self.ready.insert(copy),
                What::Delayed(_) => self.delayed.insert(copy),
                What::Ripened => self.delayed.remove(&copy) && self.ready.insert(copy),
                What::Delivered(_) => self.ready.remove(&copy) && self.held.insert(copy),
                What::Returned(_) => self.held.remove(&copy) && self.ready.insert(copy),
                What::Acked | What::DroppedHeld(_) | What::DeadLetteredHeld(_) => self.held.remove(&copy),
                What::AckedLate | What::DeadLettered(_) => self.ready.remove(&copy),
                What::Dropped(_) => self.ready.remove(&copy) || self.delayed.remove(&copy),
            };
            assert!(fits, "a copy is in two places or in none: {happening:?}");
        }
        let counts = Counts { ready: self.ready.len() as u64, held: self.held.len() as u64, delayed: self.delayed.len() as u64 };
        assert_eq!(queue.counts(), counts);
        assert_eq!(queue.held(usize::MAX).len() as u64, counts.held + counts.delayed);
    }
}

/// Every message of a group that is still stored and older than one that was received must have been received with it.
fn check_groups(groups: &BTreeMap<u64, u64>, books: &Books, received: &[Received]) {
    let batch: BTreeSet<u64> = received.iter().map(|received| received.copy.0).collect();
    for received in received {
        let stored = books.ready.iter().chain(&books.held).chain(&books.delayed);
        let mut older = stored.filter(|copy| **copy < received.copy.0 && groups.get(copy) == Some(&received.group));
        assert!(older.all(|copy| batch.contains(copy)), "{received:?} overtook its group");
    }
    let in_order = received.windows(2).all(|pair| pair[0].group != pair[1].group || pair[0].copy < pair[1].copy);
    assert!(in_order, "{received:?} is out of order");
}

fn play(options: Options, seed: u64) {
    let mut dice = Dice(seed);
    let mut queue = Queue::new(options, 0).expect("the options are in range");
    let mut books = Books::default();
    let mut groups = BTreeMap::new();
    let mut tags: Vec<Tag> = vec![Tag(0), Tag(u64::MAX)];
    let mut now_us = 0;
    for step in 0..2_500 {
        now_us += [0, 0, 1, 300_000, 1_000_000, 7_000_000][dice.below(6) as usize];
        let tag = tags[dice.below(tags.len() as u64) as usize];
        match dice.below(9) {
            0..=2 => {
                let group = dice.below(5);
                let delay_us = (dice.below(4) == 0).then(|| dice.below(10) * 1_000_000);
                let delay_us = if options.fifo.is_some() { None } else { delay_us };
                let dedup = options.fifo.map(|_| dice.below(40));
                let send = Send { group: Some(group), dedup, delay_us, ..Send::new(step) };
                let sent = queue.send(now_us, send).expect("nothing is wrong with it");
                groups.extend(sent.copy.map(|copy| (copy.0, group)));
            }
            3 | 4 => {
                queue.advance(now_us);
                let next: Vec<u64> = queue.waiting(10).iter().map(|(copy, _)| copy.0).collect();
                let visibility_us = (dice.below(3) == 0).then(|| dice.below(4) * 1_000_000);
                let attempt = options.fifo.map(|_| dice.below(4)).filter(|id| *id > 0);
                let ask = Receive { visibility_us, attempt, ..Receive::new(Consumer(1), 1 + dice.below(10) as u32) };
                books.follow(&mut queue);
                let received = queue.receive(now_us, ask).unwrap_or_default();
                books.follow(&mut queue);
                if options.fifo.is_some() && attempt.is_none() {
                    check_groups(&groups, &books, &received);
                }
                if options.max_receives.is_none() && attempt.is_none() {
                    let copies: Vec<u64> = received.iter().map(|received| received.copy.0).collect();
                    assert_eq!(copies, next[..copies.len()], "what waits is not what comes");
                }
                tags.extend(received.iter().map(|received| received.tag));
            }
            5 | 6 => drop(queue.delete(now_us, tag)),
            7 => drop(queue.change_visibility(now_us, tag, dice.below(3) * 2_000_000)),
            _ if dice.below(60) == 0 => drop(queue.purge(now_us)),
            _ => queue.advance(now_us),
        }
        books.follow(&mut queue);
    }
    queue.advance(now_us + options.retention_us + 1_000_000_000);
    books.follow(&mut queue);
    assert_eq!(queue.counts(), Counts::default(), "nothing outlives its retention");
    assert_eq!(queue.next_due_us(), None);
}

#[test]
fn every_copy_is_in_one_place_and_no_group_is_overtaken() {
    let standard = Options { visibility_us: 5_000_000, retention_us: 600_000_000, ..Options::standard() };
    let limited = Options { max_receives: Some(2), in_flight_limit: 7, ..standard };
    let fifo = Options { visibility_us: 5_000_000, retention_us: 600_000_000, ..Options::fifo() };
    let grouped =
        Fifo { content_based: true, scope: Scope::MessageGroup, throughput: Throughput::PerMessageGroup, window_us: 60_000_000 };
    let scoped = Options { fifo: Some(grouped), max_receives: Some(3), delay_us: 2_000_000, scan_limit: 5, ..fifo };
    for seed in 0..5 {
        for options in [standard, limited, fifo, scoped] {
            play(options, seed);
        }
    }
}

#[test]
fn a_hundred_thousand_messages_wait_and_go() {
    for options in [Options::standard(), Options { scan_limit: 1_000, ..Options::fifo() }] {
        let mut queue = Queue::new(options, 0).expect("as shipped");
        for body in 0..100_000 {
            let send = Send { group: Some(body % 977), dedup: options.fifo.map(|_| body), ..Send::new(body) };
            queue.send(body, send).expect("nothing is wrong with it");
        }
        let mut gone = 0;
        while gone < 100_000 {
            let received = queue.receive(100_000, Receive::new(Consumer(1), 10)).expect("few are in flight");
            assert!(!received.is_empty(), "stuck after {gone}");
            gone += received.len();
            for received in received {
                queue.delete(100_000, received.tag).expect("it is in flight");
            }
        }
        assert_eq!(queue.counts(), Counts::default());
    }
}

#[test]
fn the_common_face_says_what_the_service_would() {
    use redrive_brokers::{Publish, Published, Refusal, Settle};
    let mut queue = Queue::new(Options { delay_us: 5_000_000, ..Options::fifo() }, 0).expect("in range");
    let server: &mut dyn QueueServer = &mut queue;
    let letter = Publish { body: 7, key: 1, dedup: Some(7), ..Publish::default() };
    assert!(
        matches!(server.publish(0, Publish { delay_us: 5_000_000, ..letter }), Published::Stored(_)),
        "the queue's own delay"
    );
    assert_eq!(server.publish(0, letter), Published::Duplicate);
    let other_delay = Publish { delay_us: 1_000_000, dedup: Some(8), ..letter };
    assert_eq!(server.publish(0, other_delay), Published::Refused(Refusal::Invalid));
    assert_eq!(server.publish(0, Publish { dedup: None, ..letter }), Published::Refused(Refusal::Invalid));
    assert_eq!(server.next_due_us(), Some(5_000_000));
    let delivery = server.receive(5_000_000, Consumer(3), 10).remove(0);
    assert_eq!((delivery.body, delivery.count, delivery.redelivered), (7, 1, false));
    assert_eq!(server.settle(6_000_000, Consumer(3), delivery.tag, Settle::Reject), Err(Refusal::Invalid));
    assert_eq!(server.settle(6_000_000, Consumer(3), Tag(12), Settle::Ack), Err(Refusal::Unknown));
    assert_eq!(server.settle(6_000_000, Consumer(3), delivery.tag, Settle::Extend { for_us: 1_000_000 }), Ok(()));
    server.close(6_500_000, Consumer(3));
    assert_eq!(server.counts().held, 1, "a closed connection gives nothing back");
    assert_eq!(server.settle(7_000_000, Consumer(3), delivery.tag, Settle::Ack), Err(Refusal::Stale));
    let again = server.receive(7_000_000, Consumer(4), 1).remove(0);
    assert_eq!((again.count, again.redelivered), (2, true));
    assert_eq!(server.settle(7_000_000, Consumer(4), again.tag, Settle::Ack), Ok(()));
    assert_eq!(server.counts(), Counts::default());
}

#[test]
fn no_call_at_the_end_of_time_goes_wrong() {
    for options in [Options::standard(), Options::fifo()] {
        let mut queue = Queue::new(options, u32::MAX >> 16).expect("as shipped");
        let mut books = Books::default();
        for now_us in [0, u64::MAX - 1, u64::MAX, 5] {
            let send = Send { group: Some(u64::MAX), dedup: options.fifo.map(|_| now_us), ..Send::new(now_us) };
            queue.send(now_us, send).expect("nothing is wrong with it");
            for received in queue.receive(now_us, Receive::new(Consumer(0), 10)).expect("few are in flight") {
                let _ = queue.change_visibility(now_us, received.tag, 43_200_000_000);
                let _ = queue.delete(now_us, Tag(received.tag.0 + 1));
            }
            let _ = queue.purge(now_us);
            books.follow(&mut queue);
        }
    }
}
