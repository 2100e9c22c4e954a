//! Brokers at work: they store what arrives, hand it out, and drop what is too old.

use super::log::Placed;
use super::machines::hidden_us;
use super::queue::{Acked, Holder, Receipt};
use super::server::Arrival;
use crate::message::Message;
use crate::observe::record::{Cause, Kind, pack_place, pack_receive};
use crate::scenario::choices::{Broker, Partitioner, StartFrom};
use crate::service::Record;
use crate::sim::Handle;
use crate::world::{Body, Event, Point, World};

impl World {
    /// A broker stores a message and hands it on to whoever waits. Says why, where it refuses.
    pub(crate) fn broker_stores(&mut self, broker: u16, message: Message) -> Cause {
        let refused = self.store(broker, message, Arrival::Published);
        self.wake(broker);
        refused
    }

    /// A message is at a broker: what is counted there, and what the broker makes of it before it stores it.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn arrives(&mut self, broker: u16, mut message: Message) -> Message {
        let part = &mut self.parts[usize::from(broker)];
        if part.health.poison_next > 0 {
            part.health.poison_next -= 1;
            message.poison = true;
        }
        part.counters.done += 1;
        let effects = match part.body {
            Body::Queue(index) if !self.queues[usize::from(index)].tray => self.queues[usize::from(index)].effects,
            Body::Log(index) => self.logs[usize::from(index)].effects,
            _ => message.effects,
        };
        Message { stored_us: self.now_us, receives: 0, effects, ..message }
    }

    /// A broker stores a message. Says why, where it refuses.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn store(&mut self, broker: u16, message: Message, arrival: Arrival) -> Cause {
        let now_us = self.now_us;
        let message = self.arrives(broker, message);
        match self.parts[usize::from(broker)].body {
            Body::Queue(index) => {
                let queue = &mut self.queues[usize::from(index)];
                let delay_us = queue.settings.delay.0;
                if queue.tray {
                    // Nobody consumes it: whatever comes in lies there.
                    queue.store(message);
                    self.note(Kind::Buried, broker, message.fact, message.effects, 0);
                } else if delay_us == 0 {
                    queue.store(message);
                    self.note(Kind::Stored, broker, message.fact, message.effects, 0);
                } else {
                    let slot = queue.store_delayed(message, now_us, now_us + delay_us);
                    self.pending.after(now_us, delay_us, Event::Visible(index, slot));
                    self.note(Kind::StoredDelayed, broker, message.fact, message.effects, delay_us);
                }
            }
            Body::Server(index) => return self.server_stores(index, message, arrival),
            Body::Exchange(index) => return self.exchange_routes(index, message),
            Body::Log(index) => return self.append(index, message, Placed::By(Partitioner::Murmur2)),
            Body::Producer(_) | Body::Service(_) | Body::Database(_) | Body::Relay(_) | Body::Worker(_) | Body::Dependency(_) => {
            }
        }
        Cause::None
    }

    #[cfg_attr(page, optimize(speed))]
    fn append(&mut self, index: u16, message: Message, placed: Placed) -> Cause {
        let log = &mut self.logs[usize::from(index)];
        if log.replicas.is_some() {
            return self.replicas_keep(index, message);
        }
        let (part, partition) = (log.part, log.place_of(&message, placed));
        let offset = log.push(partition, message);
        self.note(Kind::Appended, part, message.fact, message.effects, pack_place(partition, offset));
        self.ripens(index);
        Cause::None
    }

    /// A record was appended: where readers have to wait, they look again when it is old enough.
    pub(super) fn ripens(&mut self, index: u16) {
        let log = &self.logs[usize::from(index)];
        let delay_us = log.settings.delay.0;
        if delay_us > 0 {
            self.pending.after(self.now_us, delay_us, Event::Ripe(log.part));
        }
    }

    /// A log stores what a publisher sends, unless it is a repeat that it recognises.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn log_takes(&mut self, index: u16, placed: Placed, records: &[Record]) {
        let part = self.logs[usize::from(index)].part;
        let mut stores = false;
        for Record { caller, message } in records {
            let caller = *caller;
            if self.stored_before(index, caller, message).is_some() {
                self.note(Kind::Deduplicated, part, message.fact, 0, 0);
                continue;
            }
            let message = self.arrives(part, *message);
            let partition = self.logs[usize::from(index)].place_of(&message, placed);
            self.append(index, message, Placed::At(partition));
            let end = self.logs[usize::from(index)].partitions[partition as usize].end();
            self.remember_stored(index, caller, &message, (partition, end - 1));
            self.transaction_writes(index, caller, (partition, end - 1));
            stores = true;
        }
        self.parts[usize::from(part)].counters.batches += u64::from(stores);
        self.wake(part);
    }

    /// A broker hands out what it has to whoever waits for it.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn wake(&mut self, broker: u16) {
        match self.parts[usize::from(broker)].body {
            Body::Queue(index) => self.deliver(index),
            Body::Server(index) => self.server_delivers(index),
            Body::Log(index) => {
                for group in 0..self.logs[usize::from(index)].groups.len() {
                    let worker = self.logs[usize::from(index)].groups[group];
                    self.members_fetch(worker);
                }
            }
            _ => {}
        }
    }

    /// A queue gives messages to the processes that wait, in the order in which they came.
    pub(crate) fn deliver(&mut self, index: u16) {
        let part = self.queues[usize::from(index)].part;
        let health = &self.parts[usize::from(part)].health;
        if health.down || health.paused {
            return;
        }
        // Each of those who wait now gets one chance: one that cannot take anything queues up again behind them.
        for _ in 0..self.queues[usize::from(index)].waiting.len() {
            if self.queues[usize::from(index)].ready() == 0 {
                return;
            }
            let Some(holder) = self.queues[usize::from(index)].waiting.pop_front() else { return };
            self.process_wakes(holder);
        }
    }

    /// A process receives the next message of a queue; what was received too often goes to the dead letters first.
    pub(crate) fn receive(&mut self, index: u16, holder: Holder) -> Option<(Receipt, Message)> {
        let now_us = self.now_us;
        loop {
            let queue = &mut self.queues[usize::from(index)];
            let part = queue.part;
            let most = queue.settings.max_receives;
            let dead_letters = queue.dead_letters;
            let queued = queue.take()?;
            if let Some(tray) = dead_letters
                && most > 0
                && u64::from(queued.message.receives) >= most
            {
                self.bury(tray, queued.message, part);
                self.note(Kind::LeftQueue, part, queued.message.fact, queued.message.effects, 0);
                continue;
            }
            let timeout_us = hidden_us(&queue.settings);
            let (receipt, message) = queue.hide(queued, holder, now_us);
            let counters = &mut self.parts[usize::from(part)].counters;
            counters.received += 1;
            counters.again += u64::from(message.receives > 1);
            self.pending.after(now_us, timeout_us, Event::Visible(index, receipt.handle));
            let extra = pack_receive(holder.worker, holder.process, message.receives);
            self.note(Kind::Received, part, message.fact, message.effects, extra);
            return Some((receipt, message));
        }
    }

    /// A message goes to the dead letters.
    pub(crate) fn bury(&mut self, tray: u16, message: Message, from: u16) {
        let now_us = self.now_us;
        let tray = match self.parts[usize::from(tray)].body {
            Body::Queue(queue) if self.queues[usize::from(queue)].tray => queue,
            // Someone consumes it: what lands there is an ordinary message.
            _ => {
                self.hop(from, tray, message.fact, 0);
                let refused = self.store(tray, message, Arrival::Moved);
                if refused != Cause::None {
                    // Nobody sends it again.
                    self.note(Kind::Held, from, message.fact, message.effects, 0);
                    self.note(Kind::GaveUp, from, message.fact, message.effects, refused as u64);
                }
                return self.wake(tray);
            }
        };
        let queue = &mut self.queues[usize::from(tray)];
        let part = queue.part;
        // A standard queue of SQS keeps the time of the first send: its dead letters are as old as the message.
        let keeps_time = matches!(self.parts[usize::from(from)].body, Body::Server(server)
            if self.servers[usize::from(server)].settings.broker == Broker::Sqs);
        let stored_us = if keeps_time { message.stored_us } else { now_us };
        queue.store(Message { stored_us, receives: 0, ..message });
        self.parts[usize::from(part)].counters.done += 1;
        self.hop(from, part, message.fact, 0);
        self.note(Kind::Buried, part, message.fact, message.effects, 0);
    }

    /// A visibility timeout or a delay is over.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn becomes_visible(&mut self, index: u16, slot: Handle) {
        let now_us = self.now_us;
        let Some(hidden) = self.queues[usize::from(index)].hidden(slot).copied() else { return };
        let part = self.queues[usize::from(index)].part;
        let message = hidden.queued.message;
        if hidden.until_us > now_us {
            // It was extended: this timer is not the last one.
            self.pending.at(hidden.until_us, Event::Visible(index, slot));
            return;
        }
        if let Some(holder) = hidden.holder
            && self.extends(holder, slot)
        {
            self.queues[usize::from(index)].extend(slot, now_us);
            let timeout_us = hidden_us(&self.queues[usize::from(index)].settings);
            self.pending.after(now_us, timeout_us, Event::Visible(index, slot));
            self.note(Kind::Extended, part, message.fact, 0, timeout_us);
            return;
        }
        self.queues[usize::from(index)].reveal(slot);
        let kind = if hidden.holder.is_some() { Kind::TimedOut } else { Kind::Ripened };
        self.note(kind, part, message.fact, message.effects, 0);
        self.deliver(index);
    }

    /// A worker acknowledges to a queue.
    pub(crate) fn acknowledge(&mut self, worker_part: u16, index: u16, receipt: Receipt, message: &Message) {
        let part = self.queues[usize::from(index)].part;
        if self.loses_ack(worker_part, part) {
            self.note(Kind::AckLost, worker_part, message.fact, 0, 0);
            return;
        }
        let kind = match self.queues[usize::from(index)].ack(receipt) {
            Acked::Deleted => Kind::Acked,
            Acked::DeletedLate => Kind::AckedLate,
            Acked::Stale => Kind::StaleReceipt,
        };
        let effects = if kind == Kind::StaleReceipt { 0 } else { message.effects };
        self.note(kind, part, message.fact, effects, 0);
    }

    /// True when the next acknowledgement from the worker to the broker does not arrive.
    #[inline(always)]
    pub(crate) fn loses_ack(&mut self, worker_part: u16, broker_part: u16) -> bool {
        if !self.reachable(worker_part, broker_part) {
            return true;
        }
        self.passes(worker_part, Point::Ack);
        let health = &mut self.parts[usize::from(worker_part)].health;
        let lost = health.lose_acks > 0;
        health.lose_acks = health.lose_acks.saturating_sub(1);
        lost
    }

    /// Drops what retention no longer keeps. Looked at with every sample, as brokers look at it now and then.
    pub(crate) fn retention(&mut self) {
        let now_us = self.now_us;
        for index in 0..self.queues.len() {
            loop {
                let queue = &mut self.queues[index];
                let (part, tray, keep_us) = (queue.part, queue.tray, queue.settings.retention.0);
                if queue.oldest_us(now_us) <= keep_us {
                    break;
                }
                let Some(queued) = queue.take() else { break };
                let kind = if tray { Kind::ExpiredDead } else { Kind::Expired };
                self.note(kind, part, queued.message.fact, queued.message.effects, 0);
            }
        }
        for worker in 0..self.workers.len() {
            self.offsets_expire(worker as u16);
        }
        for index in 0..self.logs.len() {
            for partition in 0..self.logs[index].partitions.len() {
                let keep_from = self.logs[index].expired_to(partition, now_us);
                if keep_from > self.logs[index].partitions[partition].start() {
                    self.drop_records(index, partition, keep_from);
                }
            }
            self.compacts(index as u16);
        }
    }

    fn drop_records(&mut self, index: usize, partition: usize, keep_from: u64) {
        let part = self.logs[index].part;
        let start = self.logs[index].partitions[partition].start();
        for group in self.logs[index].groups.clone() {
            let worker = &self.workers[usize::from(group)];
            let effect = 1 << worker.effect;
            let Some(committed) = worker.group.as_ref().map(|group| group.committed[partition]) else { continue };
            for offset in committed.max(start)..keep_from {
                let Some(record) = self.logs[index].partitions[partition].get(offset).copied() else { continue };
                if record.effects & effect != 0 {
                    self.note(Kind::ExpiredUnread, part, record.fact, effect, pack_place(partition as u32, offset));
                }
            }
            let start_from = self.workers[usize::from(group)].settings.start_from;
            let Some(state) = &mut self.workers[usize::from(group)].group else { continue };
            // What a member has read already it will commit; only who wanted to read there has no offset any more.
            let lost = state.position[partition] < keep_from;
            state.committed[partition] = committed.max(keep_from);
            state.position[partition] = state.position[partition].max(keep_from);
            if lost && start_from != StartFrom::Earliest {
                self.group_resets(group, index as u16, partition, start_from);
            }
        }
        self.logs[index].partitions[partition].drop_before(keep_from);
        if let Some(replicas) = &mut self.logs[index].replicas {
            replicas.partitions[partition].raise_log_start(keep_from);
        }
    }

    /// Takes every dead letter out of a queue and sends it back to where it came from, mended.
    ///
    /// A message that a group of a log could not process goes back to the log marked for that group: the others pass it by.
    pub(crate) fn redrive(&mut self, index: u16) {
        let part = self.queues[usize::from(index)].part;
        let tray = self.queues[usize::from(index)].tray;
        let Some(source) = self.redrive_source(index) else { return };
        // What comes back while it goes on waits for the next time.
        for _ in 0..self.queues[usize::from(index)].ready() {
            let Some(next) = self.queues[usize::from(index)].peek() else { break };
            if let Body::Log(log) = self.parts[usize::from(source)].body
                && !self.logs[usize::from(log)].takes(&next.message)
            {
                // Its partition has no leader: it stays where it is.
                break;
            }
            let now_us = self.now_us;
            let message = Message { stored_us: now_us, receives: 0, poison: false, ..next.message };
            self.hop(part, source, message.fact, 0);
            let refused = match self.parts[usize::from(source)].body {
                Body::Log(log) => self.append(log, message, Placed::By(Partitioner::Murmur2)),
                _ => self.store(source, message, Arrival::Moved),
            };
            if refused != Cause::None {
                // It stays where it is, and so do those behind it.
                break;
            }
            let Some(queued) = self.queues[usize::from(index)].take() else { break };
            let kind = if tray { Kind::Redriven } else { Kind::LeftQueue };
            self.note(kind, part, queued.message.fact, queued.message.effects, 0);
        }
        self.wake(source);
    }

    /// Where the dead letters of a queue came from: the queue that names it, or what the worker that names it reads.
    fn redrive_source(&self, index: u16) -> Option<u16> {
        let tray = Some(self.queues[usize::from(index)].part);
        let queues = self.queues.iter().map(|queue| (queue.dead_letters, queue.part));
        let servers = self.servers.iter().map(|server| (server.dead_letters, server.part));
        let from_queue = queues.chain(servers).find(|(dead_letters, _)| *dead_letters == tray).map(|(_, part)| part);
        from_queue.or_else(|| {
            self.workers.iter().find(|worker| worker.dead_letters == tray).map(|worker| match worker.source {
                crate::service::Source::Queue(queue) => self.queues[usize::from(queue)].part,
                crate::service::Source::Server(server) => self.servers[usize::from(server)].part,
                crate::service::Source::Log(log) => self.logs[usize::from(log)].part,
            })
        })
    }
}
