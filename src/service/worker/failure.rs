//! What a worker does where work fails: tries again, sets aside, stops its group, or stops calling for a while.

use redrive_brokers::Settle;
use redrive_brokers::sorted::SortedSet;

use super::{Doing, Job, Origin, Source};
use crate::broker::queue::Holder;
use crate::message::Message;
use crate::observe::record::{Cause, Kind};
use crate::scenario::choices::{OnFailure, OnPoison};
use crate::service::backoff::wait_us;
use crate::sim::Handle;
use crate::world::{Event, World};

impl World {
    /// What is done is acknowledged with the last one of its batch, unless something of it has failed: then all of it comes
    /// back, but where the failures are reported ("Using Lambda with Amazon SQS", `ReportBatchItemFailures`).
    pub(super) fn batch_ends(&mut self, index: u16, server: u16, by: Holder) {
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
    pub(super) fn job_is_poison(&mut self, index: u16, handle: Handle) {
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

    pub(super) fn note_failure(&mut self, index: u16, handle: Handle, cause: Cause) {
        let worker = &self.workers[usize::from(index)];
        let part = worker.part;
        let Some(job) = worker.jobs.get(handle).copied() else { return };
        self.parts[usize::from(part)].counters.errors += 1;
        self.note(Kind::WorkFailed, part, job.message.fact, 0, cause as u64 | u64::from(job.tries) << 8);
    }

    pub(super) fn job_is_buried(&mut self, index: u16, handle: Handle) {
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
    pub(super) fn job_fails(&mut self, index: u16, handle: Handle, cause: Cause) {
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
    pub(super) fn group_stops(&mut self, index: u16, server: u16, failed: &Job) {
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

    pub(super) fn breaker_counts(&mut self, index: u16) {
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
}
