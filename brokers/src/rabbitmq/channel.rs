//! A channel: its delivery tags and what is outstanding on it.

use std::collections::BTreeMap;

use super::queue::Ticket;
use super::turns::Holder;

/// What one settlement is for one queue: its index and the deliveries.
pub(super) type Group = (usize, Vec<Ticket>);

/// A delivery that is not settled.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// The queue's index.
    pub queue: usize,
    /// The queue's name: settling several goes queue by queue, by name.
    pub name: String,
    /// The subscription that it came by; none for `basic.get`.
    pub subscription: Option<String>,
    pub ticket: Ticket,
    pub since_us: u64,
}

/// The state of a channel.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    next_tag: u64,
    outstanding: BTreeMap<u64, Pending>,
    /// Who holds what a classic queue gave to `basic.get`.
    pub own_holder: Holder,
    /// By the queue's name: its index, and the subscription's number there.
    pub subscriptions: BTreeMap<String, (usize, Holder)>,
    /// When it looks next for an acknowledgement that is too late.
    pub check_us: Option<u64>,
}

impl Channel {
    pub(super) fn new(own_holder: Holder) -> Self {
        Self { next_tag: 1, outstanding: BTreeMap::new(), own_holder, subscriptions: BTreeMap::new(), check_us: None }
    }

    /// Gives a delivery its tag.
    pub(super) fn record(&mut self, pending: Pending, check_us: Option<u64>) -> u64 {
        let tag = self.next_tag;
        self.next_tag += 1;
        self.outstanding.insert(tag, pending);
        self.check_us = self.check_us.or(check_us);
        tag
    }

    /// Who holds what a subscription to this queue has outstanding.
    pub(super) fn left_by(&self, queue: &str) -> Option<Holder> {
        let of_it = |pending: &&Pending| pending.subscription.as_deref() == Some(queue);
        self.outstanding.values().find(of_it).map(|pending| pending.ticket.0)
    }

    /// Nothing outstanding, nothing to look at.
    pub(super) fn rest(&mut self) {
        if self.outstanding.is_empty() {
            self.check_us = None;
        }
    }

    pub(super) fn oldest_us(&self) -> Option<u64> {
        self.outstanding.values().next().map(|pending| pending.since_us)
    }

    /// Takes what a settlement is about, in the groups in which the queues hear of it: queue by queue, each `basic.get` by
    /// itself, each subscription at once (`rabbit_channel:foreach_per_queue`). None where the tag is not outstanding; 0
    /// with `multiple` is all there is.
    pub(super) fn collect(&mut self, tag: u64, multiple: bool) -> Option<Vec<Group>> {
        let all = tag == 0 && multiple;
        if !all && !self.outstanding.contains_key(&tag) {
            return None;
        }
        let taken: Vec<(u64, Pending)> = if all {
            std::mem::take(&mut self.outstanding).into_iter().collect()
        } else if multiple {
            let rest = self.outstanding.split_off(&(tag + 1));
            std::mem::replace(&mut self.outstanding, rest).into_iter().collect()
        } else {
            self.outstanding.remove_entry(&tag).into_iter().collect()
        };
        let mut groups: BTreeMap<_, Group> = BTreeMap::new();
        for (tag, pending) in taken {
            let alone = if pending.subscription.is_some() { 0 } else { tag };
            let group = groups.entry((pending.name, pending.subscription, alone)).or_insert((pending.queue, Vec::new()));
            group.1.push(pending.ticket);
        }
        Some(groups.into_values().collect())
    }

    /// Everyone who may hold something of a queue for this channel, in the order in which a quorum queue takes them back:
    /// by consumer tag as text, and a `basic.get` has its delivery tag for one (`rabbit_fifo:handle_down`).
    pub(super) fn holders_of(&self, queue: usize) -> Vec<Holder> {
        let gets = self.outstanding.iter().filter(|(_, p)| p.queue == queue && p.subscription.is_none());
        let mut holders: Vec<(String, Holder)> = gets.map(|(tag, p)| (tag.to_string(), p.ticket.0)).collect();
        let cancelled = self.outstanding.values().filter(|p| p.queue == queue && p.subscription.is_some());
        holders.extend(cancelled.map(|p| (format!("c{}", p.name), p.ticket.0)));
        let subscribed = self.subscriptions.values().filter(|(at, _)| *at == queue);
        holders.extend(subscribed.map(|(_, holder)| ("c".to_owned(), *holder)));
        holders.sort();
        let mut order: Vec<Holder> = Vec::new();
        for (_, holder) in holders {
            if !order.contains(&holder) {
                order.push(holder);
            }
        }
        order
    }
}
