//! What users got, in numbers and in a sentence. Counted, never canned.

use super::bodies::user_level;
use crate::observe::ledger::Outcome;
use crate::sim::time::grouped;
use crate::view::{UserLevel, UsersView};
use crate::world::World;

/// How many outcomes are shown.
const MOST_CELLS: usize = 240;
/// How far back they go while users are many, in microseconds.
const WINDOW_US: u64 = 120_000_000;

impl World {
    pub(super) fn users_view(&self) -> UsersView {
        let ledger = &self.observer.ledger;
        let count = |outcome: Outcome| ledger.with_outcome(outcome);
        let (newest, one_of) = self.outcomes(MOST_CELLS);
        let (verdict, harm, tail) = self.verdict();
        UsersView {
            verdict,
            harm,
            tail,
            newest,
            one_of,
            served: count(Outcome::Served),
            refused: count(Outcome::Refused),
            late: count(Outcome::Late),
            never: count(Outcome::Never),
            twice: count(Outcome::Twice),
            waiting: count(Outcome::Waiting),
        }
    }

    /// The outcomes of the newest users, oldest first, and how many users one of them stands for.
    pub(super) fn outcomes(&self, most: usize) -> (Vec<UserLevel>, u64) {
        let ledger = &self.observer.ledger;
        let facts = ledger.facts();
        let since_us = self.now_us.saturating_sub(WINDOW_US);
        let (mut low, mut high) = (0, facts);
        while low < high {
            let middle = u32::midpoint(low, high);
            if ledger.fact(middle).is_some_and(|fact| fact.born_us < since_us) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // After a long quiet time the last ones who came are still the newest.
        low = low.min(facts.saturating_sub(most as u32));
        let stride = (facts - low).div_ceil(most as u32).max(1);
        // Multiples of the stride, so that a cell does not change its user from one look to the next.
        let first = low.div_ceil(stride) * stride;
        let shown = (first..facts).step_by(stride as usize);
        let newest = shown.filter_map(|fact| ledger.fact(fact).and_then(|state| user_level(state.outcome))).collect();
        (newest, u64::from(stride))
    }

    /// The verdict in three pieces: what is fine, the harm, and what follows.
    fn verdict(&self) -> (String, String, String) {
        let ledger = &self.observer.ledger;
        let count = |outcome: Outcome| ledger.with_outcome(outcome);
        let users = ledger.facts() as u64 - count(Outcome::Open);
        if users == 0 {
            return ("Nobody has asked for anything yet.".into(), String::new(), String::new());
        }
        let refused = count(Outcome::Refused);
        let front = self.services.first().map(|service| self.title(service.part));
        let mut harms = Vec::new();
        if refused > 0 {
            harms.push(format!("{} of {} were told no", grouped(refused), grouped(users)));
        }
        let mut lost = 0;
        for (effect, info) in ledger.effects.iter().enumerate() {
            let counts = ledger.counts(effect);
            lost += counts.lost;
            let mut say = |count: u64, words: &str| {
                if count > 0 {
                    harms.push(format!("{} {words} for {}", info.name, grouped(count)));
                }
            };
            say(counts.twice, "happened twice");
            say(counts.lost, "is lost");
            say(counts.dead, "lies in the dead letters");
            if info.promise_us.is_some() {
                say(counts.late, "is late");
            }
        }
        let fine = match front {
            Some(front) if refused == 0 => format!("{front} is fine. "),
            _ => String::new(),
        };
        if harms.is_empty() {
            let waiting = count(Outcome::Waiting);
            let tail = match waiting {
                0 => String::new(),
                1 => "1 still waits and is not late.".to_owned(),
                _ => format!("{} still wait, none is late.", grouped(waiting)),
            };
            let all = if fine.is_empty() { "Everyone so far got what was promised. ".to_owned() } else { fine };
            return (all, String::new(), tail);
        }
        let tail = if lost == 0 && refused == 0 { ", nothing lost." } else { "." };
        (fine, harms.join(", "), tail.into())
    }
}
