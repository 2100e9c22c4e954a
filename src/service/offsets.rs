//! Where a group reads on: what becomes of its offsets when they expire, are missing, or are set to another place.

use super::worker::Source;
use crate::observe::record::{Kind, pack_place};
use crate::scenario::choices::StartFrom;
use crate::world::World;

impl World {
    /// Looks whether a group has been without members for longer than its offsets are kept.
    pub(crate) fn offsets_expire(&mut self, index: u16) {
        let now_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        let (part, keep_us) = (worker.part, worker.settings.offsets_retention.0);
        let Some(group) = &mut worker.group else { return };
        if worker.processes.iter().any(|hands| hands.up || hands.ghost) {
            group.idle_since_us = None;
            return;
        }
        let since_us = *group.idle_since_us.get_or_insert(now_us);
        if now_us - since_us >= keep_us && !group.forgotten {
            group.forgotten = true;
            self.note_part(Kind::OffsetsExpired, part, 0);
        }
    }

    /// A group whose offsets are gone begins where its settings say.
    pub(super) fn group_begins(&mut self, index: u16) {
        let worker = &mut self.workers[usize::from(index)];
        let (start_from, source) = (worker.settings.start_from, worker.source);
        let Some(group) = &mut worker.group else { return };
        let (true, Source::Log(log)) = (std::mem::take(&mut group.forgotten), source) else { return };
        for partition in 0..self.logs[usize::from(log)].partitions.len() {
            self.group_resets(index, log, partition, start_from);
        }
    }

    /// A group is given partitions that came after it: it begins there where its settings say.
    pub(super) fn group_meets(&mut self, index: u16, fresh: &[u32]) {
        let worker = &self.workers[usize::from(index)];
        let (start_from, Source::Log(log)) = (worker.settings.start_from, worker.source) else { return };
        for partition in fresh {
            self.group_resets(index, log, *partition as usize, start_from);
        }
    }

    /// A group has no offset for a partition, or one that the log no longer has.
    pub(crate) fn group_resets(&mut self, index: u16, log: u16, partition: usize, start_from: StartFrom) {
        let end = self.logs[usize::from(log)].high_watermark(partition);
        match start_from {
            StartFrom::Earliest => {
                let start = self.logs[usize::from(log)].partitions[partition].start();
                self.group_moves(index, log, partition, start, Kind::Passed);
            }
            StartFrom::Latest => self.group_moves(index, log, partition, end, Kind::PassedUnread),
            StartFrom::None => {
                let part = self.workers[usize::from(index)].part;
                let group = self.workers[usize::from(index)].group.as_mut();
                if group.is_some_and(|group| !std::mem::replace(&mut group.stopped, true)) {
                    self.note_part(Kind::NoOffset, part, 0);
                }
            }
        }
    }

    /// Sets a group back in a partition, or forward past records that it has not read.
    fn group_moves(&mut self, index: u16, log: u16, partition: usize, target: u64, forward: Kind) {
        let worker = &self.workers[usize::from(index)];
        let (effect, log_part) = (1_u8 << worker.effect, self.logs[usize::from(log)].part);
        let Some(committed) = worker.group.as_ref().map(|group| group.committed[partition]) else { return };
        let tape = &self.logs[usize::from(log)].partitions[partition];
        let (kind, from, to) = if target < committed { (Kind::Rewound, target, committed) } else { (forward, committed, target) };
        let facts: Vec<(u64, u32)> = (from..to)
            .filter_map(|offset| {
                tape.get(offset).filter(|record| record.effects & effect != 0).map(|record| (offset, record.fact))
            })
            .collect();
        for (offset, fact) in facts {
            self.note(kind, log_part, fact, effect, pack_place(partition as u32, offset));
        }
        if let Some(group) = &mut self.workers[usize::from(index)].group {
            group.committed[partition] = target;
            group.position[partition] = target;
        }
    }

    /// Sets a group back, or forward, to other offsets. Batches under way are not committed any more.
    pub(crate) fn rewind(&mut self, index: u16, log: u16, to_us: Option<u64>) {
        for partition in 0..self.logs[usize::from(log)].partitions.len() {
            let log_state = &self.logs[usize::from(log)];
            let target = match to_us {
                None => log_state.partitions[partition].start(),
                Some(at_us) => log_state.offset_at(partition, at_us).min(log_state.high_watermark(partition)),
            };
            self.group_moves(index, log, partition, target, Kind::PassedUnread);
        }
        if let Some(group) = &mut self.workers[usize::from(index)].group {
            group.generation += 1;
            group.forgotten = false;
            group.stopped = false;
        }
        self.worker_fills(index);
    }
}
