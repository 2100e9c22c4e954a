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
    /// The consumer tag that it came by; none for `basic.get`.
    pub subscription: Option<String>,
    pub ticket: Ticket,
    /// Since when it is waited for; none where it may take any time.
    pub since_us: Option<u64>,
}

/// A subscription of a channel: the queue's index, its number there, its consumer tag.
#[derive(Clone, Debug)]
pub(super) struct Subscription {
    pub queue: usize,
    pub holder: Holder,
    pub tag: String,
}

/// The state of a channel.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    next_tag: u64,
    outstanding: BTreeMap<u64, Pending>,
    /// Who holds what a classic queue gave to `basic.get`.
    pub own_holder: Holder,
    /// By the queue's name.
    pub subscriptions: BTreeMap<String, Subscription>,
    tags_used: u32,
    /// When it looks next for an acknowledgement that is too late.
    pub check_us: Option<u64>,
}

impl Channel {
    pub(super) fn new(own_holder: Holder) -> Self {
        Self {
            next_tag: 1,
            outstanding: BTreeMap::new(),
            own_holder,
            subscriptions: BTreeMap::new(),
            tags_used: 0,
            check_us: None,
        }
    }

    /// Gives a delivery its tag.
    pub(super) fn record(&mut self, pending: Pending, check_us: Option<u64>) -> u64 {
        let tag = self.next_tag;
        self.next_tag += 1;
        self.outstanding.insert(tag, pending);
        self.check_us = self.check_us.or(check_us);
        tag
    }

    /// Notes a subscription to a queue under a consumer tag of its own.
    pub(super) fn subscribe(&mut self, name: &str, queue: usize, holder: Holder) {
        self.tags_used += 1;
        let subscription = Subscription { queue, holder, tag: format!("c{}", self.tags_used) };
        self.subscriptions.insert(name.to_owned(), subscription);
    }

    /// Nothing outstanding, nothing to look at.
    pub(super) fn rest(&mut self) {
        if self.outstanding.is_empty() {
            self.check_us = None;
        }
    }

    pub(super) fn oldest_us(&self) -> Option<u64> {
        self.outstanding.values().find_map(|pending| pending.since_us)
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
        let of_it = self.outstanding.iter().filter(|(_, pending)| pending.queue == queue);
        let own_tag = |tag: &u64, pending: &Pending| pending.subscription.clone().unwrap_or_else(|| tag.to_string());
        let mut holders: Vec<(String, Holder)> = of_it.map(|(tag, pending)| (own_tag(tag, pending), pending.ticket.0)).collect();
        let subscribed = self.subscriptions.values().filter(|subscription| subscription.queue == queue);
        holders.extend(subscribed.map(|subscription| (subscription.tag.clone(), subscription.holder)));
        crate::order::sort(&mut holders);
        let mut order: Vec<Holder> = Vec::new();
        for (_, holder) in holders {
            if !order.contains(&holder) {
                order.push(holder);
            }
        }
        order
    }
}
