//! RabbitMQ: exchanges, classic and quorum queues, channels.
//!
//! [`RabbitQueue`] is one queue behind [`crate::QueueServer`]; [`route`] is an exchange as a function; [`Broker`] is all of
//! it with channels, for scripts.

pub mod arguments;
mod broker;
mod channel;
mod death;
mod exchange;
mod hash;
mod letter;
pub mod profile;
mod queue;
mod quorum;
mod ready;
pub mod script;
mod server;
mod settings;
mod turns;
pub mod words;

pub use broker::Broker;
pub use death::{Death, Reason, cycles, record};
pub use exchange::{Binding, ExchangeKind, Match, Value, route, topic_matches};
pub use letter::{Answer, DeadLetterTo, Delivered, Heard, Letter, Verdict};
pub use server::RabbitQueue;
pub use settings::{DeliveryLimit, Kind, Overflow, Release, Settings};
