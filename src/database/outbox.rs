//! A database: order rows, and outbox rows committed in the same transaction.

use crate::message::{EffectMask, Message};
use crate::observe::record::Kind;
use crate::scenario::parts::DatabaseSettings;
use crate::sim::Tape;
use crate::world::{Body, World};

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
    /// Rows not marked as sent, in order of commit.
    pub outbox: Tape<Message>,
    /// A relay reads the outbox.
    pub has_relay: bool,
    /// Order rows.
    pub rows: u64,
}

impl World {
    /// A database commits a transaction.
    pub(crate) fn database_commits(&mut self, server: u16, outbox: bool, message: &Message) {
        let Body::Database(index) = self.parts[usize::from(server)].body else { return };
        self.parts[usize::from(server)].counters.done += 1;
        let now_us = self.now_us;
        let database = &mut self.databases[usize::from(index)];
        database.rows += 1;
        let (effect, effects) = (database.effect, database.effects);
        if outbox {
            database.outbox.push(Message { stored_us: now_us, effects, ..*message });
        }
        self.note(Kind::Wrote, server, message.fact, 0, 0);
        if let Some(effect) = effect {
            self.note(Kind::Effect, server, message.fact, 1 << effect, 0);
        }
        if outbox {
            self.note(Kind::RowAdded, server, message.fact, effects, 0);
        }
    }
}
