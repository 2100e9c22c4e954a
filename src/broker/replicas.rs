//! A log with replicas, at work in a world.
//!
//! Who leads, what is committed and what an election costs is a machine's of `redrive-brokers`, one for each partition; it
//! counts offsets. The records are the log's: they are cut where a new leader does not have them, and come back where a
//! replica leads that still has them.

use redrive_brokers::kafka::error::Error;
use redrive_brokers::kafka::partition::{Acks, Commit, Happening, Options, Partition};
use redrive_brokers::kafka::replica::{EpochStart, Life, Replica};

use super::log::{Log, Placed};
use crate::message::Message;
use crate::observe::record::{COMPACTED, Cause, Kind, pack_place};
use crate::scenario::parts::{self, FetchFrom, LogBroker, LogSettings, Partitioner};
use crate::service::Record;
use crate::sim::{Handle, Timestamp};
use crate::view::ReplicaView;
use crate::world::{Event, World};

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
        parts::Acks::All => Acks::All,
        parts::Acks::Leader => Acks::Leader,
        parts::Acks::None => Acks::None,
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

impl World {
    fn replicas_mut(&mut self, index: u16) -> Option<&mut Replicas> {
        self.logs[usize::from(index)].replicas.as_deref_mut()
    }

    /// A log with replicas is asked to store records. None when the answer comes later, or never.
    pub(crate) fn replicas_take(&mut self, index: u16, handle: Handle, placed: Placed, records: &[Record]) -> Option<Cause> {
        let part = self.logs[usize::from(index)].part;
        let (mut waits, mut refused, mut hangs, mut stores) = (0_u32, Cause::None, false, false);
        let mut touched: Vec<usize> = Vec::with_capacity(1);
        let mut touch = |partition: u32| {
            if !touched.contains(&(partition as usize)) {
                touched.push(partition as usize);
            }
        };
        let acks = acks(&self.logs[usize::from(index)].settings);
        for Record { caller, message } in records {
            let caller = *caller;
            let answered = if let Some((partition, offset)) = self.stored_before(index, caller, message) {
                touch(partition);
                let now_us = self.now_us;
                let machine = self.replicas_mut(index).map(|replicas| &mut replicas.partitions[partition as usize]);
                let known =
                    machine.map_or(Err(Error::NotLeader), |machine| machine.repeat(now_us, offset + 1, acks, ticket(handle)));
                if known.is_ok() {
                    self.sequence_stored(caller);
                    self.note(Kind::Deduplicated, part, message.fact, 0, 0);
                }
                known
            } else {
                let message = self.arrives(part, *message);
                touch(self.logs[usize::from(index)].place_of(&message, placed));
                let stored = self.replicas_append(index, message, placed, acks, ticket(handle));
                stores |= stored.is_ok();
                stored.map(|(partition, offset, answered)| {
                    self.remember_stored(index, caller, &message, (partition, offset));
                    self.sequence_stored(caller);
                    self.transaction_writes(index, caller, (partition, offset));
                    answered
                })
            };
            match answered {
                Ok(answered) => waits += u32::from(!answered),
                Err(_) if acks == Acks::None => {
                    // Sent and forgotten: the publisher takes it for stored.
                    let effects = self.logs[usize::from(index)].effects;
                    self.note(Kind::Held, part, message.fact, effects, 0);
                    self.note(Kind::GaveUp, part, message.fact, effects, Cause::NoLeader as u64);
                }
                Err(Error::TimedOut) => hangs = true,
                Err(error) => {
                    refused = refused.max(cause(error));
                    self.note(Kind::WriteRefused, part, message.fact, 0, cause(error) as u64);
                }
            }
        }
        self.parts[usize::from(part)].counters.batches += u64::from(stores);
        if refused == Cause::None && hangs {
            self.never_answers(handle);
        } else if refused == Cause::None && waits > 0 {
            self.call_waits(handle, waits);
        }
        for partition in touched {
            self.replicas_happened(index, partition);
            self.replicas_alarm(index, partition..partition + 1);
        }
        let later = refused == Cause::None && (hangs || waits > 0);
        (!later).then_some(refused)
    }

    /// The leader of a record's partition stores it: partition, offset, and whether the publisher has its answer.
    pub(super) fn replicas_append(
        &mut self,
        index: u16,
        message: Message,
        placed: Placed,
        acks: Acks,
        ticket: u64,
    ) -> Result<(u32, u64, bool), Error> {
        let now_us = self.now_us;
        let log = &self.logs[usize::from(index)];
        let part = log.part;
        let partition = log.place_of(&message, placed);
        // What has happened before this moment comes first: the leader may be another one.
        if let Some(replicas) = self.replicas_mut(index) {
            replicas.partitions[partition as usize].advance(now_us);
        }
        self.replicas_happened(index, partition as usize);
        let replicas = self.replicas_mut(index).ok_or(Error::NotLeader)?;
        let appended = replicas.partitions[partition as usize].append(now_us, 1, acks, ticket)?;
        replicas.took(partition, appended.epoch, appended.base);
        let offset = self.logs[usize::from(index)].push(partition, message);
        debug_assert_eq!(offset, appended.base, "the machine counts what the log holds");
        if message.fact < COMPACTED {
            self.note(Kind::Appended, part, message.fact, message.effects, pack_place(partition, offset));
        }
        self.ripens(index);
        Ok((partition, offset, appended.answered))
    }

    /// Stores a record that nobody waits for, if its partition has a leader.
    pub(super) fn replicas_keep(&mut self, index: u16, message: Message) -> Cause {
        let partition = self.logs[usize::from(index)].partition_of(&message, Partitioner::Murmur2);
        let stored = self.replicas_append(index, message, Placed::At(partition), Acks::Leader, NOBODY);
        let partition = partition as usize;
        self.replicas_happened(index, partition);
        self.replicas_alarm(index, partition..partition + 1);
        stored.map_or_else(cause, |_| Cause::None)
    }

    /// Takes in what has happened to every partition.
    pub(super) fn replicas_settle(&mut self, index: u16) {
        self.replicas_change(index, |_, _| {});
    }

    /// Takes in what has happened to a partition.
    fn replicas_happened(&mut self, index: u16, partition: usize) {
        let Some(replicas) = self.replicas_mut(index) else { return };
        let happened = replicas.partitions[partition].take_happenings();
        let part = self.logs[usize::from(index)].part;
        let (mut news, mut near) = (false, false);
        for happening in happened {
            let mut note = |kind: Kind, broker: u32| self.note_part(kind, part, pack_place(partition as u32, u64::from(broker)));
            match happening {
                Happening::Answered { ticket, result, .. } => {
                    self.call_hears(call(ticket), result.map_or_else(cause, |()| Cause::None));
                }
                Happening::HighWatermark { .. } => news = true,
                Happening::Leader { broker, kept, end, .. } => {
                    match broker {
                        Some(broker) => note(Kind::LeaderElected, broker),
                        None => note(Kind::LeaderLost, 0),
                    }
                    self.replicas_lead(index, partition, kept, end);
                    news = true;
                }
                Happening::Truncated { .. } => {
                    if let Some(replicas) = self.replicas_mut(index) {
                        replicas.prune();
                    }
                }
                Happening::FollowerWatermark { .. } => near = true,
                Happening::InSync { broker, joined, .. } => {
                    note(if joined { Kind::InSync } else { Kind::OutOfSync }, broker);
                    near = true;
                }
            }
        }
        if news {
            self.wake(part);
        } else if near {
            self.near_readers_look(index);
        }
    }

    /// Another follower may be read from, or further: groups that read from the nearest replica look.
    fn near_readers_look(&mut self, index: u16) {
        let log = &self.logs[usize::from(index)];
        for group in if log.near { log.groups.clone() } else { Vec::new() } {
            if self.workers[usize::from(group)].settings.fetch_from == FetchFrom::Nearest {
                self.members_fetch(group);
            }
        }
    }

    /// Groups of a log may be set to read from another replica.
    pub(crate) fn near_readers_change(&mut self, index: u16) {
        let log = &mut self.logs[usize::from(index)];
        let workers = &self.workers;
        let near = |group: &u16| workers[usize::from(*group)].settings.fetch_from == FetchFrom::Nearest;
        let near = log.replicas.is_some() && log.groups.iter().any(near);
        if std::mem::replace(&mut log.near, near) != near {
            self.log_tuned(index);
        }
        self.near_readers_look(index);
    }

    /// Sets the clock for what will happen to these partitions next.
    fn replicas_alarm(&mut self, index: u16, which: std::ops::Range<usize>) {
        let now_us = self.now_us;
        let Some(replicas) = self.replicas_mut(index) else { return };
        let Some(due_us) = replicas.partitions[which].iter().filter_map(Partition::next_due_us).min() else { return };
        if replicas.alarm_us.is_none_or(|alarm_us| due_us < alarm_us) {
            let due_us = due_us.max(now_us + 1);
            replicas.alarm_us = Some(due_us);
            self.pending.at(due_us, Event::LogDue(index));
        }
    }

    /// Something is due at the replicas of a log by itself.
    pub(crate) fn log_due(&mut self, index: u16) {
        let now_us = self.now_us;
        let Some(replicas) = self.replicas_mut(index) else { return };
        if replicas.alarm_us.is_some_and(|alarm_us| alarm_us <= now_us) {
            replicas.alarm_us = None;
        }
        self.replicas_change(index, |machine, now_us| machine.advance(now_us));
    }

    /// Does something to every partition of a log, and takes in what comes of it.
    fn replicas_change(&mut self, index: u16, change: impl Fn(&mut Partition, Timestamp)) {
        let now_us = self.now_us;
        for partition in 0..self.logs[usize::from(index)].partitions.len() {
            let Some(replicas) = self.replicas_mut(index) else { return };
            change(&mut replicas.partitions[partition], now_us);
            self.replicas_happened(index, partition);
        }
        self.replicas_alarm(index, 0..self.logs[usize::from(index)].partitions.len());
    }

    /// Another replica leads, or none: its log is what the partition holds from now on.
    fn replicas_lead(&mut self, index: u16, partition: usize, kept: u64, end: u64) {
        let log = &mut self.logs[usize::from(index)];
        let (part, groups) = (log.part, log.groups.clone());
        let Some(replicas) = &mut log.replicas else { return };
        replicas.elections += u64::from(replicas.partitions[partition].leader().is_some());
        let tape = &mut log.partitions[partition];
        let lineage = &mut replicas.lineages[partition];
        let gone: Vec<(u64, Message)> = tape.iter_from(kept).map(|(offset, record)| (offset, *record)).collect();
        for (offset, record) in &gone {
            let epoch = lineage.iter().rev().find(|entry| entry.from <= *offset).map_or(0, |entry| entry.epoch);
            replicas.cut.push(Cut { partition: partition as u32, offset: *offset, epoch, record: *record });
        }
        tape.truncate(kept);
        log.segments[partition].truncate(kept);
        lineage.retain(|entry| entry.from < kept);
        if let Some(known) = &mut log.transactions {
            known.truncate(partition, kept);
        }
        self.sequence_lost(part, &gone);
        for group in groups {
            let worker = &mut self.workers[usize::from(group)];
            let effect = 1_u8 << worker.effect;
            let Some(group) = &mut worker.group else { continue };
            let committed = group.committed[partition];
            group.committed[partition] = committed.min(kept);
            group.position[partition] = group.position[partition].min(kept);
            for hands in &mut worker.processes {
                hands.batch_ends.iter_mut().filter(|(at, _)| *at == partition as u32).for_each(|(_, to)| *to = kept.min(*to));
            }
            for (offset, record) in gone.iter().filter(|(offset, record)| *offset >= committed && record.effects & effect != 0) {
                self.note(Kind::Overwritten, part, record.fact, effect, pack_place(partition as u32, *offset));
            }
        }
        for offset in kept..end {
            let Some(replicas) = self.replicas_mut(index) else { return };
            let machine = &replicas.partitions[partition];
            let leader = machine.replicas().iter().find(|replica| Some(replica.broker()) == machine.leader());
            let epoch = leader.and_then(|replica| replica.log().epoch_at(offset)).unwrap_or(0);
            let same = |cut: &&Cut| cut.partition == partition as u32 && cut.offset == offset && cut.epoch == epoch;
            let Some(record) = replicas.cut.iter().find(same).map(|cut| cut.record) else { break };
            replicas.took(partition as u32, epoch, offset);
            self.logs[usize::from(index)].push(partition as u32, record);
            if record.fact < COMPACTED {
                self.note(Kind::Appended, part, record.fact, record.effects, pack_place(partition as u32, offset));
            }
            self.ripens(index);
        }
        if let Some(replicas) = self.replicas_mut(index) {
            replicas.prune();
        }
    }

    /// The broker that leads most partitions dies, and comes back after a while.
    pub(crate) fn log_crashes(&mut self, index: u16) {
        let log = &self.logs[usize::from(index)];
        let (part, restart_us) = (log.part, log.settings.restart.0);
        let Some(broker) = log.replicas.as_ref().and_then(|replicas| replicas.busiest()) else { return };
        self.note_part(Kind::Crashed, part, u64::from(broker));
        self.replicas_change(index, |machine, now_us| machine.kill(now_us, broker));
        self.near_readers_look(index);
        self.pending.after(self.now_us, restart_us, Event::Restart(part, broker as u16));
    }

    /// A broker of a log is back.
    pub(crate) fn log_restarts(&mut self, index: u16, broker: u16) {
        let part = self.logs[usize::from(index)].part;
        self.note_part(Kind::Restarted, part, u64::from(broker));
        self.replicas_change(index, |machine, now_us| machine.start(now_us, u32::from(broker)));
    }

    /// The followers of every partition hang, or go on.
    pub(crate) fn followers_hang(&mut self, index: u16, hang: bool) {
        self.replicas_change(index, |machine, now_us| {
            let leader = machine.leader();
            let which: Vec<u32> = machine
                .replicas()
                .iter()
                .filter(|replica| if hang { Some(replica.broker()) != leader } else { replica.life() == Life::Frozen })
                .map(|replica| replica.broker())
                .collect();
            for broker in which {
                if hang { machine.freeze(now_us, broker) } else { machine.start(now_us, broker) }
            }
        });
        self.near_readers_look(index);
    }

    /// Every broker of a log runs again.
    pub(crate) fn log_mends(&mut self, index: u16) {
        let brokers = self.logs[usize::from(index)].settings.replicas as u32;
        self.log_tuned(index);
        self.replicas_change(index, |machine, now_us| (0..brokers).for_each(|broker| machine.start(now_us, broker)));
    }

    /// Settings of a log were changed, or it was slowed down.
    pub(crate) fn log_tuned(&mut self, index: u16) {
        let log = &mut self.logs[usize::from(index)];
        let kept = log.kept_as();
        log.segments.iter_mut().for_each(|segments| segments.tune(kept));
        let options = options(&log.settings, self.parts[usize::from(log.part)].health.slow_milli, log.near);
        self.replicas_change(index, |machine, now_us| machine.tune(now_us, options));
    }
}
