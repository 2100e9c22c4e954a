//! What happens without a call: messages expire, dead letters are sent again, unused queues go, late channels close.

use super::{Broker, PRECONDITION_FAILED};
use crate::rabbitmq::letter::Heard;
use crate::server::Why;

impl Broker {
    /// When something happens next without a call.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let there = self.queues.iter().filter(|named| !named.deleted);
        let of_queues = there
            .flat_map(|named| [named.queue.next_due_us(), named.queue.discards().next_due_us(self.clock_us), named.deleted_us()]);
        let checks = self.channels.values().filter_map(|channel| channel.check_us);
        of_queues.flatten().chain(checks).chain(self.cluster.next_due_us()).min()
    }

    /// Lets everything happen that is due up to now, in order.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            let due_us = due_us.max(self.clock_us);
            self.clock_us = due_us;
            self.cluster.advance(due_us);
            for named in self.queues.iter_mut().filter(|named| !named.deleted) {
                named.queue.advance(due_us);
            }
            self.settle_down(due_us);
            self.delete_unused(due_us);
            self.check_channels(due_us);
        }
        self.clock_us = self.clock_us.max(now_us);
    }

    fn check_channels(&mut self, now_us: u64) {
        let due: Vec<u32> =
            self.channels.iter().filter(|(_, c)| c.check_us.is_some_and(|check| check <= now_us)).map(|(id, _)| *id).collect();
        for id in due {
            let timeout_us = self.consumer_timeout_us.unwrap_or(u64::MAX);
            let next_us = now_us.saturating_add(self.consumer_check_us.max(1));
            let channel = self.channel(id);
            if channel.oldest_us().is_some_and(|since_us| since_us.saturating_add(timeout_us) < now_us) {
                self.heard.push((id, Heard::Closed(PRECONDITION_FAILED)));
                self.end(now_us, id, Why::ConsumerTimeout);
                self.settle_down(now_us);
            } else {
                channel.check_us = Some(next_us);
            }
        }
    }
}
