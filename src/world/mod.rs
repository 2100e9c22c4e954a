//! The world: all parts, the pending events and the observer. One thread, virtual time, integer microseconds.
//!
//! Parts call each other only through `World::call` (a request that may fail, take time or get no answer) and through
//! what brokers hand out. Each part's behaviour is an `impl World` block in the part's own file; this file owns the loop.

mod audit;
mod boundaries;
mod build;
mod calls;
mod commands;
mod connect;
mod facts;
mod gauges;
mod health;
mod part;
mod view;

use std::rc::Rc;

pub use boundaries::{Boundaries, Boundary, Point, Wanted};
pub use calls::{Call, Caller, Purpose, Reply};
pub use gauges::{Alert, GaugeBoard, KEEP_FIRING_US};
pub use health::Health;
pub use part::{Body, Counters, Part};

use crate::broker::{Exchange, Log, Server, WorkQueue};
use crate::command::Timed;
use crate::database::{Database, Relay};
use crate::message::EffectMask;
use crate::observe::hops::Hop;
use crate::observe::observer::Observer;
use crate::observe::record::{Kind, NO_FACT};
use crate::scenario::Scenario;
use crate::service::{Accumulator, Dependency, Producer, Service, Worker};
use crate::sim::{EventQueue, Handle, Slab, Timestamp};
use crate::timeline::Progress;

/// Something that will happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A producer's next message comes.
    Emit(u16),
    /// A producer tries an unconfirmed message again.
    Resend(u16, Handle),
    /// A request of a service goes on.
    Request(u16, Handle),
    /// A call is done at its server.
    CallDone(Handle),
    /// The caller of a call stops waiting.
    CallTimeout(Handle),
    /// A hidden or delayed message of a queue becomes visible.
    Visible(u16, Handle),
    /// Something is due by itself at a server.
    ServerDue(u16),
    /// A worker at work tells its server that it still is.
    Heartbeat(u16, Handle),
    /// A worker goes on with a job.
    Job(u16, Handle),
    /// A crashed process is back: part and process.
    Restart(u16, u16),
    /// A dead member's session runs out: worker, process and its epoch.
    SessionOver(u16, u16, u32),
    /// A member's batch has taken longer than the poll interval: worker, process and batch.
    PollOver(u16, u16, u32),
    /// The members of a group that wait for records take what has arrived.
    Fetch(u16),
    /// What a member fetched from remote storage is there: worker, process and its epoch.
    FetchedRemote(u16, u16, u32),
    /// Records of a log may be old enough for its readers, by index of its part.
    Ripe(u16),
    /// A rebalance may be complete.
    Rebalanced(u16),
    /// A circuit breaker lets calls through again.
    BreakerOver(u16),
    /// A relay looks at the outbox; stale if its epoch has changed.
    RelayPoll(u16, u32),
    /// A relay's batch is marked as sent; stale if its epoch has changed.
    RelayMarked(u16, u32),
    /// A transaction may be open for too long: log, producer and its number.
    TransactionOver(u16, u16, u32),
    /// Something happens in a group by itself.
    GroupDue(u16),
    /// A group has refused a static member, for good: worker and process.
    MemberRefused(u16, u16),
    /// A deploy comes to a process: part and process.
    Redeploy(u16, u16),
    /// Something happens to the replicas of a log by itself.
    LogDue(u16),
    /// A burst of a producer is over; stale if its number has changed.
    BurstOver(u16, u32),
    /// A batch of records may have lingered: accumulator and its number for the batch.
    Linger(u16, u32),
}

/// Everything that is and will be.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) now_us: Timestamp,
    pub(crate) pending: EventQueue<Event>,
    pub(crate) events: u64,
    /// When the newest event happened; where a step back leads.
    pub(crate) last_event_us: Timestamp,
    pub(crate) scenario: Rc<Scenario>,
    pub(crate) parts: Vec<Part>,
    pub(crate) producers: Vec<Producer>,
    pub(crate) services: Vec<Service>,
    /// What these two gather, each for a log.
    pub(crate) accumulators: Vec<Accumulator>,
    pub(crate) databases: Vec<Database>,
    pub(crate) relays: Vec<Relay>,
    pub(crate) queues: Vec<WorkQueue>,
    pub(crate) servers: Vec<Server>,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) logs: Vec<Log>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) calls: Slab<Call>,
    /// Some worker parks keys.
    pub(crate) parks: bool,
    pub(crate) cuts: Vec<(u16, u16)>,
    pub(crate) plan: Rc<Vec<Timed>>,
    pub(crate) next_command: usize,
    pub(crate) next_sample_us: Timestamp,
    /// Where each step boundary was, while someone wants to know: for exploring every crash.
    pub(crate) boundary_log: Option<Boundaries>,
    /// What is made from the trace.
    pub observer: Observer,
    /// Gauges over time, and the alert rules.
    pub board: GaugeBoard,
}

impl World {
    /// The world of a scenario, before anything has happened.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        build::build(scenario)
    }

    /// The present moment.
    #[must_use]
    pub fn now_us(&self) -> Timestamp {
        self.now_us
    }

    /// How many events have happened.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// When the newest event happened.
    #[must_use]
    pub fn last_event_us(&self) -> Timestamp {
        self.last_event_us
    }

    /// Fingerprint of everything that has happened.
    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        self.observer.trace_hash()
    }

    /// Fingerprint of everything that has happened, the commands themselves aside.
    #[must_use]
    pub fn happened(&self) -> u64 {
        self.observer.happened.value()
    }

    /// The scenario that is run.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Runs everything that happens before `until_us`, then stands there.
    pub fn run_until(&mut self, until_us: Timestamp) {
        while self.run(until_us, u64::MAX) == Progress::More {}
    }

    /// Runs towards `until_us`, for at most so many events.
    #[cfg_attr(page, optimize(speed))]
    pub fn run(&mut self, until_us: Timestamp, most_events: u64) -> Progress {
        let last = self.events.saturating_add(most_events);
        loop {
            let command_us = self.plan.get(self.next_command).map_or(Timestamp::MAX, |timed| timed.at_us.max(self.now_us));
            let bound = until_us.min(command_us).min(self.next_sample_us);
            while let Some((at_us, event)) = self.pending.pop_before(bound) {
                self.now_us = at_us;
                self.last_event_us = at_us;
                self.events += 1;
                self.handle(event);
                self.check_books();
                if self.events >= last {
                    return Progress::More;
                }
            }
            if bound == until_us {
                self.now_us = self.now_us.max(until_us);
                return Progress::Done;
            }
            self.now_us = bound;
            if command_us == bound {
                let timed = self.plan[self.next_command].clone();
                self.next_command += 1;
                self.last_event_us = self.now_us;
                self.command(&timed.command);
                self.check_books();
            } else {
                self.sample();
            }
        }
    }

    /// Gives the world another plan of commands, of which those before the present moment were carried out.
    pub(crate) fn plan(&mut self, plan: Rc<Vec<Timed>>) {
        self.next_command = plan.partition_point(|timed| timed.at_us < self.now_us);
        self.plan = plan;
    }

    /// True when an event has happened at this very moment and others of the same moment may follow.
    pub(crate) fn mid_instant(&self) -> bool {
        self.last_event_us == self.now_us && self.events > 0
    }

    /// When the next thing happens: an event or a planned command. Samples are not counted.
    #[must_use]
    pub fn next_event_us(&self) -> Option<Timestamp> {
        let command_us = self.plan.get(self.next_command).map(|timed| timed.at_us);
        match (self.pending.next_at_us(), command_us) {
            (Some(event), Some(command)) => Some(event.min(command)),
            (event, command) => event.or(command),
        }
    }

    #[inline(always)]
    #[cfg_attr(page, optimize(speed))]
    fn handle(&mut self, event: Event) {
        match event {
            Event::Emit(producer) => self.producer_emits(producer),
            Event::Request(service, request) => self.request_goes_on(service, request),
            Event::CallDone(call) => self.call_done(call),
            Event::CallTimeout(call) => self.call_timed_out(call),
            Event::Visible(queue, slot) => self.becomes_visible(queue, slot),
            Event::Job(worker, job) => self.job_goes_on(worker, job),
            rarer => self.handle_rarer(rarer),
        }
    }

    /// What does not come for each message, apart from what does: that is compiled for speed, and all this would go into it.
    #[inline(never)]
    fn handle_rarer(&mut self, event: Event) {
        match event {
            Event::Resend(producer, held) => self.producer_resends(producer, held),
            Event::ServerDue(server) => self.server_due(server),
            Event::Heartbeat(worker, job) => self.job_beats(worker, job),
            Event::Restart(part, process) => self.restart(part, process),
            Event::SessionOver(worker, process, epoch) => self.session_over(worker, process, epoch),
            Event::PollOver(worker, process, batch) => self.poll_over(worker, process, batch),
            Event::Fetch(worker) => self.members_poll(worker),
            Event::FetchedRemote(worker, process, epoch) => self.member_has_fetched(worker, process, epoch),
            Event::Ripe(log) => self.wake(log),
            Event::Rebalanced(worker) => self.rebalance_may_end(worker),
            Event::BreakerOver(worker) => self.breaker_over(worker),
            Event::RelayPoll(relay, epoch) => self.relay_polls(relay, epoch),
            Event::RelayMarked(relay, epoch) => self.relay_marked(relay, epoch),
            Event::TransactionOver(log, producer, number) => self.transaction_over(log, producer, number),
            Event::GroupDue(worker) => self.crew_due(worker),
            Event::MemberRefused(worker, process) => self.process_crashes(worker, process),
            Event::Redeploy(part, process) => self.redeploys(part, process),
            Event::LogDue(log) => self.log_due(log),
            Event::BurstOver(producer, number) => self.burst_over(producer, number),
            Event::Linger(accumulator, number) => self.lingered(accumulator, number),
            Event::Emit(_)
            | Event::Request(..)
            | Event::CallDone(_)
            | Event::CallTimeout(_)
            | Event::Visible(..)
            | Event::Job(..) => {
                unreachable!("handled with what comes for each message")
            }
        }
    }

    /// Writes a record about a fact into the trace.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn note(&mut self, kind: Kind, part: u16, fact: u32, effects: EffectMask, extra: u64) {
        self.observer.note(self.now_us, kind, part, fact, effects, extra);
    }

    /// Writes a record about a part into the trace.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn note_part(&mut self, kind: Kind, part: u16, extra: u64) {
        self.observer.note(self.now_us, kind, part, NO_FACT, 0, extra);
    }

    /// Remembers a hop for the stage.
    #[inline]
    pub(crate) fn hop(&mut self, from: u16, to: u16, fact: u32, takes_us: u64) {
        self.observer.hops.add(Hop { start_us: self.now_us, end_us: self.now_us + takes_us, fact, from, to });
    }

    /// True when the two parts can reach each other and the second one answers.
    #[inline]
    pub(crate) fn reachable(&self, from: u16, to: u16) -> bool {
        !self.parts[usize::from(to)].health.down && !self.is_cut(from, to)
    }

    /// True when the line between the two parts is cut.
    #[inline]
    pub(crate) fn is_cut(&self, from: u16, to: u16) -> bool {
        !self.cuts.is_empty() && self.cuts.iter().any(|cut| *cut == (from, to) || *cut == (to, from))
    }

    /// Checks the books after every event of a debug build. Counting anew what the parts hold takes longer: it is done after
    /// every event of the first ones, and now and then later.
    #[inline]
    fn check_books(&self) {
        if cfg!(debug_assertions) {
            assert!(self.observer.books.balance(), "books do not balance at {} us", self.now_us);
            if self.events < 20_000 || self.events.is_multiple_of(1_009) {
                let audit = self.audit();
                assert!(audit.is_ok(), "books do not balance at {} us: {audit:?}", self.now_us);
            }
        }
    }
}
