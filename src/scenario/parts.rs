//! The kinds of part and their settings: name, default, range, meaning. A rule that a setting switches on lives with the
//! part's behaviour, not here.

use redrive_brokers::profile::Profile;
use serde_json::Value;

use super::native;
use super::setting::{PartName, Refused, Settings, Spec};
use super::steps::{Bindings, Messages, Steps};
use crate::sim::{Latency, Micros, PerSecond, Ppm};
use crate::{choice, settings};

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

settings! {
    /// Settings of a producer: where messages or shoppers come from.
    pub struct ProducerSettings {
        to: PartName = "" in "", "The service, queue or log that gets them.";
        rate: PerSecond = "1/s" in "0/s..=1000000/s", "How many come a second.";
        arrivals: Arrivals = "constant" in "constant|poisson", "Evenly spaced or independent of each other.";
        start: Micros = "0s" in "0s..=365d", "When the first one comes.";
        limit: u64 = "0" in "0..=100000000", "Stop after so many; 0 goes on for ever.";
        messages: Messages = "[]" in "", "Exactly these, instead of a rate.";
        keys: u64 = "0" in "0..=1000000", "How many different keys there are; 0 gives each message its own.";
        hot_key: Ppm = "0%" in "0%..=100%", "The share of messages that carry the first key.";
        poison: Ppm = "0%" in "0%..=100%", "The share of messages that can never be processed.";
        tombstones: Ppm = "0%" in "0%..=100%", "The share of messages without a value: a compacted log forgets their key.";
        first_id: u64 = "1" in "0..=1000000000", "The number of the first one.";
        priority: u64 = "0" in "0..=255", "Priority of its messages, for queues that know priorities: larger goes first.";
        mandatory: bool = "false" in "", "Gets back what no binding of an exchange takes, as a produce error; else it is confirmed and gone.";
        delay: Micros = "0s" in "0s..=15m", "How long each of its messages stays invisible in a queue; 0s is as the queue says. On SQS, not FIFO.";
        ttl: Micros = "0s" in "0s..=365d", "How long each of its messages may wait in a queue, if the queue does not say less; 0s says nothing. On RabbitMQ.";
        routing: String = "" in "", "Routing keys for exchanges, with spaces between: a message's key picks one.";
        id_prefix: String = "" in "", "What stands before the number in an id.";
        timeout: Micros = "1s" in "1ms..=1h", "No confirmation from a queue or log within this counts as a produce error. A service is reached at once.";
        retry: Micros = "1s" in "1ms..=1h", "The wait before an unconfirmed message is sent again.";
        attempts: u64 = "0" in "0..=1000", "Give a message up after so many tries; 0 never does.";
        partitioner: Partitioner = "murmur2" in "murmur2|crc32|sticky|round-robin", "What decides the partition of a key in a log.";
        buffer: u64 = "0" in "0..=100000000", "Messages for a queue or log that it keeps until they are confirmed; 0 has no limit.";
        full: Full = "grow" in "grow|pause|reject|drop", "What it does when the buffer is full.";
        memory: u64 = "0" in "0..=100000000", "With so many unconfirmed messages the process dies, and they with it; 0 never does.";
        restart: Micros = "5s" in "0s..=1h", "How long a process that died of that takes to come back.";
        due: Micros = "0s" in "0s..=365d", "How long after it has come a message is due; 0s is at once.";
        due_at: Micros = "0s" in "0s..=365d", "When all messages are due, instead of each after a while.";
        transaction: u64 = "0" in "0..=100000", "Messages a transaction on a log, committed with the last of them; 0 sends without.";
        transaction_timeout: Micros = "1m" in "1s..=365d", "A transaction that is open for so long is aborted.";
    }
}

settings! {
    /// Settings of a service: it answers users, step by step.
    pub struct ServiceSettings {
        steps: Steps = "[\"answer\"]" in "", "What a request does, in order: work DURATION, call A + B, write DB, write DB with outbox, publish P, answer.";
        timeout: Micros = "1s" in "1ms..=1h", "How long a call, a write or a publish may take before it counts as failed.";
        attempts: u64 = "1" in "1..=100", "Tries of a call or publish within one request.";
        capacity: u64 = "0" in "0..=1000000", "Requests at once; more are refused. 0 has no limit.";
        retry: Micros = "100ms" in "0s..=1h", "The wait between two tries, and between the tries of what follows the answer.";
        partitioner: Partitioner = "murmur2" in "murmur2|crc32|sticky|round-robin", "What decides the partition of a key that it publishes to a log.";
        restart: Micros = "2s" in "0s..=1h", "How long a crashed process takes to come back.";
    }
}

settings! {
    /// Settings of a database.
    pub struct DatabaseSettings {
        latency: Latency = "2ms" in "", "How long a transaction takes.";
        capacity: u64 = "0" in "0..=1000000", "Transactions at once; more wait. 0 has no limit.";
        effect: String = "" in "", "Counts each order row as this effect, so that an order without a row shows.";
        keep: Micros = "0s" in "0s..=365d", "How long sent outbox rows stay in the table.";
        row_bytes: u64 = "1000" in "1..=100000000", "What a row takes in the write-ahead log, in bytes.";
        other_writes: PerSecond = "0/s" in "0/s..=1000000/s", "Rows a second that others write to other tables of the same server.";
    }
}

settings! {
    /// Settings of a relay: it reads the outbox, publishes, and marks what is sent.
    pub struct RelaySettings {
        from: PartName = "" in "", "The database whose outbox it reads.";
        to: PartName = "" in "", "The queue or log that it publishes to.";
        reads: Reads = "flag" in "flag|last-id|horizon|cdc", "How it knows which rows are to be published.";
        due: bool = "false" in "", "Publishes a row when it is due and not before, in the order of that.";
        skip_locked: bool = "false" in "", "Locks the rows that it reads by their mark, and passes by what another relay has locked.";
        heartbeat: Micros = "0s" in "0s..=1h", "Writes and reads a row of its own this often, so that the slot moves where no other rows come; 0 never does.";
        max_slot: u64 = "0" in "0..=1000000000000000", "Bytes of write-ahead log that its slot may keep before it is dropped; 0 has no limit.";
        poll: Micros = "100ms" in "1ms..=1h", "The wait after it found nothing.";
        batch: u64 = "500" in "1..=10000", "Rows a round.";
        mark: Latency = "2ms" in "", "How long marking a batch as sent takes.";
        timeout: Micros = "700ms" in "1ms..=1h", "No confirmation within this counts as a produce error.";
        backoff: Micros = "1s" in "1ms..=1h", "The wait after the first produce error; it doubles each time.";
        backoff_max: Micros = "5s" in "1ms..=1h", "The longest wait.";
        partitioner: Partitioner = "murmur2" in "murmur2|crc32|sticky|round-robin", "What decides the partition of a key in a log.";
        restart: Micros = "5s" in "0s..=1h", "How long a crashed process takes to come back.";
    }
}

settings! {
    /// Settings of a work queue.
    pub struct QueueSettings {
        broker: Broker = "generic" in "generic|sqs|sqs-fifo|rabbitmq-classic|rabbitmq-quorum|kafka-share|postgres-table", "Whose rules it has.";
        latency: Latency = "5ms" in "", "How long it takes to store a message and confirm it.";
        visibility_timeout: Micros = "30s" in "0s..=12h", "How long a received message is hidden from others before it counts as not processed.";
        max_receives: u64 = "0" in "0..=1000", "Receives before the message goes to the dead letters; 0 never does.";
        dead_letters: PartName = "" in "", "The queue that takes what was received too often.";
        dead_letter_strategy: DeadLetterStrategy = "at-most-once" in "at-most-once|at-least-once", "Whether a dead letter stays until its target has confirmed it. Not on every broker, and only with `overflow` reject-publish.";
        dead_letter_retry: Micros = "3m" in "1ms..=365d", "When a dead letter that was not confirmed is sent again.";
        delay: Micros = "0s" in "0s..=15m", "How long a new message stays invisible.";
        retention: Micros = "4d" in "1m..=14d", "A message older than this is dropped.";
        ttl: Micros = "0s" in "0s..=365d", "A message that waits for longer than this is not delivered any more; 0s never. Not on every broker.";
        max_length: u64 = "0" in "0..=10000000", "The most messages that may wait; 0 has no limit. Not on every broker.";
        max_bytes: u64 = "0" in "0..=1000000000000", "The most bytes that may wait; 0 has no limit. With `max_length` as well, whichever is reached first. Not on every broker.";
        message_bytes: u64 = "1000" in "1..=100000000", "What a message takes, in bytes, for `max_bytes`.";
        overflow: Overflow = "drop-head" in "drop-head|reject-publish|reject-publish-dlx", "What a full queue does. Not on every broker.";
        expires: Micros = "0s" in "0s..=365d", "A queue that nobody consumes for so long is deleted with what it holds; 0s never. Until a consumer comes and declares it anew, what is published to it is confirmed and gone. Not on every broker.";
        prefetch: u64 = "0" in "0..=65535", "Unacknowledged messages that the broker lets a consumer have; 0 has no limit. For brokers that push.";
        consumer_timeout: Micros = "30m" in "0s..=365d", "A consumer that holds a message for longer loses its channel; 0s never. For brokers that push.";
        priorities: u64 = "0" in "0..=255", "The highest priority that it knows; 0 knows none. Not on every broker.";
        single_active: bool = "false" in "", "Only one consumer gets messages; another takes over when it dies. Not on every broker.";
        claim: Claim = "lease" in "transaction|lease|pop", "How a worker takes a row of a table.";
        skip_locked: bool = "true" in "", "Whether a claim in a transaction passes by rows that others have locked; else it waits for them.";
        reaper: Micros = "0s" in "0s..=1d", "How often someone takes back rows of a table whose lease is over; at 0s every claim does.";
        version: RabbitVersion = "3.10" in "3.10|4.0|4.3", "The release whose rules RabbitMQ has.";
        watched: bool = "true" in "", "Whether someone has an alarm on it, where it takes dead letters.";
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

settings! {
    /// Settings of an exchange: it gives each bound queue a copy, and keeps none. A fanout exchange is a topic of SNS.
    pub struct ExchangeSettings {
        exchange: ExchangeType = "fanout" in "direct|fanout|topic|headers|consistent-hash", "How it picks queues.";
        bindings: Bindings = "" in "", "The queues it leads to, each with its binding key: email order.*, audit #.";
        alternate: PartName = "" in "", "Takes what no binding takes. Without it such a message is confirmed and gone.";
        latency: Latency = "5ms" in "", "How long it takes to route a message and confirm it.";
    }
}

settings! {
    /// Settings of a log.
    pub struct LogSettings {
        latency: Latency = "5ms" in "", "How long it takes to store a record and confirm it.";
        partitions: u64 = "1" in "1..=1000", "Ordered shares of the log; a key always goes to the same one.";
        retention: Micros = "7d" in "1s..=365d", "Records in segments whose newest is older than this are dropped.";
        delay: Micros = "0s" in "0s..=24h", "How old a record is before its readers go on to it.";
        segment: u64 = "1000" in "1..=10000000", "Records a segment holds. Retention drops whole segments only.";
        segment_bytes: u64 = "0" in "0..=1000000000000", "Bytes a segment holds; 0 goes by `segment`.";
        segment_age: Micros = "7d" in "1ms..=365d", "The first record that comes so long after a segment's first one begins a new one.";
        record_bytes: u64 = "1000" in "1..=100000000", "What a record takes, in bytes.";
        retention_bytes: u64 = "0" in "0..=1000000000000000", "The oldest segments of a partition are dropped while the rest takes so many bytes; 0 has no limit.";
        cleanup: Cleanup = "delete" in "delete|compact|both", "Whether old segments are dropped, or older records of a key, or both. Closed segments only.";
        dirty_ratio: Ppm = "50%" in "0%..=100%", "The share of the closed segments that is new when a pass of compaction begins; every 15 s one may.";
        min_compaction_lag: Micros = "0s" in "0s..=365d", "Compaction leaves younger records alone.";
        max_compaction_lag: Micros = "0s" in "0s..=365d", "A record that has waited so long begins a pass, however little is new; 0s never.";
        tombstones: Micros = "1d" in "0s..=365d", "How long a record without a value stays after the pass that met it.";
        remote: bool = "false" in "", "Copies closed segments to remote storage, where `retention` counts from then on.";
        local_retention: Micros = "365d" in "0s..=365d", "How long what was copied stays on the broker's disk: never longer than `retention`.";
        remote_read: Micros = "100ms" in "0s..=1h", "How much longer it takes to read what only remote storage has.";
        broker: LogBroker = "generic" in "generic|kafka|redpanda", "Whose rules its replicas follow, and whose defaults it has.";
        replicas: u64 = "1" in "1..=7", "Brokers that have each partition: one leads, the others copy. 1 has no followers.";
        min_insync: u64 = "1" in "1..=7", "Replicas that must be in sync for a write with acks=all; with fewer it is refused.";
        acks: Acks = "all" in "all|leader|none", "What publishers wait for.";
        idempotent_publish: bool = "false" in "", "Recognises a record that a publisher sends again for want of an answer, and does not store it again.";
        linger: Micros = "0s" in "0s..=24h", "How long producers and services gather records for a partition before they send them, as one batch; 0s sends each by itself. A relay sends its own batches at once.";
        batch_bytes: u64 = "16384" in "1..=2147483647", "With so many bytes for a partition a batch goes at once; so much goes to one partition where `partitioner` is sticky.";
        replicate: Micros = "2ms" in "1ms..=1h", "How long a follower takes to copy from the leader.";
        replica_lag: Micros = "30s" in "100ms..=1h", "A follower that has not been level with the leader for so long is no longer in sync.";
        election: Micros = "9s" in "100ms..=10m", "How long a dead broker goes unnoticed; then followers take over the partitions it led.";
        unclean: bool = "false" in "", "Lets a replica lead that was not in sync: the partition is back, records are gone.";
        restart: Micros = "20s" in "0s..=1h", "How long a crashed broker takes to come back.";
    }
}

settings! {
    /// Settings of a worker: it receives, works, takes effect and acknowledges.
    pub struct WorkerSettings {
        from: PartName = "" in "", "The queue or log it reads.";
        workers: u64 = "1" in "0..=1000", "How many processes there are; members of one group when they read a log.";
        concurrency: u64 = "1" in "1..=10000", "Messages that one process works on at once.";
        ordering: KeyOrder = "none" in "none|key", "Whether messages of one key wait for each other in a process that works on several at once.";
        fetch_wait: Micros = "1ms" in "0s..=5m", "How long a member of a group that waits for records lets more arrive after the first before it takes a batch.";
        batch: u64 = "1" in "1..=10000", "Messages a receive or a poll brings at most; a log is committed batch by batch.";
        order: AckOrder = "work-then-ack" in "work-then-ack|ack-then-work", "What comes first, the work or the acknowledgement.";
        work: Latency = "10ms" in "", "How long its own work on a message takes.";
        calls: PartName = "" in "", "The dependency that the work calls; the effect happens there.";
        timeout: Micros = "1s" in "1ms..=1h", "How long a call may take before it counts as failed.";
        effect: String = "" in "", "What the work is counted as. The part's id if left out.";
        promise: Micros = "0s" in "0s..=30d", "Users expect the effect this soon after their order; 0 promises nothing.";
        idempotent: bool = "false" in "", "Remembers what it has processed, in the transaction of the effect, and skips a repeat.";
        heartbeat: bool = "false" in "", "Extends the visibility timeout while it works.";
        attempts: u64 = "1" in "1..=1000", "Tries within one delivery.";
        backoff: Backoff = "exponential" in "none|fixed|exponential", "How the wait between tries grows.";
        backoff_first: Micros = "1s" in "0s..=1h", "The wait before the second try.";
        backoff_max: Micros = "30s" in "0s..=1h", "The longest wait.";
        jitter: bool = "true" in "", "Draws each wait between half and its full length, so that tries do not come in waves.";
        failure: OnFailure = "leave" in "leave|requeue|reject", "What it tells a queue of a message whose last try failed. For brokers other than the plain queue.";
        ack_batch: bool = "false" in "", "Acknowledges a batch only when all of it is done, as a function on SQS does: one failure brings all of it back. For brokers other than the plain queue.";
        report_failures: bool = "false" in "", "With `ack_batch`, says which messages of a batch have failed: only those come back.";
        stop_group: bool = "false" in "", "After a failure it gives back what it still holds of the same key, so that a group stays in order.";
        memory: u64 = "0" in "0..=100000000", "Messages that fit into a process's memory; one more and it dies. 0 has no limit.";
        poison: OnPoison = "retry" in "retry|dead-letter|skip", "What it does with a message that can never succeed.";
        dead_letters: PartName = "" in "", "Where it moves what failed for good. Without one a queue message waits for its timeout and a log record is tried again.";
        park: bool = "false" in "", "Sends every message of a key after those that it has set aside, until they are worked off: the key keeps its order.";
        holds_until_due: bool = "false" in "", "Keeps a message that is not due in its memory, unacknowledged, and begins it when it is.";
        breaker: u64 = "0" in "0..=1000", "Failures in a row after which it stops calling for a while; 0 has no circuit breaker.";
        breaker_pause: Micros = "10s" in "1ms..=1h", "How long it stops then.";
        crashes: Ppm = "0%" in "0%..=100%", "The share of messages at which the process dies: after the work, or after the acknowledgement where that comes first.";
        restart: Micros = "5s" in "0s..=1h", "How long a crashed process takes to come back.";
        session: Micros = "45s" in "1s..=1h", "A group member that is silent for so long is taken for dead.";
        poll_interval: Micros = "5m" in "1s..=24h", "A group member that takes longer than this for a batch loses its partitions.";
        rebalance: Micros = "3s" in "0s..=5m", "How long the group stands still when members come or go.";
        protocol: GroupProtocol = "eager" in "eager|cooperative|kip848", "How the group shares out its partitions.";
        assignor: Assignor = "range" in "range|round-robin|sticky|cooperative-sticky", "Who decides which member gets which partition, unless `protocol` is kip848.";
        remote_assignor: RemoteAssignor = "uniform" in "uniform|range", "Who decides it with kip848.";
        static_members: bool = "false" in "", "A member that is back within its session has its old place: nobody else notices.";
        heartbeat_interval: Micros = "0s" in "0s..=5m", "How often members hear of a rebalance. With 0s and nothing else set, the whole group stands still at once, for as long as `rebalance` says; else 0s is Kafka's 3 s.";
        heartbeat_by: HeartbeatBy = "thread" in "thread|handler", "Who tells the group that a member lives.";
        rolling: Micros = "0s" in "0s..=1h", "The wait between two processes of a deploy; 0s restarts all at once.";
        start_from: StartFrom = "earliest" in "earliest|latest|none", "Where the group starts where it has no offset: it was idle for longer than offsets are kept, or retention removed what it would read next.";
        offsets_retention: Micros = "7d" in "1s..=365d", "How long the offsets of a group without members are kept.";
        fetch_from: FetchFrom = "leader" in "leader|nearest", "Which replica of a partition it reads from. A follower lets it read a record by up to `replicate` of the log later than the leader would.";
        isolation: Isolation = "read_uncommitted" in "read_uncommitted|read_committed", "Whether it reads records of transactions that are not over.";
    }
}

settings! {
    /// Settings of a dependency: what services and workers call.
    pub struct DependencySettings {
        latency: Latency = "20ms" in "", "How long a call takes.";
        capacity: u64 = "0" in "0..=1000000", "Calls at once; more wait in line. 0 has no limit.";
        rate: PerSecond = "0/s" in "0/s..=1000000/s", "Calls a second that it accepts; more are refused. 0/s has no limit.";
        errors: Ppm = "0%" in "0%..=100%", "The share of calls that fail.";
        idempotency_key: bool = "false" in "", "Recognises a repeat by its key and does not do it again.";
        role: Role = "service" in "service|database|cache|queue|worker", "What it is drawn as.";
        effect: String = "" in "", "What a call from a service is counted as; nothing if left out.";
    }
}

/// What a part is, with its settings.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Where messages or shoppers come from.
    Producer(ProducerSettings),
    /// Answers users.
    Service(ServiceSettings),
    /// Keeps orders and the outbox.
    Database(DatabaseSettings),
    /// Publishes the outbox.
    Relay(RelaySettings),
    /// A work queue.
    Queue(QueueSettings),
    /// Routes to queues.
    Exchange(ExchangeSettings),
    /// A partitioned log.
    Log(LogSettings),
    /// Consumes a queue or a log.
    Worker(WorkerSettings),
    /// Is called.
    Dependency(DependencySettings),
}

/// Runs one expression for whichever settings a kind has.
macro_rules! each_kind {
    ($kind:expr, $settings:ident => $body:expr) => {
        match $kind {
            Kind::Producer($settings) => $body,
            Kind::Service($settings) => $body,
            Kind::Database($settings) => $body,
            Kind::Relay($settings) => $body,
            Kind::Queue($settings) => $body,
            Kind::Exchange($settings) => $body,
            Kind::Log($settings) => $body,
            Kind::Worker($settings) => $body,
            Kind::Dependency($settings) => $body,
        }
    };
}

impl Kind {
    /// The words for the kinds, as `kind` takes them.
    pub const WORDS: [&'static str; 9] =
        ["producer", "service", "database", "relay", "queue", "exchange", "log", "worker", "dependency"];

    /// A part of this kind with every setting at its default.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "producer" => Self::Producer(ProducerSettings::default()),
            "service" => Self::Service(ServiceSettings::default()),
            "database" => Self::Database(DatabaseSettings::default()),
            "relay" => Self::Relay(RelaySettings::default()),
            "queue" => Self::Queue(QueueSettings::default()),
            "exchange" => Self::Exchange(ExchangeSettings::default()),
            "log" => Self::Log(LogSettings::default()),
            "worker" => Self::Worker(WorkerSettings::default()),
            "dependency" => Self::Dependency(DependencySettings::default()),
            _ => return None,
        })
    }

    /// The word for this kind.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Producer(_) => "producer",
            Self::Service(_) => "service",
            Self::Database(_) => "database",
            Self::Relay(_) => "relay",
            Self::Queue(_) => "queue",
            Self::Exchange(_) => "exchange",
            Self::Log(_) => "log",
            Self::Worker(_) => "worker",
            Self::Dependency(_) => "dependency",
        }
    }

    fn settings(&self) -> &dyn Settings {
        each_kind!(self, settings => settings)
    }

    /// The settings table of this kind.
    #[must_use]
    pub fn table(&self) -> &'static [Spec] {
        self.settings().table()
    }

    fn settings_mut(&mut self) -> &mut dyn Settings {
        each_kind!(self, settings => settings)
    }

    /// Gives one setting a value, under our name for it or under its broker's own. With another broker every setting that
    /// still had its default gets the new broker's.
    ///
    /// # Errors
    /// [`Refused`] when there is no such setting or the value is not allowed; nothing has changed then.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Refused> {
        if let Some(all) = self.several(name, value) {
            let mut kind = self.clone();
            all.iter().try_for_each(|(name, value)| kind.set(name, value))?;
            *self = kind;
            return Ok(());
        }
        let said = name;
        let (name, value) = &self.in_our_words(said, value);
        let name = name.as_str();
        if let Some(allowed) = native::range_of(self, said) {
            let row = self.table().iter().find(|row| row.name == name).map(|row| Spec { range: allowed, ..*row });
            let mut kind = self.clone();
            if let (Some(row), Some(slot)) = (row, kind.settings_mut().slot_of(name)) {
                slot.take(value, allowed).map_err(|wrong| Refused::Bad { wrong, allowed: row.allowed() })?;
            }
        }
        let before = native::profile_of(self);
        match self.settings_mut().set(name, value) {
            Ok(()) => {
                self.take_defaults(before);
                if let ("acks", Self::Log(log)) = (name, self) {
                    // As Kafka's producers have it: repeats are told apart only where every in-sync replica confirms.
                    log.idempotent_publish &= log.broker == LogBroker::Generic || log.acks == Acks::All;
                }
                Ok(())
            }
            refused => refused,
        }
    }

    /// The settings that one of its broker's settings says at once, as `RedrivePolicy` does; none for one that says one.
    #[must_use]
    pub fn several(&self, name: &str, value: &Value) -> Option<Vec<(String, Value)>> {
        if matches!(self, Self::Queue(_)) { native::spread(name, value) } else { None }
    }

    /// Our name and value for a setting that is said in its broker's words; what is not one of those stays as it is.
    #[must_use]
    pub fn in_our_words(&self, name: &str, value: &Value) -> (String, Value) {
        let value = native::understood(name, value);
        let known = self.table().iter().any(|row| row.name == name);
        let translated = if known { None } else { native::translated(self, self.table(), name, &value) };
        translated.map_or_else(|| (name.to_owned(), value), |(ours, value)| (ours.to_owned(), value))
    }

    /// Gives what still has the default of the broker before the default of the broker in force.
    fn take_defaults(&mut self, before: Option<&'static Profile>) {
        let after = native::profile_of(self);
        if before == after {
            return;
        }
        let default = |profile: Option<&'static Profile>, row: &Spec| {
            profile.and_then(|profile| native::default_of(profile, row)).unwrap_or_else(|| row.default_value())
        };
        for row in self.table() {
            if self.get(row.name) == Some(default(before, row)) {
                // A default that our own range does not allow is left alone; a test holds that there is none.
                let _ = self.settings_mut().set(row.name, &default(after, row));
            }
        }
    }

    /// The value of a setting.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        self.settings().get(name)
    }

    /// What the part is drawn as.
    #[must_use]
    pub fn role(&self) -> Role {
        match self {
            Self::Producer(_) | Self::Service(_) => Role::Service,
            Self::Database(_) => Role::Database,
            Self::Queue(_) | Self::Exchange(_) | Self::Log(_) => Role::Queue,
            Self::Relay(_) | Self::Worker(_) => Role::Worker,
            Self::Dependency(settings) => settings.role,
        }
    }
}
