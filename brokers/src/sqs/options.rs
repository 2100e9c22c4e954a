//! What a queue is set to, under names of our own, and the ranges that the service allows.

use super::fault::{Fault, Parameter};

/// Microseconds in a second.
pub const SECOND_US: u64 = 1_000_000;
/// The longest visibility timeout, and the longest that one receive may hide a message in all: 12 hours.
pub const LONGEST_VISIBILITY_US: u64 = 43_200 * SECOND_US;
/// The longest delay: 15 minutes.
pub const LONGEST_DELAY_US: u64 = 900 * SECOND_US;
/// The longest long poll: 20 seconds.
pub const LONGEST_WAIT_US: u64 = 20 * SECOND_US;
/// The shortest retention: a minute.
pub const SHORTEST_RETENTION_US: u64 = 60 * SECOND_US;
/// The longest retention: 14 days.
pub const LONGEST_RETENTION_US: u64 = 1_209_600 * SECOND_US;
/// The largest `maxReceiveCount`.
pub const MOST_RECEIVES: u32 = 1_000;
/// The most messages of one call, received, sent or deleted.
pub const LARGEST_BATCH: u32 = 10;
/// The largest message, and the largest batch in all: 1 MiB.
pub const LARGEST_BYTES: u32 = 1_048_576;
/// How long a deduplication id or a receive request attempt id is remembered: 5 minutes.
pub const DEDUPLICATION_US: u64 = 300 * SECOND_US;
/// Calls a second for each action of a FIFO queue without high throughput.
pub const CALLS_PER_S: u32 = 300;

/// The attributes of a queue that change what it does. Sources: `CreateQueue` and `SetQueueAttributes` in the Amazon SQS
/// API reference, "Amazon SQS quotas" in its developer guide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What makes it a FIFO queue (`FifoQueue`); `None` for a standard queue.
    pub fifo: Option<Fifo>,
    /// `VisibilityTimeout`: 0…12 h, 30 s as shipped.
    pub visibility_us: u64,
    /// `DelaySeconds`: 0…15 min, none as shipped.
    pub delay_us: u64,
    /// `MessageRetentionPeriod`: 60 s…14 d, 4 d as shipped.
    pub retention_us: u64,
    /// `ReceiveMessageWaitTimeSeconds`: 0…20 s, none as shipped.
    pub wait_us: u64,
    /// `maxReceiveCount` of the redrive policy, 1…1,000; `None` without a policy.
    pub max_receives: Option<u32>,
    /// `MaximumMessageSize`: 1 KiB…1 MiB.
    pub max_bytes: u32,
    /// The most messages in flight: 120,000.
    pub in_flight_limit: u32,
    /// How many of the oldest messages a receive of a FIFO queue looks at to find a group: 120,000.
    pub scan_limit: u32,
    /// What a delete with an old receipt handle does to a message that is in flight under a newer one. Standard only.
    pub stale_delete: StaleDelete,
}

/// What is special about a FIFO queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fifo {
    /// `ContentBasedDeduplication`: the body stands for a deduplication id that is not given.
    pub content_based: bool,
    /// `DeduplicationScope`.
    pub scope: Scope,
    /// `FifoThroughputLimit`, or no limit at all.
    pub throughput: Throughput,
    /// How long a deduplication id is remembered: 5 minutes; the service lets nobody change it.
    pub window_us: u64,
}

/// Within what a deduplication id counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole queue, as shipped.
    Queue,
    /// Each message group for itself.
    MessageGroup,
}

/// How many calls a second a FIFO queue takes before it refuses with throttling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throughput {
    /// As many as come: a lab that does not look at quotas.
    Unlimited,
    /// 300 calls a second for each action; in batches of ten that is 3,000 messages. As the service ships it.
    PerQueue,
    /// 300 sending calls a second for each message group: high throughput.
    PerMessageGroup,
}

/// What a delete with an old receipt handle does while the message is in flight under a newer one. The service accepts the
/// call and promises only that the message "might not be deleted" (`DeleteMessage` in the API reference).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaleDelete {
    /// The message stays: the case that a consumer must be ready for.
    Keeps,
    /// The message goes, although somebody else is at work on it.
    Deletes,
}

impl Options {
    /// A standard queue as the service ships it.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            fifo: None,
            visibility_us: 30 * SECOND_US,
            delay_us: 0,
            retention_us: 345_600 * SECOND_US,
            wait_us: 0,
            max_receives: None,
            max_bytes: LARGEST_BYTES,
            in_flight_limit: 120_000,
            scan_limit: 120_000,
            stale_delete: StaleDelete::Keeps,
        }
    }

    /// A FIFO queue as the service ships it, but without its quota of calls.
    #[must_use]
    pub const fn fifo() -> Self {
        let fifo =
            Fifo { content_based: false, scope: Scope::Queue, throughput: Throughput::Unlimited, window_us: DEDUPLICATION_US };
        Self { fifo: Some(fifo), ..Self::standard() }
    }

    /// Checks every attribute against the range that the service allows.
    ///
    /// # Errors
    /// The first attribute that is out of range.
    pub fn check(&self) -> Result<(), Fault> {
        let out = |parameter| Err(Fault::OutOfRange(parameter));
        if self.visibility_us > LONGEST_VISIBILITY_US {
            return out(Parameter::VisibilityTimeout);
        }
        if self.delay_us > LONGEST_DELAY_US {
            return out(Parameter::DelaySeconds);
        }
        if !(SHORTEST_RETENTION_US..=LONGEST_RETENTION_US).contains(&self.retention_us) {
            return out(Parameter::MessageRetentionPeriod);
        }
        if self.wait_us > LONGEST_WAIT_US {
            return out(Parameter::WaitTimeSeconds);
        }
        if !(1_024..=LARGEST_BYTES).contains(&self.max_bytes) {
            return out(Parameter::MaximumMessageSize);
        }
        if self.max_receives.is_some_and(|most| !(1..=MOST_RECEIVES).contains(&most)) {
            return out(Parameter::RedrivePolicy);
        }
        match self.fifo {
            Some(Fifo { throughput: Throughput::PerMessageGroup, scope: Scope::Queue, .. }) => {
                out(Parameter::FifoThroughputLimit)
            }
            _ => Ok(()),
        }
    }
}
