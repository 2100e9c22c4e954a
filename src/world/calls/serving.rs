//! The server's side of a call: whether it is admitted and waits in line, how long it takes, and what is done when its time is up.

use super::{Body, Call, Caller, Purpose, World};
use crate::broker::log::Placed;
use crate::observe::record::Cause;
use crate::service::Record;
use crate::sim::{Handle, Latency, Ppm};

impl World {
    /// How long the server will take, and whether it fails.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn draw(&mut self, server: u16) -> (u64, Cause) {
        let latency = self.latency_of(server);
        let share = self.error_share(server);
        let part = &mut self.parts[usize::from(server)];
        let takes_us = match latency {
            Latency::Constant(always) => always.0,
            varied => varied.sample_us(&mut part.latency),
        };
        let fails = part.errors.hits(share);
        (part.health.stretched_us(takes_us), if fails { Cause::Failed } else { Cause::None })
    }

    /// A server dies: no call on it is answered any more.
    pub(in crate::world) fn drop_calls(&mut self, server: u16) {
        let doomed: Vec<Handle> = self.calls.iter().filter(|(_, call)| call.server == server).map(|(handle, _)| handle).collect();
        for handle in doomed {
            if let Some(call) = self.calls.get(handle).copied() {
                self.transaction_fails(server, call.transaction);
            }
            self.never_answers(handle);
        }
        let part = &mut self.parts[usize::from(server)];
        part.busy = 0;
        part.line.clear();
    }

    #[cfg_attr(page, optimize(speed))]
    pub(super) fn next_in_line(&mut self, server: u16) {
        let capacity = self.capacity(server);
        if capacity == 0 && self.parts[usize::from(server)].line.is_empty() {
            return;
        }
        while capacity == 0 || u64::from(self.parts[usize::from(server)].busy) < capacity {
            let Some(next) = self.parts[usize::from(server)].line.pop_front() else { return };
            if self.calls.get(next).is_none() {
                continue;
            }
            let (takes_us, verdict) = self.draw(server);
            if let Some(call) = self.calls.get_mut(next) {
                call.verdict = verdict;
            }
            self.begin(next, takes_us);
        }
    }

    /// Takes a call out of the server's rate limit, if there is room.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn admits(&mut self, server: u16) -> bool {
        let Body::Dependency(index) = self.parts[usize::from(server)].body else { return true };
        let milli = self.dependencies[usize::from(index)].settings.rate.milli;
        if milli == 0 {
            return true;
        }
        const CALL: u64 = 1_000_000_000;
        // A tenth of a second's worth may come at once.
        let most = (milli * 100_000).max(CALL);
        let now_us = self.now_us;
        let (left, at_us) = &mut self.parts[usize::from(server)].tokens;
        *left = left.saturating_add(milli.saturating_mul(now_us - *at_us)).min(most);
        *at_us = now_us;
        if *left < CALL {
            return false;
        }
        *left -= CALL;
        true
    }

    /// Does what is asked; a broker may refuse and says why.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn perform(&mut self, call: &Call) -> Cause {
        match call.purpose {
            Purpose::Do { effect } => self.dependency_does(call.server, call.caller, effect, &call.message),
            Purpose::Write { outbox } => self.database_commits(call.server, outbox, &call.message, call.transaction),
            Purpose::Store => match self.parts[usize::from(call.server)].body {
                Body::Log(log) => {
                    let refused = self.sequence_refuses(call.caller);
                    if refused == Cause::None {
                        let record = Record { caller: call.caller, message: call.message };
                        self.log_takes(log, Placed::By(self.partitioner(call.caller)), &[record]);
                        self.sequence_stored(call.caller);
                    }
                    return refused;
                }
                _ => return self.broker_stores(call.server, call.message),
            },
            Purpose::StoreBatch => match (call.caller, self.parts[usize::from(call.server)].body) {
                (Caller::Batch(..), Body::Log(log)) => return self.batch_stores(log, call.caller),
                _ => return self.relay_stores(call.caller, call.server),
            },
        }
        Cause::None
    }

    /// As [`Self::perform`]; none where the answer depends on more than the server and comes later, or never.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn perform_or_wait(&mut self, handle: Handle, call: &Call) -> Option<Cause> {
        let Body::Log(log) = self.parts[usize::from(call.server)].body else { return Some(self.perform(call)) };
        if self.logs[usize::from(log)].replicas.is_none() {
            return Some(self.perform(call));
        }
        let placed = Placed::By(self.partitioner(call.caller));
        let (placed, records) = match call.caller {
            Caller::Batch(..) => self.batch_of(call.caller),
            Caller::Relay(..) => (placed, self.relay_brings(call.caller, call.server)),
            caller => (placed, vec![Record { caller, message: call.message }]),
        };
        let refused = self.sequence_refuses_any(&records);
        if refused != Cause::None {
            return Some(refused);
        }
        self.replicas_take(log, handle, placed, &records)
    }

    #[cfg_attr(page, optimize(speed))]
    pub(super) fn has_replicas(&self, server: u16) -> bool {
        matches!(self.parts[usize::from(server)].body, Body::Log(log) if self.logs[usize::from(log)].replicas.is_some())
    }

    #[cfg_attr(page, optimize(speed))]
    fn latency_of(&self, server: u16) -> Latency {
        match self.parts[usize::from(server)].body {
            Body::Dependency(index) => self.dependencies[usize::from(index)].settings.latency,
            Body::Database(index) => self.databases[usize::from(index)].settings.latency,
            Body::Queue(index) => self.queues[usize::from(index)].settings.latency,
            Body::Server(index) => self.servers[usize::from(index)].settings.latency,
            Body::Exchange(index) => self.exchanges[usize::from(index)].settings.latency,
            Body::Log(index) => self.logs[usize::from(index)].settings.latency,
            Body::Producer(_) | Body::Service(_) | Body::Relay(_) | Body::Worker(_) => Latency::default(),
        }
    }

    #[cfg_attr(page, optimize(speed))]
    fn error_share(&self, server: u16) -> Ppm {
        let broken = self.parts[usize::from(server)].health.fail;
        match self.parts[usize::from(server)].body {
            Body::Dependency(index) => broken.max(self.dependencies[usize::from(index)].settings.errors),
            _ => broken,
        }
    }

    #[cfg_attr(page, optimize(speed))]
    pub(super) fn capacity(&self, server: u16) -> u64 {
        match self.parts[usize::from(server)].body {
            Body::Dependency(index) => self.dependencies[usize::from(index)].settings.capacity,
            Body::Database(index) => self.databases[usize::from(index)].settings.capacity,
            _ => 0,
        }
    }
}
