//! The books: where every copy of a message is. Kept from the trace alone and compared with the parts' own counts after
//! every event in debug builds and in tests.

use super::ledger::MOST_EFFECTS;
use super::record::{Cause, Kind, Record};

/// The kinds of place where a copy can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In the memory of a process.
    Memory,
    /// In an outbox, not marked as sent.
    Outbox,
    /// In a queue, not yet visible.
    Delayed,
    /// In a queue, ready.
    Ready,
    /// In a queue, hidden: someone works on it.
    Hidden,
    /// Among the dead letters.
    Tray,
    /// In a log, before the committed offset of a group; once a group.
    Unread,
    /// In an outbox, and no relay will ever read it.
    PassedOver,
}

impl Place {
    /// All places.
    pub const ALL: [Self; 8] =
        [Self::Memory, Self::Outbox, Self::Delayed, Self::Ready, Self::Hidden, Self::Tray, Self::Unread, Self::PassedOver];

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Memory => "in a process's memory",
            Self::Outbox => "in the outbox",
            Self::Delayed => "delayed",
            Self::Ready => "ready",
            Self::Hidden => "hidden, being worked on",
            Self::Tray => "dead letters",
            Self::Unread => "unread in the log, a group",
            Self::PassedOver => "in the outbox, passed over by the relay",
        }
    }
}

/// How a copy may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The next part has a copy of its own.
    HandedOn,
    /// Acknowledged, and deleted by its queue.
    Acknowledged,
    /// A group has committed past it.
    Committed,
    /// Nobody has it any more, for a cause.
    Gone(Cause),
}

impl End {
    /// Its bit in what a fact knows of its copies; none for those that are gone, whose cause is with the effect.
    #[must_use]
    pub const fn bit(self) -> u8 {
        match self {
            Self::HandedOn => 1,
            Self::Acknowledged => 2,
            Self::Committed => 4,
            Self::Gone(_) => 0,
        }
    }
}

/// Where copies come from, beside the places: the outside of the books. After it a column for each end.
const MADE: usize = 8;
const HANDED_ON: usize = 9;
const ACKNOWLEDGED: usize = 10;
const COMMITTED: usize = 11;
const GONE: usize = 12;
const COLUMNS: usize = GONE + Cause::ALL.len();

/// What a part has, in double entry.
#[derive(Clone, Debug)]
struct Page {
    /// Signed: the column of those made counts down, and a wrong move shows as a negative count.
    counts: [i64; COLUMNS],
    /// Of those unread in a log: by effect.
    unread: [i64; MOST_EFFECTS],
    /// A bit for each column that ever had a copy.
    seen: u64,
}

/// Counts by part and place: every move takes a copy out of one column and puts it into another.
#[derive(Clone, Debug, Default)]
pub struct Books {
    pages: Vec<Page>,
}

/// From which column to which a record moves a copy; none for a record that moves nothing.
#[inline]
fn entry(record: &Record) -> Option<(usize, usize)> {
    const MEMORY: usize = Place::Memory as usize;
    const OUTBOX: usize = Place::Outbox as usize;
    const DELAYED: usize = Place::Delayed as usize;
    const READY: usize = Place::Ready as usize;
    const HIDDEN: usize = Place::Hidden as usize;
    const TRAY: usize = Place::Tray as usize;
    const UNREAD: usize = Place::Unread as usize;
    const PASSED_OVER: usize = Place::PassedOver as usize;
    let gone = || GONE + Cause::from_number(record.extra) as usize;
    match record.kind {
        Kind::Held => Some((MADE, MEMORY)),
        Kind::Released => Some((MEMORY, HANDED_ON)),
        Kind::GaveUp => Some((MEMORY, gone())),
        Kind::RowAdded => Some((MADE, OUTBOX)),
        Kind::RowSent => Some((OUTBOX, HANDED_ON)),
        Kind::RowPassedOver => Some((OUTBOX, PASSED_OVER)),
        Kind::RowFound => Some((PASSED_OVER, OUTBOX)),
        Kind::Stored => Some((MADE, READY)),
        Kind::StoredDelayed => Some((MADE, DELAYED)),
        Kind::Ripened => Some((DELAYED, READY)),
        Kind::Appended | Kind::Rewound => Some((MADE, UNREAD)),
        Kind::Received => Some((READY, HIDDEN)),
        Kind::TimedOut | Kind::Returned => Some((HIDDEN, READY)),
        Kind::Acked => Some((HIDDEN, ACKNOWLEDGED)),
        Kind::AckedLate => Some((READY, ACKNOWLEDGED)),
        Kind::LeftHands => Some((HIDDEN, HANDED_ON)),
        Kind::LeftQueue => Some((READY, HANDED_ON)),
        Kind::DroppedHeld => Some((HIDDEN, gone())),
        Kind::Dropped => Some((READY, gone())),
        Kind::Expired => Some((READY, GONE + Cause::Retention as usize)),
        Kind::Passed => Some((UNREAD, COMMITTED)),
        Kind::ExpiredUnread => Some((UNREAD, GONE + Cause::Retention as usize)),
        Kind::Overwritten => Some((UNREAD, GONE + Cause::LeaderDied as usize)),
        Kind::Aborted => Some((UNREAD, GONE + Cause::Aborted as usize)),
        Kind::PassedUnread => Some((UNREAD, GONE + Cause::BeganBehind as usize)),
        Kind::CompactedUnread => Some((UNREAD, GONE + Cause::Compacted as usize)),
        Kind::Buried => Some((MADE, TRAY)),
        Kind::Redriven => Some((TRAY, HANDED_ON)),
        Kind::ExpiredDead => Some((TRAY, GONE + Cause::Retention as usize)),
        Kind::Born
        | Kind::Asked
        | Kind::Answered
        | Kind::Refused
        | Kind::Wrote
        | Kind::PublishFailed
        | Kind::Extended
        | Kind::StaleReceipt
        | Kind::AckLost
        | Kind::Read
        | Kind::CommitRefused
        | Kind::WorkFailed
        | Kind::Waits
        | Kind::Effect
        | Kind::Skipped
        | Kind::Crashed
        | Kind::Restarted
        | Kind::Commanded
        | Kind::RebalanceBegan
        | Kind::RebalanceEnded
        | Kind::Evicted
        | Kind::NameTaken
        | Kind::BreakerOpened
        | Kind::BreakerClosed
        | Kind::Deduplicated
        | Kind::WriteRefused
        | Kind::LeaderElected
        | Kind::LeaderLost
        | Kind::OutOfSync
        | Kind::InSync
        | Kind::Unroutable
        | Kind::NotRouted
        | Kind::PartitionAssigned
        | Kind::PartitionRevoked
        | Kind::PartitionLost
        | Kind::TransactionEnded
        | Kind::OffsetsExpired
        | Kind::FetchedRemote
        | Kind::NoOffset => None,
    }
}

impl Books {
    /// Empty books for so many parts.
    #[must_use]
    pub fn new(parts: u16) -> Self {
        let page = Page { counts: [0; COLUMNS], unread: [0; MOST_EFFECTS], seen: 0 };
        Self { pages: vec![page; usize::from(parts)] }
    }

    /// Takes in one record.
    #[inline]
    pub fn apply(&mut self, record: &Record) {
        let Some((from, to)) = entry(record) else { return };
        let page = &mut self.pages[usize::from(record.part)];
        // A record of a log is unread once a group.
        let copies = if record.kind == Kind::Appended { i64::from(record.effects.count_ones()) } else { 1 };
        page.counts[from] -= copies;
        page.counts[to] += copies;
        page.seen |= 1 << to;
        let unread = Place::Unread as usize;
        if from == unread || to == unread {
            let by = if to == unread { 1 } else { -1 };
            let mut rest = record.effects;
            while rest != 0 {
                page.unread[rest.trailing_zeros() as usize] += by;
                rest &= rest - 1;
            }
        }
    }

    /// How many copies are at a place of a part.
    #[must_use]
    pub fn count(&self, part: u16, place: Place) -> i64 {
        self.pages[usize::from(part)].counts[place as usize]
    }

    /// How many records of a log a reader has not read, by the effect that it leads to.
    #[must_use]
    pub fn unread(&self, part: u16, effect: u8) -> i64 {
        self.pages[usize::from(part)].unread[usize::from(effect)]
    }

    /// Whether a copy ever was at a place of a part.
    #[must_use]
    pub fn has_been(&self, part: u16, place: Place) -> bool {
        self.pages[usize::from(part)].seen & 1 << place as u64 != 0
    }

    /// Copies ever made.
    #[must_use]
    pub fn made(&self) -> i64 {
        -self.column(MADE)
    }

    /// Copies that ended so, over all parts.
    #[must_use]
    pub fn ended(&self, end: End) -> i64 {
        self.column(match end {
            End::HandedOn => HANDED_ON,
            End::Acknowledged => ACKNOWLEDGED,
            End::Committed => COMMITTED,
            End::Gone(cause) => GONE + cause as usize,
        })
    }

    fn column(&self, column: usize) -> i64 {
        self.pages.iter().map(|page| page.counts[column]).sum()
    }

    /// True when every copy ever made is in exactly one place or has ended, and no place holds fewer than none.
    #[must_use]
    pub fn balance(&self) -> bool {
        let none_below = self.pages.iter().all(|page| page.counts[..MADE].iter().chain(&page.unread).all(|count| *count >= 0));
        none_below && self.pages.iter().map(|page| page.counts.iter().sum::<i64>()).sum::<i64>() == 0
    }
}
