//! The one place that every record goes through: it feeds the hash, the ledger, the books and whoever listens.

use std::collections::VecDeque;

use redrive_brokers::sorted::SortedMap;

use super::books::Books;
use super::findings::Findings;
use super::histogram::Histogram;
use super::hops::Hops;
use super::ledger::Ledger;
use super::record::{Kind, NO_FACT, Record};
use crate::message::EffectMask;
use crate::scenario::Scenario;
use crate::sim::{Timestamp, TraceHash};

/// Everything that is made from the trace.
#[derive(Clone, Debug)]
pub struct Observer {
    /// Fingerprint of what has happened so far, the commands themselves aside: two runs that differ in what they were told,
    /// and not yet in what happened, have the same one.
    pub happened: TraceHash,
    /// Fingerprint of the commands, each with its place among all records.
    told: TraceHash,
    /// The ledger.
    pub ledger: Ledger,
    /// The books.
    pub books: Books,
    /// What has been found.
    pub findings: Findings,
    /// How long answers to users took.
    pub answers: Histogram,
    /// Hops for the stage.
    pub hops: Hops,
    /// Values listed with facts, added up by key when the effect takes place: `[effect]` → `(key, sum)` sorted by key.
    pub totals: Vec<SortedMap<u32, u64>>,
    /// Values of the listed facts.
    pub values: Vec<u64>,
    /// The newest records, for the event log, where there is one: a ring whose oldest record is the next to be replaced.
    recent: Option<Vec<Record>>,
    /// The newest records that are not about one message.
    notable: VecDeque<Record>,
    /// The records of the fact that is followed.
    followed: Option<(u32, Vec<Record>)>,
    /// All records since they were last taken, while someone captures them.
    captured: Option<Vec<Record>>,
    /// Someone reads the event log, follows a fact or captures records.
    listened_to: bool,
    /// How many records there were.
    pub records: u64,
}

/// How many records the event log goes back.
const MOST_RECENT: usize = 256;

impl Observer {
    /// An observer of an empty trace.
    #[must_use]
    pub fn new(ledger: Ledger, scenario: &Scenario, hops: Hops, values: Vec<u64>) -> Self {
        Self {
            happened: TraceHash::default(),
            told: TraceHash::default(),
            totals: vec![SortedMap::default(); ledger.effects.len()],
            ledger,
            books: Books::new(scenario.parts.len() as u16),
            findings: Findings::new(scenario),
            answers: Histogram::default(),
            hops,
            values,
            recent: None,
            notable: VecDeque::new(),
            followed: None,
            captured: None,
            listened_to: false,
            records: 0,
        }
    }

    /// Takes in one record. Not inlined: sixty places write records, and each copy of this would be downloaded.
    #[inline(never)]
    #[cfg_attr(page, optimize(speed))]
    pub fn emit(&mut self, record: Record) {
        if record.kind == Kind::Commanded {
            self.told.word(self.records);
            record.words().into_iter().for_each(|word| self.told.word(word));
        } else {
            record.words().into_iter().for_each(|word| self.happened.word(word));
        }
        self.books.apply(&record);
        self.ledger.apply(&record);
        match record.kind {
            Kind::Answered => self.answers.add(record.extra),
            Kind::Effect => self.add_value(&record),
            _ => {}
        }
        self.findings.apply(&record, &self.ledger);
        if record.fact == NO_FACT || self.listened_to {
            self.remember(record);
        }
        self.records += 1;
    }

    /// Keeps a record for whoever looks: most are not looked at.
    #[inline(never)]
    fn remember(&mut self, record: Record) {
        if let Some(recent) = &mut self.recent {
            match recent.get_mut(self.records as usize % MOST_RECENT) {
                Some(oldest) => *oldest = record,
                None => recent.push(record),
            }
        }
        if record.fact == NO_FACT {
            if self.notable.len() == MOST_RECENT {
                self.notable.pop_front();
            }
            self.notable.push_back(record);
        }
        if let Some((fact, records)) = &mut self.followed
            && *fact == record.fact
        {
            records.push(record);
        }
        if let Some(captured) = &mut self.captured {
            captured.push(record);
        }
    }

    /// Fingerprint of the whole trace so far.
    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        let mut both = self.happened;
        both.word(self.told.value());
        both.value()
    }

    #[cfg_attr(page, optimize(speed))]
    fn add_value(&mut self, record: &Record) {
        let value = self.values.get(record.fact as usize).copied().unwrap_or(0);
        if value == 0 {
            return;
        }
        let effect = record.effects.trailing_zeros() as usize;
        let key = self.ledger.fact(record.fact).map_or(0, |fact| fact.key);
        *self.totals[effect].or_insert(key, 0) += value;
    }

    /// A fact comes into the world.
    pub fn born(&mut self, at_us: Timestamp, part: u16, key: u32, serial: u32) -> u32 {
        let fact = self.ledger.born(at_us, key, serial, part);
        self.emit(Record { at_us, extra: u64::from(key), fact, part, kind: Kind::Born, effects: 0 });
        fact
    }

    /// Shorthand for a record about a fact.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn note(&mut self, at_us: Timestamp, kind: Kind, part: u16, fact: u32, effects: EffectMask, extra: u64) {
        self.emit(Record { at_us, extra, fact, part, kind, effects });
    }

    /// Keeps the newest records from now on: for a world that someone looks at.
    pub fn keep_log(&mut self) {
        self.recent.get_or_insert_with(Vec::new);
        self.listened_to = true;
    }

    /// Follows a fact from now on, or none.
    pub fn follow(&mut self, fact: Option<u32>) {
        self.followed = fact.map(|fact| (fact, Vec::new()));
        self.listened_to = self.followed.is_some() || self.captured.is_some() || self.recent.is_some();
    }

    /// The records of the followed fact since it is followed.
    #[must_use]
    pub fn followed(&self) -> &[Record] {
        self.followed.as_ref().map_or(&[], |(_, records)| records)
    }

    /// Starts to capture every record.
    pub fn capture(&mut self) {
        self.captured.get_or_insert_with(Vec::new);
        self.listened_to = true;
    }

    /// Takes the records captured so far.
    pub fn take_captured(&mut self) -> Vec<Record> {
        self.captured.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The newest records, oldest first: about anything, and about no message.
    #[must_use]
    pub fn newest(&self) -> (Vec<Record>, &VecDeque<Record>) {
        let recent = self.recent.as_deref().unwrap_or_default();
        let oldest = if recent.len() < MOST_RECENT { 0 } else { self.records as usize % MOST_RECENT };
        let (newer, older) = recent.split_at(oldest);
        ([older, newer].concat(), &self.notable)
    }
}
