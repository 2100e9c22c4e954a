//! Message brokers as pure state machines.
//!
//! A machine is given calls with their moments and answers as the real server does. It has no clock, no thread, no
//! randomness of its own, no float in its state and no order that depends on a hash. Whoever drives it asks
//! [`QueueServer::next_due_us`] when something will happen by itself and calls [`QueueServer::advance`] then.
//!
//! The proof is in `tests/transcripts`: scripts in neutral words with what the real servers gave, replayed on the machines.

pub mod fidelity;
pub mod kafka;
mod order;
pub mod postgres;
pub mod profile;
pub mod rabbitmq;
pub mod server;
pub mod sorted;
pub mod sqs;
pub mod transcript;

pub use server::{
    Consumer, CopyId, Counts, Delivery, Happening, Held, Publish, Published, QueueServer, Refusal, Settle, Tag, Tuning, What, Why,
};
