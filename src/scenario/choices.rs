//! What settings choose from: the words and what each means. The first of each is the default.

use crate::choice;

choice! {
    /// When a producer's messages come.
    pub enum Arrivals {
        Constant = "constant", "Evenly spaced.";
        Poisson = "poisson", "Independent of each other: exponential gaps.";
    }
}

choice! {
    /// When a worker acknowledges.
    pub enum AckOrder {
        WorkThenAck = "work-then-ack", "At least once: a crash in between repeats the work.";
        AckThenWork = "ack-then-work", "At most once: a crash in between loses the work.";
    }
}

choice! {
    /// What a worker does with a message that can never succeed.
    pub enum OnPoison {
        Retry = "retry", "Treats it like any failure.";
        DeadLetter = "dead-letter", "Recognises a validation error and moves the message to the dead letters at once.";
        Skip = "skip", "Acknowledges it and goes on: the message is lost.";
    }
}

choice! {
    /// How the wait before another try grows.
    pub enum Backoff {
        None = "none", "Tries again at once.";
        Fixed = "fixed", "Waits the same each time.";
        Exponential = "exponential", "Doubles the wait each time.";
    }
}

choice! {
    /// The broker whose rules a queue has.
    pub enum Broker {
        Generic = "generic", "A plain work queue with visibility timeouts.";
        Sqs = "sqs", "Amazon SQS standard queue.";
        SqsFifo = "sqs-fifo", "Amazon SQS FIFO queue.";
        RabbitmqClassic = "rabbitmq-classic", "RabbitMQ classic queue.";
        RabbitmqQuorum = "rabbitmq-quorum", "RabbitMQ quorum queue.";
        KafkaShare = "kafka-share", "Kafka share group.";
        PostgresTable = "postgres-table", "A Postgres table of jobs.";
    }
}

choice! {
    /// What a worker tells the broker of a message that it cannot process.
    pub enum OnFailure {
        Leave = "leave", "Nothing: the message comes back when its timeout runs out or the worker's connection ends.";
        Requeue = "requeue", "Gives it back to be delivered again.";
        Reject = "reject", "Rejects it: to the dead letters, or away where there are none.";
    }
}

choice! {
    /// What a full queue does.
    pub enum Overflow {
        DropHead = "drop-head", "Drops the oldest message to make room.";
        RejectPublish = "reject-publish", "Refuses the new one.";
        RejectPublishDlx = "reject-publish-dlx", "Refuses the new one, and it goes to the dead letters all the same.";
    }
}

choice! {
    /// How surely a queue hands on its dead letters.
    pub enum DeadLetterStrategy {
        AtMostOnce = "at-most-once", "Sends each once, and does not wait for a confirmation.";
        AtLeastOnce = "at-least-once", "Keeps each until its target has confirmed it.";
    }
}

choice! {
    /// How a worker takes a row of a table of jobs.
    pub enum Claim {
        Transaction = "transaction", "SELECT … FOR UPDATE SKIP LOCKED, in a transaction that stays open while it works.";
        Lease = "lease", "Marks the row as running until a moment, and commits at once.";
        Pop = "pop", "Deletes the row and then works: what a dying worker had is lost.";
    }
}

choice! {
    /// The release whose rules RabbitMQ has.
    pub enum RabbitVersion {
        V3 = "3.10", "RabbitMQ 3.10: no delivery limit unless one is set.";
        V40 = "4.0", "RabbitMQ 4.0: quorum queues have a delivery limit of 20.";
        V43 = "4.3", "RabbitMQ 4.3: what a consumer gives back on purpose does not count.";
    }
}

choice! {
    /// Where a new consumer group starts reading.
    pub enum StartFrom {
        Earliest = "earliest", "At the oldest record that is still kept.";
        Latest = "latest", "After the newest record.";
        None = "none", "Nowhere: it stops with an error until someone sets its offsets.";
    }
}

choice! {
    /// What a log does with old records.
    pub enum Cleanup {
        Delete = "delete", "Drops segments whose time is over.";
        Compact = "compact", "Keeps the newest record of every key.";
        Both = "both", "Both.";
    }
}

choice! {
    /// Whose rules a log's replicas follow.
    pub enum LogBroker {
        Generic = "generic", "A plain partitioned log.";
        Kafka = "kafka", "Apache Kafka: a record counts once every replica of the in-sync set has it.";
        Redpanda = "redpanda", "Redpanda: a record counts once a majority has it, as Raft has it.";
    }
}

choice! {
    /// How a group shares out its partitions.
    pub enum GroupProtocol {
        Eager = "eager", "Everyone gives up everything, then all are shared out anew.";
        Cooperative = "cooperative", "Only partitions that move are given up; the others are read on.";
        Kip848 = "kip848", "The coordinator moves partitions one by one, heartbeat by heartbeat; nobody waits for the others.";
    }
}

choice! {
    /// Who shares out the partitions of a classic group, eager or cooperative.
    pub enum Assignor {
        Range = "range", "Consecutive ranges.";
        RoundRobin = "round-robin", "One by one in turn.";
        Sticky = "sticky", "Evenly, with as few moves as possible.";
        CooperativeSticky = "cooperative-sticky", "The same; what moves is first given up. It makes the group cooperative.";
    }
}

choice! {
    /// Who shares out the partitions of a group with KIP-848: the coordinator, as `group.remote.assignor` says.
    pub enum RemoteAssignor {
        Uniform = "uniform", "Evenly, with as few moves as possible.";
        Range = "range", "Consecutive ranges.";
    }
}

choice! {
    /// Which replica of a partition a group reads from.
    pub enum FetchFrom {
        Leader = "leader", "The one that leads.";
        Nearest = "nearest", "A follower, while one is in sync: it knows of a record later than the leader.";
    }
}

choice! {
    /// What a group of a log may read.
    pub enum Isolation {
        Uncommitted = "read_uncommitted", "Every record, as soon as it may be read at all.";
        Committed = "read_committed", "Up to the oldest transaction that is not over, and nothing that was aborted.";
    }
}

choice! {
    /// Who tells a group that a member lives.
    pub enum HeartbeatBy {
        Thread = "thread", "A thread of its own, as in the Java client and librdkafka.";
        Handler = "handler", "The consuming code between two messages, as in KafkaJS: none while it works on one.";
    }
}

choice! {
    /// What a publisher to a log waits for.
    pub enum Acks {
        All = "all", "Every in-sync replica has the record.";
        Leader = "leader", "The leader has it; what no follower has copied dies with the leader.";
        None = "none", "Nothing: not even a refusal is heard.";
    }
}

choice! {
    /// What decides which partition a key goes to.
    pub enum Partitioner {
        Murmur2 = "murmur2", "The hash of Kafka's Java client.";
        Crc32 = "crc32", "The hash of librdkafka's clients, unless told otherwise.";
        Sticky = "sticky", "None, as for records without a key: `batch_bytes` of the log go to one partition, then to the next.";
        RoundRobin = "round-robin", "None: one partition after the other.";
    }
}

choice! {
    /// What a part is drawn as.
    pub enum Role {
        Service = "service", "Answers requests.";
        Database = "database", "Keeps rows.";
        Cache = "cache", "Keeps copies.";
        Queue = "queue", "Queue or stream.";
        Worker = "worker", "Works in the background.";
    }
}

choice! {
    /// What waits for what among the messages that one process has.
    pub enum KeyOrder {
        None = "none", "Each is begun as soon as there is room.";
        Key = "key", "One of a key waits for the one before it; different keys do not wait for each other.";
    }
}

choice! {
    /// What a producer does when its buffer is full.
    pub enum Full {
        Grow = "grow", "Goes on, until its memory is full and the process dies.";
        Pause = "pause", "Waits: nobody comes until there is room.";
        Reject = "reject", "Says no to who comes.";
        Drop = "drop", "Says nothing and drops what comes.";
    }
}

choice! {
    /// How a relay knows which rows are to be published.
    pub enum Reads {
        Flag = "flag", "Rows without a mark, and it marks what it has published.";
        LastId = "last-id", "Rows above the last id that it has published: one that commits late is passed over for ever.";
        Horizon = "horizon", "The same, but only below the oldest transaction under way: nothing can appear there any more.";
        Cdc = "cdc", "The write-ahead log in order of commit, by a replication slot.";
    }
}

choice! {
    /// How an exchange picks queues.
    pub enum ExchangeType {
        Direct = "direct", "The queues whose binding key is the routing key.";
        Fanout = "fanout", "Every bound queue.";
        Topic = "topic", "The queues whose pattern matches: * is one word, # any number of them.";
        Headers = "headers", "The queues whose binding's headers the message has: all, or with x-match=any one. Headers stand where keys stand, as type=invoice&format=pdf.";
        ConsistentHash = "consistent-hash", "One queue for each routing key; binding keys are weights.";
    }
}
