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
}

impl Place {
    /// All places.
    pub const ALL: [Self; 7] = [Self::Memory, Self::Outbox, Self::Delayed, Self::Ready, Self::Hidden, Self::Tray, Self::Unread];

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
        }
    }
}

/// Counts by part and place.
#[derive(Clone, Debug, Default)]
pub struct Books {
    /// `[part][place]`. Signed, so that a wrong move shows as a negative count instead of wrapping.
    counts: Vec<[i64; 7]>,
    /// Copies ever made.
    pub made: u64,
    /// Copies that ended: acknowledged, handed on, passed, expired, given up.
    pub ended: u64,
}

impl Books {
    /// Empty books for so many parts.
    #[must_use]
    pub fn new(parts: u16) -> Self {
        Self { counts: vec![[0; 7]; usize::from(parts)], made: 0, ended: 0 }
    }

    #[inline]
    fn shift(&mut self, part: u16, place: Place, by: i64) {
        self.counts[usize::from(part)][place as usize] += by;
    }

    #[inline]
    fn arrive(&mut self, part: u16, place: Place, copies: u32) {
        self.shift(part, place, i64::from(copies));
        self.made += u64::from(copies);
    }

    #[inline]
    fn leave(&mut self, part: u16, place: Place) {
        self.shift(part, place, -1);
        self.ended += 1;
    }

    #[inline]
    fn go(&mut self, part: u16, from: Place, to: Place) {
        self.shift(part, from, -1);
        self.shift(part, to, 1);
    }

    /// Takes in one record.
    #[inline]
    pub fn apply(&mut self, record: &Record) {
        let part = record.part;
        match record.kind {
            Kind::Held => self.arrive(part, Place::Memory, 1),
            Kind::Released | Kind::GaveUp => self.leave(part, Place::Memory),
            Kind::RowAdded => self.arrive(part, Place::Outbox, 1),
            Kind::RowSent => self.leave(part, Place::Outbox),
            Kind::Stored => self.arrive(part, Place::Ready, 1),
            Kind::StoredDelayed => self.arrive(part, Place::Delayed, 1),
            Kind::Ripened => self.go(part, Place::Delayed, Place::Ready),
            Kind::Appended => self.arrive(part, Place::Unread, record.effects.count_ones()),
            Kind::Received => self.go(part, Place::Ready, Place::Hidden),
            Kind::TimedOut | Kind::Returned => self.go(part, Place::Hidden, Place::Ready),
            Kind::Acked => self.leave(part, Place::Hidden),
            Kind::AckedLate | Kind::LeftQueue | Kind::Expired => self.leave(part, Place::Ready),
            Kind::Passed | Kind::ExpiredUnread => self.leave(part, Place::Unread),
            Kind::Rewound => self.arrive(part, Place::Unread, 1),
            Kind::Buried => self.arrive(part, Place::Tray, 1),
            Kind::Redriven | Kind::ExpiredDead => self.leave(part, Place::Tray),
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
            | Kind::BreakerClosed => {}
        }
    }

    /// How many copies are at a place of a part.
    #[must_use]
    pub fn count(&self, part: u16, place: Place) -> i64 {
        self.counts[usize::from(part)][place as usize]
    }

    /// How many copies are at a place, over all parts.
    #[must_use]
    pub fn total(&self, place: Place) -> i64 {
        self.counts.iter().map(|counts| counts[place as usize]).sum()
    }

    /// True when every copy ever made is in exactly one place or has ended, and no place holds fewer than none.
    #[must_use]
    pub fn balance(&self) -> bool {
        let held: i64 = Place::ALL.iter().map(|place| self.total(*place)).sum();
        self.counts.iter().flatten().all(|count| *count >= 0) && held + self.ended as i64 == self.made as i64
    }
}
