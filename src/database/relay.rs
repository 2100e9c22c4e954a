//! A relay: it reads the oldest outbox rows, publishes them, and marks them as sent. A crash between the last two
//! publishes them again; nothing is lost.
//!
//! Rows are read in order of commit and marked one by one, so a row that commits late is not skipped.

use crate::command::CrashStep;
use crate::message::Message;
use crate::observe::record::{Cause, Kind, NO_FACT};
use crate::scenario::parts::RelaySettings;
use crate::sim::Timestamp;
use crate::world::{Caller, Event, Purpose, Reply, World};

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
}

impl World {
    /// Looks at the outbox.
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
        let database = &self.databases[usize::from(from)];
        let rows = database.outbox.len().min(batch);
        let poll_us = health.stretched_us(poll_us);
        if health.paused || rows == 0 || !self.reachable(part, database.part) {
            self.pending.after(self.now_us, poll_us, Event::RelayPoll(index, epoch));
            return;
        }
        let Some(first) = database.outbox.front().copied() else { return };
        let database_part = database.part;
        self.hop(database_part, part, first.fact, 0);
        if self.boundary(part, CrashStep::Received) {
            return self.relay_crashes(index);
        }
        self.relays[usize::from(index)].state = RelayState::Publishing(rows);
        if let Some(reply) = self.call(Caller::Relay(index, epoch), to, Purpose::StoreBatch, first, timeout_us) {
            self.relay_hears(index, epoch, reply);
        }
    }

    /// The broker stores what the relay has published. Says why, where it refuses any of it.
    pub(crate) fn relay_stores(&mut self, caller: Caller, broker: u16) -> Cause {
        let Caller::Relay(index, epoch) = caller else { return Cause::None };
        let relay = &self.relays[usize::from(index)];
        // Simplified: a batch that is on its way when its relay dies does not arrive.
        let RelayState::Publishing(rows) = relay.state else { return Cause::None };
        if relay.epoch != epoch {
            return Cause::None;
        }
        let (part, outbox) = (relay.part, &self.databases[usize::from(relay.from)].outbox);
        let batch: Vec<Message> = outbox.iter().take(rows as usize).copied().collect();
        let mut refused = Cause::None;
        for message in &batch {
            self.hop(part, broker, message.fact, 0);
            let cause = self.store(broker, *message);
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
                let from = relay.from;
                self.parts[usize::from(part)].counters.errors += 1;
                let waiting: Vec<Message> =
                    self.databases[usize::from(from)].outbox.iter().take(rows as usize).copied().collect();
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
        for _ in 0..rows {
            let database = &mut self.databases[usize::from(from)];
            let Some(row) = database.outbox.pop() else { break };
            self.note(Kind::RowSent, database_part, row.fact, row.effects, 0);
        }
        self.parts[usize::from(part)].counters.done += rows;
        let more = !self.databases[usize::from(from)].outbox.is_empty();
        let wait_us = if more { 0 } else { poll_us };
        self.relays[usize::from(index)].state = RelayState::Idle;
        self.pending.after(self.now_us, wait_us, Event::RelayPoll(index, epoch));
    }

    /// The relay's process dies. Its rows stay in the outbox.
    pub(crate) fn relay_crashes(&mut self, index: u16) {
        let now_us = self.now_us;
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
