//! Which machine has the rules of which broker.

use redrive_brokers::kafka::group::share::{Share, ShareSettings};
use redrive_brokers::{QueueServer, postgres, rabbitmq, sqs};

use crate::scenario::choices::{Broker, Claim, DeadLetterStrategy, Overflow, RabbitVersion};
use crate::scenario::parts::QueueSettings;

/// How long what was received is hidden. Without a timeout it is visible again a moment later: a receive is on its way that
/// long, and a message must not go round without the clock moving.
#[inline]
#[cfg_attr(page, optimize(speed))]
pub fn hidden_us(settings: &QueueSettings) -> u64 {
    settings.visibility_timeout.0.max(1_000)
}

/// An empty machine with these settings.
pub fn open(settings: &QueueSettings) -> Box<dyn QueueServer> {
    match settings.broker {
        Broker::Sqs => sqs_queue(settings, sqs::Options::standard()),
        Broker::SqsFifo => sqs_queue(settings, sqs::Options::fifo()),
        Broker::RabbitmqClassic => rabbitmq_queue(settings, rabbitmq::Kind::Classic),
        Broker::RabbitmqQuorum => rabbitmq_queue(settings, rabbitmq::Kind::Quorum),
        Broker::KafkaShare => {
            let shipped = ShareSettings::default();
            // There is no share group without a limit: none that is set is the broker's own.
            let limit = match u32::try_from(settings.max_receives) {
                Ok(0) => shipped.limit,
                set => set.unwrap_or(u32::MAX),
            };
            Box::new(Share::new(ShareSettings { lock_us: hidden_us(settings), limit, ..shipped }))
        }
        Broker::PostgresTable => postgres_table(settings),
        Broker::Generic => unreachable!("the plain queue is no machine"),
    }
}

fn sqs_queue(settings: &QueueSettings, shipped: sqs::Options) -> Box<dyn QueueServer> {
    let options = sqs::Options {
        visibility_us: hidden_us(settings),
        delay_us: settings.delay.0,
        retention_us: settings.retention.0,
        max_receives: u32::try_from(settings.max_receives).ok().filter(|most| *most > 0),
        ..shipped
    };
    match sqs::Queue::new(options, 0).or_else(|_| sqs::Queue::new(shipped, 0)) {
        Ok(queue) => Box::new(queue),
        Err(_) => unreachable!("what the service ships is within its own ranges"),
    }
}

fn rabbitmq_queue(settings: &QueueSettings, kind: rabbitmq::Kind) -> Box<dyn QueueServer> {
    let some = |value: u64| (value > 0).then_some(value);
    Box::new(rabbitmq::RabbitQueue::new(rabbitmq::Settings {
        kind,
        release: match settings.version {
            RabbitVersion::V3 => rabbitmq::Release::V3_10,
            RabbitVersion::V40 => rabbitmq::Release::V4_0,
            RabbitVersion::V43 => rabbitmq::Release::V4_3,
        },
        delivery_limit: match u32::try_from(settings.max_receives) {
            Ok(0) | Err(_) => rabbitmq::DeliveryLimit::Default,
            Ok(most) => rabbitmq::DeliveryLimit::Returns(most),
        },
        ttl_us: some(settings.ttl.0),
        max_length: some(settings.max_length),
        max_bytes: some(settings.max_bytes),
        message_bytes: settings.message_bytes,
        expires_us: some(settings.expires.0),
        overflow: match settings.overflow {
            Overflow::DropHead => rabbitmq::Overflow::DropHead,
            Overflow::RejectPublish => rabbitmq::Overflow::RejectPublish,
            Overflow::RejectPublishDlx => rabbitmq::Overflow::RejectPublishDlx,
        },
        priorities: u8::try_from(settings.priorities).unwrap_or(u8::MAX),
        single_active: settings.single_active,
        dead_letters: settings.dead_letters.id().is_some(),
        at_least_once: settings.dead_letter_strategy == DeadLetterStrategy::AtLeastOnce,
        dead_letter_retry_us: settings.dead_letter_retry.0,
        prefetch: u32::try_from(settings.prefetch).unwrap_or(u32::MAX),
        consumer_timeout_us: some(settings.consumer_timeout.0),
        ..rabbitmq::Settings::default()
    }))
}

fn postgres_table(settings: &QueueSettings) -> Box<dyn QueueServer> {
    let lease = postgres::Options::lease(hidden_us(settings));
    let style = match settings.claim {
        Claim::Transaction => postgres::Style::Transaction {
            skip_locked: settings.skip_locked,
            together: false,
            idle_limit_us: settings.consumer_timeout.0,
        },
        Claim::Lease => postgres::Style::Lease {
            lease_us: hidden_us(settings),
            recovery: match settings.reaper.0 {
                0 => postgres::Recovery::Claims,
                every_us => postgres::Recovery::Reaper { every_us },
            },
            guarded: true,
        },
        Claim::Pop => postgres::Style::Pop,
    };
    let max_attempts = u32::try_from(settings.max_receives).unwrap_or(u32::MAX);
    Box::new(postgres::TableQueue::new(postgres::Options { style, max_attempts, by_priority: settings.priorities > 0, ..lease }))
}
