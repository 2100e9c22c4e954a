//! What the queues are, as data.

use crate::profile::{Capabilities, Native, Profile};

const STANDARD: &[Native] = &[
    Native {
        ours: "visibility_timeout",
        name: "VisibilityTimeout",
        default: "30s",
        allowed: "0s..=12h",
        doc: "How long a received message stays hidden from other consumers; 12 hours in all since its receive.",
    },
    Native {
        ours: "max_receives",
        name: "maxReceiveCount",
        default: "none",
        allowed: "1..=1000",
        doc: "Receives before the next one moves the message to the dead-letter queue instead.",
    },
    Native {
        ours: "delay",
        name: "DelaySeconds",
        default: "0s",
        allowed: "0s..=15m",
        doc: "How long a new message stays invisible; a standard queue lets each message have its own.",
    },
    Native {
        ours: "retention",
        name: "MessageRetentionPeriod",
        default: "4d",
        allowed: "1m..=14d",
        doc: "Age at which a message is deleted, whether or not anybody received it.",
    },
    Native {
        ours: "long_poll",
        name: "ReceiveMessageWaitTimeSeconds",
        default: "0s",
        allowed: "0s..=20s",
        doc: "How long a receive waits for a message when there is none.",
    },
    Native {
        ours: "batch",
        name: "MaxNumberOfMessages",
        default: "1",
        allowed: "1..=10",
        doc: "The most messages that one receive gives.",
    },
    Native {
        ours: "in_flight_limit",
        name: "in-flight quota",
        default: "120000",
        allowed: "120000",
        doc: "Received and not yet deleted messages; at the quota a short poll of a standard queue gets OverLimit, a long poll \
              and a FIFO queue get nothing.",
    },
];

const FIFO: &[Native] = &[
    STANDARD[0],
    STANDARD[1],
    Native { doc: "How long every new message stays invisible; a message cannot have its own.", ..STANDARD[2] },
    STANDARD[3],
    STANDARD[4],
    STANDARD[5],
    STANDARD[6],
    Native {
        ours: "ordering_key",
        name: "MessageGroupId",
        default: "required",
        allowed: "a text for each message",
        doc: "Messages of one group come one after another; while one is in flight, those after it wait.",
    },
    Native {
        ours: "dedup_window",
        name: "deduplication interval",
        default: "5m",
        allowed: "5m",
        doc: "A repeat of a deduplication id within it is accepted and not delivered, even when the first is deleted.",
    },
    Native {
        ours: "dedup_scope",
        name: "DeduplicationScope",
        default: "queue",
        allowed: "queue, messageGroup",
        doc: "Whether a deduplication id counts in the whole queue or in its group.",
    },
    Native {
        ours: "content_dedup",
        name: "ContentBasedDeduplication",
        default: "false",
        allowed: "false, true",
        doc: "The body stands for a deduplication id that the producer does not give.",
    },
    Native {
        ours: "throughput",
        name: "FifoThroughputLimit",
        default: "perQueue",
        allowed: "perQueue, perMessageGroupId",
        doc: "300 calls a second for each action, 3,000 messages in batches of ten; or 300 sends for each group. The lab \
              counts calls only where it is asked to.",
    },
];

const SOURCES: &[&str] =
    &["Amazon SQS Developer Guide", "Amazon SQS API Reference", "answers recorded on AWS by the LocalStack project"];

/// A standard queue.
pub const SQS: Profile = Profile {
    id: "sqs",
    title: "Amazon SQS standard queue",
    transcripts: "sqs",
    can: Capabilities {
        deliveries: "at least once",
        order: "best effort",
        retention: "until deleted, 1 min to 14 d",
        replay: "no",
        delay: "by queue or message, up to 15 min",
        priorities: "no",
        dead_letters: "after maxReceiveCount receives, to a queue; redrive task back",
        deduplication: "no",
        limits: "1 MiB a message, 10 a batch, 120,000 in flight, 12 h hidden",
    },
    settings: STANDARD,
    not_modelled: &[
        "A standard queue may give messages out of order and, rarely, one twice or after its delete; the machine gives the oldest first, once.",
        "A short poll asks only some of the servers and may miss messages; the machine sees them all.",
        "Fair queues: a message group id on a standard queue does not change who is served first.",
        "Counts, purges and changed attributes take up to a minute, or fifteen for retention; here they hold at once.",
        "Retention deletes at its moment; the service some time after it.",
        "Access policies, encryption, message attributes and their limits.",
    ],
    sources: SOURCES,
};

/// A FIFO queue.
pub const SQS_FIFO: Profile = Profile {
    id: "sqs-fifo",
    title: "Amazon SQS FIFO queue",
    transcripts: "sqs",
    can: Capabilities {
        deliveries: "once within the visibility timeout; again when it passes before the delete",
        order: "within a message group",
        retention: "until deleted, 1 min to 14 d",
        replay: "no",
        delay: "by queue, up to 15 min",
        priorities: "no",
        dead_letters: "after maxReceiveCount receives, to a FIFO queue; breaks the order of the group",
        deduplication: "by id or content for 5 min, in the queue or the group",
        limits: "300 calls a second for each action (3,000 messages in batches), 120,000 in flight",
    },
    settings: FIFO,
    not_modelled: &[
        "Partitions of high throughput: a hot group slows down others of its partition.",
        "Which group comes next is read off recordings; the service promises nothing about it.",
        "Counts, purges and changed attributes take up to a minute, or fifteen for retention; here they hold at once.",
        "Access policies, encryption, message attributes and their limits.",
    ],
    sources: SOURCES,
};

const SNS: &[Native] = &[
    Native {
        ours: "subscriptions",
        name: "Subscribe",
        default: "none",
        allowed: "queues",
        doc: "Queues that get a copy each; a FIFO queue only of a FIFO topic.",
    },
    Native {
        ours: "filter",
        name: "FilterPolicy",
        default: "none",
        allowed: "values of one attribute",
        doc: "Messages of a subscription; the others never reach its queue.",
    },
    Native {
        ours: "raw",
        name: "RawMessageDelivery",
        default: "false",
        allowed: "false, true",
        doc: "Whether the queue gets the message itself or an envelope with it.",
    },
    Native {
        ours: "dead_letters",
        name: "RedrivePolicy of a subscription",
        default: "none",
        allowed: "a queue",
        doc: "Where a message goes that cannot be delivered; without one it is discarded.",
    },
    Native {
        ours: "content_dedup",
        name: "ContentBasedDeduplication",
        default: "false",
        allowed: "false, true",
        doc: "FIFO topic: the body stands for a deduplication id that the publisher does not give.",
    },
];

/// A topic in front of queues.
pub const SNS_SQS: Profile = Profile {
    id: "sns-sqs",
    title: "Amazon SNS topic to SQS queues",
    transcripts: "sns",
    can: Capabilities {
        deliveries: "at least once to each queue",
        order: "none; within a message group from a FIFO topic to a FIFO queue",
        retention: "no; the queues keep",
        replay: "no; a FIFO topic may have an archive",
        delay: "no; the queues may",
        priorities: "no",
        dead_letters: "of a delivery: after 100,015 retries in 23 days, or at once where it is forbidden",
        deduplication: "FIFO topic: by id or content for 5 min",
        limits: "256 KiB a message",
    },
    settings: SNS,
    not_modelled: &[
        "Jitter of the retries.",
        "Filter policies on more than one attribute or on the body, and their operators.",
        "The envelope's own size and fields.",
        "Archive and replay of a FIFO topic; deduplication scope by message group; quotas of publishing.",
        "Other endpoints than SQS queues.",
    ],
    sources: &["Amazon SNS Developer Guide", "Amazon SNS API Reference", "answers recorded on AWS by the LocalStack project"],
};
