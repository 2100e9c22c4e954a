//! How followers copy the leader's log, how the leader moves the high watermark, and who is in sync.

use super::partition::{Commit, Happening, Partition};
use super::replica::{Fetch, Life, NEVER, Replica};

impl Partition {
    /// When the next request of a follower reaches the leader, or a parked one has to be answered.
    pub(super) fn next_fetch_us(&self) -> u64 {
        let Some(leader) = self.running_leader() else { return NEVER };
        let high_watermark = self.replica(leader).high_watermark;
        let due_us = self.replicas.iter().map(|replica| match replica.fetch {
            Fetch::Answered { arrives_us, .. } => arrives_us,
            // An empty round changes nothing but the follower's high watermark, so only that is worth an event.
            Fetch::Parked { since_us } if replica.life == Life::Up && replica.high_watermark < high_watermark => {
                round_end(since_us, self.now_us, self.options.fetch_wait_us)
            }
            Fetch::Parked { .. } | Fetch::Off => NEVER,
        });
        due_us.min().unwrap_or(NEVER)
    }

    /// Handles every request of a follower that is due.
    pub(super) fn replicate(&mut self, now_us: u64) {
        let Some(leader) = self.running_leader() else { return };
        for place in 0..self.replicas.len() {
            match self.replicas[place].fetch {
                Fetch::Answered { arrives_us, .. } if arrives_us <= now_us => {
                    self.store(place, now_us);
                    self.asked(place, leader, now_us);
                }
                Fetch::Parked { .. } => {
                    let behind = self.replicas[place].high_watermark < self.replica(leader).high_watermark;
                    self.replicas[place].catch_up_parked(now_us, self.options.fetch_wait_us);
                    if behind && self.replicas[place].fetch == (Fetch::Parked { since_us: now_us }) {
                        self.answer(place, leader, now_us);
                    }
                }
                Fetch::Answered { .. } | Fetch::Off => {}
            }
        }
    }

    /// A follower's request arrives: it tells the leader how far the follower is.
    fn asked(&mut self, place: usize, leader: u32, now_us: u64) {
        let (end, high_watermark) = (self.replica(leader).log.end(), self.replica(leader).high_watermark);
        let (epoch, epoch_start) = (self.epoch, self.epoch_start);
        let replica = &mut self.replicas[place];
        replica.asked(now_us, end);
        if replica.log.end() >= epoch_start {
            replica.accepted = epoch;
        }
        // Source: `Partition.isFollowerInSync` and `isReplicaIsrEligible`.
        if !replica.in_sync && !replica.fenced && replica.log.end() >= high_watermark && replica.log.end() >= epoch_start {
            replica.in_sync = true;
            let broker = replica.broker;
            self.happenings.push(Happening::InSync { at_us: now_us, broker, joined: true });
        }
        let behind = replica_is_behind(&self.replicas[place], self.log_start, end);
        self.raise_high_watermark(now_us);
        if behind {
            self.answer(place, leader, now_us);
        } else if self.replicas[place].fetch != Fetch::Off {
            self.replicas[place].fetch = Fetch::Parked { since_us: now_us };
            self.answer_if_watermark_is_news(place, leader, now_us);
        }
    }

    /// The leader appended: requests that waited for it get their answer.
    pub(super) fn answer_parked(&mut self, now_us: u64) {
        let Some(leader) = self.running_leader() else { return };
        for place in 0..self.replicas.len() {
            if matches!(self.replicas[place].fetch, Fetch::Parked { .. }) {
                self.replicas[place].catch_up_parked(now_us, self.options.fetch_wait_us);
                self.answer(place, leader, now_us);
            }
        }
    }

    /// Sends a follower what it asked for.
    fn answer(&mut self, place: usize, leader: u32, now_us: u64) {
        let (log_start, most, fetch_us) = (self.log_start, self.options.fetch_most.max(1), self.options.fetch_us.max(1));
        let (end, high_watermark) = (self.replica(leader).log.end(), self.replica(leader).high_watermark);
        let replica = &mut self.replicas[place];
        let from = replica.log.end().max(log_start);
        let hangs = replica.life != Life::Up;
        replica.fetch = Fetch::Answered {
            stored_us: if hangs { NEVER } else { now_us.saturating_add(fetch_us / 2) },
            arrives_us: if hangs { NEVER } else { now_us.saturating_add(fetch_us) },
            end: end.min(from.saturating_add(most)),
            high_watermark,
        };
    }

    /// A follower writes down the answer it has.
    pub(super) fn store(&mut self, place: usize, now_us: u64) {
        let Some(leader) = self.leader else { return };
        let Fetch::Answered { stored_us, end, high_watermark, .. } = self.replicas[place].fetch else { return };
        if stored_us > now_us || place == leader as usize {
            return;
        }
        let mut log = std::mem::take(&mut self.replicas[place].log);
        if end > log.end() {
            log.copy_from(&self.replica(leader).log, end);
        }
        let replica = &mut self.replicas[place];
        let to = high_watermark.min(log.end());
        replica.log = log;
        if to > replica.high_watermark {
            replica.high_watermark = to;
            let broker = replica.broker;
            if self.options.follower_reads {
                self.happenings.push(Happening::FollowerWatermark { at_us: now_us, broker, to });
            }
        }
    }

    /// Moves the high watermark to where every replica that counts has come.
    /// Source: `Partition.maybeIncrementLeaderHW`; since 3.7 it stands still below `min.insync.replicas` (KIP-966).
    pub(super) fn raise_high_watermark(&mut self, now_us: u64) {
        let Some(leader) = self.running_leader() else { return };
        if self.is_under_min_insync() && !self.options.watermark_below_min {
            return;
        }
        let end = self.replica(leader).log.end();
        let to = match self.options.commit {
            Commit::EveryInSync => self.least_known_end(now_us, leader, end),
            Commit::Majority => self.majority_end(leader, end),
        };
        if to > self.replica(leader).high_watermark {
            self.replica_mut(leader).high_watermark = to;
            self.happenings.push(Happening::HighWatermark { at_us: now_us, to });
            for place in 0..self.replicas.len() {
                self.answer_if_watermark_is_news(place, leader, now_us);
            }
        }
        self.answer_committed(now_us);
    }

    /// A replica that is caught up but not in the set yet counts too: otherwise the watermark runs away from it for ever.
    fn least_known_end(&self, now_us: u64, leader: u32, end: u64) -> u64 {
        let lag_max_us = self.options.lag_max_us;
        let counts = (0..).zip(&self.replicas).filter(|(place, replica)| {
            let joins = !replica.fenced && replica.life == Life::Up && replica.is_caught_up(now_us, end, lag_max_us);
            *place != leader && (replica.in_sync || joins)
        });
        counts.map(|(_, replica)| replica.known_end).fold(end, u64::min)
    }

    /// The largest offset that a majority has. Nothing counts before all of the leader's first log does: Raft commits what
    /// earlier leaders wrote only together with a record of its own. Source: the Raft paper, 5.4.2.
    fn majority_end(&self, leader: u32, end: u64) -> u64 {
        let known = |place: u32| if place == leader { end } else { self.replica(place).known_end };
        let places = 0..u32::try_from(self.replicas.len()).unwrap_or(u32::MAX);
        let majority = self.replicas.len() / 2 + 1;
        let reached = |to: u64| places.clone().filter(|place| known(*place) >= to).count() >= majority;
        places.clone().map(known).filter(|to| *to >= self.epoch_start && reached(*to)).max().unwrap_or(0)
    }

    fn answer_if_watermark_is_news(&mut self, place: usize, leader: u32, now_us: u64) {
        let news = self.replicas[place].high_watermark < self.replica(leader).high_watermark;
        if self.options.follower_reads && news && matches!(self.replicas[place].fetch, Fetch::Parked { .. }) {
            self.answer(place, leader, now_us);
        }
    }

    /// The first check that finds an in-sync follower too far behind. The leader looks every half of the lag it allows.
    pub(super) fn next_shrink_us(&self) -> u64 {
        let Some(leader) = self.running_leader().filter(|_| self.options.commit == Commit::EveryInSync) else { return NEVER };
        let (end, lag_max_us) = (self.replica(leader).log.end(), self.options.lag_max_us);
        let every_us = (lag_max_us / 2).max(1);
        let late =
            (0..).zip(&self.replicas).filter(|(place, replica)| *place != leader && replica.in_sync && replica.known_end != end);
        let due_us = late.map(|(_, replica)| {
            let too_late_us = replica.caught_up_us.saturating_add(lag_max_us).saturating_add(1).max(self.now_us);
            let since_us = too_late_us.saturating_sub(self.started_us);
            self.started_us.saturating_add(since_us.div_ceil(every_us).saturating_mul(every_us))
        });
        due_us.min().unwrap_or(NEVER)
    }

    /// Takes followers out of the in-sync set that have been behind for too long, if this is a moment of checking.
    pub(super) fn shrink_in_sync(&mut self, now_us: u64) {
        if self.next_shrink_us() > now_us {
            return;
        }
        let Some(leader) = self.running_leader() else { return };
        let (end, lag_max_us) = (self.replica(leader).log.end(), self.options.lag_max_us);
        for (place, replica) in (0..).zip(&mut self.replicas) {
            if place != leader && replica.in_sync && !replica.is_caught_up(now_us, end, lag_max_us) {
                replica.in_sync = false;
                self.happenings.push(Happening::InSync { at_us: now_us, broker: replica.broker, joined: false });
            }
        }
        self.raise_high_watermark(now_us);
    }
}

fn replica_is_behind(replica: &Replica, log_start: u64, end: u64) -> bool {
    replica.log.end().max(log_start) < end
}

/// When the round that runs at this moment ends.
fn round_end(since_us: u64, now_us: u64, wait_us: u64) -> u64 {
    let wait_us = wait_us.max(1);
    let rounds = now_us.saturating_sub(since_us) / wait_us + 1;
    since_us.saturating_add(rounds.saturating_mul(wait_us))
}
