//! A whole broker: exchanges that route, queues, channels with their delivery tags, and dead letters on their way.

use std::collections::BTreeMap;

mod dead_letters;
mod time;
mod unused;

use super::channel::{Channel, Pending, Subscription};
use super::exchange::{Binding, ExchangeKind, route};
use super::letter::{Answer, DeadLetterTo, Delivered, Heard, Letter, Verdict};
use super::queue::{Handed, Queue};
use super::quorum::Cluster;
use super::settings::{Kind, Settings};
use crate::server::{Publish, Published, Refusal, Why};

#[derive(Clone, Debug)]
struct NamedQueue {
    name: String,
    queue: Queue,
    dead_letters: Option<DeadLetterTo>,
    /// Since when nobody uses it; none while someone does.
    unused_us: Option<u64>,
    /// It was deleted, as nobody used it.
    deleted: bool,
}

#[derive(Clone, Debug)]
struct Exchange {
    name: String,
    kind: ExchangeKind,
    bindings: Vec<Binding>,
    alternate: Option<String>,
}

/// The state of a broker.
#[derive(Clone, Debug)]
pub struct Broker {
    queues: Vec<NamedQueue>,
    exchanges: Vec<Exchange>,
    channels: BTreeMap<u32, Channel>,
    letters: BTreeMap<u64, Letter>,
    /// Of dead letters that stay until they are confirmed, the queues that have confirmed them.
    confirmed: BTreeMap<u64, Vec<usize>>,
    next_letter: u64,
    next_holder: u32,
    consumer_timeout_us: Option<u64>,
    consumer_check_us: u64,
    /// The nodes of its quorum queues; those of channels and classic queues do not die.
    cluster: Cluster,
    clock_us: u64,
    heard: Vec<(u32, Heard)>,
}

impl Default for Broker {
    fn default() -> Self {
        let Settings { consumer_timeout_us, consumer_check_us, .. } = Settings::default();
        Self::new(1, consumer_timeout_us, consumer_check_us)
    }
}

/// 404: no such exchange or queue.
const NOT_FOUND: u16 = 404;
/// 406: a delivery tag that is not outstanding, or an acknowledgement that is too late.
const PRECONDITION_FAILED: u16 = 406;
/// 405: not allowed now, such as `basic.get` on a quorum queue with a single active consumer.
const RESOURCE_LOCKED: u16 = 405;

impl Broker {
    /// A broker of so many nodes with nothing declared; `consumer_timeout` and how often it is looked at, in microseconds.
    #[must_use]
    pub fn new(nodes: u8, consumer_timeout_us: Option<u64>, consumer_check_us: u64) -> Self {
        Self {
            queues: Vec::new(),
            exchanges: Vec::new(),
            channels: BTreeMap::new(),
            letters: BTreeMap::new(),
            confirmed: BTreeMap::new(),
            next_letter: 0,
            next_holder: 0,
            consumer_timeout_us,
            consumer_check_us,
            cluster: Cluster::new(nodes),
            clock_us: 0,
            heard: Vec::new(),
        }
    }

    // Topology.

    /// Declares a queue. One that is there stays as it is.
    pub fn declare_queue(&mut self, now_us: u64, name: &str, settings: Settings, dead_letters: Option<DeadLetterTo>) {
        if self.queue_index(name).is_none() {
            let settings = Settings { dead_letters: dead_letters.is_some(), ..settings };
            let (name, queue) = (name.to_owned(), Queue::new(settings));
            self.queues.push(NamedQueue { name, queue, dead_letters, unused_us: Some(now_us), deleted: false });
        }
    }

    /// Declares an exchange. One that is there stays as it is.
    pub fn declare_exchange(&mut self, name: &str, kind: ExchangeKind, alternate: Option<&str>) {
        if self.exchanges.iter().all(|known| known.name != name) {
            let alternate = alternate.map(str::to_owned);
            self.exchanges.push(Exchange { name: name.to_owned(), kind, bindings: Vec::new(), alternate });
        }
    }

    /// Binds a queue; `binding.queue` is filled in. Nothing happens where either is missing.
    pub fn bind(&mut self, exchange: &str, queue: &str, binding: Binding) {
        let Some(at) = self.queue_index(queue) else { return };
        let binding = Binding { queue: u32::try_from(at).unwrap_or(u32::MAX), ..binding };
        if let Some(known) = self.exchanges.iter_mut().find(|known| known.name == exchange)
            && !known.bindings.contains(&binding)
        {
            known.bindings.push(binding);
        }
    }

    fn queue_index(&self, name: &str) -> Option<usize> {
        self.queues.iter().position(|known| known.name == name && !known.deleted)
    }

    /// How many messages of a queue wait. A classic queue that is asked for it counts as used at this moment.
    pub fn ready(&mut self, now_us: u64, queue: &str) -> Option<u64> {
        let at = self.queue_index(queue)?;
        if self.queues[at].queue.settings().kind == Kind::Classic {
            self.renew(now_us, at);
        }
        Some(self.queues[at].queue.ready().len())
    }

    /// Where a message goes, alternate exchanges included. None where the exchange is missing.
    fn destinations(&self, exchange: &str, letter: &Letter) -> Option<Vec<usize>> {
        if exchange.is_empty() {
            return Some(self.queue_index(&letter.key).into_iter().collect());
        }
        let mut at = self.exchanges.iter().position(|known| known.name == exchange)?;
        for _ in 0..self.exchanges.len() {
            let Exchange { kind, bindings, alternate, .. } = &self.exchanges[at];
            let queues = route(*kind, bindings, &letter.key, &letter.headers);
            if !queues.is_empty() {
                return Some(queues.into_iter().map(|queue| queue as usize).collect());
            }
            let next = alternate.as_ref().and_then(|name| self.exchanges.iter().position(|known| known.name == *name));
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        Some(Vec::new())
    }

    // Nodes.

    /// A node dies, from 0; none named is the one that leads.
    pub fn kill_node(&mut self, now_us: u64, node: Option<u8>) {
        if let Some(node) = node.or(self.cluster.leader()) {
            self.cluster.kill(now_us, node);
        }
    }

    /// A node is back.
    pub fn start_node(&mut self, now_us: u64, node: u8) {
        self.cluster.start(now_us, node);
    }

    /// Whether a queue can do anything now. A classic queue always can: its node is where the channels are.
    fn answers(&self, queue: usize) -> bool {
        self.queues[queue].queue.settings().kind == Kind::Classic || self.cluster.answers()
    }

    // Channels.

    fn channel(&mut self, id: u32) -> &mut Channel {
        let next_holder = &mut self.next_holder;
        self.channels.entry(id).or_insert_with(|| {
            *next_holder += 1;
            Channel::new(*next_holder)
        })
    }

    fn new_holder(&mut self) -> u32 {
        self.next_holder += 1;
        self.next_holder
    }

    /// `basic.publish` on a channel in confirm mode. None where the channel was closed for it (404).
    pub fn publish(&mut self, now_us: u64, channel: u32, letter: &Letter, mandatory: bool) -> Option<Answer> {
        self.channel(channel);
        let Some(queues) = self.destinations(&letter.exchange, letter) else {
            self.fail(now_us, channel, NOT_FOUND);
            return None;
        };
        let returned = mandatory && queues.is_empty();
        let mut confirmed = true;
        for queue in queues {
            confirmed &= self.store(now_us, queue, letter.clone(), Some(channel));
        }
        self.settle_down(now_us);
        Some(Answer { returned, confirmed })
    }

    fn store(&mut self, now_us: u64, queue: usize, letter: Letter, publisher: Option<u32>) -> bool {
        if !self.answers(queue) {
            return false;
        }
        let body = self.next_letter;
        let publish = Publish { body, priority: letter.priority, ttl_us: letter.ttl_us, ..Publish::default() };
        self.letters.insert(body, letter);
        self.next_letter += 1;
        let state = &mut self.queues[queue].queue;
        if state.publish(now_us, &publish, publisher) != Published::Refused(Refusal::Full) {
            return true;
        }
        if !state.settings().refused_are_dead_letters() {
            self.letters.remove(&body);
        }
        false
    }

    /// `basic.get`. None where nothing waits, or where the channel was closed for it.
    pub fn get(&mut self, now_us: u64, channel: u32, queue: &str) -> Option<Delivered> {
        self.channel(channel);
        let Some(at) = self.queue_index(queue) else {
            self.fail(now_us, channel, NOT_FOUND);
            return None;
        };
        if !self.answers(at) {
            return None;
        }
        let settings = *self.queues[at].queue.settings();
        let quorum = settings.kind == Kind::Quorum;
        if quorum && settings.single_active {
            self.fail(now_us, channel, RESOURCE_LOCKED);
            return None;
        }
        let holder = if quorum { self.new_holder() } else { self.channel(channel).own_holder };
        let handed = self.queues[at].queue.take(now_us, holder);
        let delivered = handed.map(|handed| self.deliver(now_us, channel, at, &handed, None));
        self.renew(now_us, at);
        self.settle_down(now_us);
        delivered
    }

    /// `basic.consume` of a queue with a prefetch count.
    pub fn consume(&mut self, now_us: u64, channel: u32, queue: &str, prefetch: u32) {
        let Some(at) = self.queue_index(queue) else { return self.fail(now_us, channel, NOT_FOUND) };
        let holder = self.new_holder();
        self.channel(channel).subscribe(queue, at, holder);
        self.queues[at].queue.subscribe(now_us, holder, channel, prefetch);
        self.settle_down(now_us);
    }

    /// `basic.cancel`: no more deliveries; what is held stays held.
    pub fn cancel(&mut self, now_us: u64, channel: u32, queue: &str) {
        if let Some(Subscription { queue, holder, .. }) = self.channel(channel).subscriptions.remove(queue) {
            self.queues[queue].queue.cancel(now_us, holder);
        }
        self.settle_down(now_us);
    }

    /// `basic.ack`, `basic.nack`, `basic.reject`. A tag that is not outstanding closes the channel (406).
    pub fn settle(&mut self, now_us: u64, channel: u32, tag: u64, multiple: bool, verdict: Verdict) {
        let Some(groups) = self.channel(channel).collect(tag, multiple) else {
            return self.fail(now_us, channel, PRECONDITION_FAILED);
        };
        for (at, tickets) in groups {
            let NamedQueue { queue, deleted: false, .. } = &mut self.queues[at] else { continue };
            match verdict {
                Verdict::Ack => queue.ack(now_us, &tickets),
                Verdict::Requeue | Verdict::Fail => {
                    queue.requeue(now_us, &tickets, verdict == Verdict::Fail);
                }
                Verdict::Discard => queue.discard(now_us, &tickets),
            }
        }
        self.channel(channel).rest();
        self.settle_down(now_us);
    }

    /// A channel closes, by itself or with its connection. What it holds goes back.
    pub fn close(&mut self, now_us: u64, channel: u32) {
        self.end(now_us, channel, Why::Closed);
        self.settle_down(now_us);
    }

    fn fail(&mut self, now_us: u64, channel: u32, code: u16) {
        self.heard.push((channel, Heard::Closed(code)));
        self.close(now_us, channel);
    }

    fn end(&mut self, now_us: u64, id: u32, why: Why) {
        let Some(channel) = self.channels.remove(&id) else { return };
        for (at, named) in self.queues.iter_mut().enumerate().filter(|(_, named)| !named.deleted) {
            named.queue.close(now_us, &channel.holders_of(at), why);
            named.queue.forget_publisher(id);
        }
    }

    /// Removes what waits in a queue: how many messages that were.
    pub fn purge(&mut self, now_us: u64, queue: &str) -> Option<u64> {
        let at = self.queue_index(queue)?;
        let count = self.queues[at].queue.purge(now_us);
        self.settle_down(now_us);
        Some(count)
    }

    // What follows.

    fn deliver(&mut self, now_us: u64, channel: u32, queue: usize, handed: &Handed, subscription: Option<String>) -> Delivered {
        let letter = self.letters.get(&handed.message.body).cloned().unwrap_or_default();
        let NamedQueue { name, queue: state, .. } = &self.queues[queue];
        let count = match state.settings().kind {
            Kind::Classic => None,
            Kind::Quorum => Some(handed.message.returns),
        };
        let name = name.clone();
        let late_after_us = self.queues[queue].queue.settings().late_after_us();
        let since_us = late_after_us.map(|_| now_us);
        let pending = Pending { queue, name, subscription, ticket: handed.ticket, since_us };
        let check_us = late_after_us.map(|_| now_us.saturating_add(self.consumer_check_us.max(1)));
        let tag = self.channel(channel).record(pending, check_us);
        Delivered { tag, letter, redelivered: handed.message.deliveries > 1, count }
    }

    /// Dead letters go on, deliveries reach their channels, until nothing moves any more.
    fn settle_down(&mut self, now_us: u64) {
        loop {
            let mut moved = false;
            for at in 0..self.queues.len() {
                let happened = self.queues[at].queue.take_happened();
                let pushed = self.queues[at].queue.take_pushed();
                moved |= !(happened.is_empty() && pushed.is_empty());
                for handed in pushed {
                    self.push(now_us, at, &handed);
                }
                for happening in happened {
                    self.follow(now_us, at, happening.body, happening.what);
                }
                moved |= self.send_kept(now_us, at);
            }
            if !moved {
                return self.watch_use(now_us);
            }
        }
    }

    fn push(&mut self, now_us: u64, at: usize, handed: &Handed) {
        let tag_of = |channel: &Channel| {
            let mut all = channel.subscriptions.values();
            all.find(|subscription| subscription.holder == handed.ticket.0).map(|subscription| subscription.tag.clone())
        };
        let Some((id, tag)) = self.channels.iter().find_map(|(id, channel)| Some((*id, tag_of(channel)?))) else { return };
        let name = self.queues[at].name.clone();
        let delivered = self.deliver(now_us, id, at, handed, Some(tag));
        self.heard.push((id, Heard::Delivery(name, delivered)));
    }

    /// What channels heard since the last time someone asked, in order.
    pub fn take_heard(&mut self) -> Vec<(u32, Heard)> {
        std::mem::take(&mut self.heard)
    }
}
