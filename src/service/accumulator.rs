//! What a publisher to a log gathers before it sends it, as Kafka's clients do: a batch for each partition, sent when it is
//! full or has lingered. Source: `RecordAccumulator` and `BuiltInPartitioner` of Apache Kafka's Java client 4.0; KIP-480 and
//! KIP-794 for records without a key.
//!
//! What is gathered and not sent is in its publisher's memory and dies with it. A batch is one call, and its answer is the
//! answer for each of its records. Records that are sent again do not linger: those of one moment go together.

use super::request::BoundStep;
use crate::broker::log::Placed;
use crate::message::Message;
use crate::observe::record::{Cause, Kind};
use crate::scenario::choices::Partitioner;
use crate::sim::Timestamp;
use crate::world::{Body, Caller, Event, Purpose, Reply, World};

/// A record on its way to a log, and who sends it.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Who hears what became of it.
    pub caller: Caller,
    /// What is to be stored.
    pub message: Message,
}

/// Records for one partition that go together.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Its number at its accumulator.
    number: u32,
    partition: u32,
    /// Its records were sent before.
    again: bool,
    /// It takes no more, and goes in this very moment.
    full: bool,
    /// When its first record came.
    pub since_us: Timestamp,
    /// When it goes.
    pub due_us: Timestamp,
    bytes: u64,
    /// What is in it, oldest first; never empty.
    pub records: Vec<Record>,
}

/// What one part gathers for one log.
#[derive(Clone, Debug)]
pub struct Accumulator {
    /// Index of the part that publishes.
    pub part: u16,
    /// Index of the log among logs.
    log: u16,
    /// Batches begun so far.
    batches: u32,
    /// Records taken so far: whose turn it is among the partitions.
    taken: u64,
    /// Where records without a key go, and what has gone there in bytes.
    sticky: (u32, u64),
    /// What is gathered and not sent.
    pub open: Vec<Batch>,
    /// What is sent, by number: its log may still have to store it, or its publisher to hear of it.
    flying: Vec<Batch>,
}

impl Accumulator {
    /// The partition of a record without a key: one until a batch's worth has gone there. A batch that waits for more is not
    /// left behind, unless twice as much has (KIP-794). Simplified: the next one is the next in turn, not a random one.
    fn sticks(&mut self, width: u64, bytes: u64, batch_bytes: u64) -> u32 {
        let (partition, sent) = self.sticky;
        let waits = self.open.iter().any(|open| open.partition == partition && !open.full);
        self.sticky = if sent >= batch_bytes && (!waits || sent >= batch_bytes.saturating_mul(2)) {
            ((u64::from(partition) + 1).checked_rem(width).unwrap_or(0) as u32, bytes)
        } else {
            (partition, sent + bytes)
        };
        self.sticky.0
    }

    /// The batch that may take one more record for a partition.
    fn waiting(&mut self, partition: u32, again: bool) -> Option<&mut Batch> {
        self.open.iter_mut().find(|open| open.partition == partition && open.again == again && !open.full)
    }
}

impl World {
    /// A producer or a service publishes: at once, unless it is to a log for whose sake it gathers what it sends. `again` says
    /// that it has sent the message before. A reply that takes no time at all is returned; any other comes later.
    #[inline(always)]
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn publish(&mut self, caller: Caller, to: u16, message: Message, timeout_us: u64, again: bool) -> Option<Reply> {
        if let Body::Log(log) = self.parts[usize::from(to)].body
            && self.logs[usize::from(log)].settings.linger.0 > 0
        {
            self.gathers(Record { caller, message }, log, again);
            return None;
        }
        self.call(caller, to, Purpose::Store, message, timeout_us)
    }

    /// A record joins the batch of its partition, or begins one. Whatever is to go at once goes in an event of this moment:
    /// its publisher is not done with the record yet, and may have more.
    #[inline(never)]
    fn gathers(&mut self, record: Record, log: u16, again: bool) {
        let now_us = self.now_us;
        let (part, partitioner) = (self.caller_part(record.caller), self.partitioner(record.caller));
        let known = self.accumulators.iter().position(|known| known.part == part && known.log == log);
        let place = known.unwrap_or_else(|| {
            let (open, flying) = (Vec::new(), Vec::new());
            self.accumulators.push(Accumulator { part, log, batches: 0, taken: 0, sticky: (0, 0), open, flying });
            self.accumulators.len() - 1
        });
        let (index, log) = (place as u16, &self.logs[usize::from(log)]);
        let (width, bytes, most) = (log.partitions.len() as u64, log.settings.record_bytes, log.settings.batch_bytes);
        let accumulator = &mut self.accumulators[place];
        let partition = match partitioner {
            Partitioner::Murmur2 | Partitioner::Crc32 => log.partition_of(&record.message, partitioner),
            Partitioner::Sticky => accumulator.sticks(width, bytes, most),
            Partitioner::RoundRobin => accumulator.taken.checked_rem(width).unwrap_or(0) as u32,
        };
        accumulator.taken += 1;
        // One that has no room for the record takes no other: the next batch begins behind it.
        let batch = accumulator.waiting(partition, again);
        if let Some(batch) = batch.filter(|batch| batch.bytes.saturating_add(bytes) > most) {
            batch.full = true;
            batch.due_us = now_us;
            let number = batch.number;
            self.pending.after(now_us, 0, Event::Linger(index, number));
        }
        if accumulator.waiting(partition, again).is_none() {
            let linger_us = if again { 0 } else { log.settings.linger.0 };
            let (number, due_us) = (accumulator.batches, now_us + linger_us);
            accumulator.batches += 1;
            let (full, records) = (false, Vec::new());
            accumulator.open.push(Batch { number, partition, again, full, since_us: now_us, due_us, bytes: 0, records });
            self.pending.after(now_us, linger_us, Event::Linger(index, number));
        }
        let Some(batch) = accumulator.waiting(partition, again) else { return };
        batch.records.push(record);
        batch.bytes = batch.bytes.saturating_add(bytes);
        if batch.bytes >= most {
            batch.full = true;
            batch.due_us = now_us;
            let number = batch.number;
            self.pending.after(now_us, 0, Event::Linger(index, number));
        }
    }

    /// A batch has lingered, or is full; stale if it has gone, or has been given longer.
    pub(crate) fn lingered(&mut self, index: u16, number: u32) {
        let now_us = self.now_us;
        let open = &self.accumulators[usize::from(index)].open;
        if let Some(place) = open.iter().position(|open| open.number == number && open.due_us <= now_us) {
            self.batch_goes(index, place);
        }
    }

    /// Sends a batch: one call.
    fn batch_goes(&mut self, index: u16, place: usize) {
        let accumulator = &mut self.accumulators[usize::from(index)];
        let batch = accumulator.open.remove(place);
        let Some(first) = batch.records.first().map(|record| record.message) else { return };
        let (part, log) = (accumulator.part, self.logs[usize::from(accumulator.log)].part);
        let caller = Caller::Batch(index, batch.number);
        let place = accumulator.flying.partition_point(|known| known.number < batch.number);
        accumulator.flying.insert(place, batch);
        let timeout_us = match self.parts[usize::from(part)].body {
            Body::Producer(producer) => self.producers[usize::from(producer)].settings.timeout.0,
            Body::Service(service) => self.services[usize::from(service)].settings.timeout.0,
            _ => 0,
        };
        if let Some(reply) = self.call(caller, log, Purpose::StoreBatch, first, timeout_us) {
            self.batch_hears(caller, reply);
            self.batch_lands(caller);
        }
    }

    /// The records of a batch that is on its way, and where they go.
    pub(crate) fn batch_of(&self, caller: Caller) -> (Placed, Vec<Record>) {
        let found = self.batch_at(caller).map(|(index, place)| &self.accumulators[index].flying[place]);
        found.map_or((Placed::At(0), Vec::new()), |batch| (Placed::At(batch.partition), batch.records.clone()))
    }

    /// Where a batch is that is on its way: its accumulator, and its place there.
    fn batch_at(&self, caller: Caller) -> Option<(usize, usize)> {
        let Caller::Batch(index, number) = caller else { return None };
        let flying = &self.accumulators[usize::from(index)].flying;
        Some((usize::from(index), flying.binary_search_by_key(&number, |batch| batch.number).ok()?))
    }

    /// A log with one replica stores a batch. Says why, where it refuses it.
    pub(crate) fn batch_stores(&mut self, log: u16, caller: Caller) -> Cause {
        let (placed, records) = self.batch_of(caller);
        let refused = self.sequence_refuses_any(&records);
        if refused == Cause::None {
            self.log_takes(log, placed, &records);
            records.iter().for_each(|record| self.sequence_stored(record.caller));
        }
        refused
    }

    /// Each record of a batch is drawn on its way.
    pub(crate) fn batch_hops(&mut self, caller: Caller, server: u16, takes_us: u64) {
        let from = self.caller_part(caller);
        for record in self.batch_of(caller).1 {
            self.hop(from, server, record.message.fact, takes_us);
        }
    }

    /// The answer for a batch does not arrive.
    pub(crate) fn batch_unanswered(&mut self, caller: Caller, server: u16) {
        for record in self.batch_of(caller).1 {
            self.note(Kind::AckLost, server, record.message.fact, 0, 0);
        }
    }

    /// What a log says of a batch it says of each of its records. Who is gone hears nothing.
    pub(crate) fn batch_hears(&mut self, caller: Caller, reply: Reply) {
        for record in self.batch_of(caller).1 {
            match record.caller {
                Caller::Producer(producer, held) => self.producer_hears(producer, held, reply),
                Caller::Request(service, request) => self.request_hears(service, request, reply),
                Caller::Relay(..) | Caller::Job(..) | Caller::Batch(..) => {}
            }
        }
    }

    /// A call is over: nobody asks for its batch again.
    #[inline(always)]
    pub(crate) fn batch_lands(&mut self, caller: Caller) {
        if let Caller::Batch(..) = caller
            && let Some((index, place)) = self.batch_at(caller)
        {
            self.accumulators[index].flying.remove(place);
        }
    }

    /// A publisher's process dies with what it has gathered. What it has sent arrives all the same.
    pub(crate) fn gathered_dies(&mut self, part: u16) {
        self.accumulators.iter_mut().filter(|known| known.part == part).for_each(|known| known.open.clear());
    }

    /// A publisher waits for room in its buffer: what it has gathered goes without lingering, as `RecordAccumulator` has it.
    pub(crate) fn gathered_goes(&mut self, part: u16) {
        for index in (0..self.accumulators.len()).filter(|index| self.accumulators[*index].part == part).collect::<Vec<_>>() {
            while !self.accumulators[index].open.is_empty() {
                self.batch_goes(index as u16, 0);
            }
        }
    }

    /// Settings of a log were changed: what is gathered for it lingers for as long as they say now.
    pub(crate) fn linger_changed(&mut self, log: u16) {
        let now_us = self.now_us;
        let linger_us = self.logs[usize::from(log)].settings.linger.0;
        for index in 0..self.accumulators.len() {
            let accumulator = &mut self.accumulators[index];
            if accumulator.log != log {
                continue;
            }
            for open in accumulator.open.iter_mut().filter(|open| !open.full && !open.again) {
                open.due_us = open.since_us.saturating_add(linger_us).max(now_us);
                let number = open.number;
                self.pending.at(open.due_us, Event::Linger(index as u16, number));
            }
            // Without a linger records are sent one by one from now on: they are not to overtake those.
            while linger_us == 0 && !self.accumulators[index].open.is_empty() {
                self.batch_goes(index as u16, 0);
            }
        }
    }

    /// Whether a part gathers what it publishes at all, and how many records it has gathered.
    pub(crate) fn gathered(&self, part: u16) -> Option<u64> {
        let lingers = |to: u16| match self.parts[usize::from(to)].body {
            Body::Log(log) => self.logs[usize::from(log)].settings.linger.0 > 0,
            _ => false,
        };
        let gathers = match self.parts[usize::from(part)].body {
            Body::Producer(index) => lingers(self.producers[usize::from(index)].to),
            Body::Service(index) => {
                let mut steps = self.services[usize::from(index)].steps.iter();
                steps.any(|step| matches!(step, BoundStep::Publish(to) if lingers(*to)))
            }
            _ => false,
        };
        gathers.then(|| self.open_batches(part).map(|open| open.records.len() as u64).sum())
    }

    /// The batches that a part has gathered and not sent.
    pub(crate) fn open_batches(&self, part: u16) -> impl Iterator<Item = &Batch> {
        self.accumulators.iter().filter(move |known| known.part == part).flat_map(|known| &known.open)
    }

    /// Whether everything that is gathered is in its publisher's memory.
    pub(crate) fn gathered_is_held(&self) -> bool {
        let held = |record: &Record| match record.caller {
            Caller::Producer(index, held) => self.producers[usize::from(index)].memory.get(held).is_some(),
            Caller::Request(index, request) => self.services[usize::from(index)].requests.get(request).is_some(),
            Caller::Relay(..) | Caller::Job(..) | Caller::Batch(..) => false,
        };
        self.accumulators.iter().flat_map(|known| &known.open).flat_map(|open| &open.records).all(held)
    }
}
