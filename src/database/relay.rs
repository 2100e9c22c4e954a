//! A relay: it reads the oldest outbox rows, publishes them, and marks them as sent. A crash between the last two
//! publishes them again; nothing is lost.
//!
//! By their mark rows are read in order of commit and marked one by one, so a row that commits late is not skipped. A relay
//! that keeps the last id instead skips it, unless it stays below the oldest transaction under way; one that reads the
//! write-ahead log cannot, and needs a slot that keeps the log until it has read it.

use super::rows::RowKey;
use crate::broker::log::Placed;
use crate::broker::server::Arrival;
use crate::command::CrashStep;
use crate::message::Message;
use crate::observe::record::{Cause, Kind, NO_FACT};
use crate::scenario::choices::Reads;
use crate::scenario::parts::RelaySettings;
use crate::service::Record;
use crate::sim::Timestamp;
use crate::world::{Body, Caller, Event, Purpose, Reply, World};

/// What a relay does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelayState {
    /// Waits for its next look at the outbox.
    Idle,
    /// Has published so many rows and waits for the confirmation.
    Publishing(u64),
    /// Marks so many rows as sent.
    Marking(u64),
    /// Waits before it tries again.
    Waiting {
        /// Until when.
        until_us: Timestamp,
    },
}

/// The state of a relay.
#[derive(Clone, Debug)]
pub struct Relay {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: RelaySettings,
    /// Index of its database among databases.
    pub from: u16,
    /// Index of the part that it publishes to.
    pub to: u16,
    /// What it does.
    pub state: RelayState,
    /// Goes up when its process dies: older timers and replies are stale.
    pub epoch: u32,
    /// Failed publishes in a row.
    pub failures: u32,
    /// The rows that it has read, where it reads them by id.
    pub batch: Vec<(RowKey, Message)>,
}

impl World {
    /// Looks at the outbox.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn relay_polls(&mut self, index: u16, epoch: u32) {
        let relay = &mut self.relays[usize::from(index)];
        if relay.epoch != epoch {
            return;
        }
        let (part, to, from) = (relay.part, relay.to, relay.from);
        let (poll_us, batch, timeout_us) = (relay.settings.poll.0, relay.settings.batch, relay.settings.timeout.0);
        relay.state = RelayState::Idle;
        let health = &self.parts[usize::from(part)].health;
        if health.out() {
            return;
        }
        let (paused, poll_us) = (health.paused, health.stretched_us(poll_us));
        self.relay_lets_go(index);
        let database_part = self.databases[usize::from(from)].part;
        let reads = !paused && self.reachable(part, database_part);
        let found = if reads { self.relay_reads(index, batch) } else { None };
        let Some((first, rows)) = found else {
            self.pending.after(self.now_us, poll_us, Event::RelayPoll(index, epoch));
            return;
        };
        self.hop(database_part, part, first.fact, 0);
        if self.boundary(part, CrashStep::Received) {
            return self.relay_crashes(index);
        }
        self.relays[usize::from(index)].state = RelayState::Publishing(rows);
        if let Some(reply) = self.call(Caller::Relay(index, epoch), to, Purpose::StoreBatch, first, timeout_us) {
            self.relay_hears(index, epoch, reply);
        }
    }

    /// Reads the next rows, up to so many: the first of them, and how many.
    fn relay_reads(&mut self, index: u16, most: u64) -> Option<(Message, u64)> {
        let now_us = self.now_us;
        let relay = &mut self.relays[usize::from(index)];
        let database = &mut self.databases[usize::from(relay.from)];
        if database.outbox.indexed {
            relay.batch = database.outbox.read(relay.settings.reads, most, relay.settings.skip_locked, now_us);
            return relay.batch.first().map(|(_, first)| (*first, relay.batch.len() as u64));
        }
        let slot = &mut database.slot;
        if slot.lost {
            self.parts[usize::from(relay.part)].counters.errors += 1;
            return None;
        }
        let first = database.outbox.first(1).next().copied();
        let beat_us = relay.settings.heartbeat.0;
        if slot.active && first.is_none() && beat_us > 0 && now_us - slot.confirmed_us >= beat_us {
            slot.beat(&database.settings, now_us);
        }
        first.map(|first| (first, database.outbox.len().min(most)))
    }

    /// Lets go of the rows that it has read.
    pub(crate) fn relay_lets_go(&mut self, index: u16) {
        let relay = &mut self.relays[usize::from(index)];
        let batch = std::mem::take(&mut relay.batch);
        self.databases[usize::from(relay.from)].outbox.unlock(&batch);
    }

    /// The rows that it publishes.
    #[cfg_attr(page, optimize(speed))]
    fn relay_batch(&self, index: u16, rows: u64) -> Vec<Message> {
        let relay = &self.relays[usize::from(index)];
        let outbox = &self.databases[usize::from(relay.from)].outbox;
        if outbox.indexed {
            return relay.batch.iter().map(|(_, row)| *row).collect();
        }
        outbox.first(rows as usize).copied().collect()
    }

    /// The relay is set to read in another way: what it was doing is void.
    pub(crate) fn relay_changes(&mut self, index: u16) {
        let relay = &mut self.relays[usize::from(index)];
        let (part, from) = (relay.part, relay.from);
        if self.databases[usize::from(from)].reads == relay.settings.reads {
            return;
        }
        relay.epoch += 1;
        relay.state = RelayState::Idle;
        let epoch = relay.epoch;
        self.relay_lets_go(index);
        self.outbox_follows(from);
        if !self.parts[usize::from(part)].health.out() {
            self.pending.after(self.now_us, 0, Event::RelayPoll(index, epoch));
        }
    }

    /// A dropped slot is made anew, at the end of the log: what was not read before is not read any more.
    pub(crate) fn relay_mends(&mut self, index: u16) {
        let now_us = self.now_us;
        let database = &mut self.databases[usize::from(self.relays[usize::from(index)].from)];
        if database.slot.lost {
            database.slot.create(&database.settings, 0, now_us);
        }
    }

    /// The rows that a relay has published, at the broker.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn relay_brings(&mut self, caller: Caller, broker: u16) -> Vec<Record> {
        let Caller::Relay(index, epoch) = caller else { return Vec::new() };
        let relay = &self.relays[usize::from(index)];
        // Simplified: a batch that is on its way when its relay dies does not arrive.
        let RelayState::Publishing(rows) = relay.state else { return Vec::new() };
        if relay.epoch != epoch {
            return Vec::new();
        }
        let (part, batch) = (relay.part, self.relay_batch(index, rows));
        for message in &batch {
            self.hop(part, broker, message.fact, 0);
        }
        batch.into_iter().map(|message| Record { caller, message }).collect()
    }

    /// The broker stores what the relay has published. Says why, where it refuses any of it.
    pub(crate) fn relay_stores(&mut self, caller: Caller, broker: u16) -> Cause {
        let batch = self.relay_brings(caller, broker);
        if let Body::Log(log) = self.parts[usize::from(broker)].body {
            self.log_takes(log, Placed::By(self.partitioner(caller)), &batch);
            return Cause::None;
        }
        let mut refused = Cause::None;
        for record in &batch {
            let cause = self.store(broker, record.message, Arrival::Published);
            refused = refused.max(cause);
        }
        self.wake(broker);
        refused
    }

    pub(crate) fn relay_hears(&mut self, index: u16, epoch: u32, reply: Reply) {
        let relay = &mut self.relays[usize::from(index)];
        if relay.epoch != epoch {
            return;
        }
        let part = relay.part;
        let RelayState::Publishing(rows) = relay.state else { return };
        match reply {
            Reply::Done => {
                relay.failures = 0;
                if self.boundary(part, CrashStep::Published) {
                    return self.relay_crashes(index);
                }
                let relay = &mut self.relays[usize::from(index)];
                relay.state = RelayState::Marking(rows);
                let latency = relay.settings.mark;
                let part = &mut self.parts[usize::from(part)];
                let takes_us = part.health.stretched_us(latency.sample_us(&mut part.latency));
                self.pending.after(self.now_us, takes_us, Event::RelayMarked(index, epoch));
            }
            Reply::Failed(_) => {
                relay.failures += 1;
                let doubled = relay.settings.backoff.0.saturating_mul(1 << (relay.failures - 1).min(20));
                let wait_us = doubled.min(relay.settings.backoff_max.0);
                let tries = u64::from(relay.failures);
                relay.state = RelayState::Waiting { until_us: self.now_us + wait_us };
                self.parts[usize::from(part)].counters.errors += 1;
                let waiting = self.relay_batch(index, rows);
                self.relay_lets_go(index);
                for message in waiting {
                    self.note(Kind::PublishFailed, part, message.fact, 0, tries);
                }
                self.note(Kind::Waits, part, NO_FACT, 0, wait_us);
                self.pending.after(self.now_us, wait_us, Event::RelayPoll(index, epoch));
            }
        }
    }

    pub(crate) fn relay_marked(&mut self, index: u16, epoch: u32) {
        let relay = &self.relays[usize::from(index)];
        if relay.epoch != epoch {
            return;
        }
        let RelayState::Marking(rows) = relay.state else { return };
        let (part, from) = (relay.part, relay.from);
        let (poll_us, database_part) = (relay.settings.poll.0, self.databases[usize::from(from)].part);
        if !self.reachable(part, database_part) {
            // The mark is not written: the rows are read and published again.
            self.pending.after(self.now_us, poll_us, Event::RelayPoll(index, epoch));
            return;
        }
        if self.databases[usize::from(from)].outbox.indexed {
            self.relay_marks(index);
        } else {
            for _ in 0..rows {
                let database = &mut self.databases[usize::from(from)];
                let Some(row) = database.outbox.mark_first() else { break };
                if database.slot.active {
                    database.slot.confirm_row(self.now_us);
                }
                self.note(Kind::RowSent, database_part, row.fact, row.effects, 0);
            }
        }
        let database = &mut self.databases[usize::from(from)];
        if database.settings.keep.0 > 0 {
            database.outbox.keep(self.now_us, rows);
        }
        self.parts[usize::from(part)].counters.done += rows;
        let more = !self.databases[usize::from(from)].outbox.is_empty();
        let wait_us = if more { 0 } else { poll_us };
        self.relays[usize::from(index)].state = RelayState::Idle;
        self.pending.after(self.now_us, wait_us, Event::RelayPoll(index, epoch));
    }

    /// Rows read by id are marked, or the highest id is noted.
    fn relay_marks(&mut self, index: u16) {
        let relay = &mut self.relays[usize::from(index)];
        let (from, reads) = (relay.from, relay.settings.reads);
        let batch = std::mem::take(&mut relay.batch);
        let database_part = self.databases[usize::from(from)].part;
        self.databases[usize::from(from)].outbox.unlock(&batch);
        for (key, row) in &batch {
            // Another relay that had read the row as well may have marked it by now.
            if self.databases[usize::from(from)].outbox.mark(*key) {
                self.note(Kind::RowSent, database_part, row.fact, row.effects, 0);
            }
        }
        if reads != Reads::Flag {
            let last = batch.last().map_or(0, |(key, _)| key.1);
            let outbox = &mut self.databases[usize::from(from)].outbox;
            outbox.last = outbox.last.max(last);
            self.passes_over(from);
        }
    }

    /// The relay's process dies. Its rows stay in the outbox.
    pub(crate) fn relay_crashes(&mut self, index: u16) {
        let now_us = self.now_us;
        self.relay_lets_go(index);
        let relay = &mut self.relays[usize::from(index)];
        let (part, restart_us) = (relay.part, relay.settings.restart.0);
        relay.epoch += 1;
        relay.state = RelayState::Idle;
        let health = &mut self.parts[usize::from(part)].health;
        health.since_us = now_us;
        health.restarting_until_us = Some(now_us + restart_us);
        self.note_part(Kind::Crashed, part, 0);
        self.pending.after(now_us, restart_us, Event::Restart(part, 0));
    }
}
