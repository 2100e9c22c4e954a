//! The alert rules that a scenario gets when it names none: what an operator of such parts really has. And the settings of
//! a rule, `alerts.PART.RULE.above` and `alerts.PART.RULE.for`: they change what a run tells and nothing of what happens.

use indexmap::IndexMap;

use super::choices::Reads;
use super::kind::Kind;
use super::links::trays;
use super::nearest::known;
use super::steps::Step;
use super::{AlertSpec, Fault, PartSpec, Scenario};
use crate::scenario::gauges::{GaugeSpec, gauges};
use crate::sim::Micros;

/// The part name that `--set` reserves for alert rules: `alerts.email.consumer-lag.above=10s`.
pub const ALERTS: &str = "alerts";

const SECOND_US: u64 = 1_000_000;
/// The longest time that a gauge may have to be above its threshold.
pub const MAX_HOLD: Micros = Micros::seconds(30 * 86_400);
/// What a share is written in: half of the retention is gone.
const HALF_PPM: u64 = 500_000;
/// So many rebalances within an hour are more than deploys bring.
const REBALANCES_PER_H: u64 = 6;

/// The gauge that a rule looks at.
#[must_use]
pub fn gauge_of(scenario: &Scenario, rule: &AlertSpec) -> Option<&'static GaugeSpec> {
    let part = scenario.parts.get(&rule.part)?;
    gauges(&part.kind).iter().find(|gauge| gauge.name == rule.gauge)
}

/// The name of a rule's threshold among the settings of a run.
#[must_use]
pub fn setting_of(rule: &AlertSpec) -> String {
    [ALERTS, &rule.part, &rule.rule, "above"].join(".")
}

/// Gives the rules of a scenario the thresholds and hold times of `--set`.
///
/// # Errors
/// Every setting that names no rule, or has a value that its gauge does not take.
pub fn set(scenario: &mut Scenario, sets: &[(String, String)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (place, value) in sets {
        let Some(name) = place.strip_prefix(ALERTS).and_then(|rest| rest.strip_prefix('.')) else { continue };
        if let Err((wrong, allowed)) = set_one(scenario, name, value) {
            faults.push(Fault::new(["set ", place].concat(), wrong, allowed));
        }
    }
    faults
}

/// Sets `PART.RULE.above` or `PART.RULE.for`; without a part all rules of that name. Else what is wrong, and what is allowed.
fn set_one(scenario: &mut Scenario, name: &str, value: &str) -> Result<(), (String, String)> {
    let words: Vec<&str> = name.split('.').collect();
    let (part, rule, what) = match words[..] {
        [rule, what] => (None, rule, what),
        [part, rule, what] => (Some(part), rule, what),
        _ => return Err((format!("`{name}` names no rule"), "alerts.PART.RULE.above or alerts.PART.RULE.for".into())),
    };
    let asked = |known: &AlertSpec| known.rule == rule && part.is_none_or(|part| known.part == part);
    if !scenario.alerts.iter().any(asked) {
        let name = |known: &AlertSpec| match part {
            Some(_) => [&*known.part, ".", &known.rule].concat(),
            None => known.rule.clone(),
        };
        let mut names: Vec<String> = Vec::new();
        for name in scenario.alerts.iter().map(name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let shown = part.map_or_else(|| rule.to_owned(), |part| [part, ".", rule].concat());
        let allowed = match names.is_empty() {
            true => "nothing: this scenario has no rules".into(),
            false => known(&shown, names.iter().map(String::as_str)),
        };
        return Err((format!("there is no rule `{shown}`"), allowed));
    }
    let units: Vec<_> = scenario.alerts.iter().map(|rule| gauge_of(scenario, rule).map(|gauge| gauge.unit)).collect();
    for (rule, unit) in scenario.alerts.iter_mut().zip(units).filter(|(rule, _)| asked(rule)) {
        match (what, unit) {
            ("above", Some(unit)) => {
                rule.above = unit.parse(value).map_err(|wrong| (wrong, unit.described().to_owned()))?;
            }
            ("for", _) => match Micros::parse(value) {
                Ok(hold) if hold <= MAX_HOLD => rule.hold = hold,
                Ok(_) => return Err((format!("`{value}` is out of range"), format!("0s to {MAX_HOLD}"))),
                Err(wrong) => return Err((wrong, "a duration like 30s".into())),
            },
            _ => return Err((format!("`{what}` is not a setting of a rule"), known(what, ["above", "for"]))),
        }
    }
    Ok(())
}

/// The usual rules for these parts, in their order.
#[must_use]
pub fn usual(parts: &IndexMap<String, PartSpec>) -> Vec<AlertSpec> {
    let mut alerts = Vec::new();
    for (id, part) in parts {
        let mut rule = |rule: &str, gauge: &str, above: u64| {
            // A commit that is under way in one partition is no fault.
            let hold = if gauge == "lag_spread_us" { Micros::seconds(10) } else { Micros::ZERO };
            alerts.push(AlertSpec { rule: rule.into(), part: id.clone(), gauge: gauge.into(), above, hold });
        };
        match &part.kind {
            Kind::Producer(settings) => {
                if settings
                    .to
                    .id()
                    .and_then(|to| parts.get(to))
                    .is_some_and(|to| matches!(to.kind, Kind::Queue(_) | Kind::Exchange(_) | Kind::Log(_)))
                {
                    rule("produce-errors", "produce_errors", 0);
                    rule("produce-latency", "produce_us", SECOND_US / 2);
                }
            }
            Kind::Service(_) => {
                rule("error-rate", "error_ppm", 10_000);
                rule("latency-p99", "p99_us", SECOND_US);
            }
            Kind::Database(_) => {
                if has_outbox(parts, id) {
                    rule("outbox-age", "outbox_oldest_us", 30 * SECOND_US);
                }
                if has_slot(parts, id) {
                    rule("slot-size", "slot_bytes", 1_000_000_000);
                }
            }
            Kind::Relay(_) => {
                rule("produce-errors", "produce_errors", 0);
                rule("produce-latency", "produce_us", SECOND_US / 2);
            }
            Kind::Queue(settings) => match trays(parts).contains(&id.as_str()) {
                true if settings.watched => rule("dlq-depth", "ready", 0),
                true => {} // Nobody looks: that is what the setting says.
                false => rule("oldest-message", "oldest_us", 300 * SECOND_US),
            },
            Kind::Log(settings) => {
                if settings.replicas > 1 {
                    rule("under-replicated", "under_replicated", 0);
                }
                let writes = |part: &PartSpec| match &part.kind {
                    Kind::Producer(producer) => producer.transaction > 0 && producer.to.id() == Some(id),
                    _ => false,
                };
                if parts.values().any(writes) {
                    rule("open-transaction", "transaction_us", 60 * SECOND_US);
                }
            }
            Kind::Exchange(_) => rule("unroutable", "unroutable", 0),
            Kind::Dependency(_) => {}
            Kind::Worker(settings) => {
                match settings.from.id().and_then(|from| parts.get(from)).map(|from| &from.kind) {
                    Some(Kind::Log(log)) => {
                        rule("consumer-lag", "lag_us", 60 * SECOND_US);
                        if log.partitions > 1 {
                            rule("partition-lag", "lag_spread_us", 30 * SECOND_US);
                        }
                        rule("retention-headroom", "retention_ppm", HALF_PPM);
                        rule("rebalances", "rebalances_per_h", REBALANCES_PER_H);
                    }
                    _ => rule("redelivery-rate", "redelivered_ppm", 50_000),
                }
                rule("error-rate", "error_ppm", 50_000);
            }
        }
    }
    alerts
}

/// Whether a relay reads this database by a replication slot.
fn has_slot(parts: &IndexMap<String, PartSpec>, id: &str) -> bool {
    parts.values().any(|part| match &part.kind {
        Kind::Relay(settings) => settings.from.id() == Some(id) && settings.reads == Reads::Cdc,
        _ => false,
    })
}

/// Whether anyone writes or reads an outbox in this database.
fn has_outbox(parts: &IndexMap<String, PartSpec>, id: &str) -> bool {
    parts.values().any(|part| match &part.kind {
        Kind::Relay(settings) => settings.from.id() == Some(id),
        Kind::Service(settings) => {
            settings.steps.0.iter().any(|step| matches!(step, Step::Write { database, outbox: true } if database == id))
        }
        _ => false,
    })
}
