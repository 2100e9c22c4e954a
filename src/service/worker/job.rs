//! One message in the hands of one process, step by step: kept until it is due, worked on, acknowledged.

use redrive_brokers::Settle;

use super::{Doing, Job, Origin, Source};
use crate::broker::queue::Holder;
use crate::command::CrashStep;
use crate::message::Message;
use crate::observe::record::{Cause, Kind};
use crate::scenario::choices::{AckOrder, Role};
use crate::sim::Handle;
use crate::world::{Caller, Event, Purpose, Reply, World};

impl World {
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

    /// Keeps a job in memory if it is not due. True if so.
    pub(super) fn holds(&mut self, index: u16, handle: Handle, job: &Job) -> bool {
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
    pub(super) fn job_is_due(&mut self, index: u16, handle: Handle, process: u16) {
        let worker = &mut self.workers[usize::from(index)];
        if let Some(job) = worker.jobs.get_mut(handle) {
            job.doing = Doing::Buffered;
        }
        let hands = &mut worker.processes[usize::from(process)];
        hands.buffer.push_back(handle);
        self.process_fills(index, process);
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
    pub(super) fn job_begins(&mut self, index: u16, handle: Handle) {
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

    /// The job's copy is the only one from now on: it is acknowledged before the work.
    pub(in crate::service) fn job_owns(&mut self, index: u16, handle: Handle) {
        let worker = &mut self.workers[usize::from(index)];
        let (part, effect) = (worker.part, 1 << worker.effect);
        let Some(job) = worker.jobs.get_mut(handle) else { return };
        job.owned = true;
        let fact = job.message.fact;
        self.note(Kind::Held, part, fact, effect, 0);
    }

    /// A job's own work starts, for the first time or again.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn job_works(&mut self, index: u16, handle: Handle) {
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

    pub(super) fn draws_as_database(&self, part: u16) -> bool {
        match self.parts[usize::from(part)].body {
            crate::world::Body::Dependency(index) => self.dependencies[usize::from(index)].settings.role == Role::Database,
            _ => false,
        }
    }

    #[cfg_attr(page, optimize(speed))]
    pub(super) fn job_succeeds(&mut self, index: u16, handle: Handle) {
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
    pub(super) fn job_ends(&mut self, index: u16, handle: Handle, cause: Cause) {
        let worker = &mut self.workers[usize::from(index)];
        let Some(job) = worker.jobs.get(handle).copied() else { return };
        worker.jobs.free(handle);
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
}
