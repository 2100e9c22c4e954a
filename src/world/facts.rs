//! Facts by name.

use super::World;
use crate::message::Message;
use crate::observe::record::{COMPACTED, Kind, NO_FACT, Record};
use crate::scenario::steps::Listed;
use crate::service::Producer;
use crate::sim::{Micros, Timestamp, hash};

impl World {
    pub(crate) fn producer_of(&self, part: u16) -> Option<&Producer> {
        self.producers.iter().find(|producer| producer.part == part)
    }

    /// The id of a fact: the listed one, or its producer's prefix and its number.
    #[must_use]
    pub fn fact_name(&self, fact: u32) -> String {
        let named = self.observer.ledger.fact(fact).and_then(|state| Some((state, self.producer_of(state.producer)?)));
        // The marker of a transaction tells of no fact, nor does the place of what was compacted away.
        let Some((state, producer)) = named else {
            return match fact {
                NO_FACT => "end".into(),
                COMPACTED => String::new(),
                _ => fact.to_string(),
            };
        };
        match producer.settings.messages.0.get(state.serial as usize) {
            Some(listed) => listed.id.clone(),
            None => format!("{}{}", producer.settings.id_prefix, producer.settings.first_id + u64::from(state.serial)),
        }
    }

    /// The fact with this id, if it has been born.
    #[must_use]
    pub fn find_fact(&self, id: &str) -> Option<u32> {
        let id = id.trim();
        for producer in &self.producers {
            if let Some(place) = producer.settings.messages.0.iter().position(|listed| listed.id == id) {
                return producer.listed[place].fact;
            }
        }
        let producer = self.producers.first()?;
        if !producer.listed.is_empty() {
            return None;
        }
        let digits = id.strip_prefix(producer.settings.id_prefix.as_str()).unwrap_or(id);
        let serial = digits.parse::<u64>().ok()?.checked_sub(producer.settings.first_id)?;
        // With one producer serial numbers are fact numbers; with several the name is looked for nearby.
        let serial = u32::try_from(serial).ok()?;
        (serial..self.observer.ledger.facts())
            .take(1_000)
            .find(|fact| self.fact_name(*fact) == id || self.fact_name(*fact) == digits)
    }

    /// Who sent a message, and what is listed of it.
    pub(crate) fn sent(&self, fact: u32) -> Option<(&Producer, Option<&Listed>)> {
        let state = self.observer.ledger.fact(fact)?;
        let producer = self.producer_of(state.producer)?;
        Some((producer, producer.settings.messages.0.get(state.serial as usize)))
    }

    /// What a message says of itself to the queue that it comes to: its priority, its delay, its time to live.
    pub(crate) fn said_of(&self, message: &Message) -> (u64, Micros, Micros) {
        let Some((producer, listed)) = self.sent(message.fact) else { return Default::default() };
        let (settings, own) = (&producer.settings, listed.map(|listed| (listed.priority, listed.delay, listed.ttl)));
        let (priority, delay, ttl) = own.unwrap_or_default();
        (priority.unwrap_or(settings.priority), delay.unwrap_or(settings.delay), ttl.unwrap_or(settings.ttl))
    }

    /// When a message is due, as its sender has written into it; nought for at once.
    pub(crate) fn due_us(&self, fact: u32) -> Timestamp {
        let named = self.observer.ledger.fact(fact).and_then(|state| Some((state, self.producer_of(state.producer)?)));
        let Some((state, producer)) = named else { return 0 };
        match (producer.settings.due.0, producer.settings.due_at.0) {
            (0, at_us) => at_us,
            (due_us, _) => state.born_us + due_us,
        }
    }

    /// The text of the command that a record tells of.
    pub(crate) fn command_at(&self, record: &Record) -> Option<String> {
        debug_assert_eq!(record.kind, Kind::Commanded);
        self.plan
            .iter()
            .filter(|timed| timed.at_us <= record.at_us)
            .map(|timed| timed.command.to_string())
            .find(|text| hash::of_text(text) == record.extra)
    }
}
