//! A partitioned log: append-only, kept for a time, read by groups that each commit one offset a partition.
//!
//! Key to partition as Kafka's default partitioner does it: `(murmur2(key) & 0x7fffffff) % partitions` over the bytes of
//! the key's text ("Apache Kafka documentation", producer configuration; `BuiltInPartitioner`). Retention drops whole
//! segments whose newest record is older than the limit (topic configuration `retention.ms`, `segment.bytes`); here a
//! segment is counted in records.
//!
//! Not modelled: replication, acknowledgement levels, transactions, compaction. A record is safe once it is stored.

use crate::message::Message;
use crate::scenario::parts::LogSettings;
use crate::sim::{Tape, Timestamp};

/// Kafka's murmur2 over bytes (`org.apache.kafka.common.utils.Utils.murmur2`), as the signed number that Java shows.
#[must_use]
pub fn murmur2(bytes: &[u8]) -> i32 {
    const M: u32 = 0x5bd1_e995;
    let mut hash = 0x9747_b28c_u32 ^ bytes.len() as u32;
    let mut words = bytes.chunks_exact(4);
    for word in &mut words {
        let mut k = u32::from_le_bytes([word[0], word[1], word[2], word[3]]).wrapping_mul(M);
        k ^= k >> 24;
        hash = hash.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        for (index, byte) in rest.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * index);
        }
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    (hash ^ (hash >> 15)) as i32
}

/// The partition of a key given as text.
#[must_use]
pub fn partition_of(key: &str, partitions: u32) -> u32 {
    (murmur2(key.as_bytes()) as u32 & 0x7fff_ffff) % partitions.max(1)
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
}

impl Log {
    /// An empty log.
    #[must_use]
    pub fn new(part: u16, settings: LogSettings) -> Self {
        let partitions = vec![Tape::default(); settings.partitions as usize];
        Self { part, settings, partitions, groups: Vec::new(), effects: 0, appended: 0, marked: 0 }
    }

    /// Appends a record to the partition of its key; returns partition and offset.
    pub fn append(&mut self, message: Message) -> (u32, u64) {
        let partition = partition_of(&message.key.to_string(), self.partitions.len() as u32);
        self.appended += 1;
        self.marked += u64::from(message.effects != self.effects);
        (partition, self.partitions[partition as usize].push(message))
    }

    /// The offset up to which retention drops a partition now: whole segments whose newest record is too old.
    #[must_use]
    pub fn expired_to(&self, partition: usize, now_us: Timestamp) -> u64 {
        let tape = &self.partitions[partition];
        let segment = self.settings.segment;
        let mut keep_from = tape.start();
        while keep_from < tape.end() {
            let segment_end = ((keep_from / segment + 1) * segment).min(tape.end());
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
            let found = [3, 6, 12, 100].map(|partitions| partition_of(key, partitions));
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
            log.append(Message { stored_us: second * 1_000_000, fact: 0, key: 0, receives: 0, effects: 1, poison: false });
        }
        assert_eq!(log.expired_to(0, 13_000_000), 0, "the record at 3 s is just ten seconds old");
        assert_eq!(log.expired_to(0, 13_000_001), 4);
        assert_eq!(log.expired_to(0, 19_000_000), 8, "the last segment has a record of 9 s");
        assert_eq!(log.expired_to(0, 19_000_001), 10, "an idle log goes entirely");
        assert_eq!(log.offset_at(0, 4_500_000), 5);
    }
}
