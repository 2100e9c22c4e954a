//! The world as the page sees it. Read only: nothing here changes a run.

mod bodies;
mod books;
mod figures;
mod inspect;
mod journey;
mod messages;
mod panels;
mod users;

use super::{Body, World};
use crate::message::Message;
use crate::observe::ledger::{Standing, Status};
use crate::observe::record::{COMPACTED, Record};
use crate::observe::words::{Names, record_level};
use crate::scenario::links::{Link, LinkKind, links};
use crate::sim::time::spoken;
use crate::view::{HopView, Level, LineView, LinkView, PartView, StageView, TokenRef, TokenShape};

impl World {
    /// The stage now. A hop stays for at least `trail_us`.
    #[must_use]
    pub fn stage(&self, trail_us: u64) -> StageView {
        StageView {
            now_us: self.now_us,
            parts: (0..self.parts.len() as u16).map(|part| self.part_view(part)).collect(),
            links: self.link_views(),
            hops: self.hops(trail_us),
            one_of: u64::from(self.observer.hops.one_of),
        }
    }

    /// The hops of the stage.
    #[must_use]
    pub fn hops(&self, trail_us: u64) -> Vec<HopView> {
        self.observer
            .hops
            .around(self.now_us, trail_us)
            .map(|hop| HopView {
                token: self.token_of_fact(hop.fact),
                from: hop.from,
                to: hop.to,
                start_us: hop.start_us,
                end_us: hop.end_us.max(hop.start_us.saturating_add(trail_us)),
            })
            .collect()
    }

    fn link_views(&self) -> Vec<LinkView> {
        let down = |part: u16| self.parts[usize::from(part)].health.down;
        // What was set while it ran may lead where the document does not.
        let mut all = links(&self.scenario.parts);
        let alternates = self.exchanges.iter().map(|exchange| (exchange.part, exchange.alternate, LinkKind::Flow));
        let trays = self.workers.iter().map(|worker| (worker.part, worker.dead_letters, LinkKind::DeadLetters));
        for (from, to, kind) in alternates.chain(trays) {
            let link = to.map(|to| Link { from, to, kind });
            all.extend(link.filter(|link| !all.contains(link)));
        }
        all.into_iter()
            .map(|link| LinkView {
                from: link.from,
                to: link.to,
                flow: link.kind == LinkKind::Flow,
                broken: self.is_cut(link.from, link.to) || down(link.to) || (down(link.from) && self.is_broker_part(link.from)),
            })
            .collect()
    }

    fn is_broker_part(&self, part: u16) -> bool {
        matches!(self.parts[usize::from(part)].body, Body::Queue(_) | Body::Server(_) | Body::Exchange(_) | Body::Log(_))
    }

    fn token_of_fact(&self, fact: u32) -> TokenRef {
        let ledger = &self.observer.ledger;
        let state = ledger.fact(fact);
        let shape = match state.map(|state| state.status) {
            Some(Status::Twice) => TokenShape::Twice,
            Some(Status::Lost) => TokenShape::Ghost,
            _ => TokenShape::Plain,
        };
        TokenRef { fact, label: self.fact_name(fact), key: state.map_or(0, |state| state.key), shape }
    }

    pub(super) fn token(&self, message: &Message) -> TokenRef {
        let mut token = self.token_of_fact(message.fact);
        if message.fact == COMPACTED {
            token.shape = TokenShape::Gone;
        } else if message.poison {
            token.shape = TokenShape::Poison;
        } else if message.receives > 1 && token.shape == TokenShape::Plain {
            token.shape = TokenShape::Again;
        }
        token
    }

    pub(super) fn part_view(&self, part: u16) -> PartView {
        let Some((id, spec)) = self.scenario.parts.get_index(usize::from(part)) else {
            unreachable!("part indices come from the scenario");
        };
        let (level, badge) = self.condition(part);
        let (figure, figure_level) = self.figure(part);
        PartView {
            id: id.clone(),
            title: spec.title.clone(),
            kind: spec.kind.word(),
            role: spec.kind.role(),
            level,
            badge,
            figure,
            figure_level,
            body: self.body_view(part),
            gathers: self.gather_view(part),
        }
    }

    /// How a part is, and the badge that says so.
    fn condition(&self, part: u16) -> (Level, Option<String>) {
        let health = &self.parts[usize::from(part)].health;
        let since = spoken(self.now_us.saturating_sub(health.since_us));
        if health.down {
            return (Level::Bad, Some(format!("down {since}")));
        }
        if let Some(until_us) = health.restarting_until_us {
            return (Level::Bad, Some(format!("crashed, back in {}", spoken(until_us.saturating_sub(self.now_us)))));
        }
        if health.fail.0 > 0 {
            return (Level::Warn, Some(format!("{} failing", health.fail)));
        }
        if health.slow_milli != 1_000 {
            return (Level::Warn, Some(format!("{}x slow", health.slow_milli / 1_000)));
        }
        if health.paused {
            return (Level::Warn, Some("paused".into()));
        }
        if let Some((_, other)) = self.cuts.iter().find(|cut| cut.0 == part || cut.1 == part).map(|cut| {
            let other = if cut.0 == part { cut.1 } else { cut.0 };
            (part, other)
        }) {
            return (Level::Warn, Some(format!("cut from {}", Names::new(self).part(other))));
        }
        if let Body::Worker(worker) = self.parts[usize::from(part)].body {
            let worker = &self.workers[usize::from(worker)];
            let down = worker.processes.iter().take(worker.settings.workers as usize).filter(|process| !process.up).count();
            if down > 0 {
                return (
                    Level::Bad,
                    Some(if worker.processes.len() == 1 { "crashed".into() } else { format!("{down} crashed") }),
                );
            }
            if worker.breaker_until_us.is_some() {
                return (Level::Warn, Some("breaker open".into()));
            }
            if worker.group.as_ref().is_some_and(|group| group.rebalancing_since_us.is_some()) {
                return (Level::Warn, Some("rebalancing".into()));
            }
        }
        (Level::Good, None)
    }

    /// The newest happenings in words, oldest first.
    #[must_use]
    pub fn log(&self, newest: usize) -> Vec<LineView> {
        let (recent, notable) = self.observer.newest();
        let names = Names::new(self);
        let from_us = recent.first().map_or(0, |record| record.at_us);
        let older = notable.iter().filter(|record| record.at_us < from_us);
        let lines: Vec<&Record> = older.chain(recent.iter()).collect();
        lines[lines.len().saturating_sub(newest)..]
            .iter()
            .map(|record| LineView {
                at_us: record.at_us,
                text: names.sentence(record),
                level: record_level(record),
                fact: (record.fact != crate::observe::record::NO_FACT).then_some(record.fact),
                part: record.part,
            })
            .collect()
    }

    /// How often a fact took an effect, both by name; none if either does not exist.
    #[must_use]
    pub fn count(&self, effect: &str, fact: &str) -> Option<u32> {
        let ledger = &self.observer.ledger;
        let effect = ledger.effects.iter().position(|info| info.name == effect)?;
        let fact = self.find_fact(fact)?;
        Some(match ledger.standing(fact, effect) {
            Standing::Done(times) => u32::from(times),
            _ => 0,
        })
    }
}
