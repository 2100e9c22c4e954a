//! The trace in words: one line a record, with the names of the scenario. Written for reading aloud.

use super::findings::{Finding, FindingKind};
use super::record::{Cause, Kind, NO_FACT, Record, unpack_place, unpack_receive};
use crate::scenario::Scenario;
use crate::scenario::gauges::Unit;
use crate::sim::time::{grouped, spoken};
use crate::view::Level;
use crate::world::World;

/// The name of a process of a worker: `A`, `B`, … `Z`, `27`.
#[must_use]
pub fn process_name(process: u16) -> String {
    match u8::try_from(process) {
        Ok(number) if number < 26 => char::from(b'A' + number).to_string(),
        _ => (process + 1).to_string(),
    }
}

/// Names of parts, effects and facts of a world.
#[derive(Clone, Copy)]
pub struct Names<'w> {
    world: &'w World,
}

impl<'w> Names<'w> {
    /// The names of this world.
    #[must_use]
    pub fn new(world: &'w World) -> Self {
        Self { world }
    }

    fn scenario(&self) -> &'w Scenario {
        self.world.scenario()
    }

    /// The title of a part.
    #[must_use]
    pub fn part(&self, part: u16) -> &'w str {
        self.scenario().parts.get_index(usize::from(part)).map_or("?", |(_, spec)| spec.title.as_str())
    }

    /// The name of an effect.
    #[must_use]
    pub fn effect(&self, effect: usize) -> &'w str {
        self.world.observer.ledger.effects.get(effect).map_or("?", |info| info.name.as_str())
    }

    /// The id of a fact: the listed one, or prefix and number.
    #[must_use]
    pub fn fact(&self, fact: u32) -> String {
        self.world.fact_name(fact)
    }

    fn worker_process(&self, worker: u16, process: u16) -> String {
        let Some(worker) = self.world.workers.get(usize::from(worker)) else { return "?".into() };
        let title = self.part(worker.part);
        if worker.processes.len() == 1 { title.to_owned() } else { format!("{title} {}", process_name(process)) }
    }

    fn process_of(&self, part: u16, process: u64) -> String {
        let process = u16::try_from(process).unwrap_or(0);
        match self.world.workers.iter().position(|worker| worker.part == part) {
            Some(worker) => self.worker_process(worker as u16, process),
            None if self.world.logs.iter().any(|log| log.part == part) => format!("{}: broker {}", self.part(part), process + 1),
            None => self.part(part).to_owned(),
        }
    }

    /// What a record says, without its time, its part and its fact named.
    #[must_use]
    pub fn line(&self, record: &Record) -> String {
        let part = self.part(record.part);
        let cause = Cause::from_number(record.extra & 0xff).words();
        let reader = |does: &str| {
            let (partition, process) = unpack_place(record.extra);
            format!("{} {does} partition {partition}", self.process_of(record.part, process))
        };
        let place = |does: &str| {
            let (partition, broker) = unpack_place(record.extra);
            format!("broker {} {does}, partition {partition}", broker + 1)
        };
        let effect = self.effect(record.effects.trailing_zeros() as usize);
        match record.kind {
            Kind::Born => format!("comes at {part}"),
            Kind::Asked => format!("asks {part}"),
            Kind::Answered => format!("{part} says yes, after {}", spoken(record.extra)),
            Kind::Refused => format!("{part} says no: {cause}"),
            Kind::Held => format!("is in the memory of {part}"),
            Kind::Released => format!("{part} is done with it"),
            Kind::GaveUp => format!("{part} no longer has it: {cause}"),
            Kind::Wrote => format!("{part}: order row committed"),
            Kind::RowAdded => format!("{part}: outbox row committed with it"),
            Kind::RowSent => format!("{part}: outbox row marked as sent"),
            Kind::RowPassedOver => format!("{part}: no relay will read its outbox row: {cause}"),
            Kind::RowFound => format!("{part}: its outbox row is found by its missing mark"),
            Kind::Stored => format!("{part}: stored"),
            Kind::StoredDelayed => format!("{part}: stored, visible in {}", spoken(record.extra)),
            Kind::Ripened => format!("{part}: its delay is over"),
            Kind::Appended => {
                let (partition, offset) = unpack_place(record.extra);
                format!("{part}: appended to p{partition} at offset {offset}")
            }
            Kind::PublishFailed => format!("{part}: publish {} got no confirmation", record.extra),
            Kind::Received => {
                let (worker, process, receives) = unpack_receive(record.extra);
                let who = self.worker_process(worker, process);
                if receives > 1 { format!("{who} receives it again, receive {receives}") } else { format!("{who} receives it") }
            }
            Kind::TimedOut => format!("{part}: visibility timeout over, visible again"),
            Kind::Extended => format!("{part}: visibility timeout extended by {}", spoken(record.extra)),
            Kind::Acked => format!("{part}: acknowledged and deleted"),
            Kind::AckedLate => format!("{part}: acknowledged after its timeout, deleted all the same"),
            Kind::StaleReceipt => format!("{part}: acknowledgement refused, its receipt is stale"),
            Kind::AckLost => format!("{part}: an acknowledgement is lost on the way"),
            Kind::Read => {
                let (partition, offset) = unpack_place(record.extra);
                format!("{part}: {effect} reads p{partition} offset {offset}")
            }
            Kind::Passed => format!("{part}: {effect} has committed past it"),
            Kind::Rewound => format!("{part}: {effect} is set back before it"),
            Kind::CommitRefused => {
                format!("{}: commit refused, it is no longer a member", self.process_of(record.part, record.extra))
            }
            Kind::WorkFailed => format!("{part}: try {} failed: {cause}", record.extra >> 8),
            Kind::Waits => format!("{part} waits {} before the next try", spoken(record.extra)),
            Kind::Effect => format!("{part}: {effect} takes effect"),
            Kind::Skipped => format!("{part}: {effect} recognised as a repeat and skipped"),
            Kind::Buried => format!("goes to the dead letters in {part}"),
            Kind::LeftQueue => format!("{part} lets go of it"),
            Kind::Redriven => format!("{part}: taken out to be delivered again"),
            Kind::Expired | Kind::ExpiredDead => format!("{part}: dropped, older than the retention"),
            Kind::ExpiredUnread => format!("{part}: dropped by retention before {effect} had read it"),
            Kind::Crashed => format!("{} crashes", self.process_of(record.part, record.extra)),
            Kind::Restarted => format!("{} is back", self.process_of(record.part, record.extra)),
            Kind::Commanded => format!("{part}: something is done to it"),
            Kind::RebalanceBegan => format!("{part}: the group stands still to share out its partitions"),
            Kind::RebalanceEnded => format!("{part}: the group reads on, generation {}", record.extra),
            Kind::Evicted => format!("{} is taken for dead", self.process_of(record.part, record.extra)),
            Kind::NameTaken => {
                format!("{} is refused: who had its name has not left the group", self.process_of(record.part, record.extra))
            }
            Kind::BreakerOpened => format!("{part}: circuit breaker open for {}", spoken(record.extra)),
            Kind::BreakerClosed => format!("{part}: circuit breaker closed"),
            Kind::Returned if [Cause::Rejected, Cause::TooOften].contains(&Cause::from_number(record.extra)) => {
                format!("{part}: a dead letter that stays until its queue has confirmed it")
            }
            Kind::Returned => format!("{part}: back in the queue, {cause}"),
            Kind::LeftHands => format!("{part} takes it out of the consumer's hands"),
            Kind::DroppedHeld if record.extra & 0xff == Cause::Retention as u64 => {
                format!("{part}: dropped, older than the retention")
            }
            Kind::Dropped | Kind::DroppedHeld => format!("{part}: dropped, {cause}"),
            Kind::TransactionEnded => {
                let (partition, committed) = unpack_place(record.extra);
                let how = if committed == 1 { "committed" } else { "aborted" };
                format!("{part}: transaction {how}, partition {partition}")
            }
            Kind::Aborted => format!("{part}: gone for {effect}, {}", Cause::Aborted.words()),
            Kind::CompactedUnread => format!("{part}: gone for {effect}, {}", Cause::Compacted.words()),
            Kind::FetchedRemote => {
                let (partition, offset) = unpack_place(record.extra);
                format!("{part}: partition {partition} is read from remote storage at offset {offset}")
            }
            Kind::PassedUnread => format!("{part}: {effect} begins behind it"),
            Kind::OffsetsExpired => format!("{part}: the offsets of the idle group are gone"),
            Kind::NoOffset => format!("{part}: no offset to go on from, it stops"),
            Kind::PartitionAssigned => reader("reads"),
            Kind::PartitionRevoked => reader("gives up"),
            Kind::PartitionLost => reader("has lost"),
            Kind::WriteRefused => format!("{part} refuses to store it: {cause}"),
            Kind::Overwritten => format!("{part}: gone for {effect}, {}", Cause::LeaderDied.words()),
            Kind::LeaderElected => format!("{part}: {}", place("leads")),
            Kind::LeaderLost => format!("{part}: partition {} has no leader", unpack_place(record.extra).0),
            Kind::OutOfSync => format!("{part}: {}", place("is out of sync")),
            Kind::InSync => format!("{part}: {}", place("is in sync again")),
            Kind::Unroutable if record.extra == 0 => format!("{part}: no binding takes it; confirmed and gone"),
            Kind::Unroutable => format!("{part}: no binding takes it; given back"),
            Kind::NotRouted => format!("{part}: not for every queue"),
            Kind::Deduplicated => format!("{part}: recognised as a repeat, confirmed and not stored"),
        }
    }

    /// A record as a whole sentence: its fact first, where it has one.
    #[must_use]
    pub fn sentence(&self, record: &Record) -> String {
        let line = match record.kind {
            Kind::Commanded => self.world.command_at(record).unwrap_or_else(|| self.line(record)),
            _ => self.line(record),
        };
        if record.fact == NO_FACT { line } else { format!("{} {}", self.fact(record.fact), joined(&line)) }
    }

    /// A finding in a few words.
    #[must_use]
    pub fn finding(&self, finding: &Finding) -> String {
        let part = self.part(finding.part);
        let effect = self.effect(finding.detail as usize);
        let cause = Cause::from_number(finding.detail).words();
        let count = grouped(finding.count);
        let of = |what: &str| [count.as_str(), " ", what, if finding.count == 1 { "" } else { "s" }].concat();
        match finding.kind {
            FindingKind::Absorbed => format!("{part}: {} recognised and skipped", of("repeat")),
            FindingKind::Crashed => format!("{part}: a process died"),
            FindingKind::Evicted => format!("{part}: a member is taken for dead"),
            FindingKind::Rebalanced => format!("{part}: the group stands still and shares out its partitions"),
            FindingKind::OffsetsExpired => format!("{part}: its offsets are gone"),
            FindingKind::NoOffset => format!("{part}: no offset to go on from"),
            FindingKind::OpenTransaction => format!("{part}: a transaction open for up to {}", spoken(finding.count)),
            FindingKind::Moved => format!("{part}: partitions given up or lost, {}", of("time")),
            FindingKind::OutOfSync => format!("{part}: followers out of sync, {}", of("time")),
            FindingKind::Elected => format!("{part}: {} got another leader", of("partition")),
            FindingKind::Leaderless => format!("{part}: a partition has no leader"),
            FindingKind::WriteRefused => format!("{part}: {} refused, {cause}", of("write")),
            FindingKind::Overwritten => format!("{part}: {} gone with their leader", of("record")),
            FindingKind::BreakerOpen => format!("{part}: circuit breaker open"),
            FindingKind::Redelivered => format!("{part}: visible again without an ack, {}", of("time")),
            FindingKind::AckLost => format!("{part}: {} lost", of("acknowledgement")),
            FindingKind::StaleReceipt => format!("{part}: {} refused, stale receipt", of("ack")),
            FindingKind::CommitRefused => format!("{part}: {} refused", of("commit")),
            FindingKind::ProduceErrors => format!("{part}: no broker answers"),
            FindingKind::Unroutable if finding.count == 1 => format!("{part}: 1 message fits no binding"),
            FindingKind::Unroutable => format!("{part}: {count} messages fit no binding"),
            FindingKind::WorkFails => format!("{part}: work fails: {cause}"),
            FindingKind::Poisoned => format!("{part}: a message can never be processed"),
            FindingKind::SlotGrows => format!("{part}: its slot keeps up to {}", Unit::Bytes.spoken(finding.count)),
            FindingKind::OutboxGrows => format!("{part}: outbox not drained, oldest row up to {}", spoken(finding.count)),
            FindingKind::BacklogGrows => format!("{part}: oldest message up to {}", spoken(finding.count)),
            FindingKind::LagGrows => format!("{part}: up to {} behind", spoken(finding.count)),
            FindingKind::LineGrows => format!("{part}: up to {} in line", of("call")),
            FindingKind::SlowAnswers => format!("{part}: p99 up to {}", spoken(finding.count)),
            FindingKind::DeadLetters => format!("{part}: {}", of("dead letter")),
            FindingKind::OutOfOrder => format!("{part}: {} out of order", of("effect")),
            FindingKind::Late => format!("{effect}: {count} late"),
            FindingKind::Refused => format!("{part}: {} told no", of("user")),
            FindingKind::Lost => format!("{part}: {effect} lost, {}", of("time")),
            FindingKind::Twice => format!("{part}: {effect} took effect twice, {}", of("time")),
        }
    }
}

/// Puts a comma between a fact's id and a line that names a part first.
fn joined(line: &str) -> String {
    let verbs = ["comes ", "asks ", "is ", "goes "];
    if verbs.iter().any(|verb| line.starts_with(verb)) { line.to_owned() } else { format!("· {line}") }
}

impl FindingKind {
    /// Why it happens, in a sentence that holds wherever the finding does.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::Absorbed => "A repeat came and its id was known: the effect did not happen again.",
            Self::Crashed => "What was in its hands is not acknowledged; what was only in its memory is gone.",
            Self::Evicted => "It was silent for longer than its session, or took longer for a batch than the poll interval.",
            Self::Rebalanced => "When members come or go everyone stops until the partitions are shared out anew.",
            Self::OffsetsExpired => "A group without members keeps its offsets for a time only; then it begins as a new one.",
            Self::NoOffset => "It is set to stop rather than to guess: someone has to say where it goes on.",
            Self::OpenTransaction => "Who reads committed records stops at it, even for records that are in no transaction.",
            Self::Moved => "Members came or went. How many partitions stand still for it depends on the group's protocol.",
            Self::OutOfSync => {
                "It was not level with the leader for too long: writes no longer wait for it, and it may not lead."
            }
            Self::Elected => "Its leader was gone for longer than the cluster waits: an in-sync replica leads now.",
            Self::Leaderless => "No replica that is in sync is left: nobody can write to it or read it.",
            Self::WriteRefused => "A write that could be lost is refused: the publisher keeps the record and tries again.",
            Self::Overwritten => "The leader had confirmed them alone; the replica that leads now gives their offsets to others.",
            Self::BreakerOpen => "So many calls failed in a row that it stops calling for a while and spares the dependency.",
            Self::Redelivered => {
                "The broker cannot tell done from never done: without an ack in time it hands the message out again."
            }
            Self::AckLost => "The work was done and the broker does not know it.",
            Self::StaleReceipt => "The message was already given to someone else: the timeout is shorter than the work.",
            Self::CommitRefused => "The member had lost its partitions: whoever has them now does the batch again.",
            Self::ProduceErrors => "Without a confirmation the publisher must keep the message and try again.",
            Self::Unroutable => {
                "The exchange confirms what no binding takes and lets it go: only a mandatory publish or an alternate exchange shows it."
            }
            Self::WorkFails => "A failure is tried again; whether that helps depends on its cause.",
            Self::Poisoned => "Trying again cannot help: it fails the same way each time.",
            Self::SlotGrows => "The log is kept until the slot's reader has confirmed it, whatever tables it is about.",
            Self::OutboxGrows => "Orders are kept with their events; the events wait until someone can publish them.",
            Self::BacklogGrows => "More comes in than is worked off.",
            Self::LagGrows => "More comes in than is worked off. A growing lag is no error: only an alert on it shows.",
            Self::LineGrows => "It takes only so many calls at once; the others wait in line.",
            Self::SlowAnswers => "An answer takes as long as the slowest thing it waits for.",
            Self::DeadLetters => "They are kept, and nobody gets them until a person looks.",
            Self::OutOfOrder => "A later event of the same key was worked off first.",
            Self::Late => "It came, or will come, after the time that users were promised.",
            Self::Refused => "The answer depended on something that was not there.",
            Self::Lost => "No copy is left that could still lead to it.",
            Self::Twice => "It was delivered again after it had already taken effect, and nothing recognised the repeat.",
        }
    }

    /// How it is to be read. Bad only for harm to a user or a loss.
    #[must_use]
    pub fn level(self) -> Level {
        match self {
            Self::Absorbed => Level::Good,
            Self::Rebalanced | Self::BreakerOpen | Self::Evicted | Self::Elected | Self::Moved => Level::Quiet,
            Self::Crashed
            | Self::OutOfSync
            | Self::Leaderless
            | Self::WriteRefused
            | Self::OffsetsExpired
            | Self::NoOffset
            | Self::OpenTransaction
            | Self::Overwritten
            | Self::Redelivered
            | Self::AckLost
            | Self::StaleReceipt
            | Self::CommitRefused
            | Self::ProduceErrors
            | Self::Unroutable
            | Self::WorkFails
            | Self::Poisoned
            | Self::OutboxGrows
            | Self::SlotGrows
            | Self::BacklogGrows
            | Self::LagGrows
            | Self::LineGrows
            | Self::SlowAnswers
            | Self::DeadLetters
            | Self::OutOfOrder => Level::Warn,
            Self::Late | Self::Refused | Self::Lost | Self::Twice => Level::Bad,
        }
    }
}

/// How a record is to be read.
#[must_use]
pub fn record_level(record: &Record) -> Level {
    match record.kind {
        Kind::Effect | Kind::Answered | Kind::Acked | Kind::Passed | Kind::Skipped | Kind::Restarted => Level::Good,
        Kind::Refused
        | Kind::GaveUp
        | Kind::Expired
        | Kind::ExpiredUnread
        | Kind::ExpiredDead
        | Kind::Dropped
        | Kind::DroppedHeld
        | Kind::RowPassedOver
        | Kind::Overwritten
        | Kind::Aborted
        | Kind::PassedUnread
        | Kind::CompactedUnread
        | Kind::NoOffset
        | Kind::LeaderLost
        | Kind::Crashed => Level::Bad,
        Kind::PublishFailed
        | Kind::Unroutable
        | Kind::TimedOut
        | Kind::Returned
        | Kind::WorkFailed
        | Kind::AckLost
        | Kind::StaleReceipt
        | Kind::CommitRefused
        | Kind::Buried
        | Kind::Waits
        | Kind::Evicted
        | Kind::NameTaken
        | Kind::BreakerOpened
        | Kind::WriteRefused
        | Kind::OutOfSync
        | Kind::OffsetsExpired
        | Kind::RebalanceBegan
        | Kind::Rewound => Level::Warn,
        Kind::Born
        | Kind::Asked
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
        | Kind::AckedLate
        | Kind::Read
        | Kind::LeftQueue
        | Kind::LeftHands
        | Kind::Deduplicated
        | Kind::NotRouted
        | Kind::Redriven
        | Kind::Commanded
        | Kind::RebalanceEnded
        | Kind::LeaderElected
        | Kind::InSync
        | Kind::PartitionAssigned
        | Kind::PartitionRevoked
        | Kind::PartitionLost
        | Kind::TransactionEnded
        | Kind::FetchedRemote
        | Kind::BreakerClosed => Level::Quiet,
    }
}
