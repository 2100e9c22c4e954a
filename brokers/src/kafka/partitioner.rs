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
