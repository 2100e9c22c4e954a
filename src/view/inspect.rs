//! What is said of one part or one message: settings, gauges, the event log, a journey.

use redrive_brokers::profile::Native;

use super::{GaugeView, Level, OfferView, PartView};
use crate::sim::Timestamp;

/// What an inspector shows of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectView {
    /// The part as on the stage.
    pub part: PartView,
    /// Its gauges.
    pub gauges: Vec<GaugeView>,
    /// Its settings: table row and value in force, as text.
    pub settings: Vec<SettingView>,
    /// What can be done to it: faults first, mend, then operations.
    pub offers: Vec<OfferView>,
}

/// One setting as the inspector shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingView {
    /// Its table row.
    pub name: &'static str,
    /// What kind of value.
    pub form: crate::scenario::setting::Form,
    /// What is allowed.
    pub allowed: String,
    /// For a choice: the words.
    pub words: Vec<&'static str>,
    /// What it does.
    pub doc: &'static str,
    /// Default as text.
    pub default: String,
    /// Value in force, as text.
    pub value: String,
    /// What the part's broker calls it.
    pub native: Option<&'static Native>,
    /// The part's broker does something with it.
    pub known: bool,
    /// It holds for a whole run: another value is another run.
    pub fixed: bool,
}

/// One line of a journey or of the event log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineView {
    /// When.
    pub at_us: Timestamp,
    /// In words.
    pub text: String,
    /// How it is to be read.
    pub level: Level,
    /// The fact it is about, if it is about one.
    pub fact: Option<u32>,
    /// The part it happened at.
    pub part: u16,
}

/// A message's journey, from its first write to its last effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JourneyView {
    /// The fact.
    pub fact: u32,
    /// Its id: `88`
    pub title: String,
    /// Its key, and where that led in a log: `key 88 → p4`
    pub detail: String,
    /// The key.
    pub key: u32,
    /// What came of each effect, in words.
    pub fates: Vec<String>,
    /// Where it has been, one stop after another.
    pub path: Vec<StopView>,
    /// Every receive, timeout and effect with its time.
    pub lines: Vec<LineView>,
}

/// A stay of a message at a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopView {
    /// Index of the part.
    pub part: u16,
    /// The part that it came from along a line of the stage; none where it began.
    pub from: Option<u16>,
    /// When it came there.
    pub at_us: Timestamp,
}
