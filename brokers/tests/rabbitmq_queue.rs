//! One RabbitMQ queue behind the face that all servers of single messages have.

use std::collections::BTreeSet;

use redrive_brokers::rabbitmq::{DeliveryLimit, Kind, Overflow, RabbitQueue, Release, Settings};
use redrive_brokers::{Consumer, Counts, Delivery, Publish, Published, QueueServer, Refusal, Settle, Tag, Tuning, What, Why};

const A: Consumer = Consumer(1);
const B: Consumer = Consumer(2);
const SECOND: u64 = 1_000_000;

const QUORUM: Settings = Settings { kind: Kind::Quorum, ..CLASSIC };
const CLASSIC: Settings = Settings {
    kind: Kind::Classic,
    release: Release::V3_10,
    delivery_limit: DeliveryLimit::Default,
    ttl_us: None,
    max_length: None,
    max_bytes: None,
    message_bytes: 1_000,
    overflow: Overflow::DropHead,
    priorities: 0,
    single_active: false,
    dead_letters: true,
    at_least_once: false,
    dead_letter_retry_us: 180 * SECOND,
    expires_us: None,
    prefetch: 0,
    consumer_timeout_us: Some(1_800 * SECOND),
    consumer_check_us: 60 * SECOND,
};

/// A queue in which so many messages wait, their bodies from 0.
fn filled(settings: Settings, count: u64) -> RabbitQueue {
    let mut queue = RabbitQueue::new(settings);
    for body in 0..count {
        queue.publish(0, Publish { body, ..Publish::default() });
    }
    queue
}

fn bodies(deliveries: &[Delivery]) -> Vec<u64> {
    deliveries.iter().map(|delivery| delivery.body).collect()
}

#[test]
fn a_consumer_holds_no_more_than_its_prefetch() {
    let check = |settings: Settings, expect: usize| {
        let mut queue = filled(settings, 2_100);
        assert_eq!(queue.receive(0, A, u32::MAX).len(), expect, "{settings:?}");
        assert_eq!(queue.receive(0, A, u32::MAX).len(), 0);
    };
    check(CLASSIC, 2_100);
    check(QUORUM, 2_000);
    check(Settings { prefetch: 3, ..CLASSIC }, 3);
    check(Settings { prefetch: 3, ..QUORUM }, 3);
}

#[test]
fn a_message_fails_as_often_as_its_release_allows() {
    let check = |settings: Settings, how_often: u32, consumer_gives_back: bool| {
        let mut queue = filled(settings, 1);
        let mut deliveries = 0;
        while let Some(delivery) = queue.receive(0, A, 1).first().filter(|_| deliveries < 100) {
            deliveries += 1;
            if consumer_gives_back {
                queue.settle(0, A, delivery.tag, Settle::Requeue).expect("it is held");
            } else {
                queue.close(0, A);
            }
        }
        assert_eq!(deliveries, how_often, "{settings:?}, gives back: {consumer_gives_back}");
    };
    let three = Settings { delivery_limit: DeliveryLimit::Returns(3), ..QUORUM };
    for gives_back in [true, false] {
        check(QUORUM, 100, gives_back);
        check(three, 4, gives_back);
        check(Settings { release: Release::V4_0, ..QUORUM }, 21, gives_back);
        check(Settings { release: Release::V4_0, delivery_limit: DeliveryLimit::Unlimited, ..QUORUM }, 100, gives_back);
    }
    check(Settings { release: Release::V4_3, ..three }, 100, true);
    check(Settings { release: Release::V4_3, ..three }, 4, false);
}

#[test]
fn a_late_consumer_loses_its_channel_at_the_next_look() {
    for settings in [CLASSIC, QUORUM] {
        let mut queue = filled(settings, 2);
        queue.receive(10 * SECOND, A, 1);
        assert_eq!(queue.held(9)[0].until_us, Some(1_870 * SECOND));
        queue.advance(1_869 * SECOND);
        assert_eq!(queue.counts(), Counts { ready: 1, held: 1, delayed: 0 });
        queue.advance(1_870 * SECOND);
        assert_eq!(queue.counts(), Counts { ready: 2, held: 0, delayed: 0 });
        let again = queue.receive(1_871 * SECOND, B, 1);
        assert_eq!((again[0].body, again[0].redelivered, again[0].count), (0, true, 2));
        assert_eq!(queue.next_due_us(), Some(1_931 * SECOND), "the next channel looks for itself");
    }
}

#[test]
fn a_single_active_consumer_has_one_successor() {
    for settings in [CLASSIC, QUORUM] {
        let mut queue = filled(Settings { single_active: true, prefetch: 2, ..settings }, 5);
        assert_eq!(bodies(&queue.receive(0, A, 9)), [0, 1]);
        assert_eq!(bodies(&queue.receive(0, B, 9)), []);
        queue.close(0, A);
        assert_eq!(bodies(&queue.receive(0, B, 9)), [0, 1]);
    }
}

#[test]
fn a_second_word_on_a_delivery_ends_the_channel_but_not_the_next_one() {
    let mut queue = filled(CLASSIC, 3);
    let first = queue.receive(0, A, 2);
    queue.settle(0, A, first[0].tag, Settle::Ack).expect("it is held");
    assert_eq!(queue.settle(0, A, first[0].tag, Settle::Ack), Err(Refusal::Stale));
    assert_eq!(queue.counts(), Counts { ready: 2, held: 0, delayed: 0 });
    let next = queue.receive(0, A, 2);
    assert_eq!(queue.settle(0, A, first[1].tag, Settle::Ack), Err(Refusal::Stale), "of a channel that is gone");
    assert_eq!(queue.counts().held, 2);
    assert_eq!(queue.settle(0, A, Tag(77), Settle::Ack), Err(Refusal::Unknown));
    assert_eq!(queue.settle(0, A, next[0].tag, Settle::Extend { for_us: 1 }), Err(Refusal::Invalid));
}

#[test]
fn a_quorum_queue_outlives_its_leader_but_not_two_nodes() {
    let mut queue = filled(QUORUM, 2);
    let held = queue.receive(0, A, 1);
    queue.kill_node(SECOND, 0);
    let refused = Published::Refused(Refusal::Unavailable);
    assert_eq!(queue.publish(SECOND, Publish::default()), refused);
    assert_eq!(queue.settle(SECOND, A, held[0].tag, Settle::Ack), Ok(()), "sent again to the next leader");
    queue.advance(3 * SECOND);
    assert_eq!(queue.leader(), Some(1));
    assert!(matches!(queue.publish(3 * SECOND, Publish::default()), Published::Stored(_)));
    queue.kill_node(4 * SECOND, 2);
    assert_eq!(queue.publish(9 * SECOND, Publish::default()), refused);
    assert_eq!(queue.receive(9 * SECOND, B, 1).len(), 0);
    queue.start_node(10 * SECOND, 0);
    queue.advance(12 * SECOND);
    assert_eq!(queue.receive(12 * SECOND, B, 9).len(), 2);
}

#[test]
fn settings_change_while_it_runs() {
    let mut queue = filled(CLASSIC, 5);
    queue.tune(0, &Tuning { max_length: 2, prefetch: 1, ttl_us: 5 * SECOND, ..Tuning::default() });
    assert_eq!(queue.counts().ready, 2);
    assert_eq!(bodies(&queue.receive(0, A, 9)), [3]);
    queue.publish(0, Publish { body: 9, ..Publish::default() });
    queue.advance(6 * SECOND);
    assert_eq!(queue.counts().ready, 2, "what waited before has no time to live and stands ahead");
}

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
    at_us: u64,
}

impl Books {
    fn follow(&mut self, queue: &mut RabbitQueue) {
        for happening in queue.take_happenings() {
            assert!(happening.at_us >= self.at_us, "time runs back: {happening:?}");
            self.at_us = happening.at_us;
            let copy = happening.copy.0;
            let fits = match happening.what {
                What::Stored => self.ready.insert(copy),
                What::Delivered(_) => self.ready.remove(&copy) && self.held.insert(copy),
                What::Returned(_) => self.held.remove(&copy) && self.ready.insert(copy),
                What::Acked | What::DroppedHeld(_) | What::DeadLetteredHeld(_) => self.held.remove(&copy),
                What::DeadLettered(_) | What::Dropped(_) => self.ready.remove(&copy),
                What::Delayed(_) | What::Ripened | What::AckedLate => false,
            };
            assert!(fits, "a copy is in two places or in none: {happening:?}");
        }
        let counts = Counts { ready: self.ready.len() as u64, held: self.held.len() as u64, delayed: 0 };
        assert_eq!(queue.counts(), counts);
        assert_eq!(queue.held(usize::MAX).len() as u64, counts.held);
    }
}

fn play(settings: Settings, seed: u64) {
    let mut dice = Dice(seed);
    let mut queue = RabbitQueue::new(settings);
    let mut books = Books::default();
    let mut held: Vec<(Consumer, Tag)> = vec![(A, Tag(u64::MAX))];
    let mut now_us = 0;
    for body in 0..2_000 {
        now_us += [0, 1, 300_000, SECOND, 40 * SECOND][dice.below(5) as usize];
        let consumer = Consumer(dice.below(3) as u32);
        let (holder, tag) = held[dice.below(held.len() as u64) as usize];
        match dice.below(12) {
            0..=3 => {
                let ttl_us = (dice.below(3) == 0).then(|| dice.below(90) * SECOND);
                let priority = dice.below(8) as u8;
                queue.publish(now_us, Publish { body, priority, ttl_us, ..Publish::default() });
            }
            4..=6 => {
                let expect: Vec<u64> = {
                    queue.advance(now_us);
                    books.follow(&mut queue);
                    queue.waiting(9).iter().map(|(_, body)| *body).collect()
                };
                let got = queue.receive(now_us, consumer, 1);
                assert!(got.iter().all(|delivery| expect.first() == Some(&delivery.body)), "what waits is not what comes");
                held.extend(got.iter().map(|delivery| (consumer, delivery.tag)));
            }
            7 => drop(queue.settle(now_us, holder, tag, Settle::Ack)),
            8 => drop(queue.settle(now_us, holder, tag, Settle::Requeue)),
            9 => drop(queue.settle(now_us, holder, tag, Settle::Reject)),
            10 if dice.below(4) == 0 => queue.close(now_us, consumer),
            11 if dice.below(20) == 0 => queue.kill_node(now_us, dice.below(4) as u8),
            _ => (0..3).for_each(|node| queue.start_node(now_us, node)),
        }
        books.follow(&mut queue);
    }
}

#[test]
fn every_copy_is_in_one_place() {
    for (seed, kind) in (0..).zip([CLASSIC, QUORUM]) {
        let timed = Settings { ttl_us: Some(200 * SECOND), consumer_timeout_us: Some(100 * SECOND), ..kind };
        play(timed, seed);
        play(Settings { max_length: Some(4), priorities: 5, dead_letters: false, ..timed }, seed);
        play(Settings { max_length: Some(4), overflow: Overflow::RejectPublish, prefetch: 2, ..timed }, seed);
        play(Settings { max_length: Some(4), overflow: Overflow::RejectPublishDlx, single_active: true, ..timed }, seed);
        play(Settings { release: Release::V4_3, delivery_limit: DeliveryLimit::Returns(1), ..kind }, seed);
    }
}

#[test]
fn closing_a_channel_says_why_each_message_came_back() {
    let mut queue = filled(CLASSIC, 1);
    queue.receive(0, A, 1);
    queue.take_happenings();
    queue.close(0, A);
    assert_eq!(queue.take_happenings()[0].what, What::Returned(Why::Closed));
}

#[test]
fn a_queue_that_nobody_consumes_is_deleted_and_declared_anew() {
    for kind in [CLASSIC, QUORUM] {
        let mut queue = filled(Settings { expires_us: Some(10 * SECOND), ..kind }, 2);
        assert_eq!(queue.next_due_us(), Some(10 * SECOND));
        assert_eq!(queue.receive(SECOND, A, 1).len(), 1);
        assert_eq!(queue.next_due_us().filter(|due_us| *due_us <= 11 * SECOND), None, "it is consumed");
        queue.close(5 * SECOND, A);
        queue.take_happenings();
        queue.advance(15 * SECOND);
        let told: Vec<What> = queue.take_happenings().iter().map(|happening| happening.what).collect();
        assert_eq!((told, queue.exists()), (vec![What::Dropped(Why::Unused); 2], false));
        assert_eq!(queue.publish(16 * SECOND, Publish::default()), Published::Unroutable);
        assert!(queue.receive(17 * SECOND, B, 1).is_empty());
        assert!(matches!(queue.publish(18 * SECOND, Publish::default()), Published::Stored(_)) && queue.exists());
    }
}

#[test]
fn a_dead_letter_stays_until_it_is_confirmed() {
    let settings = Settings { at_least_once: true, overflow: Overflow::RejectPublish, max_length: Some(2), ..QUORUM };
    let mut queue = filled(settings, 2);
    let tag = queue.receive(0, A, 1)[0].tag;
    queue.take_happenings();
    assert_eq!(queue.settle(SECOND, A, tag, Settle::Reject), Ok(()));
    let told: Vec<What> = queue.take_happenings().iter().map(|happening| happening.what).collect();
    assert_eq!((told, queue.counts().ready), (vec![What::Returned(Why::Rejected)], 2), "it counts, and is not given out");
    assert_eq!(bodies(&queue.receive(SECOND, A, 9)), [1]);
    let (copy, body, why) = queue.send_dead_letter(SECOND).expect("it is to be sent");
    assert_eq!((body, why, queue.send_dead_letter(SECOND)), (0, Why::Rejected, None), "it is on its way");
    queue.dead_letter_sent(SECOND, copy, false);
    assert_eq!((queue.send_dead_letter(2 * SECOND), queue.next_due_us()), (None, Some(61 * SECOND)), "a channel looks first");
    queue.advance(181 * SECOND);
    assert_eq!(queue.send_dead_letter(181 * SECOND).map(|sent| sent.0), Some(copy));
    queue.dead_letter_sent(181 * SECOND, copy, true);
    assert_eq!(queue.counts(), Counts { ready: 0, held: 1, delayed: 0 });
    // A queue that drops heads, and a classic one, know nothing of it.
    for settings in [Settings { overflow: Overflow::DropHead, ..settings }, Settings { kind: Kind::Classic, ..settings }] {
        assert!(!settings.keeps_dead_letters());
    }
}
