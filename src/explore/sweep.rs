//! One setting against one figure, over many seeds.

use serde::Serialize;

use super::explorer::address;
use super::measure::Measure;

use crate::run::Run;
use crate::scenario::setting::Form;
use crate::scenario::{Fault, Faults, Scenario};
use crate::sim::{Micros, PerSecond, Ppm};
use crate::timeline::Progress;
use crate::world::World;

/// A setting and the values that it gets in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    /// `PART.SETTING`, or `lab.SWITCH`.
    pub place: String,
    /// Its values, as text.
    pub values: Vec<String>,
}

/// The most values.
const MOST_VALUES: usize = 200;
/// The most seeds.
pub const MOST_SEEDS: u64 = 1_000;

const FORM: &str = "PART.SETTING=A..B/POINTS, like jobs.visibility_timeout=5s..60s/12, or PART.SETTING=v1,v2,…";

impl Vary {
    /// Reads `jobs.visibility_timeout=5s..60s/12` or `lab.kind=queue,log`.
    ///
    /// # Errors
    /// What is wrong with it. Whether the setting takes the values is for the scenario to say.
    pub fn read(text: &str, scenario: &Scenario) -> Result<Self, Fault> {
        let fault = |wrong: String| Fault::new("vary", wrong, FORM);
        let (place, values) = text.split_once('=').ok_or_else(|| fault(format!("`{text}` has no =")))?;
        let place = place.trim().to_owned();
        let range = values.rsplit_once('/').and_then(|(range, points)| {
            let (from, to) = range.split_once("..")?;
            Some((from.trim(), to.trim(), points.trim().parse::<usize>().ok()?))
        });
        let values: Vec<String> = match range {
            Some((.., points)) if !(2..=MOST_VALUES).contains(&points) => {
                return Err(fault(format!("{points} points are no range: 2 to {MOST_VALUES} are")));
            }
            Some((from, to, points)) => match form(scenario, &place) {
                Some(form) => spaced(form, from, to, points).map_err(fault)?,
                // There is no such setting: the scenario says which there are.
                None => vec![from.to_owned()],
            },
            None => values.split(',').map(|value| value.trim().to_owned()).collect(),
        };
        if values.len() > MOST_VALUES {
            return Err(fault(format!("{} values are too many: {MOST_VALUES} at most", values.len())));
        }
        Ok(Self { place, values })
    }
}

fn form(scenario: &Scenario, place: &str) -> Option<Form> {
    let (part, setting) = place.split_once('.')?;
    let table = scenario.parts.get(part)?.kind.table();
    table.iter().find(|row| row.name == setting).map(|row| row.form)
}

/// So many values from one to the other, both included.
fn spaced(form: Form, from: &str, to: &str, points: usize) -> Result<Vec<String>, String> {
    let number = |text: &str| match form {
        Form::Duration | Form::Latency => Micros::parse(text).map(|span| span.0),
        Form::Share => Ppm::parse(text).map(|share| u64::from(share.0)),
        Form::Rate => PerSecond::parse(text).map(|rate| rate.milli),
        Form::Count => text.parse().map_err(|_| format!("`{text}` is not a whole number")),
        _ => Err("this setting has no numbers to go through: name its values".into()),
    };
    let (from, to) = (number(from)?, number(to)?);
    let mut values = Vec::with_capacity(points);
    for index in 0..points {
        let way = u128::from(from.abs_diff(to)) * index as u128 / (points as u128 - 1);
        let way = u64::try_from(way).unwrap_or(u64::MAX);
        let value = if from <= to { from + way } else { from - way };
        let text = match form {
            Form::Duration | Form::Latency => Micros(value).to_string(),
            Form::Share => Ppm(u32::try_from(value).unwrap_or(u32::MAX)).to_string(),
            Form::Rate => PerSecond { milli: value }.to_string(),
            _ => value.to_string(),
        };
        if values.last() != Some(&text) {
            values.push(text);
        }
    }
    Ok(values)
}

/// What a sweep found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// The setting that was varied.
    pub vary: String,
    /// The figure that was measured.
    pub measure: String,
    /// How many seeds each value was tried with.
    pub seeds: u64,
    /// One a value.
    pub points: Vec<SweptPoint>,
}

/// One value of the setting. All five figures are those of actual runs, by nearest rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SweptPoint {
    /// The value.
    pub value: String,
    /// The figure in the middle.
    pub median: u64,
    /// The lowest.
    pub min: u64,
    /// The highest.
    pub max: u64,
    /// A quarter of the runs have this or less.
    pub q1: u64,
    /// Three quarters of the runs have this or less.
    pub q3: u64,
    /// Every run, in order of seeds.
    pub runs: Vec<SweptRun>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SweptRun {
    /// Its seed.
    pub seed: u64,
    /// Its figure.
    pub value: u64,
    /// The run as what stands behind the lab's address.
    pub link: String,
}

impl SweptPoint {
    fn add(&mut self, run: SweptRun) {
        self.runs.push(run);
        let mut values: Vec<u64> = self.runs.iter().map(|run| run.value).collect();
        values.sort_unstable();
        let rank = |quarters: usize| values[(quarters * values.len()).div_ceil(4).max(1) - 1];
        (self.min, self.q1, self.median, self.q3, self.max) = (rank(0), rank(1), rank(2), rank(3), rank(4));
    }
}

/// Plays every value with every seed, in portions of so many events.
#[derive(Debug)]
pub struct Sweep {
    run: Run,
    place: String,
    /// Each value's scenario, and where its figure is found.
    variants: Vec<(Scenario, Measure)>,
    world: Option<World>,
    result: Swept,
}

impl Sweep {
    /// Sets out to sweep.
    ///
    /// # Errors
    /// Every fault of the scenario and its settings, of the values, and of the figure's name.
    pub fn new(run: &Run, vary: &str, measure: &str, seeds: u64) -> Result<Self, Faults> {
        let scenario = run.scenario()?;
        let vary = Vary::read(vary, &scenario)?;
        if !(1..=MOST_SEEDS).contains(&seeds) {
            return Err(
                Fault::new("seeds", format!("{seeds} seeds are too few or too many"), format!("1 to {MOST_SEEDS}")).into()
            );
        }
        let mut variants = Vec::new();
        let mut points = Vec::new();
        for value in vary.values {
            let scenario = with(run, &vary.place, &value).scenario()?;
            let measure = Measure::read(measure, &scenario)?;
            variants.push((scenario, measure));
            points.push(SweptPoint { value, median: 0, min: 0, max: 0, q1: 0, q3: 0, runs: Vec::new() });
        }
        let result = Swept { vary: vary.place.clone(), measure: measure.trim().to_owned(), seeds, points };
        Ok(Self { run: run.clone(), place: vary.place, variants, world: None, result })
    }

    /// How many runs have been played, and how many there are.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        let done = self.result.points.iter().map(|point| point.runs.len() as u64).sum();
        (done, self.result.points.len() as u64 * self.result.seeds)
    }

    /// What has been found so far.
    #[must_use]
    pub fn result(&self) -> &Swept {
        &self.result
    }

    /// Plays all that is left.
    #[must_use]
    pub fn finish(mut self) -> Swept {
        while self.step(u64::MAX) == Progress::More {}
        self.result
    }

    /// Goes on for about so many events. Every value gets its first seed before any gets its second, so that a curve is
    /// there early.
    pub fn step(&mut self, most_events: u64) -> Progress {
        let mut left = most_events;
        loop {
            let next = self.result.points.iter_mut().zip(&self.variants).min_by_key(|(point, _)| point.runs.len());
            let Some((point, (scenario, measure))) = next else { return Progress::Done };
            let nth = point.runs.len() as u64;
            if nth >= self.result.seeds {
                return Progress::Done;
            }
            let seed = scenario.seed.wrapping_add(nth);
            let world = self.world.get_or_insert_with(|| World::new(&Scenario { seed, ..scenario.clone() }));
            let before = world.events();
            let ended = world.run(scenario.until_us(), left) == Progress::Done;
            // Setting out on a run costs about as much as some events.
            left = left.saturating_sub((world.events() - before).max(100));
            if ended {
                let value = measure.of(world);
                let run = Run { seed: Some(seed), ..with(&self.run, &self.place, &point.value) };
                point.add(SweptRun { seed, value, link: address(&run, 0) });
                self.world = None;
            }
            if left == 0 {
                return Progress::More;
            }
        }
    }
}

/// The run with one setting more.
fn with(run: &Run, place: &str, value: &str) -> Run {
    let mut run = run.clone();
    run.sets.retain(|(known, _)| known != place);
    run.sets.push((place.to_owned(), value.to_owned()));
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_goes_from_one_end_to_the_other() {
        let check = |form, from: &str, to: &str, points, expect: &str| {
            assert_eq!(spaced(form, from, to, points).map(|values| values.join(" ")), Ok(expect.to_owned()));
        };
        check(Form::Duration, "10s", "60s", 6, "10s 20s 30s 40s 50s 1m");
        check(Form::Duration, "0", "1s", 3, "0s 500ms 1s");
        check(Form::Share, "10%", "0%", 3, "10% 5% 0%");
        check(Form::Rate, "1/s", "2/s", 3, "1/s 1.5/s 2/s");
        check(Form::Count, "1", "3", 9, "1 2 3");
        assert_eq!(spaced(Form::Flag, "a", "b", 2).unwrap_err(), "this setting has no numbers to go through: name its values");
    }

    #[test]
    fn quartiles_are_those_of_actual_runs() {
        let mut point = SweptPoint { value: String::new(), median: 0, min: 0, max: 0, q1: 0, q3: 0, runs: Vec::new() };
        let mut check = |value, expect| {
            point.add(SweptRun { seed: 0, value, link: String::new() });
            assert_eq!((point.min, point.q1, point.median, point.q3, point.max), expect);
        };
        check(8, (8, 8, 8, 8, 8));
        check(2, (2, 2, 2, 8, 8));
        check(4, (2, 2, 4, 8, 8));
        check(6, (2, 2, 4, 6, 8));
        check(9, (2, 4, 6, 8, 9));
    }
}
