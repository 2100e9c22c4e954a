//! A log with replicas, at work in a world.
//!
//! Who leads, what is committed and what an election costs is a machine's of `redrive-brokers`, one for each partition; it
//! counts offsets. The records are the log's: they are cut where a new leader does not have them, and come back where a
//! replica leads that still has them.

mod replication;

use redrive_brokers::kafka::error::Error;
use redrive_brokers::kafka::partition::{Acks, Commit, Options, Partition};
use redrive_brokers::kafka::replica::{EpochStart, Life, Replica};

use super::log::Log;
use crate::message::Message;
use crate::observe::record::Cause;
use crate::scenario::choices;
use crate::scenario::choices::{LogBroker, Partitioner};
use crate::scenario::parts::LogSettings;
use crate::sim::{Handle, Timestamp};
use crate::view::ReplicaView;

/// A record that the leader does not have, and another replica may.
#[derive(Clone, Copy, Debug)]
struct Cut {
    partition: u32,
    offset: u64,
    epoch: u32,
    record: Message,
}

/// The replicas of a log.
#[derive(Clone, Debug)]
pub struct Replicas {
    /// The machine of each partition.
    pub partitions: Vec<Partition>,
    /// Elections so far.
    pub elections: u64,
    /// Which leader took what of the records that the log holds, a partition.
    lineages: Vec<Vec<EpochStart>>,
    cut: Vec<Cut>,
    alarm_us: Option<Timestamp>,
}

/// The machine's settings for a log that is this many thousandths slow.
fn options(settings: &LogSettings, slow_milli: u64, follower_reads: bool) -> Options {
    Options {
        commit: match settings.broker {
            LogBroker::Generic | LogBroker::Kafka => Commit::EveryInSync,
            LogBroker::Redpanda => Commit::Majority,
        },
        min_insync: settings.min_insync as u32,
        lag_max_us: settings.replica_lag.0,
        unclean: settings.unclean,
        fetch_us: settings.replicate.0.saturating_mul(slow_milli) / 1_000,
        session_us: settings.election.0,
        // The brokers' `replica.selector.class` counts as set where a group asks for the nearest.
        follower_reads,
        ..Options::default()
    }
}

fn acks(settings: &LogSettings) -> Acks {
    match settings.acks {
        choices::Acks::All => Acks::All,
        choices::Acks::Leader => Acks::Leader,
        choices::Acks::None => Acks::None,
    }
}

fn cause(error: Error) -> Cause {
    match error {
        Error::NotEnoughReplicas | Error::NotEnoughReplicasAfterAppend => Cause::TooFewInSync,
        Error::TimedOut => Cause::NoAnswer,
        _ => Cause::NoLeader,
    }
}

/// A handle as the machines' ticket.
fn ticket(call: Handle) -> u64 {
    u64::from(call.slot) << 32 | u64::from(call.generation)
}

fn call(ticket: u64) -> Handle {
    Handle { slot: (ticket >> 32) as u32, generation: ticket as u32 }
}

/// The ticket of what nobody waits for.
pub(super) const NOBODY: u64 = u64::MAX;

impl Replicas {
    /// The replicas of a new log; none where it has only one. Kafka asks for no more in sync than there are
    /// (`Partition.effectiveMinIsr`).
    #[must_use]
    pub fn new(settings: &LogSettings) -> Option<Box<Self>> {
        if settings.replicas < 2 {
            return None;
        }
        let mut replicas = Self { partitions: Vec::new(), elections: 0, lineages: Vec::new(), cut: Vec::new(), alarm_us: None };
        replicas.grow(0, settings);
        Some(Box::new(replicas))
    }

    /// Adds partitions up to what the settings say. There are as many brokers as replicas; they lead in turn.
    pub fn grow(&mut self, now_us: Timestamp, settings: &LogSettings) {
        let brokers = settings.replicas as u32;
        for partition in self.partitions.len() as u32..settings.partitions as u32 {
            let on: Vec<u32> = (0..brokers).map(|place| (partition + place) % brokers).collect();
            self.partitions.push(Partition::new(now_us, options(settings, 1_000, false), &on));
            self.lineages.push(Vec::new());
        }
    }

    /// Whether someone leads a partition and runs.
    #[must_use]
    pub fn is_led(&self, partition: usize) -> bool {
        let machine = &self.partitions[partition];
        machine.leader().is_some_and(|leader| {
            machine.replicas().iter().any(|replica| replica.broker() == leader && replica.life() == Life::Up)
        })
    }

    /// Partitions with a replica that is not in sync, the smallest in-sync set of any partition, and elections so far.
    #[must_use]
    pub fn figures(&self) -> (u64, u64, u64) {
        let under = self.partitions.iter().filter(|machine| machine.missing() > 0).count() as u64;
        let least = self.partitions.iter().map(|machine| machine.in_sync().count()).min().unwrap_or(0) as u64;
        (under, least, self.elections)
    }

    /// The replicas of a partition as they are drawn; with readers who ask for the nearest, or none.
    #[must_use]
    pub fn views(&self, partition: usize, near: bool) -> Vec<ReplicaView> {
        let machine = &self.partitions[partition];
        let read = machine.nearest().filter(|_| near).map(Replica::broker);
        let view = |replica: &Replica| ReplicaView {
            broker: replica.broker() + 1,
            end: replica.log().end(),
            leads: machine.leader() == Some(replica.broker()),
            in_sync: replica.is_in_sync(),
            up: replica.life() == Life::Up,
            read: read == Some(replica.broker()),
        };
        machine.replicas().iter().map(view).collect()
    }

    fn took(&mut self, partition: u32, epoch: u32, offset: u64) {
        let lineage = &mut self.lineages[partition as usize];
        if lineage.last().is_none_or(|last| last.epoch != epoch) {
            lineage.push(EpochStart { epoch, from: offset });
        }
    }

    /// Forgets cut records that no replica has any more.
    fn prune(&mut self) {
        let partitions = &self.partitions;
        self.cut.retain(|cut| {
            let replicas = partitions[cut.partition as usize].replicas();
            replicas.iter().any(|replica| replica.log().epoch_at(cut.offset) == Some(cut.epoch))
        });
    }

    /// The broker that leads most partitions and runs.
    fn busiest(&self) -> Option<u32> {
        let brokers = self.partitions.iter().flat_map(Partition::replicas).map(|replica| replica.broker()).max()?;
        let runs = |broker: &u32| {
            let mut all = self.partitions.iter().flat_map(Partition::replicas);
            all.any(|replica| replica.broker() == *broker && replica.life() == Life::Up)
        };
        let led = |broker: u32| self.partitions.iter().filter(|machine| machine.leader() == Some(broker)).count();
        (0..=brokers).rev().filter(runs).max_by_key(|broker| led(*broker))
    }
}

impl Log {
    /// The first offset of a partition that readers may not read: the high watermark; nothing without a leader.
    #[must_use]
    pub fn readable(&self, partition: usize) -> u64 {
        match &self.replicas {
            None => self.partitions[partition].end(),
            Some(replicas) if replicas.is_led(partition) => replicas.partitions[partition].high_watermark(),
            Some(_) => 0,
        }
    }

    /// The same for readers who ask for the nearest replica: the high watermark that a follower knows of.
    #[must_use]
    pub fn readable_near(&self, partition: usize) -> u64 {
        match &self.replicas {
            None => self.partitions[partition].end(),
            Some(replicas) => {
                let machine = &replicas.partitions[partition];
                machine.nearest().map_or(0, |replica| replica.high_watermark().min(machine.high_watermark()))
            }
        }
    }

    /// Whether the partition of a record can take it: someone leads it.
    #[must_use]
    pub fn takes(&self, record: &Message) -> bool {
        let partition = self.partition_of(record, Partitioner::Murmur2) as usize;
        self.replicas.as_ref().is_none_or(|replicas| replicas.is_led(partition))
    }

    /// The high watermark of a partition, whether someone leads it or not.
    #[must_use]
    pub fn high_watermark(&self, partition: usize) -> u64 {
        match &self.replicas {
            None => self.partitions[partition].end(),
            Some(replicas) => replicas.partitions[partition].high_watermark(),
        }
    }
}
