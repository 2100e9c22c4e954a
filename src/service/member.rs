//! A worker's processes as members of a consumer group: they poll, commit batch by batch, join, leave, die and rebalance.

use super::worker::{Origin, Remote};
use crate::observe::record::{Kind, pack_place};
use crate::scenario::choices::AckOrder;
use crate::world::{Event, World};

/// How often a rebalance looks whether all members have finished their batches.
const REBALANCE_CHECK_US: u64 = 100_000;

impl World {
    /// Records have arrived: members that wait for some will poll, after letting more arrive.
    pub(crate) fn members_fetch(&mut self, index: u16) {
        let worker = &mut self.workers[usize::from(index)];
        if worker.fetching || !worker.processes.iter().any(|process| process.waiting) {
            return;
        }
        worker.fetching = true;
        let wait_us = worker.settings.fetch_wait.0;
        self.pending.after(self.now_us, wait_us, Event::Fetch(index));
    }

    /// All members that wait for records poll.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn members_poll(&mut self, index: u16) {
        self.workers[usize::from(index)].fetching = false;
        for process in 0..self.workers[usize::from(index)].processes.len() {
            if self.workers[usize::from(index)].processes[process].waiting {
                self.process_fills(index, process as u16);
            }
        }
    }

    /// A member polls: up to a batch of records from its partitions go to its buffer. False when there is nothing to do
    /// until something changes.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn member_polls(&mut self, index: u16, process: u16, log: u16) -> bool {
        let now_us = self.now_us;
        let worker = &self.workers[usize::from(index)];
        let (part, log_part) = (worker.part, self.logs[usize::from(log)].part);
        let (batch, order, effect) = (worker.settings.batch, worker.settings.order, 1_u8 << worker.effect);
        let hands = &worker.processes[usize::from(process)];
        let Some(group) = &worker.group else { return false };
        let busy = hands.batch_left > 0 || hands.remote == Remote::Asked;
        if busy || !hands.member || group.rebalancing_since_us.is_some() || group.stopped {
            return false;
        }
        if !self.reachable(part, log_part) {
            self.workers[usize::from(index)].processes[usize::from(process)].waiting = true;
            return false;
        }
        let generation = group.generation;
        let owned: Vec<u32> = match &group.crew {
            Some(crew) => crew.owned(process).collect(),
            None => group.owned_by(process).collect(),
        };
        let mut left = batch;
        let mut spans: Vec<(u32, u64, u64)> = Vec::new();
        let mut remote = None;
        for turn in 0..owned.len() {
            // Another partition goes first each time, so that a long one does not starve the others.
            let partition = owned[(turn + hands.batch as usize) % owned.len()];
            let tape = &self.logs[usize::from(log)].partitions[partition as usize];
            let from = group.position[partition as usize].max(tape.start());
            let log = &self.logs[usize::from(log)];
            let readable = log.readable_for(partition as usize, worker.settings.isolation, worker.settings.fetch_from);
            let mut end = readable.min(log.ripe_to(partition as usize, now_us));
            if from >= end {
                continue;
            }
            if let Some(to) = log.remote_to(partition as usize, from) {
                remote.get_or_insert((partition, from));
                end = end.min(to);
            }
            // Only what there is for the group fills the batch: not what was compacted or aborted, nor markers, nor a dead
            // letter that goes through the log again for another group.
            let mut to = from;
            while to < end && left > 0 {
                left -= u64::from(tape.get(to).is_some_and(|record| record.effects & effect != 0));
                to += 1;
            }
            spans.push((partition, from, to));
            if left == 0 {
                break;
            }
        }
        if spans.is_empty() {
            self.workers[usize::from(index)].processes[usize::from(process)].waiting = true;
            return false;
        }
        let remote_us = self.logs[usize::from(log)].settings.remote_read.0;
        let hands = &mut self.workers[usize::from(index)].processes[usize::from(process)];
        let come = std::mem::take(&mut hands.remote) == Remote::Come;
        if let (Some((partition, offset)), false) = (remote, come) {
            // A fetch waits for remote storage as a whole.
            hands.remote = Remote::Asked;
            let epoch = hands.epoch;
            self.note_part(Kind::FetchedRemote, log_part, pack_place(partition, offset));
            self.pending.after(now_us, remote_us, Event::FetchedRemote(index, process, epoch));
            return false;
        }
        let poll_us = {
            let worker = &mut self.workers[usize::from(index)];
            if let Some(group) = &mut worker.group {
                for (partition, _, to) in &spans {
                    group.position[*partition as usize] = *to;
                }
            }
            let hands = &mut worker.processes[usize::from(process)];
            hands.waiting = false;
            hands.batch += 1;
            hands.batch_since_us = now_us;
            hands.batch_generation = generation;
            hands.batch_ends.clear();
            hands.batch_ends.extend(spans.iter().map(|(partition, _, to)| (*partition, *to)));
            worker.settings.poll_interval.0
        };
        let plain = !self.crew_works(index, process);
        let mut jobs = 0;
        for (partition, from, to) in spans {
            for offset in from..to {
                let record = self.logs[usize::from(log)].partitions[partition as usize].get(offset).copied();
                let Some(record) = record.filter(|record| record.effects & effect != 0) else { continue };
                self.note(Kind::Read, log_part, record.fact, effect, pack_place(partition, offset));
                self.hop(log_part, part, record.fact, 0);
                let job = self.job_buffers(index, process, record, Origin::Log { partition, offset });
                jobs += 1;
                if order == AckOrder::AckThenWork {
                    self.job_owns(index, job);
                }
            }
        }
        let hands = &mut self.workers[usize::from(index)].processes[usize::from(process)];
        hands.batch_left = jobs;
        let number = hands.batch;
        if order == AckOrder::AckThenWork || jobs == 0 {
            self.member_commits(index, process, log);
        }
        if jobs == 0 {
            self.crew_goes_on(index, process, true);
        }
        if jobs > 0 && plain {
            self.pending.after(now_us, poll_us, Event::PollOver(index, process, number));
        }
        true
    }

    /// What a member has asked remote storage for is there.
    pub(crate) fn member_has_fetched(&mut self, index: u16, process: u16, epoch: u32) {
        let Some(hands) = self.workers[usize::from(index)].processes.get_mut(usize::from(process)) else { return };
        if hands.epoch == epoch && hands.remote == Remote::Asked {
            hands.remote = Remote::Come;
            self.process_fills(index, process);
        }
    }

    /// One job of a member's batch is over; with the last one the batch is committed.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn batch_shrinks(&mut self, index: u16, process: u16, log: u16) {
        let worker = &mut self.workers[usize::from(index)];
        let order = worker.settings.order;
        let hands = &mut worker.processes[usize::from(process)];
        if hands.batch_left == 0 {
            return;
        }
        hands.batch_left -= 1;
        if hands.batch_left > 0 {
            self.crew_goes_on(index, process, false);
            return;
        }
        if order == AckOrder::WorkThenAck {
            self.member_commits(index, process, log);
        }
        if !self.crew_goes_on(index, process, true) {
            self.rejoins(index, process);
        }
    }

    /// A member that was thrown out joins again once its batch is done.
    fn rejoins(&mut self, index: u16, process: u16) {
        let hands = &mut self.workers[usize::from(index)].processes[usize::from(process)];
        if hands.up && !hands.member {
            hands.member = true;
            self.rebalance_begins(index);
        }
    }

    /// A member commits the offsets after its batch.
    #[cfg_attr(page, optimize(speed))]
    fn member_commits(&mut self, index: u16, process: u16, log: u16) {
        let worker = &self.workers[usize::from(index)];
        let (part, effect, log_part) = (worker.part, 1_u8 << worker.effect, self.logs[usize::from(log)].part);
        let hands = &worker.processes[usize::from(process)];
        let generation = worker.group.as_ref().map_or(0, |group| group.generation);
        if !hands.member || hands.batch_generation != generation {
            self.note_part(Kind::CommitRefused, part, u64::from(process));
            return;
        }
        let ends = hands.batch_ends.len();
        if self.loses_ack(part, log_part) {
            self.note_part(Kind::AckLost, part, u64::from(process));
            return;
        }
        if self.crew_commits(index, process) == Some(false) {
            self.note_part(Kind::CommitRefused, part, u64::from(process));
            return;
        }
        for end in 0..ends {
            let (partition, to) = self.workers[usize::from(index)].processes[usize::from(process)].batch_ends[end];
            let Some(committed) =
                self.workers[usize::from(index)].group.as_ref().map(|group| group.committed[partition as usize])
            else {
                return;
            };
            let tape = &self.logs[usize::from(log)].partitions[partition as usize];
            for offset in committed.max(tape.start())..to {
                let tape = &self.logs[usize::from(log)].partitions[partition as usize];
                if let Some(fact) = tape.get(offset).filter(|record| record.effects & effect != 0).map(|record| record.fact) {
                    self.note(Kind::Passed, log_part, fact, effect, pack_place(partition, offset));
                }
            }
            if let Some(group) = &mut self.workers[usize::from(index)].group {
                group.committed[partition as usize] = to.max(committed);
            }
        }
    }

    /// A process of a group stops: with notice it leaves at once, without its session has to run out.
    pub(super) fn member_stops(&mut self, index: u16, process: u16, notice: bool) {
        let now_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        let session_us = worker.settings.session.0;
        if worker.group.is_none() {
            return;
        }
        let hands = &mut worker.processes[usize::from(process)];
        let was_member = std::mem::replace(&mut hands.member, false);
        let epoch = hands.epoch;
        if !was_member || self.crew_stops(index, process, notice) {
            return;
        }
        if notice {
            self.rebalance_begins(index);
        } else {
            self.workers[usize::from(index)].processes[usize::from(process)].ghost = true;
            self.pending.after(now_us, session_us, Event::SessionOver(index, process, epoch));
        }
    }

    /// A process of a group is up: it joins, under a new member id.
    pub(super) fn member_starts(&mut self, index: u16, process: u16) {
        self.group_begins(index);
        let worker = &mut self.workers[usize::from(index)];
        if worker.group.is_some() {
            worker.processes[usize::from(process)].member = true;
            worker.processes[usize::from(process)].ghost &= worker.group.as_ref().is_some_and(|group| group.crew.is_none());
            if !self.crew_starts(index, process) {
                self.rebalance_begins(index);
            }
        }
    }

    /// The session of a dead member has run out.
    pub(crate) fn session_over(&mut self, index: u16, process: u16, epoch: u32) {
        let worker = &mut self.workers[usize::from(index)];
        let part = worker.part;
        let Some(hands) = worker.processes.get_mut(usize::from(process)) else { return };
        if !hands.ghost || hands.epoch != epoch {
            return;
        }
        hands.ghost = false;
        self.note_part(Kind::Evicted, part, u64::from(process));
        self.rebalance_begins(index);
    }

    /// A member's batch takes longer than the poll interval: it leaves the group and does not know yet.
    pub(crate) fn poll_over(&mut self, index: u16, process: u16, batch: u32) {
        let worker = &mut self.workers[usize::from(index)];
        let part = worker.part;
        let Some(hands) = worker.processes.get_mut(usize::from(process)) else { return };
        if !hands.up || !hands.member || hands.batch != batch || hands.batch_left == 0 {
            return;
        }
        hands.member = false;
        self.note_part(Kind::Evicted, part, u64::from(process));
        self.rebalance_begins(index);
    }

    /// The members that a group has from the start: all processes, settled.
    pub(crate) fn first_members(&mut self, index: usize) {
        let worker = &mut self.workers[index];
        let Some(group) = &mut worker.group else { return };
        let members: Vec<u16> = (0..worker.processes.len() as u16).collect();
        worker.processes.iter_mut().for_each(|hands| hands.member = true);
        // A group that has members from the start was there before; one that gets its first later is new, and has no offsets.
        group.forgotten = members.is_empty();
        if group.crew.is_none() {
            group.assign(&members);
        }
        self.crew_gathers(index as u16);
    }

    /// The group stands still until everyone who is left has joined again.
    pub(crate) fn rebalance_begins(&mut self, index: u16) {
        let now_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        let (part, pause_us) = (worker.part, worker.settings.rebalance.0);
        let Some(group) = &mut worker.group else { return };
        if group.crew.is_some() || group.rebalancing_since_us.is_some() {
            return;
        }
        group.rebalancing_since_us = Some(now_us);
        group.rebalances += 1;
        let generation = u64::from(group.generation);
        self.note_part(Kind::RebalanceBegan, part, generation);
        self.pending.after(now_us, pause_us, Event::Rebalanced(index));
    }

    /// The pause of a rebalance is over; it ends when no member is dead and unnoticed or in the middle of a batch.
    pub(crate) fn rebalance_may_end(&mut self, index: u16) {
        let now_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        let part = worker.part;
        if worker.group.as_ref().is_none_or(|group| group.rebalancing_since_us.is_none()) {
            return;
        }
        let waits = worker.processes.iter().any(|hands| hands.ghost || (hands.member && hands.batch_left > 0));
        if waits {
            self.pending.after(now_us, REBALANCE_CHECK_US, Event::Rebalanced(index));
            return;
        }
        let members: Vec<u16> =
            (0_u16..).zip(&worker.processes).filter(|(_, hands)| hands.member).map(|(number, _)| number).collect();
        let fresh = worker.group.as_mut().map_or_else(Vec::new, |group| std::mem::take(&mut group.fresh));
        self.group_meets(index, &fresh);
        let Some(group) = &mut self.workers[usize::from(index)].group else { return };
        group.assign(&members);
        let generation = u64::from(group.generation);
        self.note_part(Kind::RebalanceEnded, part, generation);
        self.worker_fills(index);
    }
}
