//! Compaction at work in a world: of every key a log keeps the newest record, and a reader that is behind gets only that.
//!
//! Which records go is a machine's of `redrive-brokers`. What goes keeps its offset, as a place that no reader stops at.
//! Source: `LogCleaner` and `LogCleanerManager` of Apache Kafka 4.0. A cleaner that found nothing to do looks again after
//! `log.cleaner.backoff.ms`, 15 s; a pass itself takes no time here.

use redrive_brokers::kafka::compaction::{Options, Record};

use super::log::Log;
use crate::observe::record::{COMPACTED, Kind, pack_place};
use crate::world::World;

/// How often the cleaners look.
const BACKOFF_US: u64 = 15_000_000;

fn options(log: &Log) -> Options {
    let settings = &log.settings;
    Options {
        dirty_ppm: u64::from(settings.dirty_ratio.0),
        tombstone_us: settings.tombstones.0,
        min_lag_us: settings.min_compaction_lag.0,
        max_lag_us: Some(settings.max_compaction_lag.0).filter(|lag_us| *lag_us > 0),
    }
}

impl World {
    /// Lets the cleaners of a log look, where it is compacted and they are due.
    pub(super) fn compacts(&mut self, index: u16) {
        let now_us = self.now_us;
        let log = &mut self.logs[usize::from(index)];
        if !log.compacts() || log.cleaning_us > now_us {
            return;
        }
        log.cleaning_us = now_us + BACKOFF_US;
        let options = options(log);
        for partition in 0..self.logs[usize::from(index)].partitions.len() {
            let log = &self.logs[usize::from(index)];
            // The active segment and young ones are left alone, and so is what is not decided.
            let until = log.segments[partition].cleanable(now_us, options.min_lag_us).min(log.last_stable(partition));
            let records = self.cleanable(index, partition, until);
            if log.cleaners[partition].is_due(now_us, &options, until, &records) {
                let cleaner = &mut self.logs[usize::from(index)].cleaners[partition];
                for offset in cleaner.clean(now_us, &options, until, &records) {
                    self.compacts_away(index, partition, offset);
                }
            }
        }
    }

    /// The records of a partition below an offset, as the cleaner sees them. One whose transaction was aborted replaces none.
    fn cleanable(&self, index: u16, partition: usize, until: u64) -> Vec<Record> {
        let log = &self.logs[usize::from(index)];
        let bytes = log.settings.record_bytes;
        log.partitions[partition]
            .iter_from(0)
            .take_while(|(offset, _)| *offset < until)
            .filter(|(offset, record)| record.fact < COMPACTED && !self.is_aborted(index, partition, *offset, record.fact))
            .map(|(offset, record)| Record {
                offset,
                key: u64::from(record.key),
                bytes,
                at_us: record.stored_us,
                tombstone: record.tombstone,
            })
            .collect()
    }

    /// A newer record of its key replaces this one, or it is a tombstone whose time is over.
    fn compacts_away(&mut self, index: u16, partition: usize, offset: u64) {
        let log = &mut self.logs[usize::from(index)];
        let (part, bytes, groups) = (log.part, log.settings.record_bytes, log.groups.clone());
        let Some(slot) = log.partitions[partition].get_mut(offset) else { return };
        let record = std::mem::replace(slot, crate::message::Message { fact: COMPACTED, effects: 0, ..*slot });
        log.marked += 1;
        log.segments[partition].removed(offset, bytes);
        for group in groups {
            let worker = &self.workers[usize::from(group)];
            let effect = 1_u8 << worker.effect;
            let committed = worker.group.as_ref().map_or(0, |group| group.committed[partition]);
            if record.effects & effect != 0 && committed <= offset {
                self.note(Kind::CompactedUnread, part, record.fact, effect, pack_place(partition as u32, offset));
            }
        }
    }
}
