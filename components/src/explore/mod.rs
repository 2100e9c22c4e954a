//! Many runs of the open one: a fault at every place ("try every crash"), or a setting with one value after another
//! ("sweep"). They are played by a worker beside the page, which stays as quick as it was.

mod chart;
mod crashes;
mod job;
mod properties;
mod remote;
mod runs;
mod sweep;
mod wire;
pub mod work;

use leptos::prelude::*;
use redrive::explore::Attempt;
use redrive::run::Run;
use redrive::scenario::Scenario;
use serde_json::Value;

pub use crashes::crashes;
pub use sweep::sweep;

use crate::dom::{Node, button, el};
use crate::lab::Lab;
use job::Job;
use remote::Remote;

/// Where a job stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A worker is at it.
    Going,
    /// All is known.
    Done,
    /// The visitor has stopped it: what was known then stays.
    Stopped,
    /// It cannot go on.
    Failed(String),
}

/// What is known of a job.
pub struct Found {
    /// The run that it is about.
    pub run: Run,
    /// Its scenario.
    pub scenario: Scenario,
    /// Where it stands.
    pub standing: Standing,
    /// How many runs have been played.
    pub tried: u64,
    /// How many there are; nought until that is known.
    pub of: u64,
    /// What each worker has found, as its JSON.
    pub told: Vec<Value>,
    /// Every tried run.
    pub attempts: Vec<Attempt>,
}

/// A job and what is known of it. What a worker tells comes ten times a second, so nothing here is a signal but the turn.
#[derive(Clone, Copy)]
pub struct Trial {
    /// Grows with each thing that is told.
    turn: RwSignal<u32>,
    found: StoredValue<Option<Found>, LocalStorage>,
    remotes: StoredValue<Vec<Remote>, LocalStorage>,
}

impl Found {
    /// What is said under a name in what the first worker has found.
    #[must_use]
    pub fn says(&self, name: &str) -> &Value {
        self.told.first().map_or(&Value::Null, |told| &told["found"][name])
    }
}

impl Trial {
    /// Nothing is tried yet.
    #[must_use]
    pub fn new() -> Self {
        Self { turn: RwSignal::new(0), found: StoredValue::new_local(None), remotes: StoredValue::new_local(Vec::new()) }
    }

    /// Looks at what is known; whoever looks in a slot looks again when there is more.
    pub fn look<T>(self, look: impl FnOnce(Option<&Found>) -> T) -> T {
        self.turn.track();
        self.found.with_value(|found| look(found.as_ref()))
    }

    /// How far it is, while it is under way.
    #[must_use]
    pub fn under_way(self) -> Option<(u64, u64)> {
        self.look(|found| found.filter(|found| found.standing == Standing::Going).map(|found| (found.tried, found.of)))
    }

    fn change(self, change: impl FnOnce(&mut Found)) {
        self.found.update_value(|found| {
            if let Some(found) = found {
                change(found);
            }
        });
        self.turn.update(|turn| *turn = turn.wrapping_add(1));
    }

    /// Gives each job to a worker; what was known of those before is forgotten.
    fn start(self, run: Run, jobs: &[Job]) {
        self.remotes.set_value(Vec::new());
        let Ok(scenario) = run.scenario() else { return };
        let told = vec![Value::Null; jobs.len()];
        let found = Found { run, scenario, standing: Standing::Going, tried: 0, of: 0, told, attempts: Vec::new() };
        self.found.set_value(Some(found));
        for (place, job) in jobs.iter().enumerate() {
            match Remote::start(job, move |told| self.hear(place, told)) {
                Ok(remote) => self.remotes.update_value(|remotes| remotes.push(remote)),
                Err(error) => return self.end(Standing::Failed(["This browser starts no worker: ", &reason(&error)].concat())),
            }
        }
        self.change(|_| {});
    }

    fn hear(self, place: usize, told: Result<(String, Vec<f64>), String>) {
        let (text, numbers) = match told {
            Ok(told) => told,
            Err(why) => return self.end(Standing::Failed(why)),
        };
        let Ok(told) = serde_json::from_str::<Value>(&text) else { return };
        let mut done = false;
        self.change(|found| {
            found.attempts.extend(numbers.chunks(wire::EACH).filter_map(wire::unpack));
            if let Some(slot) = found.told.get_mut(place) {
                *slot = told;
            }
            let sum = |name: &str| found.told.iter().filter_map(|told| told[name].as_u64()).sum();
            (found.tried, found.of) = (sum("tried"), sum("of"));
            done = found.told.iter().all(|told| told["done"] == true);
        });
        if done {
            self.end(Standing::Done);
        }
    }

    fn end(self, standing: Standing) {
        self.remotes.set_value(Vec::new());
        self.change(|found| found.standing = standing);
    }

    /// Stops; what is known stays.
    pub fn stop(self) {
        self.end(Standing::Stopped);
    }
}

fn reason(error: &wasm_bindgen::JsValue) -> String {
    let text = js_sys::Reflect::get(error, &"message".into()).ok().and_then(|text| text.as_string());
    text.unwrap_or_else(|| "it does not say why".into())
}

/// How far a job is, with a button that stops it; and what became of it where it came to no end.
fn progress(trial: Trial, what: &'static str) -> Vec<Node> {
    let Some((standing, tried, of)) = trial.look(|found| found.map(|found| (found.standing.clone(), found.tried, found.of)))
    else {
        return Vec::new();
    };
    match standing {
        Standing::Going => {
            let says = match of {
                0 => "plays the run once, to see where it can be struck".to_owned(),
                of => [&grouped(tried), " of ", &grouped(of), " runs"].concat(),
            };
            let bar = el("progress").attr("max", of.max(1).to_string()).attr("value", tried.to_string()).attr("aria-label", what);
            let stop = button("btn", "Stop").press(move || trial.stop());
            vec![el("div").class("busy").attr("role", "status").with(bar).with(el("span").class("soft").says(says)).with(stop)]
        }
        Standing::Stopped => {
            let says = match tried {
                0 => "Stopped before a run was over.".to_owned(),
                1 => "Stopped after 1 run: what follows is about that one.".to_owned(),
                _ => ["Stopped after ", &grouped(tried), " runs: what follows is about those."].concat(),
            };
            vec![el("p").class("note").says(says)]
        }
        Standing::Failed(why) => vec![el("p").class("wrong").attr("role", "alert").says(why)],
        Standing::Done => Vec::new(),
    }
}

fn grouped(count: u64) -> String {
    redrive::sim::time::grouped(count)
}

/// What the results are of, where that is no longer what is open.
fn about(lab: Lab, found: &Found) -> String {
    let seed = found.scenario.seed.to_string();
    let own = found.run.commands.len().to_string();
    let mut says = [&found.scenario.title, ", seed ", &seed].concat();
    if !found.run.commands.is_empty() {
        says.push_str(
            &[", with ", &own, if found.run.commands.len() == 1 { " command" } else { " commands" }, " of yours"].concat(),
        );
    }
    if lab.run().as_ref() != Some(&found.run) {
        says.push_str(". Another run is open now; these results stay.");
    }
    says
}

/// Opens a run of the results at its moment, in the address, so that the browser's way back leads here.
fn address(run: &Run, at_us: u64) -> String {
    ["#", &crate::route::shared(&run.to_link(), at_us)].concat()
}

/// The header's words for a job: its name, or how far it is.
#[must_use]
pub fn says(trial: Trial, name: &'static str) -> String {
    match trial.under_way() {
        None => name.to_owned(),
        Some((_, 0)) => [name, " …"].concat(),
        Some((tried, of)) => [name, " ", &(tried * 100 / of).to_string(), " %"].concat(),
    }
}

/// Both jobs of the lab.
#[derive(Clone, Copy)]
pub struct Trials {
    /// Every crash.
    pub crashes: Trial,
    /// A setting against a figure.
    pub sweep: Trial,
}

impl Trials {
    /// Nothing is tried yet.
    #[must_use]
    pub fn new() -> Self {
        Self { crashes: Trial::new(), sweep: Trial::new() }
    }
}
