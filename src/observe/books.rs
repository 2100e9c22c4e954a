//! The books: where every copy of a message is. Kept from the trace alone and compared with the parts' own counts after
//! every event in debug builds and in tests.

use super::record::{Kind, Record};

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

/// Where copies come from and where they end, beside the places: the outside of the books.
const MADE: usize = 8;
const ENDED: usize = 9;
const COLUMNS: usize = 10;

/// Counts by part and place, in double entry: every move takes a copy out of one column and puts it into another.
#[derive(Clone, Debug, Default)]
pub struct Books {
    /// `[part][column]`. Signed: the column of those made counts down, and a wrong move shows as a negative count.
    counts: Vec<[i64; COLUMNS]>,
}

/// From which column to which a record moves a copy; none for a record that moves nothing.
#[inline]
const fn entry(kind: Kind) -> Option<(usize, usize)> {
    const MEMORY: usize = Place::Memory as usize;
    const OUTBOX: usize = Place::Outbox as usize;
    const DELAYED: usize = Place::Delayed as usize;
    const READY: usize = Place::Ready as usize;
    const HIDDEN: usize = Place::Hidden as usize;
    const TRAY: usize = Place::Tray as usize;
    const UNREAD: usize = Place::Unread as usize;
    const PASSED_OVER: usize = Place::PassedOver as usize;
    match kind {
        Kind::Held => Some((MADE, MEMORY)),
        Kind::Released | Kind::GaveUp => Some((MEMORY, ENDED)),
        Kind::RowAdded => Some((MADE, OUTBOX)),
        Kind::RowSent => Some((OUTBOX, ENDED)),
        Kind::RowPassedOver => Some((OUTBOX, PASSED_OVER)),
        Kind::RowFound => Some((PASSED_OVER, OUTBOX)),
        Kind::Stored => Some((MADE, READY)),
        Kind::StoredDelayed => Some((MADE, DELAYED)),
        Kind::Ripened => Some((DELAYED, READY)),
        Kind::Appended | Kind::Rewound => Some((MADE, UNREAD)),
        Kind::Received => Some((READY, HIDDEN)),
        Kind::TimedOut | Kind::Returned => Some((HIDDEN, READY)),
        Kind::Acked | Kind::LeftHands | Kind::DroppedHeld => Some((HIDDEN, ENDED)),
        Kind::AckedLate | Kind::LeftQueue | Kind::Expired | Kind::Dropped => Some((READY, ENDED)),
        Kind::Passed | Kind::ExpiredUnread | Kind::Overwritten | Kind::Aborted | Kind::PassedUnread => Some((UNREAD, ENDED)),
        Kind::Buried => Some((MADE, TRAY)),
        Kind::Redriven | Kind::ExpiredDead => Some((TRAY, ENDED)),
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
        | Kind::NoOffset => None,
    }
}

impl Books {
    /// Empty books for so many parts.
    #[must_use]
    pub fn new(parts: u16) -> Self {
        Self { counts: vec![[0; COLUMNS]; usize::from(parts)] }
    }

    /// Takes in one record.
    #[inline]
    pub fn apply(&mut self, record: &Record) {
        let Some((from, to)) = entry(record.kind) else { return };
        // A record of a log is unread once a group.
        let copies = if record.kind == Kind::Appended { i64::from(record.effects.count_ones()) } else { 1 };
        let counts = &mut self.counts[usize::from(record.part)];
        counts[from] -= copies;
        counts[to] += copies;
    }

    /// How many copies are at a place of a part.
    #[must_use]
    pub fn count(&self, part: u16, place: Place) -> i64 {
        self.counts[usize::from(part)][place as usize]
    }

    /// How many copies are at a place, over all parts.
    #[must_use]
    pub fn total(&self, place: Place) -> i64 {
        self.column(place as usize)
    }

    /// Copies ever made.
    #[must_use]
    pub fn made(&self) -> i64 {
        -self.column(MADE)
    }

    /// Copies that ended: acknowledged, handed on, passed, expired, given up.
    #[must_use]
    pub fn ended(&self) -> i64 {
        self.column(ENDED)
    }

    fn column(&self, column: usize) -> i64 {
        self.counts.iter().map(|counts| counts[column]).sum()
    }

    /// True when every copy ever made is in exactly one place or has ended, and no place holds fewer than none.
    #[must_use]
    pub fn balance(&self) -> bool {
        let none_below = self.counts.iter().all(|counts| counts[..MADE].iter().all(|count| *count >= 0));
        none_below && (0..COLUMNS).map(|column| self.column(column)).sum::<i64>() == 0
    }
}
