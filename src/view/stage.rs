//! What the stage draws: parts with what they hold, the links between them, and messages on their way.

use crate::scenario::choices::Role;
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
    /// Compacted away: no message any more, only a place in a log.
    Gone,
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

/// What a publisher gathers for a log before it sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatherView {
    /// Records gathered and not sent.
    pub records: u64,
    /// The oldest record of the batch that goes first, until it goes; none while nothing is gathered.
    pub first: Option<WaitingToken>,
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
    /// A group reads here that asks for the nearest.
    pub read: bool,
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
        /// Where what no binding takes goes; none where it is gone.
        alternate: Option<String>,
        /// Messages that nothing took.
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
    /// What it gathers, where it publishes to a log with a linger.
    pub gathers: Option<GatherView>,
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
