//! Which partition a key goes to. The producer decides, so two kinds of producer may decide differently.
//!
//! Source: `Utils.murmur2` and `BuiltInPartitioner` of Apache Kafka's Java client; `rdkafka_msg.c` and `rdcrc32.c` of librdkafka.

/// The hash of Kafka's Java client, over the bytes of the key.
#[must_use]
pub fn murmur2(key: &[u8]) -> i32 {
    const SEED: u32 = 0x9747_b28c;
    const M: u32 = 0x5bd1_e995;
    let mut hash = SEED ^ u32::try_from(key.len()).unwrap_or(u32::MAX);
    let mut words = key.chunks_exact(4);
    for word in &mut words {
        let mut mixed = u32::from_le_bytes([word[0], word[1], word[2], word[3]]).wrapping_mul(M);
        mixed ^= mixed >> 24;
        hash = hash.wrapping_mul(M) ^ mixed.wrapping_mul(M);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        for (place, byte) in rest.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * place);
        }
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    (hash ^ (hash >> 15)).cast_signed()
}

/// CRC-32 (IEEE 802.3), which librdkafka's partitioners `consistent` and `consistent_random` take of the key.
#[must_use]
pub fn crc32(key: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in key {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// Where Kafka's Java client puts a key. Not for zero partitions: there is only partition 0 then.
#[must_use]
pub fn java(key: &[u8], partitions: u32) -> u32 {
    (murmur2(key) & i32::MAX).cast_unsigned() % partitions.max(1)
}

/// Where librdkafka's default, `consistent_random`, puts a key: every client built on it, such as node-rdkafka and
/// confluent-kafka-python. It takes an empty key for none: [`None`], placed by [`Sticky`].
#[must_use]
pub fn librdkafka(key: &[u8], partitions: u32) -> Option<u32> {
    (!key.is_empty()).then(|| crc32(key) % partitions.max(1))
}

/// Where records without a key go: to one partition until it has a batch, then to another (KIP-480, KIP-794).
/// Weights for slow partitions (`partitioner.adaptive.partitioning.enable`) are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sticky {
    batch_bytes: u64,
    current: Option<u32>,
    bytes: u64,
}

impl Sticky {
    /// A partitioner for batches of this size: `batch.size`.
    #[must_use]
    pub fn new(batch_bytes: u64) -> Self {
        Self { batch_bytes: batch_bytes.max(1), current: None, bytes: 0 }
    }

    /// Where a record of this size goes. `random` decides when another partition is due; `batch_is_full` says whether the
    /// record closes the partition's batch, so that a batch is not cut short while it waits for `linger.ms`.
    pub fn place(&mut self, bytes: u64, batch_is_full: bool, partitions: u32, random: u32) -> u32 {
        let place = self.current.filter(|current| *current < partitions).unwrap_or(random % partitions.max(1));
        self.current = Some(place);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes >= self.batch_bytes && batch_is_full || self.bytes >= self.batch_bytes.saturating_mul(2) {
            self.current = None;
            self.bytes = 0;
        }
        place
    }
}

/// `RoundRobinPartitioner`: one partition after the other, whatever the key. Source: its Java class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundRobin {
    next: u32,
}

impl RoundRobin {
    /// Where the next record goes.
    pub fn place(&mut self, partitions: u32) -> u32 {
        let place = self.next % partitions.max(1);
        self.next = (self.next + 1) & i32::MAX.cast_unsigned();
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn murmur2_places_keys_as_the_java_client() {
        let check = |key: &str, hash: i32, places: [u32; 4]| {
            assert_eq!(murmur2(key.as_bytes()), hash, "{key}");
            assert_eq!([3, 6, 12, 100].map(|partitions| java(key.as_bytes(), partitions)), places, "{key}");
        };
        check("", 275_646_681, [0, 3, 9, 81]);
        check("ab", 316_155_434, [2, 2, 2, 34]);
        check("21", -973_932_308, [0, 0, 0, 40]);
        check("a-little-bit-long-string", -985_981_536, [2, 2, 8, 12]);
        check("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971, [2, 5, 5, 77]);
        check("user-2", -324_981_792, [2, 2, 8, 56]);
        check("order-1001", 297_523_878, [0, 0, 6, 78]);
        check("customer-7", -1_283_830_537, [1, 1, 7, 11]);
        check("1", -1_993_445_489, [0, 3, 3, 59]);
        check("key", -1_079_937_367, [1, 1, 1, 81]);
        check("日本", -700_811_021, [0, 3, 3, 27]);
        assert_eq!([murmur2(b"foobar"), murmur2(b"abc")], [-790_332_482, 479_470_107]);
    }

    #[test]
    fn crc32_is_the_one_of_ieee_802_3() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(librdkafka(b"", 6), None);
    }

    #[test]
    fn records_without_a_key_move_on_when_their_batch_is_full() {
        let mut sticky = Sticky::new(100);
        let placed = [(60, false), (60, false), (60, false), (60, true), (60, false)];
        let places: Vec<u32> = (0..).zip(placed).map(|(random, (bytes, full))| sticky.place(bytes, full, 6, random)).collect();
        // 100 bytes are reached by the second record, which does not fill its batch; twice that by the fourth.
        assert_eq!(places, [0, 0, 0, 0, 4]);
    }
}
