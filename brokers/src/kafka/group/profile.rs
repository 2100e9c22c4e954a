//! The settings of consumer groups, and what a share group is, as data.

use crate::profile::{Capabilities, Native, Profile};

/// Settings of consumer groups under Kafka's names, for the profile of whoever has groups.
pub const GROUP_SETTINGS: &[Native] = &[
    Native {
        ours: "protocol",
        name: "group.protocol",
        default: "classic",
        allowed: "classic|consumer",
        doc: "Whether members join, sync and let their leader assign, or hear their part from the coordinator (KIP-848).",
    },
    Native {
        ours: "assignor",
        name: "partition.assignment.strategy",
        default: "range",
        allowed: "range|roundrobin|sticky|cooperative-sticky",
        doc: "Who gets which partition in a classic group; cooperative-sticky lets members keep working through a rebalance.",
    },
    Native {
        ours: "remote_assignor",
        name: "group.remote.assignor",
        default: "uniform",
        allowed: "uniform|range",
        doc: "Who gets which partition in a KIP-848 group.",
    },
    Native {
        ours: "session",
        name: "session.timeout.ms",
        default: "45s",
        allowed: "6s..=30m",
        doc: "A member whose heartbeats stop for so long is out; in a KIP-848 group it is group.consumer.session.timeout.ms.",
    },
    Native {
        ours: "heartbeat_interval",
        name: "heartbeat.interval.ms",
        default: "3s",
        allowed: "1ms..=10m",
        doc: "How often a member shows that it lives, and hears of a rebalance; 5 s and the group's matter under KIP-848.",
    },
    Native {
        ours: "poll_interval",
        name: "max.poll.interval.ms",
        default: "5m",
        allowed: "1ms..=24h",
        doc: "A member that takes longer from poll to poll leaves; it also bounds how long a rebalance waits for a member.",
    },
    Native {
        ours: "batch",
        name: "max.poll.records",
        default: "500",
        allowed: "1..=2147483647",
        doc: "The most records that one poll gives: times the work for one, it has to fit in the poll interval.",
    },
    Native {
        ours: "static_members",
        name: "group.instance.id",
        default: "none",
        allowed: "a name for each process",
        doc: "Makes a member static: back within its session it finds its partitions, and no rebalance happens.",
    },
    Native {
        ours: "fetch_from",
        name: "client.rack",
        default: "none",
        allowed: "a rack",
        doc: "Reads at the replica of this rack, if it is in sync (KIP-392): what the leader has committed is there a fetch later.",
    },
    Native {
        ours: "auto_commit",
        name: "enable.auto.commit",
        default: "true",
        allowed: "true|false",
        doc: "Polls commit what earlier polls gave, at most every auto.commit.interval.ms.",
    },
    Native {
        ours: "auto_commit_interval",
        name: "auto.commit.interval.ms",
        default: "5s",
        allowed: "0ms..=10m",
        doc: "How much time passes at least between two commits by polls.",
    },
    Native {
        ours: "rebalance",
        name: "group.initial.rebalance.delay.ms",
        default: "3s",
        allowed: "0ms..=10m",
        doc: "How long the first rebalance of an empty group waits for more members, again after each newcomer.",
    },
];

const SHARE_SETTINGS: &[Native] = &[
    Native {
        ours: "visibility_timeout",
        name: "share.record.lock.duration.ms",
        default: "30s",
        allowed: "15s..=60s",
        doc: "How long a consumer has a record before others get it.",
    },
    Native {
        ours: "max_receives",
        name: "group.share.delivery.count.limit",
        default: "5",
        allowed: "2..=10",
        doc: "How often a record is given out before it is archived.",
    },
    Native {
        ours: "record_locks",
        name: "group.share.partition.max.record.locks",
        default: "2000",
        allowed: "100..=10000",
        doc: "How far the newest record given out may be ahead of the oldest one not done; 200 in 4.0.",
    },
    Native {
        ours: "renew",
        name: "share.renew.acknowledge.enable",
        default: "false",
        allowed: "true|false",
        doc: "Whether a consumer may start the lock of a record anew (4.2).",
    },
    Native {
        ours: "poll_records",
        name: "max.poll.records",
        default: "500",
        allowed: "1..=2147483647",
        doc: "The most records that one poll gives.",
    },
];

/// A Kafka share group.
pub const SHARE: Profile = Profile {
    id: "kafka-share",
    title: "Kafka share group",
    transcripts: "kafka-share",
    can: Capabilities {
        deliveries: "at least once",
        order: "by offset until something comes back",
        retention: "the log's, 7 days by default",
        replay: "by resetting the group's start offset",
        delay: "no",
        priorities: "no",
        dead_letters: "no: archived after 5 deliveries",
        deduplication: "no",
        limits: "2,000 records from the oldest unfinished one",
    },
    settings: SHARE_SETTINGS,
    not_modelled: &[
        "A group has one partition here; a real one spreads its members over many.",
        "The group starts at the first record, as with share.auto.offset.reset=earliest; the default is latest.",
        "A fetch takes whole producer batches and may exceed max.poll.records; here each record is its own batch.",
        "A lock lasts to the microsecond; a real one ends on a tick of the broker's timer.",
        "Retention does not archive records of the window.",
        "Transactions are not read: a record is there once it is published.",
        "A dead consumer's records come back when its connection closes; a real broker may need its session to end.",
    ],
    sources: &[
        "Kafka 4.0, three brokers, recorded 2026-11-29",
        "KIP-932",
        "KIP-1222",
        "Kafka 4.0 source: SharePartition, ShareGroupConfig",
    ],
};
