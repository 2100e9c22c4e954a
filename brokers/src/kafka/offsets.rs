//! Where a group goes on reading: what it committed, for how long that is kept, and where it begins without it.
//!
//! Source: `OffsetMetadataManager` and `OffsetExpirationConditionImpl` of Apache Kafka 4.0; KIP-211, KIP-320, KIP-1106;
//! the consumer's `auto.offset.reset`.

use super::error::Error;
use super::replica::EpochStart;

/// How committed offsets are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `offsets.retention.minutes`: how long after the group became empty.
    pub retention_us: u64,
    /// `offsets.retention.check.interval.ms`.
    pub check_us: u64,
}

impl Default for Options {
    /// What Kafka 4.0 ships.
    fn default() -> Self {
        Self { retention_us: 604_800_000_000, check_us: 600_000_000 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Committed {
    partition: u64,
    offset: u64,
    at_us: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    id: u64,
    members: u32,
    /// Since when it has no members; [`None`] for one that never had any: each of its offsets then ages by itself.
    empty_us: Option<u64>,
    offsets: Vec<Committed>,
}

impl Group {
    /// From when on an offset may go.
    fn base_us(&self, committed: &Committed) -> Option<u64> {
        (self.members == 0).then(|| self.empty_us.unwrap_or(committed.at_us))
    }
}

/// The committed offsets of all groups.
#[derive(Clone, Debug)]
pub struct Offsets {
    options: Options,
    started_us: u64,
    done_us: u64,
    /// By group.
    groups: Vec<Group>,
}

impl Offsets {
    /// Nothing committed.
    #[must_use]
    pub fn new(now_us: u64, options: Options) -> Self {
        Self { options, started_us: now_us, done_us: now_us, groups: Vec::new() }
    }

    /// A group commits: it will go on at this offset.
    pub fn commit(&mut self, now_us: u64, group: u64, partition: u64, offset: u64) {
        self.advance(now_us);
        let offsets = &mut self.group(group).offsets;
        let committed = Committed { partition, offset, at_us: now_us };
        match offsets.iter_mut().find(|known| known.partition == partition) {
            Some(known) => *known = committed,
            None => offsets.push(committed),
        }
    }

    /// How many members the group has now.
    pub fn members(&mut self, now_us: u64, group: u64, members: u32) {
        self.advance(now_us);
        let group = self.group(group);
        if members > 0 {
            group.empty_us = None;
        } else if group.members > 0 {
            group.empty_us = Some(now_us);
        }
        group.members = members;
    }

    /// What the group committed, if it is still kept.
    #[must_use]
    pub fn committed(&self, group: u64, partition: u64) -> Option<u64> {
        let group = self.groups.iter().find(|known| known.id == group)?;
        group.offsets.iter().find(|known| known.partition == partition).map(|known| known.offset)
    }

    /// The next check that finds an offset to remove.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let ends = self.groups.iter().flat_map(|group| group.offsets.iter().filter_map(|known| group.base_us(known)));
        let end_us = ends.min()?.saturating_add(self.options.retention_us).max(self.done_us.saturating_add(1));
        let every_us = self.options.check_us.max(1);
        let since_us = end_us.saturating_sub(self.started_us);
        let due_us = self.started_us.saturating_add(since_us.div_ceil(every_us).saturating_mul(every_us));
        (due_us < u64::MAX).then_some(due_us)
    }

    /// Removes what is too old, up to now.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            self.done_us = due_us;
            for group in &mut self.groups {
                let old = |base_us: u64| due_us.saturating_sub(base_us) >= self.options.retention_us;
                let mut offsets = std::mem::take(&mut group.offsets);
                offsets.retain(|known| !group.base_us(known).is_some_and(old));
                group.offsets = offsets;
            }
            self.groups.retain(|group| group.members > 0 || !group.offsets.is_empty());
        }
        self.done_us = self.done_us.max(now_us);
    }

    fn group(&mut self, id: u64) -> &mut Group {
        let place = self.groups.binary_search_by_key(&id, |group| group.id).unwrap_or_else(|place| {
            self.groups.insert(place, Group { id, members: 0, empty_us: None, offsets: Vec::new() });
            place
        });
        &mut self.groups[place]
    }
}

/// `auto.offset.reset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// The oldest record there is.
    Earliest,
    /// What is produced from now on.
    Latest,
    /// Say so to the application.
    None,
    /// `by_duration`: the first record younger than this many microseconds.
    ByDuration(u64),
}

/// Where a consumer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this offset.
    At(u64),
    /// At the first record written at this moment or later, or at the end.
    Since(u64),
}

/// Where a consumer begins to read a partition. `end` is the high watermark, or the last stable offset for
/// `read_committed`. A committed offset outside of the log counts as none.
///
/// # Errors
/// With [`Reset::None`]: [`Error::NoOffsetForPartition`] without a committed offset, [`Error::OffsetOutOfRange`] with one that
/// the log does not have.
pub fn begin(now_us: u64, committed: Option<u64>, start: u64, end: u64, reset: Reset) -> Result<Start, Error> {
    if let Some(offset) = committed.filter(|offset| (start..=end).contains(offset)) {
        return Ok(Start::At(offset));
    }
    match reset {
        Reset::Earliest => Ok(Start::At(start)),
        Reset::Latest => Ok(Start::At(end)),
        Reset::ByDuration(us) => Ok(Start::Since(now_us.saturating_sub(us))),
        Reset::None if committed.is_none() => Err(Error::NoOffsetForPartition),
        Reset::None => Err(Error::OffsetOutOfRange),
    }
}

/// Where the log a reader followed and the new leader's log part: the reader is told to go back there (KIP-320).
/// `epoch` is that of the last record it read, `position` the offset it would read next.
#[must_use]
pub fn diverged_at(position: u64, epoch: u32, lineage: &[EpochStart], end: u64) -> Option<u64> {
    let known = lineage.partition_point(|entry| entry.epoch <= epoch);
    let end_of_epoch = lineage.get(known).map_or(end, |next| next.from);
    (end_of_epoch < position).then_some(end_of_epoch)
}

/// How far a reader is behind. To the high watermark it counts records that `read_committed` cannot read; to the last stable
/// offset it is what the reader has left to do.
#[must_use]
pub fn lag(position: u64, end: u64) -> u64 {
    end.saturating_sub(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_sent_back_to_where_the_new_leader_began() {
        let lineage = [EpochStart { epoch: 1, from: 0 }, EpochStart { epoch: 4, from: 10 }];
        let check =
            |position, epoch, expect| assert_eq!(diverged_at(position, epoch, &lineage, 15), expect, "{position} {epoch}");
        check(10, 1, None);
        check(12, 1, Some(10));
        check(12, 3, Some(10));
        check(12, 4, None);
        check(16, 4, Some(15));
    }
}
