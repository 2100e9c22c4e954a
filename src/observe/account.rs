//! The account of one fact: what became of it, effect by effect.

use super::record::Cause;
use crate::sim::Timestamp;

/// What became of a fact, worst effect first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Status {
    /// Nothing was promised and nothing happened: the user was told no. Not counted.
    Void,
    /// Every effect took place exactly once.
    Once,
    /// An effect may still take place.
    Pending,
    /// An effect can only take place if someone looks at the dead letters.
    Dead,
    /// An effect can no longer take place.
    Lost,
    /// An effect took place more than once.
    Twice,
}

/// What a user got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Outcome {
    /// No user waits for this fact.
    Open,
    /// Everything promised came in time.
    Served,
    /// Answered; something promised has not come and is not late yet. Or not answered yet.
    Waiting,
    /// Something promised came late, or is late already.
    Late,
    /// Something promised will never come.
    Never,
    /// Something promised happened twice.
    Twice,
    /// Told no, or nothing.
    Refused,
}

/// How one effect of one fact stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// This fact has nothing to do with this effect.
    Foreign,
    /// It may still take place.
    Pending,
    /// It took place so often.
    Done(u8),
    /// It lies among the dead letters only.
    Dead,
    /// It can no longer take place.
    Lost(Cause),
}

/// How one effect of one fact stands, as far as the ledger counts it: an index of its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Stand {
    Foreign,
    Pending,
    Once,
    Twice,
    Dead,
    Lost,
}

impl Stand {
    /// How many there are.
    pub(super) const COUNT: usize = 6;

    /// What it makes of a fact, and of its user's outcome in time and late. Nobody gets what lies among the dead letters,
    /// until someone redrives it.
    const TELLS: [(Status, [Outcome; 2]); Self::COUNT] = [
        (Status::Void, [Outcome::Served, Outcome::Served]),
        (Status::Pending, [Outcome::Waiting, Outcome::Late]),
        (Status::Once, [Outcome::Served, Outcome::Late]),
        (Status::Twice, [Outcome::Twice, Outcome::Twice]),
        (Status::Dead, [Outcome::Never, Outcome::Never]),
        (Status::Lost, [Outcome::Never, Outcome::Never]),
    ];
}

/// One effect of one fact, in eight bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct EffectState {
    /// Copies that may still lead to it.
    pub live: u16,
    /// Copies among the dead letters.
    pub dead: u16,
    /// How often it took place; stops counting at 255.
    pub count: u8,
    flags: u8,
    /// The [`Cause`] that its last copy went with.
    pub cause: u8,
}

const EXPECTED: u8 = 1;
const LATE: u8 = 2;
const OUT_OF_ORDER: u8 = 4;
const SKIPPED: u8 = 8;
const MARKED: u8 = 16;

impl EffectState {
    /// The fact has something to do with this effect.
    #[inline]
    pub fn expect(&mut self) {
        self.flags |= EXPECTED;
    }

    /// The fact has nothing to do with this effect after all.
    pub fn forget(&mut self) {
        self.flags &= !EXPECTED;
    }

    /// Notes that it came, or will come, after its promise, if `late`.
    #[cfg_attr(page, optimize(speed))]
    pub fn mark_late(&mut self, late: bool) {
        self.flags |= if late { LATE } else { 0 };
    }

    /// Notes that it took place after a later one of the same key, if `out_of_order`.
    #[cfg_attr(page, optimize(speed))]
    pub fn mark_out_of_order(&mut self, out_of_order: bool) {
        self.flags |= if out_of_order { OUT_OF_ORDER } else { 0 };
    }

    /// It came, or will come, after its promise.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn late(self) -> bool {
        self.flags & LATE != 0
    }

    /// It took place after a later one of the same key.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn out_of_order(self) -> bool {
        self.flags & OUT_OF_ORDER != 0
    }

    /// Notes that a repeat of it was recognised and skipped.
    #[cfg_attr(page, optimize(speed))]
    pub fn mark_skipped(&mut self) {
        self.flags |= SKIPPED;
    }

    /// A repeat of it was recognised and skipped.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn skipped(self) -> bool {
        self.flags & SKIPPED != 0
    }

    /// Notes that it took a turn that is remembered; true where it had taken one before.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn takes_turn(&mut self) -> bool {
        let before = self.flags & MARKED != 0;
        self.flags |= MARKED;
        before
    }

    /// How it stands, for counting.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn stand(self) -> Stand {
        match (self.count, self.live, self.dead) {
            (2.., ..) => Stand::Twice,
            (1, ..) => Stand::Once,
            (0, 1.., _) => Stand::Pending,
            (0, 0, 1..) => Stand::Dead,
            (0, 0, 0) if self.flags & EXPECTED != 0 => Stand::Lost,
            (0, 0, 0) => Stand::Foreign,
        }
    }

    /// How it stands.
    #[must_use]
    pub fn standing(self) -> Standing {
        match self.stand() {
            Stand::Foreign => Standing::Foreign,
            Stand::Pending => Standing::Pending,
            Stand::Once | Stand::Twice => Standing::Done(self.count),
            Stand::Dead => Standing::Dead,
            Stand::Lost => Standing::Lost(Cause::from_number(u64::from(self.cause))),
        }
    }
}

/// What the ledger knows of a fact, in 24 bytes.
#[derive(Clone, Copy, Debug)]
pub struct FactState {
    /// When it came into the world.
    pub born_us: Timestamp,
    /// Its key.
    pub key: u32,
    /// Its number at its producer.
    pub serial: u32,
    /// Index of its producer's part.
    pub producer: u16,
    /// What became of it.
    pub status: Status,
    /// What its user got.
    pub outcome: Outcome,
    /// A user asked for it.
    pub asked: bool,
    /// The user was told yes.
    pub answered: bool,
    /// The user was told no.
    pub refused: bool,
    /// How copies of it have ended: the bits of [`End`](super::books::End).
    pub ended: u8,
}

impl FactState {
    /// A fact that has just come into the world.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn born(born_us: Timestamp, key: u32, serial: u32, producer: u16) -> Self {
        let (status, outcome) = (Status::Void, Outcome::Open);
        Self { born_us, key, serial, producer, status, outcome, asked: false, answered: false, refused: false, ended: 0 }
    }

    /// Status and outcome as the fact's effects stand. `promised` has a bit for each effect that users expect.
    #[inline]
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn settled(&self, effects: &[EffectState], promised: u8) -> (Status, Outcome) {
        let mut status = Status::Void;
        let mut outcome = Outcome::Served;
        let mut happened = false;
        for (bit, state) in effects.iter().enumerate() {
            let stand = state.stand();
            let (as_status, as_outcome) = Stand::TELLS[stand as usize];
            happened |= !matches!(stand, Stand::Foreign | Stand::Lost);
            status = status.max(as_status);
            if promised & (1 << bit) != 0 {
                outcome = outcome.max(as_outcome[usize::from(state.late())]);
            }
        }
        if self.refused {
            return (if happened { status } else { Status::Void }, Outcome::Refused);
        }
        if self.answered {
            return (status.max(Status::Once), outcome);
        }
        if self.asked {
            // The request is under way: nobody has been told anything.
            return (status, Outcome::Waiting);
        }
        (status, if status == Status::Void { Outcome::Open } else { outcome })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_small() {
        assert_eq!((size_of::<FactState>(), size_of::<EffectState>()), (24, 8));
    }

    #[test]
    fn the_worst_effect_decides_and_a_refusal_voids_what_never_was() {
        let mut lost = EffectState::default();
        lost.expect();
        let done = EffectState { count: 1, ..lost };
        let twice = EffectState { count: 2, ..done };
        let pending = EffectState { live: 1, ..lost };
        let fact = FactState { answered: true, asked: true, ..FactState::born(0, 0, 0, 0) };
        let check = |fact: &FactState, effects: &[EffectState], expect| assert_eq!(fact.settled(effects, 0xff), expect);
        check(&fact, &[done, done], (Status::Once, Outcome::Served));
        check(&fact, &[done, pending], (Status::Pending, Outcome::Waiting));
        check(&fact, &[pending, lost], (Status::Lost, Outcome::Never));
        check(&fact, &[lost, twice], (Status::Twice, Outcome::Twice));
        let refused = FactState { refused: true, ..fact };
        check(&refused, &[lost, lost], (Status::Void, Outcome::Refused));
        check(&refused, &[lost, done], (Status::Lost, Outcome::Refused));
        assert_eq!(fact.settled(&[done, lost], 1), (Status::Lost, Outcome::Served), "the second effect was promised to nobody");
    }
}
