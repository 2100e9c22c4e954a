//! Processes of a worker: they take messages while their hands are free, stop, and start again.

use super::{Job, Origin, Remote, Source};
use crate::broker::queue::Holder;
use crate::observe::record::{Cause, Kind};
use crate::scenario::choices::KeyOrder;
use crate::sim::Handle;
use crate::world::{Event, World};

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
        loop {
            // As `may_work` has it, and in one look: this is asked three times a message.
            let worker = &mut self.workers[usize::from(index)];
            let hands = &mut worker.processes[usize::from(process)];
            let health = &self.parts[usize::from(worker.part)].health;
            let full = u64::from(hands.busy) >= worker.settings.concurrency;
            if full || !hands.up || health.down || health.paused || worker.breaker_until_us.is_some() {
                return;
            }
            let source = worker.source;
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
    pub(super) fn process_receives(&mut self, index: u16, process: u16, queue: u16) -> bool {
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
    pub(super) fn process_asks(&mut self, index: u16, process: u16, server: u16) -> bool {
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

    /// True at the share of messages at which the worker is set to crash.
    pub(super) fn happens_to_crash(&mut self, index: u16) -> bool {
        let worker = &mut self.workers[usize::from(index)];
        let share = worker.settings.crashes;
        worker.crashes.hits(share)
    }
}
