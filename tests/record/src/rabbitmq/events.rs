//! What a server says without being asked.

use amqprs::callbacks::ChannelCallback;
use amqprs::channel::Channel;
use amqprs::consumer::AsyncConsumer;
use amqprs::error::Error;
use amqprs::{Ack, BasicProperties, Cancel, CloseChannel, Deliver, Nack, Return};
use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;

use super::values::{body, delivery_count};

/// What came.
pub(super) enum Event {
    Confirmed(u64, bool),
    Returned,
    Closed(u16),
    Delivery { queue: String, tag: u64, name: String, redelivered: bool, count: Option<u32> },
}

/// Where it goes: who it is for, and what it is.
pub(super) type Events = UnboundedSender<(String, Event)>;

/// Hears what comes for someone's channel.
pub(super) struct Listener(pub String, pub Events);

#[async_trait]
impl ChannelCallback for Listener {
    async fn close(&mut self, _: &Channel, close: CloseChannel) -> Result<(), Error> {
        let _ = self.1.send((self.0.clone(), Event::Closed(close.reply_code())));
        Ok(())
    }
    async fn cancel(&mut self, _: &Channel, _: Cancel) -> Result<(), Error> {
        Ok(())
    }
    async fn flow(&mut self, _: &Channel, active: bool) -> Result<bool, Error> {
        Ok(active)
    }
    async fn publish_ack(&mut self, _: &Channel, ack: Ack) {
        let _ = self.1.send((self.0.clone(), Event::Confirmed(ack.delivery_tag(), true)));
    }
    async fn publish_nack(&mut self, _: &Channel, nack: Nack) {
        let _ = self.1.send((self.0.clone(), Event::Confirmed(nack.delivery_tag(), false)));
    }
    async fn publish_return(&mut self, _: &Channel, _: Return, _: BasicProperties, _: Vec<u8>) {
        let _ = self.1.send((self.0.clone(), Event::Returned));
    }
}

/// A subscription of someone to a queue.
pub(super) struct Subscription(pub String, pub String, pub Events);

#[async_trait]
impl AsyncConsumer for Subscription {
    async fn consume(&mut self, _: &Channel, deliver: Deliver, properties: BasicProperties, content: Vec<u8>) {
        let event = Event::Delivery {
            queue: self.1.clone(),
            tag: deliver.delivery_tag(),
            name: body(&content),
            redelivered: deliver.redelivered(),
            count: delivery_count(&properties),
        };
        let _ = self.2.send((self.0.clone(), event));
    }
}
