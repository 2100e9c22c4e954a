//! What the panels and the time track say: users, findings, alerts, cures, verdicts, gauges over time.

use super::{BooksView, Level, UserLevel};
use crate::observe::health::Verdict;
use crate::scenario::choices::Role;
use crate::sim::Timestamp;

/// A fault as a span on the time track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanView {
    /// What it says: `orders down`.
    pub title: String,
    /// When it began.
    pub from_us: Timestamp,
    /// When it ended; none while it lasts.
    pub to_us: Option<Timestamp>,
}

/// An alert rule and what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertView {
    /// Name of the rule.
    pub rule: String,
    /// In words: `oldest unsent row > 30 s on Orders DB`.
    pub text: String,
    /// When it fired; none while it is silent.
    pub at_us: Option<Timestamp>,
    /// How long after the fault that caused it.
    pub after_us: Option<u64>,
    /// When it cleared.
    pub cleared_us: Option<Timestamp>,
    /// For a silent rule: why, as far as the run shows it. `stayed at 0`.
    pub why: String,
    /// The partition that was furthest behind when a rule about a group's lag fired, where there are several.
    pub partition: Option<u32>,
    /// The threshold in force, as a scenario writes it: `30s`.
    pub threshold: String,
    /// How the threshold is edited.
    pub form: crate::scenario::setting::Form,
    /// The threshold's name among the settings of a run: `alerts.orders-db.outbox-age.above`.
    pub set: String,
    /// For how long the gauge must be above it, as a scenario writes it: `0s`. Its name ends in `.for` instead of `.above`.
    pub hold: String,
    /// The rule as an alerting expression of Prometheus, to take home.
    pub expr: String,
}

/// What users got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsersView {
    /// One sentence, its harm apart: `Checkout is fine.`
    pub verdict: String,
    /// The harm: `312 emails are late`. Empty when there is none.
    pub harm: String,
    /// What follows: `, none lost.`
    pub tail: String,
    /// The newest outcomes, newest last, up to 240.
    pub newest: Vec<UserLevel>,
    /// Each of them stands for so many users.
    pub one_of: u64,
    /// Counts over the whole run.
    pub served: u64,
    /// Told no.
    pub refused: u64,
    /// Late.
    pub late: u64,
    /// Never.
    pub never: u64,
    /// Twice.
    pub twice: u64,
    /// Still waiting.
    pub waiting: u64,
}

/// Something that the run shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingView {
    /// When it was first seen.
    pub at_us: Timestamp,
    /// Index of the part.
    pub part: u16,
    /// What, in a few words, the part's name first: `Relay: no broker answers`.
    pub text: String,
    /// How often, where that says something.
    pub count: u64,
    /// Why it happens, in a sentence.
    pub why: &'static str,
    /// How it is to be read.
    pub level: Level,
}

/// A cure on offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CureView {
    /// What the button says.
    pub title: String,
    /// Why it helps.
    pub why: String,
    /// Its commands.
    pub commands: Vec<String>,
}

/// One series of the time track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesView {
    /// What it is called.
    pub title: String,
    /// Its colour.
    pub role: Role,
    /// True where it counts harm to users.
    pub harm: bool,
    /// Samples in time order: moment and value.
    pub points: Vec<(Timestamp, u64)>,
    /// The largest value as text.
    pub peak: String,
}

/// How a consumer is, and was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthView {
    /// Index of the part.
    pub part: u16,
    /// Its name.
    pub title: String,
    /// How it is.
    pub verdict: Verdict,
    /// Why, in words and figures: `12.3 s behind`.
    pub why: String,
    /// Since when.
    pub since_us: Timestamp,
    /// Every verdict so far, the oldest first; the last one is the one in force.
    pub spans: Vec<VerdictView>,
}

/// A stretch of time with one verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictView {
    /// How it was.
    pub verdict: Verdict,
    /// Why.
    pub why: String,
    /// Since when.
    pub from_us: Timestamp,
    /// Until when; none while it lasts.
    pub to_us: Option<Timestamp>,
}

/// What the panels show.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelsView {
    /// What users see.
    pub users: UsersView,
    /// What breaks, in causal order.
    pub findings: Vec<FindingView>,
    /// How you notice: rules that fired, then silent ones.
    pub alerts: Vec<AlertView>,
    /// What to do.
    pub cures: Vec<CureView>,
    /// How each consumer is.
    pub health: Vec<HealthView>,
    /// Faults as spans.
    pub spans: Vec<SpanView>,
    /// Series for the time track, up to 4.
    pub series: Vec<SeriesView>,
    /// Where every copy of a message is.
    pub books: BooksView,
    /// Counted effects: name, once, twice, lost, pending, late.
    pub effects: Vec<EffectView>,
}

/// How often an effect took place, over all facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectView {
    /// Its name.
    pub name: String,
    /// Facts for which it took place exactly once.
    pub once: u64,
    /// More than once.
    pub twice: u64,
    /// Can no longer take place.
    pub lost: u64,
    /// May still take place.
    pub pending: u64,
    /// Lies in the dead letters.
    pub dead: u64,
    /// Came after its promise.
    pub late: u64,
    /// Repeats that were recognised and skipped.
    pub skipped: u64,
    /// Came after a later one of the same key.
    pub out_of_order: u64,
}
