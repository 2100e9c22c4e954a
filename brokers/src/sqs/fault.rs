//! Why the service refuses a call: its own error codes, and the reason in its own terms.
//!
//! Codes and reasons are those of the Amazon SQS API reference ("Errors" of each action) and of answers recorded on AWS.

use crate::server::Refusal;

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// As many messages are in flight as the queue allows; only a standard queue says so, and only to a short poll.
    OverLimit,
    /// No receive of this queue ever gave this receipt handle.
    GarbageHandle,
    /// FIFO: the visibility timeout of this receive has passed.
    HandleExpired,
    /// The message is gone, or (FIFO) not in flight under this handle.
    NotInFlight,
    /// The message would be hidden for more than 12 hours since it was received.
    BeyondTwelveHours,
    /// A value outside of its range.
    OutOfRange(Parameter),
    /// A parameter that this kind of queue does not take.
    WrongKind(Parameter),
    /// FIFO: no message group id.
    MissingGroup,
    /// FIFO: no deduplication id, and the queue does not make one from the content.
    MissingDeduplication,
    /// A character that a message may not have.
    Contents,
    /// A message longer than the queue takes.
    TooLong,
    /// A batch longer in all than 1 MiB.
    BatchTooLong,
    /// A batch of nothing.
    EmptyBatch,
    /// A batch of more than ten.
    TooManyEntries,
    /// Two entries of a batch with one id.
    IdsNotDistinct,
    /// A purge within 60 seconds of another.
    PurgeInProgress,
    /// More calls this second than the quota of a FIFO queue.
    Throttled,
    /// The redrive source is no dead-letter queue of any queue.
    NotDeadLetters,
    /// The redrive source has a task that runs.
    TaskRunning,
    /// There is no such redrive task, or it has ended.
    NoTask,
    /// There is no such queue.
    NoQueue,
    /// The dead-letter queue is of the other kind, or its redrive allow policy names others.
    NotAllowed,
}

/// What a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Of a queue, a receive or a change.
    VisibilityTimeout,
    /// Of a queue or a message.
    DelaySeconds,
    /// Of a receive: 1…10.
    MaxNumberOfMessages,
    /// Of a receive or a queue: 0…20 s.
    WaitTimeSeconds,
    /// Of a queue.
    MessageRetentionPeriod,
    /// Of a queue.
    MaximumMessageSize,
    /// Of a queue.
    RedrivePolicy,
    /// Of a queue.
    FifoThroughputLimit,
    /// Of a message.
    MessageDeduplicationId,
    /// Of a receive.
    ReceiveRequestAttemptId,
    /// Of a redrive task: 1…500.
    MaxNumberOfMessagesPerSecond,
}

impl Fault {
    /// The service's error code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::OverLimit => "OverLimit",
            Self::GarbageHandle => "ReceiptHandleIsInvalid",
            Self::OutOfRange(
                Parameter::MessageRetentionPeriod | Parameter::MaximumMessageSize | Parameter::FifoThroughputLimit,
            ) => "InvalidAttributeValue",
            Self::HandleExpired
            | Self::NotInFlight
            | Self::BeyondTwelveHours
            | Self::OutOfRange(_)
            | Self::WrongKind(_)
            | Self::MissingDeduplication
            | Self::TooLong
            | Self::NotDeadLetters
            | Self::TaskRunning
            | Self::NotAllowed => "InvalidParameterValue",
            Self::MissingGroup => "MissingParameter",
            Self::Contents => "InvalidMessageContents",
            Self::BatchTooLong => "AWS.SimpleQueueService.BatchRequestTooLong",
            Self::EmptyBatch => "AWS.SimpleQueueService.EmptyBatchRequest",
            Self::TooManyEntries => "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
            Self::IdsNotDistinct => "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
            Self::PurgeInProgress => "AWS.SimpleQueueService.PurgeQueueInProgress",
            Self::Throttled => "ThrottlingException",
            Self::NoTask => "ResourceNotFoundException",
            Self::NoQueue => "AWS.SimpleQueueService.NonExistentQueue",
        }
    }

    /// The error code in the answer to a batch or to an entry of one: an expired receipt handle is called invalid there, a
    /// missing group an invalid value.
    #[must_use]
    pub const fn batch_code(self) -> &'static str {
        match self {
            Self::HandleExpired => "ReceiptHandleIsInvalid",
            Self::MissingGroup => "InvalidParameterValue",
            other => other.code(),
        }
    }

    /// What the lab's common face calls it.
    #[must_use]
    pub const fn refusal(self) -> Refusal {
        match self {
            Self::OverLimit | Self::Throttled => Refusal::OverLimit,
            Self::HandleExpired | Self::NotInFlight => Refusal::Stale,
            Self::GarbageHandle => Refusal::Unknown,
            Self::NoQueue => Refusal::Unavailable,
            _ => Refusal::Invalid,
        }
    }
}
