//! What the lab offers to other scripts of the page: a run played to its end, as numbers.

use redrive::run::Run;
use redrive::timeline::Timeline;
use serde::Serialize;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

/// What a run came to: two that agree have seen the same events.
#[derive(Serialize)]
struct Played {
    scenario: String,
    /// The end, in microseconds.
    until_us: u64,
    events: u64,
    /// 16 hex digits.
    trace_hash: String,
}

/// Plays a run from its start to its end. `run` is the id of a scenario that ships, or what stands behind `#/run/` in a
/// shared link.
///
/// # Errors
/// What is wrong with the link or the run, as text: place, what is wrong, what is allowed.
#[wasm_bindgen]
pub fn play(run: &str) -> Result<JsValue, JsError> {
    let known = redrive::scenario::library::ids().any(|id| id == run);
    let run = if known { Run::of_library(run) } else { Run::from_link(run)? };
    let mut timeline = Timeline::open(&run)?;
    timeline.travel(timeline.until_us(), u64::MAX);
    let played = Played {
        scenario: timeline.scenario().id.clone(),
        until_us: timeline.now_us(),
        events: timeline.events(),
        trace_hash: format!("{:016x}", timeline.trace_hash()),
    };
    Ok(serde_wasm_bindgen::to_value(&played)?)
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_played_run_has_the_hash_of_the_run() {
        let played = play("work-queue-crash").unwrap_or_else(|_| panic!("it ships"));
        let hash = js_sys::Reflect::get(&played, &"trace_hash".into()).expect("an object").as_string();
        assert_eq!(hash.map(|hash| hash.len()), Some(16));
    }

    #[wasm_bindgen_test]
    fn a_broken_link_is_an_error_in_words() {
        assert!(play("not a link").is_err());
    }
}
