//! A crash at every step of every part, one a run.
//!
//! The run is played once to see where its step boundaries are. Each distinct boundary (moment, part, step) then gets a
//! run of its own with one more command, `crash PART at STEP` at that moment, so that every tried run has a link.

use std::rc::Rc;

use crate::command::{Command, Timed};
use crate::observe::ledger::Status;
use crate::run::Run;
use crate::scenario::{Faults, Scenario};
use crate::sim::Timestamp;
use crate::world::{Boundary, World};

/// How many of the tried runs ended in which way. A run may count more than once, unless it is clean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Nothing lost, nothing twice, nothing late, nothing out of order.
    pub clean: u64,
    /// Something was lost.
    pub lost: u64,
    /// Something happened twice.
    pub twice: u64,
    /// Something came late.
    pub late: u64,
    /// Something came out of order.
    pub out_of_order: u64,
}

/// Whether a property must hold at every moment or at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// At every moment of every run.
    Always,
    /// In the end of every run.
    Eventually,
}

/// A property, and whether it held in all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// In words: `every charge happens at most once`.
    pub name: String,
    /// Always or eventually.
    pub kind: PropertyKind,
    /// It held in every run.
    pub holds: bool,
    /// In how many runs it was looked at.
    pub tried: u64,
    /// The earliest crash that breaks it.
    pub counterexample: Option<Tried>,
}

/// One tried run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// When the process died.
    pub at_us: Timestamp,
    /// Id of the part.
    pub part: String,
    /// The step that had just been done.
    pub step: &'static str,
    /// The run as a link.
    pub link: String,
}

/// What an exploration found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// How many runs were tried.
    pub tried: u64,
    /// How they ended.
    pub outcomes: Outcomes,
    /// What held in all of them.
    pub properties: Vec<Property>,
    /// The run with the most harm: lost before twice before late.
    pub worst: Option<Tried>,
}

/// Explores a run, one crash a step, so that a caller can show progress and stop.
#[derive(Debug)]
pub struct Explorer {
    run: Run,
    scenario: Scenario,
    places: Vec<Boundary>,
    next: usize,
    /// The run without a further crash, as far as the next place: what comes before it need not be played again.
    base: World,
    result: Exploration,
    worst_harm: (u64, u64, u64),
}

/// More boundaries than this are thinned out evenly.
pub const MOST_PLACES: usize = 20_000;

impl Explorer {
    /// Plays the run once and finds the places.
    ///
    /// # Errors
    /// Every fault of the scenario, its settings and commands.
    pub fn new(run: &Run) -> Result<Self, Faults> {
        let scenario = run.scenario()?;
        let mut world = World::new(&scenario);
        world.log_boundaries();
        world.run_until(scenario.until_us());
        let mut places: Vec<Boundary> =
            world.boundaries().iter().filter(|place| world.crash_steps(place.part).contains(&place.step)).copied().collect();
        places.sort_unstable();
        places.dedup();
        let stride = places.len().div_ceil(MOST_PLACES).max(1);
        let places = places.into_iter().step_by(stride).collect();
        let mut properties = Vec::new();
        for effect in &world.observer.ledger.effects {
            for (kind, name) in [
                (PropertyKind::Always, format!("{} takes place at most once for every fact", effect.name)),
                (PropertyKind::Eventually, format!("{} takes place for every fact", effect.name)),
            ] {
                properties.push(Property { name, kind, holds: true, tried: 0, counterexample: None });
            }
        }
        let result = Exploration { tried: 0, outcomes: Outcomes::default(), properties, worst: None };
        let base = World::new(&scenario);
        Ok(Self { run: run.clone(), scenario, places, next: 0, base, result, worst_harm: (0, 0, 0) })
    }

    /// How many runs there are to try.
    #[must_use]
    pub fn places(&self) -> u64 {
        self.places.len() as u64
    }

    /// Tries one more. False when all are tried.
    pub fn step(&mut self) -> bool {
        let Some(place) = self.places.get(self.next).copied() else { return false };
        self.next += 1;
        let Some((id, _)) = self.scenario.parts.get_index(usize::from(place.part)) else { return true };
        let crash = Timed { at_us: place.at_us, command: Command::Crash(id.clone(), Some(place.step)) };
        let mut plan = self.scenario.breaks.clone();
        plan.insert(plan.partition_point(|timed| timed.at_us <= crash.at_us), crash.clone());
        self.base.run_until(place.at_us);
        let mut world = self.base.clone();
        world.plan(Rc::new(plan));
        world.run_until(self.scenario.until_us());
        self.count(&world, place, crash);
        true
    }

    fn count(&mut self, world: &World, place: Boundary, crash: Timed) {
        let ledger = &world.observer.ledger;
        let (mut lost, mut twice, mut late, mut out_of_order) = (0, 0, 0, 0);
        let mut broken = Vec::new();
        for effect in 0..ledger.effects.len() {
            let counts = ledger.counts(effect);
            lost += counts.lost;
            twice += counts.twice;
            late += counts.late;
            out_of_order += counts.out_of_order;
            broken.push(counts.twice > 0);
            broken.push(counts.lost > 0);
        }
        let lost = lost.max(ledger.with_status(Status::Lost));
        let outcomes = &mut self.result.outcomes;
        self.result.tried += 1;
        outcomes.clean += u64::from(lost + twice + late + out_of_order == 0);
        outcomes.lost += u64::from(lost > 0);
        outcomes.twice += u64::from(twice > 0);
        outcomes.late += u64::from(late > 0);
        outcomes.out_of_order += u64::from(out_of_order > 0);
        let harm = (lost, twice, late);
        let worse = harm > self.worst_harm;
        let tried = (worse || broken.contains(&true)).then(|| {
            let mut run = self.run.clone();
            run.commands.push(crash.clone());
            run.commands.sort_by_key(|timed| timed.at_us);
            Tried { at_us: place.at_us, part: crash.command.part().to_owned(), step: place.step.word(), link: run.to_link() }
        });
        for (property, broken) in self.result.properties.iter_mut().zip(broken) {
            property.tried += 1;
            if broken && property.holds {
                property.holds = false;
                property.counterexample.clone_from(&tried);
            }
        }
        if worse {
            self.worst_harm = harm;
            self.result.worst = tried;
        }
    }

    /// What has been found so far.
    #[must_use]
    pub fn result(&self) -> &Exploration {
        &self.result
    }

    /// Tries all that is left.
    #[must_use]
    pub fn finish(mut self) -> Exploration {
        while self.step() {}
        self.result
    }
}
