//! How many recorded and documented cases each machine matches. Counted by `tests/fidelity.rs`, which writes this file.

/// The cases of one broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fidelity {
    /// The broker's id in [`crate::profile`].
    pub id: &'static str,
    /// Cases in all.
    pub cases: u32,
    /// Cases in which the machine gives the same, line by line.
    pub matched: u32,
    /// Cases that this project recorded on a real server.
    pub recorded: u32,
    /// Cases that others recorded on the real service.
    pub by_others: u32,
    /// Cases taken from the broker's documentation or source.
    pub documented: u32,
    /// The servers with their versions.
    pub servers: &'static [&'static str],
}

/// One row a broker, in the order of [`crate::profile::ALL`].
#[rustfmt::skip]
pub const ALL: &[Fidelity] = &[
    Fidelity { id: "sqs", cases: 64, matched: 64, recorded: 0, by_others: 30, documented: 34, servers: &["Amazon SQS, API 2012-11-05"] },
    Fidelity { id: "sqs-fifo", cases: 40, matched: 40, recorded: 0, by_others: 20, documented: 20, servers: &["Amazon SQS, API 2012-11-05"] },
    Fidelity { id: "sns-sqs", cases: 16, matched: 16, recorded: 0, by_others: 9, documented: 7, servers: &["Amazon SNS, API 2010-03-31", "Amazon SQS, API 2012-11-05"] },
    Fidelity { id: "rabbitmq-classic", cases: 104, matched: 104, recorded: 102, by_others: 0, documented: 2, servers: &["RabbitMQ 3.10.8", "RabbitMQ 4.0.1", "RabbitMQ 4.3.0"] },
    Fidelity { id: "rabbitmq-quorum", cases: 133, matched: 133, recorded: 122, by_others: 2, documented: 9, servers: &["RabbitMQ 3.10.8", "RabbitMQ 4.0.1", "RabbitMQ 4.3.0"] },
    Fidelity { id: "kafka", cases: 106, matched: 106, recorded: 20, by_others: 0, documented: 86, servers: &["Kafka 3.6", "Kafka 3.9", "Kafka 4.0", "Kafka 4.0, three brokers", "Kafka's Java client, librdkafka"] },
    Fidelity { id: "kafka-share", cases: 16, matched: 16, recorded: 3, by_others: 0, documented: 13, servers: &["Kafka 4.0", "Kafka 4.0, three brokers", "Kafka 4.2"] },
    Fidelity { id: "redpanda", cases: 3, matched: 3, recorded: 0, by_others: 0, documented: 3, servers: &["Redpanda 24"] },
    Fidelity { id: "postgres-table", cases: 98, matched: 98, recorded: 98, by_others: 0, documented: 0, servers: &["PostgreSQL 15.18"] },
];
