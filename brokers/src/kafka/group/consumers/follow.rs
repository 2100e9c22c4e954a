//! How clients follow their group: they join, sync, take over what they are given, and say so.

use super::{Consumers, Event, Protocol, Server, Stage};
use crate::kafka::group::assign::{Strategy, assign};
use crate::kafka::group::classic::{Answer, Join};
use crate::kafka::group::modern::{Beat, Told};
use crate::kafka::group::{MemberId, Partition, Subscription};

impl Consumers {
    /// A process joins, giving up what it must.
    pub(super) fn join(&mut self, at: usize) {
        let now_us = self.now_us;
        let keeps = self.settings.protocol == Protocol::Consumer || self.settings.strategy.is_incremental();
        let client = &mut self.clients[at];
        let process = client.process;
        if client.lost || !keeps {
            let lost = std::mem::take(&mut client.lost);
            let owned = std::mem::take(&mut client.owned);
            if lost && keeps {
                client.memory.clear();
            }
            if !owned.is_empty() {
                self.tell(if lost { Event::Lost(process, owned) } else { Event::Revoked(process, owned) });
            }
        }
        let client = &mut self.clients[at];
        client.must_join = false;
        client.beat_due_us = None;
        let topics = client.joiner.topics.clone();
        let instance = client.joiner.instance;
        match &mut self.server {
            Server::Classic(classic) => {
                let told = matches!(self.settings.strategy, Strategy::Sticky | Strategy::CooperativeSticky);
                let owned = if told { client.memory.clone() } else { Vec::new() };
                let generation = client.memory_generation.filter(|_| told);
                let subscription = Subscription { member: 0, instance, topics, owned, generation };
                let join = Join { subscription, session_us: self.settings.session_us, rebalance_us: self.settings.max_poll_us };
                match classic.join(now_us, client.id, instance, join) {
                    Ok(id) => {
                        client.stage = Stage::Joining;
                        self.named(at, id);
                    }
                    Err(fault) => self.hear(at, Err(fault)),
                }
            }
            Server::Modern(modern) => match modern.join(now_us, instance, topics) {
                Ok((id, told)) => {
                    client.stage = Stage::Member;
                    client.beat_us = now_us;
                    client.beat_due_us = Some(now_us.saturating_add(self.settings.heartbeat_us));
                    self.named(at, id);
                    self.collect();
                    if told.assigned.as_ref().is_some_and(Vec::is_empty) {
                        self.tell(Event::Assigned(process, Vec::new()));
                    }
                    self.learn(at, told);
                }
                Err(fault) => self.hear(at, Err(fault)),
            },
        }
    }

    pub(super) fn named(&mut self, at: usize, id: MemberId) {
        let client = &mut self.clients[at];
        if client.id != Some(id) {
            client.id = Some(id);
            self.ids.push((id, client.process));
        }
    }

    /// The answer to a join or a sync has arrived.
    pub(super) fn answered(&mut self, at: usize, answer: Answer) {
        let now_us = self.now_us;
        match answer {
            Answer::Failed(fault) => {
                self.clients[at].stage = Stage::Out;
                self.hear(at, Err(fault));
            }
            Answer::Joined { generation, members } => {
                let given = assign(self.settings.strategy, &self.counts, &members);
                let given = members.iter().zip(given).map(|(member, given)| (MemberId(member.member), given)).collect();
                let client = &mut self.clients[at];
                client.generation = Some(generation);
                client.stage = Stage::Syncing;
                client.beat_us = now_us;
                client.beat_due_us = client.beats().then(|| now_us.saturating_add(self.settings.heartbeat_us));
                let (Some(who), Server::Classic(classic)) = (client.who(), &mut self.server) else { return };
                if let Err(fault) = classic.sync(now_us, who, generation, given) {
                    client.stage = Stage::Out;
                    self.hear(at, Err(fault));
                }
            }
            Answer::Synced(assigned) => {
                self.clients[at].stage = Stage::Member;
                self.clients[at].memory.clone_from(&assigned);
                self.clients[at].memory_generation = self.clients[at].generation;
                let gave_up = self.take_over(at, assigned);
                self.clients[at].must_join |= gave_up;
            }
        }
    }

    /// A member's assignment changes. Whether it had to give something up.
    pub(super) fn take_over(&mut self, at: usize, assigned: Vec<Partition>) -> bool {
        let client = &mut self.clients[at];
        let process = client.process;
        let added = assigned.iter().copied().filter(|given| !client.owned.contains(given)).collect();
        let revoked: Vec<Partition> = client.owned.iter().copied().filter(|held| !assigned.contains(held)).collect();
        client.owned = assigned;
        let gave_up = !revoked.is_empty();
        if gave_up {
            self.tell(Event::Revoked(process, revoked));
        }
        self.tell(Event::Assigned(process, added));
        gave_up
    }

    /// A KIP-848 member has heard from the coordinator. An assignment that changes nothing has to be confirmed as well: the
    /// coordinator may wait to hear that what it took back is not held.
    pub(super) fn learn(&mut self, at: usize, told: Told) {
        let client = &mut self.clients[at];
        client.generation = Some(told.epoch);
        client.told = told.assigned.or(client.told.take());
    }

    /// A KIP-848 member follows its assignment and says so at once.
    pub(super) fn reconcile(&mut self, at: usize) {
        let Some(assigned) = self.clients[at].told.take() else { return };
        let client = &mut self.clients[at];
        let process = client.process;
        let revoked: Vec<Partition> = client.owned.iter().copied().filter(|held| !assigned.contains(held)).collect();
        let added: Vec<Partition> = assigned.iter().copied().filter(|given| !client.owned.contains(given)).collect();
        client.owned = assigned;
        if !revoked.is_empty() {
            self.tell(Event::Revoked(process, revoked));
        }
        if !added.is_empty() {
            self.tell(Event::Assigned(process, added));
        }
        let client = &mut self.clients[at];
        let (Some(who), Some(epoch)) = (client.who(), client.generation) else { return };
        let beat = Beat { epoch, topics: client.joiner.topics.clone(), owned: Some(client.owned.clone()) };
        client.beat_us = self.now_us;
        client.beat_due_us = Some(self.now_us.saturating_add(self.settings.heartbeat_us));
        let Server::Modern(modern) = &mut self.server else { return };
        let said = modern.heartbeat(self.now_us, who, &beat).map(|told| self.learn(at, told));
        self.hear(at, said);
    }
}
