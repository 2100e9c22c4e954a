//! What a producer does with a batch that was not acknowledged.

use super::error::Error;
use super::producer::{Flying, Producer};

impl Producer {
    /// A batch was refused or not answered: it waits for its next attempt, or has failed.
    /// Source: `Sender.canRetry` and `TransactionManager.canRetry`.
    pub(super) fn failed(&mut self, now_us: u64, mut flying: Flying, error: Error) {
        let (id, partition) = (flying.batch.id, flying.partition);
        let stale = flying.epoch != self.identity.epoch;
        let gap = error == Error::OutOfOrderSequence && self.options.idempotent && !self.options.transactional;
        let again = error.is_retriable() || gap || stale && error == Error::InvalidProducerEpoch;
        if flying.batch.attempts > self.options.retries || !again {
            self.complete(now_us, &flying.batch, Err(error));
            return;
        }
        let queued = self.lanes[partition as usize].queue.iter().any(|batch| batch.id < id);
        let sent = self.flying.iter().any(|other| other.partition == partition && other.batch.id < id);
        // It may be out of order only because an earlier one is still to be repeated.
        if gap && !stale && !queued && !sent {
            self.begin_new_epoch();
        }
        if flying.epoch != self.identity.epoch {
            flying.batch.first_sequence = None;
        }
        let doublings = flying.batch.attempts.saturating_sub(1).min(20);
        let backoff_us =
            self.options.backoff_us.saturating_mul(1 << doublings).min(self.options.backoff_max_us.max(self.options.backoff_us));
        flying.batch.not_before_us = now_us.saturating_add(backoff_us);
        // Numbered batches keep their order; without numbers it goes to the front, though later ones may have overtaken it.
        let idempotent = self.options.idempotent;
        let queue = &mut self.lanes[partition as usize].queue;
        let place = queue.iter().take_while(|batch| idempotent && batch.id < id).count();
        queue.insert(place, flying.batch);
    }

    /// A gap that nobody fills: the producer goes on under a new epoch and numbers its batches anew (KIP-360).
    fn begin_new_epoch(&mut self) {
        self.identity.epoch = self.identity.epoch.saturating_add(1);
        for lane in &mut self.lanes {
            lane.next_sequence = 0;
            for batch in &mut lane.queue {
                batch.first_sequence = None;
            }
        }
    }
}
