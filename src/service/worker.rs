//! A worker: processes that receive, work, take effect and acknowledge.
//!
//! A job is one message in the hands of one process. Between any two of its steps the process can die; what happens to
//! the message then follows from where it is at that moment, not from any rule here.

use redrive_brokers::sorted::{SortedMap, SortedSet};
use std::collections::VecDeque;

use super::backoff::wait_us;
use super::inbox::Inbox;
use redrive_brokers::{Settle, Tag};

use crate::broker::Group;
use crate::broker::queue::{Holder, Receipt};
use crate::command::CrashStep;
use crate::message::Message;
use crate::observe::record::{Cause, Kind};
use crate::scenario::parts::{AckOrder, KeyOrder, OnFailure, OnPoison, Role, WorkerSettings};
use crate::sim::{Handle, Slab, Stream, Timestamp};
use crate::world::{Caller, Event, Purpose, Reply, World};

/// What a worker reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A queue, by index among queues.
    Queue(u16),
    /// A queue with the rules of a broker, by index among servers.
    Server(u16),
    /// A log, by index among logs.
    Log(u16),
}

/// Where a job's message comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A queue, with the receipt to acknowledge with.
    Queue(Receipt),
    /// A server, with what settles the delivery.
    Server(Tag),
    /// A log.
    Log {
        /// Partition.
        partition: u32,
        /// Offset.
        offset: u64,
    },
}

/// What a job does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// In the process's buffer: received, not begun.
    Buffered,
    /// In the process's memory until it is due.
    Held {
        /// Until when.
        until_us: Timestamp,
    },
    /// The worker's own work.
    Work,
    /// Waits for the dependency.
    Call,
    /// Waits before another try.
    Wait {
        /// Until when.
        until_us: Timestamp,
    },
}

/// One message in the hands of one process.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The message.
    pub message: Message,
    /// Where it comes from.
    pub origin: Origin,
    /// Which process.
    pub process: u16,
    /// Which try this is, counted from 1.
    pub tries: u16,
    /// Acknowledged before the work: this is the only copy.
    pub owned: bool,
    /// What it does.
    pub doing: Doing,
    /// Since when.
    pub since_us: Timestamp,
}

/// A key that a process works on.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// One of its messages is under way; otherwise the next one is first in the buffer.
    pub busy: bool,
    /// What waits for it, in order.
    pub behind: VecDeque<Handle>,
}

/// What a group member has to do with remote storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remote {
    /// Nothing.
    #[default]
    Idle,
    /// It waits for what it has asked for.
    Asked,
    /// It has come: the next batch is made of it.
    Come,
}

/// One process of a worker.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// It runs.
    pub up: bool,
    /// It is a member of the group.
    pub member: bool,
    /// It died and its session has not run out: the group still counts it.
    pub ghost: bool,
    /// Goes up when it dies.
    pub epoch: u32,
    /// Jobs under way.
    pub busy: u32,
    /// Received and not begun, in order.
    pub buffer: VecDeque<Handle>,
    /// Keys that it works on, where it keeps their order.
    pub lanes: SortedMap<u32, Lane>,
    /// Messages that wait for an earlier one of their key.
    pub behind: u32,
    /// Done and to be acknowledged with the rest of its batch.
    pub unacked: Vec<(Tag, Message)>,
    /// Something of that batch has failed.
    pub batch_failed: bool,
    /// It waits for a message.
    pub waiting: bool,
    /// Since when it is down.
    pub since_us: Timestamp,
    /// What it asks remote storage for.
    pub remote: Remote,
    /// Number of its batch from a log.
    pub batch: u32,
    /// Jobs of that batch that are not done.
    pub batch_left: u32,
    /// When it was polled.
    pub batch_since_us: Timestamp,
    /// The generation that it belongs to.
    pub batch_generation: u32,
    /// Where the batch ends: partition and the offset after its last record.
    pub batch_ends: Vec<(u32, u64)>,
}

/// The state of a worker.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: WorkerSettings,
    /// What it reads.
    pub source: Source,
    /// The effect it is counted as, by bit number.
    pub effect: u8,
    /// The part that its work calls.
    pub calls: Option<u16>,
    /// The part for what failed for good.
    pub dead_letters: Option<u16>,
    /// Its processes.
    pub processes: Vec<Process>,
    /// Messages in their hands.
    pub jobs: Slab<Job>,
    /// What it has processed, if it is idempotent.
    pub inbox: Inbox,
    /// Messages that it has set aside and that nobody has worked off since, by key.
    pub parked: SortedMap<u32, SortedSet<u32>>,
    /// The group, where it reads a log.
    pub group: Option<Group>,
    /// How long its own work takes.
    pub work: Stream,
    /// How long it waits between tries.
    pub jitter: Stream,
    /// When it happens to crash.
    pub crashes: Stream,
    /// Failures in a row.
    pub failures: u64,
    /// The circuit breaker is open until this moment.
    pub breaker_until_us: Option<Timestamp>,
    /// Members that wait will look for records soon.
    pub fetching: bool,
    /// How long its own work takes, where that does not vary.
    pub work_us: Option<u64>,
}

impl Worker {
    /// True when it has set aside an earlier message of the same key that nobody has worked off since.
    fn parked_before(&self, message: &Message) -> bool {
        self.parked.get(message.key).and_then(SortedSet::first).is_some_and(|first| first < message.fact)
    }

    #[cfg_attr(page, optimize(speed))]
    fn unpark(&mut self, key: u32, fact: u32) {
        if let Some(parked) = self.parked.get_mut(key) {
            parked.remove(fact);
            if parked.is_empty() {
                self.parked.remove(key);
            }
        }
    }
}

impl World {
    /// True when a process of the worker may take on something new.
    pub(crate) fn may_work(&self, index: u16, process: u16) -> bool {
        let worker = &self.workers[usize::from(index)];
        let health = &self.parts[usize::from(worker.part)].health;
        worker.processes[usize::from(process)].up && !health.down && !health.paused && worker.breaker_until_us.is_none()
    }

    /// A process that waited is given a chance to receive.
    pub(crate) fn process_wakes(&mut self, holder: Holder) {
        let Some(process) = self.workers[usize::from(holder.worker)].processes.get_mut(usize::from(holder.process)) else {
            return;
        };
        process.waiting = false;
        self.process_fills(holder.worker, holder.process);
    }

    /// A process begins jobs and receives messages until its hands are full or there is nothing to do.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn process_fills(&mut self, index: u16, process: u16) {
        while self.may_work(index, process) {
            let worker = &mut self.workers[usize::from(index)];
            let source = worker.source;
            let hands = &mut worker.processes[usize::from(process)];
            if u64::from(hands.busy) >= worker.settings.concurrency {
                return;
            }
            if let Some(job) = hands.buffer.pop_front() {
                if worker.settings.ordering == KeyOrder::Key && self.waits_for_key(index, process, job) {
                    continue;
                }
                let hands = &mut self.workers[usize::from(index)].processes[usize::from(process)];
                hands.busy += 1;
                self.job_begins(index, job);
                continue;
            }
            if u64::from(hands.behind) >= worker.settings.concurrency.max(worker.settings.batch) {
                // All it has waits for a few keys: to receive more would only fill its memory.
                return;
            }
            match source {
                Source::Queue(queue) => {
                    if !self.process_receives(index, process, queue) {
                        return;
                    }
                }
                Source::Server(server) => {
                    if !self.process_asks(index, process, server) {
                        return;
                    }
                }
                Source::Log(log) => {
                    if !self.member_polls(index, process, log) {
                        return;
                    }
                }
            }
        }
    }

    /// Receives a batch from a queue into the process's buffer. False when there was none; the process then waits.
    #[cfg_attr(page, optimize(speed))]
    fn process_receives(&mut self, index: u16, process: u16, queue: u16) -> bool {
        let worker = &self.workers[usize::from(index)];
        let (part, batch) = (worker.part, worker.settings.batch);
        let queue_part = self.queues[usize::from(queue)].part;
        let holder = Holder { worker: index, process };
        let mut any = false;
        if self.reachable(part, queue_part) && !self.parts[usize::from(queue_part)].health.paused {
            for _ in 0..batch {
                let Some((receipt, message)) = self.receive(queue, holder) else { break };
                any = true;
                self.hop(queue_part, part, message.fact, 0);
                self.job_buffers(index, process, message, Origin::Queue(receipt));
            }
        }
        let hands = &mut self.workers[usize::from(index)].processes[usize::from(process)];
        if !any && !hands.waiting {
            hands.waiting = true;
            self.queues[usize::from(queue)].waiting.push_back(holder);
        }
        any
    }

    /// Asks a server for a batch. False when there was none; the process then waits. A server that pushes is not asked.
    fn process_asks(&mut self, index: u16, process: u16, server: u16) -> bool {
        let worker = &self.workers[usize::from(index)];
        let (part, batch) = (worker.part, worker.settings.batch);
        let entry = &self.servers[usize::from(server)];
        let server_part = entry.part;
        if entry.pushes() {
            // It has sent what it may; but to a process that was away until now it may send more.
            self.server_delivers(server);
            return !self.workers[usize::from(index)].processes[usize::from(process)].buffer.is_empty();
        }
        let holder = Holder { worker: index, process };
        let may = self.reachable(part, server_part) && !self.parts[usize::from(server_part)].health.paused;
        if may && self.server_gives(server, holder, batch) > 0 {
            return true;
        }
        let hands = &mut self.workers[usize::from(index)].processes[usize::from(process)];
        if !hands.waiting {
            hands.waiting = true;
            self.servers[usize::from(server)].waiting.push_back(holder);
        }
        false
    }

    /// A process that holds more than fits into its memory dies.
    pub(crate) fn process_remembers(&mut self, index: u16, process: u16) {
        let worker = &self.workers[usize::from(index)];
        let (part, room) = (worker.part, worker.settings.memory);
        let hands = &worker.processes[usize::from(process)];
        if room > 0 && u64::from(hands.busy) + hands.buffer.len() as u64 > room && hands.up {
            self.note_part(Kind::WorkFailed, part, Cause::OutOfMemory as u64);
            self.process_crashes(index, process);
        }
    }

    /// A worker that sends heartbeats tells its server that it still works on a message.
    pub(crate) fn job_beats(&mut self, index: u16, handle: Handle) {
        let worker = &self.workers[usize::from(index)];
        let Some(job) = worker.jobs.get(handle).copied() else { return };
        let (Origin::Server(tag), Source::Server(server)) = (job.origin, worker.source) else { return };
        let for_us = self.servers[usize::from(server)].settings.visibility_timeout.0;
        let by = Holder { worker: index, process: job.process };
        self.server_settles(server, by, tag, Settle::Extend { for_us }, &job.message);
        self.pending.after(self.now_us, (for_us / 2).max(1_000), Event::Heartbeat(index, handle));
    }

    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn job_buffers(&mut self, index: u16, process: u16, message: Message, origin: Origin) -> Handle {
        let since_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        let job = Job { message, origin, process, tries: 1, owned: false, doing: Doing::Buffered, since_us };
        let job = worker.jobs.insert(job);
        worker.processes[usize::from(process)].buffer.push_back(job);
        let counters = &mut self.parts[usize::from(worker.part)].counters;
        counters.received += 1;
        counters.again += u64::from(message.receives > 1);
        if let (Origin::Server(_), Source::Server(server), true) = (origin, worker.source, worker.settings.heartbeat) {
            let half_us = self.servers[usize::from(server)].settings.visibility_timeout.0 / 2;
            self.pending.after(since_us, half_us.max(1_000), Event::Heartbeat(index, job));
        }
        job
    }

    /// True when a job has to wait for another one of its key; it is put behind that.
    fn waits_for_key(&mut self, index: u16, process: u16, handle: Handle) -> bool {
        let worker = &mut self.workers[usize::from(index)];
        let Some(job) = worker.jobs.get(handle) else { return true };
        let hands = &mut worker.processes[usize::from(process)];
        let lane = hands.lanes.or_insert(job.message.key, Lane::default());
        if std::mem::replace(&mut lane.busy, true) {
            lane.behind.push_back(handle);
            hands.behind += 1;
            return true;
        }
        false
    }

    /// A job of a key is over: the next one of the key may begin.
    #[inline(always)]
    #[cfg_attr(page, optimize(speed))]
    fn frees_key(&mut self, index: u16, process: u16, key: u32) {
        let hands = &mut self.workers[usize::from(index)].processes[usize::from(process)];
        let Some(lane) = hands.lanes.get_mut(key) else { return };
        lane.busy = false;
        match lane.behind.pop_front() {
            Some(next) => {
                hands.behind -= 1;
                hands.buffer.push_front(next);
            }
            None => {
                hands.lanes.remove(key);
            }
        }
    }

    /// Keeps a job in memory if it is not due. True if so.
    fn holds(&mut self, index: u16, handle: Handle, job: &Job) -> bool {
        let until_us = self.due_us(job.message.fact);
        if until_us <= self.now_us {
            return false;
        }
        let worker = &mut self.workers[usize::from(index)];
        worker.processes[usize::from(job.process)].busy -= 1;
        if let Some(job) = worker.jobs.get_mut(handle) {
            job.doing = Doing::Held { until_us };
        }
        self.pending.at(until_us, Event::Job(index, handle));
        true
    }

    /// A held job is due: it is begun as soon as there is room.
    fn job_is_due(&mut self, index: u16, handle: Handle, process: u16) {
        let worker = &mut self.workers[usize::from(index)];
        if let Some(job) = worker.jobs.get_mut(handle) {
            job.doing = Doing::Buffered;
        }
        let hands = &mut worker.processes[usize::from(process)];
        hands.buffer.push_back(handle);
        self.process_fills(index, process);
    }

    /// A message has been worked off, or is given up: whoever had set it aside need not keep its key waiting for it.
    fn unparks(&mut self, index: u16, key: u32, fact: u32) {
        let worker = &mut self.workers[usize::from(index)];
        worker.unpark(key, fact);
        let source = worker.source;
        let mut sources = vec![self.source_part(source)];
        while let Some(part) = sources.pop() {
            for index in 0..self.workers.len() {
                let worker = &mut self.workers[index];
                if worker.dead_letters != Some(part) {
                    continue;
                }
                worker.unpark(key, fact);
                let before = worker.source;
                sources.push(self.source_part(before));
            }
        }
    }

    /// The part that a worker reads.
    pub(crate) fn source_part(&self, source: Source) -> u16 {
        match source {
            Source::Queue(queue) => self.queues[usize::from(queue)].part,
            Source::Server(server) => self.servers[usize::from(server)].part,
            Source::Log(log) => self.logs[usize::from(log)].part,
        }
    }

    /// A process takes a job out of its buffer.
    #[cfg_attr(page, optimize(speed))]
    fn job_begins(&mut self, index: u16, handle: Handle) {
        let worker = &self.workers[usize::from(index)];
        let Some(job) = worker.jobs.get(handle).copied() else { return };
        if worker.settings.holds_until_due && self.holds(index, handle, &job) {
            return;
        }
        let worker = &self.workers[usize::from(index)];
        if worker.settings.park && worker.dead_letters.is_some() && worker.parked_before(&job.message) {
            return self.job_is_buried(index, handle);
        }
        let (part, order, source) = (worker.part, worker.settings.order, worker.source);
        let step = match order {
            AckOrder::WorkThenAck => CrashStep::Received,
            AckOrder::AckThenWork => {
                match (job.origin, source) {
                    (Origin::Queue(receipt), Source::Queue(queue)) => {
                        self.job_owns(index, handle);
                        self.acknowledge(part, queue, receipt, &job.message);
                    }
                    (Origin::Server(tag), Source::Server(server)) => {
                        self.job_owns(index, handle);
                        let by = Holder { worker: index, process: job.process };
                        self.server_settles(server, by, tag, Settle::Ack, &job.message);
                    }
                    _ => {}
                }
                CrashStep::Acked
            }
        };
        if self.boundary(part, step) || (order == AckOrder::AckThenWork && self.happens_to_crash(index)) {
            return self.process_crashes(index, job.process);
        }
        self.job_works(index, handle);
    }

    /// True at the share of messages at which the worker is set to crash.
    fn happens_to_crash(&mut self, index: u16) -> bool {
        let worker = &mut self.workers[usize::from(index)];
        let share = worker.settings.crashes;
        worker.crashes.hits(share)
    }

    /// The job's copy is the only one from now on: it is acknowledged before the work.
    pub(super) fn job_owns(&mut self, index: u16, handle: Handle) {
        let worker = &mut self.workers[usize::from(index)];
        let (part, effect) = (worker.part, 1 << worker.effect);
        let Some(job) = worker.jobs.get_mut(handle) else { return };
        job.owned = true;
        let fact = job.message.fact;
        self.note(Kind::Held, part, fact, effect, 0);
    }

    /// A job's own work starts, for the first time or again.
    #[cfg_attr(page, optimize(speed))]
    fn job_works(&mut self, index: u16, handle: Handle) {
        let now_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        let Some(job) = worker.jobs.get_mut(handle) else { return };
        if worker.settings.idempotent && worker.inbox.contains(job.message.fact) {
            let (part, fact, effect) = (worker.part, job.message.fact, worker.effect);
            self.note(Kind::Skipped, part, fact, 1 << effect, 0);
            return self.job_succeeds(index, handle);
        }
        job.doing = Doing::Work;
        job.since_us = now_us;
        let (origin, receives) = (job.origin, job.message.receives);
        let takes_us = match worker.work_us {
            Some(always) => always,
            None => worker.settings.work.sample_us(&mut worker.work),
        };
        let takes_us = self.parts[usize::from(worker.part)].health.stretched_us(takes_us);
        // A broker may give a message again at once: even work on it that takes no time takes a moment then, or it would go
        // round for ever without the clock moving.
        let again = matches!(origin, Origin::Server(_)) && receives > 1;
        let takes_us = if again { takes_us.max(1_000) } else { takes_us };
        self.pending.after(now_us, takes_us, Event::Job(index, handle));
    }

    /// A job's work or wait is over.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn job_goes_on(&mut self, index: u16, handle: Handle) {
        let worker = &self.workers[usize::from(index)];
        let Some(job) = worker.jobs.get(handle).copied() else { return };
        match job.doing {
            Doing::Wait { .. } => return self.job_works(index, handle),
            Doing::Held { .. } => return self.job_is_due(index, handle, job.process),
            Doing::Buffered | Doing::Call => return,
            Doing::Work => {}
        }
        let part = worker.part;
        if job.message.poison {
            return self.job_is_poison(index, handle);
        }
        let share = self.parts[usize::from(part)].health.fail;
        if self.parts[usize::from(part)].errors.hits(share) {
            return self.job_fails(index, handle, Cause::Failed);
        }
        let Some(server) = self.workers[usize::from(index)].calls else {
            let worker = &mut self.workers[usize::from(index)];
            let effect = worker.effect;
            // The note of it is in the transaction of the effect: of two who worked on it at the same time one is refused.
            let repeat = worker.settings.idempotent && !worker.inbox.insert(job.message.fact);
            let kind = if repeat { Kind::Skipped } else { Kind::Effect };
            self.note(kind, part, job.message.fact, 1 << effect, 0);
            return self.job_succeeds(index, handle);
        };
        let worker = &mut self.workers[usize::from(index)];
        if let Some(job) = worker.jobs.get_mut(handle) {
            job.doing = Doing::Call;
        }
        let (effect, timeout_us) = (Some(worker.effect), worker.settings.timeout.0);
        if let Some(reply) = self.call(Caller::Job(index, handle), server, Purpose::Do { effect }, job.message, timeout_us) {
            self.job_hears(index, handle, reply);
        }
    }

    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn job_hears(&mut self, index: u16, handle: Handle, reply: Reply) {
        let worker = &mut self.workers[usize::from(index)];
        let Some(job) = worker.jobs.get(handle).copied() else { return };
        if job.doing != Doing::Call {
            return;
        }
        match reply {
            Reply::Done => {
                let own = worker.calls.is_some_and(|server| self.draws_as_database(server));
                let worker = &mut self.workers[usize::from(index)];
                if worker.settings.idempotent && !own {
                    // Someone else's system: remembered only now, so a small window stays open.
                    worker.inbox.insert(job.message.fact);
                }
                self.job_succeeds(index, handle);
            }
            Reply::Failed(cause) => self.job_fails(index, handle, cause),
        }
    }

    fn draws_as_database(&self, part: u16) -> bool {
        match self.parts[usize::from(part)].body {
            crate::world::Body::Dependency(index) => self.dependencies[usize::from(index)].settings.role == Role::Database,
            _ => false,
        }
    }

    #[cfg_attr(page, optimize(speed))]
    fn job_succeeds(&mut self, index: u16, handle: Handle) {
        let worker = &mut self.workers[usize::from(index)];
        worker.failures = 0;
        let Some(job) = worker.jobs.get(handle).copied() else { return };
        let (part, order) = (worker.part, worker.settings.order);
        if order == AckOrder::WorkThenAck && (self.boundary(part, CrashStep::Worked) || self.happens_to_crash(index)) {
            return self.process_crashes(index, job.process);
        }
        self.parts[usize::from(part)].counters.done += 1;
        if self.parks {
            self.unparks(index, job.message.key, job.message.fact);
        }
        self.job_ends(index, handle, Cause::None);
    }

    /// A job is over: acknowledge it, if that has not been done, and go on to the next.
    #[cfg_attr(page, optimize(speed))]
    fn job_ends(&mut self, index: u16, handle: Handle, cause: Cause) {
        let worker = &mut self.workers[usize::from(index)];
        let Some(job) = worker.jobs.remove(handle) else { return };
        let (part, effect, source) = (worker.part, 1 << worker.effect, worker.source);
        worker.processes[usize::from(job.process)].busy -= 1;
        if job.owned {
            let kind = if cause == Cause::None { Kind::Released } else { Kind::GaveUp };
            self.note(kind, part, job.message.fact, effect, cause as u64);
        }
        match (job.origin, source) {
            (Origin::Queue(receipt), Source::Queue(queue)) if !job.owned => {
                if cause == Cause::SkippedOver {
                    self.note(Kind::Held, part, job.message.fact, effect, 0);
                }
                self.acknowledge(part, queue, receipt, &job.message);
                if cause == Cause::SkippedOver {
                    self.note(Kind::GaveUp, part, job.message.fact, effect, cause as u64);
                }
            }
            (Origin::Server(tag), Source::Server(server)) if !job.owned => {
                let skipped = cause == Cause::SkippedOver;
                if skipped {
                    self.note(Kind::Held, part, job.message.fact, effect, 0);
                }
                let by = Holder { worker: index, process: job.process };
                if self.workers[usize::from(index)].settings.ack_batch {
                    self.workers[usize::from(index)].processes[usize::from(job.process)].unacked.push((tag, job.message));
                    self.batch_ends(index, server, by);
                } else {
                    self.server_settles(server, by, tag, Settle::Ack, &job.message);
                }
                if skipped {
                    self.note(Kind::GaveUp, part, job.message.fact, effect, cause as u64);
                }
            }
            (Origin::Log { .. }, Source::Log(log)) => {
                if cause == Cause::SkippedOver && !job.owned {
                    self.note(Kind::Held, part, job.message.fact, effect, 0);
                    self.note(Kind::GaveUp, part, job.message.fact, effect, cause as u64);
                }
                self.batch_shrinks(index, job.process, log);
            }
            _ => {}
        }
        self.frees_key(index, job.process, job.message.key);
        if self.boundary(part, CrashStep::Done) {
            return self.process_crashes(index, job.process);
        }
        self.process_fills(index, job.process);
    }

    /// What is done is acknowledged with the last one of its batch, unless something of it has failed: then all of it comes
    /// back, but where the failures are reported ("Using Lambda with Amazon SQS", `ReportBatchItemFailures`).
    fn batch_ends(&mut self, index: u16, server: u16, by: Holder) {
        let worker = &mut self.workers[usize::from(index)];
        let hands = &mut worker.processes[usize::from(by.process)];
        if hands.busy > 0 || !hands.buffer.is_empty() {
            return;
        }
        let (done, failed) = (std::mem::take(&mut hands.unacked), std::mem::take(&mut hands.batch_failed));
        let settings = &worker.settings;
        let how = match (failed && !settings.report_failures, settings.failure) {
            (false, _) => Settle::Ack,
            (true, OnFailure::Leave) => return,
            (true, OnFailure::Requeue) => Settle::Requeue,
            (true, OnFailure::Reject) => Settle::Reject,
        };
        for (tag, message) in done {
            self.server_settles(server, by, tag, how, &message);
        }
    }

    /// A message that can never be processed has been recognised, or fails like any other.
    fn job_is_poison(&mut self, index: u16, handle: Handle) {
        match self.workers[usize::from(index)].settings.poison {
            OnPoison::Retry => self.job_fails(index, handle, Cause::Poison),
            OnPoison::DeadLetter if self.workers[usize::from(index)].dead_letters.is_some() => {
                self.note_failure(index, handle, Cause::Poison);
                self.job_is_buried(index, handle);
            }
            OnPoison::DeadLetter => self.job_fails(index, handle, Cause::Poison),
            OnPoison::Skip => {
                self.note_failure(index, handle, Cause::Poison);
                let worker = &self.workers[usize::from(index)];
                if let (true, Some(job)) = (self.parks, worker.jobs.get(handle).copied()) {
                    self.unparks(index, job.message.key, job.message.fact);
                }
                self.job_ends(index, handle, Cause::SkippedOver);
            }
        }
    }

    fn note_failure(&mut self, index: u16, handle: Handle, cause: Cause) {
        let worker = &self.workers[usize::from(index)];
        let part = worker.part;
        let Some(job) = worker.jobs.get(handle).copied() else { return };
        self.parts[usize::from(part)].counters.errors += 1;
        self.note(Kind::WorkFailed, part, job.message.fact, 0, cause as u64 | u64::from(job.tries) << 8);
    }

    fn job_is_buried(&mut self, index: u16, handle: Handle) {
        let worker = &self.workers[usize::from(index)];
        let (part, effect) = (worker.part, 1 << worker.effect);
        let (Some(job), Some(tray)) = (worker.jobs.get(handle).copied(), worker.dead_letters) else { return };
        if worker.settings.park {
            let (key, fact) = (job.message.key, job.message.fact);
            self.workers[usize::from(index)].parked.or_insert(key, SortedSet::default()).insert(fact);
        }
        self.bury(tray, Message { effects: effect, ..job.message }, part);
        // The copy that ends here is not lost: another one lies among the dead letters.
        self.job_ends(index, handle, Cause::None);
    }

    /// A try failed: wait and try again, or give the message up as the source allows.
    fn job_fails(&mut self, index: u16, handle: Handle, cause: Cause) {
        self.note_failure(index, handle, cause);
        self.breaker_counts(index);
        let now_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        let Some(job) = worker.jobs.get(handle).copied() else { return };
        let part = worker.part;
        let last = u64::from(job.tries) >= worker.settings.attempts;
        let endless = matches!(worker.source, Source::Log(_)) && worker.dead_letters.is_none() && !job.owned;
        if !last || endless {
            let wait_us = wait_us(&worker.settings, job.tries, &mut worker.jitter);
            if let Some(job) = worker.jobs.get_mut(handle) {
                job.tries = job.tries.saturating_add(1);
                job.doing = Doing::Wait { until_us: now_us + wait_us };
                job.since_us = now_us;
            }
            self.note(Kind::Waits, part, job.message.fact, 0, wait_us);
            // Even a retry at once takes a moment, or a failing part would stop the clock.
            self.pending.after(now_us, wait_us.max(1_000), Event::Job(index, handle));
            return;
        }
        if worker.dead_letters.is_some() {
            return self.job_is_buried(index, handle);
        }
        // A queue without word from the worker waits out its visibility timeout.
        worker.jobs.remove(handle);
        worker.processes[usize::from(job.process)].busy -= 1;
        let effect = 1 << worker.effect;
        let (worker_source, failure) = (worker.source, worker.settings.failure);
        let log = match worker.source {
            Source::Log(log) => Some(log),
            Source::Queue(_) | Source::Server(_) => None,
        };
        self.frees_key(index, job.process, job.message.key);
        if job.owned {
            self.note(Kind::GaveUp, part, job.message.fact, effect, cause as u64);
        }
        if let Some(log) = log {
            self.batch_shrinks(index, job.process, log);
        }
        if let (Origin::Server(tag), Source::Server(server), false) = (job.origin, worker_source, job.owned) {
            let by = Holder { worker: index, process: job.process };
            self.group_stops(index, server, &job);
            match failure {
                OnFailure::Leave => {}
                OnFailure::Requeue => self.server_settles(server, by, tag, Settle::Requeue, &job.message),
                OnFailure::Reject => self.server_settles(server, by, tag, Settle::Reject, &job.message),
            }
            if self.workers[usize::from(index)].settings.ack_batch {
                self.workers[usize::from(index)].processes[usize::from(job.process)].batch_failed = true;
                self.batch_ends(index, server, by);
            }
        }
        self.process_fills(index, job.process);
    }

    /// A worker that stops the group of a failed message gives back what it has received of its key and not begun.
    fn group_stops(&mut self, index: u16, server: u16, failed: &Job) {
        let worker = &mut self.workers[usize::from(index)];
        if !worker.settings.stop_group {
            return;
        }
        let jobs = &worker.jobs;
        let of_group = |handle: &Handle| jobs.get(*handle).is_some_and(|job| job.message.key == failed.message.key);
        let buffer = &mut worker.processes[usize::from(failed.process)].buffer;
        let back: Vec<Handle> = buffer.iter().copied().filter(of_group).collect();
        buffer.retain(|handle| !back.contains(handle));
        let by = Holder { worker: index, process: failed.process };
        for handle in back {
            let Some(job) = self.workers[usize::from(index)].jobs.remove(handle) else { continue };
            if let Origin::Server(tag) = job.origin {
                self.server_settles(server, by, tag, Settle::Requeue, &job.message);
            }
        }
    }

    fn breaker_counts(&mut self, index: u16) {
        let now_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        worker.failures += 1;
        let (limit, pause_us, part) = (worker.settings.breaker, worker.settings.breaker_pause.0, worker.part);
        if limit == 0 || worker.failures < limit || worker.breaker_until_us.is_some() {
            return;
        }
        worker.failures = 0;
        worker.breaker_until_us = Some(now_us + pause_us);
        self.note_part(Kind::BreakerOpened, part, pause_us);
        self.pending.after(now_us, pause_us, Event::BreakerOver(index));
    }

    pub(crate) fn breaker_over(&mut self, index: u16) {
        self.workers[usize::from(index)].breaker_until_us = None;
        let part = self.workers[usize::from(index)].part;
        self.note_part(Kind::BreakerClosed, part, 0);
        self.worker_fills(index);
    }

    /// Every process of a worker looks for something to do.
    pub(crate) fn worker_fills(&mut self, index: u16) {
        for process in 0..self.workers[usize::from(index)].processes.len() {
            self.process_fills(index, process as u16);
        }
    }

    /// True when the holder still works on the hidden message and extends its timeout.
    pub(crate) fn extends(&self, holder: Holder, slot: Handle) -> bool {
        let worker = &self.workers[usize::from(holder.worker)];
        worker.settings.heartbeat
            && worker.jobs.iter().any(|(_, job)| matches!(job.origin, Origin::Queue(receipt) if receipt.handle == slot))
    }

    /// A process dies with everything in its hands, and comes back after a while.
    pub(crate) fn process_crashes(&mut self, index: u16, process: u16) {
        let restart_us = self.workers[usize::from(index)].settings.restart.0;
        self.process_stops(index, process, false);
        let part = self.workers[usize::from(index)].part;
        self.pending.after(self.now_us, restart_us, Event::Restart(part, process));
    }

    /// A process stops. With notice it leaves its group at once; without, the group waits for its session to run out.
    pub(crate) fn process_stops(&mut self, index: u16, process: u16, notice: bool) {
        let now_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        let (part, effect) = (worker.part, 1 << worker.effect);
        let Some(hands) = worker.processes.get_mut(usize::from(process)) else { return };
        if !hands.up {
            return;
        }
        hands.up = false;
        hands.since_us = now_us;
        hands.epoch += 1;
        hands.busy = 0;
        hands.waiting = false;
        hands.remote = Remote::Idle;
        hands.buffer.clear();
        hands.lanes.clear();
        hands.behind = 0;
        hands.unacked.clear();
        hands.batch_failed = false;
        hands.batch_left = 0;
        hands.batch_ends.clear();
        if let Source::Queue(queue) = worker.source {
            let gone = Holder { worker: index, process };
            self.queues[usize::from(queue)].waiting.retain(|holder| *holder != gone);
        }
        let doomed: Vec<(Handle, Job)> =
            worker.jobs.iter().filter(|(_, job)| job.process == process).map(|(handle, job)| (handle, *job)).collect();
        self.note_part(Kind::Crashed, part, u64::from(process));
        for (handle, job) in doomed {
            self.workers[usize::from(index)].jobs.remove(handle);
            if job.owned {
                self.note(Kind::GaveUp, part, job.message.fact, effect, Cause::AckedBeforeWork as u64);
            }
        }
        if let Source::Server(server) = self.workers[usize::from(index)].source {
            self.server_closes(server, Holder { worker: index, process });
        }
        self.member_stops(index, process, notice);
    }

    /// A process is up again.
    pub(crate) fn process_starts(&mut self, index: u16, process: u16) {
        let worker = &mut self.workers[usize::from(index)];
        let part = worker.part;
        if self.parts[usize::from(part)].health.down {
            return;
        }
        let Some(hands) = worker.processes.get_mut(usize::from(process)) else { return };
        if hands.up {
            return;
        }
        hands.up = true;
        self.note_part(Kind::Restarted, part, u64::from(process));
        self.member_starts(index, process);
        self.process_fills(index, process);
    }
}
