//! The consistent-hash exchange.

use super::exchange::Binding;

/// The queue for a routing key: each binding has as many buckets as its key says.
pub(super) fn bucket(bindings: &[Binding], key: &str) -> Option<u32> {
    let weights = bindings.iter().map(|binding| (binding.queue, binding.key.parse::<u64>().unwrap_or(0)));
    let total: u64 = weights.clone().map(|(_, weight)| weight).sum();
    if total == 0 {
        return None;
    }
    let mut at = fnv(key) % total;
    for (queue, weight) in weights {
        if at < weight {
            return Some(queue);
        }
        at -= weight;
    }
    None
}

fn fnv(key: &str) -> u64 {
    key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
