//! Findings: what the run shows, each with the moment at which it was first seen. A sentence about a finding is shown
//! only when the run has it.

use super::ledger::{Ledger, Standing};
use super::record::{Cause, Kind, Record};
use crate::command::Command;
use crate::scenario::gauges::gauges;
use crate::scenario::links::trays;
use crate::scenario::{Kind as PartKind, Scenario};
use crate::sim::Timestamp;
use crate::world::GaugeBoard;

/// What can be found. The order is that of harm: later ones are worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// Repeats were recognised and skipped.
    Absorbed,
    /// A process died.
    Crashed,
    /// A member was taken for dead.
    Evicted,
    /// A group stood still to share out its partitions.
    Rebalanced,
    /// Partitions changed hands.
    Moved,
    /// A worker stopped calling for a while.
    BreakerOpen,
    /// A follower was no longer in sync.
    OutOfSync,
    /// Another replica took over.
    Elected,
    /// Nobody led a partition.
    Leaderless,
    /// A message became visible again without an acknowledgement.
    Redelivered,
    /// An acknowledgement did not arrive.
    AckLost,
    /// An acknowledgement came with an old receipt.
    StaleReceipt,
    /// A commit was refused.
    CommitRefused,
    /// Nobody confirmed a publish.
    ProduceErrors,
    /// The offsets of an idle group are gone.
    OffsetsExpired,
    /// A group has nowhere to go on from.
    NoOffset,
    /// A transaction has been open for long.
    OpenTransaction,
    /// A log refused writes.
    WriteRefused,
    /// A new leader did not have everything that the one before had.
    Overwritten,
    /// An exchange let a message go that no binding takes.
    Unroutable,
    /// Work on messages failed.
    WorkFails,
    /// A message can never be processed.
    Poisoned,
    /// The oldest outbox row is old.
    OutboxGrows,
    /// A replication slot keeps much of the write-ahead log.
    SlotGrows,
    /// The oldest message is old.
    BacklogGrows,
    /// A worker is behind.
    LagGrows,
    /// Calls wait in line.
    LineGrows,
    /// Answers take long.
    SlowAnswers,
    /// Messages lie among the dead letters.
    DeadLetters,
    /// An effect overtook an earlier one of the same key.
    OutOfOrder,
    /// Promises were not kept in time.
    Late,
    /// Users were told no.
    Refused,
    /// An effect will never take place.
    Lost,
    /// An effect took place twice.
    Twice,
}

/// One finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// When it was first seen.
    pub at_us: Timestamp,
    /// What.
    pub kind: FindingKind,
    /// Index of the part.
    pub part: u16,
    /// How often, or the highest value of its gauge.
    pub count: u64,
    /// For an effect: its number. For a failure: its [`Cause`].
    pub detail: u64,
}

/// A fault as a span of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSpan {
    /// Index of the part.
    pub part: u16,
    /// What was done: `down`, `40x slow`.
    pub what: String,
    /// When it began.
    pub from_us: Timestamp,
    /// When it ended; the same moment for what has no length, none while it lasts.
    pub to_us: Option<Timestamp>,
}

/// A gauge that is a finding when it is above a value.
#[derive(Clone, Copy, Debug)]
struct Watch {
    part: u16,
    gauge: usize,
    above: u64,
    kind: FindingKind,
}

/// All findings and faults of a run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    found: Vec<Finding>,
    spans: Vec<FaultSpan>,
    watches: Vec<Watch>,
}

/// The most faults that are kept as spans.
const MOST_SPANS: usize = 256;

impl Findings {
    /// No findings yet, for a scenario.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let mut watches = Vec::new();
        let trays = trays(&scenario.parts);
        for (part, (id, spec)) in (0_u16..).zip(&scenario.parts) {
            let mut watch = |name: &str, above: u64, kind: FindingKind| {
                if let Some(gauge) = gauges(&spec.kind).iter().position(|gauge| gauge.name == name) {
                    watches.push(Watch { part, gauge, above, kind });
                }
            };
            match spec.kind {
                PartKind::Database(_) => {
                    watch("outbox_oldest_us", 1_000_000, FindingKind::OutboxGrows);
                    watch("slot_bytes", 1_000_000_000, FindingKind::SlotGrows);
                }
                PartKind::Worker(_) => watch("lag_us", 5_000_000, FindingKind::LagGrows),
                PartKind::Dependency(_) => watch("waiting", 20, FindingKind::LineGrows),
                PartKind::Log(_) => watch("transaction_us", 10_000_000, FindingKind::OpenTransaction),
                PartKind::Service(_) => watch("p99_us", 1_000_000, FindingKind::SlowAnswers),
                PartKind::Queue(_) if !trays.contains(&id.as_str()) => watch("oldest_us", 10_000_000, FindingKind::BacklogGrows),
                // Dead letters grow old because nobody looks, not because too many come.
                PartKind::Queue(_) | PartKind::Producer(_) | PartKind::Relay(_) | PartKind::Exchange(_) => {}
            }
        }
        Self { found: Vec::new(), spans: Vec::new(), watches }
    }

    /// What was found, in the order in which it was first seen.
    #[must_use]
    pub fn found(&self) -> &[Finding] {
        &self.found
    }

    /// The faults, in order of their beginning.
    #[must_use]
    pub fn spans(&self) -> &[FaultSpan] {
        &self.spans
    }

    fn find(&mut self, at_us: Timestamp, kind: FindingKind, part: u16, detail: u64) {
        match self.found.iter_mut().find(|found| found.kind == kind && found.part == part) {
            Some(found) => found.count += 1,
            None => self.found.push(Finding { at_us, kind, part, count: 1, detail }),
        }
    }

    /// Takes in one record, after the ledger has.
    #[inline]
    pub fn apply(&mut self, record: &Record, ledger: &Ledger) {
        let effect = record.effects.trailing_zeros() as usize;
        let kind = match record.kind {
            Kind::Effect => {
                let (twice, overtaken) = ledger.is_repeated_or_overtaken(record.fact, effect);
                if overtaken && !twice {
                    self.find(record.at_us, FindingKind::OutOfOrder, record.part, effect as u64);
                }
                if !twice {
                    return;
                }
                FindingKind::Twice
            }
            Kind::GaveUp
            | Kind::RowPassedOver
            | Kind::Expired
            | Kind::ExpiredUnread
            | Kind::ExpiredDead
            | Kind::Dropped
            | Kind::DroppedHeld
            | Kind::Aborted
            | Kind::PassedUnread
            | Kind::CompactedUnread
            | Kind::Overwritten => {
                if record.kind == Kind::Overwritten {
                    self.find(record.at_us, FindingKind::Overwritten, record.part, 0);
                }
                let lost = |effect: usize| matches!(ledger.standing(record.fact, effect), Standing::Lost(_));
                let refused = record.kind == Kind::GaveUp && record.extra == Cause::Refused as u64;
                match (0..8).filter(|effect| record.effects & (1 << effect) != 0).find(|effect| lost(*effect)) {
                    Some(effect) if !refused => return self.find(record.at_us, FindingKind::Lost, record.part, effect as u64),
                    _ => return,
                }
            }
            Kind::Refused => FindingKind::Refused,
            Kind::PublishFailed => FindingKind::ProduceErrors,
            Kind::Unroutable => FindingKind::Unroutable,
            // It stays as a dead letter, and nobody gets it.
            Kind::Returned if [Cause::Rejected, Cause::TooOften].contains(&Cause::from_number(record.extra)) => return,
            Kind::TimedOut | Kind::Returned => FindingKind::Redelivered,
            Kind::AckLost => FindingKind::AckLost,
            Kind::StaleReceipt => FindingKind::StaleReceipt,
            Kind::CommitRefused => FindingKind::CommitRefused,
            Kind::WorkFailed if record.extra & 0xff == Cause::Poison as u64 => FindingKind::Poisoned,
            Kind::WorkFailed => FindingKind::WorkFails,
            Kind::Skipped | Kind::Deduplicated => FindingKind::Absorbed,
            Kind::WriteRefused => FindingKind::WriteRefused,
            Kind::OffsetsExpired => FindingKind::OffsetsExpired,
            Kind::NoOffset => FindingKind::NoOffset,
            Kind::LeaderElected => FindingKind::Elected,
            Kind::LeaderLost => FindingKind::Leaderless,
            Kind::OutOfSync => FindingKind::OutOfSync,
            Kind::Buried => FindingKind::DeadLetters,
            Kind::Crashed => {
                self.span(record.part, "crashed".into(), record.at_us, Some(record.at_us));
                FindingKind::Crashed
            }
            Kind::Evicted => FindingKind::Evicted,
            Kind::RebalanceBegan => FindingKind::Rebalanced,
            Kind::PartitionRevoked | Kind::PartitionLost => FindingKind::Moved,
            Kind::BreakerOpened => FindingKind::BreakerOpen,
            Kind::Born
            | Kind::Asked
            | Kind::Answered
            | Kind::Held
            | Kind::Released
            | Kind::Wrote
            | Kind::RowAdded
            | Kind::RowSent
            | Kind::RowFound
            | Kind::Stored
            | Kind::StoredDelayed
            | Kind::Ripened
            | Kind::Appended
            | Kind::Received
            | Kind::Extended
            | Kind::Acked
            | Kind::AckedLate
            | Kind::Read
            | Kind::Passed
            | Kind::Rewound
            | Kind::Waits
            | Kind::LeftQueue
            | Kind::LeftHands
            | Kind::NotRouted
            | Kind::Redriven
            | Kind::Restarted
            | Kind::Commanded
            | Kind::RebalanceEnded
            | Kind::InSync
            | Kind::PartitionAssigned
            | Kind::TransactionEnded
            | Kind::FetchedRemote
            | Kind::NameTaken
            | Kind::BreakerClosed => return,
        };
        let detail = if kind == FindingKind::Twice { effect as u64 } else { record.extra & 0xff };
        self.find(record.at_us, kind, record.part, detail);
    }

    /// Looks at the gauges of a sample, and at promises that have run out.
    pub fn sampled(&mut self, now_us: Timestamp, board: &GaugeBoard, ledger: &Ledger) {
        for index in 0..self.watches.len() {
            let watch = self.watches[index];
            let value = board.newest(watch.part, watch.gauge);
            if value <= watch.above {
                continue;
            }
            match self.found.iter_mut().find(|found| found.kind == watch.kind && found.part == watch.part) {
                Some(found) => found.count = found.count.max(value),
                None => self.found.push(Finding { at_us: now_us, kind: watch.kind, part: watch.part, count: value, detail: 0 }),
            }
        }
        for effect in 0..ledger.effects.len() {
            let late = ledger.counts(effect).late;
            if late == 0 {
                continue;
            }
            // Late effects are found at no part in particular: the effect's number stands for it.
            match self.found.iter_mut().find(|found| found.kind == FindingKind::Late && found.detail == effect as u64) {
                Some(found) => found.count = late,
                None => self.found.push(Finding {
                    at_us: now_us,
                    kind: FindingKind::Late,
                    part: ledger.effects[effect].part,
                    count: late,
                    detail: effect as u64,
                }),
            }
        }
    }

    fn span(&mut self, part: u16, what: String, from_us: Timestamp, to_us: Option<Timestamp>) {
        if self.spans.len() < MOST_SPANS {
            self.spans.push(FaultSpan { part, what, from_us, to_us });
        }
    }

    /// Takes in a command as what it is: the beginning of a fault, its end, or neither.
    pub fn commanded(&mut self, now_us: Timestamp, part: u16, command: &Command) {
        match command {
            Command::Break(_) => self.span(part, "down".into(), now_us, None),
            Command::Slow(_, milli) => self.span(part, format!("{}x slow", milli / 1_000), now_us, None),
            Command::Fail(_, share) => self.span(part, format!("{share} failing"), now_us, None),
            Command::Cut(_, other) => self.span(part, format!("cut from {other}"), now_us, None),
            Command::Pause(_) => self.span(part, "paused".into(), now_us, None),
            Command::Burst(_, milli, span) => {
                self.span(part, format!("{}x burst", milli / 1_000), now_us, Some(now_us + span.0));
            }
            Command::LoseAcks(_, count) => self.span(part, format!("loses {count} acks"), now_us, Some(now_us)),
            Command::Poison(_) => self.span(part, "poison".into(), now_us, Some(now_us)),
            Command::Deploy(_) => self.span(part, "deploy".into(), now_us, Some(now_us)),
            Command::Mend(_) | Command::Resume(_) => {
                // A cut line is mended from either end.
                let cut = ["cut from ", command.part()].concat();
                let ends = |span: &&mut FaultSpan| (span.part == part || span.what == cut) && span.to_us.is_none();
                let only_pause = matches!(command, Command::Resume(_));
                for span in self.spans.iter_mut().filter(ends) {
                    if !only_pause || span.what == "paused" {
                        span.to_us = Some(now_us);
                    }
                }
            }
            // A planned crash is a fault when it happens, not when it is planned.
            Command::Crash(..) | Command::Scale(..) | Command::Redrive(_) | Command::Rewind(..) | Command::Set { .. } => {}
        }
    }

    /// The beginning of the fault that an alert at this moment is put down to: the oldest that lasts, else the newest.
    #[must_use]
    pub fn cause_of(&self, now_us: Timestamp) -> Option<Timestamp> {
        let lasting = self.spans.iter().filter(|span| span.to_us.is_none_or(|to| to > now_us)).map(|span| span.from_us).min();
        lasting.or_else(|| self.spans.iter().map(|span| span.from_us).max())
    }
}
