//! The write-ahead log, and a logical replication slot that reads it.
//!
//! Rules from the documentation and sources of PostgreSQL 15 (`slot.c`, `xlog.c` `GetWALAvailability`, `snapbuild.c`) and
//! from recordings: decoding gives whole transactions in the order of their commits and nothing of what was rolled back; the
//! server keeps every segment from the slot's `restart_lsn` on, whether or not anything in it is for that reader; the slot
//! moves only when its reader confirms.

use std::collections::VecDeque;

use super::database::Fault;
use super::table::Table;

/// A segment of the log, in bytes.
pub const SEGMENT_BYTES: u64 = 16 << 20;

/// Log bytes of an insert of a row of the scripts' size, with its index entry. Measured, rounded, as all that follow.
const INSERT_BYTES: u64 = 160;
/// Log bytes of an update of such a row, with its index entry.
const UPDATE_BYTES: u64 = 250;
/// Log bytes of a delete.
const DELETE_BYTES: u64 = 72;
/// Log bytes of a row without its data and index: record and row header.
const HEAP_BYTES: u64 = 66;
/// Log bytes of a mark.
const MARK_BYTES: u64 = 56;
/// Log bytes of a row lock.
const LOCK_BYTES: u64 = 56;
/// Log bytes of a commit.
const COMMIT_BYTES: u64 = 48;
/// The background writer's pause between marks, in microseconds.
const MARK_US: u64 = 15_000_000;
/// Marks that a machine keeps at most; beyond, the newest one moves on.
const MOST_MARKS: usize = 256;
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

/// A place in the log where decoding could begin: a record of the transactions that run. A checkpoint writes one, and the
/// background writer every 15 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    lsn: u64,
    /// Where the oldest transaction that was open began to write.
    oldest_lsn: u64,
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
    /// From the slot's `restart_lsn` on.
    marks: VecDeque<Mark>,
    /// When and where the newest mark was made.
    marked: (u64, u64),
}

impl Default for Wal {
    fn default() -> Self {
        Self {
            lsn: SEGMENT_BYTES,
            keep_bytes: None,
            max_bytes: 1 << 30,
            slot: None,
            commits: VecDeque::new(),
            marks: VecDeque::new(),
            marked: (0, 0),
        }
    }
}

impl Wal {
    /// Other tables are written to, so many bytes of log.
    pub fn write(&mut self, bytes: u64) {
        self.lsn = self.lsn.saturating_add(bytes);
    }

    /// Rows of so many bytes each, without an index.
    pub(super) fn write_rows(&mut self, rows: u32, bytes: u32) {
        self.write(u64::from(rows).saturating_mul(u64::from(bytes) + HEAP_BYTES));
    }

    pub(super) fn write_deletes(&mut self, rows: u32) {
        self.write(u64::from(rows) * DELETE_BYTES);
    }

    pub(super) fn write_row(&mut self, op: Op) {
        self.write(match op {
            Op::Insert | Op::Message => INSERT_BYTES,
            Op::Update => UPDATE_BYTES,
            Op::Delete => DELETE_BYTES,
        });
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
        self.drop_slot();
        self.slot = Some(Slot { confirmed_lsn: self.lsn, restart_lsn: self.lsn, lost: false });
    }

    /// `pg_drop_replication_slot`: what it kept is free.
    pub fn drop_slot(&mut self) {
        self.slot = None;
        self.commits.clear();
        self.marks.clear();
    }

    /// The slot, if there is one.
    #[must_use]
    pub fn slot(&self) -> Option<Slot> {
        self.slot
    }

    /// Why the slot cannot be read.
    #[must_use]
    pub fn unreadable(&self) -> Option<Fault> {
        match self.slot {
            None => Some(Fault::Unknown),
            Some(slot) => slot.lost.then_some(Fault::SlotLost),
        }
    }

    /// What the slot's reader is given next, in the order of commits. Nothing where the slot is lost.
    pub fn unread(&self) -> impl Iterator<Item = &Commit> {
        self.commits.iter()
    }

    /// The reader has handled everything up to here, in bytes. What is before it is free as far as decoding could begin
    /// later: at the newest mark that had been confirmed before, or the first one of what is confirmed now; and not after
    /// the beginning of a transaction that was open there.
    pub fn confirm(&mut self, lsn: u64) {
        let Some(slot) = self.slot.as_mut().filter(|slot| !slot.lost) else { return };
        let before = slot.confirmed_lsn;
        slot.confirmed_lsn = before.max(lsn.min(self.lsn));
        let old = self.marks.partition_point(|mark| mark.lsn <= before);
        let new = self.marks.get(old).filter(|mark| mark.lsn <= slot.confirmed_lsn);
        if let Some(mark) = new.or_else(|| self.marks.get(old.wrapping_sub(1))) {
            let oldest_lsn = mark.oldest_lsn;
            let begin = self.marks.iter().rev().find(|mark| mark.lsn <= oldest_lsn);
            slot.restart_lsn = begin.map_or(slot.restart_lsn, |mark| mark.lsn);
        }
        while self.marks.front().is_some_and(|mark| mark.lsn < slot.restart_lsn) {
            self.marks.pop_front();
        }
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

    /// Makes a mark; `oldest_lsn` is where the oldest open transaction began to write, if there is one.
    pub fn mark(&mut self, now_us: u64, oldest_lsn: Option<u64>) {
        self.write(MARK_BYTES);
        self.marked = (now_us, self.lsn);
        if self.slot.is_some() {
            if self.marks.len() >= MOST_MARKS {
                self.marks.pop_back();
            }
            self.marks.push_back(Mark { lsn: self.lsn, oldest_lsn: oldest_lsn.unwrap_or(self.lsn) });
        }
    }

    /// Whether the background writer makes a mark now: 15 s after the last one, if anything was written since.
    #[must_use]
    pub fn marks_now(&self, now_us: u64) -> bool {
        now_us >= self.marked.0.saturating_add(MARK_US) && self.lsn > self.marked.1
    }

    /// A checkpoint, after its mark: log that is beyond what slots may keep is removed, and the slot with it.
    pub fn checkpoint(&mut self) {
        if self.status() == Some(WalStatus::Unreserved) {
            self.slot = self.slot.map(|slot| Slot { lost: true, ..slot });
            self.commits.clear();
        }
    }
}
