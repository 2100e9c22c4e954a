//! A partitioned log: append-only, kept for a time, read by groups that each commit one offset a partition.
//!
//! Key to partition as Kafka's default partitioner does it: `(murmur2(key) & 0x7fffffff) % partitions` over the bytes of
//! the key's text ("Apache Kafka documentation", producer configuration; `BuiltInPartitioner`). What is kept, and where, is
//! decided by whole segments, a machine's of `redrive-brokers`; every record has the same size here, so that a segment is
//! also a number of records. Compaction is in `compaction.rs`.
//!
//! A log with one replica is here alone: a record is safe once it is stored. What replicas add is in `replicas.rs`.

use redrive_brokers::kafka::compaction::Cleaner;
use redrive_brokers::kafka::partitioner::{crc32, murmur2};
use redrive_brokers::kafka::segment::{self, Segments};

use super::repeats::Repeats;
use super::replicas::Replicas;
use super::transactions::Transactions;
use crate::message::Message;
use crate::scenario::choices::{Cleanup, Partitioner};
use crate::scenario::parts::LogSettings;
use crate::sim::{Micros, Tape, Timestamp};

/// What decides where a record goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// How its publisher picks a partition.
    By(Partitioner),
    /// The partition that its publisher has picked.
    At(u32),
}

/// The partition of a key given as text; the first one where no key decides.
#[must_use]
#[cfg_attr(page, optimize(speed))]
pub fn partition_of(key: &str, partitions: u32, partitioner: Partitioner) -> u32 {
    let hash = match partitioner {
        Partitioner::Murmur2 => murmur2(key.as_bytes()).cast_unsigned() & 0x7fff_ffff,
        Partitioner::Crc32 => crc32(key.as_bytes()),
        Partitioner::Sticky | Partitioner::RoundRobin => 0,
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
    /// The segments of each partition.
    pub segments: Vec<Segments>,
    /// The cleaner of each partition.
    pub cleaners: Vec<Cleaner>,
    /// When the cleaners look next.
    pub cleaning_us: Timestamp,
    /// The workers that read it, by index among workers; each is a group.
    pub groups: Vec<u16>,
    /// The effects that a record here may lead to.
    pub effects: u8,
    /// Some of the groups read from followers.
    pub near: bool,
    /// Records appended so far.
    pub appended: u64,
    /// Of these, how many are for some of the groups only: redriven dead letters.
    pub marked: u64,
    /// Its transactions, where there has been one.
    pub transactions: Option<Box<Transactions>>,
    /// Its replicas, where it has more than one.
    pub replicas: Option<Box<Replicas>>,
    /// The records that may come again: kept where repeats are to be recognised.
    pub repeats: Repeats,
}

impl Log {
    /// An empty log.
    #[must_use]
    pub fn new(part: u16, settings: LogSettings) -> Self {
        let replicas = Replicas::new(&settings);
        let mut log = Self {
            part,
            settings,
            partitions: Vec::new(),
            segments: Vec::new(),
            cleaners: Vec::new(),
            cleaning_us: 0,
            groups: Vec::new(),
            effects: 0,
            near: false,
            appended: 0,
            marked: 0,
            transactions: None,
            replicas,
            repeats: Repeats::default(),
        };
        log.widen(0);
        log
    }

    /// Adds partitions up to what the settings say.
    pub fn widen(&mut self, now_us: Timestamp) {
        let partitions = self.settings.partitions as usize;
        self.partitions.resize(partitions, Tape::default());
        self.segments.resize(partitions, Segments::new(now_us, self.kept_as()));
        self.cleaners.resize(partitions, Cleaner::default());
    }

    /// How its settings say that segments are closed and kept.
    #[must_use]
    pub fn kept_as(&self) -> segment::Options {
        let settings = &self.settings;
        let by_records = settings.segment.saturating_mul(settings.record_bytes);
        let drops = settings.cleanup != Cleanup::Compact;
        let some = |bytes: u64| (bytes > 0).then_some(bytes);
        segment::Options {
            segment_bytes: some(settings.segment_bytes).unwrap_or(by_records),
            segment_us: settings.segment_age.0,
            retention_us: drops.then_some(settings.retention.0),
            retention_bytes: some(settings.retention_bytes).filter(|_| drops),
            remote: settings.remote.then_some(segment::Remote {
                local_retention_us: Some(settings.local_retention.0.min(settings.retention.0)),
                ..segment::Remote::default()
            }),
            ..segment::Options::default()
        }
    }

    /// Whether it keeps only the newest record of each key.
    #[must_use]
    pub fn compacts(&self) -> bool {
        self.settings.cleanup != Cleanup::Delete
    }

    /// Where the segment ends that has this offset, if only remote storage has it: one fetch reads one segment there
    /// (`RemoteLogManager.read` of Apache Kafka).
    #[must_use]
    pub fn remote_to(&self, partition: usize, offset: u64) -> Option<u64> {
        let segments = &self.segments[partition];
        if segments.local_start() <= offset {
            return None;
        }
        segments.iter().find(|segment| segment.base <= offset && offset < segment.end).map(|segment| segment.end)
    }

    /// The partition of a record that comes now.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn partition_of(&self, message: &Message, partitioner: Partitioner) -> u32 {
        let width = self.partitions.len() as u64;
        match partitioner {
            Partitioner::Murmur2 | Partitioner::Crc32 => {
                partition_of(itoa::Buffer::new().format(message.key), width as u32, partitioner)
            }
            // What goes to one partition before the next: `batch.size` of Kafka's producers (KIP-794).
            Partitioner::Sticky => (self.appended * self.settings.record_bytes / self.settings.batch_bytes % width) as u32,
            Partitioner::RoundRobin => (self.appended % width) as u32,
        }
    }

    /// The partition of a record that comes now, where its publisher may have picked one.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn place_of(&self, message: &Message, placed: Placed) -> u32 {
        match placed {
            Placed::By(partitioner) => self.partition_of(message, partitioner),
            Placed::At(partition) => partition,
        }
    }

    /// Puts a record at the end of a partition; returns its offset.
    #[cfg_attr(page, optimize(speed))]
    pub fn push(&mut self, partition: u32, message: Message) -> u64 {
        self.appended += 1;
        self.marked += u64::from(message.effects != self.effects);
        self.segments[partition as usize].append(message.stored_us, 1, self.settings.record_bytes);
        self.partitions[partition as usize].push(message)
    }

    /// Looks what of a partition need not be kept any more, or not on the broker's disk: the offset up to which it goes.
    #[must_use]
    pub fn expired_to(&mut self, partition: usize, now_us: Timestamp) -> u64 {
        let high_watermark = self.high_watermark(partition);
        self.segments[partition].look(now_us, high_watermark);
        self.segments[partition].start()
    }

    /// How long records are kept, where that is limited by time at all.
    #[must_use]
    pub fn retention(&self) -> Option<Micros> {
        (self.settings.cleanup != Cleanup::Compact).then_some(self.settings.retention)
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
        let all = self.partitions.iter().map(Tape::len).sum();
        let left = || self.segments.iter().map(Segments::bytes).sum::<u64>() / self.settings.record_bytes.max(1);
        if self.compacts() { left() } else { all }
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
            log.push(
                0,
                Message {
                    stored_us: second * 1_000_000,
                    fact: 0,
                    key: 0,
                    receives: 0,
                    effects: 1,
                    poison: false,
                    tombstone: false,
                },
            );
        }
        assert_eq!(log.expired_to(0, 13_000_000), 0, "the record at 3 s is just ten seconds old");
        assert_eq!(log.expired_to(0, 13_000_001), 4);
        assert_eq!(log.expired_to(0, 19_000_000), 8, "the last segment has a record of 9 s");
        assert_eq!(log.expired_to(0, 19_000_001), 10, "an idle log goes entirely");
        assert_eq!(log.offset_at(0, 4_500_000), 5);
    }
}
