//! The messages of one queue and where each is, in the order in which a receive looks at them.
//!
//! A standard queue hands out the oldest first. A FIFO queue hands out groups: a group can be received from while its
//! oldest message is visible, so whatever is in flight hides what comes after it in its group. Which group is next was read
//! off recordings of the service: the one whose oldest message became visible first, where a message becomes visible anew
//! whenever it comes back. Only so many of the oldest messages are looked at ("Avoid large message backlogs with the same
//! message group ID" in the developer guide): a backlog of one group keeps later groups from being found.

use crate::server::{Consumer, Counts};
use crate::sorted::{SortedMap, SortedSet};

/// How many of the messages in flight are looked at for the oldest one behind them.
const MOST_HELD_SEEN: usize = 1_000;

/// A message in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    /// Its message id: kept when it is moved to a dead-letter queue.
    pub id: u64,
    /// What it is about.
    pub body: u64,
    /// Its message group.
    pub group: u64,
    /// When retention began to count.
    pub enqueued_us: u64,
    /// When it was last received.
    pub since_us: u64,
    /// Who received it last.
    pub consumer: Consumer,
    /// How often it was received, in all queues it has been in.
    pub receives: u32,
    /// How often it was received here.
    pub receives_here: u32,
    /// The queue whose dead letter it is, counted from 1; 0 for none.
    pub source: u32,
    /// Where it is.
    pub place: Place,
}

/// Where a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Visible since the turn with this number.
    Ready { turn: u64 },
    /// In flight until then.
    Held { until_us: u64 },
    /// Delayed until then.
    Delayed { until_us: u64 },
}

/// The messages of a queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf {
    fifo: bool,
    messages: SortedMap<u64, Stored>,
    /// What a receive may start with. Standard: every visible message by its number. FIFO: the oldest message of every group
    /// that can be received from, by the turn at which it became visible.
    front: SortedMap<u64, u64>,
    /// FIFO: group and number of every message.
    members: SortedSet<(u64, u64)>,
    /// When the message with this number becomes visible.
    timers: SortedSet<(u64, u64)>,
    /// Since when retention counts for the message with this number.
    ages: SortedSet<(u64, u64)>,
    counts: Counts,
    turns: u64,
    /// FIFO: how many of the oldest messages a receive looks at.
    scan_limit: u64,
    /// FIFO: the last message that a receive looks at, where there are that many.
    horizon: Option<u64>,
}

impl Shelf {
    pub fn new(fifo: bool, scan_limit: u32) -> Self {
        Self { fifo, scan_limit: u64::from(scan_limit.max(1)), ..Self::default() }
    }

    pub fn get(&self, number: u64) -> Option<&Stored> {
        self.messages.get(number)
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The place of a message that becomes visible now.
    pub fn visible(&mut self) -> Place {
        self.turns += 1;
        Place::Ready { turn: self.turns }
    }

    pub fn insert(&mut self, number: u64, stored: Stored) {
        self.unlist(number, stored.group);
        if self.fifo {
            self.members.insert((stored.group, number));
        }
        self.ages.insert((stored.enqueued_us, number));
        self.count(number, stored.place, true);
        self.messages.insert(number, stored);
        if self.fifo && self.messages.len() as u64 == self.scan_limit {
            self.horizon = Some(number);
        }
        self.list(number, stored.group);
    }

    /// Changes a message; its group and its age must stay.
    pub fn update(&mut self, number: u64, change: impl FnOnce(&mut Stored)) {
        let Some(mut stored) = self.messages.get(number).copied() else { return };
        self.unlist(number, stored.group);
        self.count(number, stored.place, false);
        change(&mut stored);
        self.count(number, stored.place, true);
        self.messages.insert(number, stored);
        self.list(number, stored.group);
    }

    pub fn remove(&mut self, number: u64) -> Option<Stored> {
        let stored = self.messages.get(number).copied()?;
        self.unlist(number, stored.group);
        self.count(number, stored.place, false);
        self.ages.remove((stored.enqueued_us, number));
        self.members.remove((stored.group, number));
        self.messages.remove(number);
        self.list(number, stored.group);
        if self.horizon.is_some_and(|horizon| number <= horizon) {
            self.look_further();
        }
        Some(stored)
    }

    /// The message that a receive looks at first.
    pub fn first(&self) -> Option<u64> {
        self.front.values().next().copied()
    }

    /// FIFO: the next message of the group, where it is visible.
    pub fn next_in_group(&self, number: u64, group: u64) -> Option<u64> {
        let (_, next) = self.members.range((group, number + 1)..=(group, u64::MAX)).next()?;
        (self.in_sight(next) && matches!(self.messages.get(next)?.place, Place::Ready { .. })).then_some(next)
    }

    /// Visible messages as one receive after another would give them, up to so many.
    pub fn waiting(&self, most: usize) -> Vec<u64> {
        let mut found = Vec::new();
        for &first in self.front.values() {
            let mut next = Some(first);
            while let Some(number) = next {
                if found.len() >= most {
                    return found;
                }
                found.push(number);
                let group = self.messages.get(number).map_or(0, |stored| stored.group);
                next = if self.fifo { self.next_in_group(number, group) } else { None };
            }
        }
        found
    }

    /// The oldest message that waits for another of its group, behind the first of those in flight.
    pub fn oldest_locked(&self) -> Option<u64> {
        let held = self.timers.iter().filter(|_| self.fifo).take(MOST_HELD_SEEN);
        held.filter_map(|(_, held)| self.next_in_group(held, self.messages.get(held)?.group)).min()
    }

    /// FIFO: visible messages that wait for one of their group that is in flight or delayed, up to so many.
    pub fn locked(&self, most: usize) -> Vec<u64> {
        let mut found = Vec::new();
        for (_, held) in self.timers.iter().filter(|_| self.fifo) {
            let group = self.messages.get(held).map_or(0, |stored| stored.group);
            let mut next = self.next_in_group(held, group);
            while let Some(number) = next.filter(|number| found.len() < most && !found.contains(number)) {
                found.push(number);
                next = self.next_in_group(number, group);
            }
        }
        found
    }

    /// The message that becomes visible next, and when.
    pub fn next_timer(&self) -> Option<(u64, u64)> {
        self.timers.first()
    }

    /// Messages that are in flight or delayed, those that become visible first at the front, up to so many.
    pub fn hidden(&self, most: usize) -> impl Iterator<Item = (u64, &Stored)> {
        let numbers = self.timers.iter().take(most).map(|(_, number)| number);
        numbers.filter_map(|number| Some((number, self.messages.get(number)?)))
    }

    /// The oldest message, and since when its retention counts.
    pub fn oldest(&self) -> Option<(u64, u64)> {
        self.ages.first()
    }

    /// The numbers of all messages, oldest first.
    pub fn numbers(&self) -> Vec<u64> {
        self.messages.keys().collect()
    }

    /// One of the messages that a receive looks at is gone: the next one comes into sight.
    fn look_further(&mut self) {
        let next = self.horizon.and_then(|horizon| self.messages.range(horizon + 1..).next());
        let next = next.map(|(number, stored)| (number, stored.group));
        self.horizon = next.map(|(number, _)| number);
        if let Some((number, group)) = next {
            self.list(number, group);
        }
    }

    fn in_sight(&self, number: u64) -> bool {
        self.horizon.is_none_or(|horizon| number <= horizon)
    }

    fn count(&mut self, number: u64, place: Place, comes: bool) {
        let (count, due_us) = match place {
            Place::Ready { .. } => (&mut self.counts.ready, None),
            Place::Held { until_us } => (&mut self.counts.held, Some(until_us)),
            Place::Delayed { until_us } => (&mut self.counts.delayed, Some(until_us)),
        };
        if comes {
            *count += 1;
            self.timers.extend(due_us.map(|due_us| (due_us, number)));
        } else {
            *count -= 1;
            if let Some(due_us) = due_us {
                self.timers.remove((due_us, number));
            }
        }
    }

    /// The key and the message under which a receive may find this message or its group.
    fn entry(&self, number: u64, group: u64) -> Option<(u64, u64)> {
        let head = if self.fifo { self.members.range((group, 0)..=(group, u64::MAX)).next()?.1 } else { number };
        match self.messages.get(head)?.place {
            Place::Ready { turn } if self.in_sight(head) => Some((if self.fifo { turn } else { head }, head)),
            Place::Ready { .. } | Place::Held { .. } | Place::Delayed { .. } => None,
        }
    }

    fn unlist(&mut self, number: u64, group: u64) {
        if let Some((key, _)) = self.entry(number, group) {
            self.front.remove(key);
        }
    }

    fn list(&mut self, number: u64, group: u64) {
        if let Some((key, first)) = self.entry(number, group) {
            self.front.insert(key, first);
        }
    }
}
