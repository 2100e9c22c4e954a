//! A figure of a run by its name in the report: `facts.twice`, `users.p99_us`, `parts.jobs.ready(max)`.

use serde_json::{Map, Value};

use crate::observe::report::report;
use crate::scenario::gauges::gauges;
use crate::scenario::nearest::known;
use crate::scenario::{Fault, Scenario};
use crate::sim::Ppm;
use crate::sim::time::{grouped, spoken};
use crate::world::World;

/// What is made of a gauge's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Max,
    Min,
    Mean,
}

const OVERS: [(&str, Over); 3] = [("max", Over::Max), ("min", Over::Min), ("mean", Over::Mean)];

/// A figure that every run of a scenario has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    path: Vec<String>,
    /// Part, gauge, and what is made of its samples; without it, the value at the end.
    over: Option<(usize, usize, Over)>,
}

const FORM: &str = "a figure of the report, like facts.twice, facts.by_effect.EFFECT.lost, users.p99_us, parts.PART.GAUGE or parts.PART.GAUGE(max)";

/// A figure as a person says it: the name of what is measured ends in its unit.
#[must_use]
pub fn said(measure: &str, value: u64) -> String {
    let name = measure.split('(').next().unwrap_or(measure);
    if name.ends_with("_us") {
        return spoken(value);
    }
    match u32::try_from(value) {
        Ok(share) if name.ends_with("_ppm") => Ppm(share).to_string(),
        _ => grouped(value),
    }
}

/// The names in an object of the report that lead to a figure.
fn names(object: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let leads = |name: &str, value: &Value| value.is_u64() || value.is_object() && name != "ids";
    object.iter().filter(move |(name, value)| leads(name, value)).map(|(name, _)| name.as_str())
}

impl Measure {
    /// Reads the name of a figure.
    ///
    /// # Errors
    /// Which names there are at the place that is wrong.
    pub fn read(text: &str, scenario: &Scenario) -> Result<Self, Fault> {
        let fault = |wrong: String, allowed: String| Err(Fault::new("measure", wrong, allowed));
        let (path, over) = match text.trim().split_once('(') {
            Some((path, over)) => (path, Some(over.trim_end_matches(')'))),
            None => (text.trim(), None),
        };
        let whole = report(&World::new(scenario));
        let mut at = &whole;
        for name in path.split('.') {
            let Some(object) = at.as_object() else { return fault(format!("`{text}` goes on after a figure"), FORM.into()) };
            match object.get(name).filter(|_| names(object).any(|known| known == name)) {
                Some(value) => at = value,
                None => return fault(format!("there is no `{name}` in `{text}`"), known(name, names(object))),
            }
        }
        if let Some(object) = at.as_object() {
            return fault(format!("`{text}` is not yet a figure"), format!("{path}.NAME: {}", known("", names(object))));
        }
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        let over = match (over, path.as_slice()) {
            (None, _) => None,
            (Some(word), [parts, id, gauge]) if parts == "parts" => {
                let Some((_, over)) = OVERS.iter().find(|(name, _)| *name == word) else {
                    return fault(
                        format!("`{word}` is nothing that can be made of samples"),
                        known(word, OVERS.map(|(name, _)| name)),
                    );
                };
                scenario.parts.get_full(id).and_then(|(part, _, spec)| {
                    let gauge = gauges(&spec.kind).iter().position(|known| known.name == *gauge)?;
                    Some((part, gauge, *over))
                })
            }
            (Some(word), _) => return fault(format!("`({word})` is for gauges: `{text}` has no samples"), FORM.into()),
        };
        Ok(Self { path, over })
    }

    /// The figure of a world as it stands.
    #[must_use]
    pub fn of(&self, world: &World) -> u64 {
        let Some((part, gauge, over)) = self.over else {
            let whole = report(world);
            return self.path.iter().fold(&whole, |at, name| &at[name.as_str()]).as_u64().unwrap_or(0);
        };
        let samples = &world.board.series[part][gauge];
        match over {
            Over::Max => samples.iter().copied().max().unwrap_or(0),
            Over::Min => samples.iter().copied().min().unwrap_or(0),
            Over::Mean => samples.iter().sum::<u64>().checked_div(samples.len()).unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_said_with_its_unit() {
        let check = |measure: &str, value: u64, expect: &str| assert_eq!(said(measure, value), expect);
        check("facts.twice", 12_000, "12,000");
        check("parts.email.lag_us(max)", 1_500_000, "1.5 s");
        check("parts.email.error_ppm", 50_000, "5%");
    }
}
