//! A scenario: the document that says which parts there are, how they are set, what goes wrong when, and what to tell.
//!
//! `docs/scenarios.md` explains the format by example. [`document`] reads it, [`export`] writes it back complete, [`schema`]
//! gives its JSON Schema, [`library`] holds the ones that ship.

pub mod alerts;
pub mod choices;
mod declare;
pub mod document;
pub mod export;
pub mod failures;
pub mod fault;
pub mod gauges;
pub mod kind;
pub mod library;
pub mod links;
pub mod native;
pub mod nearest;
pub mod parts;
pub mod prometheus;
pub mod properties;
pub mod refusals;
pub mod remarks;
pub mod schema;
pub mod setting;
pub mod steps;
pub mod verbs;

use indexmap::IndexMap;

pub use fault::{Fault, Faults};
pub use kind::Kind;

use crate::command::Timed;
use crate::sim::{Micros, Timestamp};

/// The version of the format that this engine reads: the `redrive` field of the document.
pub const FORMAT: u64 = 1;

/// A checked scenario, complete with defaults.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its id: the file's stem, or what the library calls it.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// One sentence: what there is to see.
    pub summary: String,
    /// The heading it stands under in the picker.
    pub group: String,
    /// Seed of the run unless another is asked for.
    pub seed: u64,
    /// Where the run ends unless another end is asked for.
    pub until: Micros,
    /// How often gauges and alert rules are looked at.
    pub sample: Micros,
    /// Playing speed that suits it, in thousandths of real time.
    pub speed_milli: u64,
    /// Its parts by id, in order.
    pub parts: IndexMap<String, PartSpec>,
    /// Planned commands.
    pub breaks: Vec<Timed>,
    /// Alert rules. Where the document names none, the usual ones for its parts.
    pub alerts: Vec<AlertSpec>,
    /// Cures on offer.
    pub cures: Vec<CureSpec>,
    /// Whether the faults that the document plans strike; none where it plans none.
    pub planned: Option<bool>,
    /// Switches: named choices that each patch the document, set with `lab.NAME=CHOICE`.
    pub switches: IndexMap<String, SwitchSpec>,
    /// What it says should be true of every run.
    pub properties: Vec<properties::PropertySpec>,
    /// A question to answer before the run, for classes and embeds.
    pub ask: Option<Question>,
}

/// One part.
#[derive(Clone, Debug)]
pub struct PartSpec {
    /// Name for people. The id if left out.
    pub title: String,
    /// What it is and how it is set.
    pub kind: Kind,
    /// Column and row on the stage, where the scenario fixes them.
    pub at: Option<(u32, u32)>,
}

/// An alert rule: fires when a gauge of a part is above a threshold for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertSpec {
    /// Name of the rule: `outbox-age`.
    pub rule: String,
    /// Id of the part it looks at.
    pub part: String,
    /// Name of the gauge it looks at.
    pub gauge: String,
    /// It fires above this value, in the unit of the gauge.
    pub above: u64,
    /// For how long the value must have been above it.
    pub hold: Micros,
}

/// A cure: a label, the commands it sends, and why it helps.
#[derive(Clone, Debug)]
pub struct CureSpec {
    /// What the button says.
    pub title: String,
    /// What it does, as commands.
    pub commands: Vec<crate::command::Command>,
    /// Why it helps.
    pub why: String,
}

/// A switch of a scenario.
#[derive(Clone, Debug)]
pub struct SwitchSpec {
    /// Name for people.
    pub title: String,
    /// The choice in force.
    pub value: String,
    /// Choices: word and name for people.
    pub choices: Vec<(String, String)>,
}

/// A question to predict the run by. The answer is read off the run, never written down.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is asked: "How often is order 105 charged?"
    pub text: String,
    /// The effect that is asked about.
    pub effect: String,
    /// The fact that is asked about.
    pub fact: String,
}

/// Whether a text can name a part, a rule or a switch: a lower-case letter, then up to 39 lower-case letters, digits, hyphens.
#[must_use]
pub fn valid_id(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_lowercase();
    text.len() <= 40
        && text.bytes().next().is_some_and(letter)
        && text.bytes().all(|byte| letter(byte) || byte.is_ascii_digit() || byte == b'-')
}

impl Scenario {
    /// Where the run ends, as a moment.
    #[must_use]
    pub fn until_us(&self) -> Timestamp {
        self.until.0
    }
}
