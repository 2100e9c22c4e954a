//! What a partition remembers of its producers: a repeated batch is recognised, a gap is refused, an old instance too.
//!
//! Source: `ProducerStateEntry`, `ProducerAppendInfo` and `ProducerStateManager` of Apache Kafka.

use super::error::Error;

/// How many batches of a producer a partition remembers: as many as an idempotent producer may have in flight.
pub const REMEMBERED: usize = 5;

/// Sequence numbers run from 0 to this, then from 0 again.
pub const LAST_SEQUENCE: u32 = i32::MAX.cast_unsigned();

/// `producer.id.expiration.ms`: 1 day.
pub const EXPIRES_US: u64 = 86_400_000_000;

/// A producer id with the epoch of its instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The producer id.
    pub producer: u64,
    /// Which instance of it.
    pub epoch: u16,
}

/// The part of a batch that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequenced {
    /// Who sends it.
    pub from: Identity,
    /// The first record's sequence number.
    pub first: u32,
    /// How many records, at least one.
    pub records: u32,
}

impl Sequenced {
    fn last(self) -> u32 {
        let last = u64::from(self.first) + u64::from(self.records.max(1)) - 1;
        u32::try_from(last % (u64::from(LAST_SEQUENCE) + 1)).unwrap_or(0)
    }
}

/// What to do with a batch that is in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Write it.
    Append,
    /// It is there since: acknowledge it again with the same offset.
    Duplicate {
        /// The first record's offset.
        base: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Remembered {
    first: u32,
    last: u32,
    base: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    id: Identity,
    at_us: u64,
    /// Oldest first, at most [`REMEMBERED`].
    batches: Vec<Remembered>,
}

/// The producers of one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Producers {
    /// By producer id.
    entries: Vec<Entry>,
}

impl Producers {
    /// Judges a batch before it is written.
    ///
    /// # Errors
    /// [`Error::InvalidProducerEpoch`] from an instance that was replaced; [`Error::OutOfOrderSequence`] for a gap, for a
    /// repeat older than the remembered batches, and for a new epoch that does not begin at 0.
    pub fn judge(&self, batch: Sequenced) -> Result<Verdict, Error> {
        let Ok(place) = self.place(batch.from.producer) else {
            // Nothing is known of it, as after its records went by retention: any number is taken.
            return Ok(Verdict::Append);
        };
        let entry = &self.entries[place];
        if batch.from.epoch < entry.id.epoch {
            return Err(Error::InvalidProducerEpoch);
        }
        if batch.from.epoch > entry.id.epoch {
            return if batch.first == 0 { Ok(Verdict::Append) } else { Err(Error::OutOfOrderSequence) };
        }
        let same = |known: &&Remembered| known.first == batch.first && known.last == batch.last();
        if let Some(known) = entry.batches.iter().find(same) {
            return Ok(Verdict::Duplicate { base: known.base });
        }
        let expected = match entry.batches.last() {
            Some(last) if last.last < LAST_SEQUENCE => last.last + 1,
            Some(_) | None => 0,
        };
        if batch.first == expected { Ok(Verdict::Append) } else { Err(Error::OutOfOrderSequence) }
    }

    /// A batch was written.
    pub fn appended(&mut self, now_us: u64, batch: Sequenced, base: u64) {
        let entry = self.entry(now_us, batch.from);
        if entry.batches.len() == REMEMBERED {
            entry.batches.remove(0);
        }
        entry.batches.push(Remembered { first: batch.first, last: batch.last(), base });
    }

    /// A transaction marker was written: from now on, older epochs are refused.
    pub fn marked(&mut self, now_us: u64, from: Identity) {
        self.entry(now_us, from);
    }

    /// The log was cut at this offset: what was written there is not known any more.
    pub fn truncate(&mut self, end: u64) {
        self.entries.retain_mut(|entry| {
            let known = entry.batches.len();
            entry.batches.retain(|batch| batch.base < end);
            entry.batches.len() == known || !entry.batches.is_empty()
        });
    }

    /// Forgets producers that wrote nothing for [`EXPIRES_US`].
    pub fn expire(&mut self, now_us: u64) {
        self.entries.retain(|entry| now_us.saturating_sub(entry.at_us) < EXPIRES_US);
    }

    fn place(&self, producer: u64) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&producer, |entry| entry.id.producer)
    }

    fn entry(&mut self, now_us: u64, from: Identity) -> &mut Entry {
        let place = self.place(from.producer).unwrap_or_else(|place| {
            self.entries.insert(place, Entry { id: from, at_us: now_us, batches: Vec::new() });
            place
        });
        let entry = &mut self.entries[place];
        if from.epoch > entry.id.epoch {
            entry.id.epoch = from.epoch;
            entry.batches.clear();
        }
        entry.at_us = now_us;
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_begin_again_after_the_largest() {
        let from = Identity { producer: 1, epoch: 0 };
        let mut producers = Producers::default();
        producers.appended(0, Sequenced { from, first: LAST_SEQUENCE - 1, records: 2 }, 10);
        let check = |first, expect| assert_eq!(producers.judge(Sequenced { from, first, records: 1 }), expect, "{first}");
        check(0, Ok(Verdict::Append));
        check(1, Err(Error::OutOfOrderSequence));
    }

    #[test]
    fn a_producer_that_was_forgotten_may_begin_anywhere() {
        let batch = |first| Sequenced { from: Identity { producer: 1, epoch: 3 }, first, records: 1 };
        let mut producers = Producers::default();
        producers.appended(0, batch(0), 0);
        assert_eq!(producers.judge(batch(9)), Err(Error::OutOfOrderSequence));
        producers.expire(EXPIRES_US);
        assert_eq!(producers.judge(batch(9)), Ok(Verdict::Append));
    }
}
