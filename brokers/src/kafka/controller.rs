//! What the controller does: it notices that a broker is gone, and decides who leads.
//!
//! Source: `ReplicationControlManager`, `PartitionChangeBuilder` and `BrokerHeartbeatManager` of Apache Kafka 4.0.

use super::error::Error;
use super::partition::{Commit, Happening, Partition};
use super::replica::{Fetch, Life, NEVER, Replica};

impl Partition {
    /// A broker's process is killed. What it had acknowledged is in its log and comes back with it.
    pub fn kill(&mut self, now_us: u64, broker: u32) {
        let Some(place) = self.alive(now_us, broker) else { return };
        let fence_us = now_us.saturating_add(self.options.session_us);
        let replica = self.replica_mut(place);
        replica.fence_us = replica.fence_us.min(fence_us);
        replica.life = Life::Down;
        replica.fetch = Fetch::Off;
        if self.leader == Some(place) {
            self.stop_fetching(now_us);
            self.refuse_waiting(now_us, Error::Disconnected);
        }
    }

    /// A broker hangs: it keeps its connections and answers nothing.
    pub fn freeze(&mut self, now_us: u64, broker: u32) {
        let Some(place) = self.alive(now_us, broker) else { return };
        let fence_us = now_us.saturating_add(self.options.session_us);
        let wait_us = self.options.fetch_wait_us;
        let replica = self.replica_mut(place);
        replica.catch_up_parked(now_us, wait_us);
        if let Fetch::Answered { stored_us, arrives_us, .. } = &mut replica.fetch
            && *stored_us > now_us
        {
            (*stored_us, *arrives_us) = (NEVER, NEVER);
        }
        replica.life = Life::Frozen;
        replica.fence_us = replica.fence_us.min(fence_us);
        if self.leader == Some(place) {
            self.stop_fetching(now_us);
        }
    }

    /// A broker that hung goes on, one that was killed is started again with the log it had. A broker that was killed is
    /// only registered again once its old session is over.
    pub fn start(&mut self, now_us: u64, broker: u32) {
        self.advance(now_us);
        let Some(place) = self.place_of(broker) else { return };
        let replica = self.replica_mut(place);
        match replica.life {
            Life::Up | Life::Starting => return,
            Life::Down if !replica.fenced => {
                replica.life = Life::Starting;
                return;
            }
            Life::Down | Life::Frozen => replica.life = Life::Up,
        }
        self.unfence(now_us, place);
    }

    /// A broker's disk is lost while it is down: it will come back with an empty log. If it was the last in-sync replica,
    /// it may lead with that. Source: the discussion of the last replica standing in KIP-966.
    pub fn lose_disk(&mut self, now_us: u64, broker: u32) {
        self.advance(now_us);
        let Some(place) = self.place_of(broker) else { return };
        let was_canon = self.canon == place && self.lost_canon.is_none();
        let replica = self.replica_mut(place);
        if replica.life == Life::Down {
            let log = std::mem::take(&mut replica.log);
            let to = log.end();
            replica.high_watermark = 0;
            if was_canon {
                self.lost_canon = Some(log);
            }
            self.happenings.push(Happening::Truncated { at_us: now_us, broker, from: 0, to });
        }
    }

    /// A controlled shutdown: the broker hands its leadership over before it stops, and leaves the in-sync set.
    pub fn shut_down(&mut self, now_us: u64, broker: u32) {
        let Some(place) = self.alive(now_us, broker) else { return };
        self.fence(now_us, place);
        let replica = self.replica_mut(place);
        replica.life = Life::Down;
        replica.fetch = Fetch::Off;
        if self.leader.is_none() {
            self.stop_fetching(now_us);
            self.refuse_waiting(now_us, Error::Disconnected);
        }
    }

    /// Gives leadership to the first replica of the list, if it is in sync: `kafka-leader-election --election-type preferred`.
    pub fn elect_preferred(&mut self, now_us: u64) {
        self.advance(now_us);
        if self.preferred_may_lead() {
            self.lead(now_us, 0);
        }
    }

    /// When the controller acts next by itself.
    pub(super) fn next_control_us(&self) -> u64 {
        let fence_us = self.replicas.iter().filter(|replica| !replica.fenced).map(|replica| replica.fence_us);
        let fence_us = fence_us.min().unwrap_or(NEVER);
        match self.options.rebalance_us.filter(|_| self.preferred_may_lead()) {
            Some(every_us) => {
                let every_us = every_us.max(1);
                let rounds = (self.now_us.saturating_sub(self.started_us) / every_us).saturating_add(1);
                fence_us.min(self.started_us.saturating_add(rounds.saturating_mul(every_us)))
            }
            None => fence_us,
        }
    }

    /// Fences whose session is over; looks at the preferred leader when it is time.
    pub(super) fn control(&mut self, now_us: u64) {
        for place in 0..u32::try_from(self.replicas.len()).unwrap_or(u32::MAX) {
            if self.replica(place).fence_us <= now_us && !self.replica(place).fenced {
                self.fence(now_us, place);
                if self.replica(place).life == Life::Starting {
                    self.replica_mut(place).life = Life::Up;
                    self.unfence(now_us, place);
                }
            }
        }
        let every_us = self.options.rebalance_us.map_or(NEVER, |every_us| every_us.max(1));
        let since_us = now_us.saturating_sub(self.started_us);
        if since_us > 0 && since_us.is_multiple_of(every_us) && self.preferred_may_lead() {
            self.lead(now_us, 0);
        }
    }

    /// The broker's place, if its process runs, with everything done that is due.
    fn alive(&mut self, now_us: u64, broker: u32) -> Option<u32> {
        self.advance(now_us);
        let place = self.place_of(broker)?;
        self.store(place as usize, now_us);
        matches!(self.replica(place).life, Life::Up | Life::Frozen).then_some(place)
    }

    /// The controller counts on this broker no more. The last member stays in the in-sync set, so that only it can lead again.
    fn fence(&mut self, now_us: u64, place: u32) {
        let others = self.replicas.iter().filter(|replica| replica.in_sync).count() > 1;
        let replica = self.replica_mut(place);
        replica.fenced = true;
        replica.fence_us = NEVER;
        let leaves = replica.in_sync && others;
        let broker = replica.broker;
        if leaves && self.options.commit == Commit::EveryInSync {
            self.replica_mut(place).in_sync = false;
            self.happenings.push(Happening::InSync { at_us: now_us, broker, joined: false });
        }
        if self.leader == Some(place) {
            self.elect(now_us);
        } else {
            self.raise_high_watermark(now_us);
        }
    }

    fn unfence(&mut self, now_us: u64, place: u32) {
        let replica = self.replica_mut(place);
        replica.fenced = false;
        replica.fence_us = NEVER;
        match self.leader {
            None => self.elect(now_us),
            Some(leader) if leader == place => self.follow_all(now_us),
            Some(_) => self.follow(now_us, place),
        }
    }

    /// Finds a leader: an in-sync replica in order of preference; without one, any, if that is allowed.
    fn elect(&mut self, now_us: u64) {
        let find = |fits: &dyn Fn(&Replica) -> bool| {
            let mut all = (0..).zip(&self.replicas);
            all.find(|(_, replica)| !replica.fenced && fits(replica)).map(|(place, _)| place)
        };
        let next = match self.options.commit {
            Commit::EveryInSync => find(&|replica| replica.in_sync)
                .or_else(|| self.options.unclean.then(|| find(&|replica| replica.life == Life::Up)).flatten()),
            Commit::Majority => self.longest_of_a_majority(),
        };
        match next {
            Some(place) => self.lead(now_us, place),
            None if self.leader.take().is_some() => {
                self.stop_fetching(now_us);
                let (epoch, end) = (self.epoch, self.log_end());
                self.happenings.push(Happening::Leader { at_us: now_us, broker: None, epoch, kept: end, end });
                self.refuse_waiting(now_us, Error::NotLeader);
            }
            None => {}
        }
    }

    /// Raft: a majority votes, and only for a log that is no shorter than its own. Source: the Raft paper, 5.4.1.
    fn longest_of_a_majority(&self) -> Option<u32> {
        let voters = (0..).zip(&self.replicas).filter(|(_, replica)| !replica.fenced && replica.life == Life::Up);
        let rank = |replica: &Replica| (replica.accepted, replica.log.end());
        let mut best: Option<u32> = None;
        let mut votes = 0;
        for (place, replica) in voters {
            votes += 1;
            if best.is_none_or(|best| rank(replica) > rank(self.replica(best))) {
                best = Some(place);
            }
        }
        best.filter(|_| votes > self.replicas.len() / 2)
    }

    fn preferred_may_lead(&self) -> bool {
        let preferred = self.replica(0);
        let fits = preferred.in_sync && !preferred.fenced && preferred.life == Life::Up;
        let has_all = |leader: u32| preferred.accepted == self.epoch && preferred.log.end() == self.replica(leader).log.end();
        fits && match self.options.commit {
            Commit::EveryInSync => self.leader.is_some_and(|leader| leader != 0),
            // Raft's leader hands over to one that has its whole log.
            Commit::Majority => self.running_leader().is_some_and(|leader| leader != 0 && has_all(leader)),
        }
    }

    /// Makes a replica the leader of a new epoch. Source: `Partition.makeLeader`.
    fn lead(&mut self, now_us: u64, place: u32) {
        self.stop_fetching(now_us);
        self.refuse_waiting(now_us, Error::NotLeader);
        self.epoch = self.epoch.saturating_add(1);
        let canon = self.lost_canon.take().unwrap_or_else(|| self.replica(self.canon).log.clone());
        let kept = canon.common_end(&self.replica(place).log);
        self.leader = Some(place);
        self.canon = place;
        let clean = self.replica(place).in_sync;
        for (other, replica) in (0..).zip(&mut self.replicas) {
            if !clean && replica.in_sync != (other == place) {
                replica.in_sync = other == place;
                self.happenings.push(Happening::InSync { at_us: now_us, broker: replica.broker, joined: other == place });
            }
        }
        let end = self.replica(place).log.end();
        self.epoch_start = end;
        self.replica_mut(place).accepted = self.epoch;
        let (broker, epoch) = (self.replica(place).broker, self.epoch);
        self.happenings.push(Happening::Leader { at_us: now_us, broker: Some(broker), epoch, kept, end });
        for replica in &mut self.replicas {
            replica.known_end = 0;
            replica.caught_up_us = if replica.in_sync { now_us } else { 0 };
            replica.last_fetch_us = now_us;
            replica.leader_end_at_last_fetch = end;
        }
        self.follow_all(now_us);
        self.raise_high_watermark(now_us);
    }

    fn follow_all(&mut self, now_us: u64) {
        for place in 0..u32::try_from(self.replicas.len()).unwrap_or(u32::MAX) {
            if self.leader != Some(place) && self.replica(place).life == Life::Up {
                self.follow(now_us, place);
            }
        }
    }

    /// A replica learns who leads: it throws away what that one does not have, and begins to ask.
    fn follow(&mut self, now_us: u64, place: u32) {
        let Some(leader) = self.running_leader() else { return };
        let kept = self.replica(place).log.common_end(&self.replica(leader).log);
        let arrives_us = now_us.saturating_add(self.options.fetch_us.max(1) / 2);
        let replica = self.replica_mut(place);
        let (broker, to) = (replica.broker, replica.log.end());
        if kept < to {
            replica.log.truncate(kept);
            replica.high_watermark = replica.high_watermark.min(kept);
            self.happenings.push(Happening::Truncated { at_us: now_us, broker, from: kept, to });
        }
        let epoch = self.epoch;
        let replica = self.replica_mut(place);
        if replica.accepted != epoch {
            replica.accepted = replica.log.lineage().last().map_or(0, |last| last.epoch);
        }
        let (end, high_watermark) = (replica.log.end(), replica.high_watermark);
        replica.fetch = Fetch::Answered { stored_us: now_us, arrives_us, end, high_watermark };
    }

    /// Nobody answers any more: followers keep what has reached them.
    fn stop_fetching(&mut self, now_us: u64) {
        for place in 0..self.replicas.len() {
            self.store(place, now_us);
            self.replicas[place].catch_up_parked(now_us, self.options.fetch_wait_us);
            self.replicas[place].fetch = Fetch::Off;
        }
    }
}
