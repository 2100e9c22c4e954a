//! The write-ahead log as far as a change reader needs it: how much of it a replication slot keeps.
//!
//! A slot keeps all of the log from what its reader has confirmed, whatever tables that was written for; the reader moves
//! only with rows of its own (PostgreSQL documentation, "Logical Decoding Concepts", `max_slot_wal_keep_size`).

use std::collections::VecDeque;

use crate::scenario::parts::DatabaseSettings;
use crate::sim::Timestamp;
use crate::sim::time::SECOND_US;

/// A replication slot and the log it keeps, in bytes.
#[derive(Clone, Debug, Default)]
pub struct Slot {
    /// Someone reads by it.
    pub active: bool,
    /// It kept more than it may: what it had not read is gone, and it can never be read again.
    pub lost: bool,
    written: u64,
    /// Transactions of other tables, in thousandths, and up to when they are counted.
    others_milli: u64,
    counted_us: Timestamp,
    confirmed: u64,
    /// Where each unsent row ends in the log.
    places: VecDeque<u64>,
    /// When the reader confirmed last.
    pub confirmed_us: Timestamp,
}

impl Slot {
    /// Counts what other tables have written since it was last asked.
    pub fn count(&mut self, settings: &DatabaseSettings, now_us: Timestamp) {
        let milli = u128::from(settings.other_writes.milli) * u128::from(now_us - self.counted_us) / u128::from(SECOND_US);
        let milli = u64::try_from(milli).unwrap_or(u64::MAX);
        // Less than a thousandth of a transaction waits until it is a whole one.
        if milli > 0 {
            self.others_milli = self.others_milli.saturating_add(milli);
            self.counted_us = now_us;
        }
    }

    fn end(&self, settings: &DatabaseSettings) -> u64 {
        self.written.saturating_add(self.others_milli / 1_000 * settings.row_bytes)
    }

    /// A transaction of so many rows is written; where it ends is kept for its outbox row.
    pub fn writes(&mut self, settings: &DatabaseSettings, rows: u64, outbox: bool, now_us: Timestamp) {
        self.count(settings, now_us);
        self.written = self.written.saturating_add(rows * settings.row_bytes);
        if outbox && self.active && !self.lost {
            self.places.push_back(self.end(settings));
        }
    }

    /// A slot is made at the end of the log, for rows that are there already.
    pub fn create(&mut self, settings: &DatabaseSettings, unsent: u64, now_us: Timestamp) {
        self.count(settings, now_us);
        let end = self.end(settings);
        (self.active, self.lost, self.confirmed, self.confirmed_us) = (true, false, end, now_us);
        self.places = (0..unsent).map(|_| end).collect();
    }

    /// The reader has published its next row.
    pub fn confirm_row(&mut self, now_us: Timestamp) {
        self.confirmed = self.places.pop_front().unwrap_or(self.confirmed);
        self.confirmed_us = now_us;
    }

    /// The reader has read a row that was written only for that: everything before it is confirmed.
    pub fn beat(&mut self, settings: &DatabaseSettings, now_us: Timestamp) {
        self.writes(settings, 1, false, now_us);
        self.confirmed = self.end(settings);
        self.confirmed_us = now_us;
    }

    /// Its log was taken away.
    pub fn lose(&mut self) {
        self.lost = true;
        self.places.clear();
    }

    /// How much log it keeps.
    #[must_use]
    pub fn bytes(&self, settings: &DatabaseSettings) -> u64 {
        if self.active && !self.lost { self.end(settings) - self.confirmed } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::PerSecond;

    #[test]
    fn a_slot_keeps_what_other_tables_write_until_a_row_of_its_own_or_a_heartbeat_comes() {
        let settings = DatabaseSettings { other_writes: PerSecond::whole(10), ..DatabaseSettings::default() };
        let mut slot = Slot::default();
        slot.create(&settings, 0, 0);
        slot.count(&settings, 2 * SECOND_US);
        assert_eq!(slot.bytes(&settings), 20_000);
        slot.writes(&settings, 2, true, 2 * SECOND_US);
        slot.count(&settings, 3 * SECOND_US);
        assert_eq!(slot.bytes(&settings), 32_000);
        slot.confirm_row(3 * SECOND_US);
        assert_eq!(slot.bytes(&settings), 10_000);
        slot.beat(&settings, 3 * SECOND_US);
        assert_eq!(slot.bytes(&settings), 0);
    }
}
