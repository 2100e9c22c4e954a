//! The write-ahead log, and a logical replication slot that reads it.
//!
//! Rules from the documentation and sources of PostgreSQL 15 (`slot.c`, `xlog.c` `GetWALAvailability`, `snapbuild.c`) and
//! from recordings: decoding gives whole transactions in the order of their commits and nothing of what was rolled back; the
//! server keeps every segment from the slot's `restart_lsn` on, whether or not anything in it is for that reader; the slot
//! moves only when its reader confirms.

use std::collections::VecDeque;

use super::table::Table;

/// A segment of the log, in bytes.
pub const SEGMENT_BYTES: u64 = 16 << 20;

/// Log bytes of a row of the scripts' size, with its index entry. Measured, rounded.
const ROW_BYTES: u64 = 160;
/// Log bytes of a row lock.
const LOCK_BYTES: u64 = 56;
/// Log bytes of a commit.
const COMMIT_BYTES: u64 = 48;
/// Commits that a machine keeps at most for its slot; the slot is lost beyond.
const MOST_COMMITS: usize = 100_000;

/// What was done to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Inserted.
    Insert,
    /// Updated.
    Update,
    /// Deleted.
    Delete,
    /// No row: a message in the log.
    Message,
}

/// A change as logical decoding shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Of which table.
    pub table: Table,
    /// The row's id, or what a message is about.
    pub id: u64,
    /// What was done.
    pub op: Op,
}

/// A committed transaction in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Where its commit record ends, in bytes.
    pub lsn: u64,
    /// What it changed, in order.
    pub changes: Vec<Changed>,
}

/// How the log that a slot needs is kept: `wal_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalStatus {
    /// Within `max_wal_size`.
    Reserved,
    /// Beyond `max_wal_size`, and kept.
    Extended,
    /// Beyond `max_slot_wal_keep_size`: the next checkpoint may remove it.
    Unreserved,
    /// Removed: the slot can never be read again.
    Lost,
}

/// A logical replication slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What its reader has confirmed, in bytes: `confirmed_flush_lsn`.
    pub confirmed_lsn: u64,
    /// The oldest log that it needs, in bytes: `restart_lsn`.
    pub restart_lsn: u64,
    /// A checkpoint has taken its log away.
    pub lost: bool,
}

/// The log.
#[derive(Clone, Debug)]
pub struct Wal {
    /// How far it is written, in bytes.
    pub lsn: u64,
    /// `max_slot_wal_keep_size` in bytes; none keeps without end.
    pub keep_bytes: Option<u64>,
    /// `max_wal_size` in bytes.
    pub max_bytes: u64,
    slot: Option<Slot>,
    /// Transactions that the slot has not confirmed.
    commits: VecDeque<Commit>,
}

impl Default for Wal {
    fn default() -> Self {
        Self { lsn: SEGMENT_BYTES, keep_bytes: None, max_bytes: 1 << 30, slot: None, commits: VecDeque::new() }
    }
}

impl Wal {
    /// Other tables are written to, so many bytes of log.
    pub fn write(&mut self, bytes: u64) {
        self.lsn = self.lsn.saturating_add(bytes);
    }

    pub(super) fn write_row(&mut self) {
        self.write(ROW_BYTES);
    }

    pub(super) fn write_lock(&mut self) {
        self.write(LOCK_BYTES);
    }

    /// A transaction with an id has committed.
    pub(super) fn commit(&mut self, changes: Vec<Changed>) {
        self.write(COMMIT_BYTES);
        if changes.is_empty() || self.slot.is_none_or(|slot| slot.lost) {
            return;
        }
        self.commits.push_back(Commit { lsn: self.lsn, changes });
        if self.commits.len() > MOST_COMMITS {
            self.commits.clear();
            self.slot = self.slot.map(|slot| Slot { lost: true, ..slot });
        }
    }

    pub(super) fn create_slot(&mut self) {
        self.commits.clear();
        self.slot = Some(Slot { confirmed_lsn: self.lsn, restart_lsn: self.lsn, lost: false });
    }

    /// `pg_drop_replication_slot`: what it kept is free.
    pub fn drop_slot(&mut self) {
        self.slot = None;
        self.commits.clear();
    }

    /// The slot, if there is one.
    #[must_use]
    pub fn slot(&self) -> Option<Slot> {
        self.slot
    }

    /// What the slot's reader is given next, in the order of commits. Nothing where the slot is lost.
    pub fn unread(&self) -> impl Iterator<Item = &Commit> {
        self.commits.iter()
    }

    /// The reader has handled everything up to here, in bytes, and the log before it is free.
    pub fn confirm(&mut self, lsn: u64) {
        let Some(slot) = self.slot.as_mut().filter(|slot| !slot.lost) else { return };
        slot.confirmed_lsn = slot.confirmed_lsn.max(lsn.min(self.lsn));
        slot.restart_lsn = slot.confirmed_lsn;
        while self.commits.front().is_some_and(|commit| commit.lsn <= slot.confirmed_lsn) {
            self.commits.pop_front();
        }
    }

    /// Bytes of log from what the slot needs to the end.
    #[must_use]
    pub fn retained_bytes(&self) -> u64 {
        self.slot.filter(|slot| !slot.lost).map_or(0, |slot| self.lsn - slot.restart_lsn)
    }

    /// `wal_status` of the slot.
    #[must_use]
    pub fn status(&self) -> Option<WalStatus> {
        let slot = self.slot?;
        let now = self.lsn / SEGMENT_BYTES;
        let needed = slot.restart_lsn / SEGMENT_BYTES;
        let beyond = |bytes: u64| needed < now.saturating_sub(bytes / SEGMENT_BYTES);
        Some(match self.keep_bytes {
            _ if slot.lost => WalStatus::Lost,
            Some(keep_bytes) if beyond(keep_bytes) => WalStatus::Unreserved,
            _ if beyond(self.max_bytes + SEGMENT_BYTES) => WalStatus::Extended,
            _ => WalStatus::Reserved,
        })
    }

    /// A checkpoint: log that is beyond what slots may keep is removed, and the slot with it.
    pub fn checkpoint(&mut self) {
        if self.status() == Some(WalStatus::Unreserved) {
            self.slot = self.slot.map(|slot| Slot { lost: true, ..slot });
            self.commits.clear();
        }
    }
}
