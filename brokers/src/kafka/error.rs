//! What a Kafka broker or client answers when it says no.

/// An error under the protocol's own name. Source: `Errors.java` of Apache Kafka.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Fewer in-sync replicas than `min.insync.replicas`: nothing was written. Retriable.
    NotEnoughReplicas,
    /// The record is in the leader's log, and the in-sync set shrank below the minimum meanwhile. Retriable.
    NotEnoughReplicasAfterAppend,
    /// The broker does not lead this partition, or nobody does. Retriable.
    NotLeader,
    /// No answer in time; the record may be stored. Retriable.
    TimedOut,
    /// The connection broke; the record may be stored. Retriable.
    Disconnected,
    /// The offset is not in the log.
    OffsetOutOfRange,
    /// A sequence number was skipped, or is older than what the broker remembers.
    OutOfOrderSequence,
    /// A newer epoch of the same producer wrote here.
    InvalidProducerEpoch,
    /// A newer instance with the same `transactional.id` took over.
    ProducerFenced,
    /// The producer id does not belong to this `transactional.id`.
    InvalidProducerIdMapping,
    /// The call does not fit the state of the transaction.
    InvalidTxnState,
    /// The transaction before is still being completed. Retriable.
    ConcurrentTransactions,
    /// `transaction.timeout.ms` above the broker's `transaction.max.timeout.ms`.
    InvalidTransactionTimeout,
    /// The offset to commit is part of a transaction that is not over. Retriable.
    UnstableOffsetCommit,
    /// A record larger than the producer or broker takes.
    RecordTooLarge,
    /// The producer's memory stayed full for `max.block.ms`.
    BufferExhausted,
    /// No committed offset and `auto.offset.reset=none`.
    NoOffsetForPartition,
}

impl Error {
    /// The protocol's name, or the client's where only it knows the error.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotEnoughReplicas => "NOT_ENOUGH_REPLICAS",
            Self::NotEnoughReplicasAfterAppend => "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
            Self::NotLeader => "NOT_LEADER_OR_FOLLOWER",
            Self::TimedOut => "REQUEST_TIMED_OUT",
            Self::Disconnected => "NETWORK_EXCEPTION",
            Self::OffsetOutOfRange => "OFFSET_OUT_OF_RANGE",
            Self::OutOfOrderSequence => "OUT_OF_ORDER_SEQUENCE_NUMBER",
            Self::InvalidProducerEpoch => "INVALID_PRODUCER_EPOCH",
            Self::ProducerFenced => "PRODUCER_FENCED",
            Self::InvalidProducerIdMapping => "INVALID_PRODUCER_ID_MAPPING",
            Self::InvalidTxnState => "INVALID_TXN_STATE",
            Self::ConcurrentTransactions => "CONCURRENT_TRANSACTIONS",
            Self::InvalidTransactionTimeout => "INVALID_TRANSACTION_TIMEOUT",
            Self::UnstableOffsetCommit => "UNSTABLE_OFFSET_COMMIT",
            Self::RecordTooLarge => "MESSAGE_TOO_LARGE",
            Self::BufferExhausted => "BufferExhaustedException",
            Self::NoOffsetForPartition => "NoOffsetForPartitionException",
        }
    }

    /// Whether the producer sends the batch again. Source: `RetriableException` and `Sender.canRetry` of the Java client.
    #[must_use]
    pub fn is_retriable(self) -> bool {
        matches!(
            self,
            Self::NotEnoughReplicas
                | Self::NotEnoughReplicasAfterAppend
                | Self::NotLeader
                | Self::TimedOut
                | Self::Disconnected
                | Self::ConcurrentTransactions
                | Self::UnstableOffsetCommit
        )
    }
}
