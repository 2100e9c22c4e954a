//! Random streams. Each part has one per purpose, seeded from the run's seed and the two names, so that changing one
//! part does not reshuffle what the others draw.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

use super::hash::TraceHash;
use super::time::Ppm;

/// One stream of random numbers (PCG-XSH-RR 64/32).
#[derive(Clone, Debug)]
pub struct Stream(Pcg32);

impl Stream {
    /// The stream of `purpose` of the part called `part` in a run with this seed.
    #[must_use]
    pub fn new(seed: u64, part: &str, purpose: &str) -> Self {
        let mut hash = TraceHash::default();
        hash.word(seed);
        hash.text(part);
        hash.text(purpose);
        let state = hash.value();
        hash.word(1);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&state.to_le_bytes());
        bytes[8..].copy_from_slice(&hash.value().to_le_bytes());
        Self(Pcg32::from_seed(bytes))
    }

    /// A whole number below `bound`, without bias that matters here (Lemire's multiply-shift on 32 bits). Zero for a bound of zero.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// True with the given probability. Draws only where the answer is open, so that a share of 0 % costs nothing.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn hits(&mut self, share: Ppm) -> bool {
        share.0 > 0 && self.below(Ppm::ONE.0) < share.0
    }

    /// A number in (0, 1], never zero, for samplers that take a logarithm.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn open_unit(&mut self) -> f64 {
        (f64::from(self.0.next_u32()) + 1.0) / 4_294_967_296.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_part_and_purpose() {
        let first = |seed, part, purpose| Stream::new(seed, part, purpose).below(u32::MAX);
        let base = first(7, "email", "latency");
        assert_eq!(base, first(7, "email", "latency"));
        assert_ne!(base, first(8, "email", "latency"));
        assert_ne!(base, first(7, "email", "errors"));
        assert_ne!(base, first(7, "inventory", "latency"));
    }

    #[test]
    fn hits_come_at_their_share() {
        let mut stream = Stream::new(1, "a", "b");
        let hits = (0..100_000).filter(|_| stream.hits(Ppm(10_000))).count();
        assert!((900..1_100).contains(&hits), "{hits}");
    }
}
