// The golden trace hash of every scenario: included by the native test and by the one that runs in a browser.

/// One line a scenario: id, where it is stopped, events, trace hash.
pub const GOLDEN: &str = include_str!("hashes.txt");

/// Runs long enough for every mechanism of a scenario to show, and short enough for a browser without optimisation.
const MOST_US: u64 = 100_000_000;

/// Plays a scenario and says what came of it, as a line of the golden file.
pub fn line_of(id: &str) -> String {
    use redrive::{run::Run, world::World};
    let scenario = Run::of_library(id).scenario().expect("it ships");
    let until_us = scenario.until_us().min(MOST_US);
    let mut world = World::new(&scenario);
    world.run_until(until_us);
    format!("{id} {until_us} {} {:016x}", world.events(), world.trace_hash())
}
