//! A database: order rows, and outbox rows committed in the same transaction.

use crate::message::{EffectMask, Message};
use crate::observe::record::Cause;
use crate::observe::record::Kind;
use crate::scenario::choices::Reads;
use crate::scenario::parts::DatabaseSettings;
use crate::world::{Body, World};

use super::rows::Outbox;
use super::slot::Slot;

/// The state of a database.
#[derive(Clone, Debug)]
pub struct Database {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: DatabaseSettings,
    /// What an order row counts as, by effect number.
    pub effect: Option<u8>,
    /// The effects that an outbox row may lead to.
    pub effects: EffectMask,
    /// Outbox rows.
    pub outbox: Outbox,
    /// The replication slot, where a relay reads by one.
    pub slot: Slot,
    /// A relay reads the outbox.
    pub has_relay: bool,
    /// How it does.
    pub reads: Reads,
    /// It wants rows when they are due.
    pub by_due: bool,
    /// Order rows.
    pub rows: u64,
}

impl World {
    /// A transaction begins at a database. Its id; nought where nobody asks for ids.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn transaction_begins(&mut self, server: u16) -> u64 {
        let Body::Database(index) = self.parts[usize::from(server)].body else { return 0 };
        let outbox = &mut self.databases[usize::from(index)].outbox;
        if outbox.indexed { outbox.begins() } else { 0 }
    }

    /// A transaction is rolled back: its id is a gap.
    pub(crate) fn transaction_fails(&mut self, server: u16, id: u64) {
        if let Body::Database(index) = self.parts[usize::from(server)].body {
            self.databases[usize::from(index)].outbox.ends(id);
        }
    }

    /// A database commits a transaction.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn database_commits(&mut self, server: u16, outbox: bool, message: &Message, id: u64) {
        let Body::Database(index) = self.parts[usize::from(server)].body else { return };
        self.parts[usize::from(server)].counters.done += 1;
        let now_us = self.now_us;
        let database = &mut self.databases[usize::from(index)];
        database.rows += 1;
        let (effect, effects) = (database.effect, database.effects);
        database.outbox.ends(id);
        if database.slot.active {
            database.slot.writes(&database.settings, 1 + u64::from(outbox), outbox, now_us);
        }
        if outbox {
            let due_us = if database.by_due { self.due_us(message.fact) } else { 0 };
            let database = &mut self.databases[usize::from(index)];
            database.outbox.add(Message { stored_us: now_us, effects, ..*message }, id, due_us);
        }
        self.note(Kind::Wrote, server, message.fact, 0, 0);
        if let Some(effect) = effect {
            self.note(Kind::Effect, server, message.fact, 1 << effect, 0);
        }
        if outbox {
            self.note(Kind::RowAdded, server, message.fact, effects, 0);
            self.passes_over(index);
        }
    }

    /// Finds the rows that no relay will ever read: below its last id, or after its slot was dropped.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn passes_over(&mut self, index: u16) {
        let database = &mut self.databases[usize::from(index)];
        let part = database.part;
        let (rows, cause) = if database.slot.lost {
            (database.outbox.pass_over_all(), Cause::SlotDropped)
        } else if database.reads == Reads::LastId {
            (database.outbox.pass_over(), Cause::PassedOver)
        } else {
            return;
        };
        for row in rows {
            self.note(Kind::RowPassedOver, part, row.fact, row.effects, cause as u64);
        }
    }

    /// Brings the outbox into the form in which its relays read it, as they are set now.
    pub(crate) fn outbox_follows(&mut self, index: u16) {
        let now_us = self.now_us;
        let readers = || self.relays.iter().filter(|relay| relay.from == index);
        let reads = readers().next().map_or(Reads::Flag, |relay| relay.settings.reads);
        let indexed = matches!(reads, Reads::LastId | Reads::Horizon) || readers().count() > 1;
        let by_due = reads == Reads::Flag && readers().any(|relay| relay.settings.due);
        let database = &mut self.databases[usize::from(index)];
        let part = database.part;
        if reads != database.reads {
            database.slot.active = false;
            database.slot.lost = false;
        }
        database.reads = reads;
        database.by_due = by_due;
        database.outbox.index(indexed || by_due);
        if reads == Reads::Cdc && !database.slot.active {
            database.slot.create(&database.settings, database.outbox.len(), now_us);
        }
        if reads == Reads::Flag {
            for row in database.outbox.find_passed_over() {
                self.note(Kind::RowFound, part, row.fact, row.effects, 0);
            }
        }
        self.passes_over(index);
    }

    /// Looks at slots and at old rows, with every sample: a checkpoint takes the log of a slot that keeps too much.
    pub(crate) fn checkpoint(&mut self) {
        let now_us = self.now_us;
        for index in 0..self.databases.len() {
            let database = &mut self.databases[index];
            database.outbox.prune(now_us.saturating_sub(database.settings.keep.0));
            if !database.slot.active || database.slot.lost {
                continue;
            }
            database.slot.count(&database.settings, now_us);
            let bytes = database.slot.bytes(&database.settings);
            let readers = self.relays.iter().filter(|relay| usize::from(relay.from) == index);
            let most = readers.map(|relay| relay.settings.max_slot).max().unwrap_or(0);
            if most > 0 && bytes > most {
                self.databases[index].slot.lose();
                self.passes_over(index as u16);
            }
        }
    }
}
