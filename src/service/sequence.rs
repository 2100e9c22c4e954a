//! The order in which a producer's records are stored, where the log recognises repeats.
//!
//! An idempotent producer numbers what it sends to a partition, and the leader refuses what does not follow on
//! (OUT_OF_ORDER_SEQUENCE_NUMBER, `ProducerAppendInfo` of Apache Kafka): a record that comes before an earlier one of its
//! partition is sent again once that is stored. Simplified: any number of records may be on their way at once.

use std::collections::VecDeque;

use super::accumulator::Record;
use crate::message::Message;
use crate::observe::record::Cause;
use crate::scenario::choices::Partitioner;
use crate::sim::Handle;
use crate::world::{Body, Caller, Event, World};

/// How many that have waited for another are sent at once.
const TOGETHER: usize = 500;

/// A record that is not stored.
#[derive(Clone, Copy, Debug)]
struct Unstored {
    /// Its number at the producer.
    serial: u32,
    held: Handle,
    /// It was refused and waits for the one before it.
    waits: bool,
}

/// The records for one partition that are not stored, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    unstored: VecDeque<Unstored>,
    waiting: u32,
}

impl Lane {
    /// The place of the record with this number; where it would be, if it is not there.
    fn find(&self, serial: u32) -> Result<usize, usize> {
        self.unstored.binary_search_by_key(&serial, |record| record.serial)
    }

    fn add(&mut self, serial: u32, held: Handle) {
        if let Err(place) = self.find(serial) {
            self.unstored.insert(place, Unstored { serial, held, waits: false });
        }
    }
}

impl World {
    /// A producer sends a record for the first time. Gives its place in order, where there is one: partition and number.
    pub(super) fn sequence_begins(&mut self, index: u16, held: Handle, serial: u32, message: &Message) -> Option<(u32, u32)> {
        let producer = &mut self.producers[usize::from(index)];
        let Body::Log(log) = self.parts[usize::from(producer.to)].body else { return None };
        let log = &self.logs[usize::from(log)];
        let partitioner = producer.settings.partitioner;
        let by_key = matches!(partitioner, Partitioner::Murmur2 | Partitioner::Crc32);
        if !by_key || !log.settings.idempotent_publish {
            return None;
        }
        let place = (log.partition_of(message, partitioner), serial);
        if producer.lanes.len() < log.partitions.len() {
            producer.lanes.resize(log.partitions.len(), Lane::default());
        }
        producer.lanes[place.0 as usize].add(serial, held);
        Some(place)
    }

    /// Why a log refuses a record of this publisher: an earlier one of its partition is not stored.
    pub(crate) fn sequence_refuses(&self, caller: Caller) -> Cause {
        let earlier = matches!(self.earlier(caller), Some((_, 1..)));
        if earlier { Cause::OutOfSequence } else { Cause::None }
    }

    /// Why a log refuses a batch: an earlier record of the partition is neither stored nor before it in the batch. It is
    /// refused as a whole, as its numbers are those of its first record and those that follow.
    pub(crate) fn sequence_refuses_any(&self, records: &[Record]) -> Cause {
        // A record keeps its partition while a log gets more: those of one batch may be of several.
        let mut lanes: Vec<(u32, usize)> = Vec::new();
        for (partition, earlier) in records.iter().filter_map(|record| self.earlier(record.caller)) {
            let known = lanes.iter().position(|(known, _)| *known == partition).unwrap_or(lanes.len());
            if known == lanes.len() {
                lanes.push((partition, 0));
            }
            if earlier > lanes[known].1 {
                return Cause::OutOfSequence;
            }
            lanes[known].1 += 1;
        }
        Cause::None
    }

    /// The partition of a record that is not stored, and how many before it are not stored either; none where that is not
    /// looked at.
    fn earlier(&self, caller: Caller) -> Option<(u32, usize)> {
        let Caller::Producer(index, held) = caller else { return None };
        let producer = &self.producers[usize::from(index)];
        let (partition, serial) = producer.memory.get(held)?.place?;
        let place = producer.lanes.get(partition as usize)?.find(serial).ok()?;
        Some((partition, place))
    }

    /// A record of this publisher is stored.
    pub(crate) fn sequence_stored(&mut self, caller: Caller) {
        let Caller::Producer(index, held) = caller else { return };
        let place = self.producers[usize::from(index)].memory.get(held).and_then(|entry| entry.place);
        self.sequence_leaves(index, place);
    }

    /// A record is stored, or given up: those that wait for it are sent again.
    pub(super) fn sequence_leaves(&mut self, index: u16, place: Option<(u32, u32)>) {
        let now_us = self.now_us;
        let Some((partition, serial)) = place else { return };
        let Some(lane) = self.producers[usize::from(index)].lanes.get_mut(partition as usize) else { return };
        if let Ok(place) = lane.find(serial)
            && let Some(left) = lane.unstored.remove(place)
        {
            lane.waiting -= u32::from(left.waits);
        }
        if lane.waiting == 0 {
            return;
        }
        for record in lane.unstored.iter_mut().take(TOGETHER).filter(|record| record.waits) {
            record.waits = false;
            lane.waiting -= 1;
            self.pending.after(now_us, 0, Event::Resend(index, record.held));
        }
    }

    /// A record was refused for an earlier one: it is sent again after that.
    pub(super) fn sequence_waits(&mut self, index: u16, place: Option<(u32, u32)>) {
        let Some((partition, serial)) = place else { return };
        let Some(lane) = self.producers[usize::from(index)].lanes.get_mut(partition as usize) else { return };
        let Ok(place) = lane.find(serial) else { return };
        let record = &mut lane.unstored[place];
        if place == 0 {
            // The one before it is stored by now.
            self.pending.after(self.now_us, 0, Event::Resend(index, record.held));
        } else if !std::mem::replace(&mut record.waits, true) {
            lane.waiting += 1;
        }
    }

    /// Another leader does not have these records: those whose producers have no answer yet have to be stored again.
    pub(crate) fn sequence_lost(&mut self, log_part: u16, gone: &[(u64, Message)]) {
        for producer in self.producers.iter_mut().filter(|producer| producer.to == log_part) {
            for (held, entry) in producer.memory.iter() {
                if let Some((partition, serial)) = entry.place
                    && gone.iter().any(|(_, record)| record.fact == entry.message.fact)
                    && let Some(lane) = producer.lanes.get_mut(partition as usize)
                {
                    lane.add(serial, held);
                }
            }
        }
    }
}
