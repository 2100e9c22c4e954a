//! The worker's side: plays a job to its end and tells how far it is, about ten times a second.

use js_sys::{Date, Float64Array, Function};
use redrive::explore::{Explorer, Sweep};
use redrive::run::Run;
use redrive::scenario::{Fault, Faults};
use redrive::timeline::Progress;
use serde_json::{Value, json};
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

use super::job::Job;
use super::wire;

/// Events between two looks at the clock.
const PORTION: u64 = 20_000;
/// Milliseconds between two tellings.
const TELL_MS: f64 = 100.0;

/// Calls back with a text and numbers.
struct Teller<'a> {
    post: &'a Function,
    told_ms: f64,
}

impl Teller<'_> {
    fn is_due(&self) -> bool {
        Date::now() - self.told_ms >= TELL_MS
    }

    fn tell(&mut self, what: &Value, numbers: &[f64]) {
        self.told_ms = Date::now();
        // Nobody is left to hear of it where the page does not listen.
        let _ = self.post.call2(&JsValue::NULL, &what.to_string().into(), &Float64Array::from(numbers));
    }
}

/// Does a job. `post` is called with what is known so far, as JSON, and the runs tried since the last call, as numbers.
///
/// # Errors
/// What is wrong with the job: place, what is wrong, what is allowed.
#[wasm_bindgen]
pub fn work(job: &str, post: &Function) -> Result<(), JsError> {
    let job = Job::parse(job).ok_or_else(|| Fault::new("job", "this is no job", "crashes or sweep"))?;
    let mut teller = Teller { post, told_ms: Date::now() };
    match job {
        Job::Crashes { link, plan } => {
            let mut explorer = Explorer::new(&Run::from_link(&link)?, plan)?;
            crashes(&mut explorer, &mut teller)?;
        }
        Job::Sweep { link, vary, measure, seeds } => {
            let mut sweep = Sweep::new(&Run::from_link(&link)?, &vary, &measure, seeds)?;
            loop {
                let progress = sweep.step(PORTION);
                let done = progress == Progress::Done;
                if done || teller.is_due() {
                    let (played, of) = sweep.progress();
                    let found = serde_json::to_value(sweep.result())?;
                    teller.tell(&json!({"tried": played, "of": of, "done": done, "found": found}), &[]);
                }
                if done {
                    break;
                }
            }
        }
    }
    Ok(())
}

fn crashes(explorer: &mut Explorer, teller: &mut Teller<'_>) -> Result<(), Faults> {
    let mut sent = 0;
    loop {
        let done = explorer.step(PORTION) == Progress::Done;
        if done || teller.is_due() {
            let (tried, of) = explorer.progress();
            let numbers: Vec<f64> = explorer.attempts().iter().skip(sent).flat_map(wire::pack).collect();
            sent = explorer.attempts().len();
            let found = serde_json::to_value(explorer.result())
                .map_err(|error| Fault::new("found", error.to_string(), "what can be written as JSON"))?;
            teller.tell(&json!({"tried": tried, "of": of, "done": done, "found": found}), &numbers);
        }
        if done {
            return Ok(());
        }
    }
}
