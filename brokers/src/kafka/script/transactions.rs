//! Producers and transactions of a [`Cluster`] script.

use super::cluster::{Client, Cluster, Record, Ticket};
use super::words::{after, option, time};
use crate::kafka::error::Error;
use crate::kafka::idempotence::Identity;
use crate::kafka::partition::Acks;
use crate::kafka::transaction::{GroupOffset, Order};

impl Cluster {
    pub(super) fn client(&mut self, name: &str) -> Client {
        // Ids of producers that are not transactional come from another block, as a broker's do.
        let producer = 1_000 + self.clients.len() as u64;
        let fresh = Client { transactional_id: None, identity: Identity { producer, epoch: 0 }, next_sequence: 0 };
        self.clients.entry(name.to_owned()).or_insert(fresh).clone()
    }

    pub(super) fn number(&mut self, name: &str) -> u64 {
        let place = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        place as u64
    }

    pub(super) fn init(&mut self, words: &[&str]) -> Option<String> {
        let name = *words.first()?;
        let id = self.number(name.split('/').next().unwrap_or(name));
        let timeout_us = option(words, "timeout").map_or(Some(60_000_000), time)?;
        match self.coordinator.init(self.now_us, id, timeout_us) {
            Ok(identity) => {
                let client = Client { transactional_id: Some(id), identity, next_sequence: 0 };
                self.clients.insert(name.to_owned(), client);
                Some(format!("producer {} epoch {}", identity.producer, identity.epoch))
            }
            Err(error) => Some(error.name().to_owned()),
        }
    }

    pub(super) fn end(&mut self, name: &str, commit: bool) -> Option<String> {
        let client = self.clients.get(name)?.clone();
        match self.coordinator.end(self.now_us, client.transactional_id?, client.identity, commit) {
            Ok(identity) => {
                let known = self.clients.get_mut(name)?;
                if known.identity != identity {
                    known.next_sequence = 0;
                }
                known.identity = identity;
                Some("ok".to_owned())
            }
            Err(error) => Some(error.name().to_owned()),
        }
    }

    pub(super) fn offset(&mut self, words: &[&str]) -> Option<String> {
        let group = self.number(words.first()?);
        let Some(by) = after(words, "by") else {
            if self.coordinator.is_pending(group, 0) {
                return Some(Error::UnstableOffsetCommit.name().to_owned());
            }
            return Some(self.offsets.get(&group).map_or("none".to_owned(), u64::to_string));
        };
        let offset = words.get(1)?.parse().ok()?;
        let client = self.clients.get(by)?.clone();
        let pending = GroupOffset { group, partition: 0, offset };
        let added = self.coordinator.add_offset(self.now_us, client.transactional_id?, client.identity, pending);
        Some(added.map_or_else(|error| error.name().to_owned(), |()| "ok".to_owned()))
    }

    /// Writes markers and commits offsets; a marker without a leader is kept for later.
    pub(super) fn carry_out(&mut self) {
        for order in std::mem::take(&mut self.orders) {
            match order {
                Order::Commit(GroupOffset { group, offset, .. }) => {
                    self.offsets.insert(group, offset);
                }
                Order::Mark { partition, from, commit } => {
                    let ticket = self.next_ticket;
                    let Ok(appended) = self.partition.append(self.now_us, 1, Acks::All, ticket) else {
                        self.orders.push(order);
                        continue;
                    };
                    self.next_ticket += 1;
                    let name = if commit { "|commit|" } else { "|abort|" };
                    let record = Record { name: name.to_owned(), transaction: None, marker: true };
                    self.records.insert((appended.base, appended.epoch), record);
                    self.isolation.ended(from.producer, appended.base, commit);
                    self.producers.marked(self.now_us, from);
                    if appended.answered {
                        self.coordinator.marked(self.now_us, from.producer, partition);
                    } else {
                        self.tickets.insert(ticket, Ticket::Marker(from.producer));
                    }
                }
            }
        }
    }
}
