//! The engine as the browser runs it: the same trace as natively, to the byte.
#![cfg(target_arch = "wasm32")]

#[path = "../../tests/golden/shared.rs"]
mod shared;

use redrive::run::Run;
use redrive::timeline::Timeline;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn hash_at_the_end(run: &Run) -> u64 {
    let mut timeline = Timeline::open(run).expect("a scenario that ships is sound");
    timeline.travel(timeline.until_us(), u64::MAX);
    assert!(timeline.events() > 0, "the run did something");
    timeline.trace_hash()
}

#[wasm_bindgen_test]
fn a_run_that_came_through_a_link_is_the_same_run() {
    let run = Run::of_library("work-queue-crash");
    let arrived = Run::from_link(&run.to_link()).expect("the link is whole");
    assert_eq!(hash_at_the_end(&arrived), hash_at_the_end(&run));
}

#[wasm_bindgen_test]
fn every_scenario_has_the_trace_that_it_has_natively() {
    assert!(shared::GOLDEN.lines().count() > 10, "the golden file names every scenario");
    for golden in shared::GOLDEN.lines() {
        let id = golden.split(' ').next().unwrap_or_default();
        assert_eq!(shared::line_of(id), golden);
    }
}

#[wasm_bindgen_test]
fn going_back_shows_what_was_there() {
    let mut timeline = Timeline::open(&Run::of_library("ack-order")).expect("a scenario that ships is sound");
    let mut seen = Vec::new();
    for at_us in (0..40_000_000).step_by(1_000_000) {
        timeline.travel(at_us, u64::MAX);
        seen.push((at_us, timeline.trace_hash()));
    }
    for (at_us, hash) in seen.into_iter().rev() {
        timeline.travel(at_us, u64::MAX);
        assert_eq!(timeline.trace_hash(), hash, "at {at_us} us");
    }
}
