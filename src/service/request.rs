//! A service: it answers users. A request runs its steps in order; what stands after the answer runs in the memory of
//! the process, and dies with it.

use std::rc::Rc;

use crate::command::CrashStep;
use crate::message::{EffectMask, Message};
use crate::observe::histogram::Histogram;
use crate::observe::record::{Cause, Kind};
use crate::scenario::parts::ServiceSettings;
use crate::sim::{Handle, Latency, Slab, Timestamp};
use crate::world::{Caller, Event, Purpose, Reply, World};

/// A step with its parts resolved.
#[derive(Clone, Debug)]
pub enum BoundStep {
    /// The service's own work.
    Work(Latency),
    /// Calls all of these at the same time.
    Call(Rc<[u16]>),
    /// Commits an order row.
    Write {
        /// The database's part.
        database: u16,
        /// With an outbox row.
        outbox: bool,
    },
    /// Publishes to a broker.
    Publish(u16),
    /// Answers the user.
    Answer,
}

/// A user's request under way.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The fact it is about.
    pub message: Message,
    /// When the user asked.
    pub started_us: Timestamp,
    /// Which step it is at.
    pub step: u16,
    /// How often that step was tried.
    pub tries: u16,
    /// Replies that the step still waits for.
    pub waiting: u16,
    /// Why the step failed.
    pub failed: Cause,
    /// The user has been told yes.
    pub answered: bool,
    /// It waits before it tries the step again.
    pub resting: bool,
}

/// The state of a service.
#[derive(Clone, Debug)]
pub struct Service {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: ServiceSettings,
    /// Its steps, resolved.
    pub steps: Vec<BoundStep>,
    /// The effects that a request may lead to.
    pub effects: EffectMask,
    /// Requests under way.
    pub requests: Slab<Request>,
    /// How long answers took since the last sample.
    pub window: Histogram,
    /// Median and 99th percentile of the newest sample that had answers.
    pub recent_us: (u64, u64),
}

impl World {
    /// A user's request reaches a service.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn request_begins(&mut self, index: u16, from: u16, message: Message) {
        let service = &self.services[usize::from(index)];
        let part = service.part;
        let health = &self.parts[usize::from(part)].health;
        let out = health.out() || health.paused;
        let full = service.settings.capacity > 0 && u64::from(service.requests.len()) >= service.settings.capacity;
        let effects = service.effects;
        self.parts[usize::from(part)].counters.received += 1;
        self.note(Kind::Asked, part, message.fact, 0, 0);
        self.hop(from, part, message.fact, 0);
        let refusal = if out || self.is_cut(from, part) {
            Some(Cause::Down)
        } else if full {
            Some(Cause::TooMany)
        } else {
            let share = self.parts[usize::from(part)].health.fail;
            self.parts[usize::from(part)].errors.hits(share).then_some(Cause::Failed)
        };
        if let Some(cause) = refusal {
            self.parts[usize::from(part)].counters.errors += 1;
            self.note(Kind::Refused, part, message.fact, 0, cause as u64);
            return;
        }
        self.note(Kind::Held, part, message.fact, effects, 0);
        let request = Request {
            message,
            started_us: self.now_us,
            step: 0,
            tries: 1,
            waiting: 0,
            failed: Cause::None,
            answered: false,
            resting: false,
        };
        let request = self.services[usize::from(index)].requests.insert(request);
        self.request_steps(index, request);
    }

    /// Runs a request's steps until one has to wait.
    #[cfg_attr(page, optimize(speed))]
    fn request_steps(&mut self, index: u16, handle: Handle) {
        loop {
            let service = &self.services[usize::from(index)];
            let Some(request) = service.requests.get(handle).copied() else { return };
            let (part, timeout_us) = (service.part, service.settings.timeout.0);
            let Some(step) = service.steps.get(usize::from(request.step)).cloned() else {
                self.services[usize::from(index)].requests.free(handle);
                self.note(Kind::Released, part, request.message.fact, self.services[usize::from(index)].effects, 0);
                return;
            };
            let caller = Caller::Request(index, handle);
            let message = request.message;
            match step {
                BoundStep::Work(latency) => {
                    let part = &mut self.parts[usize::from(part)];
                    let takes_us = part.health.stretched_us(latency.sample_us(&mut part.latency));
                    self.advance(index, handle);
                    if takes_us > 0 {
                        self.pending.after(self.now_us, takes_us, Event::Request(index, handle));
                        return;
                    }
                }
                BoundStep::Call(servers) => {
                    self.expect(index, handle, servers.len() as u16);
                    let mut left = servers.len() as u16;
                    for server in servers.iter().copied() {
                        if self.call(caller, server, Purpose::Do { effect: None }, message, timeout_us).is_some() {
                            left -= 1;
                        }
                    }
                    self.expect(index, handle, left);
                    if left > 0 || self.step_done(index, handle, CrashStep::Called) {
                        return;
                    }
                }
                BoundStep::Write { database, outbox } => {
                    self.expect(index, handle, 1);
                    if self.call(caller, database, Purpose::Write { outbox }, message, timeout_us).is_none() {
                        return;
                    }
                    if self.step_done(index, handle, CrashStep::Committed) {
                        return;
                    }
                }
                BoundStep::Publish(broker) => {
                    self.expect(index, handle, 1);
                    if self.publish(caller, broker, message, timeout_us, request.tries > 1).is_none() {
                        return;
                    }
                    if self.step_done(index, handle, CrashStep::Published) {
                        return;
                    }
                }
                BoundStep::Answer => {
                    let took_us = self.now_us - request.started_us;
                    let service = &mut self.services[usize::from(index)];
                    service.window.add(took_us);
                    if let Some(request) = service.requests.get_mut(handle) {
                        request.answered = true;
                    }
                    self.parts[usize::from(part)].counters.done += 1;
                    self.note(Kind::Answered, part, message.fact, 0, took_us);
                    if self.step_done(index, handle, CrashStep::Answered) {
                        return;
                    }
                }
            }
        }
    }

    fn expect(&mut self, index: u16, handle: Handle, replies: u16) {
        if let Some(request) = self.services[usize::from(index)].requests.get_mut(handle) {
            request.waiting = replies;
            request.failed = Cause::None;
        }
    }

    fn advance(&mut self, index: u16, handle: Handle) {
        if let Some(request) = self.services[usize::from(index)].requests.get_mut(handle) {
            request.step += 1;
            request.tries = 1;
            request.waiting = 0;
        }
    }

    /// A step that ends at a boundary is done. True when the process crashed there.
    #[cfg_attr(page, optimize(speed))]
    fn step_done(&mut self, index: u16, handle: Handle, step: CrashStep) -> bool {
        self.advance(index, handle);
        let part = self.services[usize::from(index)].part;
        if self.boundary(part, step) {
            self.service_crashes(index);
            return true;
        }
        false
    }

    /// A request's own work, or its wait before another try, is over.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn request_goes_on(&mut self, index: u16, handle: Handle) {
        if let Some(request) = self.services[usize::from(index)].requests.get_mut(handle) {
            request.resting = false;
            self.request_steps(index, handle);
        }
    }

    pub(crate) fn request_hears(&mut self, index: u16, handle: Handle, reply: Reply) {
        let service = &mut self.services[usize::from(index)];
        let (part, attempts, retry_us) = (service.part, service.settings.attempts, service.settings.retry.0);
        let Some(request) = service.requests.get_mut(handle) else { return };
        request.waiting = request.waiting.saturating_sub(1);
        if let Reply::Failed(cause) = reply {
            request.failed = cause;
        }
        if request.waiting > 0 {
            return;
        }
        let request = *request;
        let step = service.steps.get(usize::from(request.step)).cloned();
        if request.failed == Cause::None {
            let stopped = match step {
                Some(BoundStep::Write { .. }) => self.step_done(index, handle, CrashStep::Committed),
                Some(BoundStep::Publish(_)) => self.step_done(index, handle, CrashStep::Published),
                Some(BoundStep::Call(_)) => self.step_done(index, handle, CrashStep::Called),
                _ => {
                    self.advance(index, handle);
                    false
                }
            };
            if !stopped {
                self.request_steps(index, handle);
            }
            return;
        }
        if matches!(step, Some(BoundStep::Publish(_))) {
            self.note(Kind::PublishFailed, part, request.message.fact, 0, u64::from(request.tries));
        }
        if u64::from(request.tries) < attempts {
            if let Some(request) = self.services[usize::from(index)].requests.get_mut(handle) {
                request.tries += 1;
                request.resting = true;
            }
            self.pending.after(self.now_us, retry_us, Event::Request(index, handle));
            return;
        }
        self.request_fails(index, handle, request.failed);
    }

    /// A request ends without all of its steps: the user is told no, unless told yes already.
    fn request_fails(&mut self, index: u16, handle: Handle, cause: Cause) {
        let service = &mut self.services[usize::from(index)];
        let (part, effects) = (service.part, service.effects);
        let Some(request) = service.requests.remove(handle) else { return };
        self.parts[usize::from(part)].counters.errors += 1;
        let fact = request.message.fact;
        let given_up = match (request.answered, cause) {
            (_, Cause::ProcessDied) => Cause::ProcessDied,
            (true, _) => Cause::PublishGivenUp,
            (false, _) => Cause::Refused,
        };
        if !request.answered {
            self.note(Kind::Refused, part, fact, 0, cause as u64);
        }
        self.note(Kind::GaveUp, part, fact, effects, given_up as u64);
    }

    /// The service's process dies with every request in its memory.
    pub(crate) fn service_crashes(&mut self, index: u16) {
        let service = &self.services[usize::from(index)];
        let (part, restart_us) = (service.part, service.settings.restart.0);
        self.note_part(Kind::Crashed, part, 0);
        self.gathered_dies(part);
        let handles: Vec<Handle> = self.services[usize::from(index)].requests.iter().map(|(handle, _)| handle).collect();
        for handle in handles {
            self.request_fails(index, handle, Cause::ProcessDied);
        }
        let now_us = self.now_us;
        let health = &mut self.parts[usize::from(part)].health;
        health.since_us = now_us;
        health.restarting_until_us = Some(now_us + restart_us);
        self.pending.after(now_us, restart_us, Event::Restart(part, 0));
    }
}
