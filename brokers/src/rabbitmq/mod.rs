//! RabbitMQ: exchanges, classic and quorum queues, channels.
//!
//! [`RabbitQueue`] is one queue behind [`crate::QueueServer`]; [`route`] is an exchange as a function; [`Broker`] is all of
//! it with channels, for scripts.

mod broker;
mod channel;
mod death;
mod exchange;
mod hash;
pub mod profile;
mod queue;
mod quorum;
mod ready;
pub mod script;
mod server;
mod settings;
mod turns;
pub mod words;

pub use broker::{Answer, Broker, DeadLetterTo, Delivered, Heard, Letter, Verdict};
pub use death::{Death, Reason};
pub use exchange::{Binding, ExchangeKind, Match, Value, route, topic_matches};
pub use server::RabbitQueue;
pub use settings::{DeliveryLimit, Kind, Overflow, Release, Settings};
