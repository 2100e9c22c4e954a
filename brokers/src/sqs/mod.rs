//! Amazon SQS: standard and FIFO queues with dead-letter queues.
//!
//! [`Queue`] is one queue with the calls of the service, and a [`QueueServer`](crate::QueueServer); [`Account`] holds several
//! that know of each other and lets receives wait. The rules come from the Amazon SQS developer guide and API reference, and
//! from answers of the service that others recorded.

mod account;
mod fault;
mod handling;
pub mod lambda;
mod memory;
mod message;
mod options;
pub mod profile;
mod queue;
pub mod script;
mod server;
mod shelf;
pub mod sns;

pub use account::{Account, Handle, MOVER, MoveTask, Polled, QueueId, RedriveAllow, TaskStatus, Ticket};
pub use fault::{Fault, Parameter};
pub use message::{Deleted, Letter, Receive, Received, Send, Sent};
pub use options::{
    CALLS_PER_S, DEDUPLICATION_US, Fifo, LARGEST_BATCH, LARGEST_BYTES, LONGEST_DELAY_US, LONGEST_RETENTION_US,
    LONGEST_VISIBILITY_US, LONGEST_WAIT_US, Options, SECOND_US, SHORTEST_RETENTION_US, Scope, StaleDelete, Throughput,
};
pub use queue::Queue;
