//! Which machine has the rules of which broker.

use redrive_brokers::{QueueServer, sqs};

use crate::scenario::parts::{Broker, QueueSettings};

/// An empty machine with these settings.
pub fn open(settings: &QueueSettings) -> Box<dyn QueueServer> {
    match settings.broker {
        Broker::Sqs => sqs_queue(settings, sqs::Options::standard()),
        Broker::SqsFifo => sqs_queue(settings, sqs::Options::fifo()),
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
