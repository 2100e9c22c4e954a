//! What differs between two runs at a moment, figure by figure.

use serde::Serialize;

use crate::observe::ledger::{EffectCounts, Outcome};
use crate::scenario::gauges::gauges;
use crate::sim::Timestamp;
use crate::world::World;

/// A figure of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// Its name in the report.
    pub name: String,
    /// In the run.
    pub left: u64,
    /// In the changed one.
    pub right: u64,
}

/// What became of an effect, in both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EffectFigures {
    /// Its name.
    pub effect: String,
    /// Facts: once, twice, lost, pending, dead, late, skipped, out of order.
    pub counts: Vec<Figure>,
}

/// A gauge that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GaugeFigures {
    /// Its name.
    pub gauge: &'static str,
    /// Now, in the run; none where the part is not there.
    pub left: Option<u64>,
    /// Now, in the changed one.
    pub right: Option<u64>,
    /// The highest sample so far, in the run.
    pub left_max: Option<u64>,
    /// The highest sample so far, in the changed one.
    pub right_max: Option<u64>,
}

/// A part with gauges that differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartFigures {
    /// Its id.
    pub part: String,
    /// The gauges that differ now, or have differed in their highest sample.
    pub gauges: Vec<GaugeFigures>,
}

/// A rule that fired in one of them only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlertFired {
    /// Name of the rule.
    pub rule: String,
    /// Id of the part that it looks at.
    pub part: String,
    /// When it fired first.
    pub at_us: Timestamp,
}

/// What differs between two runs at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// The moment.
    pub now_us: Timestamp,
    /// The first moment at which something happened in one of them only.
    pub differs_us: Option<Timestamp>,
    /// Every effect.
    pub effects: Vec<EffectFigures>,
    /// What users got.
    pub users: Vec<Figure>,
    /// The parts where something differs.
    pub parts: Vec<PartFigures>,
    /// Rules that fired in the run only.
    pub alerts_left: Vec<AlertFired>,
    /// Rules that fired in the changed one only.
    pub alerts_right: Vec<AlertFired>,
}

impl Differences {
    /// What differs now between a run and its changed one, which first differed at `differs_us`.
    pub(super) fn between(worlds: [&World; 2], now_us: Timestamp, differs_us: Option<Timestamp>) -> Self {
        Self {
            now_us,
            differs_us,
            effects: effects(worlds),
            users: users(worlds),
            parts: parts(worlds),
            alerts_left: alerts(worlds[0], worlds[1]),
            alerts_right: alerts(worlds[1], worlds[0]),
        }
    }
}

fn figures<const N: usize>(names: [&str; N], left: [u64; N], right: [u64; N]) -> Vec<Figure> {
    let both = left.into_iter().zip(right);
    names.into_iter().zip(both).map(|(name, (left, right))| Figure { name: name.to_owned(), left, right }).collect()
}

fn effects([left, right]: [&World; 2]) -> Vec<EffectFigures> {
    let names =
        |world: &World| -> Vec<String> { world.observer.ledger.effects.iter().map(|effect| effect.name.clone()).collect() };
    let mut all = names(left);
    all.extend(names(right).into_iter().filter(|name| !names(left).contains(name)));
    let counts = |world: &World, name: &str| {
        let ledger = &world.observer.ledger;
        let counts = ledger.effects.iter().position(|effect| effect.name == name).map(|effect| ledger.counts(effect));
        let EffectCounts { once, twice, lost, pending, dead, late, skipped, out_of_order } = counts.unwrap_or_default();
        [once, twice, lost, pending, dead, late, skipped, out_of_order]
    };
    const NAMES: [&str; 8] = ["once", "twice", "lost", "pending", "dead", "late", "skipped", "out_of_order"];
    all.into_iter()
        .map(|effect| EffectFigures { counts: figures(NAMES, counts(left, &effect), counts(right, &effect)), effect })
        .collect()
}

fn users([left, right]: [&World; 2]) -> Vec<Figure> {
    const OUTCOMES: [Outcome; 6] =
        [Outcome::Served, Outcome::Refused, Outcome::Late, Outcome::Never, Outcome::Twice, Outcome::Waiting];
    let of = |world: &World| {
        let [served, refused, late, never, twice, waiting] = OUTCOMES.map(|outcome| world.observer.ledger.with_outcome(outcome));
        let answers = &world.observer.answers;
        [served, refused, late, never, twice, waiting, answers.quantile(500), answers.quantile(990)]
    };
    figures(["served", "refused", "late", "never", "twice", "waiting", "p50_us", "p99_us"], of(left), of(right))
}

/// The gauges of a part of this id, now and at their highest.
fn gauges_of(world: &World, id: &str) -> Vec<(&'static str, u64, u64)> {
    let Some((part, _, spec)) = world.scenario().parts.get_full(id) else { return Vec::new() };
    let highest = world.board.series[part].iter().map(|samples| samples.iter().copied().max().unwrap_or(0));
    let now = world.gauges_now(part as u16).into_iter().zip(highest);
    gauges(&spec.kind).iter().zip(now).map(|(gauge, (now, highest))| (gauge.name, now, highest.max(now))).collect()
}

fn parts([left, right]: [&World; 2]) -> Vec<PartFigures> {
    let ids = |world: &World| -> Vec<String> { world.scenario().parts.keys().cloned().collect() };
    let mut all = ids(left);
    all.extend(ids(right).into_iter().filter(|id| !left.scenario().parts.contains_key(id)));
    let mut parts = Vec::new();
    for part in all {
        let (left, right) = (gauges_of(left, &part), gauges_of(right, &part));
        let mut names: Vec<&'static str> = left.iter().map(|gauge| gauge.0).collect();
        names.extend(right.iter().map(|gauge| gauge.0).filter(|name| left.iter().all(|gauge| gauge.0 != *name)));
        let mut differing = Vec::new();
        for gauge in names {
            let of = |all: &[(&'static str, u64, u64)]| all.iter().find(|known| known.0 == gauge).map(|known| (known.1, known.2));
            let (left, right) = (of(&left), of(&right));
            if left != right {
                let (now, max) = (|both: (u64, u64)| both.0, |both: (u64, u64)| both.1);
                differing.push(GaugeFigures {
                    gauge,
                    left: left.map(now),
                    right: right.map(now),
                    left_max: left.map(max),
                    right_max: right.map(max),
                });
            }
        }
        if !differing.is_empty() {
            parts.push(PartFigures { part, gauges: differing });
        }
    }
    parts
}

/// The rules that fired in one world and not in the other.
fn alerts(world: &World, other: &World) -> Vec<AlertFired> {
    let fired = |world: &World, rule: &str, part: &str| {
        let of = |alert: &&crate::world::Alert| alert.spec.rule == rule && alert.spec.part == part;
        world.board.alerts.iter().find(of).is_some_and(|alert| !alert.fired.is_empty())
    };
    let only = world.board.alerts.iter().filter(|alert| !fired(other, &alert.spec.rule, &alert.spec.part));
    let told = |alert: &crate::world::Alert| {
        let at_us = alert.fired.first()?.at_us;
        Some(AlertFired { rule: alert.spec.rule.clone(), part: alert.spec.part.clone(), at_us })
    };
    only.filter_map(told).collect()
}
