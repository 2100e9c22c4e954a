//! What Kafka and Redpanda are, as data: capabilities, settings with their defaults, what is left out.
//!
//! Defaults: Apache Kafka 4.0's documentation; Redpanda's `configuration.cc` and its documentation.

use super::group::profile::GROUP_SETTINGS;
use super::partition::{self, Commit};
use super::segment;
use crate::profile::{Capabilities, Native, Profile};

const fn setting(
    ours: &'static str,
    name: &'static str,
    default: &'static str,
    allowed: &'static str,
    doc: &'static str,
) -> Native {
    Native { ours, name, default, allowed, doc }
}

/// The settings of a broker and its groups, one after the other.
const fn with_groups<const ALL: usize>(own: &[Native]) -> [Native; ALL] {
    let mut all = [GROUP_SETTINGS[0]; ALL];
    let mut place = 0;
    while place < ALL {
        all[place] = if place < own.len() { own[place] } else { GROUP_SETTINGS[place - own.len()] };
        place += 1;
    }
    all
}

const KAFKA_SETTINGS: &[Native] = &[
    setting("acks", "acks", "all", "0|1|all", "What a producer waits for: nothing, the leader, or every in-sync replica."),
    setting(
        "idempotent_publish",
        "enable.idempotence",
        "true",
        "true|false",
        "Batches are numbered, so a repeat is stored once and order holds through retries.",
    ),
    setting("linger", "linger.ms", "5ms", "0ms..=24h", "How long a batch waits for more records; 0 before 4.0."),
    setting("batch_bytes", "batch.size", "16384", "1..=2147483647", "How large a batch of one partition gets."),
    setting(
        "buffer_bytes",
        "buffer.memory",
        "33554432",
        "1..=2147483647",
        "What a producer keeps of records that are not acknowledged, in whole batches.",
    ),
    setting("max_block", "max.block.ms", "60s", "0ms..=24h", "How long a send waits for room in the buffer before it fails."),
    setting(
        "delivery_timeout",
        "delivery.timeout.ms",
        "120s",
        "0ms..=24h",
        "After so long a record has failed, however many retries are left. It may be stored all the same.",
    ),
    setting(
        "request_timeout",
        "request.timeout.ms",
        "30s",
        "0ms..=24h",
        "How long a request waits for its answer before it is sent again.",
    ),
    setting(
        "retries",
        "retries",
        "2147483647",
        "0..=2147483647",
        "How often a batch is sent again; the delivery timeout ends it earlier.",
    ),
    setting(
        "retry_backoff",
        "retry.backoff.ms",
        "100ms",
        "0ms..=1m",
        "The wait before a repeat, doubled each time up to retry.backoff.max.ms, 1 s.",
    ),
    setting(
        "in_flight",
        "max.in.flight.requests.per.connection",
        "5",
        "1..=2147483647",
        "Requests on their way to a broker; above 1 without idempotence, retries reorder.",
    ),
    setting(
        "transaction_timeout",
        "transaction.timeout.ms",
        "60s",
        "1ms..=15m",
        "A transaction that is not ended for so long is aborted, and its producer fenced.",
    ),
    setting(
        "isolation",
        "isolation.level",
        "read_uncommitted",
        "read_uncommitted|read_committed",
        "Whether readers stop at the oldest open transaction and skip aborted records.",
    ),
    setting(
        "start_from",
        "auto.offset.reset",
        "latest",
        "earliest|latest|none|by_duration:<time>",
        "Where a group begins that has no committed offset, or one that the log does not have.",
    ),
    setting("offsets_retention", "offsets.retention.minutes", "7d", "1m..", "How long an empty group's offsets are kept."),
    setting(
        "replicas",
        "replication.factor",
        "1",
        "1..=7",
        "How many brokers have a copy of each partition; default.replication.factor.",
    ),
    setting(
        "min_insync",
        "min.insync.replicas",
        "1",
        "1..=7",
        "How many replicas must be in sync for acks=all, and for the high watermark to move.",
    ),
    setting(
        "replica_lag",
        "replica.lag.time.max.ms",
        "30s",
        "1ms..=24h",
        "A follower that was not caught up for so long leaves the in-sync set; looked at every half of it.",
    ),
    setting(
        "unclean",
        "unclean.leader.election.enable",
        "false",
        "true|false",
        "Whether a replica that is behind may lead when no in-sync one is there: acknowledged records are lost.",
    ),
    setting(
        "election",
        "broker.session.timeout.ms",
        "9s",
        "1ms..=24h",
        "A broker without heartbeats for so long is fenced and its leaderships move.",
    ),
    setting(
        "preferred_check",
        "leader.imbalance.check.interval.seconds",
        "300s",
        "1s..",
        "How often leadership goes back to the first replica of the list.",
    ),
    setting("retention", "retention.ms", "7d", "-1|0ms..", "How old a segment's newest record gets before the segment goes."),
    setting(
        "retention_bytes",
        "retention.bytes",
        "-1",
        "-1|0..",
        "How large a partition stays: its oldest segments go while the rest is at least so large.",
    ),
    setting(
        "segment_bytes",
        "segment.bytes",
        "1073741824",
        "1048576..=2147483647",
        "How large a segment gets; retention and compaction work on closed ones.",
    ),
    setting("segment_age", "segment.ms", "7d", "1ms..", "How old the active segment gets before the next record closes it."),
    setting(
        "cleanup",
        "cleanup.policy",
        "delete",
        "delete|compact|compact,delete",
        "Whether old segments go, old values of keys, or both.",
    ),
    setting(
        "dirty_ratio",
        "min.cleanable.dirty.ratio",
        "0.5",
        "0..=1",
        "How much of the log is new before a compaction pass begins.",
    ),
    setting("tombstones", "delete.retention.ms", "24h", "0ms..", "How long a tombstone stays after the pass that met it."),
    setting(
        "min_compaction_lag",
        "min.compaction.lag.ms",
        "0ms",
        "0ms..",
        "Compaction leaves a segment alone that has a younger record.",
    ),
    setting(
        "max_compaction_lag",
        "max.compaction.lag.ms",
        "none",
        "1ms..",
        "A record that waited so long begins a pass, however little is new.",
    ),
    setting(
        "remote",
        "remote.storage.enable",
        "false",
        "true|false",
        "Whether closed segments are copied to remote storage and read there.",
    ),
    setting(
        "local_retention",
        "local.retention.ms",
        "-2",
        "-2|0ms..",
        "How long a segment stays on the broker's disk once it is copied; -2 is retention.ms.",
    ),
];

const REDPANDA_SETTINGS: &[Native] = &[
    setting("acks", "acks", "all", "0|1|all", "What a producer waits for: nothing, the leader, or a majority of the replicas."),
    setting(
        "idempotent_publish",
        "enable.idempotence",
        "true",
        "true|false",
        "Batches are numbered, so a repeat is stored once and order holds through retries.",
    ),
    setting("linger", "linger.ms", "5ms", "0ms..=24h", "How long a batch waits for more records; 0 before 4.0."),
    setting("batch_bytes", "batch.size", "16384", "1..=2147483647", "How large a batch of one partition gets."),
    setting(
        "buffer_bytes",
        "buffer.memory",
        "33554432",
        "1..=2147483647",
        "What a producer keeps of records that are not acknowledged, in whole batches.",
    ),
    setting("max_block", "max.block.ms", "60s", "0ms..=24h", "How long a send waits for room in the buffer before it fails."),
    setting(
        "delivery_timeout",
        "delivery.timeout.ms",
        "120s",
        "0ms..=24h",
        "After so long a record has failed, however many retries are left. It may be stored all the same.",
    ),
    setting(
        "request_timeout",
        "request.timeout.ms",
        "30s",
        "0ms..=24h",
        "How long a request waits for its answer before it is sent again.",
    ),
    setting(
        "retries",
        "retries",
        "2147483647",
        "0..=2147483647",
        "How often a batch is sent again; the delivery timeout ends it earlier.",
    ),
    setting(
        "retry_backoff",
        "retry.backoff.ms",
        "100ms",
        "0ms..=1m",
        "The wait before a repeat, doubled each time up to retry.backoff.max.ms, 1 s.",
    ),
    setting(
        "in_flight",
        "max.in.flight.requests.per.connection",
        "5",
        "1..=2147483647",
        "Requests on their way to a broker; above 1 without idempotence, retries reorder.",
    ),
    setting(
        "transaction_timeout",
        "transaction.timeout.ms",
        "60s",
        "1ms..=15m",
        "A transaction that is not ended for so long is aborted, and its producer fenced.",
    ),
    setting(
        "isolation",
        "isolation.level",
        "read_uncommitted",
        "read_uncommitted|read_committed",
        "Whether readers stop at the oldest open transaction and skip aborted records.",
    ),
    setting(
        "start_from",
        "auto.offset.reset",
        "latest",
        "earliest|latest|none|by_duration:<time>",
        "Where a group begins that has no committed offset, or one that the log does not have.",
    ),
    setting("offsets_retention", "offsets.retention.minutes", "7d", "1m..", "How long an empty group's offsets are kept."),
    setting(
        "replicas",
        "replication.factor",
        "1",
        "1..=7",
        "How many brokers have a copy of each partition; default.replication.factor.",
    ),
    setting(
        "election",
        "election_timeout_ms",
        "1500ms",
        "1ms..",
        "Without a leader's heartbeats for about so long the others elect; there are no broker sessions.",
    ),
    setting("retention", "retention.ms", "7d", "-1|0ms..", "How old a segment's newest record gets before the segment goes."),
    setting(
        "retention_bytes",
        "retention.bytes",
        "-1",
        "-1|0..",
        "How large a partition stays: its oldest segments go while the rest is at least so large.",
    ),
    setting(
        "segment_bytes",
        "segment.bytes",
        "134217728",
        "1048576..=2147483647",
        "How large a segment gets; retention and compaction work on closed ones.",
    ),
    setting("segment_age", "segment.ms", "14d", "1ms..", "How old the active segment gets before the next record closes it."),
    setting(
        "cleanup",
        "cleanup.policy",
        "delete",
        "delete|compact|compact,delete",
        "Whether old segments go, old values of keys, or both.",
    ),
    setting(
        "dirty_ratio",
        "min.cleanable.dirty.ratio",
        "0.5",
        "0..=1",
        "How much of the log is new before a compaction pass begins.",
    ),
    setting("tombstones", "delete.retention.ms", "24h", "0ms..", "How long a tombstone stays after the pass that met it."),
];

/// A Kafka topic.
pub const KAFKA: Profile = Profile {
    id: "kafka",
    title: "Kafka",
    transcripts: "kafka",
    can: Capabilities {
        deliveries: "at least once; exactly once from topic to topic with transactions",
        order: "within a partition",
        retention: "7 days by default, or the newest of every key",
        replay: "any offset or time that retention has kept",
        delay: "no",
        priorities: "no",
        dead_letters: "no: the consumer writes to another topic",
        deduplication: "a producer's own retries, not what the application sends twice",
        limits: "one member of a group for each partition; about 1 MB a record",
    },
    settings: &with_groups::<{ KAFKA_SETTINGS.len() + GROUP_SETTINGS.len() }>(KAFKA_SETTINGS),
    not_modelled: &[
        "The controllers never fail, and every broker hears of a new leader at once.",
        "A broker that dies is fenced after its whole session; a real one had its last heartbeat up to 2 s before.",
        "A process that dies loses nothing it wrote; a machine that loses power may lose what was not flushed.",
        "A reader with a client.rack is sent to the first in-sync follower, at once and without racks; a real client asks anew with its metadata.",
        "Followers fetch one partition at a time, without quotas; adding and moving replicas is not there.",
        "Records have the time of their append; a producer's own timestamps do not reach retention.",
        "Retries wait without the 20 % jitter, and slow partitions get no fewer records (KIP-794).",
        "Compaction keeps aborted records and control records like any others.",
        "Eligible leader replicas (KIP-966) are off, as they are in 4.0.",
        "Quotas, ACLs and log directories are not there.",
    ],
    sources: &[
        "Kafka 4.0, three brokers, recorded 2026-11-29",
        "Kafka 4.0 documentation",
        "Kafka 4.0 source: Partition, ReplicationControlManager, UnifiedLog, LogCleaner, ProducerAppendInfo, TransactionCoordinator, Sender",
        "KIP-98, KIP-101, KIP-211, KIP-320, KIP-360, KIP-392, KIP-405, KIP-447, KIP-480, KIP-534, KIP-890, KIP-966, KIP-1106",
        "Reports: librdkafka#1442, node-rdkafka#616, klag-exporter#104",
    ],
};

/// A Redpanda topic: Kafka's protocol over Raft.
pub const REDPANDA: Profile = Profile {
    id: "redpanda",
    title: "Redpanda",
    transcripts: "kafka",
    can: Capabilities { limits: "one member of a group for each partition; a majority of replicas to write", ..KAFKA.can },
    settings: &with_groups::<{ REDPANDA_SETTINGS.len() + GROUP_SETTINGS.len() }>(REDPANDA_SETTINGS),
    not_modelled: &[
        "Elections take exactly the timeout; a real one adds a random part.",
        "acks=all there waits for a majority to flush to disk; here storing is safe at once.",
        "Tiered storage and its local retention follow other settings there and are left out.",
        "Its KIP-848 groups and share groups depend on its version.",
        "Quotas, ACLs and leadership balancing are not there.",
    ],
    sources: &[
        "Redpanda documentation: producers, architecture, Kafka compatibility",
        "Redpanda source: configuration.cc",
        "The Raft paper",
        "No recording of a real server",
    ],
};

/// How a Redpanda partition replicates.
#[must_use]
pub fn redpanda_partition() -> partition::Options {
    partition::Options { commit: Commit::Majority, session_us: 1_500_000, rebalance_us: None, ..partition::Options::default() }
}

/// How a Redpanda partition keeps its log: smaller segments, looked at every 10 s.
#[must_use]
pub fn redpanda_log() -> segment::Options {
    segment::Options {
        segment_bytes: 128 << 20,
        segment_us: 1_209_600_000_000,
        check_us: 10_000_000,
        ..segment::Options::default()
    }
}
