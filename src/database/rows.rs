//! The rows of an outbox: in order of commit, or by id where a relay asks for ids.
//!
//! An id is given out when a transaction begins, and transactions commit in another order: a row may appear below one that
//! was read already. A rollback leaves a gap (PostgreSQL documentation, "Sequence Manipulation Functions" and "System
//! Information Functions", `pg_snapshot_xmin`). Who is under way is known to the machine of `redrive-brokers`. Simplified: the
//! id of the row is that of its transaction, which writes one.

use std::collections::VecDeque;

use redrive_brokers::postgres::Xids;
use redrive_brokers::sorted::{SortedMap, SortedSet};

use crate::message::Message;
use crate::scenario::choices::Reads;
use crate::sim::{Tape, Timestamp};

/// Where a row stands in the index: when it is due, then its id. Rows that are due at once have nought for it.
pub type RowKey = (Timestamp, u64);

/// The rows of an outbox.
#[derive(Clone, Debug)]
pub struct Outbox {
    /// Unsent, in order of commit: all of them, unless a relay asks for ids.
    in_order: Tape<Message>,
    /// A relay asks for ids: rows are in `by_id`.
    pub indexed: bool,
    by_id: SortedMap<RowKey, Message>,
    /// Rows that a relay has locked.
    locked: SortedSet<RowKey>,
    /// Rows that no relay will ever read.
    passed_over: Vec<Message>,
    /// Ids of transactions.
    ids: Xids,
    /// The last id that a relay has noted as published.
    pub last: u64,
    /// Sent rows that are kept for a while: when they were sent, and how many.
    sent: VecDeque<(Timestamp, u64)>,
    sent_rows: u64,
}

impl Default for Outbox {
    fn default() -> Self {
        Self {
            in_order: Tape::default(),
            indexed: false,
            by_id: SortedMap::default(),
            locked: SortedSet::default(),
            passed_over: Vec::new(),
            ids: Xids::new(1),
            last: 0,
            sent: VecDeque::new(),
            sent_rows: 0,
        }
    }
}

impl Outbox {
    /// How many rows are unsent and will be read.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.in_order.len() + self.by_id.len() as u64
    }

    /// True when none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows that no relay will ever read.
    #[must_use]
    pub fn passed_over(&self) -> u64 {
        self.passed_over.len() as u64
    }

    /// The rows that no relay will ever read.
    #[must_use]
    pub fn never_read(&self) -> &[Message] {
        &self.passed_over
    }

    /// Rows in the table: unsent, passed over, and sent ones that are kept.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.len() + self.passed_over() + self.sent_rows
    }

    /// The age of the oldest unsent row that could be sent by now.
    #[must_use]
    pub fn oldest_us(&self, now_us: Timestamp) -> u64 {
        let ages = self.by_id.iter().map(|(key, row)| now_us.saturating_sub(row.stored_us.max(key.0)));
        let first = self.in_order.front().map_or(0, |row| now_us - row.stored_us);
        ages.max().unwrap_or(0).max(first)
    }

    /// The first unsent rows, up to so many.
    pub fn first(&self, most: usize) -> impl Iterator<Item = &Message> {
        self.in_order.iter().chain(self.by_id.values()).take(most)
    }

    /// A transaction begins and gets its id.
    pub fn begins(&mut self) -> u64 {
        self.ids.assign()
    }

    /// A transaction is over, one way or the other. Nought stands for one that has no id.
    pub fn ends(&mut self, id: u64) {
        if id > 0 {
            self.ids.end(id);
        }
    }

    /// The first id that may still appear: everything below has ended.
    #[must_use]
    pub fn horizon(&self) -> u64 {
        self.ids.snapshot(None).xmin
    }

    /// A committed row is added. One whose transaction has no id gets one now.
    #[cfg_attr(page, optimize(speed))]
    pub fn add(&mut self, row: Message, id: u64, due_us: Timestamp) {
        if !self.indexed {
            self.in_order.push(row);
            return;
        }
        let id = if id == 0 { self.begins() } else { id };
        self.ends(id);
        self.by_id.insert((due_us, id), row);
    }

    /// The rows that a relay reads now, up to so many, and locks if it is to.
    #[cfg_attr(page, optimize(speed))]
    pub fn read(&mut self, reads: Reads, most: u64, locks: bool, now_us: Timestamp) -> Vec<(RowKey, Message)> {
        let most = most as usize;
        let from = (0, self.last + 1);
        let copy = |(key, row): (RowKey, &Message)| (key, *row);
        let batch: Vec<(RowKey, Message)> = match reads {
            Reads::LastId => self.by_id.range(from..).take(most).map(copy).collect(),
            Reads::Horizon => self.by_id.range(from..from.max((0, self.horizon()))).take(most).map(copy).collect(),
            Reads::Flag | Reads::Cdc => {
                let due = self.by_id.range(..=(now_us, u64::MAX));
                due.filter(|(key, _)| !locks || !self.locked.contains(*key)).take(most).map(copy).collect()
            }
        };
        if locks {
            self.locked.extend(batch.iter().map(|(key, _)| *key));
        }
        batch
    }

    /// A relay lets go of the rows that it has locked.
    pub fn unlock(&mut self, batch: &[(RowKey, Message)]) {
        for (key, _) in batch {
            self.locked.remove(*key);
        }
    }

    /// A row is marked as sent. False if it was already.
    pub fn mark(&mut self, key: RowKey) -> bool {
        self.by_id.remove(key).is_some()
    }

    /// The oldest row in order of commit is marked as sent.
    pub fn mark_first(&mut self) -> Option<Message> {
        self.in_order.pop()
    }

    /// Rows at or below the last id were passed over: takes them out of what will be read.
    pub fn pass_over(&mut self) -> Vec<Message> {
        let keys: Vec<RowKey> = self.by_id.range(..(0, self.last + 1)).map(|(key, _)| key).collect();
        let below: Vec<Message> = keys.into_iter().filter_map(|key| self.by_id.remove(key)).collect();
        self.passed_over.extend(&below);
        below
    }

    /// Nobody will read any of the rows.
    pub fn pass_over_all(&mut self) -> Vec<Message> {
        let mut all = Vec::new();
        while let Some(row) = self.in_order.pop() {
            all.push(row);
        }
        self.passed_over.extend(&all);
        all
    }

    /// Whoever looks for rows without a mark finds those that were passed over.
    pub fn find_passed_over(&mut self) -> Vec<Message> {
        let found = std::mem::take(&mut self.passed_over);
        for row in &found {
            self.add(*row, 0, 0);
        }
        found
    }

    /// Keeps the rows by id from now on, or in one order.
    pub fn index(&mut self, indexed: bool) {
        if self.indexed == indexed {
            return;
        }
        self.indexed = indexed;
        self.locked.clear();
        if indexed {
            while let Some(row) = self.in_order.pop() {
                self.add(row, 0, 0);
            }
        } else {
            for row in std::mem::take(&mut self.by_id).values() {
                self.in_order.push(*row);
            }
        }
    }

    /// So many rows were sent and are kept for a while.
    pub fn keep(&mut self, now_us: Timestamp, rows: u64) {
        self.sent.push_back((now_us, rows));
        self.sent_rows += rows;
    }

    /// Deletes the rows that were sent before a moment.
    pub fn prune(&mut self, before_us: Timestamp) {
        while let Some((_, rows)) = self.sent.front().filter(|(sent_us, _)| *sent_us < before_us) {
            self.sent_rows -= rows;
            self.sent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(fact: u32) -> Message {
        Message { stored_us: 0, fact, key: 0, receives: 0, effects: 1, poison: false, tombstone: false }
    }

    fn facts(batch: &[(RowKey, Message)]) -> Vec<u32> {
        batch.iter().map(|(_, row)| row.fact).collect()
    }

    /// Transactions 1, 2, 3 begin; 3 and 1 have committed, and 2 is under way.
    fn two_is_late() -> Outbox {
        let mut outbox = Outbox { indexed: true, ..Outbox::default() };
        let ids = [outbox.begins(), outbox.begins(), outbox.begins()];
        outbox.add(row(3), ids[2], 0);
        outbox.add(row(1), ids[0], 0);
        outbox
    }

    #[test]
    fn a_relay_that_keeps_the_last_id_passes_over_a_late_row() {
        let mut outbox = two_is_late();
        let batch = outbox.read(Reads::LastId, 10, false, 0);
        assert_eq!(facts(&batch), [1, 3]);
        batch.iter().for_each(|(key, _)| assert!(outbox.mark(*key)));
        outbox.last = 3;
        outbox.add(row(2), 2, 0);
        assert_eq!(outbox.read(Reads::LastId, 10, false, 0), []);
        assert_eq!((outbox.pass_over(), outbox.len(), outbox.rows()), (vec![row(2)], 0, 1));
        assert_eq!((outbox.find_passed_over().len(), outbox.len()), (1, 1));
    }

    #[test]
    fn below_the_horizon_nothing_appears_any_more() {
        let mut outbox = two_is_late();
        assert_eq!((outbox.horizon(), facts(&outbox.read(Reads::Horizon, 10, false, 0))), (2, vec![1]));
        outbox.ends(2);
        assert_eq!((outbox.horizon(), facts(&outbox.read(Reads::Horizon, 10, false, 0))), (4, vec![1, 3]), "a rollback is a gap");
    }

    #[test]
    fn a_locked_row_is_skipped_by_the_other_relay() {
        let mut outbox = two_is_late();
        let first = outbox.read(Reads::Flag, 1, true, 0);
        assert_eq!((facts(&first), facts(&outbox.read(Reads::Flag, 9, true, 0))), (vec![1], vec![3]));
        outbox.unlock(&first);
        assert_eq!(facts(&outbox.read(Reads::Flag, 9, true, 0)), [1]);
    }
}
