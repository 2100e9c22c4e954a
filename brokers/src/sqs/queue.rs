//! One queue: what its calls do.
//!
//! A receive hides what it gives for the visibility timeout and hands out a receipt handle for this one receive. A receipt
//! handle is a [`Tag`]: the number of the message in this queue, and which receive of it that was.

use super::fault::{Fault, Parameter};
use super::handling::letter;
use super::memory::{Action, Attempt, Attempts, Calls, Deduplication};
use super::message::{Deleted, Letter, Receive, Received, Send, Sent};
use super::options::{DEDUPLICATION_US, LARGEST_BATCH, LARGEST_BYTES, LONGEST_VISIBILITY_US, Options, SECOND_US};
use super::shelf::{Place, Shelf};
use crate::server::{Consumer, CopyId, Happening, Tag, What, Why};

/// How long a purge keeps another from being asked for.
const PURGE_US: u64 = 60 * SECOND_US;

/// A queue.
#[derive(Clone, Debug)]
pub struct Queue {
    pub(super) options: Options,
    /// Its number among queues, in the high bits of the message ids it gives.
    pub(super) queue: u32,
    pub(super) now_us: u64,
    pub(super) next: u64,
    pub(super) shelf: Shelf,
    pub(super) dedup: Deduplication,
    pub(super) attempts: Attempts,
    pub(super) calls: Calls,
    pub(super) purged_us: Option<u64>,
    pub(super) happenings: Vec<Happening>,
    pub(super) dead: Vec<Letter>,
}

impl Queue {
    /// An empty queue; `queue` tells its message ids from those of others.
    ///
    /// # Errors
    /// An attribute out of range.
    pub fn new(options: Options, queue: u32) -> Result<Self, Fault> {
        options.check()?;
        Ok(Self {
            options,
            queue,
            now_us: 0,
            next: 0,
            shelf: Shelf::new(options.fifo.is_some(), options.scan_limit),
            dedup: Deduplication::default(),
            attempts: Attempts::default(),
            calls: Calls::default(),
            purged_us: None,
            happenings: Vec::new(),
            dead: Vec::new(),
        })
    }

    /// Its attributes.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets attributes. Retention counts for what is there too. A new delay counts for what is delayed in a FIFO queue, and
    /// only for later messages in a standard one ("Amazon SQS delay queues" in the developer guide). A queue stays of its
    /// kind.
    ///
    /// # Errors
    /// An attribute out of range.
    pub fn configure(&mut self, now_us: u64, options: Options) -> Result<(), Fault> {
        options.check()?;
        if options.fifo.is_some() != self.options.fifo.is_some() {
            return Err(Fault::OutOfRange(Parameter::FifoThroughputLimit));
        }
        self.advance_to(now_us);
        let delay_us = options.delay_us;
        if options.fifo.is_some() && delay_us != self.options.delay_us {
            for number in self.shelf.numbers() {
                self.shelf.update(number, |stored| {
                    if let Place::Delayed { until_us } = &mut stored.place {
                        *until_us = stored.enqueued_us.saturating_add(delay_us);
                    }
                });
            }
        }
        self.options = options;
        self.advance_to(now_us);
        Ok(())
    }

    /// `SendMessage`.
    ///
    /// # Errors
    /// Why the message is not accepted.
    pub fn send(&mut self, now_us: u64, send: Send) -> Result<Sent, Fault> {
        self.advance_to(now_us);
        self.admit(Action::Send, &[send.group.unwrap_or(0)])?;
        self.check_kind(&send)?;
        if send.bytes > self.options.max_bytes {
            return Err(Fault::TooLong);
        }
        self.store(send)
    }

    /// `SendMessageBatch`: entries with their ids. What is wrong with one entry fails that entry alone, but a FIFO queue
    /// refuses the whole batch when a group or a deduplication id is missing, and nobody looks at `MaximumMessageSize` here,
    /// only at the length of all together (recorded on AWS).
    ///
    /// # Errors
    /// Why the whole batch is refused.
    pub fn send_batch(&mut self, now_us: u64, entries: &[(u64, Send)]) -> Result<Vec<Result<Sent, Fault>>, Fault> {
        self.advance_to(now_us);
        check_batch(entries.iter().map(|(id, _)| *id))?;
        let mut groups: Vec<u64> = entries.iter().map(|(_, send)| send.group.unwrap_or(0)).collect();
        crate::order::sort(&mut groups);
        groups.dedup();
        self.admit(Action::Send, &groups)?;
        if entries.iter().map(|(_, send)| u64::from(send.bytes)).sum::<u64>() > u64::from(LARGEST_BYTES) {
            return Err(Fault::BatchTooLong);
        }
        for (_, send) in entries {
            if let Err(fault @ (Fault::MissingGroup | Fault::MissingDeduplication)) = self.check_kind(send) {
                return Err(fault);
            }
        }
        Ok(entries.iter().map(|(_, send)| self.check_kind(send).and_then(|()| self.store(*send))).collect())
    }

    /// `ReceiveMessage`, without waiting.
    ///
    /// # Errors
    /// Why nothing can be received; an empty queue is no reason.
    pub fn receive(&mut self, now_us: u64, ask: Receive) -> Result<Vec<Received>, Fault> {
        self.advance_to(now_us);
        self.admit(Action::Receive, &[])?;
        self.receive_admitted(now_us, ask)
    }

    /// A receive that was counted when it began to wait.
    pub(super) fn receive_admitted(&mut self, now_us: u64, ask: Receive) -> Result<Vec<Received>, Fault> {
        self.advance_to(now_us);
        if !(1..=LARGEST_BATCH).contains(&ask.most) {
            return Err(Fault::OutOfRange(Parameter::MaxNumberOfMessages));
        }
        let visibility_us = ask.visibility_us.unwrap_or(self.options.visibility_us);
        if visibility_us > LONGEST_VISIBILITY_US {
            return Err(Fault::OutOfRange(Parameter::VisibilityTimeout));
        }
        let fifo = self.options.fifo.is_some();
        if let Some(id) = ask.attempt {
            if !fifo {
                return Err(Fault::WrongKind(Parameter::ReceiveRequestAttemptId));
            }
            if let Some(again) = self.again(id, visibility_us) {
                return Ok(again);
            }
        }
        let room = u64::from(self.options.in_flight_limit).saturating_sub(self.shelf.counts().held);
        if room == 0 {
            return if fifo || ask.long { Ok(Vec::new()) } else { Err(Fault::OverLimit) };
        }
        let taken = self.take(ask.consumer, u64::from(ask.most).min(room), visibility_us);
        if let Some(id) = ask.attempt.filter(|_| !taken.is_empty()) {
            let messages = taken.iter().map(|received| (received.copy.0, received.receives_here)).collect();
            self.attempts.remember(Attempt { id, until_us: now_us.saturating_add(DEDUPLICATION_US), messages });
        }
        if visibility_us == 0 {
            for received in &taken {
                self.give_back(received.copy.0, self.now_us, Why::Timeout);
            }
        }
        Ok(taken)
    }

    /// `DeleteMessage`. A message that was deleted before is accepted again. A standard queue deletes by the newest receipt
    /// handle even when the visibility timeout has passed; a FIFO queue refuses an expired one.
    ///
    /// # Errors
    /// A receipt handle that never was, or (FIFO) that has expired.
    pub fn delete(&mut self, now_us: u64, tag: Tag) -> Result<Deleted, Fault> {
        self.advance_to(now_us);
        self.admit(Action::Delete, &[])?;
        self.delete_one(tag)
    }

    /// `DeleteMessageBatch`: one call, an answer for each entry.
    ///
    /// # Errors
    /// Why the whole batch is refused.
    pub fn delete_batch(&mut self, now_us: u64, entries: &[(u64, Tag)]) -> Result<Vec<Result<Deleted, Fault>>, Fault> {
        self.advance_to(now_us);
        check_batch(entries.iter().map(|(id, _)| *id))?;
        self.admit(Action::Delete, &[])?;
        Ok(entries.iter().map(|(_, tag)| self.delete_one(*tag)).collect())
    }

    /// `ChangeMessageVisibility`: hides the message for so long from now; zero gives it back. A standard queue accepts any
    /// receipt handle of a message that is there, an old one too, and hides a message again that had come back (recorded on
    /// AWS); a FIFO queue accepts only that of a message in flight.
    ///
    /// # Errors
    /// A receipt handle that never was or does not fit, a timeout out of range, or more than 12 hours since the receive.
    pub fn change_visibility(&mut self, now_us: u64, tag: Tag, for_us: u64) -> Result<(), Fault> {
        self.advance_to(now_us);
        self.admit(Action::Change, &[])?;
        if for_us > LONGEST_VISIBILITY_US {
            return Err(Fault::OutOfRange(Parameter::VisibilityTimeout));
        }
        let (number, newest) = self.resolve(tag)?;
        let stored = *self.shelf.get(number).ok_or(Fault::NotInFlight)?;
        let held = matches!(stored.place, Place::Held { .. });
        if self.options.fifo.is_some() && !(held && newest) {
            return Err(Fault::NotInFlight);
        }
        if (self.now_us - stored.since_us).saturating_add(for_us) > LONGEST_VISIBILITY_US {
            return Err(Fault::BeyondTwelveHours);
        }
        self.attempts.forget_message(number);
        match (held, for_us) {
            (true, 0) => self.give_back(number, self.now_us, Why::Requeued),
            (false, 0) => {}
            (held, _) => {
                let until_us = self.now_us.saturating_add(for_us);
                self.shelf.update(number, |stored| stored.place = Place::Held { until_us });
                if !held {
                    self.tell(self.now_us, number, stored.body, What::Delivered(stored.consumer));
                }
            }
        }
        Ok(())
    }

    /// `PurgeQueue`: everything goes, in flight and delayed too, and with it what a FIFO queue knew of deduplication ids
    /// (recorded on AWS). The service takes up to a minute for it; here it is done at once.
    ///
    /// # Errors
    /// A purge within a minute of another.
    pub fn purge(&mut self, now_us: u64) -> Result<(), Fault> {
        self.advance_to(now_us);
        if self.purged_us.is_some_and(|at_us| self.now_us - at_us < PURGE_US) {
            return Err(Fault::PurgeInProgress);
        }
        self.purged_us = Some(self.now_us);
        for number in self.shelf.numbers() {
            self.drop_old(number, self.now_us);
        }
        self.dedup.clear();
        self.attempts.clear();
        Ok(())
    }

    /// Takes in a message that another queue gave up: it keeps its id and its receive count. A standard queue keeps its
    /// original time too, so that a message older than this queue's retention goes at once; a FIFO queue begins anew
    /// ("Setting up dead-letter queue retention" in the developer guide). No deduplication, no delay.
    pub fn accept(&mut self, now_us: u64, letter: Letter) -> CopyId {
        self.advance_to(now_us);
        let enqueued_us = if self.options.fifo.is_some() { self.now_us } else { letter.enqueued_us };
        let copy = self.keep(Letter { enqueued_us, ..letter }, 0);
        self.advance_to(now_us);
        copy
    }

    /// The id of the next new message.
    pub(super) fn next_id(&self) -> u64 {
        self.id(self.next + 1)
    }

    /// The message that a redrive task would take next.
    pub(super) fn next_letter(&self) -> Option<Letter> {
        self.shelf.first().and_then(|number| self.shelf.get(number)).map(letter)
    }

    /// Takes the first visible message out, as a redrive task does, for another queue to store as a new message.
    pub(super) fn withdraw(&mut self, now_us: u64, consumer: Consumer) -> Option<Letter> {
        self.advance_to(now_us);
        let number = self.shelf.first()?;
        let stored = self.shelf.remove(number)?;
        self.tell(self.now_us, number, stored.body, What::Delivered(consumer));
        self.tell(self.now_us, number, stored.body, What::Acked);
        Some(letter(&stored))
    }

    /// Stores a message that a redrive task took out of another queue: a new message, with an id and a time of its own, that
    /// was never received ("Configure a dead-letter queue redrive" in the developer guide).
    pub(super) fn renew(&mut self, now_us: u64, old: Letter) -> CopyId {
        self.advance_to(now_us);
        let id = self.id(self.next + 1);
        self.keep(Letter { id, enqueued_us: self.now_us, receives: 0, source: 0, ..old }, self.options.delay_us)
    }

    /// The messages that were received too often, since the last time someone asked, for their dead-letter queue to
    /// [`accept`](Queue::accept). Asking for the happenings forgets them.
    pub fn take_dead(&mut self) -> Vec<Letter> {
        std::mem::take(&mut self.dead)
    }

    pub(super) fn take_told(&mut self) -> Vec<Happening> {
        self.dead.clear();
        std::mem::take(&mut self.happenings)
    }

    pub(super) fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    pub(super) fn due_us(&self) -> Option<u64> {
        let timer = self.shelf.next_timer().map(|(due_us, _)| due_us);
        let age = self.shelf.oldest().map(|(since_us, _)| since_us.saturating_add(self.options.retention_us));
        timer.into_iter().chain(age).min()
    }

    /// Timers and retention up to now, in order; at one moment retention first.
    pub(super) fn advance_to(&mut self, now_us: u64) {
        while let Some(due_us) = self.due_us().filter(|due_us| *due_us <= now_us) {
            let at_us = due_us.max(self.now_us);
            let old = self.shelf.oldest().filter(|(since_us, _)| since_us.saturating_add(self.options.retention_us) == due_us);
            if let Some((_, number)) = old {
                self.drop_old(number, at_us);
            } else if let Some((_, number)) = self.shelf.next_timer() {
                self.give_back(number, at_us, Why::Timeout);
            }
        }
        self.now_us = self.now_us.max(now_us);
    }
}

/// What every batch call checks of the ids of its entries.
fn check_batch(ids: impl Iterator<Item = u64>) -> Result<(), Fault> {
    let mut ids: Vec<u64> = ids.collect();
    let count = ids.len();
    if count == 0 {
        return Err(Fault::EmptyBatch);
    }
    if count > LARGEST_BATCH as usize {
        return Err(Fault::TooManyEntries);
    }
    crate::order::sort(&mut ids);
    ids.dedup();
    if ids.len() == count { Ok(()) } else { Err(Fault::IdsNotDistinct) }
}
