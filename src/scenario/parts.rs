//! The settings of each kind of part: name, default, range, meaning. A rule that a setting switches on lives with the
//! part's behaviour, not here.

use super::choices::*;
use super::setting::PartName;
use super::steps::{Bindings, Messages, Steps};
use crate::settings;
use crate::sim::{Latency, Micros, PerSecond, Ppm};

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
        min_compaction_lag: Micros = "0s" in "0s..=365d", "Compaction leaves a segment alone that has a younger record.";
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
        effect: String = "" in "", "What the work is counted as. The part's id if left out. Groups of one log count different effects.";
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
        acks_twice: bool = "false" in "", "Acknowledges each message a second time, as where a library and its user both do. RabbitMQ closes the channel for it (406), and what else the process holds comes back; others take it. For brokers other than the plain queue.";
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
        heartbeat_interval: Micros = "0s" in "0s..=5m", "How often members hear of a rebalance. With 0s and nothing else set, the whole group stands still at once, for as long as `rebalance` says; else 0s is Kafka's 3 s, and 5 s with kip848.";
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
