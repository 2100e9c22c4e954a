//! Amazon SNS in front of SQS: a topic that sends every message to each of its queues.
//!
//! A delivery that fails is tried again when the queue's side is at fault, and goes to the subscription's own dead-letter
//! queue, or away, when the topic may not send there or has tried for long enough. Sources: "Amazon SNS message delivery
//! retries", "Amazon SNS dead-letter queues", "Amazon SNS message filtering" and "Message ordering and deduplication (FIFO
//! topics)" in the Amazon SNS developer guide, and answers of the service that others recorded.

use std::collections::VecDeque;

use super::account::{Account, QueueId};
use super::memory::{Deduplication, Seen};
use super::message::Send;
use super::options::{DEDUPLICATION_US, LARGEST_BYTES, SECOND_US};

/// What makes a topic a FIFO topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FifoTopic {
    /// `ContentBasedDeduplication`: the body stands for a deduplication id that is not given.
    pub content_based: bool,
}

/// What a publisher sends to a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub body: u64,
    /// The attribute that filter policies look at.
    pub attribute: Option<u64>,
    /// `MessageGroupId`.
    pub group: Option<u64>,
    /// `MessageDeduplicationId`.
    pub dedup: Option<u64>,
    /// How long it is.
    pub bytes: u32,
}

impl Notice {
    /// A short message without attribute, group or deduplication id.
    #[must_use]
    pub const fn new(body: u64) -> Self {
        Self { body, attribute: None, group: None, dedup: None, bytes: 1 }
    }
}

/// Whether deliveries to a queue succeed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// They do.
    #[default]
    Up,
    /// The queue is gone or its policy forbids it: nothing is tried again.
    Denied,
    /// The queue's service does not answer: tried again 100,015 times in 23 days.
    Down,
}

/// A queue of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// The queue.
    pub queue: QueueId,
    /// `RawMessageDelivery`: the queue gets the message itself instead of an envelope with it.
    pub raw: bool,
    /// `FilterPolicy`: values of the attribute that are delivered; `None` for every message.
    pub filter: Option<Vec<u64>>,
    /// `RedrivePolicy`: where what cannot be delivered goes.
    pub dead_letters: Option<QueueId>,
    /// Whether deliveries succeed.
    pub health: Health,
}

impl Subscription {
    /// A subscription to everything, in envelopes.
    #[must_use]
    pub const fn new(queue: QueueId) -> Self {
        Self { queue, raw: false, filter: None, dead_letters: None, health: Health::Up }
    }
}

/// Why a topic refuses; all are `InvalidParameter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicFault {
    /// A FIFO queue cannot be subscribed to a standard topic.
    FifoQueueOnStandardTopic,
    /// A FIFO subscription needs a FIFO queue for its dead letters, a standard one a standard queue.
    DeadLetterKind,
    /// There is no such queue.
    NoQueue,
    /// A FIFO topic needs a message group id.
    MissingGroup,
    /// A FIFO topic needs a deduplication id, or makes one from the content.
    MissingDeduplication,
    /// A standard topic takes no deduplication id.
    DeduplicationOnStandardTopic,
    /// Longer than 256 KiB.
    TooLong,
}

impl TopicFault {
    /// The service's error code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        "InvalidParameter"
    }
}

/// The longest message of a topic: 256 KiB ("Publish" in the Amazon SNS API reference).
pub const LARGEST_NOTICE_BYTES: u32 = LARGEST_BYTES / 4;
/// Deliveries that are tried again in vain before a message is given up.
pub const MOST_RETRIES: u32 = 100_015;

#[derive(Clone, Copy, Debug)]
struct Pending {
    notice: Notice,
    retries: u32,
    due_us: u64,
}

#[derive(Clone, Debug)]
struct Line {
    subscription: Subscription,
    /// What could not be delivered yet, oldest first.
    pending: VecDeque<Pending>,
}

/// A topic with its subscriptions.
#[derive(Clone, Debug)]
pub struct Topic {
    fifo: Option<FifoTopic>,
    lines: Vec<Line>,
    dedup: Deduplication,
    published: u64,
    discarded: u64,
}

impl Topic {
    /// A topic without subscriptions; `None` for a standard topic.
    #[must_use]
    pub fn new(fifo: Option<FifoTopic>) -> Self {
        Self { fifo, lines: Vec::new(), dedup: Deduplication::default(), published: 0, discarded: 0 }
    }

    /// `Subscribe`. A FIFO topic takes standard queues too: they get no group and no order.
    ///
    /// # Errors
    /// Queues that are not there or of a kind that does not fit.
    pub fn subscribe(&mut self, account: &mut Account, subscription: Subscription) -> Result<(), TopicFault> {
        let mut is_fifo = |queue: QueueId| Ok(account.queue(queue).map_err(|_| TopicFault::NoQueue)?.options().fifo.is_some());
        let fifo = is_fifo(subscription.queue)?;
        if fifo && self.fifo.is_none() {
            return Err(TopicFault::FifoQueueOnStandardTopic);
        }
        if let Some(dead_letters) = subscription.dead_letters
            && is_fifo(dead_letters)? != fifo
        {
            return Err(TopicFault::DeadLetterKind);
        }
        self.lines.push(Line { subscription, pending: VecDeque::new() });
        Ok(())
    }

    /// The subscription to a queue, to change it.
    pub fn subscription(&mut self, queue: QueueId) -> Option<&mut Subscription> {
        self.lines.iter_mut().map(|line| &mut line.subscription).find(|subscription| subscription.queue == queue)
    }

    /// `Publish`: gives whether the message was taken as a new one; a repeat within five minutes is accepted and not sent on.
    ///
    /// # Errors
    /// Why the message is not accepted.
    pub fn publish(&mut self, now_us: u64, account: &mut Account, notice: Notice) -> Result<bool, TopicFault> {
        self.advance(now_us, account);
        if notice.bytes > LARGEST_NOTICE_BYTES {
            return Err(TopicFault::TooLong);
        }
        let notice = match self.fifo {
            None if notice.dedup.is_some() => return Err(TopicFault::DeduplicationOnStandardTopic),
            None => notice,
            Some(fifo) => {
                if notice.group.is_none() {
                    return Err(TopicFault::MissingGroup);
                }
                let content = fifo.content_based.then_some(notice.body);
                let dedup = notice.dedup.or(content).ok_or(TopicFault::MissingDeduplication)?;
                if self.dedup.find(now_us, (0, dedup)).is_some() {
                    return Ok(false);
                }
                self.published += 1;
                let seen = Seen { id: self.published, sequence: self.published };
                self.dedup.remember(now_us.saturating_add(DEDUPLICATION_US), (0, dedup), seen);
                Notice { dedup: Some(dedup), ..notice }
            }
        };
        for line in &mut self.lines {
            let passes = match (&line.subscription.filter, notice.attribute) {
                (None, _) => true,
                (Some(values), Some(value)) => values.contains(&value),
                (Some(_), None) => false,
            };
            if passes {
                line.pending.push_back(Pending { notice, retries: 0, due_us: now_us });
            }
        }
        self.deliver(now_us, account);
        Ok(true)
    }

    /// Messages that could not be delivered and had no dead-letter queue to go to.
    #[must_use]
    pub fn discarded(&self) -> u64 {
        self.discarded
    }

    /// When a delivery is tried next.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        self.lines.iter().flat_map(|line| &line.pending).map(|pending| pending.due_us).min()
    }

    /// Tries every delivery that is due up to now, in order.
    pub fn advance(&mut self, now_us: u64, account: &mut Account) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            self.deliver(due_us, account);
        }
    }

    fn deliver(&mut self, now_us: u64, account: &mut Account) {
        for line in &mut self.lines {
            let Line { subscription, pending } = line;
            let fifo = self.fifo.is_some();
            let mut kept: VecDeque<Pending> = VecDeque::new();
            while let Some(mut one) = pending.pop_front() {
                // On a FIFO topic what is behind a message of its group that is tried again waits for it.
                let before = |ahead: &&Pending| fifo && ahead.notice.group == one.notice.group;
                if let Some(ahead) = kept.iter().rev().find(before) {
                    one.due_us = ahead.due_us;
                    kept.push_back(one);
                    continue;
                }
                if one.due_us > now_us {
                    kept.push_back(one);
                    continue;
                }
                let delivered = match subscription.health {
                    Health::Up => send(now_us, account, subscription.queue, &one.notice),
                    Health::Denied | Health::Down => false,
                };
                if delivered {
                    continue;
                }
                if subscription.health == Health::Down && one.retries < MOST_RETRIES {
                    one.due_us = now_us.saturating_add(pause_us(one.retries));
                    one.retries += 1;
                    kept.push_back(one);
                } else if !subscription.dead_letters.is_some_and(|queue| send(now_us, account, queue, &one.notice)) {
                    self.discarded += 1;
                }
            }
            *pending = kept;
        }
    }
}

/// How long a topic waits before a retry: three at once, two after a second, ten that double from one second to twenty, then
/// twenty seconds each. The service adds jitter.
fn pause_us(retries: u32) -> u64 {
    match retries {
        0..=2 => 0,
        3 | 4 => SECOND_US,
        5..=14 => (SECOND_US << (retries - 5)).min(20 * SECOND_US),
        _ => 20 * SECOND_US,
    }
}

/// Sends a message to a queue as the queue's kind wants it: only a FIFO queue gets the deduplication id.
fn send(now_us: u64, account: &mut Account, queue: QueueId, notice: &Notice) -> bool {
    let Ok(target) = account.queue(queue) else { return false };
    let fifo = target.options().fifo;
    let send = Send {
        group: notice.group.filter(|_| fifo.is_some() || notice.dedup.is_none()),
        dedup: fifo.and(notice.dedup),
        bytes: notice.bytes,
        ..Send::new(notice.body)
    };
    account.send(now_us, queue, send).is_ok()
}
