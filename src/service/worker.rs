//! A worker: processes that receive, work, take effect and acknowledge.
//!
//! A job is one message in the hands of one process. Between any two of its steps the process can die; what happens to
//! the message then follows from where it is at that moment, not from any rule here.

mod failure;
mod job;
mod keys;
mod process;

use std::collections::VecDeque;

use redrive_brokers::Tag;
use redrive_brokers::sorted::{SortedMap, SortedSet};

use super::inbox::Inbox;
use crate::broker::Group;
use crate::broker::queue::Receipt;
use crate::message::Message;
use crate::scenario::parts::WorkerSettings;
use crate::sim::{Handle, Slab, Stream, Timestamp};

/// What a worker reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A queue, by index among queues.
    Queue(u16),
    /// A queue with the rules of a broker, by index among servers.
    Server(u16),
    /// A log, by index among logs.
    Log(u16),
}

/// Where a job's message comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A queue, with the receipt to acknowledge with.
    Queue(Receipt),
    /// A server, with what settles the delivery.
    Server(Tag),
    /// A log.
    Log {
        /// Partition.
        partition: u32,
        /// Offset.
        offset: u64,
    },
}

/// What a job does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// In the process's buffer: received, not begun.
    Buffered,
    /// In the process's memory until it is due.
    Held {
        /// Until when.
        until_us: Timestamp,
    },
    /// The worker's own work.
    Work,
    /// Waits for the dependency.
    Call,
    /// Waits before another try.
    Wait {
        /// Until when.
        until_us: Timestamp,
    },
}

/// One message in the hands of one process.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The message.
    pub message: Message,
    /// Where it comes from.
    pub origin: Origin,
    /// Which process.
    pub process: u16,
    /// Which try this is, counted from 1.
    pub tries: u16,
    /// Acknowledged before the work: this is the only copy.
    pub owned: bool,
    /// What it does.
    pub doing: Doing,
    /// Since when.
    pub since_us: Timestamp,
}

/// A key that a process works on.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// One of its messages is under way; otherwise the next one is first in the buffer.
    pub busy: bool,
    /// What waits for it, in order.
    pub behind: VecDeque<Handle>,
}

/// What a group member has to do with remote storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remote {
    /// Nothing.
    #[default]
    Idle,
    /// It waits for what it has asked for.
    Asked,
    /// It has come: the next batch is made of it.
    Come,
}

/// One process of a worker.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// It runs.
    pub up: bool,
    /// It is a member of the group.
    pub member: bool,
    /// It died and its session has not run out: the group still counts it.
    pub ghost: bool,
    /// Goes up when it dies.
    pub epoch: u32,
    /// Jobs under way.
    pub busy: u32,
    /// Received and not begun, in order.
    pub buffer: VecDeque<Handle>,
    /// Keys that it works on, where it keeps their order.
    pub lanes: SortedMap<u32, Lane>,
    /// Messages that wait for an earlier one of their key.
    pub behind: u32,
    /// Done and to be acknowledged with the rest of its batch.
    pub unacked: Vec<(Tag, Message)>,
    /// Something of that batch has failed.
    pub batch_failed: bool,
    /// It waits for a message.
    pub waiting: bool,
    /// Since when it is down.
    pub since_us: Timestamp,
    /// What it asks remote storage for.
    pub remote: Remote,
    /// Number of its batch from a log.
    pub batch: u32,
    /// Jobs of that batch that are not done.
    pub batch_left: u32,
    /// When it was polled.
    pub batch_since_us: Timestamp,
    /// The generation that it belongs to.
    pub batch_generation: u32,
    /// Where the batch ends: partition and the offset after its last record.
    pub batch_ends: Vec<(u32, u64)>,
}

/// The state of a worker.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: WorkerSettings,
    /// What it reads.
    pub source: Source,
    /// The effect it is counted as, by bit number.
    pub effect: u8,
    /// The part that its work calls.
    pub calls: Option<u16>,
    /// The part for what failed for good.
    pub dead_letters: Option<u16>,
    /// Its processes.
    pub processes: Vec<Process>,
    /// Messages in their hands.
    pub jobs: Slab<Job>,
    /// What it has processed, if it is idempotent.
    pub inbox: Inbox,
    /// Messages that it has set aside and that nobody has worked off since, by key.
    pub parked: SortedMap<u32, SortedSet<u32>>,
    /// The group, where it reads a log.
    pub group: Option<Group>,
    /// How long its own work takes.
    pub work: Stream,
    /// How long it waits between tries.
    pub jitter: Stream,
    /// When it happens to crash.
    pub crashes: Stream,
    /// Failures in a row.
    pub failures: u64,
    /// The circuit breaker is open until this moment.
    pub breaker_until_us: Option<Timestamp>,
    /// Members that wait will look for records soon.
    pub fetching: bool,
    /// How long its own work takes, where that does not vary.
    pub work_us: Option<u64>,
}
