//! What a FIFO queue remembers for five minutes: deduplication ids and receive request attempts; and its calls of a second.

use std::collections::VecDeque;

use super::options::{CALLS_PER_S, SECOND_US, Throughput};
use crate::sorted::SortedMap;

/// What is known of a message that was sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Its message id.
    pub id: u64,
    /// Its sequence number.
    pub sequence: u64,
}

/// Deduplication ids of the last minutes, each within a scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Deduplication {
    seen: SortedMap<(u64, u64), Seen>,
    ends: VecDeque<(u64, (u64, u64))>,
}

impl Deduplication {
    /// The message that was sent with this id within the window. Being sent again does not begin the window anew.
    pub fn find(&mut self, now_us: u64, key: (u64, u64)) -> Option<Seen> {
        while let Some((_, ended)) = self.ends.front().copied().filter(|(until_us, _)| *until_us <= now_us) {
            self.seen.remove(ended);
            self.ends.pop_front();
        }
        self.seen.get(key).copied()
    }

    pub fn remember(&mut self, until_us: u64, key: (u64, u64), seen: Seen) {
        self.seen.insert(key, seen);
        self.ends.push_back((until_us, key));
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Receives that named an attempt id: number and how often received of each message.
#[derive(Clone, Debug, Default)]
pub(super) struct Attempts {
    kept: VecDeque<Attempt>,
}

/// A receive that can be asked for again.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub id: u64,
    pub until_us: u64,
    /// Number of each message, and which receive of it this was.
    pub messages: Vec<(u64, u32)>,
}

impl Attempts {
    pub fn find(&mut self, now_us: u64, id: u64) -> Option<Attempt> {
        while self.kept.front().is_some_and(|attempt| attempt.until_us <= now_us) {
            self.kept.pop_front();
        }
        self.kept.iter().rev().find(|attempt| attempt.id == id).cloned()
    }

    pub fn remember(&mut self, attempt: Attempt) {
        self.kept.retain(|kept| kept.id != attempt.id);
        self.kept.push_back(attempt);
    }

    /// An attempt one of whose messages was deleted or changed cannot be asked for again.
    pub fn forget_message(&mut self, number: u64) {
        self.kept.retain(|attempt| attempt.messages.iter().all(|(known, _)| *known != number));
    }

    pub fn clear(&mut self) {
        self.kept.clear();
    }
}

/// An action with a quota of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// `SendMessage` and `SendMessageBatch`.
    Send,
    /// `ReceiveMessage`.
    Receive,
    /// `DeleteMessage` and `DeleteMessageBatch`.
    Delete,
    /// `ChangeMessageVisibility` and its batch.
    Change,
}

/// Calls of the running second. A batch is one call. Source: "Amazon SQS message quotas" in the developer guide.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    second: u64,
    actions: [u32; 4],
    groups: SortedMap<u64, u32>,
}

impl Calls {
    /// Counts a call; `groups` are the distinct message groups that it sends to. False when it is one too many.
    pub fn admit(&mut self, now_us: u64, limit: Throughput, action: Action, groups: &[u64]) -> bool {
        if self.second != now_us / SECOND_US {
            *self = Self { second: now_us / SECOND_US, ..Self::default() };
        }
        match limit {
            Throughput::Unlimited => true,
            Throughput::PerQueue => {
                let count = &mut self.actions[action as usize];
                *count += 1;
                *count <= CALLS_PER_S
            }
            Throughput::PerMessageGroup => {
                let mut within = true;
                for group in groups {
                    let count = self.groups.or_insert(*group, 0);
                    *count += 1;
                    within &= *count <= CALLS_PER_S;
                }
                within
            }
        }
    }
}
