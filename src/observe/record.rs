//! The trace: one record for each thing that happened. Ledger, users, findings and journeys are made from nothing else.

use crate::message::EffectMask;
use crate::sim::Timestamp;

/// What happened. Each kind says what it means for the books; those that say nothing move no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A fact came into the world. `extra` is its key.
    Born,
    /// A user's request began.
    Asked,
    /// The user was told yes. `extra` is the time it took, in microseconds.
    Answered,
    /// The user was told no, or nothing. `extra` is a [`Cause`].
    Refused,
    /// A process holds a copy in its memory. Books: memory + 1.
    Held,
    /// The process has handed its copy on. Books: memory − 1.
    Released,
    /// The process no longer has it. `extra` is a [`Cause`]. Books: memory − 1.
    GaveUp,
    /// An order row was committed.
    Wrote,
    /// Its outbox row was committed with it. Books: outbox + 1.
    RowAdded,
    /// The outbox row was marked as sent. Books: outbox − 1.
    RowSent,
    /// A queue stored a copy. Books: ready + 1.
    Stored,
    /// A queue stored a copy that stays invisible for a while. `extra` is how long. Books: delayed + 1.
    StoredDelayed,
    /// Its delay is over. Books: delayed − 1, ready + 1.
    Ripened,
    /// A log stored a record. `extra` is partition and offset. Books: unread + 1 a group.
    Appended,
    /// A publish got no confirmation. `extra` is the number of the try.
    PublishFailed,
    /// A queue gave a message to a worker. `extra` is worker, process and receive count. Books: ready − 1, hidden + 1.
    Received,
    /// Its visibility timeout ran out. Books: hidden − 1, ready + 1.
    TimedOut,
    /// The worker extended the visibility timeout.
    Extended,
    /// Acknowledged: the queue deleted it. Books: hidden − 1.
    Acked,
    /// Acknowledged after its timeout and before it was received again: deleted all the same. Books: ready − 1.
    AckedLate,
    /// The acknowledgement came with a receipt that is no longer the newest: refused.
    StaleReceipt,
    /// The acknowledgement was lost on the way.
    AckLost,
    /// A group member read a record. `extra` is partition and offset.
    Read,
    /// The group's committed offset passed a record. Books: unread − 1.
    Passed,
    /// The group was set back before a record. Books: unread + 1.
    Rewound,
    /// A commit of an evicted member was refused.
    CommitRefused,
    /// The work on a message failed. `extra` is a [`Cause`].
    WorkFailed,
    /// The next try waits. `extra` is the wait in microseconds.
    Waits,
    /// The effect took place.
    Effect,
    /// A repeat was recognised; the effect did not take place again.
    Skipped,
    /// A copy went to the dead letters. Books: tray + 1.
    Buried,
    /// The queue let go of a message that went to the dead letters. Books: ready − 1.
    LeftQueue,
    /// A dead letter was taken out to be delivered again. Books: tray − 1.
    Redriven,
    /// Retention dropped a message. Books: ready − 1.
    Expired,
    /// Retention dropped a dead letter. Books: tray − 1.
    ExpiredDead,
    /// Retention dropped a record that the group had not read. Books: unread − 1.
    ExpiredUnread,
    /// A process died. `extra` is its number.
    Crashed,
    /// A process is back. `extra` is its number.
    Restarted,
    /// A command took effect. `extra` is a fingerprint of its text.
    Commanded,
    /// A group stands still to share its partitions out anew. `extra` is the generation.
    RebalanceBegan,
    /// It goes on. `extra` is the generation.
    RebalanceEnded,
    /// A member was taken for dead. `extra` is its number.
    Evicted,
    /// A worker stopped calling for a while.
    BreakerOpened,
    /// It calls again.
    BreakerClosed,
    /// A worker's copy is back in its queue before any timeout. `extra` is a [`Cause`]. Books: hidden − 1, ready + 1.
    Returned,
    /// The queue let go of a message in a worker's hands that went to the dead letters. Books: hidden − 1.
    LeftHands,
    /// A queue dropped a message that waited. `extra` is a [`Cause`]. Books: ready − 1.
    Dropped,
    /// A queue dropped a message in a worker's hands. `extra` is a [`Cause`]. Books: hidden − 1.
    DroppedHeld,
    /// A broker confirmed a message that it recognised as a repeat and did not store.
    Deduplicated,
    /// No relay will ever read an outbox row. `extra` is a [`Cause`]. Books: outbox − 1, passed over + 1.
    RowPassedOver,
    /// A relay that looks for rows without a mark will read it after all. Books: passed over − 1, outbox + 1.
    RowFound,
    /// A log refused a record. `extra` is a [`Cause`].
    WriteRefused,
    /// The replica that leads now does not have the record. Books: unread − 1.
    Overwritten,
    /// Another replica leads. `extra` is partition and broker.
    LeaderElected,
    /// Nobody leads any more. `extra` is partition and broker that led.
    LeaderLost,
    /// A replica is no longer in sync. `extra` is partition and broker.
    OutOfSync,
    /// It is in sync again. `extra` is partition and broker.
    InSync,
    /// An exchange confirmed a message that no binding takes, and let it go.
    Unroutable,
    /// An exchange sent a message to other queues than those that lead to these effects: they are not expected of it.
    NotRouted,
    /// A member reads a partition from now on. `extra` is partition and process.
    PartitionAssigned,
    /// A member gives a partition up. `extra` is partition and process.
    PartitionRevoked,
    /// A member hears that a partition is not its own any more. `extra` is partition and process.
    PartitionLost,
    /// A transaction is over in a partition. `extra` is the partition, and whether it was committed.
    TransactionEnded,
    /// A record's transaction was aborted: a group that reads committed records will not get it. Books: unread − 1.
    Aborted,
    /// A group without an offset, or set there by hand, began behind a record that it has not read. Books: unread − 1.
    PassedUnread,
    /// The offsets of a group without members are gone.
    OffsetsExpired,
    /// A group has no offset to go on from, and stops.
    NoOffset,
    /// Compaction removed a record that the group had not read. Books: unread − 1.
    CompactedUnread,
    /// A member fetches from remote storage. `extra` is partition and offset.
    FetchedRemote,
    /// A group does not take a static member back, as the process that had its name has not left. `extra` is its number.
    NameTaken,
}

/// Why something failed or was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Cause {
    /// Nothing named: it has not been lost.
    None,
    /// The process died with the only copy in its memory.
    ProcessDied,
    /// Acknowledged before the work, and the worker died in between.
    AckedBeforeWork,
    /// Retention removed it first.
    Retention,
    /// The publisher gave up after its last try.
    PublishGivenUp,
    /// The user was told no before anything was kept.
    Refused,
    /// Nobody answered in time.
    NoAnswer,
    /// The part answered with an error.
    Failed,
    /// It accepts no more calls for now.
    TooMany,
    /// It can never be processed.
    Poison,
    /// It could not be processed and was skipped.
    SkippedOver,
    /// The process is down.
    Down,
    /// It waited longer than its time to live.
    TimeToLive,
    /// The queue was full.
    QueueFull,
    /// The consumer rejected it, and there are no dead letters.
    Rejected,
    /// It failed as often as the broker allows, and there are no dead letters.
    TooOften,
    /// The consumer's connection ended.
    ConnectionEnded,
    /// The consumer gave it back.
    GivenBack,
    /// The consumer held it for longer than the broker allows.
    HeldTooLong,
    /// The node that had it died, and no other had it.
    NodeLost,
    /// The process ran out of memory.
    OutOfMemory,
    /// The relay had already gone on to a higher id.
    PassedOver,
    /// The replication slot was dropped first.
    SlotDropped,
    /// Fewer replicas are in sync than the log asks for.
    TooFewInSync,
    /// No leader answers for its partition.
    NoLeader,
    /// The leader died before another replica had it.
    LeaderDied,
    /// The producer keeps only so many unconfirmed messages.
    BufferFull,
    /// Its transaction was aborted.
    Aborted,
    /// The group began behind it: it had no offset, or was set there.
    BeganBehind,
    /// Compaction removed it first.
    Compacted,
    /// As a dead letter it came back to a queue in which it had died, and nobody had rejected it on the way.
    WentRound,
    /// No binding of the exchange takes it.
    Unroutable,
    /// An earlier record of its partition is not stored.
    OutOfSequence,
    /// Its queue was deleted, as nobody consumed it.
    Unused,
}

impl Cause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 34] = [
        Self::None,
        Self::ProcessDied,
        Self::AckedBeforeWork,
        Self::Retention,
        Self::PublishGivenUp,
        Self::Refused,
        Self::NoAnswer,
        Self::Failed,
        Self::TooMany,
        Self::Poison,
        Self::SkippedOver,
        Self::Down,
        Self::TimeToLive,
        Self::QueueFull,
        Self::Rejected,
        Self::TooOften,
        Self::ConnectionEnded,
        Self::GivenBack,
        Self::HeldTooLong,
        Self::NodeLost,
        Self::OutOfMemory,
        Self::PassedOver,
        Self::SlotDropped,
        Self::TooFewInSync,
        Self::NoLeader,
        Self::LeaderDied,
        Self::BufferFull,
        Self::Aborted,
        Self::BeganBehind,
        Self::Compacted,
        Self::WentRound,
        Self::Unroutable,
        Self::OutOfSequence,
        Self::Unused,
    ];

    /// The cause with this number.
    #[must_use]
    pub fn from_number(number: u64) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or(Self::None)
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::None => "no cause",
            Self::ProcessDied => "the process died with the only copy in its memory",
            Self::AckedBeforeWork => "acknowledged before the work, and the worker died in between",
            Self::Retention => "retention removed it before it was read",
            Self::PublishGivenUp => "the publisher gave up after its last try",
            Self::Refused => "the user was told no",
            Self::NoAnswer => "no answer in time",
            Self::Failed => "an error came back",
            Self::TooMany => "refused: too many calls",
            Self::Poison => "it can never be processed",
            Self::SkippedOver => "skipped as not processable",
            Self::Down => "the process was down",
            Self::TooFewInSync => "too few replicas are in sync",
            Self::NoLeader => "no leader answers for its partition",
            Self::Aborted => "its transaction was aborted",
            Self::BeganBehind => "the group began behind it: it had no offset, or was set there",
            Self::Compacted => "compacted away for a newer record of its key before it was read",
            Self::WentRound => "as a dead letter it went round without anyone rejecting it",
            Self::Unroutable => "no binding takes it",
            Self::OutOfSequence => "an earlier record of its partition is not stored",
            Self::Unused => "its queue was deleted, as nobody consumed it",
            Self::LeaderDied => "the leader died before the replica that leads now had it",
            Self::TimeToLive => "it waited longer than its time to live",
            Self::QueueFull => "the queue was full",
            Self::Rejected => "rejected, and there are no dead letters",
            Self::TooOften => "it failed as often as the broker allows",
            Self::ConnectionEnded => "the consumer's connection ended",
            Self::GivenBack => "the consumer gave it back",
            Self::HeldTooLong => "the consumer held it for longer than the broker allows",
            Self::NodeLost => "the node that had it died, and no other had it",
            Self::OutOfMemory => "the process ran out of memory",
            Self::PassedOver => "its row was committed after the relay had gone on to a higher id",
            Self::SlotDropped => "the replication slot was dropped before its row was read",
            Self::BufferFull => "the producer's buffer was full",
        }
    }
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// When.
    pub at_us: Timestamp,
    /// Depends on the kind.
    pub extra: u64,
    /// The fact, or [`NO_FACT`].
    pub fact: u32,
    /// Index of the part it happened at.
    pub part: u16,
    /// What happened.
    pub kind: Kind,
    /// The effects concerned.
    pub effects: EffectMask,
}

/// Stands where a record is about no fact.
pub const NO_FACT: u32 = u32::MAX;

/// Stands in a log where a record was compacted away.
pub const COMPACTED: u32 = NO_FACT - 1;

impl Record {
    /// The three words that the trace hash takes in.
    #[inline]
    #[must_use]
    pub fn words(&self) -> [u64; 3] {
        let packed =
            u64::from(self.fact) << 32 | u64::from(self.part) << 16 | u64::from(self.kind as u8) << 8 | u64::from(self.effects);
        [self.at_us, packed, self.extra]
    }
}

/// Partition and offset in one word.
#[must_use]
pub fn pack_place(partition: u32, offset: u64) -> u64 {
    u64::from(partition) << 44 | (offset & ((1 << 44) - 1))
}

/// The reverse of [`pack_place`].
#[must_use]
pub fn unpack_place(extra: u64) -> (u32, u64) {
    ((extra >> 44) as u32, extra & ((1 << 44) - 1))
}

/// Worker, process and receive count in one word.
#[must_use]
pub fn pack_receive(worker: u16, process: u16, receives: u16) -> u64 {
    u64::from(worker) << 32 | u64::from(process) << 16 | u64::from(receives)
}

/// The reverse of [`pack_receive`].
#[must_use]
pub fn unpack_receive(extra: u64) -> (u16, u16, u16) {
    ((extra >> 32) as u16, (extra >> 16) as u16, extra as u16)
}
