//! The ledger: the truth that no part can see. How often each fact took each effect, and whether it still may.
//!
//! For every fact and effect the ledger counts how often it took place and how many copies may still lead to it. From
//! these two numbers follows everything: no copy left and no effect is *lost*; a copy left is *pending*; copies among the
//! dead letters only is *dead*; twice or more is *twice*. A status is derived, never set, so that an operator who rewinds
//! a log turns lost facts into pending ones.

mod questions;
mod tally;

use super::account::{EffectState, Stand};
pub use super::account::{FactState, Outcome, Standing, Status};
use super::accounts::Accounts;
pub use super::accounts::{Mark, Turn};
use super::books::End;
use super::record::{Cause, Kind, Record};
use crate::message::EffectMask;
use crate::sim::{Tape, Timestamp};
pub use tally::EffectCounts;
use tally::Tally;

/// The most effects a scenario may have: one bit each in an [`EffectMask`].
pub const MOST_EFFECTS: usize = 8;

/// An effect of the scenario.
#[derive(Clone, Debug)]
pub struct EffectInfo {
    /// Its name.
    pub name: String,
    /// How soon users expect it after their order; none if they were promised nothing.
    pub promise_us: Option<u64>,
    /// Index of the part it is named after.
    pub part: u16,
}

/// The promise of an effect that users expect, no matter when.
pub const SOME_DAY_US: u64 = u64::MAX / 4;

/// The ledger of a run.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The effects, by bit.
    pub effects: Vec<EffectInfo>,
    accounts: Accounts,
    /// A bit for each effect that users expect.
    promised: EffectMask,
    /// Facts by status.
    statuses: [u64; 6],
    /// Facts by outcome.
    outcomes: [u64; 7],
    counts: Vec<Tally>,
    /// The first fact whose promise of each effect has not run out yet.
    due: Vec<u32>,
    /// The newest fact that took each effect, by key; empty where keys are not shared.
    newest: Tape<u32>,
    keys: u32,
    /// The first applications of each effect, in order, for exact runs.
    applied: Vec<Vec<u32>>,
    /// Live copies times effects: compared with the books.
    live_total: i64,
}

/// How many applications of an effect are remembered in order.
const MOST_APPLIED: usize = 64;

impl Ledger {
    /// An empty ledger for these effects and so many shared keys (none for a key a fact).
    #[must_use]
    pub fn new(effects: Vec<EffectInfo>, keys: u32) -> Self {
        let mut newest = Tape::default();
        for _ in 0..keys as usize * effects.len() {
            newest.push(0);
        }
        Self {
            counts: vec![Tally::default(); effects.len()],
            due: vec![0; effects.len()],
            applied: vec![Vec::new(); effects.len()],
            accounts: Accounts::new(effects.len()),
            promised: (0..effects.len()).filter(|bit| effects[*bit].promise_us.is_some()).fold(0, |mask, bit| mask | 1 << bit),
            effects,
            statuses: [0; 6],
            outcomes: [0; 7],
            newest,
            keys,
            live_total: 0,
        }
    }

    #[cfg_attr(page, optimize(speed))]
    fn state(&self, fact: u32, effect: usize) -> EffectState {
        self.accounts.get(fact).and_then(|(_, effects)| effects.get(effect)).copied().unwrap_or_default()
    }

    /// Adds a fact and returns its number. Called with the record [`Kind::Born`].
    #[cfg_attr(page, optimize(speed))]
    pub fn born(&mut self, at_us: Timestamp, key: u32, serial: u32, producer: u16) -> u32 {
        self.statuses[Status::Void as usize] += 1;
        self.outcomes[Outcome::Open as usize] += 1;
        self.accounts.open(FactState::born(at_us, key, serial, producer))
    }

    /// Takes in one record.
    #[inline]
    pub fn apply(&mut self, record: &Record) {
        let fact = record.fact;
        match record.kind {
            Kind::Held
            | Kind::RowAdded
            | Kind::RowFound
            | Kind::Stored
            | Kind::StoredDelayed
            | Kind::Appended
            | Kind::Rewound => {
                self.each(record, 0, |state| {
                    state.live = state.live.saturating_add(1);
                    state.expect();
                    // One more copy of what happened already, or may happen anyway, changes nothing that is counted.
                    state.live == 1 && state.count == 0
                });
                self.live_total += i64::from(record.effects.count_ones());
            }
            Kind::Released | Kind::RowSent | Kind::LeftQueue | Kind::LeftHands => {
                self.end_live(record, Cause::None, End::HandedOn.bit());
            }
            Kind::Acked | Kind::AckedLate => self.end_live(record, Cause::None, End::Acknowledged.bit()),
            Kind::Passed => self.end_live(record, Cause::None, End::Committed.bit()),
            Kind::GaveUp | Kind::RowPassedOver | Kind::Dropped | Kind::DroppedHeld => {
                self.end_live(record, Cause::from_number(record.extra), 0);
            }
            Kind::Expired | Kind::ExpiredUnread => self.end_live(record, Cause::Retention, 0),
            Kind::Overwritten => self.end_live(record, Cause::LeaderDied, 0),
            Kind::Aborted => self.end_live(record, Cause::Aborted, 0),
            Kind::CompactedUnread => self.end_live(record, Cause::Compacted, 0),
            Kind::PassedUnread => self.end_live(record, Cause::BeganBehind, 0),
            Kind::Buried => self.each(record, 0, |state| {
                state.dead = state.dead.saturating_add(1);
                state.expect();
                true
            }),
            Kind::Redriven => self.each(record, End::HandedOn.bit(), |state| {
                state.dead = state.dead.saturating_sub(1);
                true
            }),
            Kind::ExpiredDead => self.each(record, 0, |state| {
                state.dead = state.dead.saturating_sub(1);
                state.cause = Cause::Retention as u8;
                true
            }),
            // Its publisher lets go of it, and only here is it known why.
            Kind::Unroutable => self.each(record, 0, |state| {
                state.cause = Cause::Unroutable as u8;
                false
            }),
            Kind::NotRouted => self.each(record, 0, |state| {
                state.forget();
                true
            }),
            Kind::Effect => self.effect(record),
            Kind::Skipped => {
                let effect = record.effects.trailing_zeros() as usize;
                if let Some(counts) = self.counts.get_mut(effect) {
                    counts.skipped += 1;
                }
                if let Some(state) = self.accounts.get_mut(fact).and_then(|(_, effects)| effects.get_mut(effect)) {
                    state.mark_skipped();
                }
            }
            // What this means for the user shows with the next record of the request, at the same moment.
            Kind::Asked => {
                if let Some((state, _)) = self.accounts.get_mut(fact) {
                    state.asked = true;
                }
            }
            Kind::Answered => self.change(fact, |state, _| state.answered = true),
            Kind::Refused => {
                let cause = Cause::from_number(record.extra);
                if self.fact(fact).is_some_and(|state| !state.refused) {
                    self.accounts.mark(fact, Mark::new(record.at_us, record.part, 0, Turn::Refused, cause));
                }
                self.change(fact, |state, _| state.refused = true);
            }
            Kind::Born
            | Kind::Wrote
            | Kind::Ripened
            | Kind::PublishFailed
            | Kind::Received
            | Kind::TimedOut
            | Kind::Returned
            | Kind::Deduplicated
            | Kind::Extended
            | Kind::StaleReceipt
            | Kind::AckLost
            | Kind::Read
            | Kind::CommitRefused
            | Kind::WorkFailed
            | Kind::Waits
            | Kind::Crashed
            | Kind::Restarted
            | Kind::Commanded
            | Kind::RebalanceBegan
            | Kind::RebalanceEnded
            | Kind::Evicted
            | Kind::NameTaken
            | Kind::BreakerOpened
            | Kind::BreakerClosed
            | Kind::WriteRefused
            | Kind::LeaderElected
            | Kind::LeaderLost
            | Kind::OutOfSync
            | Kind::PartitionAssigned
            | Kind::PartitionRevoked
            | Kind::PartitionLost
            | Kind::TransactionEnded
            | Kind::OffsetsExpired
            | Kind::NoOffset
            | Kind::FetchedRemote
            | Kind::InSync => {}
        }
    }

    #[cfg_attr(page, optimize(speed))]
    fn end_live(&mut self, record: &Record, cause: Cause, ended: u8) {
        self.each(record, ended, |state| {
            state.live = state.live.saturating_sub(1);
            // The copy that goes last names the cause; a cause of none does not overwrite one.
            if cause != Cause::None {
                state.cause = cause as u8;
            }
            state.live == 0 && state.count == 0
        });
        self.live_total -= i64::from(record.effects.count_ones());
    }

    /// Changes a fact in a way that moves no copy of it.
    #[cfg_attr(page, optimize(speed))]
    fn change(&mut self, fact: u32, change: impl Fn(&mut FactState, &mut [EffectState])) {
        let promised = self.promised;
        let Some((state, effects)) = self.accounts.get_mut(fact) else { return };
        change(state, effects);
        let before = (state.status, state.outcome);
        let after = state.settled(effects, promised);
        (state.status, state.outcome) = after;
        self.resettle(before, after);
    }

    /// Changes the states of a record's effects and keeps all counts right. `change` says whether what it did can matter to a
    /// count; `ended` are the bits of how a copy ends by it.
    #[inline]
    fn each(&mut self, record: &Record, ended: u8, change: impl Fn(&mut EffectState) -> bool) {
        let promised = self.promised;
        let Some((state, effects)) = self.accounts.get_mut(record.fact) else { return };
        state.ended |= ended;
        let mut rest = record.effects;
        let mut changed = false;
        let mut turned: EffectMask = 0;
        while rest != 0 {
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let Some(effect) = effects.get_mut(index) else { continue };
            let before = *effect;
            if change(effect) {
                changed = true;
                let (was, is) = (before.stand(), effect.stand());
                if was != is && is >= Stand::Dead {
                    turned |= 1 << index;
                }
                self.counts[index].moves(was, is);
            }
        }
        if changed {
            let before = (state.status, state.outcome);
            let after = state.settled(effects, promised);
            (state.status, state.outcome) = after;
            self.resettle(before, after);
        }
        if turned != 0 {
            self.turned(record, turned);
        }
    }

    /// Remembers when and where effects were lost, went to the dead letters or took place again.
    #[cold]
    fn turned(&mut self, record: &Record, turned: EffectMask) {
        for effect in (0..MOST_EFFECTS as u8).filter(|effect| turned & 1 << effect != 0) {
            let turn = if record.kind == Kind::Effect { Turn::Twice } else { Turn::Ended };
            self.took(record, effect.into(), turn);
        }
    }

    /// Counts a fact under another status and outcome.
    #[inline]
    fn resettle(&mut self, before: (Status, Outcome), after: (Status, Outcome)) {
        if before != after {
            self.statuses[before.0 as usize] -= 1;
            self.statuses[after.0 as usize] += 1;
            self.outcomes[before.1 as usize] -= 1;
            self.outcomes[after.1 as usize] += 1;
        }
    }

    /// An effect takes place. The commonest record but two, so that it looks its fact up once.
    #[cfg_attr(page, optimize(speed))]
    fn effect(&mut self, record: &Record) {
        let effect = record.effects.trailing_zeros() as usize;
        let places = self.effects.len() as u64;
        let Some((fact, states)) = self.accounts.get_mut(record.fact) else { return };
        let (Some(info), Some(state)) = (self.effects.get(effect), states.get_mut(effect)) else { return };
        let before = *state;
        let usual = record.part == info.part;
        let first = before.count == 0;
        let late = first && info.promise_us.is_some_and(|promise| record.at_us > fact.born_us + promise);
        let shared = first && fact.key < self.keys;
        let out_of_order = shared && overtaken(&mut self.newest, u64::from(fact.key) * places + effect as u64, record.fact);
        state.count = state.count.saturating_add(1);
        state.expect();
        state.mark_late(late);
        state.mark_out_of_order(out_of_order);
        let counts = &mut self.counts[effect];
        counts.late += u64::from(late && !before.late());
        counts.out_of_order += u64::from(out_of_order);
        counts.moves(before.stand(), state.stand());
        let settled = (fact.status, fact.outcome);
        (fact.status, fact.outcome) = fact.settled(states, self.promised);
        let now_settled = (fact.status, fact.outcome);
        self.resettle(settled, now_settled);
        let applied = &mut self.applied[effect];
        if applied.len() < MOST_APPLIED {
            applied.push(record.fact);
        }
        if before.count == 1 {
            self.turned(record, 1 << effect);
        }
        if late && usual {
            self.accounts.came_late(record.fact, effect, record.at_us);
        } else if late {
            self.took(record, effect, Turn::Late);
        }
        if out_of_order {
            self.took(record, effect, Turn::OutOfOrder);
        }
    }

    /// Remembers when and where an effect took a turn.
    #[inline(never)]
    #[cfg_attr(page, optimize(speed))]
    fn took(&mut self, record: &Record, effect: usize, turn: Turn) {
        self.accounts.mark(record.fact, Mark::new(record.at_us, record.part, effect as u8, turn, Cause::None));
    }

    /// Finds the promises that have run out by now. Facts are born in order, so each effect needs one finger only.
    pub fn run_out(&mut self, now_us: Timestamp) {
        for effect in 0..self.effects.len() {
            let Some(promise_us) = self.effects[effect].promise_us else { continue };
            while let Some(fact) = self.fact(self.due[effect]) {
                if fact.born_us + promise_us >= now_us {
                    break;
                }
                let number = self.due[effect];
                self.due[effect] += 1;
                if matches!(self.standing(number, effect), Standing::Pending | Standing::Dead) {
                    self.counts[effect].late += 1;
                    self.change(number, |_, effects| {
                        if let Some(state) = effects.get_mut(effect) {
                            state.mark_late(true);
                        }
                    });
                }
            }
        }
    }
}

/// True when a later fact of the same key took the effect before this one. `place` is the key's and the effect's.
#[cfg_attr(page, optimize(speed))]
fn overtaken(newest: &mut Tape<u32>, place: u64, fact: u32) -> bool {
    let Some(newest) = newest.get_mut(place) else { return false };
    // Stored one higher, so that nought means none.
    if *newest > fact + 1 {
        return true;
    }
    *newest = fact + 1;
    false
}
