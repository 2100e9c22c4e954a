//! A single queue behind [`QueueServer`]: consumers ask for messages, the queue decides.

use super::queue::{Queue, Ticket};
use super::quorum::Cluster;
use super::settings::Settings;
use crate::server::{Consumer, CopyId, Counts, Delivery, Happening, Publish, Published, QueueServer, Refusal, Settle, Tag, Why};

/// A RabbitMQ queue with its dead letters told by [`Happening`]s.
///
/// A consumer counts as subscribed from its first [`QueueServer::receive`] on, until it closes. It gets no more than its
/// prefetch allows, nothing while another is the single active consumer, and nothing while no node can answer.
#[derive(Clone, Debug)]
pub struct RabbitQueue {
    queue: Queue,
    /// In the order in which they came; with a single active consumer the first one is it.
    consumers: Vec<Subscribed>,
    cluster: Cluster,
}

/// A consumer, and when its channel looks next for an acknowledgement that is too late.
#[derive(Clone, Copy, Debug)]
struct Subscribed {
    who: Consumer,
    check_us: Option<u64>,
}

/// The publisher that the trait knows: one.
const PUBLISHER: u32 = 0;

impl RabbitQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { queue: Queue::new(settings), consumers: Vec::new(), cluster: Cluster::new(settings.kind) }
    }

    /// A node dies, from 0. What it led is led by another within two seconds, where two of three are left.
    pub fn kill_node(&mut self, now_us: u64, node: u8) {
        self.cluster.kill(now_us, node);
    }

    /// A node is back.
    pub fn start_node(&mut self, now_us: u64, node: u8) {
        self.cluster.start(now_us, node);
    }

    /// The node that leads a quorum queue, if one does.
    #[must_use]
    pub fn leader(&self) -> Option<u8> {
        self.cluster.leader()
    }

    fn subscribed(&mut self, who: Consumer) -> usize {
        if let Some(at) = self.consumers.iter().position(|other| other.who == who) {
            return at;
        }
        self.consumers.push(Subscribed { who, check_us: None });
        self.consumers.len() - 1
    }

    fn held_count(&self, who: Consumer) -> u32 {
        u32::try_from(self.queue.held_by(who.0).count()).unwrap_or(u32::MAX)
    }

    /// A channel starts to look when it has something outstanding and stops when it has nothing.
    fn watch(&mut self, now_us: u64, who: Consumer) {
        let Settings { consumer_timeout_us, consumer_check_us, .. } = *self.queue.settings();
        let holds = self.queue.held_by(who.0).next().is_some();
        if let Some(at) = self.consumers.iter().position(|other| other.who == who) {
            let check_us = &mut self.consumers[at].check_us;
            *check_us = match (*check_us, holds && consumer_timeout_us.is_some()) {
                (_, false) => None,
                (None, true) => Some(now_us.saturating_add(consumer_check_us.max(1))),
                (set, true) => set,
            };
        }
    }

    fn check_channel(&mut self, at: usize, now_us: u64) {
        let Settings { consumer_timeout_us, consumer_check_us, .. } = *self.queue.settings();
        let who = self.consumers[at].who;
        let oldest = self.queue.held_by(who.0).next().map(|(_, since_us)| since_us);
        let late = oldest.zip(consumer_timeout_us).is_some_and(|(since, timeout)| since.saturating_add(timeout) < now_us);
        if late {
            self.leave(now_us, who, Why::ConsumerTimeout);
        } else {
            self.consumers[at].check_us = Some(now_us.saturating_add(consumer_check_us.max(1)));
        }
    }

    fn leave(&mut self, now_us: u64, who: Consumer, why: Why) {
        self.consumers.retain(|other| other.who != who);
        self.queue.close(now_us, &[who.0], why);
    }
}

impl QueueServer for RabbitQueue {
    fn publish(&mut self, now_us: u64, letter: Publish) -> Published {
        if !self.cluster.answers(now_us) {
            return Published::Refused(Refusal::Unavailable);
        }
        self.queue.publish(now_us, &letter, Some(PUBLISHER))
    }

    fn receive(&mut self, now_us: u64, consumer: Consumer, most: u32) -> Vec<Delivery> {
        if !self.cluster.answers(now_us) {
            return Vec::new();
        }
        let at = self.subscribed(consumer);
        let settings = *self.queue.settings();
        if settings.single_active && at > 0 {
            return Vec::new();
        }
        let may = settings.credit(settings.prefetch).saturating_sub(self.held_count(consumer)).min(most);
        let taken = (0..may).map_while(|_| self.queue.take(now_us, consumer.0));
        let deliveries = taken
            .map(|handed| Delivery {
                copy: CopyId(handed.message.copy),
                body: handed.message.body,
                tag: Tag(handed.ticket.1),
                count: handed.message.deliveries,
                redelivered: handed.message.deliveries > 1,
            })
            .collect();
        self.watch(now_us, consumer);
        deliveries
    }

    fn settle(&mut self, now_us: u64, consumer: Consumer, tag: Tag, how: Settle) -> Result<(), Refusal> {
        if !self.cluster.accepts() {
            return Err(Refusal::Unavailable);
        }
        let ticket: Ticket = (consumer.0, tag.0);
        if matches!(how, Settle::Extend { .. }) {
            return Err(Refusal::Invalid);
        }
        if !self.queue.holds(ticket) {
            let known = self.queue.delivered(tag.0);
            // A tag that is not outstanding is an error of the channel, which closes (406).
            if self.consumers.iter().any(|other| other.who == consumer) {
                self.leave(now_us, consumer, Why::Closed);
            }
            return Err(if known { Refusal::Stale } else { Refusal::Unknown });
        }
        match how {
            Settle::Ack => self.queue.ack(now_us, &[ticket]),
            Settle::Requeue => self.queue.requeue(now_us, &[ticket]),
            Settle::Reject | Settle::Extend { .. } => self.queue.discard(now_us, &[ticket]),
        }
        self.watch(now_us, consumer);
        Ok(())
    }

    fn close(&mut self, now_us: u64, consumer: Consumer) {
        self.leave(now_us, consumer, Why::Closed);
    }

    fn next_due_us(&self) -> Option<u64> {
        let expiry = if self.cluster.up() { self.queue.next_due_us() } else { None };
        let checks = self.consumers.iter().filter_map(|other| other.check_us).min();
        expiry.into_iter().chain(checks).chain(self.cluster.next_due_us()).min()
    }

    fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            self.cluster.advance(due_us);
            if self.cluster.up() {
                self.queue.advance(due_us);
            }
            if let Some(at) = self.consumers.iter().position(|other| other.check_us.is_some_and(|check| check <= due_us)) {
                self.check_channel(at, due_us);
            }
        }
    }

    fn take_happenings(&mut self) -> Vec<Happening> {
        self.queue.take_happened()
    }

    fn waiting(&self, most: usize) -> Vec<(CopyId, u64)> {
        self.queue.ready().first(most).iter().map(|message| (CopyId(message.copy), message.body)).collect()
    }

    fn counts(&self) -> Counts {
        Counts { ready: self.queue.ready().len(), held: self.queue.held(), delayed: 0 }
    }

    fn boxed(&self) -> Box<dyn QueueServer> {
        Box::new(self.clone())
    }
}
