//! Counts of one effect over all facts: as they are told, and as they are kept.

use crate::observe::account::Stand;

/// Counts of one effect over all facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EffectCounts {
    /// Took place exactly once.
    pub once: u64,
    /// More than once.
    pub twice: u64,
    /// Can no longer take place.
    pub lost: u64,
    /// May still take place.
    pub pending: u64,
    /// Lies among the dead letters only.
    pub dead: u64,
    /// Came, or will come, after its promise.
    pub late: u64,
    /// Repeats recognised and skipped.
    pub skipped: u64,
    /// Took place after a later one of the same key.
    pub out_of_order: u64,
}

/// The counts as they are kept: facts by how the effect stands, one taken from where another is added.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) by: [u64; Stand::COUNT],
    pub(super) late: u64,
    pub(super) skipped: u64,
    pub(super) out_of_order: u64,
}

impl Tally {
    /// A fact's effect stands differently, or as before.
    #[inline]
    pub(super) fn moves(&mut self, before: Stand, after: Stand) {
        // Nobody counts those that an effect is foreign to: their number starts at nought and goes below.
        self.by[before as usize] = self.by[before as usize].wrapping_sub(1);
        self.by[after as usize] = self.by[after as usize].wrapping_add(1);
    }
}
