//! What a group is told to do, and what happens in it.

use super::Removal;
use super::assign::{Partition, Strategy};
use crate::server::Consumer;

/// `group.protocol`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Join, sync, heartbeat; the leader assigns.
    #[default]
    Classic,
    /// KIP-848: heartbeats only; the coordinator assigns.
    Consumer,
}

/// A group's settings. Times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `group.protocol`.
    pub protocol: Protocol,
    /// `partition.assignment.strategy`, or `group.remote.assignor`.
    pub strategy: Strategy,
    /// `session.timeout.ms`, or `group.consumer.session.timeout.ms`.
    pub session_us: u64,
    /// `heartbeat.interval.ms`, or `group.consumer.heartbeat.interval.ms`.
    pub heartbeat_us: u64,
    /// `max.poll.interval.ms`.
    pub max_poll_us: u64,
    /// `group.initial.rebalance.delay.ms`.
    pub initial_delay_us: u64,
    /// How long the answer to a join or a sync travels.
    pub hop_us: u64,
}

impl Default for Settings {
    /// Kafka's defaults for a classic group.
    fn default() -> Self {
        Self {
            protocol: Protocol::Classic,
            strategy: Strategy::Range,
            session_us: 45_000_000,
            heartbeat_us: 3_000_000,
            max_poll_us: 300_000_000,
            initial_delay_us: 3_000_000,
            hop_us: 0,
        }
    }
}

/// What happened in the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A rebalance ended with this generation, or a new target was made with this epoch.
    Generation(u32),
    /// A process gives these up, in order and with the chance to commit.
    Revoked(Consumer, Vec<Partition>),
    /// A process has these from now on, beside what it had.
    Assigned(Consumer, Vec<Partition>),
    /// A process hears that others have had these already.
    Lost(Consumer, Vec<Partition>),
    /// The coordinator took the process out. The process may not know it yet.
    Evicted(Consumer, Removal),
    /// The process hears that a newer one has its `group.instance.id`, and stops.
    Fenced(Consumer),
}
