//! A producer: where messages or shoppers come from.

use super::sequence::Lane;
use crate::message::Message;
use crate::observe::record::{Cause, Kind};
use crate::scenario::choices::{Arrivals, Full};
use crate::scenario::parts::ProducerSettings;
use crate::sim::{Handle, Latency, Micros, Slab, Stream};
use crate::world::{Body, Caller, Event, Reply, World};

/// A message in a producer's memory: sent, not confirmed.
#[derive(Clone, Copy, Debug)]
pub struct HeldMessage {
    /// The message.
    pub message: Message,
    /// How often it was sent.
    pub tries: u64,
    /// Its place among those that are stored in order: partition and number.
    pub place: Option<(u32, u32)>,
}

/// The state of a producer.
#[derive(Clone, Debug)]
pub struct Producer {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: ProducerSettings,
    /// Index of the part that gets the messages.
    pub to: u16,
    /// The effects that a message may lead to.
    pub effects: u8,
    /// Sent and not confirmed.
    pub memory: Slab<HeldMessage>,
    /// Of these, what is not stored, by partition: where a log stores in order.
    pub lanes: Vec<Lane>,
    /// How many have come.
    pub serial: u32,
    /// For each listed message: the fact it tells of, once that is born.
    pub listed: Vec<ListedFact>,
    /// Rest of the division that gives the gap between two messages, so that a rate is kept exactly.
    pub residue: u64,
    /// Times the rate, in thousandths, while a burst lasts.
    pub burst_milli: u64,
    /// Which burst it is.
    pub burst: u32,
    /// No further message is scheduled.
    pub asleep: bool,
    /// It waits for room in its buffer before the next one comes.
    pub blocked: bool,
    /// When messages come.
    pub arrivals: Stream,
    /// Which keys they have.
    pub keys: Stream,
}

/// A listed message, resolved.
#[derive(Clone, Copy, Debug)]
pub struct ListedFact {
    /// The position in the list of the first message with this id.
    pub first: u32,
    /// The fact, once it is born.
    pub fact: Option<u32>,
}

impl Producer {
    /// The gap to the next message in microseconds; none when no more come.
    fn gap_us(&mut self, now_us: u64) -> Option<u64> {
        if !self.listed.is_empty() {
            let next = self.settings.messages.0.get(self.serial as usize)?;
            return Some(next.at.map_or(0, |at| at.0.saturating_sub(now_us)));
        }
        let usual_milli = self.settings.rate.milli;
        // Asked for each message: most of the time there is no burst, and nothing to multiply.
        let milli = if self.burst_milli == 1_000 { usual_milli } else { usual_milli.saturating_mul(self.burst_milli) / 1_000 };
        if milli == 0 || (self.settings.limit > 0 && u64::from(self.serial) >= self.settings.limit) {
            return None;
        }
        const SECOND: u64 = 1_000_000_000;
        match self.settings.arrivals {
            Arrivals::Constant => {
                let total = SECOND + self.residue;
                self.residue = total % milli;
                Some(total / milli)
            }
            Arrivals::Poisson => {
                // Sampled in nanoseconds: at 20,000 a second a gap is only a few microseconds.
                let gap_ns = Latency::Exponential(Micros(SECOND * 1_000 / milli)).sample_us(&mut self.arrivals) + self.residue;
                self.residue = gap_ns % 1_000;
                Some(gap_ns / 1_000)
            }
        }
    }

    fn key(&mut self, serial: u32) -> u32 {
        let keys = self.settings.keys as u32;
        if keys == 0 {
            return (self.settings.first_id as u32).wrapping_add(serial);
        }
        if self.keys.hits(self.settings.hot_key) { 0 } else { self.keys.below(keys) }
    }
}

impl World {
    /// Schedules a producer's next message.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn producer_schedules(&mut self, index: u16) {
        let now_us = self.now_us;
        let gap_us = self.producers[usize::from(index)].gap_us(now_us);
        self.producers[usize::from(index)].asleep = gap_us.is_none();
        if let Some(gap_us) = gap_us {
            self.pending.after(now_us, gap_us, Event::Emit(index));
        }
    }

    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn producer_emits(&mut self, index: u16) {
        let producer = &mut self.producers[usize::from(index)];
        let part = producer.part;
        let serial = producer.serial;
        if self.parts[usize::from(part)].health.out() || self.parts[usize::from(part)].health.paused {
            // Nobody comes while the source is shut; listed ones come later.
            if producer.listed.is_empty() {
                self.producer_schedules(index);
            } else {
                self.pending.after(self.now_us, 100_000, Event::Emit(index));
            }
            return;
        }
        let full = self.producer_is_full(index);
        if full == Some(Full::Pause) {
            self.producers[usize::from(index)].blocked = true;
            return self.gathered_goes(part);
        }
        if full == Some(Full::Grow) {
            return self.producer_runs_over(index);
        }
        let producer = &mut self.producers[usize::from(index)];
        producer.serial += 1;
        let (key, poison, tombstone, known) = match producer.settings.messages.0.get(serial as usize) {
            Some(listed) => {
                let key = listed.key.map_or_else(|| producer.settings.first_id as u32 + serial, |key| key as u32);
                let first = producer.listed[serial as usize].first;
                (key, listed.poison, listed.tombstone, producer.listed[first as usize].fact)
            }
            None => {
                let key = producer.key(serial);
                let (share, none) = (producer.settings.poison, producer.settings.tombstones);
                let chance = &mut self.parts[usize::from(part)].errors;
                (key, chance.hits(share), none.0 > 0 && chance.hits(none), None)
            }
        };
        let health = &mut self.parts[usize::from(part)].health;
        let poison = poison || health.poison_next > 0;
        health.poison_next = health.poison_next.saturating_sub(1);
        let fact = known.unwrap_or_else(|| self.observer.born(self.now_us, part, key, serial));
        let producer = &mut self.producers[usize::from(index)];
        if let Some(place) = producer.listed.get(serial as usize).map(|listed| listed.first as usize) {
            producer.listed[place].fact = Some(fact);
        }
        let message = Message { stored_us: self.now_us, fact, key, receives: 0, effects: producer.effects, poison, tombstone };
        self.producer_schedules(index);
        let (to, effects, timeout_us) = {
            let producer = &self.producers[usize::from(index)];
            (producer.to, producer.effects, producer.settings.timeout.0)
        };
        self.parts[usize::from(part)].counters.received += 1;
        if let Body::Service(service) = self.parts[usize::from(to)].body {
            self.parts[usize::from(part)].counters.done += 1;
            self.request_begins(service, part, message);
            return;
        }
        match full {
            Some(Full::Reject) => {
                self.parts[usize::from(part)].counters.errors += 1;
                self.note(Kind::Asked, part, fact, 0, 0);
                self.note(Kind::Refused, part, fact, 0, Cause::BufferFull as u64);
                return;
            }
            Some(Full::Drop) => {
                self.parts[usize::from(part)].counters.errors += 1;
                self.note(Kind::Held, part, fact, effects, 0);
                self.note(Kind::GaveUp, part, fact, effects, Cause::BufferFull as u64);
                return;
            }
            Some(Full::Grow | Full::Pause) | None => {}
        }
        let held = self.producers[usize::from(index)].memory.insert(HeldMessage { message, tries: 1, place: None });
        let place = self.sequence_begins(index, held, serial, &message);
        if place.is_some()
            && let Some(entry) = self.producers[usize::from(index)].memory.get_mut(held)
        {
            entry.place = place;
        }
        let reply = self.publish(Caller::Producer(index, held), to, message, timeout_us, false);
        if reply != Some(Reply::Done) {
            self.note(Kind::Held, part, fact, effects, 0);
            if let Some(refused) = reply {
                self.producer_hears(index, held, refused);
            }
            return;
        }
        // Stored and confirmed in no time at all: it was never only in memory.
        self.producers[usize::from(index)].memory.free(held);
        if place.is_some() {
            self.sequence_leaves(index, place);
        }
        self.parts[usize::from(part)].counters.done += 1;
    }

    pub(crate) fn producer_hears(&mut self, index: u16, held: Handle, reply: Reply) {
        let producer = &mut self.producers[usize::from(index)];
        let part = producer.part;
        let Some(entry) = producer.memory.get_mut(held) else { return };
        let HeldMessage { message, tries, place } = *entry;
        match reply {
            Reply::Done => {
                producer.memory.free(held);
                self.sequence_leaves(index, place);
                self.parts[usize::from(part)].counters.done += 1;
                self.note(Kind::Released, part, message.fact, message.effects, 0);
                self.producer_has_room(index);
            }
            Reply::Failed(Cause::OutOfSequence) => {
                // No try of its own: it could not have been stored.
                entry.tries -= 1;
                self.sequence_waits(index, place);
            }
            Reply::Failed(_) => {
                let given_up = producer.settings.attempts > 0 && tries >= producer.settings.attempts;
                let retry_us = producer.settings.retry.0;
                self.parts[usize::from(part)].counters.errors += 1;
                self.note(Kind::PublishFailed, part, message.fact, 0, tries);
                if given_up {
                    self.producers[usize::from(index)].memory.free(held);
                    self.sequence_leaves(index, place);
                    self.note(Kind::GaveUp, part, message.fact, message.effects, Cause::PublishGivenUp as u64);
                    self.producer_has_room(index);
                } else {
                    self.pending.after(self.now_us, retry_us, Event::Resend(index, held));
                }
            }
        }
    }

    pub(crate) fn producer_resends(&mut self, index: u16, held: Handle) {
        let producer = &mut self.producers[usize::from(index)];
        let (to, timeout_us) = (producer.to, producer.settings.timeout.0);
        let Some(entry) = producer.memory.get_mut(held) else { return };
        entry.tries += 1;
        let message = entry.message;
        if let Some(reply) = self.publish(Caller::Producer(index, held), to, message, timeout_us, true) {
            self.producer_hears(index, held, reply);
        }
    }

    /// What it does with the next message, where there is no room for it.
    fn producer_is_full(&self, index: u16) -> Option<Full> {
        let producer = &self.producers[usize::from(index)];
        let (held, settings) = (u64::from(producer.memory.len()), &producer.settings);
        if settings.memory > 0 && held >= settings.memory {
            return Some(Full::Grow);
        }
        (settings.buffer > 0 && held >= settings.buffer && settings.full != Full::Grow).then_some(settings.full)
    }

    /// There is room in the buffer: whoever waited for it comes.
    pub(crate) fn producer_has_room(&mut self, index: u16) {
        if self.producers[usize::from(index)].blocked && self.producer_is_full(index) != Some(Full::Pause) {
            self.producers[usize::from(index)].blocked = false;
            self.pending.after(self.now_us, 0, Event::Emit(index));
        }
    }

    /// The memory is full: the process dies, and comes back empty.
    fn producer_runs_over(&mut self, index: u16) {
        let now_us = self.now_us;
        let producer = &self.producers[usize::from(index)];
        let (part, restart_us) = (producer.part, producer.settings.restart.0);
        self.note_part(Kind::Crashed, part, 0);
        self.producer_forgets(index, Cause::OutOfMemory);
        let health = &mut self.parts[usize::from(part)].health;
        health.since_us = now_us;
        health.restarting_until_us = Some(now_us + restart_us);
        self.pending.after(now_us, restart_us, Event::Restart(part, 0));
        // Who comes meanwhile finds nobody.
        self.pending.after(now_us, 0, Event::Emit(index));
    }

    /// The producer's process dies with everything in its memory.
    pub(crate) fn producer_forgets(&mut self, index: u16, cause: Cause) {
        let producer = &mut self.producers[usize::from(index)];
        let part = producer.part;
        let held: Vec<(Handle, Message)> = producer.memory.iter().map(|(handle, entry)| (handle, entry.message)).collect();
        producer.lanes.clear();
        self.gathered_dies(part);
        self.transactions_of(index, true);
        for (handle, message) in held {
            self.producers[usize::from(index)].memory.free(handle);
            self.note(Kind::GaveUp, part, message.fact, message.effects, cause as u64);
        }
        self.producer_has_room(index);
    }

    pub(crate) fn burst_over(&mut self, index: u16, number: u32) {
        let producer = &mut self.producers[usize::from(index)];
        if producer.burst == number {
            producer.burst_milli = 1_000;
        }
    }
}
