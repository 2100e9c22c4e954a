//! Calls: how one part asks another. A call may take time, wait in line, fail, or get no answer although it was done.
//!
//! The caller hears exactly once: a reply, or its own timeout. The server may finish a call that its caller has given up;
//! the effect happens all the same. That gap is where duplicates come from.

mod serving;

use super::{Body, Event, Point, World};
use crate::message::Message;
use crate::observe::record::Cause;
use crate::scenario::choices::Partitioner;
use crate::sim::{Handle, Timestamp};

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A producer, for a message in its memory.
    Producer(u16, Handle),
    /// A request of a service.
    Request(u16, Handle),
    /// A relay, in an epoch of its process.
    Relay(u16, u32),
    /// A job of a worker.
    Job(u16, Handle),
    /// An accumulator, for a batch of its part's by number.
    Batch(u16, u32),
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A dependency is to do something, which may count as an effect.
    Do {
        /// The effect, by bit number.
        effect: Option<u8>,
    },
    /// A database is to commit an order row, and an outbox row with it if asked for.
    Write {
        /// With an outbox row.
        outbox: bool,
    },
    /// A broker is to store a message.
    Store,
    /// A broker is to store a batch, of a relay or gathered.
    StoreBatch,
}

/// What the caller hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Done.
    Done,
    /// Not done, or not known to be done.
    Failed(Cause),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In line at the server.
    Waiting,
    /// The server works on it.
    Running,
    /// The server has done its part and answers once others have.
    Parked,
    /// The server will never answer; the caller's timeout ends it.
    Dead,
}

/// One call under way.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    server: u16,
    /// The part that asks.
    from: u16,
    caller: Caller,
    purpose: Purpose,
    message: Message,
    started_us: Timestamp,
    timeout_us: u64,
    timer: bool,
    answered: bool,
    state: State,
    verdict: Cause,
    /// The id of the transaction, where someone asks for ids; nought otherwise.
    transaction: u64,
    /// Answers that a parked call still waits for.
    waits: u32,
}

/// A refusal costs a server next to nothing, but it is an answer and takes its way back.
const REFUSAL_US: u64 = 1_000;

impl World {
    /// Asks a server. A reply that takes no time at all is returned; any other comes later.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn call(
        &mut self,
        caller: Caller,
        server: u16,
        purpose: Purpose,
        message: Message,
        timeout_us: u64,
    ) -> Option<Reply> {
        let from = self.caller_part(caller);
        let mut base = Call {
            server,
            from,
            caller,
            purpose,
            message,
            started_us: self.now_us,
            timeout_us,
            timer: false,
            answered: false,
            state: State::Running,
            verdict: Cause::None,
            transaction: 0,
            waits: 0,
        };
        if !self.reachable(from, server) {
            self.without_answer(base);
            return None;
        }
        if !self.admits(server) {
            let call = self.calls.insert(Call { verdict: Cause::TooMany, ..base });
            self.parts[usize::from(server)].busy += 1;
            self.pending.after(self.now_us, REFUSAL_US, Event::CallDone(call));
            return None;
        }
        let capacity = self.capacity(server);
        if capacity > 0 && u64::from(self.parts[usize::from(server)].busy) >= capacity {
            let call = self.calls.insert(Call { state: State::Waiting, timer: true, ..base });
            self.parts[usize::from(server)].line.push_back(call);
            self.pending.after(self.now_us, timeout_us, Event::CallTimeout(call));
            return None;
        }
        let (takes_us, verdict) = self.draw(server);
        let sure = verdict == Cause::None && self.parts[usize::from(server)].health.lose_acks == 0;
        if takes_us == 0 && sure && !self.has_replicas(server) {
            self.call_hops(caller, from, server, message.fact, 0);
            if matches!(purpose, Purpose::Write { .. }) {
                base.transaction = self.transaction_begins(server);
            }
            let refused = self.perform(&base);
            self.answered(&base, refused);
            self.publish_ends(&base);
            return Some(if refused == Cause::None { Reply::Done } else { Reply::Failed(refused) });
        }
        let call = self.calls.insert(Call { verdict, ..base });
        self.begin(call, takes_us);
        None
    }

    /// A call that nobody will answer.
    fn without_answer(&mut self, call: Call) {
        let timeout_us = call.timeout_us;
        let call = self.calls.insert(Call { state: State::Dead, timer: true, ..call });
        self.pending.after(self.now_us, timeout_us, Event::CallTimeout(call));
    }

    #[cfg_attr(page, optimize(speed))]
    fn begin(&mut self, handle: Handle, takes_us: u64) {
        let now_us = self.now_us;
        let Some(call) = self.calls.get_mut(handle) else { return };
        call.state = State::Running;
        let server = call.server;
        let deadline_us = call.started_us + call.timeout_us;
        let needs_timer = !call.timer && now_us + takes_us > deadline_us;
        call.timer |= needs_timer;
        let (caller, from, fact, writes) =
            (call.caller, call.from, call.message.fact, matches!(call.purpose, Purpose::Write { .. }));
        if needs_timer {
            self.pending.at(deadline_us, Event::CallTimeout(handle));
        }
        if writes {
            let transaction = self.transaction_begins(server);
            if let Some(call) = self.calls.get_mut(handle) {
                call.transaction = transaction;
            }
        }
        self.parts[usize::from(server)].busy += 1;
        self.pending.after(now_us, takes_us, Event::CallDone(handle));
        self.call_hops(caller, from, server, fact, takes_us);
    }

    /// What is asked for is drawn on its way.
    #[inline(always)]
    #[cfg_attr(page, optimize(speed))]
    fn call_hops(&mut self, caller: Caller, from: u16, server: u16, fact: u32, takes_us: u64) {
        if let Caller::Batch(..) = caller {
            return self.batch_hops(caller, server, takes_us);
        }
        self.hop(from, server, fact, takes_us);
    }

    #[cfg_attr(page, optimize(speed))]
    pub(super) fn call_done(&mut self, handle: Handle) {
        let Some(mut call) = self.calls.get(handle).copied() else { return };
        if call.state != State::Running {
            return;
        }
        let server = usize::from(call.server);
        self.parts[server].busy = self.parts[server].busy.saturating_sub(1);
        if call.verdict == Cause::None {
            match self.perform_or_wait(handle, &call) {
                Some(refused) => call.verdict = refused,
                None => return,
            }
        }
        self.call_ends(handle, call);
    }

    /// A call is answered once others have answered its server so many times.
    pub(crate) fn call_waits(&mut self, handle: Handle, answers: u32) {
        let now_us = self.now_us;
        let Some(call) = self.calls.get_mut(handle) else { return };
        call.state = State::Parked;
        call.waits = answers;
        if !call.timer && !call.answered {
            call.timer = true;
            let deadline_us = (call.started_us + call.timeout_us).max(now_us);
            self.pending.at(deadline_us, Event::CallTimeout(handle));
        }
    }

    /// One of the answers that a parked call waits for.
    pub(crate) fn call_hears(&mut self, handle: Handle, refused: Cause) {
        let Some(call) = self.calls.get_mut(handle).filter(|call| call.state == State::Parked) else { return };
        call.waits = call.waits.saturating_sub(1);
        call.verdict = call.verdict.max(refused);
        if call.waits == 0 || refused != Cause::None {
            let call = *call;
            self.call_ends(handle, call);
        }
    }

    /// A server has done what was asked, or refused: its answer goes back.
    #[cfg_attr(page, optimize(speed))]
    fn call_ends(&mut self, handle: Handle, call: Call) {
        let server = usize::from(call.server);
        if call.verdict != Cause::None {
            // What is only out of sequence is no failure that anyone hears of.
            self.parts[server].counters.errors += u64::from(call.verdict != Cause::OutOfSequence);
            self.transaction_fails(call.server, call.transaction);
        }
        self.next_in_line(call.server);
        let lost = self.parts[server].health.lose_acks > 0 && self.is_broker(call.server);
        if lost {
            self.parts[server].health.lose_acks -= 1;
            if let Caller::Batch(..) = call.caller {
                self.batch_unanswered(call.caller, call.server);
            } else {
                self.note(crate::observe::record::Kind::AckLost, call.server, call.message.fact, 0, 0);
            }
        }
        if call.answered {
            self.calls.free(handle);
            self.late_ends(&call);
        } else if lost || self.is_cut(call.from, call.server) {
            self.never_answers(handle);
        } else {
            self.calls.free(handle);
            self.answered(&call, call.verdict);
            let reply = if call.verdict == Cause::None { Reply::Done } else { Reply::Failed(call.verdict) };
            self.reply(&call, reply);
            self.batch_lands(call.caller);
        }
    }

    /// The answer of a call has reached its caller: a log need not recognise a repeat of it any more.
    #[inline(always)]
    #[cfg_attr(page, optimize(speed))]
    fn answered(&mut self, call: &Call, refused: Cause) {
        if refused == Cause::None && self.is_broker(call.server) {
            self.passes(call.server, Point::Answer);
        }
        if let (Body::Log(log), Cause::None) = (self.parts[usize::from(call.server)].body, refused) {
            self.confirmed(log, call.caller, &call.message);
        }
    }

    #[cfg_attr(page, optimize(speed))]
    pub(super) fn call_timed_out(&mut self, handle: Handle) {
        let Some(call) = self.calls.get_mut(handle) else { return };
        if call.answered {
            return;
        }
        call.answered = true;
        let call = *call;
        if call.state != State::Running {
            self.calls.free(handle);
            if call.state == State::Waiting {
                self.parts[usize::from(call.server)].line.retain(|waiting| *waiting != handle);
            }
        } else {
            self.comes_late(call.server, call.caller, &call.message, true);
        }
        self.reply(&call, Reply::Failed(Cause::NoAnswer));
        if call.state != State::Running {
            self.batch_lands(call.caller);
        }
    }

    /// A call is over that its caller had given up.
    fn late_ends(&mut self, call: &Call) {
        self.comes_late(call.server, call.caller, &call.message, false);
        self.batch_lands(call.caller);
    }

    /// The answer of a call is lost: its caller waits until its timeout.
    pub(crate) fn never_answers(&mut self, handle: Handle) {
        let now_us = self.now_us;
        let Some(call) = self.calls.get_mut(handle) else { return };
        call.state = State::Dead;
        if call.answered {
            let call = *call;
            self.calls.free(handle);
            return self.late_ends(&call);
        }
        if !call.timer {
            call.timer = true;
            let deadline_us = (call.started_us + call.timeout_us).max(now_us);
            self.pending.at(deadline_us, Event::CallTimeout(handle));
        }
    }

    /// What a publisher decides the partition of a key by.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn partitioner(&self, caller: Caller) -> Partitioner {
        match caller {
            Caller::Producer(index, _) => self.producers[usize::from(index)].settings.partitioner,
            Caller::Request(index, _) => self.services[usize::from(index)].settings.partitioner,
            Caller::Relay(index, _) => self.relays[usize::from(index)].settings.partitioner,
            Caller::Job(..) | Caller::Batch(..) => Partitioner::Murmur2,
        }
    }

    /// A publish has ended for its caller's part, confirmed or not.
    #[inline(always)]
    #[cfg_attr(page, optimize(speed))]
    fn publish_ends(&mut self, call: &Call) {
        if matches!(call.purpose, Purpose::Store | Purpose::StoreBatch) {
            let counters = &mut self.parts[usize::from(call.from)].counters;
            counters.publishes += 1;
            counters.publish_us += self.now_us - call.started_us;
        }
    }

    #[cfg_attr(page, optimize(speed))]
    fn reply(&mut self, call: &Call, reply: Reply) {
        self.publish_ends(call);
        match call.caller {
            Caller::Producer(producer, held) => self.producer_hears(producer, held, reply),
            Caller::Request(service, request) => self.request_hears(service, request, reply),
            Caller::Relay(relay, epoch) => self.relay_hears(relay, epoch, reply),
            Caller::Job(worker, job) => self.job_hears(worker, job, reply),
            Caller::Batch(..) => self.batch_hears(call.caller, reply),
        }
    }

    #[inline(always)]
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn caller_part(&self, caller: Caller) -> u16 {
        match caller {
            Caller::Producer(index, _) => self.producers[usize::from(index)].part,
            Caller::Request(index, _) => self.services[usize::from(index)].part,
            Caller::Relay(index, _) => self.relays[usize::from(index)].part,
            Caller::Job(index, _) => self.workers[usize::from(index)].part,
            Caller::Batch(index, _) => self.accumulators[usize::from(index)].part,
        }
    }

    #[inline(always)]
    #[cfg_attr(page, optimize(speed))]
    fn is_broker(&self, part: u16) -> bool {
        matches!(self.parts[usize::from(part)].body, Body::Queue(_) | Body::Server(_) | Body::Exchange(_) | Body::Log(_))
    }
}
