//! What a broker is, as data: its capabilities, its settings under its own names with the defaults it ships, and what of it
//! is not modelled. One file a broker; the capability table, the fidelity page and the settings of the lab read them.

/// A broker as the lab names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The word for it in a scenario: `rabbitmq-quorum`.
    pub id: &'static str,
    /// Its name for people: `RabbitMQ quorum queue`.
    pub title: &'static str,
    /// The folder of its transcripts in `tests/transcripts`.
    pub transcripts: &'static str,
    /// What it can and cannot do.
    pub can: Capabilities,
    /// Its settings under its own names.
    pub settings: &'static [Native],
    /// Rules of the real one that the machine does not have, a sentence each.
    pub not_modelled: &'static [&'static str],
    /// Where the rules come from.
    pub sources: &'static [&'static str],
}

/// The rows of the capability table: a few words each, `no` where there is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// How often a message may come: `at least once`.
    pub deliveries: &'static str,
    /// What order holds, and within what.
    pub order: &'static str,
    /// How long messages stay.
    pub retention: &'static str,
    /// Whether what was read can be read again.
    pub replay: &'static str,
    /// How a message is delayed, and for how long at most.
    pub delay: &'static str,
    /// Whether one message may overtake another by priority.
    pub priorities: &'static str,
    /// What comes of a message that fails again and again.
    pub dead_letters: &'static str,
    /// Whether a repeat of the publisher is recognised.
    pub deduplication: &'static str,
    /// The limits that people meet.
    pub limits: &'static str,
}

/// A setting under the broker's own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    /// The lab's name for the same thing: `max_receives`.
    pub ours: &'static str,
    /// The broker's name: `maxReceiveCount`.
    pub name: &'static str,
    /// The default it ships, as the lab writes values: `30s`, `10`, `none`.
    pub default: &'static str,
    /// What it allows, as the lab writes ranges: `0s..=12h`.
    pub allowed: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
}

/// Every broker, in the order in which people are shown them.
pub const ALL: &[&Profile] = &[
    &crate::sqs::profile::SQS,
    &crate::sqs::profile::SQS_FIFO,
    &crate::sqs::profile::SNS_SQS,
    &crate::rabbitmq::profile::CLASSIC,
    &crate::rabbitmq::profile::QUORUM,
    &crate::kafka::profile::KAFKA,
    &crate::kafka::group::profile::SHARE,
    &crate::kafka::profile::REDPANDA,
    &crate::postgres::profile::TABLE,
];

/// The broker with this id.
#[must_use]
pub fn named(id: &str) -> Option<&'static Profile> {
    ALL.iter().copied().find(|profile| profile.id == id)
}
