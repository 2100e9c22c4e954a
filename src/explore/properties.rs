//! Properties: what should be true of every run, judged by the ledger alone.

use serde::Serialize;

use super::found::Tried;
use crate::observe::ledger::{Ledger, Standing, Status};
use crate::scenario::Scenario;
pub use crate::scenario::properties::{PropertyKind, What};
use crate::world::World;

/// A property, and whether it held in all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Property {
    /// In words: `charge takes place at most once for every fact`.
    pub name: String,
    /// Always or eventually.
    pub kind: PropertyKind,
    /// It held in every run.
    pub holds: bool,
    /// In how many runs it was looked at.
    pub tried: u64,
    /// The shortest run that breaks it: with the fewest faults, and of these the earliest.
    pub counterexample: Option<Tried>,
    /// With how few faults it was broken so far.
    #[serde(skip)]
    pub fewest: Option<usize>,
    /// Number of the effect that it is about.
    #[serde(skip)]
    pub effect: usize,
    /// How often the effect should take place.
    #[serde(skip)]
    pub what: What,
}

/// The properties of a scenario: its own, and then what goes for every effect.
pub(super) fn of(scenario: &Scenario, ledger: &Ledger) -> Vec<Property> {
    let property = |name: String, kind, effect, what| Property {
        name,
        kind,
        holds: true,
        tried: 0,
        counterexample: None,
        fewest: None,
        effect,
        what,
    };
    let effect_of = |name: &str| ledger.effects.iter().position(|effect| effect.name == name);
    let mut all: Vec<Property> = scenario
        .properties
        .iter()
        .filter_map(|spec| Some(property(spec.name.clone(), spec.kind, effect_of(&spec.effect)?, spec.what)))
        .collect();
    for (effect, info) in ledger.effects.iter().enumerate() {
        let name = &info.name;
        for (kind, what, words) in [
            (PropertyKind::Always, What::AtMostOnce, "takes place at most once for every fact"),
            (PropertyKind::Eventually, What::AtLeastOnce, "takes place for every fact"),
            (PropertyKind::Always, What::InOrder, "keeps the order within every key"),
        ] {
            let told = all.iter().any(|known| (known.kind, known.effect, known.what) == (kind, effect, what));
            if !told && (what != What::InOrder || ledger.has_keys()) {
                all.push(property(format!("{name} {words}"), kind, effect, what));
            }
        }
    }
    all
}

/// What went wrong with one effect: how many facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Harm {
    /// It can no longer take place, and the fact counts: nobody was told no before anything happened.
    pub lost: u64,
    /// More than once.
    pub twice: u64,
    /// After its promise.
    pub late: u64,
    /// After a later one of the same key.
    pub out_of_order: u64,
}

impl Harm {
    /// The harm to one effect as a world stands.
    #[must_use]
    pub fn of(world: &World, effect: usize) -> Self {
        let ledger = &world.observer.ledger;
        let counts = ledger.counts(effect);
        // Facts are looked at one by one only where some of those that count can have lost it.
        let counted = ledger.with_status(Status::Lost) + ledger.with_status(Status::Twice);
        let lost = if counts.lost == 0 || counted == 0 {
            0
        } else {
            (0..ledger.facts()).filter(|fact| is_lost(ledger, *fact, effect)).count() as u64
        };
        Self { lost, twice: counts.twice, late: counts.late, out_of_order: counts.out_of_order }
    }

    /// Whether this breaks a property.
    #[must_use]
    pub fn breaks(self, what: What) -> bool {
        match what {
            What::Once => self.lost + self.twice > 0,
            What::AtLeastOnce => self.lost > 0,
            What::AtMostOnce => self.twice > 0,
            What::InOrder => self.out_of_order > 0,
        }
    }
}

fn is_lost(ledger: &Ledger, fact: u32, effect: usize) -> bool {
    matches!(ledger.standing(fact, effect), Standing::Lost(_))
        && ledger.fact(fact).is_some_and(|state| state.status != Status::Void)
}

/// The first fact that breaks a property, by name.
pub(super) fn culprit(world: &World, effect: usize, what: What) -> Option<String> {
    let ledger = &world.observer.ledger;
    let bad = |fact: &u32| {
        let twice = matches!(ledger.standing(*fact, effect), Standing::Done(2..));
        match what {
            What::Once => twice || is_lost(ledger, *fact, effect),
            What::AtLeastOnce => is_lost(ledger, *fact, effect),
            What::AtMostOnce => twice,
            What::InOrder => ledger.is_out_of_order(*fact, effect),
        }
    };
    (0..ledger.facts()).find(bad).map(|fact| world.fact_name(fact))
}
