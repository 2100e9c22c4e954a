//! The journey of one message.

use crate::observe::record::{Kind, Record, unpack_place, unpack_receive};
use crate::observe::words::{Names, record_level};
use crate::scenario::links::links;
use crate::service::Source;
use crate::view::{JourneyView, LineView, StopView};
use crate::world::World;

/// Most stops of a path: of a longer one the last.
const MOST_STOPS: usize = 64;

impl World {
    /// A fact's journey with its heading, from its records up to now.
    #[must_use]
    pub fn journey_of(&self, fact: u32, records: &[Record]) -> JourneyView {
        let names = Names::new(self);
        let records = &records[..records.partition_point(|record| record.at_us < self.now_us)];
        let key = self.observer.ledger.fact(fact).map_or(0, |state| state.key);
        let partition = records.iter().rev().find(|record| record.kind == Kind::Appended);
        let partition = partition.map_or_else(String::new, |record| format!(" → p{}", unpack_place(record.extra).0));
        let lines: Vec<(u16, u16)> = links(&self.scenario.parts).iter().map(|link| (link.from, link.to)).collect();
        let mut path: Vec<StopView> = Vec::new();
        for record in records {
            let part = self.place_of(record);
            if !arrives(record.kind) || path.last().is_some_and(|stop| stop.part == part) {
                continue;
            }
            let at_us = record.at_us;
            // With several readers the stop before need not be the one that it came from.
            let linked = |from: u16, to: u16| lines.contains(&(from, to)) || lines.contains(&(to, from));
            let mut from = path.iter().rev().map(|stop| stop.part).find(|from| linked(*from, part));
            if from.is_none() {
                // A relay or an exchange hands on without a word of its own.
                let between = |from: u16| lines.iter().find(|line| line.0 == from && lines.contains(&(line.1, part)));
                if let Some((before, silent)) = path.iter().rev().find_map(|stop| between(stop.part)).copied() {
                    path.push(StopView { part: silent, from: Some(before), at_us });
                    from = Some(silent);
                }
            }
            path.push(StopView { part, from, at_us });
        }
        path.drain(..path.len().saturating_sub(MOST_STOPS));
        let lines = records.iter().map(|record| LineView {
            at_us: record.at_us,
            text: names.line(record),
            level: record_level(record),
            fact: Some(fact),
            part: self.place_of(record),
        });
        JourneyView {
            fact,
            title: self.fact_name(fact),
            detail: format!("key {key}{partition}"),
            key,
            fates: self.fates(fact),
            path,
            lines: lines.collect(),
        }
    }

    /// Where a message is just after a record of it: with the worker that got it, not with the broker that gave it out.
    fn place_of(&self, record: &Record) -> u16 {
        let worker = match record.kind {
            Kind::Received => self.workers.get(usize::from(unpack_receive(record.extra).0)),
            Kind::Read => self.workers.iter().find(|worker| {
                matches!(worker.source, Source::Log(log) if self.logs[usize::from(log)].part == record.part)
                    && record.effects & 1 << worker.effect != 0
            }),
            _ => None,
        };
        worker.map_or(record.part, |worker| worker.part)
    }
}

/// Whether a message comes to a place with such a record; the others tell what is done with it where it is, or that a copy of
/// it is no longer needed.
fn arrives(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Appended
            | Kind::Asked
            | Kind::Born
            | Kind::Buried
            | Kind::Effect
            | Kind::Held
            | Kind::PublishFailed
            | Kind::Read
            | Kind::Received
            | Kind::Returned
            | Kind::Rewound
            | Kind::RowAdded
            | Kind::RowFound
            | Kind::Skipped
            | Kind::Stored
            | Kind::StoredDelayed
            | Kind::TimedOut
            | Kind::Wrote
    )
}
