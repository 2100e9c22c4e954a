//! What the ledger is asked: how a fact stands, when it turned, and how many there are of a kind.

use super::{EffectCounts, FactState, Ledger, Mark, Outcome, Standing, Status, Tally, Turn};
use crate::observe::record::Cause;

impl Ledger {
    /// Whether facts share keys, so that one can overtake another.
    #[must_use]
    pub fn has_keys(&self) -> bool {
        self.keys > 0
    }

    /// How many facts there are, refused ones included.
    #[must_use]
    pub fn facts(&self) -> u32 {
        self.accounts.count()
    }

    /// What is known of a fact.
    #[must_use]
    pub fn fact(&self, fact: u32) -> Option<&FactState> {
        self.accounts.get(fact).map(|(state, _)| state)
    }

    /// How an effect of a fact stands.
    #[must_use]
    pub fn standing(&self, fact: u32, effect: usize) -> Standing {
        self.state(fact, effect).standing()
    }

    /// Whether a fact took an effect more than once, and whether it took it after a later fact of its key did.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn is_repeated_or_overtaken(&self, fact: u32, effect: usize) -> (bool, bool) {
        let state = self.state(fact, effect);
        (state.count > 1, state.out_of_order())
    }

    /// True if a fact took an effect late, or is late with it.
    #[must_use]
    pub fn is_late(&self, fact: u32, effect: usize) -> bool {
        self.state(fact, effect).late()
    }

    /// True if a fact took an effect after a later fact of its key did.
    #[must_use]
    pub fn is_out_of_order(&self, fact: u32, effect: usize) -> bool {
        self.state(fact, effect).out_of_order()
    }

    /// True if a repeat of this effect of a fact was recognised and skipped.
    #[must_use]
    pub fn is_skipped(&self, fact: u32, effect: usize) -> bool {
        self.state(fact, effect).skipped()
    }

    /// When and where a fact, or one of its effects, took a turn.
    #[must_use]
    pub fn marked(&self, fact: u32, effect: usize, turn: Turn) -> Option<Mark> {
        if let (Turn::Late, Some(at_us)) = (turn, self.accounts.late_at_us(fact, effect)) {
            return Some(Mark::new(at_us, self.effects[effect].part, effect as u8, turn, Cause::None));
        }
        self.accounts.marked(fact, effect, turn).copied()
    }

    /// Facts with this status.
    #[must_use]
    pub fn with_status(&self, status: Status) -> u64 {
        self.statuses[status as usize]
    }

    /// Facts with this outcome for their user.
    #[must_use]
    pub fn with_outcome(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize]
    }

    /// Facts that count: all but those whose user was told no and for which nothing happened.
    #[must_use]
    pub fn total(&self) -> u64 {
        u64::from(self.facts()) - self.statuses[Status::Void as usize]
    }

    /// Counts of one effect.
    #[must_use]
    pub fn counts(&self, effect: usize) -> EffectCounts {
        let Tally { by: [_, pending, once, twice, dead, lost], late, skipped, out_of_order } = self.counts[effect];
        EffectCounts { once, twice, lost, pending, dead, late, skipped, out_of_order }
    }

    /// The first facts to take an effect, in order, repeats included.
    #[must_use]
    pub fn applied(&self, effect: usize) -> &[u32] {
        &self.applied[effect]
    }

    /// Live copies, each counted once for every effect it may lead to.
    #[must_use]
    pub fn live_total(&self) -> i64 {
        self.live_total
    }

    /// Numbers of the facts for which `want` holds, oldest first, at most so many.
    #[must_use]
    pub fn pick(&self, most: usize, want: impl Fn(u32, &FactState) -> bool) -> Vec<u32> {
        (0..self.facts()).filter(|number| self.fact(*number).is_some_and(|fact| want(*number, fact))).take(most).collect()
    }
}
