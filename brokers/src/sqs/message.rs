//! What goes into a queue and what comes out of it.

use crate::server::{Consumer, CopyId, Tag};

/// What a producer sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// What it is about.
    pub body: u64,
    /// `MessageGroupId`. A FIFO queue must have one; a standard queue only keeps it.
    pub group: Option<u64>,
    /// `MessageDeduplicationId`. FIFO only.
    pub dedup: Option<u64>,
    /// `DelaySeconds` of this message, in microseconds. Standard only.
    pub delay_us: Option<u64>,
    /// How long it is.
    pub bytes: u32,
    /// It has only characters that a message may have.
    pub readable: bool,
}

impl Send {
    /// A short message without group, deduplication id or delay.
    #[must_use]
    pub const fn new(body: u64) -> Self {
        Self { body, group: None, dedup: None, delay_us: None, bytes: 1, readable: true }
    }
}

/// What the queue says to a send that it accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its message id; that of the first one for a repeat.
    pub id: u64,
    /// FIFO: its sequence number, larger for each message of the queue.
    pub sequence: Option<u64>,
    /// The copy, where it was stored; `None` for a repeat, which is accepted and not delivered.
    pub copy: Option<CopyId>,
}

/// What a consumer asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receive {
    /// Who asks.
    pub consumer: Consumer,
    /// `MaxNumberOfMessages`: 1…10.
    pub most: u32,
    /// `VisibilityTimeout` of this receive instead of the queue's, in microseconds.
    pub visibility_us: Option<u64>,
    /// `ReceiveRequestAttemptId`. FIFO only.
    pub attempt: Option<u64>,
    /// It is a long poll, to which a standard queue does not say `OverLimit`.
    pub long: bool,
}

impl Receive {
    /// A short poll for up to so many.
    #[must_use]
    pub const fn new(consumer: Consumer, most: u32) -> Self {
        Self { consumer, most, visibility_us: None, attempt: None, long: false }
    }
}

/// A message in the hands of a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The copy.
    pub copy: CopyId,
    /// Its message id.
    pub id: u64,
    /// What it is about.
    pub body: u64,
    /// Its message group; 0 for none.
    pub group: u64,
    /// The receipt handle of this receive.
    pub tag: Tag,
    /// `ApproximateReceiveCount`: in all queues that it has been in.
    pub receives: u32,
    /// How often it was received from this queue.
    pub receives_here: u32,
    /// `SentTimestamp`.
    pub enqueued_us: u64,
}

/// A message on its way from one queue to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Its message id.
    pub id: u64,
    /// What it is about.
    pub body: u64,
    /// Its message group; 0 for none.
    pub group: u64,
    /// When retention began to count.
    pub enqueued_us: u64,
    /// How often it was received in all.
    pub receives: u32,
    /// The queue whose dead letter it is, counted from 1; 0 for none.
    pub source: u32,
}

/// What a delete that was accepted did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// Deleted while in flight.
    InFlight,
    /// Deleted after its visibility timeout had passed, not received again since.
    Late,
    /// Nothing: deleted before, or kept because the receipt handle is an old one.
    Nothing,
}
