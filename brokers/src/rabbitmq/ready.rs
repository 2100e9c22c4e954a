//! The messages of a queue that wait, in the order in which they go out.

use std::collections::VecDeque;

use super::settings::{Kind, Settings};
use crate::sorted::SortedMap;

/// When a message without a time to live expires.
pub(super) const NEVER: u64 = u64::MAX;

/// A message in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// Its number in this queue; also its place among its priority in a classic queue.
    pub copy: u64,
    /// What it is about.
    pub body: u64,
    /// When it expires, or [`NEVER`].
    pub expires_us: u64,
    /// How often it was delivered.
    pub deliveries: u32,
    /// How often it came back: `x-delivery-count` of a quorum queue.
    pub returns: u32,
    /// Its level in the queue, not above `x-max-priority`; of a quorum queue since 4.0 one of two.
    pub priority: u8,
}

/// The messages that wait.
///
/// Places of returned messages as recorded in `tests/transcripts/rabbitmq`; by the sources of 3.10, `rabbit_variable_queue`
/// merges by sequence number, `rabbit_priority_queue` keeps one such queue a level, and `rabbit_fifo` keeps a line of
/// returned messages before the line of published ones.
#[derive(Clone, Debug)]
pub(super) enum Ready {
    /// Classic: the levels, the highest first.
    Places(Vec<Level>),
    /// Quorum: the returned ones go first, in the order of their return.
    Lines { returned: VecDeque<Message>, fresh: Two },
}

/// How many go out before a low one goes before a high one that came later (`rabbit_fifo_q`).
const HIGH_ONES: u8 = 2;

/// The published messages of a quorum queue. From 4.0 on there are two priorities, before there is only the lower one.
#[derive(Clone, Debug, Default)]
pub(super) struct Two {
    low: VecDeque<Message>,
    high: VecDeque<Message>,
    /// How many went out since a low one had its turn.
    outs: u8,
}

impl Two {
    fn push_back(&mut self, message: Message) {
        let line = if message.priority > 0 { &mut self.high } else { &mut self.low };
        line.push_back(message);
    }

    /// Whether the next one is a high one: of three it is two, and the third as well if it is older.
    fn is_high_next(&self) -> bool {
        match (self.high.front(), self.low.front()) {
            (Some(high), Some(low)) => self.outs < HIGH_ONES || high.copy < low.copy,
            (high, _) => high.is_some(),
        }
    }

    fn front(&self) -> Option<&Message> {
        if self.is_high_next() { self.high.front() } else { self.low.front() }
    }

    fn pop_front(&mut self) -> Option<Message> {
        let next = if self.is_high_next() { self.high.pop_front() } else { self.low.pop_front() };
        if next.is_some() {
            self.outs = if self.outs == HIGH_ONES { 0 } else { self.outs + 1 };
        }
        next
    }

    fn len(&self) -> u64 {
        self.low.len() as u64 + self.high.len() as u64
    }

    /// The next ones in their order.
    fn first(&self, most: usize) -> Vec<Message> {
        if self.high.is_empty() {
            return self.low.iter().take(most).copied().collect();
        }
        let begin = |line: &VecDeque<Message>| line.iter().take(most).copied().collect();
        let mut rest = Self { low: begin(&self.low), high: begin(&self.high), outs: self.outs };
        std::iter::from_fn(|| rest.pop_front()).take(most).collect()
    }
}

/// One priority of a classic queue: published messages in their order, and those that came back by their place.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    fresh: VecDeque<Message>,
    returned: SortedMap<u64, Message>,
}

impl Level {
    fn returned_goes_first(&self) -> bool {
        match (self.returned.first(), self.fresh.front()) {
            (Some((place, _)), Some(fresh)) => place < fresh.copy,
            (returned, _) => returned.is_some(),
        }
    }

    fn front(&self) -> Option<&Message> {
        if self.returned_goes_first() { self.returned.values().next() } else { self.fresh.front() }
    }

    fn pop(&mut self) -> Option<Message> {
        if self.returned_goes_first() { self.returned.pop_first().map(|(_, m)| m) } else { self.fresh.pop_front() }
    }

    fn len(&self) -> u64 {
        self.fresh.len() as u64 + self.returned.len() as u64
    }

    /// Both parts as one, by place.
    fn first(&self, most: usize) -> Vec<Message> {
        let mut all: Vec<Message> = self.returned.values().take(most).chain(self.fresh.iter().take(most)).copied().collect();
        crate::order::sort_by_key(&mut all, |message| message.copy);
        all
    }
}

impl Ready {
    pub(super) fn new(settings: &Settings) -> Self {
        match settings.kind {
            Kind::Classic => Self::Places(vec![Level::default(); usize::from(settings.priorities) + 1]),
            Kind::Quorum => Self::Lines { returned: VecDeque::new(), fresh: Two::default() },
        }
    }

    /// A published message, or one that a quorum queue puts behind all others.
    pub(super) fn push_last(&mut self, message: Message) {
        match self {
            Self::Places(levels) => {
                let at = place(levels, message.priority);
                levels[at].fresh.push_back(message);
            }
            Self::Lines { fresh, .. } => fresh.push_back(message),
        }
    }

    /// A message that came back: to its old place, or behind what came back before.
    pub(super) fn put_back(&mut self, message: Message) {
        match self {
            Self::Places(levels) => {
                let at = place(levels, message.priority);
                levels[at].returned.insert(message.copy, message);
            }
            Self::Lines { returned, .. } => returned.push_back(message),
        }
    }

    pub(super) fn front(&self) -> Option<&Message> {
        match self {
            Self::Places(levels) => levels.iter().find_map(Level::front),
            Self::Lines { returned, fresh } => returned.front().or_else(|| fresh.front()),
        }
    }

    pub(super) fn pop(&mut self) -> Option<Message> {
        match self {
            Self::Places(levels) => levels.iter_mut().find_map(Level::pop),
            Self::Lines { returned, fresh } => returned.pop_front().or_else(|| fresh.pop_front()),
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Places(levels) => levels.iter().map(Level::len).sum(),
            Self::Lines { returned, fresh } => returned.len() as u64 + fresh.len(),
        }
    }

    /// The next ones, up to so many.
    pub(super) fn first(&self, most: usize) -> Vec<Message> {
        let mut all: Vec<Message> = match self {
            Self::Places(levels) => levels.iter().flat_map(|level| level.first(most)).collect(),
            Self::Lines { returned, fresh } => returned.iter().take(most).copied().chain(fresh.first(most)).collect(),
        };
        all.truncate(most);
        all
    }
}

/// The index of a level: the highest is the first.
fn place(levels: &[Level], priority: u8) -> usize {
    levels.len() - 1 - usize::from(priority).min(levels.len() - 1)
}
