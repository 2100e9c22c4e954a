//! What every part has, whatever its kind.

use std::collections::VecDeque;

use super::health::Health;
use crate::sim::{Handle, Stream};

/// Where the state of a part is: its kind, and its index among the parts of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Among producers.
    Producer(u16),
    /// Among services.
    Service(u16),
    /// Among databases.
    Database(u16),
    /// Among relays.
    Relay(u16),
    /// Among queues.
    Queue(u16),
    /// Among servers: queues with the rules of a broker.
    Server(u16),
    /// Among exchanges.
    Exchange(u16),
    /// Among logs.
    Log(u16),
    /// Among workers.
    Worker(u16),
    /// Among dependencies.
    Dependency(u16),
}

/// What a part has done since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Done well: sent, served, committed, stored, worked off.
    pub done: u64,
    /// Failed.
    pub errors: u64,
    /// Of what came in: how much.
    pub received: u64,
    /// Of what came in: how much was not the first delivery.
    pub again: u64,
    /// Publishes that ended, confirmed or not.
    pub publishes: u64,
    /// How long these took in all.
    pub publish_us: u64,
    /// Of what a log has stored: in how many batches. One record is one, unless it came with others.
    pub batches: u64,
}

/// One part.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its id.
    pub id: String,
    /// Where its state is.
    pub body: Body,
    /// What is wrong with it.
    pub health: Health,
    /// What it has done.
    pub counters: Counters,
    /// Calls that it works on.
    pub busy: u32,
    /// Calls that wait for room, in order.
    pub line: VecDeque<Handle>,
    /// What is left of its rate limit, in billionths of a call, and when that was.
    pub tokens: (u64, u64),
    /// How long things take here.
    pub latency: Stream,
    /// What goes wrong here.
    pub errors: Stream,
}

impl Part {
    /// A healthy part.
    #[must_use]
    pub fn new(id: &str, body: Body, seed: u64) -> Self {
        Self {
            id: id.to_owned(),
            body,
            health: Health::default(),
            counters: Counters::default(),
            busy: 0,
            line: VecDeque::new(),
            tokens: (u64::MAX, 0),
            latency: Stream::new(seed, id, "latency"),
            errors: Stream::new(seed, id, "errors"),
        }
    }
}
