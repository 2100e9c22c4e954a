//! The ledger: the truth that no part can see. How often each fact took each effect, and whether it still may.
//!
//! For every fact and effect the ledger counts how often it took place and how many copies may still lead to it. From
//! these two numbers follows everything: no copy left and no effect is *lost*; a copy left is *pending*; copies among the
//! dead letters only is *dead*; twice or more is *twice*. A status is derived, never set, so that an operator who rewinds
//! a log turns lost facts into pending ones.

use super::record::{Cause, Kind, Record};
use crate::message::EffectMask;
use crate::sim::{Tape, Timestamp};

/// The most effects a scenario may have: one bit each in an [`EffectMask`].
pub const MOST_EFFECTS: usize = 8;

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
    /// No user waits for this fact, or the request has not been answered.
    Open,
    /// Everything promised came in time.
    Served,
    /// Answered; something promised has not come and is not late yet.
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

const EXPECTED: u8 = 1;
const LATE: u8 = 2;
const OUT_OF_ORDER: u8 = 4;

/// One effect of one fact: eight bytes at most.
#[derive(Clone, Copy, Debug, Default)]
struct EffectState {
    live: u16,
    dead: u16,
    count: u8,
    flags: u8,
    cause: u8,
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

impl EffectState {
    fn standing(self) -> Standing {
        match (self.flags & EXPECTED != 0, self.count, self.live, self.dead) {
            (false, 0, ..) => Standing::Foreign,
            (_, 1.., ..) => Standing::Done(self.count),
            (_, 0, 1.., _) => Standing::Pending,
            (_, 0, 0, 1..) => Standing::Dead,
            (true, 0, 0, 0) => Standing::Lost(Cause::from_number(u64::from(self.cause))),
        }
    }
}

/// What the ledger knows of a fact.
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
    asked: bool,
    answered: bool,
    refused: bool,
}

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
    facts: Tape<FactState>,
    states: Tape<EffectState>,
    /// Facts by status.
    statuses: [u64; 6],
    /// Facts by outcome.
    outcomes: [u64; 7],
    counts: Vec<EffectCounts>,
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
            counts: vec![EffectCounts::default(); effects.len()],
            due: vec![0; effects.len()],
            applied: vec![Vec::new(); effects.len()],
            effects,
            facts: Tape::default(),
            states: Tape::default(),
            statuses: [0; 6],
            outcomes: [0; 7],
            newest,
            keys,
            live_total: 0,
        }
    }

    /// How many facts there are, refused ones included.
    #[must_use]
    pub fn facts(&self) -> u32 {
        self.facts.end() as u32
    }

    /// What is known of a fact.
    #[must_use]
    pub fn fact(&self, fact: u32) -> Option<&FactState> {
        self.facts.get(u64::from(fact))
    }

    /// How an effect of a fact stands.
    #[must_use]
    pub fn standing(&self, fact: u32, effect: usize) -> Standing {
        let place = u64::from(fact) * self.effects.len() as u64 + effect as u64;
        self.states.get(place).map_or(Standing::Foreign, |state| state.standing())
    }

    /// True if a fact took an effect late, or is late with it.
    #[must_use]
    pub fn is_late(&self, fact: u32, effect: usize) -> bool {
        let place = u64::from(fact) * self.effects.len() as u64 + effect as u64;
        self.states.get(place).is_some_and(|state| state.flags & LATE != 0)
    }

    /// True if a fact took an effect after a later fact of its key did.
    #[must_use]
    pub fn is_out_of_order(&self, fact: u32, effect: usize) -> bool {
        let place = u64::from(fact) * self.effects.len() as u64 + effect as u64;
        self.states.get(place).is_some_and(|state| state.flags & OUT_OF_ORDER != 0)
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
        self.facts.end() - self.statuses[Status::Void as usize]
    }

    /// Counts of one effect.
    #[must_use]
    pub fn counts(&self, effect: usize) -> EffectCounts {
        self.counts[effect]
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

    /// Adds a fact and returns its number. Called with the record [`Kind::Born`].
    pub fn born(&mut self, at_us: Timestamp, key: u32, serial: u32, producer: u16) -> u32 {
        let fact = self.facts.push(FactState {
            born_us: at_us,
            key,
            serial,
            producer,
            status: Status::Void,
            outcome: Outcome::Open,
            asked: false,
            answered: false,
            refused: false,
        });
        for _ in 0..self.effects.len() {
            self.states.push(EffectState::default());
        }
        self.statuses[Status::Void as usize] += 1;
        self.outcomes[Outcome::Open as usize] += 1;
        fact as u32
    }

    /// Takes in one record.
    #[inline]
    pub fn apply(&mut self, record: &Record) {
        let fact = record.fact;
        match record.kind {
            Kind::Held | Kind::RowAdded | Kind::Stored | Kind::StoredDelayed | Kind::Appended | Kind::Rewound => {
                self.each(fact, record.effects, |state| {
                    state.live = state.live.saturating_add(1);
                    state.flags |= EXPECTED;
                    // One more copy of what happened already, or may happen anyway, changes nothing that is counted.
                    state.live == 1 && state.count == 0
                });
                self.live_total += i64::from(record.effects.count_ones());
            }
            Kind::Released | Kind::RowSent | Kind::Acked | Kind::AckedLate | Kind::LeftQueue | Kind::Passed => {
                self.end_live(record, Cause::None);
            }
            Kind::GaveUp => self.end_live(record, Cause::from_number(record.extra)),
            Kind::Expired | Kind::ExpiredUnread => self.end_live(record, Cause::Retention),
            Kind::Buried => self.each(fact, record.effects, |state| {
                state.dead = state.dead.saturating_add(1);
                state.flags |= EXPECTED;
                true
            }),
            Kind::Redriven => self.each(fact, record.effects, |state| {
                state.dead = state.dead.saturating_sub(1);
                true
            }),
            Kind::ExpiredDead => self.each(fact, record.effects, |state| {
                state.dead = state.dead.saturating_sub(1);
                state.cause = Cause::Retention as u8;
                true
            }),
            Kind::Effect => self.effect(record),
            Kind::Skipped => {
                if let Some(counts) = self.counts.get_mut(record.effects.trailing_zeros() as usize) {
                    counts.skipped += 1;
                }
            }
            // What this means for the user shows with the next record of the request, at the same moment.
            Kind::Asked => {
                if let Some(state) = self.facts.get_mut(u64::from(fact)) {
                    state.asked = true;
                }
            }
            Kind::Answered => self.mark(fact, |state| state.answered = true),
            Kind::Refused => self.mark(fact, |state| state.refused = true),
            Kind::Born
            | Kind::Wrote
            | Kind::Ripened
            | Kind::PublishFailed
            | Kind::Received
            | Kind::TimedOut
            | Kind::Returned
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
            | Kind::BreakerOpened
            | Kind::BreakerClosed => {}
        }
    }

    fn end_live(&mut self, record: &Record, cause: Cause) {
        self.each(record.fact, record.effects, |state| {
            state.live = state.live.saturating_sub(1);
            // The copy that goes last names the cause; a cause of none does not overwrite one.
            if cause != Cause::None {
                state.cause = cause as u8;
            }
            state.live == 0 && state.count == 0
        });
        self.live_total -= i64::from(record.effects.count_ones());
    }

    fn mark(&mut self, fact: u32, change: impl Fn(&mut FactState)) {
        if let Some(state) = self.facts.get_mut(u64::from(fact)) {
            change(state);
        }
        self.settle(fact);
    }

    /// Changes the states of some effects of a fact and keeps all counts right. `change` says whether what it did can matter
    /// to a count.
    #[inline]
    fn each(&mut self, fact: u32, effects: EffectMask, change: impl Fn(&mut EffectState) -> bool) {
        let width = self.effects.len();
        let base = u64::from(fact) * width as u64;
        let mut rest = effects;
        let mut changed = false;
        while rest != 0 {
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let Some(state) = self.states.get_mut(base + index as u64) else { continue };
            let before = *state;
            if change(state) {
                let (before, after) = (before.standing(), state.standing());
                changed = true;
                if before != after {
                    self.recount(index, before, after);
                }
            }
        }
        if changed {
            self.settle(fact);
        }
    }

    fn recount(&mut self, effect: usize, before: Standing, after: Standing) {
        let counts = &mut self.counts[effect];
        for (standing, by) in [(before, -1_i64), (after, 1)] {
            let counter = match standing {
                Standing::Foreign => continue,
                Standing::Pending => &mut counts.pending,
                Standing::Done(1) => &mut counts.once,
                Standing::Done(_) => &mut counts.twice,
                Standing::Dead => &mut counts.dead,
                Standing::Lost(_) => &mut counts.lost,
            };
            *counter = counter.wrapping_add_signed(by);
        }
    }

    fn effect(&mut self, record: &Record) {
        let effect = record.effects.trailing_zeros() as usize;
        let Some(fact) = self.facts.get(u64::from(record.fact)).copied() else { return };
        let late = self.effects[effect].promise_us.is_some_and(|promise| record.at_us > fact.born_us + promise);
        let place = u64::from(record.fact) * self.effects.len() as u64 + effect as u64;
        let first = self.states.get(place).is_some_and(|state| state.count == 0);
        let out_of_order = first && self.overtaken(effect, fact.key, record.fact);
        let known_late = self.states.get(place).is_some_and(|state| state.flags & LATE != 0);
        if first && late && !known_late {
            self.counts[effect].late += 1;
        }
        if out_of_order {
            self.counts[effect].out_of_order += 1;
        }
        if self.applied[effect].len() < MOST_APPLIED {
            self.applied[effect].push(record.fact);
        }
        self.each(record.fact, record.effects, |state| {
            state.count = state.count.saturating_add(1);
            state.flags |= EXPECTED;
            state.flags |= if first && late { LATE } else { 0 };
            state.flags |= if out_of_order { OUT_OF_ORDER } else { 0 };
            true
        });
    }

    /// True when a later fact of the same key took the effect before this one.
    fn overtaken(&mut self, effect: usize, key: u32, fact: u32) -> bool {
        if key >= self.keys {
            return false;
        }
        let place = u64::from(key) * self.effects.len() as u64 + effect as u64;
        let Some(newest) = self.newest.get_mut(place) else { return false };
        // Stored one higher, so that nought means none.
        if *newest > fact + 1 {
            return true;
        }
        *newest = fact + 1;
        false
    }

    /// Finds the promises that have run out by now. Facts are born in order, so each effect needs one finger only.
    pub fn run_out(&mut self, now_us: Timestamp) {
        for effect in 0..self.effects.len() {
            let Some(promise_us) = self.effects[effect].promise_us else { continue };
            while let Some(fact) = self.facts.get(u64::from(self.due[effect])) {
                if fact.born_us + promise_us >= now_us {
                    break;
                }
                let number = self.due[effect];
                self.due[effect] += 1;
                if matches!(self.standing(number, effect), Standing::Pending | Standing::Dead) {
                    self.counts[effect].late += 1;
                    self.each(number, 1 << effect, |state| {
                        state.flags |= LATE;
                        true
                    });
                }
            }
        }
    }

    /// Works out status and outcome of a fact anew and keeps the counts.
    #[inline]
    fn settle(&mut self, number: u32) {
        let width = self.effects.len() as u64;
        let base = u64::from(number) * width;
        let Some(fact) = self.facts.get(u64::from(number)).copied() else { return };
        let mut status = if fact.refused { Status::Void } else { Status::Once };
        let mut happened = false;
        let mut foreign = 0;
        let mut outcome = Outcome::Served;
        for index in 0..width {
            let Some(state) = self.states.get(base + index).copied() else { continue };
            let standing = state.standing();
            let as_status = match standing {
                Standing::Foreign => {
                    foreign += 1;
                    continue;
                }
                Standing::Pending => Status::Pending,
                Standing::Done(1) => Status::Once,
                Standing::Done(_) => Status::Twice,
                Standing::Dead => Status::Dead,
                Standing::Lost(_) => Status::Lost,
            };
            happened |= !matches!(standing, Standing::Lost(_));
            status = status.max(as_status);
            if self.effects[index as usize].promise_us.is_some() {
                outcome = outcome.max(match standing {
                    Standing::Foreign => Outcome::Open,
                    Standing::Done(2..) => Outcome::Twice,
                    // Nobody gets what lies among the dead letters, until someone redrives it.
                    Standing::Lost(_) | Standing::Dead => Outcome::Never,
                    _ if state.flags & LATE != 0 => Outcome::Late,
                    Standing::Done(_) => Outcome::Served,
                    Standing::Pending => Outcome::Waiting,
                });
            }
        }
        if fact.refused && !happened || foreign == width && !fact.answered {
            status = Status::Void;
        }
        if fact.refused {
            outcome = Outcome::Refused;
        } else if fact.asked && !fact.answered {
            // The request is still under way: nobody has been told anything.
            outcome = Outcome::Waiting;
        } else if !fact.asked && status == Status::Void {
            outcome = Outcome::Open;
        }
        if status != fact.status || outcome != fact.outcome {
            self.statuses[fact.status as usize] -= 1;
            self.statuses[status as usize] += 1;
            self.outcomes[fact.outcome as usize] -= 1;
            self.outcomes[outcome as usize] += 1;
            if let Some(state) = self.facts.get_mut(u64::from(number)) {
                state.status = status;
                state.outcome = outcome;
            }
        }
    }

    /// Numbers of the facts for which `want` holds, oldest first, at most so many.
    #[must_use]
    pub fn pick(&self, most: usize, want: impl Fn(u32, &FactState) -> bool) -> Vec<u32> {
        self.facts
            .iter_from(0)
            .map(|(number, fact)| (number as u32, fact))
            .filter(|(number, fact)| want(*number, fact))
            .map(|(number, _)| number)
            .take(most)
            .collect()
    }
}
