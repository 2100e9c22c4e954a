//! What a dead letter carries: the `x-death` header, and the rule that ends cycles.
//!
//! As in the sources of 3.10 (`rabbit_dead_letter`).

use super::settings::Release;
use crate::server::Why;

/// An entry of `x-death`: how often a message died in a queue for a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// The queue that it left, by its name.
    pub queue: String,
    /// Why.
    pub reason: Reason,
    /// How often.
    pub count: u32,
    /// The exchange that it had come by, when it first died so.
    pub exchange: String,
    /// The routing key that it had come with, when it first died so.
    pub key: String,
}

/// The reasons that RabbitMQ writes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A consumer rejected it.
    Rejected,
    /// Its time to live was over.
    Expired,
    /// The queue was too long.
    MaxLength,
    /// It came back more often than the queue allows.
    DeliveryLimit,
}

impl Reason {
    /// The reason for a copy's end, where that makes a dead letter.
    #[must_use]
    pub fn of(why: Why) -> Option<Self> {
        match why {
            Why::Rejected => Some(Self::Rejected),
            Why::Expired => Some(Self::Expired),
            Why::MaxLength => Some(Self::MaxLength),
            Why::Limit => Some(Self::DeliveryLimit),
            Why::Timeout | Why::Requeued | Why::Closed | Why::ConsumerTimeout | Why::Retention | Why::NodeLost | Why::Unused => {
                None
            }
        }
    }

    /// Its word in the header.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::MaxLength => "maxlen",
            Self::DeliveryLimit => "delivery_limit",
        }
    }
}

/// Writes a death down: the entry of this queue and reason counts one more and comes first. Before 4.0 the others change
/// their order each time (`group_by_queue_and_reason` folds them into a list from the back).
pub fn record(deaths: &mut Vec<Death>, death: Death, release: Release) {
    if release < Release::V4_0 {
        deaths.reverse();
    }
    let known = deaths.iter().position(|old| old.queue == death.queue && old.reason == death.reason);
    let entry = match known {
        Some(at) => {
            let old = deaths.remove(at);
            Death { count: old.count.saturating_add(1), ..old }
        }
        None => death,
    };
    deaths.insert(0, entry);
}

/// Whether a dead letter must not go to this queue: it would have gone round without anyone rejecting it. A rejection now
/// always passes.
#[must_use]
pub fn cycles(deaths: &[Death], now: Reason, queue: &str) -> bool {
    let seen = deaths.iter().position(|death| death.queue == queue);
    now != Reason::Rejected && seen.is_some_and(|at| deaths[..=at].iter().all(|death| death.reason != Reason::Rejected))
}
