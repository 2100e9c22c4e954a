//! Compaction: of every key the newest record stays, under the offset it always had.
//!
//! Source: `LogCleaner` and `LogCleanerManager` of Apache Kafka 4.0; KIP-534 for tombstones.

/// How a log is compacted: `cleanup.policy=compact`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `min.cleanable.dirty.ratio`, in millionths: a pass begins when more than this of the log is new since the last one.
    pub dirty_ppm: u64,
    /// `delete.retention.ms`: how long a tombstone stays after the pass that first met it.
    pub tombstone_us: u64,
    /// `min.compaction.lag.ms`: a segment with a younger record is left alone, and so is what comes after it.
    pub min_lag_us: u64,
    /// `max.compaction.lag.ms`: a pass begins when a record waited so long, however little is new. [`None`] is no limit.
    pub max_lag_us: Option<u64>,
}

impl Default for Options {
    /// What Kafka 4.0 ships.
    fn default() -> Self {
        Self { dirty_ppm: 500_000, tombstone_us: 86_400_000_000, min_lag_us: 0, max_lag_us: None }
    }
}

/// A record as the cleaner sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its offset.
    pub offset: u64,
    /// Its key. A compacted topic takes no record without one.
    pub key: u64,
    /// Its size.
    pub bytes: u64,
    /// When it was written.
    pub at_us: u64,
    /// No value: the key is to be forgotten.
    pub tombstone: bool,
}

/// The cleaner of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaner {
    /// Up to here the log has been cleaned.
    cleaned_to: u64,
    /// Tombstones that were met, by offset, and from when on they may go.
    horizons: Vec<(u64, u64)>,
}

impl Cleaner {
    /// Up to where passes have come.
    #[must_use]
    pub fn cleaned_to(&self) -> u64 {
        self.cleaned_to
    }

    /// Whether a pass begins. `until` is where segments begin that are left alone (`Segments::cleanable`), or the last
    /// stable offset where that is smaller; `records` are by offset.
    #[must_use]
    pub fn is_due(&self, now_us: u64, options: &Options, until: u64, records: &[Record]) -> bool {
        let (mut clean, mut dirty) = (0_u64, 0_u64);
        let mut waited = false;
        for record in records.iter().filter(|record| record.offset < until) {
            if record.offset < self.cleaned_to {
                clean = clean.saturating_add(record.bytes);
            } else {
                dirty = dirty.saturating_add(record.bytes);
                waited |= options.max_lag_us.is_some_and(|most_us| now_us.saturating_sub(record.at_us) > most_us);
            }
        }
        let parts = u128::from(dirty) * 1_000_000;
        waited || dirty > 0 && parts > u128::from(options.dirty_ppm) * (u128::from(clean) + u128::from(dirty))
    }

    /// A pass. Gives the offsets that it removes; everything else keeps its offset.
    pub fn clean(&mut self, now_us: u64, options: &Options, until: u64, records: &[Record]) -> Vec<u64> {
        let mut newest: Vec<(u64, u64)> = Vec::new();
        newest.extend(records.iter().filter(|record| record.offset < until).map(|record| (record.key, record.offset)));
        crate::order::sort(&mut newest);
        let mut removed = Vec::new();
        let mut horizons = Vec::new();
        for record in records.iter().filter(|record| record.offset < until) {
            let after = newest.partition_point(|known| *known <= (record.key, record.offset));
            let is_newest = newest.get(after).is_none_or(|next| next.0 != record.key);
            let known = self.horizons.iter().find(|(offset, _)| *offset == record.offset);
            let horizon_us = known.map_or_else(|| now_us.saturating_add(options.tombstone_us), |known| known.1);
            if !is_newest || record.tombstone && known.is_some() && horizon_us < now_us {
                removed.push(record.offset);
            } else if record.tombstone {
                horizons.push((record.offset, horizon_us));
            }
        }
        self.horizons = horizons;
        self.cleaned_to = self.cleaned_to.max(until);
        removed
    }
}
