//! Plays a scenario that ships with some choices and commands, and reads what came of it.
#![allow(dead_code, reason = "every test takes this in whole, and none asks for all of it")]

use redrive::command::{Command, Timed};
use redrive::observe::ledger::{EffectCounts, Outcome, Standing};
use redrive::observe::record::{Kind, Record};
use redrive::run::Run;
use redrive::sim::Micros;
use redrive::world::World;

/// A scenario from the library, played to its end.
pub struct Played {
    /// As it stands then.
    pub world: World,
}

/// Plays a scenario with settings `PART.SETTING=VALUE` or `lab.SWITCH=CHOICE`, and commands `TIME COMMAND`.
pub fn play(id: &str, sets: &[&str], commands: &[&str]) -> Played {
    run(Run::of_library(id), sets, commands)
}

/// Plays a scenario and gives how long each effect took from the birth of its message whose id begins so, in order of length.
pub fn waits_us(id: &str, sets: &[&str], prefix: &str) -> Vec<u64> {
    let mut run = Run::of_library(id);
    run.sets = sets.iter().map(pair).collect();
    let (world, records) = recorded(&run);
    let effects: Vec<_> = records.into_iter().filter(|record| record.kind == Kind::Effect).collect();
    let born_us = |fact: u32| world.observer.ledger.fact(fact).map_or(0, |fact| fact.born_us);
    let named = effects.iter().filter(|record| world.fact_name(record.fact).starts_with(prefix));
    let mut waits: Vec<u64> = named.map(|record| record.at_us - born_us(record.fact)).collect();
    waits.sort_unstable();
    waits
}

/// When a message of a document was given out or read, in whole milliseconds.
pub fn given_ms(document: &str, fact: &str) -> Vec<u64> {
    times_ms(document, fact, &[Kind::Received, Kind::Read])
}

/// Plays a document and gives everything that happened.
pub fn captured(document: &str) -> (World, Vec<Record>) {
    recorded(&Run::of_document("test", document))
}

fn recorded(run: &Run) -> (World, Vec<Record>) {
    let scenario = run.scenario().unwrap_or_else(|faults| panic!("{faults}"));
    let mut world = World::new(&scenario);
    world.observer.capture();
    world.run_until(scenario.until_us());
    let records = world.observer.take_captured();
    (world, records)
}

/// When records of these kinds were made about a message of a document, in whole milliseconds.
pub fn times_ms(document: &str, fact: &str, kinds: &[Kind]) -> Vec<u64> {
    let (world, records) = captured(document);
    let fact = world.find_fact(fact).expect("it came");
    records
        .iter()
        .filter(|record| kinds.contains(&record.kind) && record.fact == fact)
        .map(|record| record.at_us / 1_000)
        .collect()
}

/// The value below which 99 of 100 are.
pub fn p99(sorted: &[u64]) -> u64 {
    sorted[(sorted.len() * 99).div_ceil(100) - 1]
}

fn pair(text: &&str) -> (String, String) {
    text.split_once('=').map(|(place, value)| (place.to_owned(), value.to_owned())).expect("PLACE=VALUE")
}

/// The same with a document of one's own.
pub fn play_document(document: &str, sets: &[&str], commands: &[&str]) -> Played {
    run(Run::of_document("test", document), sets, commands)
}

fn run(mut run: Run, sets: &[&str], commands: &[&str]) -> Played {
    run.sets = sets.iter().map(pair).collect();
    for text in commands {
        let (at, command) = text.split_once(' ').expect("TIME COMMAND");
        let at_us = Micros::parse(at).expect("a time").0;
        run.commands.push(Timed { at_us, command: Command::parse(command).expect("a command") });
    }
    let scenario = run.scenario().unwrap_or_else(|faults| panic!("{faults}"));
    let mut world = World::new(&scenario);
    world.run_until(scenario.until_us());
    assert_eq!(world.audit(), Ok(()));
    Played { world }
}

impl Played {
    fn bit(&self, name: &str) -> usize {
        let effects = &self.world.observer.ledger.effects;
        effects.iter().position(|effect| effect.name == name).unwrap_or_else(|| panic!("no effect {name}"))
    }

    /// The counts of an effect.
    pub fn effect(&self, name: &str) -> EffectCounts {
        self.world.observer.ledger.counts(self.bit(name))
    }

    /// How an effect of a message stands.
    pub fn standing(&self, fact: &str, effect: &str) -> Standing {
        let fact = self.world.find_fact(fact).unwrap_or_else(|| panic!("no message {fact}"));
        self.world.observer.ledger.standing(fact, self.bit(effect))
    }

    /// How many users got this.
    pub fn users(&self, outcome: Outcome) -> u64 {
        self.world.observer.ledger.with_outcome(outcome)
    }

    /// The highest value that a gauge had at any sample.
    pub fn highest(&self, part: &str, gauge: &str) -> u64 {
        let (part, place) = self.gauge(part, gauge);
        self.world.board.series[part][place].iter().copied().max().unwrap_or(0)
    }

    /// The value of a gauge at the newest sample.
    pub fn newest(&self, part: &str, gauge: &str) -> u64 {
        let (part, place) = self.gauge(part, gauge);
        self.world.board.newest(part as u16, place)
    }

    fn gauge(&self, part: &str, gauge: &str) -> (usize, usize) {
        let (index, _, spec) = self.world.scenario().parts.get_full(part).unwrap_or_else(|| panic!("no part {part}"));
        let gauges = redrive::scenario::gauges::gauges(&spec.kind);
        (index, gauges.iter().position(|spec| spec.name == gauge).unwrap_or_else(|| panic!("no gauge {gauge}")))
    }

    /// When a rule fired first, in whole seconds.
    pub fn fired_s(&self, rule: &str) -> Option<u64> {
        let alert = self.world.board.alerts.iter().find(|alert| alert.spec.rule == rule && !alert.fired.is_empty())?;
        alert.fired.first().map(|firing| firing.at_us / 1_000_000)
    }
}
