//! What the page is given to draw: plain data, made from a world on demand, a few times a second for panels and once a
//! frame for tokens. The page holds no rule of a broker; whatever it shows is in here.

mod books;
mod messages;

pub use books::{BookRow, BooksView};
pub use messages::{MessageRow, MessagesView};

use redrive_brokers::profile::Native;

use crate::observe::health::Verdict;
use crate::scenario::parts::Role;
use crate::sim::Timestamp;

/// How a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Good,
    /// Something to look at; no user is harmed yet.
    Warn,
    /// Down, or harm to a user, or a loss.
    Bad,
    /// Neither: idle, unknown.
    Quiet,
}

/// A message as it is drawn wherever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRef {
    /// The fact that it tells of: what a click opens.
    pub fact: u32,
    /// Its short id.
    pub label: String,
    /// A small number that stands for its key, for colour.
    pub key: u32,
    /// How it is drawn.
    pub shape: TokenShape,
}

/// The shape of a token: one meaning each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenShape {
    /// Waiting or on its way.
    Plain,
    /// Given out before: wears a second ring.
    Again,
    /// Took effect twice.
    Twice,
    /// Can never be processed: a diamond.
    Poison,
    /// Lost: a ghost where it was last seen.
    Ghost,
}

/// A token that waits for a moment: visibility timeout, backoff, delay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingToken {
    /// The message.
    pub token: TokenRef,
    /// When the wait began.
    pub since_us: Timestamp,
    /// When it runs out.
    pub until_us: Timestamp,
    /// What it waits for, in the field's words: `visibility timeout`.
    pub what: &'static str,
}

/// A hop of a message between two parts: drawn at `from + (now - start) / (end - start)` of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopView {
    /// The message.
    pub token: TokenRef,
    /// Index of the part it left.
    pub from: u16,
    /// Index of the part it goes to.
    pub to: u16,
    /// When it left.
    pub start_us: Timestamp,
    /// When it arrives.
    pub end_us: Timestamp,
}

/// One process of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessView {
    /// `A`, `B`, …
    pub name: String,
    /// What it does, in words: `105 · working`, `crashed, back in 3.2 s`, `idle: 8 members, 6 partitions`.
    pub state: String,
    /// How it is.
    pub level: Level,
    /// What it holds, up to a few.
    pub holds: Vec<TokenRef>,
    /// How many it holds.
    pub holding: u64,
    /// The partitions it reads, for a group member.
    pub partitions: Vec<u32>,
}

/// One partition of a log as a tape of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionView {
    /// Its number.
    pub index: u32,
    /// Offset of the oldest record that is kept.
    pub start: u64,
    /// Offset that the next record will get.
    pub end: u64,
    /// Flags: committed offset of each group, in the order of `BodyView::Log::groups`.
    pub committed: Vec<u64>,
    /// The newest cells, oldest first, at most 12; only while a record can be told from the next.
    pub cells: Vec<TokenRef>,
    /// The first offset that readers may not read: the high watermark. The end where there are no replicas.
    pub high_watermark: u64,
    /// Its replicas in order of preference, where it has more than one.
    pub replicas: Vec<ReplicaView>,
}

/// One replica of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaView {
    /// Its broker, counted from 1.
    pub broker: u32,
    /// Offset that its next record will get.
    pub end: u64,
    /// It leads.
    pub leads: bool,
    /// It is in the in-sync set.
    pub in_sync: bool,
    /// Its broker runs.
    pub up: bool,
}

/// What is inside a part's box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyView {
    /// Nothing but its name and figure.
    Plain,
    /// A crowd of shoppers: the newest outcomes.
    Crowd(Vec<UserLevel>),
    /// An outbox.
    Outbox {
        /// Rows not yet sent.
        unsent: u64,
        /// Age of the oldest of them.
        oldest_us: u64,
        /// The oldest rows, up to 8.
        rows: Vec<TokenRef>,
    },
    /// A queue: slots, and a shelf for what is hidden.
    Queue {
        /// How many are ready.
        ready: u64,
        /// The next ones, up to 12.
        next: Vec<TokenRef>,
        /// For each of them whether it waits for another of its group that is in a worker's hands.
        locked: Vec<bool>,
        /// How many are hidden or delayed.
        hidden: u64,
        /// Those that come back first, up to 8.
        shelf: Vec<WaitingToken>,
        /// True for a tray of dead letters.
        tray: bool,
    },
    /// An exchange.
    Exchange {
        /// How it picks queues: `topic`.
        kind: &'static str,
        /// Binding key and the queue's name.
        bindings: Vec<(String, String)>,
        /// Messages that no binding took.
        unroutable: u64,
    },
    /// A log.
    Log {
        /// The groups that read it: part index and title.
        groups: Vec<(u16, String)>,
        /// Its first partitions, up to 12.
        partitions: Vec<PartitionView>,
        /// How many there are in all.
        partitions_total: u32,
        /// A rebalance in progress, in words, per group.
        rebalancing: Vec<String>,
    },
    /// Processes.
    Workers {
        /// The first ones, up to 8.
        processes: Vec<ProcessView>,
        /// How many there are in all.
        total: u64,
    },
    /// How often each fact took effect here: rows of id and count, newest last, up to 8.
    Effects(Vec<(TokenRef, u32)>),
}

/// What a shopper got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserLevel {
    /// Answered, and everything promised so far came in time.
    AsPromised,
    /// Something promised came or will come late.
    Late,
    /// Something happened twice.
    Twice,
    /// Something promised will never come.
    Never,
    /// Told no.
    Refused,
    /// Waits, and it is not late yet.
    Waiting,
}

/// A gauge with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaugeView {
    /// Its name: `outbox_oldest_us`.
    pub name: &'static str,
    /// Its name for people: `oldest unsent row`.
    pub title: &'static str,
    /// Its value as text with unit: `45.2 s`.
    pub text: String,
    /// Its value.
    pub value: u64,
}

/// A command that the part allows, as a button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferView {
    /// What the button says.
    pub title: String,
    /// The command as text, ready for [`Command::parse`](crate::command::Command::parse).
    pub command: String,
    /// What it does, for a tooltip and for reading aloud.
    pub doc: String,
}

/// One part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartView {
    /// Its id.
    pub id: String,
    /// Its name.
    pub title: String,
    /// The word for its kind.
    pub kind: &'static str,
    /// What it is drawn as.
    pub role: Role,
    /// How it is.
    pub level: Level,
    /// A short badge while something is wrong: `down 45.2 s`.
    pub badge: Option<String>,
    /// One line of figures: `p99 31 ms · 100 %`.
    pub figure: String,
    /// How the figure is to be read.
    pub figure_level: Level,
    /// What is inside.
    pub body: BodyView,
}

/// A line between two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkView {
    /// Index of the part it starts from.
    pub from: u16,
    /// Index of the part it goes to.
    pub to: u16,
    /// Messages travel along it (else it is a call or a dead-letter path).
    pub flow: bool,
    /// It is down or cut.
    pub broken: bool,
}

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

/// The stage at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageView {
    /// The moment.
    pub now_us: Timestamp,
    /// Parts, in the order of the scenario; indices elsewhere count in this order.
    pub parts: Vec<PartView>,
    /// Lines.
    pub links: Vec<LinkView>,
    /// Messages between parts, now or shortly before.
    pub hops: Vec<HopView>,
    /// A drawn token stands for so many messages; 1 when every message is drawn.
    pub one_of: u64,
}

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
