//! A partitioned log: append-only, kept for a time, read by groups that each commit one offset a partition.
//!
//! Key to partition as Kafka's default partitioner does it: `(murmur2(key) & 0x7fffffff) % partitions` over the bytes of
//! the key's text ("Apache Kafka documentation", producer configuration; `BuiltInPartitioner`). Retention drops whole
//! segments whose newest record is older than the limit (topic configuration `retention.ms`, `segment.bytes`); here a
//! segment is counted in records.
//!
//! A log with one replica is here alone: a record is safe once it is stored. What replicas add is in `replicas.rs`.

use std::collections::BTreeMap;

use redrive_brokers::kafka::partitioner::{crc32, murmur2};

use super::replicas::Replicas;
use super::transactions::Transactions;
use crate::message::Message;
use crate::scenario::parts::{LogSettings, Partitioner};
use crate::sim::{Tape, Timestamp};

/// The partition of a key given as text.
#[must_use]
#[cfg_attr(page, optimize(speed))]
pub fn partition_of(key: &str, partitions: u32, partitioner: Partitioner) -> u32 {
    let hash = match partitioner {
        Partitioner::Murmur2 => murmur2(key.as_bytes()).cast_unsigned() & 0x7fff_ffff,
        Partitioner::Crc32 => crc32(key.as_bytes()),
    };
    hash % partitions.max(1)
}

/// The state of a log.
#[derive(Clone, Debug)]
pub struct Log {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: LogSettings,
    /// Its partitions; positions are offsets.
    pub partitions: Vec<Tape<Message>>,
    /// The workers that read it, by index among workers; each is a group.
    pub groups: Vec<u16>,
    /// The effects that a record here may lead to.
    pub effects: u8,
    /// Records appended so far.
    pub appended: u64,
    /// Of these, how many are for some of the groups only: redriven dead letters.
    pub marked: u64,
    /// Its transactions, where there has been one.
    pub transactions: Option<Box<Transactions>>,
    /// Its replicas, where it has more than one.
    pub replicas: Option<Box<Replicas>>,
    /// Where the records are whose publishers have no answer yet, by publisher and its number for the record: kept where
    /// repeats are to be recognised.
    pub unconfirmed: BTreeMap<(u16, u64), (u32, u64)>,
}

impl Log {
    /// An empty log.
    #[must_use]
    pub fn new(part: u16, settings: LogSettings) -> Self {
        let partitions = vec![Tape::default(); settings.partitions as usize];
        let replicas = Replicas::new(&settings);
        Self {
            part,
            settings,
            partitions,
            groups: Vec::new(),
            effects: 0,
            appended: 0,
            marked: 0,
            transactions: None,
            replicas,
            unconfirmed: BTreeMap::new(),
        }
    }

    /// The partition of a record's key.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn partition_of(&self, message: &Message, partitioner: Partitioner) -> u32 {
        partition_of(&message.key.to_string(), self.partitions.len() as u32, partitioner)
    }

    /// Puts a record at the end of a partition; returns its offset.
    pub fn push(&mut self, partition: u32, message: Message) -> u64 {
        self.appended += 1;
        self.marked += u64::from(message.effects != self.effects);
        self.partitions[partition as usize].push(message)
    }

    /// The offset up to which retention drops a partition now: whole segments whose newest record is too old.
    #[must_use]
    pub fn expired_to(&self, partition: usize, now_us: Timestamp) -> u64 {
        let tape = &self.partitions[partition];
        let segment = self.settings.segment;
        let mut keep_from = tape.start();
        let end = tape.end().min(self.high_watermark(partition));
        while keep_from < end {
            let segment_end = ((keep_from / segment + 1) * segment).min(end);
            let newest = tape.get(segment_end - 1).map_or(now_us, |record| record.stored_us);
            if now_us.saturating_sub(newest) <= self.settings.retention.0 {
                break;
            }
            keep_from = segment_end;
        }
        keep_from
    }

    /// The first offset of a partition whose record is at least as new as a moment.
    #[must_use]
    pub fn offset_at(&self, partition: usize, at_us: Timestamp) -> u64 {
        let tape = &self.partitions[partition];
        let (mut low, mut high) = (tape.start(), tape.end());
        while low < high {
            let middle = u64::midpoint(low, high);
            if tape.get(middle).is_some_and(|record| record.stored_us < at_us) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The offset up to which the records of a partition are old enough for its readers.
    #[must_use]
    pub fn ripe_to(&self, partition: usize, now_us: Timestamp) -> u64 {
        match (self.settings.delay.0, now_us.checked_sub(self.settings.delay.0)) {
            (0, _) => self.partitions[partition].end(),
            (_, None) => self.partitions[partition].start(),
            (_, Some(before_us)) => self.offset_at(partition, before_us + 1),
        }
    }

    /// How many records are kept.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.partitions.iter().map(Tape::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::setting::Settings;

    #[test]
    fn keys_go_where_kafka_puts_them() {
        let check = |key: &str, hash: i32, p3: u32, p6: u32, p12: u32, p100: u32| {
            assert_eq!(murmur2(key.as_bytes()), hash, "{key}");
            let found = [3, 6, 12, 100].map(|partitions| partition_of(key, partitions, Partitioner::Murmur2));
            assert_eq!(found, [p3, p6, p12, p100], "{key}");
        };
        check("", 275_646_681, 0, 3, 9, 81);
        check("ab", 316_155_434, 2, 2, 2, 34);
        check("21", -973_932_308, 0, 0, 0, 40);
        check("a-little-bit-long-string", -985_981_536, 2, 2, 8, 12);
        check("user-2", -324_981_792, 2, 2, 8, 56);
        check("order-1001", 297_523_878, 0, 0, 6, 78);
        check("日本", -700_811_021, 0, 3, 3, 27);
    }

    #[test]
    fn retention_drops_whole_segments_only() {
        let mut settings = LogSettings::default();
        settings.set("segment", &serde_json::json!(4)).expect("a good value");
        settings.set("retention", &serde_json::json!("10s")).expect("a good value");
        let mut log = Log::new(0, settings);
        for second in 0..10_u64 {
            log.push(0, Message { stored_us: second * 1_000_000, fact: 0, key: 0, receives: 0, effects: 1, poison: false });
        }
        assert_eq!(log.expired_to(0, 13_000_000), 0, "the record at 3 s is just ten seconds old");
        assert_eq!(log.expired_to(0, 13_000_001), 4);
        assert_eq!(log.expired_to(0, 19_000_000), 8, "the last segment has a record of 9 s");
        assert_eq!(log.expired_to(0, 19_000_001), 10, "an idle log goes entirely");
        assert_eq!(log.offset_at(0, 4_500_000), 5);
    }
}
