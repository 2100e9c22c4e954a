//! A group with the clients of its members: processes start, poll, work, commit and die, and the events say who owns what.
//!
//! A process is either inside of a poll, where it follows the group at once, or at work, where only its heartbeats go on.
//! What a rebalance wants of it (give up, join again) waits for its next poll. `max.poll.interval.ms` bounds the work.
//!
//! Heartbeats and commits reach the coordinator at once and are answered at once; only the answers to joins and syncs take
//! [`Settings::hop_us`] each. So a loss shows at the members' next heartbeats: within `heartbeat.interval.ms` after the
//! session has ended, plus two hops. The timers here are exact, where the real ones run on a 100 ms beat of the client's
//! heartbeat thread and 1 ms ticks of the broker's timer.
//!
//! Source: Kafka 4.0 `AbstractCoordinator`, `ConsumerCoordinator`, `AbstractHeartbeatRequestManager`,
//! `AbstractMembershipManager`.

mod follow;

use super::assign::Strategy;
use super::classic::{Answer, Classic, Phase};
use super::client::{Client, Stage};
pub use super::client::{Heartbeats, Joiner};
pub use super::events::{Event, Protocol, Settings};
use super::modern::{Beat, Modern, ModernSettings};
use super::{Fault, MemberId, Partition, Removal, sooner};
use crate::server::Consumer;

#[derive(Clone, Debug)]
enum Server {
    Classic(Classic),
    Modern(Modern),
}

/// A group and its members.
#[derive(Clone, Debug)]
pub struct Consumers {
    settings: Settings,
    counts: Vec<u32>,
    server: Server,
    clients: Vec<Client>,
    /// Which process had which id, for ids that the coordinator still knows or has just removed.
    ids: Vec<(MemberId, Consumer)>,
    /// Answers on their way: when they arrive, for whom, what.
    mail: Vec<(u64, MemberId, Answer)>,
    generation: u32,
    now_us: u64,
    events: Vec<(u64, Event)>,
}

impl Consumers {
    /// An empty group over topics with so many partitions, by topic number.
    #[must_use]
    pub fn new(settings: Settings, counts: Vec<u32>) -> Self {
        let server = match settings.protocol {
            Protocol::Classic => Server::Classic(Classic::new(settings.initial_delay_us)),
            Protocol::Consumer => {
                let assignor = if settings.strategy == Strategy::ServerRange { Strategy::ServerRange } else { Strategy::Uniform };
                let modern = ModernSettings { session_us: settings.session_us, rebalance_us: settings.max_poll_us, assignor };
                Server::Modern(Modern::new(modern, counts.clone()))
            }
        };
        Self {
            settings,
            counts,
            server,
            clients: Vec::new(),
            ids: Vec::new(),
            mail: Vec::new(),
            generation: 0,
            now_us: 0,
            events: Vec::new(),
        }
    }

    /// A process starts. It joins at its first poll.
    pub fn start(&mut self, now_us: u64, process: Consumer, joiner: Joiner) {
        self.advance(now_us);
        self.clients.retain(|client| client.process != process);
        self.clients.push(Client::new(process, joiner, now_us));
    }

    /// A process begins a poll, and stays in it until it works, dies or leaves.
    pub fn poll(&mut self, now_us: u64, process: Consumer) {
        self.advance(now_us);
        if let Some(at) = self.find(process) {
            let client = &mut self.clients[at];
            client.polling = true;
            client.polled_us = now_us;
            if client.stage == Stage::Member {
                client.beat_due_us = client.beat_due_us.or(Some(client.beat_us.saturating_add(self.settings.heartbeat_us)));
            }
            if client.beat_due_us.is_some_and(|due_us| due_us <= now_us) {
                // A heartbeat by hand that was due long ago goes now. What the answer means is kept in the client.
                let _ = self.send_beat(at);
            }
            self.settle();
        }
    }

    /// A process ends its poll: its handler runs.
    pub fn work(&mut self, now_us: u64, process: Consumer) {
        self.advance(now_us);
        if let Some(at) = self.find(process) {
            let client = &mut self.clients[at];
            if !client.polling {
                return;
            }
            client.polling = false;
            client.polled_us = now_us;
            client.beat_due_us = client.beat_due_us.filter(|_| client.joiner.heartbeats == Heartbeats::Background);
        }
    }

    /// A process leaves in order. A static one leaves without a word, so that its place waits for it.
    pub fn leave(&mut self, now_us: u64, process: Consumer) {
        self.advance(now_us);
        let Some(at) = self.find(process) else { return };
        let owned = std::mem::take(&mut self.clients[at].owned);
        if !owned.is_empty() {
            self.tell(Event::Revoked(process, owned));
        }
        let client = self.clients.remove(at);
        if let Some(who) = client.who() {
            // Who is out already leaves nothing behind.
            let _ = match &mut self.server {
                Server::Classic(_) if who.instance.is_some() => Ok(()),
                Server::Classic(classic) => classic.leave(now_us, who, Removal::Left),
                Server::Modern(modern) => modern.leave(now_us, who, false, Removal::Left),
            };
        }
        self.settle();
    }

    /// A process dies without a word.
    pub fn die(&mut self, now_us: u64, process: Consumer) {
        self.advance(now_us);
        self.clients.retain(|client| client.process != process);
    }

    /// A process commits offsets of what it owned.
    ///
    /// # Errors
    /// What the coordinator says; it is also why the process joins again at its next poll.
    pub fn commit(&mut self, now_us: u64, process: Consumer) -> Result<(), Fault> {
        self.advance(now_us);
        let at = self.find(process).ok_or(Fault::UnknownMemberId)?;
        let client = &self.clients[at];
        if client.stage == Stage::Fenced {
            return Err(Fault::FencedInstanceId);
        }
        let (Some(who), Some(generation)) = (client.who(), client.generation) else { return Err(Fault::UnknownMemberId) };
        let said = match &mut self.server {
            Server::Classic(classic) => classic.commit(now_us, who, generation),
            Server::Modern(modern) => modern.commit(now_us, who, generation),
        };
        self.hear(at, said);
        self.settle();
        said
    }

    /// The consuming code of a process without a heartbeat thread lets a heartbeat go, if one is due.
    ///
    /// # Errors
    /// What the coordinator says; the process joins again at its next poll.
    pub fn beat(&mut self, now_us: u64, process: Consumer) -> Result<(), Fault> {
        self.advance(now_us);
        let at = self.find(process).ok_or(Fault::UnknownMemberId)?;
        if self.clients[at].stage != Stage::Member || now_us < self.clients[at].beat_us.saturating_add(self.settings.heartbeat_us)
        {
            return Ok(());
        }
        let said = self.send_beat(at);
        self.settle();
        said
    }

    /// Topics have more partitions now, by topic number. To be told when members notice: at once under KIP-848, and in a
    /// classic group when its leader refreshes its metadata (`metadata.max.age.ms`, 5 min).
    pub fn grow(&mut self, now_us: u64, counts: Vec<u32>) {
        self.advance(now_us);
        match &mut self.server {
            Server::Classic(classic) => {
                let leader = classic.leader();
                if let Some(client) = self.clients.iter_mut().find(|client| client.id.is_some() && client.id == leader) {
                    client.must_join = true;
                }
            }
            Server::Modern(modern) => modern.grow(counts.clone()),
        }
        self.counts = counts;
        self.settle();
    }

    /// What a process takes for its own. A process that has not polled for long may be wrong.
    #[must_use]
    pub fn owned(&self, process: Consumer) -> &[Partition] {
        self.find(process).map_or(&[], |at| &self.clients[at].owned)
    }

    /// Whether the process has an assignment and need not join.
    #[must_use]
    pub fn is_member(&self, process: Consumer) -> bool {
        self.find(process).is_some_and(|at| self.clients[at].stage == Stage::Member && !self.clients[at].must_join)
    }

    /// When something happens next without a call.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let server = match &self.server {
            Server::Classic(classic) => classic.next_due_us(),
            Server::Modern(modern) => modern.next_due_us(),
        };
        let clients = self.clients.iter().filter_map(|client| sooner(client.beat_due_us, self.poll_due_us(client))).min();
        sooner(server, sooner(clients, self.mail.iter().map(|(due_us, ..)| *due_us).min()))
    }

    /// Lets everything happen that is due up to now, in order.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|&due_us| due_us <= now_us) {
            self.now_us = self.now_us.max(due_us);
            match &mut self.server {
                Server::Classic(classic) => classic.advance(due_us),
                Server::Modern(modern) => modern.advance(due_us),
            }
            self.read_mail();
            for at in 0..self.clients.len() {
                if self.poll_due_us(&self.clients[at]).is_some_and(|due_us| due_us <= self.now_us) {
                    self.overran(at);
                }
                if self.clients[at].beat_due_us.is_some_and(|due_us| due_us <= self.now_us) {
                    // What the answer means is kept in the client.
                    let _ = self.send_beat(at);
                }
            }
            self.settle();
        }
        self.now_us = self.now_us.max(now_us);
    }

    /// What happened since the last time someone asked, with the moments, in order.
    pub fn take_events(&mut self) -> Vec<(u64, Event)> {
        std::mem::take(&mut self.events)
    }

    fn find(&self, process: Consumer) -> Option<usize> {
        self.clients.iter().position(|client| client.process == process)
    }

    fn tell(&mut self, event: Event) {
        self.events.push((self.now_us, event));
    }

    fn poll_due_us(&self, client: &Client) -> Option<u64> {
        let watched = client.joiner.heartbeats == Heartbeats::Background && client.id.is_some() && !client.polling;
        watched.then(|| client.polled_us.saturating_add(self.settings.max_poll_us))
    }

    /// The handler took too long: the heartbeat thread takes the process out of the group. A static one goes without a word.
    fn overran(&mut self, at: usize) {
        if let Some(who) = self.clients[at].who() {
            // Who is out already need not leave.
            let _ = match &mut self.server {
                Server::Classic(_) if who.instance.is_some() => Ok(()),
                Server::Classic(classic) => classic.leave(self.now_us, who, Removal::PollTimeout),
                Server::Modern(modern) => modern.leave(self.now_us, who, false, Removal::PollTimeout),
            };
        }
        self.clients[at].reset(false);
    }

    /// What an answer of the coordinator means for the client.
    fn hear(&mut self, at: usize, said: Result<(), Fault>) {
        let client = &mut self.clients[at];
        match said {
            Ok(()) | Err(Fault::StaleMemberEpoch | Fault::GroupMaxSizeReached) => {}
            Err(Fault::RebalanceInProgress) => client.must_join = true,
            Err(Fault::IllegalGeneration) => client.reset(true),
            Err(Fault::UnknownMemberId | Fault::FencedMemberEpoch) => client.reset(false),
            Err(Fault::FencedInstanceId | Fault::UnreleasedInstanceId) => {
                client.reset(false);
                client.stage = Stage::Fenced;
                client.must_join = false;
                client.lost = false;
                let (process, owned) = (client.process, std::mem::take(&mut client.owned));
                self.tell(Event::Fenced(process));
                if !owned.is_empty() {
                    self.tell(Event::Lost(process, owned));
                }
            }
        }
    }

    fn send_beat(&mut self, at: usize) -> Result<(), Fault> {
        let now_us = self.now_us;
        let client = &mut self.clients[at];
        client.beat_us = now_us;
        client.beat_due_us = client.beats().then(|| now_us.saturating_add(self.settings.heartbeat_us));
        let (Some(who), Some(generation)) = (client.who(), client.generation) else { return Ok(()) };
        let said = match &mut self.server {
            Server::Classic(classic) => classic.heartbeat(now_us, who, generation),
            Server::Modern(modern) => {
                let topics = client.joiner.topics.clone();
                let beat = Beat { epoch: generation, topics, owned: None };
                modern.heartbeat(now_us, who, &beat).map(|told| self.learn(at, told))
            }
        };
        self.hear(at, said);
        said
    }

    /// Everything that follows from the last call without time passing.
    fn settle(&mut self) {
        loop {
            self.collect();
            self.read_mail();
            let ready = |client: &Client| client.polling && (client.told.is_some() || client.must_join && !waits(client));
            let Some(at) = self.clients.iter().position(ready) else { break };
            if self.clients[at].told.is_some() {
                self.reconcile(at);
            } else {
                self.join(at);
            }
        }
        self.collect();
    }

    /// Takes what the coordinator has to say.
    fn collect(&mut self) {
        let (removals, generation) = match &mut self.server {
            Server::Classic(classic) => {
                let due_us = self.now_us.saturating_add(self.settings.hop_us);
                self.mail.extend(classic.take_answers().into_iter().map(|(id, answer)| (due_us, id, answer)));
                let over = matches!(classic.phase(), Phase::CompletingRebalance | Phase::Stable);
                let generation = if over { classic.generation() } else { 0 };
                (classic.take_removals(), generation)
            }
            Server::Modern(modern) => (modern.take_removals(), modern.target_epoch()),
        };
        for (at_us, id, why) in removals {
            if let Some(known) = self.ids.iter().position(|(known, _)| *known == id) {
                let (_, process) = self.ids.swap_remove(known);
                // A static process that is back takes its own place: nobody is out.
                let back = |client: &Client| client.process == process && client.id != Some(id);
                if why != Removal::Fenced || !self.clients.iter().any(back) {
                    self.events.push((at_us, Event::Evicted(process, why)));
                }
            }
        }
        if generation > self.generation {
            self.generation = generation;
            self.tell(Event::Generation(generation));
        }
    }

    fn read_mail(&mut self) {
        while let Some(next) = self.mail.iter().position(|(due_us, ..)| *due_us <= self.now_us) {
            let (_, id, answer) = self.mail.remove(next);
            if let Some(at) = self.clients.iter().position(|client| client.id == Some(id)) {
                self.answered(at, answer);
                self.collect();
            }
        }
    }
}

/// Whether the client waits for an answer.
fn waits(client: &Client) -> bool {
    matches!(client.stage, Stage::Joining | Stage::Syncing)
}
