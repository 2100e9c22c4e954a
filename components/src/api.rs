//! What the lab offers to other scripts of the page: a run played to its end, as numbers.

use redrive::observe::report::report;
use redrive::run::Run;
use redrive::timeline::Timeline;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

/// Plays a run from its start to its end and gives the object that `redrive run --json` prints. `run` is the id of a
/// scenario that ships, or what stands behind `#/run/` in a shared link.
///
/// # Errors
/// What is wrong with the link or the run, as text: place, what is wrong, what is allowed.
#[wasm_bindgen]
pub fn report_of(run: &str) -> Result<JsValue, JsError> {
    let known = redrive::scenario::library::ids().any(|id| id == run);
    let run = if known { Run::of_library(run) } else { Run::from_link(run)? };
    let mut timeline = Timeline::open(&run)?;
    timeline.travel(timeline.until_us(), u64::MAX);
    Ok(report(timeline.world()).serialize(&Serializer::json_compatible())?)
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_report_is_an_object_with_the_hash_of_the_run() {
        let report = report_of("work-queue-crash").unwrap_or_else(|_| panic!("it ships"));
        let hash = js_sys::Reflect::get(&report, &"trace_hash".into()).expect("an object").as_string();
        assert_eq!(hash.map(|hash| hash.len()), Some(16));
    }

    #[wasm_bindgen_test]
    fn a_broken_link_is_an_error_in_words() {
        assert!(report_of("not a link").is_err());
    }
}
