//! Transactions on a log: what is written in one counts for `read_committed` readers once it is over and was not aborted.
//!
//! The last stable offset is a machine's of `redrive-brokers`. A transaction ends with a marker, a record that no reader
//! gets, in each partition that it wrote to. Simplified: a producer commits in the moment in which the last message of the
//! transaction is stored.

use redrive_brokers::kafka::isolation::Isolation;
use redrive_brokers::kafka::partition::Acks;
use redrive_brokers::sorted::SortedMap;

use super::log::{Log, Placed};
use super::replicas::NOBODY;
use crate::message::Message;
use crate::observe::record::{Kind, NO_FACT, pack_place};
use crate::scenario::choices;
use crate::sim::Timestamp;
use crate::world::{Caller, Event, World};

/// When a marker that could not be written is tried again.
const AGAIN_US: u64 = 1_000_000;

/// A transaction that is not over.
#[derive(Clone, Debug)]
struct Open {
    since_us: Timestamp,
    /// Goes up with every transaction of the log: older timers are stale.
    number: u32,
    messages: u64,
    /// Partitions that it wrote to and that have no marker yet.
    partitions: Vec<u32>,
    /// How it ends, once that is decided.
    commits: Option<bool>,
}

/// The transactions of a log.
#[derive(Clone, Debug, Default)]
pub struct Transactions {
    stable: Vec<Isolation>,
    /// By producer, an index among producers.
    open: SortedMap<u16, Open>,
    begun: u32,
}

impl Transactions {
    /// Since when the oldest open transaction is open.
    #[must_use]
    pub fn oldest_us(&self) -> Option<Timestamp> {
        self.open.values().map(|open| open.since_us).min()
    }

    /// A partition ends at this offset now.
    pub fn truncate(&mut self, partition: usize, end: u64) {
        if let Some(stable) = self.stable.get_mut(partition) {
            stable.truncate(end);
        }
    }
}

impl Log {
    /// The first offset of a partition that a `read_committed` reader may not read.
    #[must_use]
    pub fn last_stable(&self, partition: usize) -> u64 {
        let end = self.high_watermark(partition);
        self.transactions.as_ref().and_then(|known| known.stable.get(partition)).map_or(end, |stable| stable.last_stable(end))
    }

    /// Up to where a group may read a partition.
    #[must_use]
    pub fn readable_for(&self, partition: usize, isolation: choices::Isolation, from: choices::FetchFrom) -> u64 {
        let readable = match from {
            choices::FetchFrom::Leader => self.readable(partition),
            choices::FetchFrom::Nearest => self.readable_near(partition),
        };
        match isolation {
            choices::Isolation::Uncommitted => readable,
            choices::Isolation::Committed => readable.min(self.last_stable(partition)),
        }
    }
}

impl World {
    /// A log has stored a record of this publisher: it may be part of a transaction, and the last one of it.
    pub(super) fn transaction_writes(&mut self, index: u16, caller: Caller, place: (u32, u64)) {
        let Caller::Producer(producer, _) = caller else { return };
        let settings = &self.producers[usize::from(producer)].settings;
        let (size, timeout_us) = (settings.transaction, settings.transaction_timeout.0);
        if size == 0 {
            return;
        }
        let now_us = self.now_us;
        let log = &mut self.logs[usize::from(index)];
        let known = log.transactions.get_or_insert_default();
        known.stable.resize(log.partitions.len(), Isolation::default());
        known.stable[place.0 as usize].wrote(u64::from(producer), place.1);
        if !known.open.contains_key(producer) {
            known.begun += 1;
            let number = known.begun;
            known.open.insert(producer, Open { since_us: now_us, number, messages: 0, partitions: Vec::new(), commits: None });
            self.pending.after(now_us, timeout_us, Event::TransactionOver(index, producer, number));
        }
        let Some(open) = known.open.get_mut(producer) else { return };
        open.messages += 1;
        if !open.partitions.contains(&place.0) {
            open.partitions.push(place.0);
        }
        if open.messages >= size {
            self.transaction_ends(index, producer, true);
        }
    }

    /// A transaction may have been open for too long, or could not be ended before.
    pub(crate) fn transaction_over(&mut self, index: u16, producer: u16, number: u32) {
        let now_us = self.now_us;
        let timeout_us = self.producers[usize::from(producer)].settings.transaction_timeout.0;
        let known = self.logs[usize::from(index)].transactions.as_ref();
        let Some(open) = known.and_then(|known| known.open.get(producer)).filter(|open| open.number == number) else { return };
        let due_us = open.since_us.saturating_add(timeout_us);
        match open.commits {
            Some(commits) => self.transaction_ends(index, producer, commits),
            None if due_us <= now_us => self.transaction_ends(index, producer, false),
            None => self.pending.at(due_us, Event::TransactionOver(index, producer, number)),
        }
    }

    /// A producer is another process now, or has another timeout: what it had open is aborted, or looked at again.
    pub(crate) fn transactions_of(&mut self, producer: u16, aborts: bool) {
        for index in 0..self.logs.len() as u16 {
            let known = self.logs[usize::from(index)].transactions.as_ref();
            let Some(number) = known.and_then(|known| known.open.get(producer)).map(|open| open.number) else { continue };
            if aborts {
                self.transaction_ends(index, producer, false);
            } else {
                self.transaction_over(index, producer, number);
            }
        }
    }

    /// Writes the markers that end a transaction; what has no leader for the moment gets its marker later.
    fn transaction_ends(&mut self, index: u16, producer: u16, commits: bool) {
        let part = self.logs[usize::from(index)].part;
        let marker =
            Message { stored_us: self.now_us, fact: NO_FACT, key: 0, receives: 0, effects: 0, poison: false, tombstone: false };
        let Some(known) = self.logs[usize::from(index)].transactions.as_mut() else { return };
        let Some(open) = known.open.get_mut(producer) else { return };
        open.commits = Some(commits);
        let number = open.number;
        for partition in open.partitions.clone() {
            let offset = if self.logs[usize::from(index)].replicas.is_some() {
                match self.replicas_append(index, marker, Placed::At(partition), Acks::Leader, NOBODY) {
                    Ok((_, offset, _)) => offset,
                    Err(_) => continue,
                }
            } else {
                self.logs[usize::from(index)].push(partition, marker)
            };
            self.note_part(Kind::TransactionEnded, part, pack_place(partition, u64::from(commits)));
            let from = self.logs[usize::from(index)].last_stable(partition as usize);
            if let Some(known) = self.logs[usize::from(index)].transactions.as_mut() {
                known.stable[partition as usize].ended(u64::from(producer), offset, commits);
                if let Some(open) = known.open.get_mut(producer) {
                    open.partitions.retain(|other| *other != partition);
                }
            }
            if !commits {
                self.transaction_undone(index, producer, partition, from, offset);
            }
            let log = &mut self.logs[usize::from(index)];
            let (start, end) = (log.partitions[partition as usize].start(), log.high_watermark(partition as usize));
            if let Some(known) = log.transactions.as_mut() {
                known.stable[partition as usize].prune(start, end);
            }
        }
        let Some(known) = self.logs[usize::from(index)].transactions.as_mut() else { return };
        if known.open.get(producer).is_some_and(|open| open.partitions.is_empty()) {
            known.open.remove(producer);
        } else {
            self.pending.after(self.now_us, AGAIN_US, Event::TransactionOver(index, producer, number));
        }
        self.replicas_settle(index);
        self.wake(part);
    }

    /// Whether a record was written in a transaction that was aborted.
    pub(super) fn is_aborted(&self, index: u16, partition: usize, offset: u64, fact: u32) -> bool {
        let Some(known) = &self.logs[usize::from(index)].transactions else { return false };
        let Some(producer) = self.observer.ledger.fact(fact).map(|fact| fact.producer) else { return false };
        let number = self.producers.iter().position(|known| known.part == producer).map_or(u64::MAX, |number| number as u64);
        known.stable.get(partition).is_some_and(|stable| stable.is_aborted(number, offset))
    }

    /// Nobody who reads committed records only will ever get these.
    fn transaction_undone(&mut self, index: u16, producer: u16, partition: u32, from: u64, to: u64) {
        let part = self.logs[usize::from(index)].part;
        let producer_part = self.producers[usize::from(producer)].part;
        for group in self.logs[usize::from(index)].groups.clone() {
            let worker = &self.workers[usize::from(group)];
            let effect = 1_u8 << worker.effect;
            let Some(committed) = worker.group.as_ref().map(|group| group.committed[partition as usize]) else { continue };
            if worker.settings.isolation == choices::Isolation::Uncommitted {
                continue;
            }
            for offset in from.max(committed)..to {
                let Some(record) = self.logs[usize::from(index)].partitions[partition as usize].get(offset).copied() else {
                    continue;
                };
                let own = self.observer.ledger.fact(record.fact).is_some_and(|fact| fact.producer == producer_part);
                if own && self.is_aborted(index, partition as usize, offset, record.fact) && record.effects & effect != 0 {
                    let log = &mut self.logs[usize::from(index)];
                    log.marked += 1;
                    if let Some(record) = log.partitions[partition as usize].get_mut(offset) {
                        record.effects &= !effect;
                    }
                    self.note(Kind::Aborted, part, record.fact, effect, pack_place(partition, offset));
                }
            }
        }
    }
}
