//! One queue: what its calls do.
//!
//! A receive hides what it gives for the visibility timeout and hands out a receipt handle for this one receive. A receipt
//! handle is a [`Tag`]: the number of the message in this queue, and which receive of it that was.

use super::fault::{Fault, Parameter};
use super::memory::{Action, Attempt, Attempts, Calls, Deduplication, Seen};
use super::options::{
    DEDUPLICATION_US, Fifo, LARGEST_BATCH, LARGEST_BYTES, LONGEST_DELAY_US, LONGEST_VISIBILITY_US, Options, SECOND_US, Scope,
    StaleDelete,
};
use super::shelf::{Place, Shelf, Stored};
use crate::server::{Consumer, CopyId, Happening, Tag, What, Why};

/// Bits of a receipt handle that say which receive of its message it is.
const RECEIVE_BITS: u32 = 24;
const RECEIVE_MASK: u64 = (1 << RECEIVE_BITS) - 1;
/// Bits of a message id that say which message of its queue it was.
const ID_BITS: u32 = 48;
/// How long a purge keeps another from being asked for.
const PURGE_US: u64 = 60 * SECOND_US;

/// What a producer sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// What it is about.
    pub body: u64,
    /// `MessageGroupId`. A FIFO queue must have one; a standard queue only keeps it.
    pub group: Option<u64>,
    /// `MessageDeduplicationId`. FIFO only.
    pub dedup: Option<u64>,
    /// `DelaySeconds` of this message, in microseconds. Standard only.
    pub delay_us: Option<u64>,
    /// How long it is.
    pub bytes: u32,
    /// It has only characters that a message may have.
    pub readable: bool,
}

impl Send {
    /// A short message without group, deduplication id or delay.
    #[must_use]
    pub const fn new(body: u64) -> Self {
        Self { body, group: None, dedup: None, delay_us: None, bytes: 1, readable: true }
    }
}

/// What the queue says to a send that it accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its message id; that of the first one for a repeat.
    pub id: u64,
    /// FIFO: its sequence number, larger for each message of the queue.
    pub sequence: Option<u64>,
    /// The copy, where it was stored; `None` for a repeat, which is accepted and not delivered.
    pub copy: Option<CopyId>,
}

/// What a consumer asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receive {
    /// Who asks.
    pub consumer: Consumer,
    /// `MaxNumberOfMessages`: 1…10.
    pub most: u32,
    /// `VisibilityTimeout` of this receive instead of the queue's, in microseconds.
    pub visibility_us: Option<u64>,
    /// `ReceiveRequestAttemptId`. FIFO only.
    pub attempt: Option<u64>,
    /// It is a long poll, to which a standard queue does not say `OverLimit`.
    pub long: bool,
}

impl Receive {
    /// A short poll for up to so many.
    #[must_use]
    pub const fn new(consumer: Consumer, most: u32) -> Self {
        Self { consumer, most, visibility_us: None, attempt: None, long: false }
    }
}

/// A message in the hands of a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The copy.
    pub copy: CopyId,
    /// Its message id.
    pub id: u64,
    /// What it is about.
    pub body: u64,
    /// Its message group; 0 for none.
    pub group: u64,
    /// The receipt handle of this receive.
    pub tag: Tag,
    /// `ApproximateReceiveCount`: in all queues that it has been in.
    pub receives: u32,
    /// How often it was received from this queue.
    pub receives_here: u32,
    /// `SentTimestamp`.
    pub enqueued_us: u64,
}

/// A message on its way from one queue to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Its message id.
    pub id: u64,
    /// What it is about.
    pub body: u64,
    /// Its message group; 0 for none.
    pub group: u64,
    /// When retention began to count.
    pub enqueued_us: u64,
    /// How often it was received in all.
    pub receives: u32,
    /// The queue whose dead letter it is, counted from 1; 0 for none.
    pub source: u32,
}

/// What a delete that was accepted did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// Deleted while in flight.
    InFlight,
    /// Deleted after its visibility timeout had passed, not received again since.
    Late,
    /// Nothing: deleted before, or kept because the receipt handle is an old one.
    Nothing,
}

/// A queue.
#[derive(Clone, Debug)]
pub struct Queue {
    options: Options,
    /// Its number among queues, in the high bits of the message ids it gives.
    queue: u32,
    now_us: u64,
    next: u64,
    shelf: Shelf,
    dedup: Deduplication,
    attempts: Attempts,
    calls: Calls,
    purged_us: Option<u64>,
    happenings: Vec<Happening>,
    dead: Vec<Letter>,
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
                        *until_us = stored.enqueued_us + delay_us;
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
        groups.sort_unstable();
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
            self.attempts.remember(Attempt { id, until_us: now_us + DEDUPLICATION_US, messages });
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
                let until_us = self.now_us + for_us;
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
        if self.purged_us.is_some_and(|at_us| self.now_us < at_us + PURGE_US) {
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

    fn admit(&mut self, action: Action, groups: &[u64]) -> Result<(), Fault> {
        let Some(Fifo { throughput, .. }) = self.options.fifo else { return Ok(()) };
        if self.calls.admit(self.now_us, throughput, action, groups) { Ok(()) } else { Err(Fault::Throttled) }
    }

    fn check_kind(&self, send: &Send) -> Result<(), Fault> {
        match self.options.fifo {
            None if send.dedup.is_some() => Err(Fault::WrongKind(Parameter::MessageDeduplicationId)),
            None => Ok(()),
            Some(_) if send.group.is_none() => Err(Fault::MissingGroup),
            Some(fifo) if send.dedup.is_none() && !fifo.content_based => Err(Fault::MissingDeduplication),
            Some(_) if send.delay_us.unwrap_or(0) > 0 => Err(Fault::WrongKind(Parameter::DelaySeconds)),
            Some(_) => Ok(()),
        }
    }

    fn store(&mut self, send: Send) -> Result<Sent, Fault> {
        if !send.readable {
            return Err(Fault::Contents);
        }
        let fifo = self.options.fifo;
        let delay_us = if fifo.is_some() { None } else { send.delay_us }.unwrap_or(self.options.delay_us);
        if delay_us > LONGEST_DELAY_US {
            return Err(Fault::OutOfRange(Parameter::DelaySeconds));
        }
        let group = send.group.unwrap_or(0);
        let number = self.next + 1;
        let id = self.id(number);
        if let Some(fifo) = fifo {
            let scope = match fifo.scope {
                Scope::Queue => 0,
                Scope::MessageGroup => group,
            };
            let key = (scope, send.dedup.unwrap_or(send.body));
            if let Some(Seen { id, sequence }) = self.dedup.find(self.now_us, key) {
                return Ok(Sent { id, sequence: Some(sequence), copy: None });
            }
            self.dedup.remember(self.now_us + fifo.window_us, key, Seen { id, sequence: number });
        }
        let letter = Letter { id, body: send.body, group, enqueued_us: self.now_us, receives: 0, source: 0 };
        let copy = self.keep(letter, delay_us);
        Ok(Sent { id, sequence: fifo.map(|_| number), copy: Some(copy) })
    }

    fn keep(&mut self, letter: Letter, delay_us: u64) -> CopyId {
        self.next += 1;
        let number = self.next;
        let (place, what) = if delay_us == 0 {
            (self.shelf.visible(), What::Stored)
        } else {
            (Place::Delayed { until_us: self.now_us + delay_us }, What::Delayed)
        };
        let stored = Stored {
            id: letter.id,
            body: letter.body,
            group: letter.group,
            enqueued_us: letter.enqueued_us,
            since_us: self.now_us,
            consumer: Consumer(0),
            receives: letter.receives,
            receives_here: 0,
            source: letter.source,
            place,
        };
        self.shelf.insert(number, stored);
        self.tell(self.now_us, number, letter.body, what);
        CopyId(number)
    }

    /// Takes what a receive gets; puts aside on the way what was received too often.
    fn take(&mut self, consumer: Consumer, most: u64, visibility_us: u64) -> Vec<Received> {
        let mut taken = Vec::new();
        let mut next = self.shelf.first();
        while let Some(number) = next.filter(|_| (taken.len() as u64) < most) {
            let Some(stored) = self.shelf.get(number).copied() else { break };
            if self.options.max_receives.is_some_and(|most| stored.receives_here >= most) {
                self.shelf.remove(number);
                self.attempts.forget_message(number);
                self.tell(self.now_us, number, stored.body, What::DeadLettered(Why::Limit));
                self.dead.push(letter(&stored));
            } else {
                taken.push(self.hand_out(number, stored, consumer, visibility_us));
            }
            let in_group = self.options.fifo.and_then(|_| self.shelf.next_in_group(number, stored.group));
            next = in_group.or_else(|| self.shelf.first());
        }
        taken
    }

    fn hand_out(&mut self, number: u64, mut stored: Stored, consumer: Consumer, visibility_us: u64) -> Received {
        stored.receives = stored.receives.saturating_add(1);
        stored.receives_here = stored.receives_here.saturating_add(1);
        stored.since_us = self.now_us;
        stored.consumer = consumer;
        stored.place = Place::Held { until_us: self.now_us + visibility_us };
        self.shelf.update(number, |kept| *kept = stored);
        self.tell(self.now_us, number, stored.body, What::Delivered(consumer));
        told(number, &stored)
    }

    /// The same messages with the same receipt handles, hidden anew, when a receive is asked for again and none of them was
    /// touched since.
    fn again(&mut self, id: u64, visibility_us: u64) -> Option<Vec<Received>> {
        let attempt = self.attempts.find(self.now_us, id)?;
        let until_us = self.now_us + visibility_us;
        let same = |(number, receives_here): &(u64, u32)| {
            let stored = self.shelf.get(*number)?;
            let held = matches!(stored.place, Place::Held { .. }) && stored.receives_here == *receives_here;
            held.then(|| told(*number, stored))
        };
        let received: Vec<Received> = attempt.messages.iter().map(same).collect::<Option<_>>()?;
        for (number, _) in attempt.messages {
            self.shelf.update(number, |stored| stored.place = Place::Held { until_us });
        }
        Some(received)
    }

    fn delete_one(&mut self, tag: Tag) -> Result<Deleted, Fault> {
        let (number, newest) = self.resolve(tag)?;
        let Some(stored) = self.shelf.get(number) else { return Ok(Deleted::Nothing) };
        let held = matches!(stored.place, Place::Held { .. });
        let goes = match (self.options.fifo, self.options.stale_delete) {
            (Some(_), _) if !(held && newest) => return Err(Fault::HandleExpired),
            (Some(_), _) | (None, StaleDelete::Deletes) => true,
            (None, StaleDelete::Keeps) => newest,
        };
        if !goes {
            return Ok(Deleted::Nothing);
        }
        let body = stored.body;
        self.shelf.remove(number);
        self.attempts.forget_message(number);
        self.tell(self.now_us, number, body, if held { What::Acked } else { What::AckedLate });
        Ok(if held { Deleted::InFlight } else { Deleted::Late })
    }

    /// The message of a receipt handle, and whether it is of its newest receive. A message that is gone has only newest ones.
    fn resolve(&self, tag: Tag) -> Result<(u64, bool), Fault> {
        let (number, receive) = (tag.0 >> RECEIVE_BITS, tag.0 & RECEIVE_MASK);
        if number == 0 || number > self.next || receive == 0 {
            return Err(Fault::GarbageHandle);
        }
        match self.shelf.get(number).map(|stored| u64::from(stored.receives_here)) {
            Some(receives) if receive > receives => Err(Fault::GarbageHandle),
            Some(receives) => Ok((number, receive == receives)),
            None => Ok((number, true)),
        }
    }

    fn give_back(&mut self, number: u64, at_us: u64, why: Why) {
        let Some(stored) = self.shelf.get(number).copied() else { return };
        let visible = self.shelf.visible();
        self.shelf.update(number, |stored| stored.place = visible);
        let what = match stored.place {
            Place::Delayed { .. } => What::Ripened,
            Place::Held { .. } | Place::Ready { .. } => What::Returned(why),
        };
        self.tell(at_us, number, stored.body, what);
    }

    fn drop_old(&mut self, number: u64, at_us: u64) {
        let Some(stored) = self.shelf.remove(number) else { return };
        self.attempts.forget_message(number);
        let what = match stored.place {
            Place::Held { .. } => What::DroppedHeld(Why::Retention),
            Place::Ready { .. } | Place::Delayed { .. } => What::Dropped(Why::Retention),
        };
        self.tell(at_us, number, stored.body, what);
    }

    fn id(&self, number: u64) -> u64 {
        u64::from(self.queue) << ID_BITS | number
    }

    fn tell(&mut self, at_us: u64, number: u64, body: u64, what: What) {
        self.happenings.push(Happening { at_us, copy: CopyId(number), body, what });
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
    ids.sort_unstable();
    ids.dedup();
    if ids.len() == count { Ok(()) } else { Err(Fault::IdsNotDistinct) }
}

fn letter(stored: &Stored) -> Letter {
    Letter {
        id: stored.id,
        body: stored.body,
        group: stored.group,
        enqueued_us: stored.enqueued_us,
        receives: stored.receives,
        source: stored.source,
    }
}

fn told(number: u64, stored: &Stored) -> Received {
    Received {
        copy: CopyId(number),
        id: stored.id,
        body: stored.body,
        group: stored.group,
        tag: Tag(number << RECEIVE_BITS | u64::from(stored.receives_here) & RECEIVE_MASK),
        receives: stored.receives,
        receives_here: stored.receives_here,
        enqueued_us: stored.enqueued_us,
    }
}
