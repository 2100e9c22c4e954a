//! What a table as a queue is, as data.

use crate::profile::{Capabilities, Native, Profile};

/// `postgres-table`.
pub const TABLE: Profile = Profile {
    id: "postgres-table",
    title: "PostgreSQL table",
    transcripts: "postgresql",
    can: Capabilities {
        deliveries: "at least once; at most once if taking is deleting",
        order: "by id or priority; a row that comes back takes its old place",
        retention: "until deleted",
        replay: "no; rows that are kept can be set ready again",
        delay: "a run_at column, without limit",
        priorities: "a column",
        dead_letters: "failed after max_attempts, under leases; a transaction counts no attempt of a worker that died",
        deduplication: "a unique index, while the first is in the table",
        limits: "a few thousand jobs/s on one server; max_connections 100",
    },
    settings: &[
        Native {
            ours: "visibility_timeout",
            name: "locked_until",
            default: "30s",
            allowed: "0s..=365d",
            doc: "How long a claimed row is its worker's; 0s claims it in a transaction that stays open while it works.",
        },
        Native {
            ours: "max_receives",
            name: "max_attempts",
            default: "none",
            allowed: "1..=1000",
            doc: "Claims under a lease, or times that a worker gave it back in a transaction, before a row is failed.",
        },
        Native {
            ours: "delay",
            name: "run_at",
            default: "0s",
            allowed: "0s..=365d",
            doc: "How long after its insert a row cannot be claimed.",
        },
        Native {
            ours: "skip_locked",
            name: "SKIP LOCKED",
            default: "true",
            allowed: "true, false",
            doc: "Whether a claim in a transaction passes by rows that others have locked; else it waits until they are free.",
        },
        Native {
            ours: "priorities",
            name: "ORDER BY priority",
            default: "0",
            allowed: "0..=255",
            doc: "Above 0 a claim takes the rows of the highest priority first, else the oldest.",
        },
        Native { ours: "batch", name: "LIMIT", default: "1", allowed: "1..=10000", doc: "The most rows of one claim." },
        Native {
            ours: "consumer_timeout",
            name: "idle_in_transaction_session_timeout",
            default: "0s",
            allowed: "0s..=24d",
            doc: "A session that is silent in an open transaction for longer is terminated and its rows are free; 0s never.",
        },
    ],
    not_modelled: &[
        "SERIALIZABLE, table locks, triggers, prepared transactions; of foreign keys only the lock that their check takes.",
        "A queue's own claims are FOR UPDATE under READ COMMITTED, with or without SKIP LOCKED. NOWAIT, REPEATABLE READ, weaker row \
         locks, lock_timeout and statement_timeout are in the machine that the recordings are held to, not in a scenario's queue.",
        "Which of two deadlocked transactions fails, where their waits began within one deadlock_timeout: always the one that \
         closes the circle.",
        "Statements that one commit wakes run side by side on a server: here each takes what it waited for, then they go on one by \
         one, the longest waiting first.",
        "A connection that breaks without a word: its transaction stays open until TCP keepalive notices, 2 hours as shipped.",
        "Advisory locks of a session, LISTEN and NOTIFY, failover of slots, streaming of transactions that are not committed.",
        "The queue's own statements take no time here: a claim that passes by many dead or locked rows gets slow.",
        "Sizes of log records are rounded; full-page writes after a checkpoint are left out.",
    ],
    sources: &[
        "PostgreSQL 15.18, recorded",
        "PostgreSQL 15 documentation: Concurrency Control; SELECT, The Locking Clause; Logical Decoding; \
         pg_replication_slots; Client Connection Defaults",
        "PostgreSQL 15 sources: procarray.c, nodeLockRows.c, snapbuild.c, logical.c, slot.c, xlog.c",
    ],
};
