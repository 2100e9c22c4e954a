//! What a log with replicas does in a world: it takes records, answers once they are committed, elects, and loses brokers.

use redrive_brokers::kafka::error::Error;
use redrive_brokers::kafka::partition::{Acks, Happening, Partition};

use super::{Cut, NOBODY, Replicas, acks, call, cause, options, ticket};
use crate::broker::log::Placed;
use crate::message::Message;
use crate::observe::record::{COMPACTED, Cause, Kind, pack_place};
use crate::scenario::choices::{FetchFrom, Partitioner};
use crate::service::Record;
use crate::sim::{Handle, Timestamp};
use crate::world::{Event, World};
use redrive_brokers::kafka::replica::Life;

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
    pub(in crate::broker) fn replicas_append(
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
    pub(in crate::broker) fn replicas_keep(&mut self, index: u16, message: Message) -> Cause {
        let partition = self.logs[usize::from(index)].partition_of(&message, Partitioner::Murmur2);
        let stored = self.replicas_append(index, message, Placed::At(partition), Acks::Leader, NOBODY);
        let partition = partition as usize;
        self.replicas_happened(index, partition);
        self.replicas_alarm(index, partition..partition + 1);
        stored.map_or_else(cause, |_| Cause::None)
    }

    /// Takes in what has happened to every partition.
    pub(in crate::broker) fn replicas_settle(&mut self, index: u16) {
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
