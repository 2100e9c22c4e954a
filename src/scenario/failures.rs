//! The failures that a lab of queues has to be able to show, each with the scenario that shows it and the moment for its first
//! cure: the same run with that cure is the cured one.

/// A failure and where it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What it is called, in a few words.
    pub title: &'static str,
    /// The scenario that shows it, by id.
    pub scenario: &'static str,
    /// When the scenario's first cure is given: at nought where it is a setting that should have been so all along, else once
    /// someone could have known.
    pub cure_us: u64,
}

const fn failure(title: &'static str, scenario: &'static str, cure_s: u64) -> Failure {
    Failure { title, scenario, cure_us: cure_s * 1_000_000 }
}

/// Every failure, in the order in which people are shown them.
pub const ALL: [Failure; 17] = [
    failure("Poison message", "poison-message", 90),
    failure("Consumers slower than producers", "slow-consumers", 150),
    failure("Retention runs out first", "retention-runs-out", 100),
    failure("Visibility timeout below processing time", "visibility-too-short", 0),
    failure("Rebalance storm", "rebalance-storm", 0),
    failure("Hot partition", "hot-partition", 160),
    failure("Unwatched dead-letter queue", "unwatched-dlq", 200),
    failure("Retry storm", "retry-storm", 31),
    failure("Relay or change reader stopped", "relay-stopped", 65),
    failure("Consumer that is not idempotent", "not-idempotent", 0),
    failure("Cluster down", "cluster-down", 65),
    failure("Leader dies", "leader-dies", 0),
    failure("Network cut", "network-cut", 0),
    failure("Database down", "database-down", 35),
    failure("Dependency slow or failing", "dependency-slow", 100),
    failure("Lost acknowledgement", "lost-ack", 0),
    failure("Deploy restarts everything", "deploy-everything", 0),
];
