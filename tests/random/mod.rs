//! What random runs have in common: they are slow enough for a debug build to check every event, and broken at random.

use proptest::sample::Index;
use redrive::command::{Command, Timed};
use redrive::run::Run;
use redrive::scenario::{Kind, Scenario, library};
use redrive::sim::PerSecond;
use redrive::world::World;

/// How long a random run is.
pub const UNTIL_US: u64 = 40_000_000;

/// A run of some scenario that ships, with no producer faster than 25 messages a second; and the scenario as it is else.
pub fn slow_run(which: Index, seed: u64) -> (Run, Scenario) {
    let ids: Vec<&str> = library::ids().collect();
    let mut run = Run::of_library(ids[which.index(ids.len())]);
    run.seed = Some(seed);
    run.until_us = Some(UNTIL_US);
    let plain = run.scenario().expect("it ships");
    for (id, part) in &plain.parts {
        if let Kind::Producer(settings) = &part.kind
            && settings.rate > PerSecond::whole(25)
        {
            run.sets.push((format!("{id}.rate"), "25/s".into()));
        }
    }
    (run, plain)
}

/// Gives a run commands at these moments, drawn from all that its parts offer at the start and from mending any of them.
pub fn break_at(run: &mut Run, faults: Vec<(u64, Index)>) {
    let scenario = run.scenario().expect("sound settings");
    let world = World::new(&scenario);
    let offers: Vec<String> = (0..scenario.parts.len() as u16)
        .filter_map(|part| world.inspect(part))
        .flat_map(|part| part.offers)
        .map(|offer| offer.command)
        .chain(scenario.parts.keys().map(|id| format!("mend {id}")))
        .collect();
    for (at_us, which) in faults {
        let command = Command::parse(&offers[which.index(offers.len())]).expect("an offer is a command");
        run.commands.push(Timed { at_us, command });
    }
    run.commands.sort_by_key(|timed| timed.at_us);
}
