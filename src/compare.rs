//! A run and the same run with one change, side by side on one clock.
//!
//! Every part has random streams of its own, so both meet the same weather: what differs, the change has done. Where the
//! two have the same settings, they are one run until their commands part, and it is played once.

mod differences;

pub use differences::{AlertFired, Differences, EffectFigures, Figure, GaugeFigures, PartFigures};

use crate::command::Command;
use crate::run::Run;
use crate::scenario::{Fault, Faults};
use crate::sim::Timestamp;
use crate::timeline::{Peek, Progress, Timeline};
use crate::view::JourneyView;
use crate::world::World;

/// Two runs on one clock.
#[derive(Clone, Debug)]
pub struct Compare {
    left: Timeline,
    right: Timeline,
    /// Until then the two are one run, which the left one plays.
    fork_us: Timestamp,
    /// They have been two since. Until they are, the right one stands still and what the left one shows is true of both.
    parted: bool,
    /// Both at a moment up to which their traces were the same, while no difference is known.
    alike: Option<(World, World)>,
    differs_us: Option<Timestamp>,
    /// The fact that the changed run watches.
    watched: Option<u32>,
}

/// One of two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The run.
    Left,
    /// The changed one.
    Right,
}

/// Stretches between two moments that are kept because nothing differed there. Both worlds are copied for each: too often
/// costs time while they play, too seldom costs it where the difference is looked for.
const APART: u64 = 8;

impl Compare {
    /// Opens two runs, at their beginning.
    ///
    /// # Errors
    /// Every fault of either.
    pub fn open(left: &Run, right: &Run) -> Result<Self, Faults> {
        Self::fork(&Timeline::open(left)?, right)
    }

    /// Sets another run beside one that is open. Where the open one is past the moment at which they part, the first
    /// [`Compare::travel`] takes it back there.
    ///
    /// # Errors
    /// Every fault of the other run.
    pub fn fork(left: &Timeline, right: &Run) -> Result<Self, Faults> {
        let fork_us = forks_at(left.run(), right);
        let mut compare = Self {
            right: Timeline::open(right)?,
            left: left.clone(),
            fork_us,
            parted: false,
            alike: None,
            differs_us: None,
            watched: None,
        };
        compare.left.watch(None);
        if fork_us == 0 {
            // The first snapshot is the beginning: there at once.
            compare.left.travel(0, u64::MAX);
            compare.parted = true;
            compare.look();
        }
        Ok(compare)
    }

    /// The world of one of them.
    #[must_use]
    pub fn world(&self, side: Side) -> &World {
        match side {
            Side::Right if self.parted => self.right.world(),
            Side::Left | Side::Right => self.left.world(),
        }
    }

    /// What makes one of them.
    #[must_use]
    pub fn run(&self, side: Side) -> &Run {
        self.timeline(side).run()
    }

    /// One of them by itself. The changed one stands where they part for as long as they have not.
    #[must_use]
    pub fn timeline(&self, side: Side) -> &Timeline {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Ends the comparison and goes on with one of them.
    #[must_use]
    pub fn keep(mut self, side: Side) -> Timeline {
        self.right.watch(None);
        match side {
            Side::Left => self.left,
            Side::Right => {
                self.part();
                self.right
            }
        }
    }

    /// Lets them change sides: what was the run is now the one that commands change.
    pub fn swap(&mut self) {
        let watched = self.watched;
        self.watch(None);
        if !self.parted {
            self.together();
        }
        std::mem::swap(&mut self.left, &mut self.right);
        self.alike = self.alike.take().map(|(left, right)| (right, left));
        self.watch(watched);
    }

    /// The present moment of both; while a stretch is being played, of the one that is behind.
    #[must_use]
    pub fn now_us(&self) -> Timestamp {
        if !self.parted {
            return self.left.now_us();
        }
        let [left, right] = [&self.left, &self.right].map(|side| (side.now_us(), side.now_us() >= side.until_us()));
        match (left, right) {
            // A shorter one stays at its end.
            ((_, true), (now_us, false)) | ((now_us, false), (_, true)) => now_us,
            ((left_us, true), (right_us, true)) => left_us.max(right_us),
            ((left_us, false), (right_us, false)) => left_us.min(right_us),
        }
    }

    /// Where the longer one ends.
    #[must_use]
    pub fn until_us(&self) -> Timestamp {
        self.left.until_us().max(self.right.until_us())
    }

    /// Until then they are one run. The far end of time where nothing tells them apart.
    #[must_use]
    pub fn fork_us(&self) -> Timestamp {
        self.fork_us
    }

    /// The first moment at which something happened in one of them only, the commands themselves aside; none as far as they
    /// have been played.
    #[must_use]
    pub fn differs_us(&self) -> Option<Timestamp> {
        self.differs_us
    }

    /// Gives the right one what the left one has played of both.
    fn together(&mut self) {
        while self.left.now_us() > self.fork_us && self.left.travel(self.fork_us, u64::MAX) == Progress::More {}
        self.right.adopt(&self.left, self.fork_us);
    }

    /// From here on each is played by itself.
    fn part(&mut self) {
        if !self.parted {
            self.together();
            self.parted = true;
            self.left.watch(None);
            self.right.watch(self.watched);
            self.look();
        }
    }

    /// How far both go before they are compared: a difference is found where it begins, and neither gets far ahead of the
    /// other.
    fn stretch_us(&self) -> u64 {
        self.left.scenario().sample.0.max(self.until_us() / 1_000).max(1)
    }

    /// Takes both to a moment, forwards or back, for about so many events each.
    pub fn travel(&mut self, to_us: Timestamp, most_events: u64) -> Progress {
        let to_us = to_us.min(self.until_us());
        let mut budget = most_events;
        if !self.parted {
            let before = self.left.events();
            if self.left.travel(to_us.min(self.fork_us), budget) == Progress::More {
                return Progress::More;
            }
            if to_us <= self.fork_us {
                return Progress::Done;
            }
            self.part();
            budget = budget.saturating_sub(self.left.events().saturating_sub(before));
        }
        for side in [&mut self.left, &mut self.right] {
            if side.now_us() > to_us && side.travel(to_us, budget) == Progress::More {
                return Progress::More;
            }
        }
        let stretch_us = self.stretch_us();
        loop {
            let now_us = self.now_us();
            let goal_us = now_us.saturating_add(stretch_us).min(to_us);
            let before = self.left.events();
            for side in [&mut self.left, &mut self.right] {
                if side.now_us() < goal_us && side.travel(goal_us, budget) == Progress::More {
                    return Progress::More;
                }
            }
            self.look();
            if goal_us == to_us {
                return Progress::Done;
            }
            budget = budget.saturating_sub(self.left.events().saturating_sub(before));
            if budget == 0 {
                return Progress::More;
            }
        }
    }

    /// Takes both to one moment that can be named, and stands still there.
    pub fn settle(&mut self) {
        if !self.parted {
            return self.left.settle();
        }
        for _ in 0..2 {
            let to_us = self.left.now_us().max(self.right.now_us());
            while self.travel(to_us, u64::MAX) == Progress::More {}
            self.left.settle();
            self.right.settle();
        }
    }

    /// Goes on to just after the next event of either.
    pub fn step(&mut self) {
        let next_us = self.next_us();
        while self.travel(next_us.saturating_add(1), u64::MAX) == Progress::More {}
    }

    /// When something happens next in either.
    fn next_us(&self) -> Timestamp {
        let next = |side| self.world(side).next_event_us().unwrap_or(Timestamp::MAX);
        next(Side::Left).min(next(Side::Right)).max(self.now_us())
    }

    /// Goes back to just before the newest event of either.
    pub fn step_back(&mut self, most_events: u64) -> Progress {
        let now_us = self.now_us();
        let newest_us = self.world(Side::Left).last_event_us().max(self.world(Side::Right).last_event_us());
        self.travel(newest_us.min(now_us.saturating_sub(1)), most_events)
    }

    /// Runs on until either shows something that it did not show before, or to the end.
    pub fn next_finding(&mut self, most_events: u64) -> Progress {
        let known = |both: &Self| [Side::Left, Side::Right].map(|side| both.world(side).observer.findings.found().len());
        let before = known(self);
        let last = self.left.events().saturating_add(most_events);
        while known(self) == before {
            if self.now_us() >= self.until_us() {
                return Progress::Done;
            }
            if self.left.events() >= last {
                return Progress::More;
            }
            // One sample at most at a time: some findings are made there.
            let to_us = self.next_us().saturating_add(1).min(self.now_us() + self.left.scenario().sample.0.max(1));
            while self.travel(to_us, u64::MAX) == Progress::More {}
        }
        Progress::Done
    }

    /// Watches a fact of the changed run: [`Compare::journey`] tells what it does.
    pub fn watch(&mut self, fact: Option<u32>) {
        self.watched = fact;
        if self.parted { self.right.watch(fact) } else { self.left.watch(fact) }
    }

    /// The journey of the watched fact up to now, as [`Timeline::journey`].
    pub fn journey(&mut self, most_events: u64) -> (Progress, Option<JourneyView>) {
        if self.parted { self.right.journey(most_events) } else { self.left.journey(most_events) }
    }

    /// When a fact of the changed run does something next.
    pub fn peek_hop(&mut self, fact: u32, most_events: u64) -> Peek {
        self.watched = Some(fact);
        if self.parted { self.right.peek_hop(fact, most_events) } else { self.left.peek_hop(fact, most_events) }
    }

    /// Carries commands out now, in the changed run only.
    ///
    /// # Errors
    /// The first command that means nothing in it; then none is carried out.
    pub fn send(&mut self, commands: &[Command]) -> Result<(), Fault> {
        self.settle();
        let now_us = self.now_us();
        self.part();
        self.right.send(commands)?;
        self.fork_us = self.fork_us.min(now_us);
        self.differs_us = self.differs_us.filter(|differs_us| *differs_us < now_us);
        self.alike = None;
        let to_us = self.right.now_us();
        while self.left.travel(to_us, u64::MAX) == Progress::More {}
        if self.differs_us.is_none() && self.left.world().happened() != self.right.world().happened() {
            self.differs_us = Some(now_us);
        }
        self.look();
        Ok(())
    }

    /// Compares the traces of both, where both stand at one moment, and finds where they part.
    fn look(&mut self) {
        let now = (self.left.world(), self.right.world());
        if self.differs_us.is_some() || now.0.now_us() != now.1.now_us() {
            return;
        }
        if now.0.happened() == now.1.happened() {
            let apart_us = APART * self.stretch_us();
            if self.alike.as_ref().is_none_or(|alike| alike.0.now_us() + apart_us <= now.0.now_us()) {
                self.alike = Some((now.0.clone(), now.1.clone()));
            }
            return;
        }
        let Some(mut alike) = self.alike.take() else {
            self.differs_us = Some(0);
            return;
        };
        let (mut low_us, mut high_us) = (alike.0.now_us(), now.0.now_us());
        // Up to `low_us` nothing differs, up to `high_us` something does.
        while high_us - low_us > 1 {
            let middle_us = low_us + (high_us - low_us) / 2;
            let mut both = alike.clone();
            both.0.run_until(middle_us);
            both.1.run_until(middle_us);
            if both.0.happened() == both.1.happened() {
                (alike, low_us) = (both, middle_us);
            } else {
                high_us = middle_us;
            }
        }
        self.differs_us = Some(low_us);
    }

    /// What differs at the present moment.
    #[must_use]
    pub fn differences(&self) -> Differences {
        Differences::between([self.world(Side::Left), self.world(Side::Right)], self.now_us(), self.differs_us)
    }
}

/// Until when two runs are one: the first moment at which their commands differ, or the start.
fn forks_at(left: &Run, right: &Run) -> Timestamp {
    let same =
        left.source == right.source && left.seed == right.seed && left.until_us == right.until_us && left.sets == right.sets;
    if !same {
        return 0;
    }
    let (left, right) = (&left.commands, &right.commands);
    let alike = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let next = |commands: &[crate::command::Timed]| commands.get(alike).map_or(Timestamp::MAX, |timed| timed.at_us);
    next(left).min(next(right))
}
