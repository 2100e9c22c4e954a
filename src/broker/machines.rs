//! Which machine has the rules of which broker.

use redrive_brokers::QueueServer;

use crate::scenario::parts::QueueSettings;

/// An empty machine with these settings.
pub fn open(settings: &QueueSettings) -> Box<dyn QueueServer> {
    unimplemented!("{} has no machine yet", settings.broker.word())
}
