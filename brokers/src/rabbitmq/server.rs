//! A single queue behind [`QueueServer`]: consumers ask for messages, the queue decides.

use super::queue::{Queue, Ticket};
use super::quorum::Cluster;
use super::settings::{DeliveryLimit, Settings};
use crate::server::{
    Consumer, CopyId, Counts, Delivery, Happening, Held, Publish, Published, QueueServer, Refusal, Settle, Tag, Tuning, Why,
};

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
    /// Since when nobody consumes; none while someone does, or while its server is stopped.
    unused_us: Option<u64>,
    /// Its server is stopped: the time without consumers begins anew with its start.
    stopped: bool,
    /// It was deleted, as nobody consumed.
    deleted: bool,
    /// The latest moment that it was told.
    clock_us: u64,
}

#[derive(Clone, Copy, Debug)]
struct Subscribed {
    who: Consumer,
    /// The number of its channel's first delivery: an older one was another channel's.
    first: u64,
    held: u32,
    /// Credit beyond the prefetch: one for each dead letter that its returns made.
    extra: u32,
    /// When its channel looks next for an acknowledgement that is too late.
    check_us: Option<u64>,
}

/// The publisher that the trait knows: one.
const PUBLISHER: u32 = 0;

impl RabbitQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            queue: Queue::new(settings),
            consumers: Vec::new(),
            cluster: Cluster::of(settings.kind),
            unused_us: Some(0),
            stopped: false,
            deleted: false,
            clock_us: 0,
        }
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

    fn position(&self, who: Consumer) -> Option<usize> {
        self.consumers.iter().position(|other| other.who == who)
    }

    /// A consumer declares its queue, as clients do when they start: one that was deleted is there again, empty.
    fn subscribed(&mut self, who: Consumer) -> usize {
        (self.unused_us, self.deleted) = (None, false);
        let first = self.queue.deliveries();
        self.position(who).unwrap_or_else(|| {
            self.consumers.push(Subscribed { who, first, held: 0, extra: 0, check_us: None });
            self.consumers.len() - 1
        })
    }

    /// A channel starts to look when it has something outstanding and stops when it has nothing.
    fn watch(&mut self, now_us: u64, at: usize) {
        let Settings { consumer_check_us, .. } = *self.queue.settings();
        let late_after_us = self.queue.settings().late_after_us();
        let Subscribed { held, check_us, .. } = &mut self.consumers[at];
        *check_us = match (*held, *check_us) {
            (0, _) => None,
            (_, None) => late_after_us.map(|_| now_us.saturating_add(consumer_check_us.max(1))),
            (_, set) => set,
        };
    }

    /// When a channel has waited too long for its oldest acknowledgement, if it has a limit.
    fn late_us(&self, who: Consumer) -> Option<u64> {
        let timeout_us = self.queue.settings().late_after_us()?;
        let (_, oldest) = self.queue.held_by(who.0).next()?;
        Some(oldest.since_us.saturating_add(timeout_us))
    }

    fn check_channel(&mut self, at: usize, now_us: u64) {
        let Subscribed { who, .. } = self.consumers[at];
        if self.late_us(who).is_some_and(|late_us| late_us < now_us) {
            self.leave(now_us, who, Why::ConsumerTimeout);
        } else {
            self.consumers[at].check_us = None;
            self.watch(now_us, at);
        }
    }

    /// When a channel will be closed for what it holds: at the first look after its time is over.
    fn closes_us(&self, channel: &Subscribed) -> Option<u64> {
        let (late_us, check_us) = (self.late_us(channel.who)?, channel.check_us?);
        let every_us = self.queue.settings().consumer_check_us.max(1);
        let looks = late_us.checked_sub(check_us).map_or(0, |wait_us| wait_us / every_us + 1);
        Some(check_us.saturating_add(looks.saturating_mul(every_us)))
    }

    fn leave(&mut self, now_us: u64, who: Consumer, why: Why) {
        self.consumers.retain(|other| other.who != who);
        self.queue.close(now_us, &[who.0], why);
        self.may_be_unused(now_us);
    }

    fn may_be_unused(&mut self, now_us: u64) {
        if self.consumers.is_empty() && !self.stopped {
            self.unused_us.get_or_insert(now_us);
        }
    }

    /// When a dead letter that was not confirmed is sent again.
    fn sent_us(&self) -> Option<u64> {
        self.queue.discards().next_due_us(self.clock_us).filter(|_| self.cluster.up())
    }

    /// When it is deleted, if nobody comes.
    fn deleted_us(&self) -> Option<u64> {
        let (unused_us, expires_us) = (self.unused_us?, self.queue.settings().expires_us?);
        (!self.deleted && self.cluster.up()).then_some(unused_us.saturating_add(expires_us))
    }
}

impl QueueServer for RabbitQueue {
    fn publish(&mut self, now_us: u64, letter: Publish) -> Published {
        self.advance(now_us);
        if !self.cluster.answers() {
            return Published::Refused(Refusal::Unavailable);
        }
        if self.deleted {
            return Published::Unroutable;
        }
        self.queue.publish(now_us, &letter, (!letter.dead_letter).then_some(PUBLISHER))
    }

    fn receive(&mut self, now_us: u64, consumer: Consumer, most: u32) -> Vec<Delivery> {
        self.advance(now_us);
        if !self.cluster.answers() {
            return Vec::new();
        }
        let at = self.subscribed(consumer);
        let settings = *self.queue.settings();
        if settings.single_active && at > 0 {
            return Vec::new();
        }
        let Subscribed { held, extra, .. } = self.consumers[at];
        let may = settings.credit(settings.prefetch).saturating_add(extra).saturating_sub(held).min(most);
        let taken = (0..may).map_while(|_| self.queue.take(now_us, consumer.0));
        let deliveries: Vec<Delivery> = taken
            .map(|handed| Delivery {
                copy: CopyId(handed.message.copy),
                body: handed.message.body,
                tag: Tag(handed.ticket.1),
                count: handed.message.deliveries,
                redelivered: handed.message.deliveries > 1,
            })
            .collect();
        let got = u32::try_from(deliveries.len()).unwrap_or(u32::MAX);
        self.consumers[at].held = held.saturating_add(got);
        self.watch(now_us, at);
        deliveries
    }

    fn settle(&mut self, now_us: u64, consumer: Consumer, tag: Tag, how: Settle) -> Result<(), Refusal> {
        self.advance(now_us);
        if !self.cluster.up() {
            return Err(Refusal::Unavailable);
        }
        let ticket: Ticket = (consumer.0, tag.0);
        if matches!(how, Settle::Extend { .. }) {
            return Err(Refusal::Invalid);
        }
        let known = tag.0 < self.queue.deliveries();
        let Some(at) = self.position(consumer).filter(|at| !known || self.consumers[*at].first <= tag.0) else {
            // Said on a channel that is closed: nobody hears it.
            return Err(if known { Refusal::Stale } else { Refusal::Unknown });
        };
        if !self.queue.holds(ticket) {
            // A tag that is not outstanding is an error of the channel, which closes (406).
            self.leave(now_us, consumer, Why::Closed);
            return Err(if known { Refusal::Stale } else { Refusal::Unknown });
        }
        let ended = match how {
            Settle::Ack => {
                self.queue.ack(now_us, &[ticket]);
                0
            }
            Settle::Requeue => self.queue.requeue(now_us, &[ticket], false),
            Settle::Reject | Settle::Extend { .. } => {
                self.queue.discard(now_us, &[ticket]);
                0
            }
        };
        let channel = &mut self.consumers[at];
        channel.held = channel.held.saturating_sub(1);
        channel.extra = channel.extra.saturating_add(ended);
        self.watch(now_us, at);
        Ok(())
    }

    fn close(&mut self, now_us: u64, consumer: Consumer) {
        self.advance(now_us);
        self.leave(now_us, consumer, Why::Closed);
    }

    fn next_due_us(&self) -> Option<u64> {
        let expiry = if self.cluster.up() { self.queue.next_due_us() } else { None };
        let checks = self.consumers.iter().filter_map(|other| other.check_us).min();
        expiry.into_iter().chain(checks).chain(self.cluster.next_due_us()).chain(self.deleted_us()).chain(self.sent_us()).min()
    }

    fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            // What expired behind another is found out when that one is gone.
            let due_us = due_us.max(self.clock_us);
            self.clock_us = due_us;
            self.cluster.advance(due_us);
            if self.cluster.up() {
                self.queue.advance(due_us);
            }
            if let Some(at) = self.consumers.iter().position(|other| other.check_us.is_some_and(|check| check <= due_us)) {
                self.check_channel(at, due_us);
            }
            if self.deleted_us().is_some_and(|deleted_us| deleted_us <= due_us) {
                self.queue.delete(due_us);
                self.deleted = true;
            }
        }
        self.clock_us = self.clock_us.max(now_us);
    }

    fn take_happenings(&mut self) -> Vec<Happening> {
        self.queue.take_happened()
    }

    fn waiting(&self, most: usize) -> Vec<(CopyId, u64)> {
        let ready = self.queue.ready().first(most);
        let discards = self.queue.discards().first(most - ready.len());
        ready.iter().map(|message| (CopyId(message.copy), message.body)).chain(discards).collect()
    }

    fn counts(&self) -> Counts {
        Counts { ready: self.queue.ready().len() + self.queue.discards().len(), held: self.queue.held(), delayed: 0 }
    }

    fn held(&self, most: usize) -> Vec<Held> {
        let mut all = Vec::new();
        for channel in &self.consumers {
            let until_us = self.closes_us(channel);
            all.extend(self.queue.held_by(channel.who.0).take(most).map(|(_, in_hands)| Held {
                copy: CopyId(in_hands.message.copy),
                body: in_hands.message.body,
                consumer: Some(channel.who),
                since_us: in_hands.since_us,
                until_us,
            }));
        }
        crate::order::sort_by_key(&mut all, |held| (held.until_us.unwrap_or(u64::MAX), held.since_us, held.copy));
        all.truncate(most);
        all
    }

    fn tune(&mut self, now_us: u64, tuning: &Tuning) {
        let settings = *self.queue.settings();
        let limit = u32::try_from(tuning.max_receives).unwrap_or(u32::MAX);
        let some = |value: u64| (value > 0).then_some(value);
        let settings = Settings {
            delivery_limit: if limit == 0 { DeliveryLimit::Default } else { DeliveryLimit::Returns(limit) },
            ttl_us: some(tuning.ttl_us),
            max_length: some(tuning.max_length),
            max_bytes: some(tuning.max_bytes),
            message_bytes: tuning.message_bytes,
            expires_us: some(tuning.expires_us),
            prefetch: u32::try_from(tuning.prefetch).unwrap_or(u32::MAX),
            consumer_timeout_us: some(tuning.consumer_timeout_us),
            ..settings
        };
        self.queue.tune(now_us, settings);
    }

    fn send_dead_letter(&mut self, now_us: u64) -> Option<(CopyId, u64, Why)> {
        if self.cluster.up() { self.queue.send_discard(now_us) } else { None }
    }

    fn dead_letter_sent(&mut self, now_us: u64, copy: CopyId, confirmed: bool) {
        self.queue.discard_sent(now_us, copy, confirmed);
    }

    fn exists(&self) -> bool {
        !self.deleted
    }

    fn stop(&mut self, now_us: u64, stopped: bool) {
        self.advance(now_us);
        self.stopped = stopped;
        if stopped {
            self.unused_us = None;
        } else {
            self.may_be_unused(now_us);
        }
    }

    fn kill_leader(&mut self, now_us: u64) -> Option<u8> {
        let leader = self.leader()?;
        self.kill_node(now_us, leader);
        Some(leader)
    }

    fn revive(&mut self, now_us: u64, node: u8) {
        self.start_node(now_us, node);
    }

    fn boxed(&self) -> Box<dyn QueueServer> {
        Box::new(self.clone())
    }
}
