//! The report of a run: the object that `redrive run --json` prints.

use serde_json::{Map, Value, json};

use super::health::{Consumer, Stretch};
use super::ledger::{FactState, Outcome, Standing, Status};
use crate::scenario::gauges::gauges;
use crate::sim::order::by_key;
use crate::world::World;

/// At most so many ids are listed of each kind.
const MOST_IDS: usize = 20;

/// The report of a world as it stands.
#[must_use]
pub fn report(world: &World) -> Value {
    let ledger = &world.observer.ledger;
    json!({
        "scenario": world.scenario().id,
        "seed": world.scenario().seed,
        "until_us": world.now_us(),
        "events": world.events(),
        "trace_hash": format!("{:016x}", world.trace_hash()),
        "facts": facts(world),
        "users": {
            "served": ledger.with_outcome(Outcome::Served),
            "refused": ledger.with_outcome(Outcome::Refused),
            "late": ledger.with_outcome(Outcome::Late),
            "never": ledger.with_outcome(Outcome::Never),
            "twice": ledger.with_outcome(Outcome::Twice),
            "waiting": ledger.with_outcome(Outcome::Waiting),
            "p50_us": world.observer.answers.quantile(500),
            "p99_us": world.observer.answers.quantile(990),
        },
        "alerts": alerts(world),
        "silent": silent(world),
        "parts": parts(world),
        "health": health(world),
    })
}

fn facts(world: &World) -> Value {
    let ledger = &world.observer.ledger;
    let effects = ledger.effects.len();
    let sum = |of: fn(&super::ledger::EffectCounts) -> u64| (0..effects).map(|effect| of(&ledger.counts(effect))).sum::<u64>();
    let any = |want: &dyn Fn(u32, usize) -> bool, fact: u32| (0..effects).any(|effect| want(fact, effect));
    let ids = |want: &dyn Fn(u32, &FactState) -> bool| -> Vec<String> {
        ledger.pick(MOST_IDS, want).into_iter().map(|fact| world.fact_name(fact)).collect()
    };
    let with_status = |status: Status| match ledger.with_status(status) {
        0 => Vec::new(),
        _ => ids(&|_, state| state.status == status),
    };
    let late = |fact, effect| ledger.is_late(fact, effect);
    let swapped = |fact, effect| ledger.is_out_of_order(fact, effect);
    let mut by_effect = Map::new();
    for (effect, info) in ledger.effects.iter().enumerate() {
        by_effect.insert(info.name.clone(), effect_counts(world, effect));
    }
    json!({
        "total": ledger.total(),
        "once": ledger.with_status(Status::Once),
        "lost": ledger.with_status(Status::Lost),
        "twice": ledger.with_status(Status::Twice),
        "pending": ledger.with_status(Status::Pending),
        "skipped": sum(|counts| counts.skipped),
        "dead": ledger.with_status(Status::Dead),
        "late": sum(|counts| counts.late),
        "out_of_order": sum(|counts| counts.out_of_order),
        "ids": {
            "once": if ledger.total() <= MOST_IDS as u64 { with_status(Status::Once) } else { Vec::new() },
            "lost": with_status(Status::Lost),
            "twice": with_status(Status::Twice),
            "pending": with_status(Status::Pending),
            "dead": with_status(Status::Dead),
            "late": if sum(|counts| counts.late) > 0 { ids(&|fact, _| any(&late, fact)) } else { Vec::new() },
            "out_of_order": if sum(|counts| counts.out_of_order) > 0 { ids(&|fact, _| any(&swapped, fact)) } else { Vec::new() },
        },
        "by_effect": by_effect,
    })
}

fn effect_counts(world: &World, effect: usize) -> Value {
    let ledger = &world.observer.ledger;
    let counts = ledger.counts(effect);
    let names = |want: &dyn Fn(Standing) -> bool, some: u64| -> Vec<String> {
        if some == 0 {
            return Vec::new();
        }
        let picked = ledger.pick(MOST_IDS, |fact, _| want(ledger.standing(fact, effect)));
        picked.into_iter().map(|fact| world.fact_name(fact)).collect()
    };
    let applied: Vec<String> = ledger.applied(effect).iter().take(MOST_IDS).map(|fact| world.fact_name(*fact)).collect();
    let mut object = json!({
        "once": counts.once,
        "lost": counts.lost,
        "twice": counts.twice,
        "pending": counts.pending,
        "skipped": counts.skipped,
        "dead": counts.dead,
        "late": counts.late,
        "out_of_order": counts.out_of_order,
        "ids": {
            "lost": names(&|standing| matches!(standing, Standing::Lost(_)), counts.lost),
            "twice": names(&|standing| matches!(standing, Standing::Done(2..)), counts.twice),
            "dead": names(&|standing| standing == Standing::Dead, counts.dead),
        },
        "first_applied": applied,
    });
    let totals = &world.observer.totals[effect];
    if !totals.is_empty() {
        object["totals"] = totals.iter().map(|(key, sum)| (key.to_string(), Value::from(*sum))).collect::<Map<_, _>>().into();
    }
    object
}

fn alerts(world: &World) -> Vec<Value> {
    let mut rows: Vec<(u64, Value)> = Vec::new();
    for alert in &world.board.alerts {
        for firing in &alert.fired {
            let mut row = json!({
                "rule": alert.spec.rule,
                "part": alert.spec.part,
                "at_us": firing.at_us,
                "after_us": firing.after_us,
                "cleared_us": firing.cleared_us,
            });
            if let Some(partition) = firing.partition {
                row["partition"] = Value::from(partition);
            }
            rows.push((firing.at_us, row));
        }
    }
    by_key(rows, |(at_us, _)| *at_us).into_iter().map(|(_, row)| row).collect()
}

/// The rules that fired nowhere, each once, in the order of the scenario.
fn silent(world: &World) -> Vec<&str> {
    let alerts = &world.board.alerts;
    let mut silent: Vec<&str> = Vec::new();
    for alert in alerts {
        let rule = alert.spec.rule.as_str();
        let fired = alerts.iter().any(|other| other.spec.rule == rule && !other.fired.is_empty());
        if !fired && !silent.contains(&rule) {
            silent.push(rule);
        }
    }
    silent
}

/// How each consumer is and was.
fn health(world: &World) -> Vec<Value> {
    let id = |part: u16| world.scenario().parts.get_index(usize::from(part)).map(|(id, _)| id.as_str());
    let row = |consumer: &Consumer| {
        let now = consumer.stretches.last()?;
        let spans: Vec<Value> = consumer.stretches.iter().map(stretch).collect();
        Some(json!({
            "part": id(consumer.part),
            "verdict": now.verdict.word(),
            "why": now.sign.why(now.value),
            "since_us": now.from_us,
            "spans": spans,
        }))
    };
    world.board.consumers.iter().filter_map(row).collect()
}

fn stretch(stretch: &Stretch) -> Value {
    json!({
        "verdict": stretch.verdict.word(),
        "sign": stretch.sign.word(),
        "why": stretch.sign.why(stretch.value),
        "from_us": stretch.from_us,
        "to_us": stretch.to_us,
    })
}

fn parts(world: &World) -> Value {
    let mut parts = Map::new();
    for (index, (id, spec)) in world.scenario().parts.iter().enumerate() {
        let values = world.gauges_now(index as u16);
        let object: Map<String, Value> =
            gauges(&spec.kind).iter().zip(values).map(|(gauge, value)| (gauge.name.to_owned(), Value::from(value))).collect();
        parts.insert(id.clone(), Value::Object(object));
    }
    Value::Object(parts)
}
