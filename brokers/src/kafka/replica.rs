//! One replica of a partition: where its log ends, which leaders wrote it, and what the leader knows of it.
//!
//! A record is named by its offset and the epoch of the leader that took it; two logs hold the same record at an offset
//! exactly when they have the same epoch there. Source: KIP-101, `LeaderEpochFileCache` and `Replica` of Apache Kafka.

/// From this offset on, records were taken by the leader of this epoch, up to the next entry or the log's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochStart {
    /// The leader's epoch.
    pub epoch: u32,
    /// The first offset it wrote.
    pub from: u64,
}

/// A replica's log without its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    end: u64,
    lineage: Vec<EpochStart>,
}

impl Log {
    /// The offset that the next record gets.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Which leader wrote what, oldest first. At most one entry for each election.
    #[must_use]
    pub fn lineage(&self) -> &[EpochStart] {
        &self.lineage
    }

    /// The epoch of the record at an offset, if it is in this log.
    #[must_use]
    pub fn epoch_at(&self, offset: u64) -> Option<u32> {
        (offset < self.end).then(|| self.lineage.iter().rev().find(|entry| entry.from <= offset))?.map(|entry| entry.epoch)
    }

    /// Where this log and another begin to differ.
    #[must_use]
    pub fn common_end(&self, other: &Self) -> u64 {
        let mut common = 0;
        for (place, (ours, theirs)) in self.lineage.iter().zip(&other.lineage).enumerate() {
            if ours != theirs {
                break;
            }
            let (until, other_until) = (self.entry_end(place), other.entry_end(place));
            common = until.min(other_until);
            if until != other_until {
                break;
            }
        }
        common
    }

    fn entry_end(&self, place: usize) -> u64 {
        self.lineage.get(place + 1).map_or(self.end, |next| next.from)
    }

    pub(super) fn append(&mut self, epoch: u32, records: u64) {
        if records > 0 && self.lineage.last().is_none_or(|last| last.epoch != epoch) {
            self.lineage.push(EpochStart { epoch, from: self.end });
        }
        self.end = self.end.saturating_add(records);
    }

    /// Cuts everything from this offset on.
    pub(super) fn truncate(&mut self, end: u64) {
        self.end = self.end.min(end);
        let end = self.end;
        self.lineage.retain(|entry| entry.from < end);
    }

    /// Takes another log's content up to an offset. The two must agree up to this one's end.
    pub(super) fn copy_from(&mut self, leader: &Self, end: u64) {
        if self.lineage.last() != leader.lineage.last() {
            self.lineage.clear();
            self.lineage.extend(leader.lineage.iter().filter(|entry| entry.from < end));
        }
        self.end = end;
    }
}

/// What a broker's process is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It runs.
    Up,
    /// It hangs: its sockets are open, nothing answers. A long pause of its virtual machine, a stuck disk, `SIGSTOP`.
    Frozen,
    /// It is gone.
    Down,
    /// It was started again and waits for its old session to run out.
    Starting,
}

/// What a follower is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fetch {
    /// Follows nobody: it leads, is not running, or there is no leader.
    Off,
    /// The leader has answered: the follower stores it, then asks again. [`NEVER`] where the follower hangs.
    Answered { stored_us: u64, arrives_us: u64, end: u64, high_watermark: u64 },
    /// Everything is copied; the request stays with the leader until there is more, or `replica.fetch.wait.max.ms` is over.
    Parked { since_us: u64 },
}

/// A moment that does not come.
pub(super) const NEVER: u64 = u64::MAX;

/// One replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    pub(super) broker: u32,
    pub(super) log: Log,
    /// The high watermark it knows of.
    pub(super) high_watermark: u64,
    pub(super) life: Life,
    /// When the controller stops counting on it, while it sends no heartbeat.
    pub(super) fence_us: u64,
    /// The controller does not count on it.
    pub(super) fenced: bool,
    pub(super) in_sync: bool,
    pub(super) fetch: Fetch,
    /// The newest epoch whose leader's whole log it had: what it votes by under Raft, where every leader begins with a
    /// record of its own that takes no offset here.
    pub(super) accepted: u32,
    // What the leader knows of it.
    pub(super) known_end: u64,
    pub(super) caught_up_us: u64,
    pub(super) last_fetch_us: u64,
    pub(super) leader_end_at_last_fetch: u64,
}

impl Replica {
    pub(super) fn new(broker: u32, now_us: u64) -> Self {
        Self {
            broker,
            log: Log::default(),
            high_watermark: 0,
            life: Life::Up,
            fence_us: NEVER,
            fenced: false,
            in_sync: true,
            fetch: Fetch::Off,
            accepted: 0,
            known_end: 0,
            caught_up_us: now_us,
            last_fetch_us: now_us,
            leader_end_at_last_fetch: 0,
        }
    }

    /// The broker's id.
    #[must_use]
    pub fn broker(&self) -> u32 {
        self.broker
    }

    /// Its log.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Up to where it lets readers read.
    #[must_use]
    pub fn high_watermark(&self) -> u64 {
        self.high_watermark
    }

    /// What its process does.
    #[must_use]
    pub fn life(&self) -> Life {
        self.life
    }

    /// Whether the controller has given it up.
    #[must_use]
    pub fn is_fenced(&self) -> bool {
        self.fenced
    }

    /// Whether it is in the in-sync set.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        self.in_sync
    }

    /// Whether the leader counts it as caught up: it has everything, or had everything less than so long ago.
    /// Source: `ReplicaState.isCaughtUp`.
    pub(super) fn is_caught_up(&self, now_us: u64, leader_end: u64, lag_max_us: u64) -> bool {
        self.known_end == leader_end || now_us.saturating_sub(self.caught_up_us) <= lag_max_us
    }

    /// What the leader learns from a request that asks for this replica's end. Source: `Replica.updateFetchStateOrThrow`.
    pub(super) fn asked(&mut self, now_us: u64, leader_end: u64) {
        self.known_end = self.log.end;
        if self.log.end >= leader_end {
            self.caught_up_us = now_us;
        } else if self.log.end >= self.leader_end_at_last_fetch {
            self.caught_up_us = self.caught_up_us.max(self.last_fetch_us);
        }
        self.last_fetch_us = now_us;
        self.leader_end_at_last_fetch = leader_end;
    }

    /// A parked request comes back empty and is sent again every `wait_us`; the rounds that nobody watched are made up here.
    pub(super) fn catch_up_parked(&mut self, now_us: u64, wait_us: u64) {
        let Fetch::Parked { since_us } = self.fetch else { return };
        let wait_us = wait_us.max(1);
        if self.life == Life::Up && now_us > since_us {
            let since_us = since_us + (now_us - since_us) / wait_us * wait_us;
            self.fetch = Fetch::Parked { since_us };
            self.caught_up_us = self.caught_up_us.max(since_us);
            self.last_fetch_us = self.last_fetch_us.max(since_us);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(writes: &[(u32, u64)]) -> Log {
        let mut log = Log::default();
        for (epoch, records) in writes {
            log.append(*epoch, *records);
        }
        log
    }

    #[test]
    fn logs_agree_up_to_where_another_leader_wrote() {
        let check = |ours: &[(u32, u64)], theirs: &[(u32, u64)], expect: u64| {
            assert_eq!(log(ours).common_end(&log(theirs)), expect, "{ours:?} {theirs:?}");
            assert_eq!(log(theirs).common_end(&log(ours)), expect, "{theirs:?} {ours:?}");
        };
        check(&[], &[(1, 5)], 0);
        check(&[(1, 5)], &[(1, 5)], 5);
        check(&[(1, 5)], &[(1, 3)], 3);
        check(&[(1, 5)], &[(1, 3), (2, 4)], 3);
        check(&[(1, 3), (2, 4)], &[(1, 3), (3, 1)], 3);
        check(&[(1, 2), (2, 2), (4, 2)], &[(1, 2), (2, 2)], 4);
        check(&[(1, 2)], &[(2, 2)], 0);
    }

    #[test]
    fn a_record_is_named_by_offset_and_epoch() {
        let mut log = log(&[(1, 3), (2, 2)]);
        assert_eq!([0, 2, 3, 4, 5].map(|offset| log.epoch_at(offset)), [Some(1), Some(1), Some(2), Some(2), None]);
        log.truncate(3);
        assert_eq!(log.lineage(), [EpochStart { epoch: 1, from: 0 }]);
    }
}
