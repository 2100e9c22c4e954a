//! A partition with its replicas: who leads, what is committed, who may write and what is acknowledged when.
//!
//! Records live with the caller, who keeps the leader's log; [`Happening::Leader`] and [`Happening::Truncated`] tell what of
//! it is gone. Source: `Partition.scala`, `ReplicaManager.scala` and `ReplicationControlManager` of Apache Kafka 4.0.

use std::collections::VecDeque;

use super::error::Error;
use super::replica::{EpochStart, Fetch, Life, Log, NEVER, Replica};

/// When a record counts as committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// Every in-sync replica has it: Kafka.
    EveryInSync,
    /// A majority of the replicas has it, whoever is slow: Redpanda, which replicates by Raft.
    Majority,
}

/// How a partition behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// When a record counts as committed.
    pub commit: Commit,
    /// `min.insync.replicas`. More than there are replicas counts as all of them.
    pub min_insync: u32,
    /// Whether the high watermark moves below `min.insync.replicas`, as it did before Kafka 3.7: readers get what `acks=all`
    /// is then refused for with [`Error::NotEnoughReplicasAfterAppend`].
    pub watermark_below_min: bool,
    /// `replica.lag.time.max.ms`, checked every half of it.
    pub lag_max_us: u64,
    /// `unclean.leader.election.enable`.
    pub unclean: bool,
    /// From a leader's answer to the follower's next request.
    pub fetch_us: u64,
    /// The most records one answer brings a follower: how fast it catches up.
    pub fetch_most: u64,
    /// `replica.fetch.wait.max.ms`.
    pub fetch_wait_us: u64,
    /// Whether followers hear of a new high watermark at once: only with a `replica.selector.class`.
    pub follower_reads: bool,
    /// `broker.session.timeout.ms`: a broker that sends no heartbeat for so long is fenced. For Redpanda, how long until
    /// the others elect.
    pub session_us: u64,
    /// The `request.timeout.ms` that a producer sends along: how long `acks=all` waits.
    pub request_timeout_us: u64,
    /// `leader.imbalance.check.interval.seconds`; [`None`] is `auto.leader.rebalance.enable=false`.
    pub rebalance_us: Option<u64>,
}

impl Default for Options {
    /// What Kafka 4.0 ships, on a network of 2 ms.
    fn default() -> Self {
        Self {
            commit: Commit::EveryInSync,
            min_insync: 1,
            watermark_below_min: false,
            lag_max_us: 30_000_000,
            unclean: false,
            fetch_us: 2_000,
            fetch_most: 10_000,
            fetch_wait_us: 500_000,
            follower_reads: false,
            session_us: 9_000_000,
            request_timeout_us: 30_000_000,
            rebalance_us: Some(300_000_000),
        }
    }
}

/// What a producer waits for: `acks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acks {
    /// Nothing; it never hears of an error either.
    None,
    /// The leader.
    Leader,
    /// Every in-sync replica, at least `min.insync.replicas`.
    All,
}

/// What became of an append that the leader took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The first record's offset.
    pub base: u64,
    /// The epoch that names the records.
    pub epoch: u32,
    /// Whether the producer has its answer; otherwise [`Happening::Answered`] brings it.
    pub answered: bool,
}

/// What happened by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// An append that waited has its answer.
    Answered {
        /// When.
        at_us: u64,
        /// What the caller named it.
        ticket: u64,
        /// Acknowledged, or why not.
        result: Result<(), Error>,
    },
    /// Readers may read up to here.
    HighWatermark {
        /// When.
        at_us: u64,
        /// The first offset that they may not read.
        to: u64,
    },
    /// Readers may read up to here at a follower: told only with [`Options::follower_reads`].
    FollowerWatermark {
        /// When.
        at_us: u64,
        /// Whose.
        broker: u32,
        /// The first offset that they may not read there.
        to: u64,
    },
    /// Another leader, or none.
    Leader {
        /// When.
        at_us: u64,
        /// Who leads.
        broker: Option<u32>,
        /// Its epoch.
        epoch: u32,
        /// Up to where its log is the one of the leader before: what that one took from here on is not in the log any more.
        kept: u64,
        /// Where its log ends. Above `kept` only where a replica leads that had never truncated: records of older epochs are back.
        end: u64,
    },
    /// A replica threw away what the leader does not have, or its disk was lost.
    Truncated {
        /// When.
        at_us: u64,
        /// Whose log.
        broker: u32,
        /// The first offset thrown away.
        from: u64,
        /// Where its log ended.
        to: u64,
    },
    /// The in-sync set is another one.
    InSync {
        /// When.
        at_us: u64,
        /// Who left or came.
        broker: u32,
        /// Whether it came.
        joined: bool,
    },
}

/// An `acks=all` that waits for the high watermark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) ticket: u64,
    pub(super) end: u64,
    pub(super) deadline_us: u64,
}

/// A partition.
#[derive(Clone, Debug)]
pub struct Partition {
    pub(super) options: Options,
    pub(super) started_us: u64,
    pub(super) now_us: u64,
    pub(super) epoch: u32,
    /// Index of the leader in `replicas`.
    pub(super) leader: Option<u32>,
    /// Who led last: whose log the caller keeps.
    pub(super) canon: u32,
    /// What that one's log was, where its disk was lost since.
    pub(super) lost_canon: Option<Log>,
    /// Where the leader's log ended when it became the leader.
    pub(super) epoch_start: u64,
    pub(super) log_start: u64,
    /// In order of preference.
    pub(super) replicas: Vec<Replica>,
    pub(super) waits: VecDeque<Wait>,
    pub(super) happenings: Vec<Happening>,
}

impl Partition {
    /// A new partition on these brokers, the first of them its preferred leader. At least one broker.
    #[must_use]
    pub fn new(now_us: u64, options: Options, brokers: &[u32]) -> Self {
        let brokers = if brokers.is_empty() { &[0][..] } else { brokers };
        let mut partition = Self {
            options,
            started_us: now_us,
            now_us,
            epoch: 0,
            leader: Some(0),
            canon: 0,
            lost_canon: None,
            epoch_start: 0,
            log_start: 0,
            replicas: brokers.iter().map(|broker| Replica::new(*broker, now_us)).collect(),
            waits: VecDeque::new(),
            happenings: Vec::new(),
        };
        for replica in partition.replicas.iter_mut().skip(1) {
            replica.fetch = Fetch::Parked { since_us: now_us };
        }
        partition
    }

    /// A producer's batch arrives at the leader. `ticket` names it in [`Happening::Answered`].
    ///
    /// # Errors
    /// Why nothing was written: [`Error::NotLeader`] without a leader, [`Error::Disconnected`] when its process is gone,
    /// [`Error::TimedOut`] when it hangs, [`Error::NotEnoughReplicas`] for `acks=all` below `min.insync.replicas`.
    pub fn append(&mut self, now_us: u64, records: u64, acks: Acks, ticket: u64) -> Result<Appended, Error> {
        self.advance(now_us);
        let Some(leader) = self.leader else { return Err(Error::NotLeader) };
        match self.replica(leader).life {
            Life::Up => {}
            Life::Frozen => return Err(Error::TimedOut),
            Life::Down | Life::Starting => return Err(Error::Disconnected),
        }
        if acks == Acks::All && self.is_under_min_insync() {
            return Err(Error::NotEnoughReplicas);
        }
        let epoch = self.epoch;
        let log = &mut self.replica_mut(leader).log;
        let base = log.end();
        log.append(epoch, records);
        let end = log.end();
        self.answer_parked(now_us);
        self.raise_high_watermark(now_us);
        let answered = acks != Acks::All || self.high_watermark() >= end;
        if !answered {
            let deadline_us = now_us.saturating_add(self.options.request_timeout_us);
            self.waits.push_back(Wait { ticket, end, deadline_us });
        }
        Ok(Appended { base, epoch, answered })
    }

    /// The broker that leads.
    #[must_use]
    pub fn leader(&self) -> Option<u32> {
        self.leader.map(|leader| self.replica(leader).broker)
    }

    /// The leader's epoch.
    #[must_use]
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Where the leader's log ends; without a leader, where the last one's did.
    #[must_use]
    pub fn log_end(&self) -> u64 {
        self.replica(self.canon).log.end()
    }

    /// The first offset that is still there.
    #[must_use]
    pub fn log_start(&self) -> u64 {
        self.log_start
    }

    /// Retention or a deletion of records moved the log's start. It never goes back, nor beyond the high watermark.
    pub fn raise_log_start(&mut self, to: u64) {
        self.log_start = self.log_start.max(to.min(self.high_watermark()));
    }

    /// Up to where readers at the leader may read.
    #[must_use]
    pub fn high_watermark(&self) -> u64 {
        self.replica(self.canon).high_watermark
    }

    /// Up to where readers may read at this broker: the leader, or a follower, which knows an older high watermark (KIP-392).
    ///
    /// # Errors
    /// [`Error::NotLeader`] when the broker has no replica or there is no leader, [`Error::Disconnected`] or
    /// [`Error::TimedOut`] when its process does not answer.
    pub fn readable_at(&mut self, now_us: u64, broker: u32) -> Result<u64, Error> {
        self.advance(now_us);
        let replica = self.replicas.iter().find(|replica| replica.broker == broker).ok_or(Error::NotLeader)?;
        match replica.life {
            Life::Up if self.leader.is_none() => Err(Error::NotLeader),
            Life::Up => Ok(replica.high_watermark),
            Life::Frozen => Err(Error::TimedOut),
            Life::Down | Life::Starting => Err(Error::Disconnected),
        }
    }

    /// Where a reader is sent that asks for the nearest replica: to the first in-sync follower that runs, else to the leader.
    /// A follower goes on while its leader hangs or is dead and not missed yet. None without a leader, or where nobody runs.
    ///
    /// Source: `ReplicaManager.findPreferredReadReplica`, which leaves out who is not in sync. Simplified: the leader's choice
    /// is in force at once; a client asks its leader again with its next metadata, or when its follower does not answer.
    #[must_use]
    pub fn nearest(&self) -> Option<&Replica> {
        let leader = self.leader()?;
        let runs = |replica: &&Replica| replica.life == Life::Up;
        let follows = |replica: &&Replica| replica.broker != leader && replica.in_sync && !replica.fenced;
        let followers = self.replicas.iter().filter(runs).find(follows);
        followers.or_else(|| self.replicas.iter().filter(runs).find(|replica| replica.broker == leader))
    }

    /// Every replica, in order of preference.
    #[must_use]
    pub fn replicas(&self) -> &[Replica] {
        &self.replicas
    }

    /// The brokers of the in-sync set, in order of preference.
    pub fn in_sync(&self) -> impl Iterator<Item = u32> {
        self.replicas.iter().filter(|replica| replica.in_sync).map(|replica| replica.broker)
    }

    /// How many replicas are not in the in-sync set: above zero the partition is under-replicated.
    #[must_use]
    pub fn missing(&self) -> u32 {
        count(self.replicas.iter().filter(|replica| !replica.in_sync))
    }

    /// Whether the in-sync set is smaller than `min.insync.replicas`.
    #[must_use]
    pub fn is_under_min_insync(&self) -> bool {
        let replicas = count(self.replicas.iter());
        self.options.commit == Commit::EveryInSync && replicas - self.missing() < self.options.min_insync.min(replicas)
    }

    /// Which leaders wrote the log that readers see.
    #[must_use]
    pub fn lineage(&self) -> &[EpochStart] {
        self.replica(self.canon).log.lineage()
    }

    /// What happened since the last time someone asked, in order. To be asked before the next append: what it tells of the
    /// log is told as of then.
    pub fn take_happenings(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.happenings)
    }

    /// When something happens next without a call.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let mut due_us = self.waits.front().map_or(NEVER, |wait| wait.deadline_us);
        due_us = due_us.min(self.next_fetch_us()).min(self.next_shrink_us()).min(self.next_control_us());
        (due_us < NEVER).then_some(due_us.max(self.now_us))
    }

    /// Lets everything happen that is due up to now, in order.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            self.now_us = due_us;
            self.replicate(due_us);
            self.shrink_in_sync(due_us);
            self.control(due_us);
            self.time_out(due_us);
        }
        self.now_us = self.now_us.max(now_us);
    }

    /// Answers what the high watermark has reached. Source: `Partition.checkEnoughReplicasReachOffset`.
    pub(super) fn answer_committed(&mut self, now_us: u64) {
        let (high_watermark, under) = (self.high_watermark(), self.is_under_min_insync());
        while let Some(wait) = self.waits.pop_front_if(|wait| wait.end <= high_watermark) {
            let result = if under { Err(Error::NotEnoughReplicasAfterAppend) } else { Ok(()) };
            self.happenings.push(Happening::Answered { at_us: now_us, ticket: wait.ticket, result });
        }
    }

    /// Answers everything that waits with an error.
    pub(super) fn refuse_waiting(&mut self, now_us: u64, error: Error) {
        while let Some(wait) = self.waits.pop_front() {
            self.happenings.push(Happening::Answered { at_us: now_us, ticket: wait.ticket, result: Err(error) });
        }
    }

    fn time_out(&mut self, now_us: u64) {
        while let Some(wait) = self.waits.pop_front_if(|wait| wait.deadline_us <= now_us) {
            self.happenings.push(Happening::Answered { at_us: now_us, ticket: wait.ticket, result: Err(Error::TimedOut) });
        }
    }

    pub(super) fn replica(&self, place: u32) -> &Replica {
        &self.replicas[place as usize]
    }

    pub(super) fn replica_mut(&mut self, place: u32) -> &mut Replica {
        &mut self.replicas[place as usize]
    }

    pub(super) fn place_of(&self, broker: u32) -> Option<u32> {
        (0..).zip(&self.replicas).find(|(_, replica)| replica.broker == broker).map(|(place, _)| place)
    }

    /// The leader, while its process runs.
    pub(super) fn running_leader(&self) -> Option<u32> {
        self.leader.filter(|leader| self.replica(*leader).life == Life::Up)
    }
}

fn count<'a>(replicas: impl Iterator<Item = &'a Replica>) -> u32 {
    u32::try_from(replicas.count()).unwrap_or(u32::MAX)
}
