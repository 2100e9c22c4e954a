//! One share-partition of a share group (KIP-932): a partition's records given out one by one, under locks.
//!
//! The window runs from the start offset (SPSO), before which everything is done with, to the last record ever given out
//! (SPEO). A record in it is available, acquired, or done. Done records leave only from the front: one stuck record keeps
//! the window from moving, and when the window is `group.share.partition.max.record.locks` wide nothing new is given out.
//!
//! Source: Kafka 4.0 `SharePartition`, KIP-932; renewal: KIP-1222 (4.2). Each record is its own producer batch here; a real
//! fetch takes whole batches and may exceed `max.poll.records` with the last one.

use std::collections::VecDeque;

use crate::server::{
    Consumer, CopyId, Counts, Delivery, Happening, Publish, Published, QueueServer, Refusal, Settle, Tag, What, Why,
};

/// A tag is the offset, above so many bits of the delivery count.
const COUNT_BITS: u32 = 16;

/// What the group is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareSettings {
    /// `share.record.lock.duration.ms`, in microseconds.
    pub lock_us: u64,
    /// `group.share.delivery.count.limit`.
    pub limit: u32,
    /// `group.share.partition.max.record.locks`: how wide the window may be.
    pub window: u32,
    /// `share.renew.acknowledge.enable` (4.2): a consumer may start the lock of a record anew.
    pub renews: bool,
}

impl Default for ShareSettings {
    /// Kafka's defaults; 4.0 itself had a window of 200.
    fn default() -> Self {
        Self { lock_us: 30_000_000, limit: 5, window: 2_000, renews: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Available,
    Acquired { by: Consumer, due_us: u64 },
    Done,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    body: u64,
    count: u32,
    state: State,
}

/// A share-partition. Offsets are copy ids.
#[derive(Clone, Debug)]
pub struct Share {
    settings: ShareSettings,
    /// The start offset.
    start: u64,
    /// Records of the window, from the start offset.
    window: VecDeque<Record>,
    /// Bodies behind the window.
    behind: VecDeque<u64>,
    /// When locks end, with their offsets, in order: all locks last equally long. An entry is dead unless its record is
    /// acquired until that moment; the first one never is.
    locks: VecDeque<(u64, u64)>,
    /// Available records in the window.
    free: u64,
    /// Acquired records.
    held: u64,
    happenings: Vec<Happening>,
}

impl Share {
    /// An empty partition, read by the group from its first record (`share.auto.offset.reset=earliest`).
    #[must_use]
    pub const fn new(settings: ShareSettings) -> Self {
        Self {
            settings,
            start: 0,
            window: VecDeque::new(),
            behind: VecDeque::new(),
            locks: VecDeque::new(),
            free: 0,
            held: 0,
            happenings: Vec::new(),
        }
    }

    /// The start offset, and how many records the window spans.
    #[must_use]
    pub fn window(&self) -> (u64, u64) {
        (self.start, self.window.len() as u64)
    }

    fn tell(&mut self, now_us: u64, at: usize, what: What) {
        let copy = CopyId(self.start + at as u64);
        self.happenings.push(Happening { at_us: now_us, copy, body: self.window[at].body, what });
    }

    fn set(&mut self, at: usize, state: State) {
        let was = std::mem::replace(&mut self.window[at].state, state);
        self.free = self.free + u64::from(state == State::Available) - u64::from(was == State::Available);
        self.held = self.held + u64::from(is_held(state)) - u64::from(is_held(was));
    }

    /// Locks a record for a consumer from now.
    fn lock(&mut self, now_us: u64, at: usize, by: Consumer) {
        let due_us = now_us.saturating_add(self.settings.lock_us);
        self.set(at, State::Acquired { by, due_us });
        self.locks.push_back((due_us, self.start + at as u64));
    }

    /// Gives a record to a consumer under a new lock.
    fn acquire(&mut self, now_us: u64, at: usize, by: Consumer) -> Delivery {
        self.lock(now_us, at, by);
        let offset = self.start + at as u64;
        let record = &mut self.window[at];
        record.count = record.count.saturating_add(1);
        let (body, count) = (record.body, record.count);
        self.tell(now_us, at, What::Delivered(by));
        let tag = Tag(offset << COUNT_BITS | u64::from(count & ((1 << COUNT_BITS) - 1)));
        Delivery { copy: CopyId(offset), body, tag, count, redelivered: count > 1 }
    }

    /// A record comes back: for others, or archived if it was given out as often as it may be.
    fn give_back(&mut self, now_us: u64, at: usize, why: Why) {
        let spent = self.window[at].count >= self.settings.limit;
        self.set(at, if spent { State::Done } else { State::Available });
        self.tell(now_us, at, if spent { What::DroppedHeld(Why::Limit) } else { What::Returned(why) });
    }

    /// Moves the start over what is done with, and forgets locks that are.
    fn tidy(&mut self) {
        while self.window.front().is_some_and(|record| record.state == State::Done) {
            self.window.pop_front();
            self.start += 1;
        }
        while self.locks.front().is_some_and(|&lock| self.locked(lock).is_none()) {
            self.locks.pop_front();
        }
    }

    /// Where in the window the record of this lock is, if the lock still holds.
    fn locked(&self, (due_us, offset): (u64, u64)) -> Option<usize> {
        let at = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        let state = self.window.get(at)?.state;
        matches!(state, State::Acquired { due_us: due, .. } if due == due_us).then_some(at)
    }
}

const fn is_held(state: State) -> bool {
    matches!(state, State::Acquired { .. })
}

impl QueueServer for Share {
    fn publish(&mut self, now_us: u64, letter: Publish) -> Published {
        self.advance(now_us);
        let copy = CopyId(self.start + (self.window.len() + self.behind.len()) as u64);
        self.behind.push_back(letter.body);
        self.happenings.push(Happening { at_us: now_us, copy, body: letter.body, what: What::Stored });
        Published::Stored(copy)
    }

    /// First what is available in the window, then new records as far as the window may grow.
    fn receive(&mut self, now_us: u64, consumer: Consumer, most: u32) -> Vec<Delivery> {
        self.advance(now_us);
        let most = most as usize;
        let mut given = Vec::new();
        for at in 0..self.window.len() {
            if given.len() >= most || self.free == 0 {
                break;
            }
            if self.window[at].state == State::Available {
                given.push(self.acquire(now_us, at, consumer));
            }
        }
        while given.len() < most && self.window.len() < self.settings.window as usize {
            let Some(body) = self.behind.pop_front() else { break };
            self.window.push_back(Record { body, count: 0, state: State::Done });
            given.push(self.acquire(now_us, self.window.len() - 1, consumer));
        }
        given
    }

    /// The broker knows offset and member, not which delivery is meant: a member that has the record again can settle it
    /// with an older tag. What lies before the start offset is taken without effect.
    fn settle(&mut self, now_us: u64, consumer: Consumer, tag: Tag, how: Settle) -> Result<(), Refusal> {
        self.advance(now_us);
        let offset = tag.0 >> COUNT_BITS;
        let Some(at) = offset.checked_sub(self.start) else { return Ok(()) };
        let at = usize::try_from(at).map_err(|_| Refusal::Unknown)?;
        let record = self.window.get(at).ok_or(Refusal::Unknown)?;
        if !matches!(record.state, State::Acquired { by, .. } if by == consumer) {
            return Err(Refusal::Stale);
        }
        match how {
            Settle::Ack => {
                self.set(at, State::Done);
                self.tell(now_us, at, What::Acked);
            }
            Settle::Requeue => self.give_back(now_us, at, Why::Requeued),
            Settle::Reject => {
                self.set(at, State::Done);
                self.tell(now_us, at, What::DroppedHeld(Why::Rejected));
            }
            Settle::Extend { .. } if self.settings.renews => self.lock(now_us, at, consumer),
            Settle::Extend { .. } => return Err(Refusal::Invalid),
        }
        self.tidy();
        Ok(())
    }

    fn close(&mut self, now_us: u64, consumer: Consumer) {
        self.advance(now_us);
        for at in 0..self.window.len() {
            if matches!(self.window[at].state, State::Acquired { by, .. } if by == consumer) {
                self.give_back(now_us, at, Why::Closed);
            }
        }
        self.tidy();
    }

    fn next_due_us(&self) -> Option<u64> {
        self.locks.front().map(|&(due_us, _)| due_us)
    }

    fn advance(&mut self, now_us: u64) {
        while let Some(lock) = self.locks.front().copied().filter(|&(due_us, _)| due_us <= now_us) {
            self.locks.pop_front();
            if let Some(at) = self.locked(lock) {
                self.give_back(lock.0, at, Why::Timeout);
            }
            self.tidy();
        }
    }

    fn take_happenings(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.happenings)
    }

    fn waiting(&self, most: usize) -> Vec<(CopyId, u64)> {
        let available = (self.start..).zip(&self.window).filter(|(_, record)| record.state == State::Available);
        let window = available.map(|(offset, record)| (CopyId(offset), record.body));
        let behind = (self.start + self.window.len() as u64..).map(CopyId).zip(self.behind.iter().copied());
        window.chain(behind).take(most).collect()
    }

    fn counts(&self) -> Counts {
        Counts { ready: self.free + self.behind.len() as u64, held: self.held, delayed: 0 }
    }

    fn boxed(&self) -> Box<dyn QueueServer> {
        Box::new(self.clone())
    }
}
