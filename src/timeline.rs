//! Time travel: a world that can be taken to any moment, by snapshots and replay.
//!
//! Going somewhere is always "the newest snapshot not after it, then run". The state reached is therefore the same one
//! that running there from the start gives; a property test holds it.

use std::rc::Rc;

use crate::command::{Command, Timed};
use crate::observe::lists::Which;
use crate::run::{MAX_COMMANDS, Run};
use crate::scenario::{Fault, Faults, Scenario, document};
use crate::sim::Timestamp;
use crate::view::{HopView, InspectView, JourneyView, LineView, MessagesView, PanelsView, StageView};
use crate::world::World;

/// How far a budgeted call got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There.
    Done,
    /// The budget ran out first; call again to go on.
    More,
}

/// When a message does something next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peek {
    /// At this moment.
    At(Timestamp),
    /// Not before the end of the run.
    Never,
    /// The budget ran out first; call again to go on.
    More,
}

/// A run that can be taken to any moment.
#[derive(Clone, Debug)]
pub struct Timeline {
    run: Run,
    scenario: Scenario,
    world: World,
    snapshots: Vec<World>,
    /// Events between two snapshots; doubles when there are too many.
    spacing: u64,
    /// A second world that runs ahead of the first and collects what the watched fact does.
    scout: Option<World>,
    watched: Option<u32>,
}

/// At most so many snapshots are kept; then every second one goes.
const MOST_SNAPSHOTS: usize = 32;
/// Fewer of a world with many facts: together they keep the accounts of about so many, beside those they share.
const FACTS_IN_SNAPSHOTS: usize = 40_000_000;
const FEWEST_SNAPSHOTS: usize = 4;
const FIRST_SPACING: u64 = 20_000;

impl Timeline {
    /// Opens a run, at its beginning.
    ///
    /// # Errors
    /// Every fault of the scenario, its settings and commands.
    pub fn open(run: &Run) -> Result<Self, Faults> {
        let scenario = run.scenario()?;
        let mut world = World::new(&scenario);
        world.observer.keep_log();
        Ok(Self {
            run: run.clone(),
            snapshots: vec![world.clone()],
            spacing: FIRST_SPACING,
            scenario,
            world,
            scout: None,
            watched: None,
        })
    }

    /// The run, with the commands given so far: what a link carries.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The scenario, checked.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The world at the present moment.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The present moment.
    #[must_use]
    pub fn now_us(&self) -> Timestamp {
        self.world.now_us()
    }

    /// The end of the run.
    #[must_use]
    pub fn until_us(&self) -> Timestamp {
        self.scenario.until_us()
    }

    /// Fingerprint of everything that has happened up to now.
    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        self.world.trace_hash()
    }

    /// How many events have happened up to now.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.world.events()
    }

    /// Goes to a moment, forwards or back, for at most so many events.
    pub fn travel(&mut self, to_us: Timestamp, most_events: u64) -> Progress {
        let to_us = to_us.min(self.until_us());
        if to_us < self.world.now_us() {
            self.back_to_snapshot(to_us);
        }
        self.forward(to_us, most_events)
    }

    fn forward(&mut self, to_us: Timestamp, most_events: u64) -> Progress {
        let last = self.world.events().saturating_add(most_events);
        loop {
            let known = self.snapshots.last().map_or(0, World::events);
            let next_snapshot = known + self.spacing;
            let left = last.saturating_sub(self.world.events());
            let until_snapshot = next_snapshot.saturating_sub(self.world.events());
            let ahead = until_snapshot == 0 || self.world.events() < known;
            let budget = if ahead { left } else { left.min(until_snapshot) };
            let progress = self.world.run(to_us, budget);
            if self.world.events() >= next_snapshot {
                self.finish_instant();
                self.keep_snapshot();
            }
            if progress == Progress::Done || self.world.now_us() >= to_us {
                return Progress::Done;
            }
            if self.world.events() >= last {
                return Progress::More;
            }
        }
    }

    /// Lets everything happen that is due at this very moment. A command or a snapshot in the middle of a moment would not
    /// find the same place again in a replay.
    fn finish_instant(&mut self) {
        if self.world.mid_instant() {
            let after_us = self.world.now_us() + 1;
            self.world.run_until(after_us);
        }
    }

    /// Stands still at a moment that can be named. A budget may run out in the middle of one, with some of what happens then
    /// done and some not: whoever went to that time from elsewhere would see another state.
    pub fn settle(&mut self) {
        self.finish_instant();
    }

    fn keep_snapshot(&mut self) {
        self.snapshots.push(self.world.clone());
        let facts = self.world.observer.ledger.facts().max(1) as usize;
        while self.snapshots.len() > (FACTS_IN_SNAPSHOTS / facts).clamp(FEWEST_SNAPSHOTS, MOST_SNAPSHOTS) {
            let mut index = 0;
            self.snapshots.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.spacing *= 2;
        }
    }

    fn back_to_snapshot(&mut self, to_us: Timestamp) {
        if let Some(snapshot) = self.snapshots.iter().rev().find(|snapshot| snapshot.now_us() <= to_us) {
            self.world = snapshot.clone();
            self.world.observer.hops.watched = self.watched;
        }
    }

    /// Goes on to just after the next event.
    pub fn step(&mut self) {
        let next_us = self.world.next_event_us().unwrap_or(Timestamp::MAX);
        let to_us = next_us.max(self.now_us()).saturating_add(1).min(self.until_us());
        self.forward(to_us, u64::MAX);
    }

    /// Goes back to just before the newest event.
    pub fn step_back(&mut self, most_events: u64) -> Progress {
        let to_us = self.world.last_event_us();
        let to_us = if to_us >= self.now_us() { self.now_us().saturating_sub(1) } else { to_us };
        self.travel(to_us, most_events)
    }

    /// Runs on until something is found that was not known before, or to the end.
    pub fn next_finding(&mut self, most_events: u64) -> Progress {
        let known = self.world.observer.findings.found().len();
        let last = self.world.events().saturating_add(most_events);
        while self.world.observer.findings.found().len() == known {
            if self.now_us() >= self.until_us() {
                return Progress::Done;
            }
            if self.world.events() >= last {
                return Progress::More;
            }
            // One sample at most at a time: some findings are made there.
            let next_us = self.world.next_event_us().unwrap_or(Timestamp::MAX).max(self.now_us());
            let to_us = next_us.saturating_add(1).min(self.now_us() + self.scenario.sample.0.max(1)).min(self.until_us());
            self.forward(to_us, u64::MAX);
        }
        Progress::Done
    }

    /// Carries commands out now. They are part of the run from here on; those planned for later stay.
    ///
    /// # Errors
    /// The first command that means nothing in this scenario; then none is carried out.
    pub fn send(&mut self, commands: &[Command]) -> Result<(), Fault> {
        for command in commands {
            document::check_command(&self.scenario, command)?;
        }
        if self.run.commands.len() + commands.len() > MAX_COMMANDS {
            return Err(Fault::new("do", "there are too many commands in this run", format!("{MAX_COMMANDS} at most")));
        }
        self.finish_instant();
        let now_us = self.now_us();
        for command in commands {
            let timed = Timed { at_us: now_us, command: command.clone() };
            let place = self.run.commands.partition_point(|known| known.at_us <= now_us);
            self.run.commands.insert(place, timed);
        }
        self.replan(now_us);
        // A microsecond on, so that whoever looks sees what the command has done.
        self.forward((now_us + 1).min(self.until_us()), u64::MAX);
        Ok(())
    }

    /// Takes one of the run's commands out again. The world goes back to before it, if it was carried out.
    pub fn withdraw(&mut self, index: usize) {
        if index >= self.run.commands.len() {
            return;
        }
        let timed = self.run.commands.remove(index);
        let now_us = self.now_us();
        self.replan(timed.at_us);
        if timed.at_us < now_us {
            self.back_to_snapshot(timed.at_us);
        }
    }

    /// Gives the changed plan to every world that has not got past `from_us`, and forgets those that have.
    fn replan(&mut self, from_us: Timestamp) {
        if let Ok(scenario) = self.run.scenario() {
            self.scenario = scenario;
        }
        let plan = Rc::new(self.scenario.breaks.clone());
        self.snapshots.retain(|snapshot| snapshot.now_us() <= from_us);
        for snapshot in &mut self.snapshots {
            snapshot.plan(Rc::clone(&plan));
        }
        self.world.plan(plan);
        self.scout = None;
    }

    /// Takes over what another run has played, up to where that one stands. The two must be the same but for commands at or
    /// after `until_us`, and the other must not have gone past that.
    pub(crate) fn adopt(&mut self, other: &Self, until_us: Timestamp) {
        let plan = Rc::new(self.scenario.breaks.clone());
        let taken = |world: &World| {
            let mut world = world.clone();
            world.plan(Rc::clone(&plan));
            world
        };
        self.snapshots = other.snapshots.iter().filter(|snapshot| snapshot.now_us() <= until_us).map(taken).collect();
        self.spacing = other.spacing;
        self.world = taken(&other.world);
        self.scout = None;
    }

    /// Watches a fact: [`Timeline::journey`] tells what it does.
    pub fn watch(&mut self, fact: Option<u32>) {
        if self.watched != fact {
            self.watched = fact;
            self.world.observer.hops.watched = fact;
            self.scout = None;
        }
    }

    /// Sends the scout on towards a moment.
    fn scout_to(&mut self, to_us: Timestamp, most_events: u64) -> Progress {
        let Some(fact) = self.watched else { return Progress::Done };
        if self.scout.is_none() {
            // From the newest snapshot before the fact was born, so that nothing of it is missed.
            let born_us = self.world.observer.ledger.fact(fact).map_or(0, |state| state.born_us);
            let from = self.snapshots.iter().rev().find(|snapshot| snapshot.now_us() <= born_us);
            self.scout = from.cloned().map(|mut world| {
                world.observer.follow(Some(fact));
                world
            });
        }
        self.scout.as_mut().map_or(Progress::Done, |scout| scout.run(to_us, most_events))
    }

    /// The journey of the watched fact up to now; with [`Progress::More`] as far as it is known.
    pub fn journey(&mut self, most_events: u64) -> (Progress, Option<JourneyView>) {
        let now_us = self.now_us();
        let progress = self.scout_to(now_us, most_events);
        let Some((fact, scout)) = self.watched.zip(self.scout.as_ref()) else { return (progress, None) };
        (progress, Some(self.world.journey_of(fact, scout.observer.followed())))
    }

    /// When the watched fact does something next.
    pub fn peek_hop(&mut self, fact: u32, most_events: u64) -> Peek {
        self.watch(Some(fact));
        let (now_us, until_us) = (self.now_us(), self.until_us());
        let mut left = most_events;
        loop {
            let next =
                self.scout.as_ref().and_then(|scout| scout.observer.followed().iter().find(|record| record.at_us >= now_us));
            if let Some(record) = next {
                return Peek::At(record.at_us);
            }
            if self.scout.as_ref().is_some_and(|scout| scout.now_us() >= until_us) {
                return Peek::Never;
            }
            if left == 0 {
                return Peek::More;
            }
            let portion = left.min(500);
            left -= portion;
            self.scout_to(until_us, portion);
            if self.scout.is_none() {
                return Peek::Never;
            }
        }
    }

    /// The stage now. A hop stays for at least `trail_us`.
    #[must_use]
    pub fn stage(&self, trail_us: u64) -> StageView {
        self.world.stage(trail_us)
    }

    /// Only the hops of [`Timeline::stage`]: for every frame.
    #[must_use]
    pub fn hops(&self, trail_us: u64) -> Vec<HopView> {
        self.world.hops(trail_us)
    }

    /// The panels now.
    #[must_use]
    pub fn panels(&self) -> PanelsView {
        self.world.panels()
    }

    /// A part from inside.
    #[must_use]
    pub fn inspect(&self, part: u16) -> Option<InspectView> {
        self.world.inspect(part)
    }

    /// Messages from a position of a list on: at most `most` of them and never more than 200, looking at no more than
    /// `most_looked` messages. `next` says where to go on.
    #[must_use]
    pub fn messages(&self, which: &Which, from: u32, most: usize, most_looked: u32) -> MessagesView {
        self.world.messages(which, from, most, most_looked)
    }

    /// The fact with this id, if it has been born.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<u32> {
        self.world.find_fact(id)
    }

    /// How often a fact took an effect, both by name; none if either does not exist.
    #[must_use]
    pub fn count(&self, effect: &str, fact: &str) -> Option<u32> {
        self.world.count(effect, fact)
    }

    /// The newest happenings in words, oldest first.
    #[must_use]
    pub fn log(&self, newest: usize) -> Vec<LineView> {
        self.world.log(newest)
    }
}
