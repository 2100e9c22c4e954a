//! A message: one copy of the news about a fact. The same for every broker.

use crate::sim::Timestamp;

/// A set of effects, one bit each. A scenario has at most eight.
pub type EffectMask = u8;

/// One copy of a message. Small on purpose: nine million of them wait in a flash sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// When this copy was stored where it is, or made.
    pub stored_us: Timestamp,
    /// The business fact that it tells of.
    pub fact: u32,
    /// Its key: decides the partition.
    pub key: u32,
    /// How often a queue has given it out.
    pub receives: u16,
    /// The effects that it may still lead to.
    pub effects: EffectMask,
    /// It can never be processed.
    pub poison: bool,
    /// It has no value: its key is to be forgotten.
    pub tombstone: bool,
}
