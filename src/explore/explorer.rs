//! Tries one fault after the other, each in a run of its own, in portions of so many events.
//!
//! The run is played once to see where it can be struck. Each place then gets a run with one more command at that very
//! moment, so that every tried run has a link. The places are tried in order of time: what comes before one is played
//! once, and a run branches off there.

use std::mem::replace;
use std::rc::Rc;

use super::found::{Exploration, Outcomes, Then, Tried};
use super::places::{Plan, command, part_id, spread, struck, word};
use super::properties::{self, Harm, Property};
use super::table::{self, Attempt};
use crate::command::{Command, Timed};
use crate::run::Run;
use crate::scenario::{Faults, Scenario};
use crate::sim::Timestamp;
use crate::timeline::Progress;
use crate::world::{Boundary, Wanted, World};

/// The faults of a run: none, one or two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Strikes(Option<Boundary>, Option<Boundary>);

impl Strikes {
    fn count(self) -> usize {
        usize::from(self.0.is_some()) + usize::from(self.1.is_some())
    }
}

/// What is under way.
#[derive(Debug)]
enum Stage {
    /// The run as it is, to see where it can be struck.
    Mapping(World),
    /// Nothing: the next run can begin.
    Between,
    /// A run with faults.
    Trying(World, Strikes),
    /// A run with faults again, to see when it breaks a property.
    Showing(World, Strikes, usize),
    /// All are tried.
    Done,
}

/// Explores a run, one place after the other.
#[derive(Debug)]
pub struct Explorer {
    run: Run,
    scenario: Scenario,
    plan: Plan,
    wanted: Wanted,
    stage: Stage,
    places: Vec<Boundary>,
    next: usize,
    /// The run without a further fault, as far as the place that is tried: what comes before need not be played again.
    base: World,
    /// The run with the first of two faults, as far as the second.
    struck: Option<World>,
    /// Where the second fault can strike, the last first.
    seconds: Vec<Boundary>,
    /// Properties that are broken and not yet shown.
    to_show: Vec<(usize, Strikes)>,
    /// How many runs there are, as far as that is known.
    of: u64,
    /// How many there would be.
    exist: u64,
    result: Exploration,
    attempts: Vec<Attempt>,
    worst_harm: (u64, u64, u64),
}

/// At most so many runs.
pub const MOST_RUNS: u64 = 20_000;
/// At least so many, however long one takes.
const FEWEST_RUNS: u64 = 100;
/// Events of all runs together that are thought a fair wait.
const FAIR_EVENTS: u64 = 1_000_000_000;

impl Explorer {
    /// Sets out to explore.
    ///
    /// # Errors
    /// Every fault of the scenario, its settings and commands, and of the plan.
    pub fn new(run: &Run, plan: Plan) -> Result<Self, Faults> {
        let scenario = run.scenario()?;
        let wanted = plan.wanted(&scenario)?;
        let base = World::new(&scenario);
        let mut mapper = base.clone();
        mapper.log_boundaries(wanted);
        let result = Exploration {
            tried: 0,
            outcomes: Outcomes::default(),
            table: Vec::new(),
            properties: properties::of(&scenario, &base.observer.ledger),
            worst: None,
            sampled_of: None,
        };
        Ok(Self {
            run: run.clone(),
            scenario,
            plan,
            wanted,
            stage: Stage::Mapping(mapper),
            places: Vec::new(),
            next: 0,
            base,
            struck: None,
            seconds: Vec::new(),
            to_show: Vec::new(),
            of: 0,
            exist: 0,
            result,
            attempts: Vec::new(),
            worst_harm: (0, 0, 0),
        })
    }

    /// How many runs have been tried, and how many there are; nought until the run has been played once. With two faults
    /// together the second number is an estimate until the end.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.result.tried, self.of)
    }

    /// What has been found so far.
    #[must_use]
    pub fn result(&self) -> &Exploration {
        &self.result
    }

    /// Every run that has been tried so far, in the order in which they were.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// Tries all that is left.
    #[must_use]
    pub fn finish(mut self) -> Exploration {
        while self.step(u64::MAX) == Progress::More {}
        self.result
    }

    /// Goes on for about so many events.
    pub fn step(&mut self, most_events: u64) -> Progress {
        let mut left = most_events;
        loop {
            let until_us = self.scenario.until_us();
            let (ended, used) = match &mut self.stage {
                Stage::Mapping(world) | Stage::Trying(world, _) => {
                    let before = world.events();
                    let ended = world.run(until_us, left) == Progress::Done;
                    (ended, world.events() - before)
                }
                Stage::Showing(world, _, property) => {
                    let Property { effect, what, .. } = self.result.properties[*property];
                    let mut used = 0;
                    let mut ended = Harm::of(world, effect).breaks(what);
                    while !ended && used < left {
                        ended = world.run(until_us, 1) == Progress::Done || Harm::of(world, effect).breaks(what);
                        used += 1;
                    }
                    (ended, used)
                }
                Stage::Between => (true, 0),
                Stage::Done => return Progress::Done,
            };
            // Setting out on a run costs about as much as some events.
            left = left.saturating_sub(used.max(100));
            if ended {
                self.stage = match replace(&mut self.stage, Stage::Done) {
                    Stage::Mapping(world) => self.mapped(world),
                    Stage::Between => self.begin(),
                    Stage::Trying(world, strikes) => self.tried(world, strikes),
                    Stage::Showing(world, strikes, property) => self.shown(&world, strikes, property),
                    Stage::Done => Stage::Done,
                };
            }
            if left == 0 {
                return Progress::More;
            }
        }
    }

    /// The run has been played once.
    fn mapped(&mut self, mut world: World) -> Stage {
        let most = self.plan.most.unwrap_or_else(|| {
            let halves = world.events().max(2) / 2;
            (FAIR_EVENTS / halves).clamp(FEWEST_RUNS, MOST_RUNS)
        });
        self.plan.most = Some(most);
        if let Some(log) = world.take_boundaries() {
            self.exist = log.passed();
            self.places = spread(log.in_order(), most);
        }
        self.of = self.places.len() as u64;
        self.result.sampled_of = (self.exist > self.of).then_some(self.exist);
        if self.plan.together > 1 {
            self.of *= 1 + self.seconds_each().min(self.of);
        }
        self.examine(&world, Strikes::default());
        Stage::Between
    }

    /// How many second faults each first one gets at most.
    fn seconds_each(&self) -> u64 {
        let places = (self.places.len() as u64).max(1);
        (self.plan.most.unwrap_or(MOST_RUNS) / places).max(1)
    }

    /// The next run.
    fn begin(&mut self) -> Stage {
        if let Some((property, strikes)) = self.to_show.pop() {
            return Stage::Showing(self.with(&self.base, strikes), strikes, property);
        }
        if let Some(second) = self.seconds.pop()
            && let Some(mut struck) = self.struck.take()
        {
            struck.run_until(second.at_us);
            let strikes = Strikes(self.current(), Some(second));
            let world = self.with(&struck, strikes);
            self.struck = Some(struck);
            return Stage::Trying(world, strikes);
        }
        let Some(place) = self.places.get(self.next).copied() else {
            self.of = self.result.tried;
            self.result.sampled_of = (self.exist > self.of).then_some(self.exist);
            return Stage::Done;
        };
        self.next += 1;
        self.base.run_until(place.at_us);
        let strikes = Strikes(Some(place), None);
        let mut world = self.with(&self.base, strikes);
        if self.plan.together > 1 {
            self.struck = Some(world.clone());
            world.log_boundaries(self.wanted);
        }
        Stage::Trying(world, strikes)
    }

    /// The first fault of the runs that are tried now.
    fn current(&self) -> Option<Boundary> {
        self.places.get(self.next.checked_sub(1)?).copied()
    }

    /// A world from here on with faults.
    fn with(&self, world: &World, strikes: Strikes) -> World {
        let mut plan = self.scenario.breaks.clone();
        for place in [strikes.0, strikes.1].into_iter().flatten() {
            let timed = command(&self.scenario, place);
            plan.insert(plan.partition_point(|known| known.at_us <= timed.at_us), timed);
        }
        let mut world = world.clone();
        world.plan(Rc::new(plan));
        world
    }

    /// A run with faults is over.
    fn tried(&mut self, mut world: World, strikes: Strikes) -> Stage {
        let mut sum = Harm::default();
        for effect in 0..world.observer.ledger.effects.len() {
            let harm = Harm::of(&world, effect);
            sum.lost += harm.lost;
            sum.twice += harm.twice;
            sum.late += harm.late;
            sum.out_of_order += harm.out_of_order;
        }
        let result = &mut self.result;
        result.tried += 1;
        result.outcomes.add(sum);
        if let Some(first) = strikes.0 {
            let attempt = Attempt { first, second: strikes.1, harm: sum };
            table::count(&mut result.table, &self.scenario, &attempt);
            self.attempts.push(attempt);
        }
        for property in &mut result.properties {
            property.tried += 1;
        }
        let harm = (sum.lost, sum.twice, sum.late);
        if harm > self.worst_harm {
            self.worst_harm = harm;
            self.result.worst = Some(self.told(strikes));
        }
        self.examine(&world, strikes);
        if let (Some(log), Strikes(Some(first), None)) = (world.take_boundaries(), strikes) {
            // The fault itself is not tried once more at the same place of the same moment.
            let again = |place: &Boundary| place.at_us == first.at_us && place.part == first.part;
            let passed = log.passed();
            let mut all = log.in_order();
            let noted = all.len() as u64;
            all.retain(|place| !again(place));
            self.exist += passed - (noted - all.len() as u64);
            self.seconds = spread(all, self.seconds_each());
            self.seconds.reverse();
            // Of those to come nobody knows yet how many seconds they have: about as many as this one.
            let rest = self.places.len() - self.next;
            let more = self.seconds.len() as u64;
            self.of = self.result.tried + more + rest as u64 * (1 + more);
        }
        Stage::Between
    }

    /// Notes which properties a run breaks that no shorter one has broken.
    fn examine(&mut self, world: &World, strikes: Strikes) {
        for (index, property) in self.result.properties.iter_mut().enumerate() {
            if !Harm::of(world, property.effect).breaks(property.what) {
                continue;
            }
            property.holds = false;
            if property.fewest.is_none_or(|fewest| strikes.count() < fewest) {
                property.fewest = Some(strikes.count());
                self.to_show.push((index, strikes));
            }
        }
    }

    /// It is known when a run breaks a property.
    fn shown(&mut self, world: &World, strikes: Strikes, index: usize) -> Stage {
        let Property { effect, what, .. } = self.result.properties[index];
        let mut tried = self.told(strikes);
        tried.shows_us = Some(world.now_us());
        tried.fact = properties::culprit(world, effect, what);
        if strikes.0.is_none() {
            self.blame(&mut tried, world, effect);
        }
        self.result.properties[index].counterexample = Some(tried);
        Stage::Between
    }

    /// A run with its faults, as a link.
    fn told(&self, strikes: Strikes) -> Tried {
        let named =
            |place: Boundary| Then { at_us: place.at_us, part: part_id(&self.scenario, place.part), step: word(place.point) };
        let (first, then) = (strikes.0.map(named), strikes.1.map(named));
        let run = struck(&self.run, &self.scenario, strikes.0, strikes.1);
        let Then { at_us, part, step } = first.unwrap_or(Then { at_us: 0, part: String::new(), step: "none" });
        Tried { at_us, part, step, link: address(&run, at_us), planned: strikes.0.is_none(), then, shows_us: None, fact: None }
    }

    /// A run that breaks a property by itself: the newest of its own commands is named, or where it shows.
    fn blame(&self, tried: &mut Tried, world: &World, effect: usize) {
        let newest = self.scenario.breaks.iter().rev().find(|timed| timed.at_us <= world.now_us());
        match newest {
            Some(Timed { at_us, command }) => {
                tried.at_us = *at_us;
                command.part().clone_into(&mut tried.part);
                tried.step = match command {
                    Command::Crash(_, Some(step)) => step.word(),
                    other => crate::scenario::verbs::verb(other),
                };
            }
            None => {
                tried.at_us = world.now_us();
                let part = world.observer.ledger.effects[effect].part;
                tried.part = part_id(&self.scenario, part);
            }
        }
        tried.link = address(&self.run, tried.at_us);
    }
}

/// What stands behind the lab's address for a run at a moment.
#[must_use]
pub fn address(run: &Run, at_us: Timestamp) -> String {
    let link = run.to_link();
    if at_us == 0 { format!("#/run/{link}") } else { format!("#/run/{link}/at/{at_us}") }
}
