//! `x-expires`: queues that nobody uses are deleted.
//!
//! As recorded: a subscriber uses its queue, and so does what `basic.get` holds of a quorum queue (`rabbit_fifo:is_expired`
//! counts both as consumers); a `basic.get` that gives nothing begins the time anew, a publish does not.

use super::{Broker, Kind, NamedQueue};

impl NamedQueue {
    fn is_used(&self) -> bool {
        let holds = self.queue.settings().kind == Kind::Quorum && self.queue.held() > 0;
        holds || self.queue.has_subscribers()
    }

    /// When it is deleted, if nobody comes.
    pub(super) fn deleted_us(&self) -> Option<u64> {
        let (unused_us, expires_us) = (self.unused_us?, self.queue.settings().expires_us?);
        Some(unused_us.saturating_add(expires_us))
    }
}

impl Broker {
    /// A queue counts as used at this moment.
    pub(super) fn renew(&mut self, now_us: u64, queue: usize) {
        self.queues[queue].unused_us = Some(now_us);
        self.watch_use(now_us);
    }

    /// Notes since when which queue is not used.
    pub(super) fn watch_use(&mut self, now_us: u64) {
        for named in &mut self.queues {
            named.unused_us = if named.is_used() { None } else { named.unused_us.or(Some(now_us)) };
        }
    }

    pub(super) fn delete_unused(&mut self, now_us: u64) {
        for at in 0..self.queues.len() {
            let named = &mut self.queues[at];
            if named.deleted || named.deleted_us().is_none_or(|due_us| due_us > now_us) {
                continue;
            }
            named.deleted = true;
            named.queue.delete(now_us);
            for exchange in &mut self.exchanges {
                exchange.bindings.retain(|binding| binding.queue as usize != at);
            }
        }
        self.settle_down(now_us);
    }
}
