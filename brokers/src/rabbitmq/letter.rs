//! What clients and broker say to each other: messages, deliveries, answers, verdicts.

use super::death::Death;
use super::exchange::Value;

/// A message as publishers and consumers see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letter {
    /// What it is about.
    pub body: String,
    /// The exchange that it came by; empty is the default one.
    pub exchange: String,
    /// Its routing key.
    pub key: String,
    /// Its headers, `x-death` aside.
    pub headers: Vec<(String, Value)>,
    /// `x-death`, the newest first.
    pub deaths: Vec<Death>,
    /// `priority`.
    pub priority: u8,
    /// `expiration`, in microseconds. A dead letter has none any more.
    pub ttl_us: Option<u64>,
}

/// A delivery to a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Its tag on the channel.
    pub tag: u64,
    /// What was delivered.
    pub letter: Letter,
    /// `redelivered`.
    pub redelivered: bool,
    /// `x-delivery-count`, where the queue counts.
    pub count: Option<u32>,
}

/// What a channel hears without asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A message for its subscription to this queue.
    Delivery(String, Delivered),
    /// The broker closed it, with this reply code.
    Closed(u16),
}

/// What a publisher hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// `basic.return` 312, no route: it was mandatory and nothing took it.
    pub returned: bool,
    /// `basic.ack`, otherwise `basic.nack`.
    pub confirmed: bool,
}

/// What a consumer says of deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `basic.ack`.
    Ack,
    /// `basic.nack` with requeue.
    Requeue,
    /// `basic.reject` with requeue. The same before 4.3.
    Fail,
    /// `basic.nack` or `basic.reject` without requeue.
    Discard,
}

/// Where a queue's dead letters go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetterTo {
    /// `x-dead-letter-exchange`.
    pub exchange: String,
    /// `x-dead-letter-routing-key`; without one a message keeps its own.
    pub key: Option<String>,
}
