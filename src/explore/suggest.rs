//! Sweeps that are worth a try: the settings of which everyone asks how large they should be, each against the figure that
//! it trades for.

use crate::scenario::kind::Kind;
use crate::scenario::links::dead_letter_queues;
use crate::scenario::{PartSpec, Scenario};
use crate::sim::Micros;

/// A sweep on offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What it asks, in words: `visibility timeout of Jobs against messages that took effect twice`.
    pub title: String,
    /// What is varied, as [`Vary::read`](super::Vary::read) takes it.
    pub vary: String,
    /// What is measured, as [`Measure::read`](super::Measure::read) takes it.
    pub measure: String,
}

/// At most so many.
const MOST: usize = 6;

/// The sweeps that suit a scenario.
#[must_use]
pub fn suggestions(scenario: &Scenario) -> Vec<Suggestion> {
    let mut all = Vec::new();
    let trays = dead_letter_queues(&scenario.parts);
    for (id, part) in &scenario.parts {
        let mut offer = |what: &str, range: &str, against: &str, measure: String| {
            let title = [what, " of ", &part.title, " against ", against].concat();
            all.push(Suggestion { title, vary: [id, ".", range].concat(), measure });
        };
        match &part.kind {
            Kind::Queue(settings) if !trays.contains(&id.as_str()) => {
                let step_us = round(settings.visibility_timeout.0.clamp(1_000_000, 600_000_000) / 6);
                let ends = [step_us, 12 * step_us].map(|us| Micros(us).to_string());
                let range = ["visibility_timeout=", &ends[0], "..", &ends[1], "/12"];
                offer("visibility timeout", &range.concat(), "messages that took effect twice", "facts.twice".into());
            }
            Kind::Log(settings) => {
                if let Some((reader, _)) = reader_of(scenario, id) {
                    let most = (settings.partitions.max(4) * 2).to_string();
                    let range = ["partitions=1..", &most, "/", &most.parse::<u32>().unwrap_or(8).min(8).to_string()].concat();
                    offer("partitions", &range, "the longest lag", ["parts.", reader, ".lag_us(max)"].concat());
                }
            }
            Kind::Worker(settings) => {
                if let Some(called) = settings.calls.id() {
                    let load = ["parts.", called, ".calls_per_s(max)"].concat();
                    offer("jitter", "jitter=false,true", "the peak load on what it calls", load);
                }
                offer("workers", "workers=1..8/8", "the longest lag", ["parts.", id, ".lag_us(max)"].concat());
            }
            _ => {}
        }
    }
    all.truncate(MOST);
    all
}

/// The next 1, 2 or 5 times a power of ten.
fn round(least: u64) -> u64 {
    let mut power = 1;
    loop {
        if let Some(step) = [1, 2, 5].into_iter().map(|step| step * power).find(|step| *step >= least) {
            return step;
        }
        power *= 10;
    }
}

/// Who reads a log, the first of them.
fn reader_of<'a>(scenario: &'a Scenario, log: &str) -> Option<(&'a String, &'a PartSpec)> {
    scenario.parts.iter().find(|(_, part)| matches!(&part.kind, Kind::Worker(worker) if worker.from.id() == Some(log)))
}
