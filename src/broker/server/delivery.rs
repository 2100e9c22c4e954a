//! What a queue with a real broker's rules does in a world: it takes messages in, hands them out, hears what became of them,
//! and loses nodes.

use redrive_brokers::{Happening, Publish, Published, Refusal, Settle, Tag, What, Why};

use super::{Arrival, body, cause, consumer, holder, letter};
use crate::broker::queue::Holder;
use crate::message::Message;
use crate::observe::record::{Cause, Kind, pack_receive};
use crate::scenario::choices::{Broker, DeadLetterStrategy};
use crate::service::{Origin, Source};
use crate::world::{Event, World};

/// How long a node that died stays away.
const NODE_RESTART_US: u64 = 30_000_000;

impl World {
    /// A server stores a message. Says why, where it refuses. One that is moved there from elsewhere gets an identity of its
    /// own, as brokers give it: it is no repeat.
    pub(in crate::broker) fn server_stores(&mut self, index: u16, mut message: Message, arrival: Arrival) -> Cause {
        let now_us = self.now_us;
        let ((priority, delay, ttl), is_new) = (self.said_of(&message), arrival == Arrival::Published);
        let server = &mut self.servers[usize::from(index)];
        message.effects = server.effects;
        let letter = server.letters.insert(message);
        let publish = Publish {
            body: body(letter),
            key: u64::from(message.key),
            dedup: match server.settings.broker {
                _ if is_new => Some(u64::from(message.fact)),
                // It cannot be without one there: the others are facts, which are 32 bits.
                Broker::SqsFifo => Some(!body(letter)),
                _ => None,
            },
            priority: priority as u8,
            // What the sender said of one message comes before what holds for all; a dead letter keeps nothing of it.
            delay_us: if is_new && delay.0 > 0 { delay.0 } else { server.settings.delay.0 },
            ttl_us: Some(ttl.0).filter(|ttl_us| is_new && *ttl_us > 0),
            dead_letter: matches!(arrival, Arrival::Dead(_)),
            history: (arrival == Arrival::Counted).then_some((message.stored_us, u32::from(message.receives))),
        };
        if let Arrival::Dead(deaths) | Arrival::Sure(deaths) = arrival {
            let slot = letter.slot as usize;
            if server.deaths.len() <= slot {
                server.deaths.resize(slot + 1, Vec::new());
            }
            server.deaths[slot] = deaths.to_vec();
        }
        let published = server.machine.publish(now_us, publish);
        if published == Published::Duplicate {
            let part = server.part;
            self.note(Kind::Deduplicated, part, message.fact, 0, 0);
        }
        self.server_happened(index);
        if !matches!(published, Published::Stored(_)) {
            self.servers[usize::from(index)].forget(letter);
        }
        match published {
            Published::Stored(_) | Published::Duplicate => Cause::None,
            // By the default exchange, which has no binding for a queue that is not there.
            Published::Unroutable if is_new && !self.sent(message.fact).is_some_and(|(from, _)| from.settings.mandatory) => {
                let part = self.servers[usize::from(index)].part;
                self.note(Kind::Unroutable, part, message.fact, message.effects, 0);
                Cause::None
            }
            Published::Unroutable => Cause::Unroutable,
            Published::Refused(Refusal::Full) => Cause::QueueFull,
            Published::Refused(Refusal::Unavailable) => Cause::NoAnswer,
            Published::Refused(Refusal::OverLimit) => Cause::TooMany,
            Published::Refused(Refusal::Stale | Refusal::Unknown | Refusal::Invalid) => Cause::Failed,
        }
    }

    /// Takes in what has happened at a server, and sets the clock for what will happen there next.
    fn server_happened(&mut self, index: u16) {
        let happened = self.servers[usize::from(index)].machine.take_happenings();
        for happening in happened {
            self.server_tells(index, happening);
        }
        if self.servers[usize::from(index)].settings.dead_letter_strategy == DeadLetterStrategy::AtLeastOnce {
            self.server_sends_letters(index);
        }
        let now_us = self.now_us;
        let server = &mut self.servers[usize::from(index)];
        if let Some(due_us) = server.machine.next_due_us()
            && server.alarm_us.is_none_or(|alarm_us| due_us < alarm_us)
        {
            server.alarm_us = Some(due_us);
            self.pending.at(due_us.max(now_us), Event::ServerDue(index));
        }
    }

    /// Sends the dead letters that stay until they are confirmed, as far as they are to be sent now.
    fn server_sends_letters(&mut self, index: u16) {
        let now_us = self.now_us;
        let part = self.servers[usize::from(index)].part;
        if self.parts[usize::from(part)].health.down {
            return;
        }
        while let Some((copy, body, why)) = self.servers[usize::from(index)].machine.send_dead_letter(now_us) {
            let handle = letter(body);
            let Some(message) = self.servers[usize::from(index)].letters.get(handle).copied() else { continue };
            let confirmed = self.server_buries_surely(index, handle, message, why);
            let server = &mut self.servers[usize::from(index)];
            server.machine.dead_letter_sent(now_us, copy, confirmed);
            if confirmed {
                server.forget(handle);
            }
        }
    }

    fn server_tells(&mut self, index: u16, happening: Happening) {
        let server = &mut self.servers[usize::from(index)];
        let part = server.part;
        let handle = letter(happening.body);
        let Some(message) = server.letters.get_mut(handle) else { return };
        if let What::Delivered(_) = happening.what {
            message.receives = message.receives.saturating_add(1);
        }
        let message = *message;
        let unripe = match happening.what {
            What::Delayed(_) => !server.unripe.insert(handle),
            _ => server.unripe.remove(handle),
        };
        if unripe && happening.what != What::Ripened {
            // It goes before its delay is over: in the books it leaves by way of those that can be delivered.
            self.note(Kind::Ripened, part, message.fact, message.effects, 0);
        }
        let mut note = |kind: Kind, extra: u64| self.note(kind, part, message.fact, message.effects, extra);
        match happening.what {
            What::Stored => note(Kind::Stored, 0),
            What::Delayed(for_us) => note(Kind::StoredDelayed, for_us),
            What::Ripened => note(Kind::Ripened, 0),
            What::Delivered(to) => {
                let to = holder(to);
                note(Kind::Received, pack_receive(to.worker, to.process, message.receives));
                let counters = &mut self.parts[usize::from(part)].counters;
                counters.received += 1;
                counters.again += u64::from(message.receives > 1);
            }
            What::Returned(Why::Timeout) => note(Kind::TimedOut, 0),
            What::Returned(why) => note(Kind::Returned, cause(why) as u64),
            What::Acked => note(Kind::Acked, 0),
            What::AckedLate => note(Kind::AckedLate, 0),
            What::DeadLettered(why) => self.server_buries(index, handle, message, why, false),
            What::DeadLetteredHeld(why) => self.server_buries(index, handle, message, why, true),
            What::Dropped(Why::Retention) => note(Kind::Expired, 0),
            What::Dropped(why) => note(Kind::Dropped, cause(why) as u64),
            What::DroppedHeld(why) => note(Kind::DroppedHeld, cause(why) as u64),
        }
        if !matches!(happening.what, What::Stored | What::Delayed(_) | What::Ripened | What::Delivered(_) | What::Returned(_)) {
            self.servers[usize::from(index)].forget(handle);
        }
    }

    /// Something is due at a server by itself.
    pub(crate) fn server_due(&mut self, index: u16) {
        let now_us = self.now_us;
        let server = &mut self.servers[usize::from(index)];
        if server.alarm_us.is_some_and(|alarm_us| alarm_us <= now_us) {
            server.alarm_us = None;
        }
        server.machine.advance(now_us);
        self.server_happened(index);
        self.server_delivers(index);
    }

    /// A server gives what it has to those who wait for it.
    pub(crate) fn server_delivers(&mut self, index: u16) {
        let part = self.servers[usize::from(index)].part;
        let health = &self.parts[usize::from(part)].health;
        if health.down || health.paused {
            return;
        }
        if self.servers[usize::from(index)].pushes() {
            // Whoever is given something looks for more while the round still goes on.
            if !std::mem::replace(&mut self.servers[usize::from(index)].pushing, true) {
                self.server_pushes(index);
                self.servers[usize::from(index)].pushing = false;
            }
            return;
        }
        for _ in 0..self.servers[usize::from(index)].waiting.len() {
            let server = &mut self.servers[usize::from(index)];
            if server.machine.counts().ready == 0 {
                return;
            }
            let Some(waits) = server.waiting.pop_front() else { return };
            self.process_wakes(waits);
        }
    }

    /// Sends messages to the consumers in turn until none may take another.
    fn server_pushes(&mut self, index: u16) {
        let part = self.servers[usize::from(index)].part;
        let mut consumers: Vec<Holder> = Vec::new();
        for worker in
            (0..self.workers.len() as u16).filter(|worker| self.workers[usize::from(*worker)].source == Source::Server(index))
        {
            let own = self.workers[usize::from(worker)].part;
            for process in 0..self.workers[usize::from(worker)].processes.len() as u16 {
                if self.may_work(worker, process) && self.reachable(own, part) {
                    consumers.push(Holder { worker, process });
                }
            }
        }
        let last = self.servers[usize::from(index)].turn;
        let first = consumers.iter().position(|holder| last.is_some_and(|last| consumer(*holder).0 > last)).unwrap_or(0);
        consumers.rotate_left(first);
        let mut given = Vec::new();
        loop {
            let before = given.len();
            for holder in &consumers {
                // One that ran out of memory on the way is not there any more.
                if self.may_work(holder.worker, holder.process) && self.server_gives(index, *holder, 1) > 0 {
                    self.servers[usize::from(index)].turn = Some(consumer(*holder).0);
                    given.push(*holder);
                }
            }
            if given.len() == before {
                break;
            }
        }
        for holder in consumers {
            if given.contains(&holder) {
                self.process_wakes(holder);
            }
        }
    }

    /// A process receives up to so many messages into its buffer. Returns how many it got.
    pub(crate) fn server_gives(&mut self, index: u16, to: Holder, most: u64) -> usize {
        let now_us = self.now_us;
        let server = &mut self.servers[usize::from(index)];
        let part = server.part;
        let deliveries = server.machine.receive(now_us, consumer(to), u32::try_from(most).unwrap_or(u32::MAX));
        let given: Vec<(Message, Tag)> = deliveries
            .iter()
            .filter_map(|delivery| server.letters.get(letter(delivery.body)).map(|message| (*message, delivery.tag)))
            .collect();
        self.server_happened(index);
        let own = self.workers[usize::from(to.worker)].part;
        for (message, tag) in &given {
            let message = Message { receives: message.receives.saturating_add(1), ..*message };
            self.hop(part, own, message.fact, 0);
            self.job_buffers(to.worker, to.process, message, Origin::Server(*tag));
        }
        self.process_remembers(to.worker, to.process);
        given.len()
    }

    /// A worker says something of a delivery to its server.
    pub(crate) fn server_settles(&mut self, index: u16, by: Holder, tag: Tag, how: Settle, message: &Message) {
        let now_us = self.now_us;
        let own = self.workers[usize::from(by.worker)].part;
        let part = self.servers[usize::from(index)].part;
        if self.loses_ack(own, part) {
            return self.note(Kind::AckLost, own, message.fact, 0, 0);
        }
        let settled = self.servers[usize::from(index)].machine.settle(now_us, consumer(by), tag, how);
        self.server_happened(index);
        match (settled, how) {
            (Err(Refusal::Stale | Refusal::Unknown | Refusal::Invalid), Settle::Ack) => {
                self.note(Kind::StaleReceipt, part, message.fact, 0, 0);
            }
            (Ok(()), Settle::Extend { for_us }) => self.note(Kind::Extended, part, message.fact, 0, for_us),
            (Ok(()), Settle::Ack) if self.workers[usize::from(by.worker)].settings.acks_twice => {
                // The message is done either way; what the server makes of it is told by what comes back.
                let _ = self.servers[usize::from(index)].machine.settle(now_us, consumer(by), tag, how);
                self.server_happened(index);
            }
            _ => {}
        }
        self.server_delivers(index);
    }

    /// The connection of a process ends.
    pub(crate) fn server_closes(&mut self, index: u16, gone: Holder) {
        let now_us = self.now_us;
        let server = &mut self.servers[usize::from(index)];
        server.waiting.retain(|holder| *holder != gone);
        server.machine.close(now_us, consumer(gone));
        self.server_happened(index);
        self.server_delivers(index);
    }

    /// The node that leads a replicated queue dies, and comes back after a while.
    pub(crate) fn server_loses_node(&mut self, index: u16) {
        let now_us = self.now_us;
        let server = &mut self.servers[usize::from(index)];
        let part = server.part;
        let Some(node) = server.machine.kill_leader(now_us) else { return };
        server.dead_nodes.push(node);
        self.note_part(Kind::Crashed, part, u64::from(node));
        self.pending.after(now_us, NODE_RESTART_US, Event::Restart(part, u16::from(node)));
        self.server_happened(index);
        self.server_delivers(index);
    }

    /// Every node of a replicated queue is started again.
    pub(crate) fn server_gets_nodes(&mut self, index: u16) {
        for node in self.servers[usize::from(index)].dead_nodes.clone() {
            self.server_gets_node(index, u16::from(node));
        }
    }

    /// True while a node of a replicated queue is dead.
    pub(crate) fn server_lacks_node(&self, index: u16) -> bool {
        !self.servers[usize::from(index)].dead_nodes.is_empty()
    }

    /// A node of a replicated queue is back.
    pub(crate) fn server_gets_node(&mut self, index: u16, node: u16) {
        let now_us = self.now_us;
        let server = &mut self.servers[usize::from(index)];
        let part = server.part;
        let Some(place) = server.dead_nodes.iter().position(|dead| u16::from(*dead) == node) else { return };
        server.machine.revive(now_us, server.dead_nodes.remove(place));
        self.note_part(Kind::Restarted, part, u64::from(node));
        self.server_happened(index);
        self.server_delivers(index);
    }

    /// The server is up again.
    pub(crate) fn server_comes_up(&mut self, index: u16) {
        let now_us = self.now_us;
        self.servers[usize::from(index)].machine.stop(now_us, false);
        self.server_happened(index);
    }

    /// The server itself goes down: every connection ends.
    pub(crate) fn server_goes_down(&mut self, index: u16) {
        let now_us = self.now_us;
        self.servers[usize::from(index)].machine.stop(now_us, true);
        for worker in 0..self.workers.len() as u16 {
            if self.workers[usize::from(worker)].source == Source::Server(index) {
                for process in 0..self.workers[usize::from(worker)].processes.len() as u16 {
                    let now_us = self.now_us;
                    self.servers[usize::from(index)].machine.close(now_us, consumer(Holder { worker, process }));
                    self.server_happened(index);
                }
            }
        }
    }

    /// Settings of a server were changed.
    pub(crate) fn server_tuned(&mut self, index: u16) {
        let now_us = self.now_us;
        self.servers[usize::from(index)].tune(now_us);
        self.server_happened(index);
        self.server_delivers(index);
    }
}
