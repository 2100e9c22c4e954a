//! Dead letters of a queue with the rules of a broker: where they go, what they carry, and when they end.
//!
//! RabbitMQ writes into a dead letter where and why it died. One that comes back to a queue in which it died is dropped, unless
//! someone has rejected it on the way ("Dead Letter Exchanges", *automatic dead lettering cycles*): that is what keeps a retry
//! loop of two queues from going round by itself. A dead letter of SQS goes on counting its receives, and on a standard queue
//! its age ("Setting up dead-letter queue retention" in the developer guide).

use redrive_brokers::Why;
use redrive_brokers::rabbitmq::{Death, Reason, Release, cycles, record};

use super::server::{Arrival, cause};
use crate::message::Message;
use crate::observe::record::{Cause, Kind};
use crate::scenario::choices::{Broker, RabbitVersion};
use crate::sim::Handle;
use crate::world::{Body, World};

impl World {
    /// A message leaves a server as a dead letter, from a consumer's hands or while it waited.
    pub(super) fn server_buries(&mut self, index: u16, letter: Handle, message: Message, why: Why, held: bool) {
        let server = &mut self.servers[usize::from(index)];
        let (part, dead_letters) = (server.part, server.dead_letters);
        let deaths = server.deaths_of(letter);
        let ended = match dead_letters {
            None => Some(cause(why)),
            Some(tray) => self.server_passes_on(index, tray, message, why, deaths, false),
        };
        let (kind, extra) = match (ended, held) {
            (None, true) => (Kind::LeftHands, cause(why)),
            (None, false) => (Kind::LeftQueue, cause(why)),
            (Some(cause), true) => (Kind::DroppedHeld, cause),
            (Some(cause), false) => (Kind::Dropped, cause),
        };
        self.note(kind, part, message.fact, message.effects, extra as u64);
    }

    /// A dead letter that stays until it is confirmed is sent: whether it was.
    pub(super) fn server_buries_surely(&mut self, index: u16, letter: Handle, message: Message, why: Why) -> bool {
        let server = &self.servers[usize::from(index)];
        let (part, Some(tray)) = (server.part, server.dead_letters) else { return false };
        let deaths = server.deaths_so_far(letter);
        let confirmed = self.server_passes_on(index, tray, message, why, deaths, true).is_none();
        if confirmed {
            self.note(Kind::LeftQueue, part, message.fact, message.effects, cause(why) as u64);
        }
        confirmed
    }

    /// A dead letter goes to where its queue sends them, once, or (`surely`) until that has confirmed it. Says why, where it
    /// does not get there.
    fn server_passes_on(
        &mut self,
        index: u16,
        tray: u16,
        message: Message,
        why: Why,
        mut deaths: Vec<Death>,
        surely: bool,
    ) -> Option<Cause> {
        let server = &self.servers[usize::from(index)];
        let (part, is_sqs) = (server.part, matches!(server.settings.broker, Broker::Sqs | Broker::SqsFifo));
        let known = server.pushes() || is_sqs;
        if server.pushes() && self.parts[usize::from(tray)].health.down {
            return Some(Cause::NoAnswer);
        }
        let (Body::Server(target), Some(reason), true) = (self.parts[usize::from(tray)].body, Reason::of(why), known) else {
            self.bury(tray, message, part);
            return None;
        };
        if is_sqs {
            self.hop(part, tray, message.fact, 0);
            let Message { stored_us, receives, .. } = message;
            let keeps_time = self.servers[usize::from(target)].settings.broker == Broker::Sqs;
            let arrived = self.arrives(tray, message);
            let stored_us = if keeps_time { stored_us } else { arrived.stored_us };
            self.server_stores(target, Message { stored_us, receives, ..arrived }, Arrival::Counted);
            self.wake(tray);
            return None;
        }
        let release = match server.settings.version {
            RabbitVersion::V3 => Release::V3_10,
            RabbitVersion::V40 => Release::V4_0,
            RabbitVersion::V43 => Release::V4_3,
        };
        let queue = self.parts[usize::from(part)].id.clone();
        record(&mut deaths, Death { queue, reason, count: 1, exchange: String::new(), key: String::new() }, release);
        if cycles(&deaths, reason, &self.parts[usize::from(tray)].id) {
            return Some(Cause::WentRound);
        }
        self.hop(part, tray, message.fact, 0);
        let message = self.arrives(tray, message);
        // Sent without a confirmation, what the queue refuses is gone.
        let arrival = if surely { Arrival::Sure(&deaths) } else { Arrival::Dead(&deaths) };
        let refused = self.server_stores(target, message, arrival);
        self.wake(tray);
        (refused != Cause::None).then_some(refused)
    }
}
