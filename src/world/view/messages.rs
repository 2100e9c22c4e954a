//! Lists of messages, page by page: nine million of them are looked through in portions.

use crate::observe::ledger::{FactState, Standing, Turn};
use crate::observe::lists::Which;
use crate::observe::words::Names;
use crate::sim::Timestamp;
use crate::sim::time::clock;
use crate::view::{Level, MessageRow, MessagesView};
use crate::world::World;

/// The most rows of one page.
pub const MOST_ROWS: usize = 200;

/// What came of one effect, in words.
struct Came<'w> {
    /// Name of the effect; empty for what came of the message as a whole.
    name: &'w str,
    says: String,
    at: Option<(Timestamp, u16)>,
    level: Level,
}

/// Each thing that came, with the effects that it came of: `email, stock once`.
fn told(came: &[Came<'_>]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for (place, own) in came.iter().enumerate() {
        if came[..place].iter().all(|before| before.says != own.says) {
            let names: Vec<&str> = came.iter().filter(|other| other.says == own.says).map(|other| other.name).collect();
            told.push([names.join(", ").as_str(), own.says.as_str()].concat());
        }
    }
    told
}

impl World {
    /// Messages from a position on, in order of birth, or as they lie at a place: at most `MOST_ROWS`, looking at no more than so many messages.
    #[must_use]
    pub fn messages(&self, which: &Which, from: u32, most: usize, most_looked: u32) -> MessagesView {
        if let Which::At { part, place, effect } = *which {
            let most = most.min(MOST_ROWS);
            let mut facts = self.facts_at(part, place, effect, from as usize, most + 1);
            let next = (facts.len() > most).then_some(from + most as u32);
            facts.truncate(most);
            let rows = facts.into_iter().filter_map(|fact| self.message_row(which, fact)).collect();
            return MessagesView { rows, next, of: next.unwrap_or(from) };
        }
        let facts = self.observer.ledger.facts();
        let end = facts.min(from.saturating_add(most_looked));
        let most = most.min(MOST_ROWS);
        let mut rows = Vec::new();
        let mut position = from;
        while position < end && rows.len() < most {
            if self.is_listed(which, position) {
                rows.extend(self.message_row(which, position));
            }
            position += 1;
        }
        MessagesView { rows, next: (position < facts).then_some(position), of: facts }
    }

    fn is_listed(&self, which: &Which, fact: u32) -> bool {
        let ledger = &self.observer.ledger;
        let Some(state) = ledger.fact(fact) else { return false };
        match which {
            Which::All => true,
            Which::Fate(fate, Some(effect)) => ledger.has_fate(fact, usize::from(*effect), *fate),
            Which::Fate(fate, None) => (0..ledger.effects.len()).any(|effect| ledger.has_fate(fact, effect, *fate)),
            Which::LostBy(cause) => {
                (0..ledger.effects.len()).any(|effect| ledger.standing(fact, effect) == Standing::Lost(*cause))
            }
            Which::Ended(end) => state.ended & end.bit() != 0,
            Which::At { .. } => false,
            Which::User(outcome) => state.outcome == *outcome,
            Which::Key(key) => state.key == *key,
            Which::Near { begins, key } => Some(state.key) == *key || self.begins(state, begins),
        }
    }

    /// Whether the id of a fact begins so. Nothing is spelled out: it is asked for every fact.
    fn begins(&self, state: &FactState, text: &str) -> bool {
        let Some(producer) = self.producer_of(state.producer) else { return false };
        if let Some(listed) = producer.settings.messages.0.get(state.serial as usize) {
            return listed.id.starts_with(text);
        }
        let prefix = producer.settings.id_prefix.as_str();
        if prefix.starts_with(text) {
            return true;
        }
        let digits = text.strip_prefix(prefix).unwrap_or(text);
        let Ok(wanted) = digits.parse::<u64>() else { return false };
        let mut number = producer.settings.first_id + u64::from(state.serial);
        while number > wanted && wanted > 0 {
            number /= 10;
        }
        number == wanted
    }

    fn message_row(&self, which: &Which, fact: u32) -> Option<MessageRow> {
        let ledger = &self.observer.ledger;
        let state = ledger.fact(fact)?;
        let asked = |effect: usize| match which {
            Which::Fate(fate, None) => ledger.has_fate(fact, effect, *fate),
            Which::Fate(_, Some(own)) => usize::from(*own) == effect,
            _ => true,
        };
        let mut came: Vec<Came<'_>> = Vec::new();
        if state.refused && !matches!(which, Which::Fate(..)) {
            let mark = ledger.marked(fact, 0, Turn::Refused);
            let why = mark.map_or("", |mark| mark.cause.words());
            let at = mark.map(|mark| (mark.at_us, mark.part));
            came.push(Came { name: "", says: ["told no: ", why].concat(), at, level: Level::Bad });
        } else {
            came.extend((0..ledger.effects.len()).filter(|effect| asked(*effect)).filter_map(|effect| self.came(fact, effect)));
        }
        // What went as it should says nothing beside what did not.
        if came.iter().any(|came| came.level != Level::Good) {
            came.retain(|came| came.level != Level::Good);
        }
        let what = if came.is_empty() { "on its way".to_owned() } else { told(&came).join(" · ") };
        // The worst of them says when and where.
        let rank = |level: Level| match level {
            Level::Bad => 3,
            Level::Warn => 2,
            Level::Quiet => 1,
            Level::Good => 0,
        };
        let worst = came.iter().fold(None, |worst: Option<&Came<'_>>, came| match worst {
            Some(worst) if rank(worst.level) >= rank(came.level) => Some(worst),
            _ => Some(came),
        });
        let (level, at) = worst.map_or((Level::Quiet, None), |worst| (worst.level, worst.at));
        Some(MessageRow {
            fact,
            id: self.fact_name(fact),
            key: state.key,
            born_us: state.born_us,
            what,
            at_us: at.map(|at| at.0),
            part: at.map(|at| at.1),
            level,
        })
    }

    /// What came of an effect of a fact; none for one that it has nothing to do with.
    fn came(&self, fact: u32, effect: usize) -> Option<Came<'_>> {
        let ledger = &self.observer.ledger;
        let name = Names::new(self).effect(effect);
        let turn = |turn| ledger.marked(fact, effect, turn).map(|mark| (mark.at_us, mark.part));
        let late = ledger.is_late(fact, effect);
        let (says, at, level) = match ledger.standing(fact, effect) {
            Standing::Foreign => return None,
            Standing::Lost(cause) => ([" lost: ", cause.words()].concat(), turn(Turn::Ended), Level::Bad),
            Standing::Done(times @ 2..) => (format!(" {times} times"), turn(Turn::Twice), Level::Bad),
            Standing::Dead => (" among the dead letters".to_owned(), turn(Turn::Ended), Level::Warn),
            Standing::Pending => (" pending".to_owned(), None, if late { Level::Bad } else { Level::Quiet }),
            Standing::Done(_) if ledger.is_out_of_order(fact, effect) => {
                (" after a later one of its key".to_owned(), turn(Turn::OutOfOrder), Level::Warn)
            }
            Standing::Done(_) if late => (" once".to_owned(), turn(Turn::Late), Level::Bad),
            Standing::Done(_) => (" once".to_owned(), None, Level::Good),
        };
        let promise = late.then(|| ledger.effects[effect].promise_us).flatten();
        let due = ledger.fact(fact).zip(promise).map(|(state, promise_us)| clock(state.born_us + promise_us));
        let came = turn(Turn::Late).map_or_else(String::new, |(at_us, _)| [", it came at ", &clock(at_us)].concat());
        let due = due.map_or_else(String::new, |due| [", late: it was due at ", &due, &came].concat());
        let skipped = if ledger.is_skipped(fact, effect) { ", a repeat skipped" } else { "" };
        Some(Came { name, says: [&says, due.as_str(), skipped].concat(), at, level })
    }

    /// What came of every effect of a fact, in words.
    pub(super) fn fates(&self, fact: u32) -> Vec<String> {
        let effects = 0..self.observer.ledger.effects.len();
        let came: Vec<Came<'_>> = effects.filter_map(|effect| self.came(fact, effect)).collect();
        told(&came)
    }
}
