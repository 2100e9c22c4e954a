//! A queue behind the common face of all servers.
//!
//! What the service does not have: a rejection for good (refused as invalid: only `maxReceiveCount` moves a message to the
//! dead letters), connections (closing one does nothing; its messages come back by their timeout), priorities, a time to live
//! of a single message, a redelivered flag (a count above one stands for it). On a standard queue a deduplication id is
//! ignored. Without a delay of its own, or with the queue's, a message has the queue's; a FIFO queue refuses any other.

use super::fault::Fault;
use super::message::{Letter, Receive, Received, Send};
use super::options::{
    LONGEST_DELAY_US, LONGEST_RETENTION_US, LONGEST_VISIBILITY_US, MOST_RECEIVES, Options, SHORTEST_RETENTION_US,
};
use super::queue::Queue;
use super::shelf::{Place, Stored};
use crate::server::{
    Consumer, CopyId, Counts, Delivery, Happening, Held, Publish, Published, QueueServer, Refusal, Settle, Tag, Tuning,
};

impl QueueServer for Queue {
    fn publish(&mut self, now_us: u64, letter: Publish) -> Published {
        if let Some((enqueued_us, receives)) = letter.history {
            let id = self.next_id();
            let moved = Letter { id, body: letter.body, group: letter.key, enqueued_us, receives, source: 0 };
            return Published::Stored(self.accept(now_us, moved));
        }
        let send = Send {
            group: Some(letter.key),
            dedup: self.options().fifo.and(letter.dedup),
            delay_us: Some(letter.delay_us).filter(|delay_us| *delay_us > 0 && *delay_us != self.options().delay_us),
            ..Send::new(letter.body)
        };
        match self.send(now_us, send) {
            Ok(sent) => sent.copy.map_or(Published::Duplicate, Published::Stored),
            Err(fault) => Published::Refused(fault.refusal()),
        }
    }

    fn receive(&mut self, now_us: u64, consumer: Consumer, most: u32) -> Vec<Delivery> {
        let ask = Receive::new(consumer, most.clamp(1, super::options::LARGEST_BATCH));
        let received = if most == 0 { Vec::new() } else { Queue::receive(self, now_us, ask).unwrap_or_default() };
        let delivery = |received: Received| Delivery {
            copy: received.copy,
            body: received.body,
            tag: received.tag,
            count: received.receives_here,
            redelivered: received.receives > 1,
        };
        received.into_iter().map(delivery).collect()
    }

    fn settle(&mut self, now_us: u64, _: Consumer, tag: Tag, how: Settle) -> Result<(), Refusal> {
        let done = match how {
            Settle::Ack => self.delete(now_us, tag).map(|_| ()),
            Settle::Requeue => self.change_visibility(now_us, tag, 0),
            Settle::Extend { for_us } => self.change_visibility(now_us, tag, for_us),
            Settle::Reject => return Err(Refusal::Invalid),
        };
        done.map_err(Fault::refusal)
    }

    fn close(&mut self, now_us: u64, _: Consumer) {
        self.advance_to(now_us);
    }

    fn next_due_us(&self) -> Option<u64> {
        self.due_us()
    }

    fn advance(&mut self, now_us: u64) {
        self.advance_to(now_us);
    }

    fn take_happenings(&mut self) -> Vec<Happening> {
        self.take_told()
    }

    fn waiting(&self, most: usize) -> Vec<(CopyId, u64)> {
        let shelf = self.shelf();
        let numbers = shelf.waiting(most).into_iter();
        numbers.filter_map(|number| Some((CopyId(number), shelf.get(number)?.body))).collect()
    }

    fn locked(&self, most: usize) -> Vec<(CopyId, u64)> {
        let shelf = self.shelf();
        let numbers = shelf.locked(most).into_iter();
        numbers.filter_map(|number| Some((CopyId(number), shelf.get(number)?.body))).collect()
    }

    fn oldest_locked(&self) -> Option<u64> {
        let shelf = self.shelf();
        Some(shelf.get(shelf.oldest_locked()?)?.body)
    }

    fn counts(&self) -> Counts {
        self.shelf().counts()
    }

    fn held(&self, most: usize) -> Vec<Held> {
        let held = |(number, stored): (u64, &Stored)| {
            let (consumer, until_us) = match stored.place {
                Place::Held { until_us } => (Some(stored.consumer), Some(until_us)),
                Place::Delayed { until_us } => (None, Some(until_us)),
                Place::Ready { .. } => (None, None),
            };
            Held { copy: CopyId(number), body: stored.body, consumer, since_us: stored.since_us, until_us }
        };
        self.shelf().hidden(most).map(held).collect()
    }

    fn tune(&mut self, now_us: u64, tuning: &Tuning) {
        let kept_us = if tuning.retention_us == 0 { self.options().retention_us } else { tuning.retention_us };
        let most = u32::try_from(tuning.max_receives).unwrap_or(u32::MAX).min(MOST_RECEIVES);
        let options = Options {
            visibility_us: tuning.visibility_us.min(LONGEST_VISIBILITY_US),
            max_receives: Some(most).filter(|most| *most > 0),
            delay_us: tuning.delay_us.min(LONGEST_DELAY_US),
            retention_us: kept_us.clamp(SHORTEST_RETENTION_US, LONGEST_RETENTION_US),
            ..*self.options()
        };
        let tuned = self.configure(now_us, options);
        debug_assert!(tuned.is_ok(), "every value was brought into its range");
    }

    fn boxed(&self) -> Box<dyn QueueServer> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_one_of_its_group_in_flight_is_locked() {
        let mut queue = Queue::new(Options::fifo(), 0).expect("what the service ships");
        for (body, key) in [(10, 1), (11, 1), (12, 2)] {
            QueueServer::publish(&mut queue, 0, Publish { body, key, dedup: Some(body), ..Publish::default() });
        }
        let bodies = |found: Vec<(CopyId, u64)>| found.into_iter().map(|(_, body)| body).collect::<Vec<_>>();
        assert_eq!((bodies(queue.waiting(9)), bodies(queue.locked(9))), (vec![10, 11, 12], vec![]));
        QueueServer::receive(&mut queue, 0, Consumer(1), 1);
        assert_eq!((bodies(queue.waiting(9)), bodies(queue.locked(9))), (vec![12], vec![11]));
        assert_eq!(bodies(queue.locked(0)), []);
    }
}
