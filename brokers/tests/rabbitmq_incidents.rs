//! What people really met, by the rules that caused it.

use redrive_brokers::rabbitmq::{DeliveryLimit, Kind, RabbitQueue, Settings};
use redrive_brokers::{Consumer, Publish, QueueServer, Settle, What, Why};

const WORKER: Consumer = Consumer(1);
const MINUTE: u64 = 60_000_000;

fn filled(settings: Settings, count: u64) -> RabbitQueue {
    let mut queue = RabbitQueue::new(settings);
    for body in 0..count {
        queue.publish(0, Publish { body, ..Publish::default() });
    }
    queue
}

/// celery#6760: a job longer than `consumer_timeout` loses its channel, and the job starts again.
#[test]
fn a_job_longer_than_the_consumer_timeout_starts_for_ever() {
    let mut queue = filled(Settings::default(), 1);
    let mut now_us = 0;
    for attempt in 1..=10 {
        let got = queue.receive(now_us, WORKER, 1);
        assert_eq!((got[0].count, got[0].redelivered), (attempt, attempt > 1));
        now_us += 40 * MINUTE;
        queue.advance(now_us);
        assert!(queue.settle(now_us, WORKER, got[0].tag, Settle::Ack).is_err(), "its channel is gone");
        assert_eq!(queue.counts().ready, 1);
    }
    let back = queue.take_happenings().iter().filter(|what| what.what == What::Returned(Why::ConsumerTimeout)).count();
    assert_eq!(back, 10);
}

/// go-rabbitmq#113: without a prefetch limit one consumer holds everything; a quorum queue stops at 2,000.
#[test]
fn without_a_prefetch_limit_one_consumer_holds_all() {
    let check = |kind: Kind, prefetch: u32, expect: u64| {
        let mut queue = filled(Settings { kind, prefetch, ..Settings::default() }, 400_000);
        queue.receive(0, WORKER, u32::MAX);
        assert_eq!(queue.counts().held, expect, "{kind:?}, prefetch {prefetch}");
    };
    check(Kind::Classic, 0, 400_000);
    check(Kind::Quorum, 0, 2_000);
    check(Kind::Classic, 100, 100);
}

/// rabbitmq-server#3778: giving back at once is a loop that only a delivery limit ends.
#[test]
fn giving_back_at_once_is_a_loop_that_a_delivery_limit_ends() {
    let check = |settings: Settings, expect: u32| {
        let mut queue = filled(settings, 1);
        let mut rounds = 0;
        while rounds < 10_000
            && let Some(delivery) = queue.receive(0, WORKER, 1).first()
        {
            queue.settle(0, WORKER, delivery.tag, Settle::Requeue).expect("it is held");
            rounds += 1;
        }
        assert_eq!(rounds, expect, "{settings:?}");
    };
    check(Settings::default(), 10_000);
    check(Settings { kind: Kind::Quorum, ..Settings::default() }, 10_000);
    let limit = DeliveryLimit::Returns(5);
    check(Settings { kind: Kind::Quorum, delivery_limit: limit, ..Settings::default() }, 6);
}

/// A poison message at the head of a classic queue comes back to the head: nothing behind it moves with prefetch 1.
#[test]
fn a_poison_message_blocks_a_classic_queue_and_not_a_quorum_queue() {
    let check = |kind: Kind, expect: &[u64]| {
        let mut queue = filled(Settings { kind, prefetch: 1, ..Settings::default() }, 3);
        let mut seen = Vec::new();
        for _ in 0..4 {
            let got = queue.receive(0, WORKER, 1);
            seen.push(got[0].body);
            let how = if got[0].body == 0 { Settle::Requeue } else { Settle::Ack };
            queue.settle(0, WORKER, got[0].tag, how).expect("it is held");
        }
        assert_eq!(seen, expect, "{kind:?}");
    };
    check(Kind::Classic, &[0, 0, 0, 0]);
    check(Kind::Quorum, &[0, 1, 2, 0]);
}
