//! Share groups do what Kafka's did.

mod replay;

use redrive_brokers::kafka::group::share::{Share, ShareSettings};
use redrive_brokers::kafka::group::share_script::ShareScript;
use redrive_brokers::{Consumer, Counts, Delivery, Publish, QueueServer, Refusal, Settle, Tag, What, Why};

const SECOND_US: u64 = 1_000_000;

#[test]
fn share_groups_do_what_was_recorded() {
    replay::check_folder("kafka-share", |header| {
        let mut script = ShareScript::open(header).unwrap_or_else(|fault| panic!("{fault}"));
        Box::new(move |words| script.say(words))
    });
}

fn share(records: u64) -> Share {
    let mut share = Share::new(ShareSettings { lock_us: 15 * SECOND_US, limit: 2, window: 100, renews: false });
    for body in 0..records {
        share.publish(0, Publish { body, ..Publish::default() });
    }
    share
}

/// The books: every copy ends once, and nothing is anywhere else than the happenings say.
#[test]
fn happenings_tell_where_every_copy_is() {
    let mut share = share(3);
    let first = share.receive(0, Consumer(1), 2);
    share.settle(1, Consumer(1), first[0].tag, Settle::Reject).expect("it holds it");
    share.advance(15 * SECOND_US);
    let second = share.receive(15 * SECOND_US, Consumer(2), 1);
    assert_eq!((second[0].body, second[0].count, second[0].redelivered), (1, 2, true));
    share.advance(30 * SECOND_US);
    let what: Vec<(u64, What)> = share.take_happenings().iter().map(|now| (now.body, now.what)).collect();
    let expect = [
        (0, What::Stored),
        (1, What::Stored),
        (2, What::Stored),
        (0, What::Delivered(Consumer(1))),
        (1, What::Delivered(Consumer(1))),
        (0, What::DroppedHeld(Why::Rejected)),
        (1, What::Returned(Why::Timeout)),
        (1, What::Delivered(Consumer(2))),
        (1, What::DroppedHeld(Why::Limit)),
    ];
    assert_eq!(what, expect);
    assert_eq!(share.counts(), Counts { ready: 1, held: 0, delayed: 0 });
    assert_eq!(share.waiting(5).iter().map(|(_, body)| *body).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_tag_that_was_never_given_is_unknown() {
    let mut share = share(1);
    assert_eq!(share.settle(0, Consumer(1), Tag(u64::MAX), Settle::Ack), Err(Refusal::Unknown));
    assert_eq!(share.settle(0, Consumer(1), Tag(0), Settle::Ack), Err(Refusal::Unknown), "it is not in the window yet");
}

/// Any calls: the counts are the sums of the happenings, and locks never outlive their moment.
#[test]
fn random_calls_keep_the_counts() {
    let mut seed = 7_u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut share = share(0);
    let mut now_us = 0;
    let mut held: Vec<(Consumer, Delivery)> = Vec::new();
    let (mut stored, mut ended) = (0_u64, 0_u64);
    for step in 0..20_000 {
        now_us += random(3) * SECOND_US;
        let consumer = Consumer(u32::try_from(random(3)).expect("small"));
        match random(6) {
            0 | 1 => drop(share.publish(now_us, Publish { body: step, ..Publish::default() })),
            2 => held.extend(share.receive(now_us, consumer, 3).into_iter().map(|delivery| (consumer, delivery))),
            3 => share.close(now_us, consumer),
            _ if held.is_empty() => share.advance(now_us),
            _ => {
                let at = usize::try_from(random(held.len() as u64)).expect("small");
                let (by, delivery) = held.swap_remove(at);
                let how = [Settle::Ack, Settle::Requeue, Settle::Reject, Settle::Extend { for_us: 1 }];
                let _ = share.settle(now_us, by, delivery.tag, how[usize::try_from(random(4)).expect("small")]);
            }
        }
        for now in share.take_happenings() {
            stored += u64::from(now.what == What::Stored);
            ended += u64::from(matches!(now.what, What::Acked | What::DroppedHeld(_)));
        }
        let counts = share.counts();
        assert_eq!(counts.ready + counts.held, stored - ended, "step {step}");
        assert_eq!(counts.ready, share.waiting(usize::MAX).len() as u64, "step {step}");
        assert_eq!(share.next_due_us().is_some(), counts.held > 0, "step {step}");
        assert!(share.next_due_us().is_none_or(|due_us| due_us > now_us), "step {step}");
    }
}
