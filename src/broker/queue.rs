//! A work queue: receive hides, acknowledge deletes, and what is not acknowledged in time is visible again.
//!
//! The rules are those of a queue with visibility timeouts as Amazon SQS documents them ("Amazon SQS visibility
//! timeout", "Amazon SQS dead-letter queues" in its developer guide): a receive hides the message and hands out a
//! receipt; an expired message is received again with a new receipt and a higher receive count; a message that would be
//! received more than `max_receives` times is moved to the dead letters instead. A receipt whose message has expired but
//! was not received again still deletes; one whose message is in flight under a newer receipt does not.
//!
//! Simplified: one order for the whole queue, oldest first, where SQS standard promises none.

use redrive_brokers::sorted::SortedMap;

use super::machines::hidden_us;
use crate::message::Message;
use crate::scenario::parts::QueueSettings;
use crate::sim::order::by_key;
use crate::sim::{Handle, Slab, Tape, Timestamp};

/// A message with its place in the order of arrival.
#[derive(Clone, Copy, Debug)]
pub struct InQueue {
    /// The message.
    pub message: Message,
    /// Its place in the order of arrival; it keeps it when it comes back.
    pub sequence: u64,
}

/// Why a message is not visible.
#[derive(Clone, Copy, Debug)]
pub struct Hidden {
    /// The message.
    pub queued: InQueue,
    /// Since when.
    pub since_us: Timestamp,
    /// Until when.
    pub until_us: Timestamp,
    /// Who holds it; nobody while it is only delayed.
    pub holder: Option<Holder>,
}

/// A process of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Index of the worker among workers.
    pub worker: u16,
    /// Number of the process.
    pub process: u16,
}

/// What a worker needs to acknowledge: the hidden slot and the message's place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The hidden slot.
    pub handle: Handle,
    /// The message's place in the order of arrival.
    pub sequence: u64,
}

/// What an acknowledgement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acked {
    /// Deleted while hidden.
    Deleted,
    /// Deleted although its timeout had run out: nobody had received it again.
    DeletedLate,
    /// Refused: it is in flight under a newer receipt, or gone.
    Stale,
}

/// The state of a work queue.
#[derive(Clone, Debug)]
pub struct WorkQueue {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: QueueSettings,
    /// Index of the part that takes its dead letters.
    pub dead_letters: Option<u16>,
    /// It takes dead letters itself and nobody consumes them.
    pub tray: bool,
    /// The effects that a message here may lead to.
    pub effects: u8,
    /// Never received, in order of arrival.
    ready: Tape<InQueue>,
    /// Visible again, by place in the order of arrival: they go first.
    again: SortedMap<u64, Message>,
    /// Hidden or delayed.
    hidden: Slab<Hidden>,
    held: u64,
    sequence: u64,
    /// Processes that wait for a message, in order.
    pub waiting: std::collections::VecDeque<Holder>,
    /// Receives so far, and how many of them were not the first.
    pub received: (u64, u64),
    /// Messages stored so far.
    pub stored: u64,
    /// Messages acknowledged so far.
    pub acked: u64,
}

impl WorkQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(part: u16, settings: QueueSettings) -> Self {
        Self {
            part,
            settings,
            dead_letters: None,
            tray: false,
            effects: 0,
            ready: Tape::default(),
            again: SortedMap::default(),
            hidden: Slab::default(),
            held: 0,
            sequence: 0,
            waiting: std::collections::VecDeque::new(),
            received: (0, 0),
            stored: 0,
            acked: 0,
        }
    }

    /// How many messages can be received now.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn ready(&self) -> u64 {
        self.ready.len() + self.again.len() as u64
    }

    /// How many are held by workers.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn held(&self) -> u64 {
        self.held
    }

    /// How many are delayed.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn delayed(&self) -> u64 {
        u64::from(self.hidden.len()) - self.held
    }

    /// Stores a message where it can be received.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn store(&mut self, message: Message) {
        let sequence = self.next_sequence();
        self.ready.push(InQueue { message, sequence });
    }

    /// Stores a message that stays invisible until a moment.
    #[cfg_attr(page, optimize(speed))]
    pub fn store_delayed(&mut self, message: Message, now_us: Timestamp, until_us: Timestamp) -> Handle {
        let sequence = self.next_sequence();
        self.hidden.insert(Hidden { queued: InQueue { message, sequence }, since_us: now_us, until_us, holder: None })
    }

    #[cfg_attr(page, optimize(speed))]
    fn next_sequence(&mut self) -> u64 {
        self.stored += 1;
        self.sequence += 1;
        self.sequence
    }

    /// The message that would be received next.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn peek(&self) -> Option<InQueue> {
        let again = self.again.first().map(|(sequence, message)| InQueue { message: *message, sequence });
        match (again, self.ready.front()) {
            (Some(again), Some(fresh)) if fresh.sequence < again.sequence => Some(*fresh),
            (Some(again), _) => Some(again),
            (None, fresh) => fresh.copied(),
        }
    }

    /// Takes off the message that would be received next, for good.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn take(&mut self) -> Option<InQueue> {
        if self.again.is_empty() {
            return self.ready.pop();
        }
        let next = self.peek()?;
        if self.again.remove(next.sequence).is_none() {
            self.ready.pop();
        }
        Some(next)
    }

    /// Hides a message that was taken, for its holder. Its receive count goes up.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn hide(&mut self, mut queued: InQueue, holder: Holder, now_us: Timestamp) -> (Receipt, Message) {
        queued.message.receives = queued.message.receives.saturating_add(1);
        self.received.0 += 1;
        self.received.1 += u64::from(queued.message.receives > 1);
        self.held += 1;
        let until_us = now_us + hidden_us(&self.settings);
        let handle = self.hidden.insert(Hidden { queued, since_us: now_us, until_us, holder: Some(holder) });
        (Receipt { handle, sequence: queued.sequence }, queued.message)
    }

    /// What is in a hidden slot.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn hidden(&self, handle: Handle) -> Option<&Hidden> {
        self.hidden.get(handle)
    }

    /// Hides it for another visibility timeout from now.
    #[cfg_attr(page, optimize(speed))]
    pub fn extend(&mut self, handle: Handle, now_us: Timestamp) -> bool {
        let timeout_us = hidden_us(&self.settings);
        let Some(hidden) = self.hidden.get_mut(handle) else { return false };
        hidden.since_us = now_us;
        hidden.until_us = now_us + timeout_us;
        true
    }

    /// Makes a hidden or delayed message visible; gives it back so that the caller can say what happened.
    #[cfg_attr(page, optimize(speed))]
    pub fn reveal(&mut self, handle: Handle) -> Option<Hidden> {
        let hidden = self.hidden.remove(handle)?;
        self.held -= u64::from(hidden.holder.is_some());
        self.again.insert(hidden.queued.sequence, hidden.queued.message);
        Some(hidden)
    }

    /// Deletes what the receipt stands for.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn ack(&mut self, receipt: Receipt) -> Acked {
        if self.hidden.free(receipt.handle) {
            self.held -= 1;
            self.acked += 1;
            return Acked::Deleted;
        }
        if self.again.remove(receipt.sequence).is_some() {
            self.acked += 1;
            return Acked::DeletedLate;
        }
        Acked::Stale
    }

    /// The age of the oldest message that can be received.
    #[must_use]
    pub fn oldest_us(&self, now_us: Timestamp) -> u64 {
        self.peek().map_or(0, |queued| now_us.saturating_sub(queued.message.stored_us))
    }

    /// The next messages to be received, up to so many.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn next(&self, most: usize) -> Vec<Message> {
        let mut next: Vec<InQueue> =
            self.again.iter().take(most).map(|(sequence, message)| InQueue { message: *message, sequence }).collect();
        next.extend(self.ready.iter().take(most).copied());
        by_key(next, |queued| queued.sequence).into_iter().take(most).map(|queued| queued.message).collect()
    }

    /// Everything hidden or delayed, soonest back first, up to so many.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn shelf(&self, most: usize) -> Vec<Hidden> {
        let shelf: Vec<Hidden> = self.hidden.iter().map(|(_, hidden)| *hidden).collect();
        let mut shelf = by_key(by_key(shelf, |hidden| hidden.queued.sequence), |hidden| hidden.until_us);
        shelf.truncate(most);
        shelf
    }

    /// Every message that can be received, those that came back first.
    #[cfg_attr(page, optimize(speed))]
    pub fn in_sight(&self) -> impl Iterator<Item = &Message> {
        self.again.values().chain(self.ready.iter().map(|queued| &queued.message))
    }

    /// Every message that is hidden or delayed.
    #[cfg_attr(page, optimize(speed))]
    pub fn out_of_sight(&self) -> impl Iterator<Item = &Hidden> {
        self.hidden.iter().map(|(_, hidden)| hidden)
    }

    /// Every message here with its place, for the books' check: ready ones and hidden ones.
    pub fn all(&self) -> impl Iterator<Item = &Message> {
        self.in_sight().chain(self.out_of_sight().map(|hidden| &hidden.queued.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLDER: Holder = Holder { worker: 0, process: 0 };

    fn message(fact: u32) -> Message {
        Message { stored_us: 0, fact, key: 0, receives: 0, effects: 1, poison: false, tombstone: false }
    }

    fn receive(queue: &mut WorkQueue, now_us: u64) -> (Receipt, Message) {
        let queued = queue.take().expect("a message");
        queue.hide(queued, HOLDER, now_us)
    }

    #[test]
    fn what_comes_back_keeps_its_place_in_the_order() {
        let mut queue = WorkQueue::new(0, QueueSettings::default());
        (1..=3).for_each(|fact| queue.store(message(fact)));
        let (first, _) = receive(&mut queue, 0);
        assert_eq!((queue.ready(), queue.held()), (2, 1));
        queue.reveal(first.handle).expect("it was hidden");
        let order: Vec<u32> = std::iter::from_fn(|| queue.take()).map(|queued| queued.message.fact).collect();
        assert_eq!(order, [1, 2, 3]);
    }

    #[test]
    fn a_receipt_works_until_the_message_is_received_again() {
        let mut queue = WorkQueue::new(0, QueueSettings::default());
        queue.store(message(1));
        let (old, _) = receive(&mut queue, 0);
        queue.reveal(old.handle).expect("it was hidden");
        assert_eq!(queue.clone().ack(old), Acked::DeletedLate);
        let (new, again) = receive(&mut queue, 30);
        assert_eq!(
            (again.receives, queue.ack(old), queue.ack(new), queue.ack(new)),
            (2, Acked::Stale, Acked::Deleted, Acked::Stale)
        );
    }
}
