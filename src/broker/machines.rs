//! Which machine has the rules of which broker.

use redrive_brokers::{QueueServer, rabbitmq, sqs};

use crate::scenario::parts::{Broker, Overflow, QueueSettings, RabbitVersion};

/// An empty machine with these settings.
pub fn open(settings: &QueueSettings) -> Box<dyn QueueServer> {
    match settings.broker {
        Broker::Sqs => sqs_queue(settings, sqs::Options::standard()),
        Broker::SqsFifo => sqs_queue(settings, sqs::Options::fifo()),
        Broker::RabbitmqClassic => rabbitmq_queue(settings, rabbitmq::Kind::Classic),
        Broker::RabbitmqQuorum => rabbitmq_queue(settings, rabbitmq::Kind::Quorum),
        other => unimplemented!("{} has no machine yet", other.word()),
    }
}

fn sqs_queue(settings: &QueueSettings, shipped: sqs::Options) -> Box<dyn QueueServer> {
    let options = sqs::Options {
        visibility_us: settings.visibility_timeout.0,
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
        overflow: match settings.overflow {
            Overflow::DropHead => rabbitmq::Overflow::DropHead,
            Overflow::RejectPublish => rabbitmq::Overflow::RejectPublish,
        },
        priorities: u8::try_from(settings.priorities).unwrap_or(u8::MAX),
        single_active: settings.single_active,
        dead_letters: settings.dead_letters.id().is_some(),
        prefetch: u32::try_from(settings.prefetch).unwrap_or(u32::MAX),
        consumer_timeout_us: some(settings.consumer_timeout.0),
        ..rabbitmq::Settings::default()
    }))
}
