//! What happens to a message inside of a queue.

use super::fault::{Fault, Parameter};
use super::memory::{Action, Seen};
use super::message::{Deleted, Letter, Received, Send, Sent};
use super::options::{Fifo, LONGEST_DELAY_US, Scope, StaleDelete};
use super::queue::Queue;
use super::shelf::{Place, Stored};
use crate::server::{Consumer, CopyId, Happening, Tag, What, Why};

/// Bits of a receipt handle that say which receive of its message it is.
const RECEIVE_BITS: u32 = 24;
const RECEIVE_MASK: u64 = (1 << RECEIVE_BITS) - 1;
/// Bits of a message id that say which message of its queue it was.
const ID_BITS: u32 = 48;
impl Queue {
    pub(super) fn admit(&mut self, action: Action, groups: &[u64]) -> Result<(), Fault> {
        let Some(Fifo { throughput, .. }) = self.options.fifo else { return Ok(()) };
        if self.calls.admit(self.now_us, throughput, action, groups) { Ok(()) } else { Err(Fault::Throttled) }
    }

    pub(super) fn check_kind(&self, send: &Send) -> Result<(), Fault> {
        match self.options.fifo {
            None if send.dedup.is_some() => Err(Fault::WrongKind(Parameter::MessageDeduplicationId)),
            None => Ok(()),
            Some(_) if send.group.is_none() => Err(Fault::MissingGroup),
            Some(fifo) if send.dedup.is_none() && !fifo.content_based => Err(Fault::MissingDeduplication),
            Some(_) if send.delay_us.unwrap_or(0) > 0 => Err(Fault::WrongKind(Parameter::DelaySeconds)),
            Some(_) => Ok(()),
        }
    }

    pub(super) fn store(&mut self, send: Send) -> Result<Sent, Fault> {
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
            self.dedup.remember(self.now_us.saturating_add(fifo.window_us), key, Seen { id, sequence: number });
        }
        let letter = Letter { id, body: send.body, group, enqueued_us: self.now_us, receives: 0, source: 0 };
        let copy = self.keep(letter, delay_us);
        Ok(Sent { id, sequence: fifo.map(|_| number), copy: Some(copy) })
    }

    pub(super) fn keep(&mut self, letter: Letter, delay_us: u64) -> CopyId {
        self.next += 1;
        let number = self.next;
        let (place, what) = if delay_us == 0 {
            (self.shelf.visible(), What::Stored)
        } else {
            (Place::Delayed { until_us: self.now_us.saturating_add(delay_us) }, What::Delayed(delay_us))
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
    pub(super) fn take(&mut self, consumer: Consumer, most: u64, visibility_us: u64) -> Vec<Received> {
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

    pub(super) fn hand_out(&mut self, number: u64, mut stored: Stored, consumer: Consumer, visibility_us: u64) -> Received {
        stored.receives = stored.receives.saturating_add(1);
        stored.receives_here = stored.receives_here.saturating_add(1);
        stored.since_us = self.now_us;
        stored.consumer = consumer;
        stored.place = Place::Held { until_us: self.now_us.saturating_add(visibility_us) };
        self.shelf.update(number, |kept| *kept = stored);
        self.tell(self.now_us, number, stored.body, What::Delivered(consumer));
        told(number, &stored)
    }

    /// The same messages with the same receipt handles, hidden anew, when a receive is asked for again and none of them was
    /// touched since.
    pub(super) fn again(&mut self, id: u64, visibility_us: u64) -> Option<Vec<Received>> {
        let attempt = self.attempts.find(self.now_us, id)?;
        let until_us = self.now_us.saturating_add(visibility_us);
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

    pub(super) fn delete_one(&mut self, tag: Tag) -> Result<Deleted, Fault> {
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
    pub(super) fn resolve(&self, tag: Tag) -> Result<(u64, bool), Fault> {
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

    pub(super) fn give_back(&mut self, number: u64, at_us: u64, why: Why) {
        let Some(stored) = self.shelf.get(number).copied() else { return };
        let visible = self.shelf.visible();
        self.shelf.update(number, |stored| stored.place = visible);
        let what = match stored.place {
            Place::Delayed { .. } => What::Ripened,
            Place::Held { .. } | Place::Ready { .. } => What::Returned(why),
        };
        self.tell(at_us, number, stored.body, what);
    }

    pub(super) fn drop_old(&mut self, number: u64, at_us: u64) {
        let Some(stored) = self.shelf.remove(number) else { return };
        self.attempts.forget_message(number);
        let what = match stored.place {
            Place::Held { .. } => What::DroppedHeld(Why::Retention),
            Place::Ready { .. } | Place::Delayed { .. } => What::Dropped(Why::Retention),
        };
        self.tell(at_us, number, stored.body, what);
    }

    pub(super) fn id(&self, number: u64) -> u64 {
        u64::from(self.queue) << ID_BITS | number
    }

    pub(super) fn tell(&mut self, at_us: u64, number: u64, body: u64, what: What) {
        self.happenings.push(Happening { at_us, copy: CopyId(number), body, what });
    }
}

/// The message as it goes to another queue.
pub(super) fn letter(stored: &Stored) -> Letter {
    Letter {
        id: stored.id,
        body: stored.body,
        group: stored.group,
        enqueued_us: stored.enqueued_us,
        receives: stored.receives,
        source: stored.source,
    }
}

/// The message as its consumer gets it.
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
