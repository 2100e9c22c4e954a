//! How a process consumes, and what can be seen of it.

use super::consumers::{Event, Joiner};
use super::{Fault, Partition};
use crate::server::Consumer;

/// When a process commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commits {
    /// By hand, once the whole batch of a poll is handled.
    AfterBatch,
    /// By hand, after each record.
    AfterRecord,
    /// `enable.auto.commit`: a poll commits what earlier polls gave, if so long has passed since the last time, in
    /// microseconds.
    Auto(u64),
}

/// What comes of a record whose handler fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// Attempts before the record goes to the dead-letter topic; zero tries for ever.
    pub attempts: u32,
    /// How long the consuming thread sleeps before each further attempt, in microseconds.
    pub backoff_us: u64,
}

/// How a process consumes. Times in microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handling {
    /// How it joins, and who sends its heartbeats.
    pub joiner: Joiner,
    /// Work for one record.
    pub handler_us: u64,
    /// Without a heartbeat thread: how often the handler lets a heartbeat go. Otherwise one goes after each record only.
    pub beat_in_handler_us: Option<u64>,
    /// `max.poll.records`.
    pub poll_records: u32,
    /// When it commits.
    pub commits: Commits,
    /// What comes of records that fail.
    pub retries: Retries,
    /// Whether a record that cannot be deserialised is handed to the error handler and put on the dead-letter topic.
    pub dead_letters_unreadable: bool,
    /// How long a poll that fails holds the process up.
    pub failed_poll_us: u64,
}

impl Default for Handling {
    fn default() -> Self {
        Self {
            joiner: Joiner { topics: vec![0], ..Joiner::default() },
            handler_us: 1_000,
            beat_in_handler_us: None,
            poll_records: 500,
            commits: Commits::AfterBatch,
            retries: Retries { attempts: 10, backoff_us: 0 },
            dead_letters_unreadable: false,
            failed_poll_us: 1_000_000,
        }
    }
}

/// A record that does not go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Its handler fails every time.
    Fails,
    /// It cannot be deserialised.
    Unreadable,
}

/// What could be seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A handler was done with a record.
    Handled(Consumer, Partition, u64),
    /// A handler failed on a record.
    Failed(Consumer, Partition, u64),
    /// A record was put on the dead-letter topic.
    DeadLettered(Consumer, Partition, u64),
    /// A poll failed on a record that cannot be deserialised.
    Stuck(Consumer, Partition, u64),
    /// The group has this offset of the partition from now on.
    Committed(Consumer, Partition, u64),
    /// A commit was refused.
    Refused(Consumer, Fault),
    /// A heartbeat by hand was refused: the batch is given up.
    BeatRefused(Consumer, Fault),
    /// Something happened in the group.
    Group(Event),
}
