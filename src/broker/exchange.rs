//! An exchange at work in a world: it stores nothing, it says which queues get a copy.
//!
//! Which bindings match is RabbitMQ's rule (`redrive_brokers::rabbitmq::route`). A fanout exchange whose queues are SQS queues
//! is an SNS topic with raw delivery. A message that no binding takes goes to the alternate exchange or queue; without one it
//! is confirmed and gone, as on the real server.

use redrive_brokers::rabbitmq::{Binding, ExchangeKind, Match, Value, route};

use crate::message::{EffectMask, Message};
use crate::observe::record::{Cause, Kind};
use crate::scenario::choices::ExchangeType;
use crate::scenario::parts::ExchangeSettings;
use crate::world::{Body, World};

/// The state of an exchange.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: ExchangeSettings,
    /// Its bindings; a queue's number is the index of its part.
    pub bindings: Vec<Binding>,
    /// Index of the part that takes what no binding takes.
    pub alternate: Option<u16>,
    /// The effects that a message may lead to through any binding.
    pub effects: EffectMask,
    /// Messages that nothing took.
    pub unroutable: u64,
}

/// The headers in a text: `type=invoice&format=pdf`. A name without a value is a binding's wish for any value.
fn headers_in(text: &str) -> impl Iterator<Item = (String, Value)> {
    text.split('&').filter(|header| !header.is_empty()).map(|header| match header.split_once('=') {
        Some((name, value)) => (name.to_owned(), Value::Text(value.to_owned())),
        None => (header.to_owned(), Value::Void),
    })
}

/// A binding of a queue by its key, which a headers exchange reads as headers: `x-match=any&type=invoice&format=pdf`.
#[must_use]
pub fn binding(queue: u16, key: &str) -> Binding {
    let (how, headers): (Vec<_>, Vec<_>) = headers_in(key).partition(|(name, _)| name == "x-match");
    let matching = match how.first() {
        Some((_, Value::Text(word))) => match word.as_str() {
            "any" => Match::Any,
            "any-with-x" => Match::AnyWithX,
            "all-with-x" => Match::AllWithX,
            _ => Match::All,
        },
        _ => Match::All,
    };
    Binding { headers, matching, ..Binding::by_key(u32::from(queue), key) }
}

/// Exchanges that lead to each other are followed so far.
const MOST_HOPS: u32 = 4;

impl World {
    /// The routing key of a message: its own, or what its producer gives its key.
    fn routing_key(&self, message: &Message) -> String {
        let (producer, listed) = self.sent(message.fact).unzip();
        if let Some(routing) = listed.flatten().and_then(|listed| listed.routing.clone()) {
            return routing;
        }
        let routing = producer.map_or("", |producer| producer.settings.routing.as_str());
        let words: Vec<&str> = routing.split_whitespace().collect();
        match words.len() {
            0 => message.key.to_string(),
            count => words[message.key as usize % count].to_owned(),
        }
    }

    /// The parts that an exchange sends a message to, each once.
    fn routed(&self, index: u16, key: &str, hops: u32) -> Vec<u16> {
        let exchange = &self.exchanges[usize::from(index)];
        let kind = match exchange.settings.exchange {
            ExchangeType::Direct => ExchangeKind::Direct,
            ExchangeType::Fanout => ExchangeKind::Fanout,
            ExchangeType::Topic => ExchangeKind::Topic,
            ExchangeType::Headers => ExchangeKind::Headers,
            ExchangeType::ConsistentHash => ExchangeKind::ConsistentHash,
        };
        let headers: Vec<_> = if kind == ExchangeKind::Headers { headers_in(key).collect() } else { Vec::new() };
        let taken: Vec<u16> =
            route(kind, &exchange.bindings, key, &headers).into_iter().filter_map(|part| u16::try_from(part).ok()).collect();
        // A queue that was deleted has no binding any more. Simplified: one of several keeps its share, which is gone.
        let deleted = |part: &u16| matches!(self.parts[usize::from(*part)].body, Body::Server(server) if self.servers[usize::from(server)].is_deleted());
        match (taken.iter().all(deleted), exchange.alternate) {
            (true, Some(alternate)) => match self.parts[usize::from(alternate)].body {
                Body::Exchange(next) if hops < MOST_HOPS => self.routed(next, key, hops + 1),
                Body::Exchange(_) => Vec::new(),
                _ => vec![alternate],
            },
            (true, None) => Vec::new(),
            _ => taken,
        }
    }

    /// An exchange sends a copy to each queue that a binding names. Says why, where one of them refuses.
    pub(super) fn exchange_routes(&mut self, index: u16, message: Message) -> Cause {
        let key = self.routing_key(&message);
        let targets = self.routed(index, &key, 0);
        let exchange = &mut self.exchanges[usize::from(index)];
        let part = exchange.part;
        if targets.is_empty() {
            exchange.unroutable += 1;
            let returns = self.sent(message.fact).is_some_and(|(producer, _)| producer.settings.mandatory);
            let cause = if returns { Cause::Unroutable } else { Cause::None };
            self.note(Kind::Unroutable, part, message.fact, message.effects, cause as u64);
            return cause;
        }
        let mut refused = Cause::None;
        let mut reached: EffectMask = 0;
        for target in targets {
            reached |= self.effects_at(target);
            self.hop(part, target, message.fact, 0);
            let cause = self.broker_stores(target, message);
            refused = refused.max(cause);
        }
        let elsewhere = message.effects & !reached;
        if elsewhere != 0 {
            self.note(Kind::NotRouted, part, message.fact, elsewhere, 0);
        }
        refused
    }

    /// The effects that a message in a queue or log may lead to.
    pub(crate) fn effects_at(&self, part: u16) -> EffectMask {
        match self.parts[usize::from(part)].body {
            Body::Queue(index) => self.queues[usize::from(index)].effects,
            Body::Server(index) => self.servers[usize::from(index)].effects,
            Body::Log(index) => self.logs[usize::from(index)].effects,
            Body::Exchange(index) => self.exchanges[usize::from(index)].effects,
            _ => 0,
        }
    }
}
