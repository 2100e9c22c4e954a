//! The engine's benchmarks as WebAssembly: the same runs as `benches/throughput.rs`, played by a browser.

use redrive::run::Run;
use redrive::world::World;
use wasm_bindgen::prelude::*;

/// What was played.
#[wasm_bindgen]
pub struct Played {
    /// How many messages.
    pub messages: u32,
    /// How many events.
    pub events: f64,
    hash: u64,
}

#[wasm_bindgen]
impl Played {
    /// The trace hash, in 16 hex digits.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn hash(&self) -> String {
        format!("{:016x}", self.hash)
    }
}

/// Plays a benchmark to its end: `work-queue`, `work-queue-crashes`, or the id of a scenario that ships.
///
/// # Errors
/// Faults of the scenario, in words.
#[wasm_bindgen]
pub fn play(name: &str) -> Result<Played, String> {
    let document = include_str!("../../scenarios/work-queue.json");
    let mut run = match name {
        "work-queue" | "work-queue-crashes" => Run::of_document(name, document),
        id => Run::of_library(id),
    };
    if name == "work-queue-crashes" {
        run.sets.push(("workers.crashes".into(), "1%".into()));
    }
    let scenario = run.scenario().map_err(|faults| faults.to_string())?;
    let mut world = World::new(&scenario);
    world.run_until(scenario.until_us());
    Ok(Played { messages: world.observer.ledger.facts(), events: world.events() as f64, hash: world.trace_hash() })
}
