//! Where all accounts are kept, with the turns that facts took.

use std::rc::Rc;

use super::account::{EffectState, FactState};
use super::ledger::MOST_EFFECTS;
use super::record::Cause;
use crate::sim::Timestamp;
use crate::sim::share::own;

/// What came of a fact, or of one of its effects, that is no matter of course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Turn {
    /// The effect was lost, or is to be had from the dead letters only.
    Ended,
    /// It took place a second time.
    Twice,
    /// It took place after a later one of the same key.
    OutOfOrder,
    /// It took place, after its promise.
    Late,
    /// The user was told no.
    Refused,
}

/// When and where a fact took a turn. Sixteen bytes, and only for facts that took one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at_us: Timestamp,
    /// Its place in its chunk.
    row: u16,
    /// Index of the part where it happened.
    pub part: u16,
    /// The effect, by bit; nought for a turn of the whole fact.
    pub effect: u8,
    /// Which turn.
    pub turn: Turn,
    /// The cause of a refusal.
    pub cause: Cause,
}

impl Mark {
    /// A mark of some fact: [`Accounts::mark`] says of which.
    #[must_use]
    pub fn new(at_us: Timestamp, part: u16, effect: u8, turn: Turn, cause: Cause) -> Self {
        Self { at_us, row: 0, part, effect, turn, cause }
    }
}

const CHUNK: usize = 512;

/// Facts and their effects, side by side, so that whoever changes one finds the other near.
#[derive(Clone, Debug)]
struct Chunk {
    facts: Vec<FactState>,
    effects: Vec<EffectState>,
    marks: Vec<Mark>,
    late: Vec<Late>,
}

/// An effect that took place after its promise where it usually does: in half the bytes of a [`Mark`], as on a bad day nearly
/// every fact has one. The moment, the row and the effect in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Late(u64);

impl Late {
    const EFFECT_BITS: u32 = MOST_EFFECTS.ilog2();
    const PLACE_BITS: u32 = CHUNK.ilog2() + Self::EFFECT_BITS;

    fn place(row: usize, effect: usize) -> u64 {
        (row << Self::EFFECT_BITS | effect) as u64
    }

    /// 52 bits are left for the moment: 142 years.
    fn new(at_us: Timestamp, row: usize, effect: usize) -> Self {
        debug_assert!(at_us.leading_zeros() >= Self::PLACE_BITS, "no run lasts so long");
        Self(at_us << Self::PLACE_BITS | Self::place(row, effect))
    }

    fn is_at(self, row: usize, effect: usize) -> bool {
        self.0 & ((1 << Self::PLACE_BITS) - 1) == Self::place(row, effect)
    }

    fn at_us(self) -> Timestamp {
        self.0 >> Self::PLACE_BITS
    }
}

/// All accounts. Clones share their chunks until one of them writes.
#[derive(Clone, Debug)]
pub struct Accounts {
    width: usize,
    chunks: Vec<Rc<Chunk>>,
    count: u32,
}

impl Accounts {
    /// No accounts yet, of so many effects each.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self { width, chunks: Vec::new(), count: 0 }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Opens an account and returns the fact's number.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn open(&mut self, fact: FactState) -> u32 {
        let number = self.count;
        if (number as usize).is_multiple_of(CHUNK) {
            let (facts, effects) = (Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK * self.width));
            let chunk = Chunk { facts, effects, marks: Vec::new(), late: Vec::new() };
            self.chunks.push(Rc::new(chunk));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            let chunk = own(chunk);
            chunk.facts.push(fact);
            chunk.effects.resize(chunk.effects.len() + self.width, EffectState::default());
        }
        self.count += 1;
        number
    }

    /// A fact and its effects.
    #[inline]
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn get(&self, fact: u32) -> Option<(&FactState, &[EffectState])> {
        let (chunk, row) = (fact as usize / CHUNK, fact as usize % CHUNK);
        let chunk = self.chunks.get(chunk)?;
        Some((chunk.facts.get(row)?, chunk.effects.get(row * self.width..(row + 1) * self.width)?))
    }

    /// A fact and its effects, to change. Copies their chunk if a clone still shares it.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn get_mut(&mut self, fact: u32) -> Option<(&mut FactState, &mut [EffectState])> {
        let (chunk, row) = (fact as usize / CHUNK, fact as usize % CHUNK);
        let chunk = own(self.chunks.get_mut(chunk)?);
        Some((chunk.facts.get_mut(row)?, chunk.effects.get_mut(row * self.width..(row + 1) * self.width)?))
    }

    /// Remembers a turn of a fact, in the place of an earlier one of the same kind.
    #[inline(never)]
    #[cfg_attr(page, optimize(speed))]
    pub fn mark(&mut self, fact: u32, mark: Mark) {
        let (chunk, row) = (fact as usize / CHUNK, fact as usize % CHUNK);
        let Some(chunk) = self.chunks.get_mut(chunk).map(own) else { return };
        let mark = Mark { row: row as u16, ..mark };
        if mark.turn != Turn::Refused {
            let Some(effect) = chunk.effects.get_mut(row * self.width + usize::from(mark.effect)) else { return };
            let known = effect.takes_turn();
            let same = |old: &&mut Mark| (old.row, old.effect, old.turn) == (mark.row, mark.effect, mark.turn);
            // Most have none yet, and need no look at those of their neighbours.
            if known && let Some(old) = chunk.marks.iter_mut().find(same) {
                *old = mark;
                return;
            }
        }
        chunk.marks.push(mark);
    }

    /// Remembers that an effect took place after its promise, where it usually does.
    #[inline(never)]
    #[cfg_attr(page, optimize(speed))]
    pub fn came_late(&mut self, fact: u32, effect: usize, at_us: Timestamp) {
        let (chunk, row) = (fact as usize / CHUNK, fact as usize % CHUNK);
        if let Some(chunk) = self.chunks.get_mut(chunk).map(own) {
            chunk.late.push(Late::new(at_us, row, effect));
        }
    }

    /// When an effect took place after its promise, where it usually does.
    #[must_use]
    pub fn late_at_us(&self, fact: u32, effect: usize) -> Option<Timestamp> {
        let (chunk, row) = (fact as usize / CHUNK, fact as usize % CHUNK);
        self.chunks.get(chunk)?.late.iter().find(|late| late.is_at(row, effect)).map(|late| late.at_us())
    }

    /// A turn of a fact, or of one of its effects, that [`Self::mark`] remembers.
    #[must_use]
    pub fn marked(&self, fact: u32, effect: usize, turn: Turn) -> Option<&Mark> {
        let (chunk, row) = (fact as usize / CHUNK, fact as usize % CHUNK);
        let marks = &self.chunks.get(chunk)?.marks;
        marks.iter().find(|mark| usize::from(mark.row) == row && usize::from(mark.effect) == effect && mark.turn == turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_small() {
        assert_eq!((size_of::<Mark>(), size_of::<Late>()), (16, 8));
    }

    #[test]
    fn a_turn_is_remembered_once_and_apart_from_others() {
        let mut accounts = Accounts::new(2);
        (0..600).for_each(|serial| {
            accounts.open(FactState::born(0, 0, serial, 0));
        });
        let mark = |at_us, effect, turn| Mark::new(at_us, 3, effect, turn, Cause::None);
        for (at_us, effect, turn) in [(5, 1, Turn::Ended), (6, 1, Turn::Twice), (9, 1, Turn::Ended), (7, 0, Turn::Refused)] {
            accounts.mark(513, mark(at_us, effect, turn));
        }
        let at_us = |fact, effect, turn| accounts.marked(fact, effect, turn).map(|mark| mark.at_us);
        assert_eq!(at_us(513, 1, Turn::Ended), Some(9), "the newest of a kind");
        assert_eq!((at_us(513, 1, Turn::Twice), at_us(513, 0, Turn::Refused)), (Some(6), Some(7)));
        assert_eq!((at_us(1, 1, Turn::Ended), at_us(513, 0, Turn::Ended)), (None, None));
        assert_eq!(accounts.chunks[1].marks.len(), 3);
        accounts.came_late(513, 1, 8);
        assert_eq!((accounts.late_at_us(513, 1), accounts.late_at_us(513, 0), accounts.late_at_us(1, 1)), (Some(8), None, None));
    }

    #[test]
    fn clones_are_independent() {
        let mut accounts = Accounts::new(2);
        for serial in 0..1_000 {
            assert_eq!(accounts.open(FactState::born(0, 0, serial, 0)), serial);
        }
        let snapshot = accounts.clone();
        accounts.get_mut(700).expect("it is there").1[1].count = 3;
        assert_eq!(accounts.get(700).expect("it is there").1[1].count, 3);
        assert_eq!(snapshot.get(700).expect("it is there").1[1].count, 0);
        assert!(accounts.get(1_000).is_none());
    }
}
