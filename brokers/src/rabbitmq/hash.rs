//! The consistent-hash exchange: which queue has a routing key.
//!
//! As in the sources of the plug-in, 3.10 (`rabbit_exchange_type_consistent_hash`): a queue has as many buckets as its
//! binding key says, and a key's bucket is found by jump consistent hashing (Lamping and Veach, 2014). Its random numbers
//! are Erlang's `exs1024` seeded with `erlang:phash2` of the key; that hash is Bob Jenkins' of 1996.

use super::exchange::Binding;

/// The queue for a routing key, if there is any. A queue that is bound again keeps its first weight.
pub(super) fn bucket(bindings: &[Binding], key: &str) -> Option<u32> {
    let first = |at: usize| bindings[..at].iter().all(|before| before.queue != bindings[at].queue);
    let own = bindings.iter().enumerate().filter(|(at, _)| first(*at));
    let weights: Vec<(u32, u64)> =
        own.map(|(_, binding)| (binding.queue, u64::from(binding.key.parse::<u32>().unwrap_or(0)))).collect();
    let total = weights.iter().map(|(_, weight)| weight).sum();
    let mut at = jump(phash2(key.as_bytes()), total)?;
    for (queue, weight) in weights {
        if at < weight {
            return Some(queue);
        }
        at -= weight;
    }
    None
}

/// One of so many buckets, of which as few as possible change when their number does.
fn jump(key: u32, buckets: u64) -> Option<u64> {
    let mut random = Exs1024::new(key);
    let mut found = None;
    let mut next: u64 = 0;
    while next < buckets {
        found = Some(next);
        // Erlang computes in doubles as well; none is kept.
        next = ((next + 1) as f64 / random.next()) as u64;
    }
    found
}

/// `erlang:phash2/1` of a binary.
fn phash2(bytes: &[u8]) -> u32 {
    const GOLDEN: u32 = 0x9e37_79b9;
    const OF_BINARIES: u32 = GOLDEN.wrapping_mul(13);
    let hash = if bytes.is_empty() { OF_BINARIES } else { jenkins(bytes, GOLDEN, OF_BINARIES) };
    hash & ((1 << 27) - 1)
}

fn jenkins(bytes: &[u8], start: u32, first: u32) -> u32 {
    let word = |part: &[u8]| part.iter().rev().fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
    let (mut a, mut b, mut c) = (start, start, first);
    let whole = bytes.chunks_exact(12);
    let rest = whole.remainder();
    for part in whole {
        a = a.wrapping_add(word(&part[..4]));
        b = b.wrapping_add(word(&part[4..8]));
        c = c.wrapping_add(word(&part[8..]));
        mix(&mut a, &mut b, &mut c);
    }
    let upto = |from: usize, to: usize| rest.get(from..to.min(rest.len())).map_or(0, word);
    a = a.wrapping_add(upto(0, 4));
    b = b.wrapping_add(upto(4, 8));
    // The lowest byte of the third is the length's.
    c = c.wrapping_add(bytes.len() as u32).wrapping_add(upto(8, 11) << 8);
    mix(&mut a, &mut b, &mut c);
    c
}

fn mix(a: &mut u32, b: &mut u32, c: &mut u32) {
    for [right, left, last] in [[13, 8, 13], [12, 16, 5], [3, 10, 15]] {
        *a = a.wrapping_sub(*b).wrapping_sub(*c) ^ (*c >> right);
        *b = b.wrapping_sub(*c).wrapping_sub(*a) ^ (*a << left);
        *c = c.wrapping_sub(*a).wrapping_sub(*b) ^ (*b >> last);
    }
}

/// Erlang's `rand` with algorithm `exs1024` and the same seed three times.
struct Exs1024 {
    state: [u64; 16],
    at: usize,
}

impl Exs1024 {
    fn new(seed: u32) -> Self {
        const LOW: u64 = (1 << 21) - 1;
        let part = |factor: u64| ((u64::from(seed) & LOW) + 1).wrapping_mul(factor) & LOW;
        let mut x = part(2_097_131) << 43 | part(2_097_133) << 22 | part(2_097_143) << 1 | 1;
        let mut state = [0; 16];
        for slot in state.iter_mut().rev() {
            x ^= x >> 12;
            x ^= x << 25;
            x ^= x >> 27;
            *slot = x.wrapping_mul(2_685_821_657_736_338_717);
        }
        Self { state, at: 0 }
    }

    /// From 0 up to 1.
    fn next(&mut self) -> f64 {
        let s0 = self.state[self.at];
        self.at = (self.at + 1) % 16;
        let mut s1 = self.state[self.at];
        s1 ^= s1 << 31;
        s1 ^= s1 >> 11;
        s1 ^= s0 ^ (s0 >> 30);
        self.state[self.at] = s1;
        s1.wrapping_mul(1_181_783_497_276_652_981) as f64 / 18_446_744_073_709_551_616.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_hashes_as_in_erlang() {
        let check = |key: &str, hash: u32, of_ten: u64| {
            assert_eq!(phash2(key.as_bytes()), hash, "{key}");
            assert_eq!(jump(hash, 10), Some(of_ten), "{key}");
        };
        check("", 13_708_901, 9);
        check("a", 112_802_447, 6);
        check("abcd", 132_321_803, 5);
        check("order-7", 114_868_694, 3);
        check("12345678901", 32_732_558, 5);
        check("123456789012", 40_293_642, 0);
        check("a longer key of some words", 5_058_969, 2);
        check("user-42", 106_851_094, 2);
    }
}
