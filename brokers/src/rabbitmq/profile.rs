//! What the queues are, as data.

use crate::profile::{Capabilities, Native, Profile};

const DELIVERY_LIMIT: Native = Native {
    ours: "max_receives",
    name: "x-delivery-limit",
    default: "none",
    allowed: "1..=1000",
    doc: "Returns that a message may have; the next one makes it a dead letter, so it is delivered once more often than this. \
          20 by default since 4.0; since 4.3 a nack with requeue does not count.",
};

const TTL: Native = Native {
    ours: "ttl",
    name: "x-message-ttl, expiration",
    default: "none",
    allowed: "0ms..=49d",
    doc: "How long a message may wait, by its queue or by itself, whichever is less; it expires only once it is at the head.",
};

const MAX_LENGTH: Native = Native {
    ours: "max_length",
    name: "x-max-length",
    default: "none",
    allowed: "1..=10000000",
    doc: "How many messages may wait; those in the hands of consumers do not count.",
};

const MAX_BYTES: Native = Native {
    ours: "max_bytes",
    name: "x-max-length-bytes",
    default: "none",
    allowed: "1..=1000000000000",
    doc: "How many bytes of bodies may wait. With x-max-length as well, whichever is reached first.",
};

const EXPIRES: Native = Native {
    ours: "expires",
    name: "x-expires",
    default: "none",
    allowed: "1ms..=49d",
    doc: "A queue that nobody consumes for so long is deleted with what it holds, none of which becomes a dead letter; what is \
          published to it then is confirmed and gone. A restart of the server begins the time anew.",
};

const STRATEGY: Native = Native {
    ours: "dead_letter_strategy",
    name: "x-dead-letter-strategy",
    default: "at-most-once",
    allowed: "at-most-once, at-least-once",
    doc: "Whether a dead letter stays in its queue, where it counts against the limits, until its target has confirmed it. \
          At-least-once needs x-overflow=reject-publish: without it the queue falls back to at-most-once.",
};

const STRATEGY_RETRY: Native = Native {
    ours: "dead_letter_retry",
    name: "dead_letter_worker_publisher_confirm_timeout",
    default: "3m",
    allowed: "1ms..=365d",
    doc: "When a dead letter that was not confirmed is sent again.",
};

const OVERFLOW: Native = Native {
    ours: "overflow",
    name: "x-overflow",
    default: "drop-head",
    allowed: "drop-head, reject-publish, reject-publish-dlx",
    doc: "Whether the oldest message makes room or the publisher gets a nack.",
};

const DEAD_LETTERS: Native = Native {
    ours: "dead_letters",
    name: "x-dead-letter-exchange, x-dead-letter-routing-key",
    default: "none",
    allowed: "an exchange and a routing key",
    doc: "Where rejected, expired and surplus messages go; without one, or with one that leads nowhere, they are gone.",
};

const SINGLE_ACTIVE: Native = Native {
    ours: "single_active",
    name: "x-single-active-consumer",
    default: "false",
    allowed: "true, false",
    doc: "Serves one consumer at a time; the next takes over when it goes.",
};

const CONSUMER_TIMEOUT: Native = Native {
    ours: "consumer_timeout",
    name: "consumer_timeout",
    default: "30m",
    allowed: "1m..=365d",
    doc: "How long a delivery may stay unacknowledged before its channel is closed; looked at every 60 s.",
};

const PREFETCH: Native = Native {
    ours: "prefetch",
    name: "basic.qos prefetch_count",
    default: "0",
    allowed: "0..=65535",
    doc: "Unacknowledged messages that a consumer may hold; 0 is no limit.",
};

const CLASSIC_SETTINGS: &[Native] = &[
    TTL,
    MAX_LENGTH,
    MAX_BYTES,
    OVERFLOW,
    EXPIRES,
    DEAD_LETTERS,
    Native {
        ours: "priorities",
        name: "x-max-priority",
        default: "0",
        allowed: "0..=255",
        doc: "The highest priority level; 0 is a queue without priorities.",
    },
    SINGLE_ACTIVE,
    Native {
        doc: "How long a delivery may stay unacknowledged before its channel is closed; looked at every 60 s. From 4.3 on any time.",
        ..CONSUMER_TIMEOUT
    },
    PREFETCH,
];

const QUORUM_SETTINGS: &[Native] = &[
    DELIVERY_LIMIT,
    TTL,
    MAX_LENGTH,
    MAX_BYTES,
    EXPIRES,
    STRATEGY,
    STRATEGY_RETRY,
    Native {
        allowed: "drop-head, reject-publish",
        doc: "Whether the oldest message makes room or the publisher gets a nack, one message late, until the queue is down to \
              four fifths.",
        ..OVERFLOW
    },
    DEAD_LETTERS,
    SINGLE_ACTIVE,
    CONSUMER_TIMEOUT,
    Native { doc: "Unacknowledged messages that a consumer may hold; 0 is 2,000.", ..PREFETCH },
];

const SOURCES: &[&str] = &[
    "RabbitMQ 3.10.8, recorded and its sources",
    "RabbitMQ documentation: Consumer Acknowledgements and Publisher Confirms, Quorum Queues, Dead Letter Exchanges, \
     Time-To-Live, Queue Length Limit, Classic Queues Support Priorities, Consumers",
];

/// `rabbitmq-classic`.
pub const CLASSIC: Profile = Profile {
    id: "rabbitmq-classic",
    title: "RabbitMQ classic queue",
    transcripts: "rabbitmq",
    can: Capabilities {
        deliveries: "at least once",
        order: "publish order; a message that comes back takes its old place",
        retention: "until acknowledged",
        replay: "no",
        delay: "no; by a queue with a time to live whose dead letters come here",
        priorities: "up to 255 levels",
        dead_letters: "rejected, expired, surplus; no delivery limit",
        deduplication: "no",
        limits: "prefetch 65,535; consumer timeout 30 min",
    },
    settings: CLASSIC_SETTINGS,
    not_modelled: &[
        "Automatic acknowledgement, transactions, consumer priorities, exclusive and auto-delete queues, bindings between \
         exchanges. Every message of a queue has the same size, and a consumer that comes declares a deleted queue anew.",
        "Flow control: a channel that cannot write stops being served after 200 messages.",
        "What a node loses when it stops: non-persistent messages and transient queues.",
        "Mirrored classic queues.",
        "A crash of 3.10: the active consumer of a queue is cancelled while messages wait, and the next publish is nacked by a \
         queue process that ends.",
    ],
    sources: SOURCES,
};

/// `rabbitmq-quorum`.
pub const QUORUM: Profile = Profile {
    id: "rabbitmq-quorum",
    title: "RabbitMQ quorum queue",
    transcripts: "rabbitmq",
    can: Capabilities {
        deliveries: "at least once",
        order: "publish order; a message that comes back goes to the tail, with a delivery limit to the head",
        retention: "until acknowledged",
        replay: "no",
        delay: "no; by a queue with a time to live whose dead letters come here",
        priorities: "no; from 4.0 on two levels, above 4 and up to 4, two to one",
        dead_letters: "rejected, expired, surplus, or returned more often than the delivery limit",
        deduplication: "no",
        limits: "prefetch 65,535, 2,000 where none is set; consumer timeout 30 min",
    },
    settings: QUORUM_SETTINGS,
    not_modelled: &[
        "Automatic acknowledgement, transactions, consumer priorities, bindings between exchanges. \
         Every message of a queue has the same size, and a consumer that comes declares a deleted queue anew.",
        "The 32 strict priorities of 4.3: a queue with its rules has none.",
        "A queue that nobody uses is looked for every 5 s (quorum_tick_interval) and deleted then; here at its moment.",
        "A dead letter that stays is confirmed at once or not at all, so none comes twice; each that was not has a timer of its own. \
         A real target that is a quorum queue gets it as soon as it has a leader again.",
        "A channel that holds more than 32 single deliveries when it closes: the server returns them in an order of its own.",
        "What is said during an election is answered at once; the server waits for the new leader.",
        "Consumer timeouts of 4.3: a queue may have its own, and a late consumer is cancelled where its client understands that. \
         Here the node's closes the channel in all releases.",
        "A crash of 3.10: a consumer tag used again on a channel while its old deliveries are outstanding ends the connection.",
    ],
    sources: SOURCES,
};
