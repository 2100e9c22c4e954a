//! Whose turn it is: a queue's subscribers, what each may still get, and single active consumers.
//!
//! Order as recorded in `tests/transcripts/rabbitmq`; by the sources of 3.10 from `rabbit_queue_consumers` (classic: a
//! consumer without credit leaves the line only when its turn comes) and `rabbit_fifo` (quorum: it leaves at once and
//! joins the end when it has credit again).

use std::collections::VecDeque;

use super::settings::Kind;
use crate::sorted::SortedMap;

/// A subscriber, or whoever else holds messages; numbered by whoever drives the queue.
pub(super) type Holder = u32;

#[derive(Clone, Copy, Debug)]
struct Subscriber {
    channel: u32,
    credit: u32,
}

/// The subscribers of one queue.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    kind: Kind,
    single: bool,
    /// Those that may be served, in order. With a single active consumer, of a classic queue all of them, of a quorum
    /// queue those that wait to become active.
    line: VecDeque<Holder>,
    /// Those of a classic queue whose turn came when they had no credit.
    blocked: Vec<Holder>,
    active: Option<Holder>,
    known: SortedMap<Holder, Subscriber>,
}

impl Turns {
    pub(super) fn new(kind: Kind, single: bool) -> Self {
        Self { kind, single, line: VecDeque::new(), blocked: Vec::new(), active: None, known: SortedMap::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    pub(super) fn join(&mut self, who: Holder, channel: u32, credit: u32) {
        self.known.insert(who, Subscriber { channel, credit });
        if self.single || self.kind == Kind::Classic || credit > 0 {
            self.line.push_back(who);
        }
        self.choose_active();
    }

    /// The subscriber is no more; what it holds is another matter.
    pub(super) fn leave(&mut self, who: Holder) {
        if self.known.remove(who).is_none() {
            return;
        }
        self.line.retain(|other| *other != who);
        self.blocked.retain(|other| *other != who);
        if self.active == Some(who) {
            self.active = None;
            self.choose_active();
        }
    }

    fn choose_active(&mut self) {
        if self.single && self.active.is_none() {
            self.active = match self.kind {
                Kind::Classic => self.line.front().copied(),
                Kind::Quorum => self.line.pop_front(),
            };
        }
    }

    /// Who gets the next message; it has one credit less afterwards.
    pub(super) fn next(&mut self) -> Option<Holder> {
        if self.single {
            return self.next_active();
        }
        while let Some(who) = self.line.pop_front() {
            let Some(subscriber) = self.known.get_mut(who) else { continue };
            if subscriber.credit == 0 {
                if self.kind == Kind::Classic {
                    self.blocked.push(who);
                }
                continue;
            }
            spend(subscriber);
            if self.kind == Kind::Classic || subscriber.credit > 0 {
                self.line.push_back(who);
            }
            return Some(who);
        }
        None
    }

    fn next_active(&mut self) -> Option<Holder> {
        let who = self.active?;
        let subscriber = self.known.get_mut(who)?;
        if subscriber.credit > 0 {
            spend(subscriber);
            return Some(who);
        }
        if self.kind == Kind::Classic && !self.blocked.contains(&who) {
            self.line.retain(|other| *other != who);
            self.blocked.push(who);
        }
        None
    }

    /// A subscriber settled so many of its messages.
    pub(super) fn repay(&mut self, who: Holder, count: u32) {
        let Some(subscriber) = self.known.get_mut(who) else { return };
        if subscriber.credit == u32::MAX || count == 0 {
            return;
        }
        let had_none = subscriber.credit == 0;
        subscriber.credit += count;
        let channel = subscriber.channel;
        match self.kind {
            Kind::Classic if had_none => self.unblock(channel),
            Kind::Quorum if !self.single && !self.line.contains(&who) => self.line.push_back(who),
            Kind::Classic | Kind::Quorum => {}
        }
    }

    fn unblock(&mut self, channel: u32) {
        let known = &self.known;
        let (free, blocked) = self
            .blocked
            .iter()
            .partition(|who| known.get(**who).is_some_and(|other| other.channel == channel && other.credit > 0));
        self.blocked = blocked;
        let free: Vec<Holder> = free;
        self.line.extend(free);
    }
}

fn spend(subscriber: &mut Subscriber) {
    if subscriber.credit != u32::MAX {
        subscriber.credit -= 1;
    }
}
