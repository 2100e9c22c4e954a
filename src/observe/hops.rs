//! Messages on their way between two parts, kept for the stage. Drawing only: nothing here enters the trace hash.

use std::collections::VecDeque;

use crate::sim::Timestamp;

/// One hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// When it left.
    pub start_us: Timestamp,
    /// When it arrives.
    pub end_us: Timestamp,
    /// The fact it tells of.
    pub fact: u32,
    /// Index of the part it left.
    pub from: u16,
    /// Index of the part it goes to.
    pub to: u16,
}

/// The newest hops of a sample of facts.
#[derive(Clone, Debug)]
pub struct Hops {
    newest: VecDeque<Hop>,
    /// Every so many-th fact is kept.
    pub one_of: u32,
    /// A fact that is kept whether it is in the sample or not: the one that someone looks at.
    pub watched: Option<u32>,
}

/// How many hops are remembered.
const MOST: usize = 1_024;
/// Facts a second that can be told apart on the stage.
const READABLE_PER_SECOND: u64 = 10;

impl Hops {
    /// Keeps as many facts as can be told apart when so many come a second.
    #[must_use]
    pub fn for_rate(facts_per_second: u64) -> Self {
        let one_of = u32::try_from(facts_per_second / READABLE_PER_SECOND).unwrap_or(u32::MAX >> 1).max(1);
        // A power of two: every hop is asked for it.
        Self { newest: VecDeque::new(), one_of: one_of.next_power_of_two(), watched: None }
    }

    /// True if this fact is in the sample, or watched.
    #[inline]
    #[must_use]
    pub fn samples(&self, fact: u32) -> bool {
        fact & (self.one_of - 1) == 0 || self.watched == Some(fact)
    }

    /// Remembers a hop, if its fact is in the sample.
    #[inline]
    pub fn add(&mut self, hop: Hop) {
        if !self.samples(hop.fact) {
            return;
        }
        if self.newest.len() == MOST {
            self.newest.pop_front();
        }
        self.newest.push_back(hop);
    }

    /// The hops that have started and ended no longer than `trail_us` ago.
    pub fn around(&self, now_us: Timestamp, trail_us: u64) -> impl Iterator<Item = &Hop> {
        self.newest
            .iter()
            .filter(move |hop| hop.start_us <= now_us && now_us <= hop.end_us.max(hop.start_us.saturating_add(trail_us)))
    }
}
