//! The engine as the browser runs it.
#![cfg(target_arch = "wasm32")]

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
