//! How consumers are: healthy, degraded or down, each by a named rule over the gauges that an operator has.
//!
//! The worst rule that holds, the first in the order of [`Sign`], gives the verdict. It gets worse at once and better only
//! after ten seconds without, so that one who comes and goes is told once. Nothing here looks at what only the ledger knows:
//! a consumer whose work takes effect twice may well be healthy.

use crate::scenario::gauges::{Unit, gauges};
use crate::scenario::{Kind, Scenario};
use crate::sim::Timestamp;
use crate::sim::time::{SECOND_US, grouped, spoken};
use crate::view::Level;

/// How a consumer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It does its work as fast as it comes.
    Healthy,
    /// It works, and worse than it should: someone should look.
    Degraded,
    /// What comes is not done, or about to be lost.
    Down,
}

/// What a verdict is given for, the worst first. Each has the gauge's value that it was given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// No process runs.
    NobodyRuns,
    /// What it would read next has been stored for 95% of the retention or more: it is about to be dropped, or others were.
    PastRetention,
    /// Half of its work or more fails.
    MostFails,
    /// Something waits, and for 30 s nothing has been done.
    StandsStill,
    /// Half of the retention is gone since what it would read next was stored.
    RetentionShrinks,
    /// More than 5% of its work fails.
    SomeFails,
    /// More than 5% of what it gets was given out before.
    GetsAgain,
    /// It is more than 10 s behind.
    Behind,
    /// Some of its processes do not run.
    SomeCrashed,
    /// None of these.
    KeepsUp,
}

/// A stretch of time with one verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// How it was.
    pub verdict: Verdict,
    /// For what.
    pub sign: Sign,
    /// The highest value of that sign's gauge.
    pub value: u64,
    /// Since when.
    pub from_us: Timestamp,
    /// Until when; none while it lasts.
    pub to_us: Option<Timestamp>,
}

/// How one consumer is and was.
#[derive(Clone, Debug)]
pub struct Consumer {
    /// Index of its part.
    pub part: u16,
    /// Every verdict in turn; the last one lasts. Of more than [`MOST_STRETCHES`] the oldest ones are forgotten.
    pub stretches: Vec<Stretch>,
    /// When something was done last.
    done_us: Timestamp,
    /// Since when a better sign than the one in force is given.
    better_since_us: Option<Timestamp>,
}

/// So many verdicts of a consumer are kept.
pub const MOST_STRETCHES: usize = 64;

const LOSING_PPM: u64 = 950_000;
const HALF_PPM: u64 = 500_000;
const SOME_PPM: u64 = 50_000;
const STILL_US: u64 = 30 * SECOND_US;
const BEHIND_US: u64 = 10 * SECOND_US;
const BETTER_AFTER_US: u64 = 10 * SECOND_US;

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Degraded => "degraded",
            Self::Down => "down",
        }
    }

    /// How it is to be read.
    #[must_use]
    pub fn level(self) -> Level {
        match self {
            Self::Healthy => Level::Good,
            Self::Degraded => Level::Warn,
            Self::Down => Level::Bad,
        }
    }
}

impl Sign {
    /// The verdict that it leads to.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            Self::NobodyRuns | Self::PastRetention | Self::MostFails | Self::StandsStill => Verdict::Down,
            Self::RetentionShrinks | Self::SomeFails | Self::GetsAgain | Self::Behind | Self::SomeCrashed => Verdict::Degraded,
            Self::KeepsUp => Verdict::Healthy,
        }
    }

    /// Its name in a report.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NobodyRuns => "nobody-runs",
            Self::PastRetention => "past-retention",
            Self::MostFails => "most-fails",
            Self::StandsStill => "stands-still",
            Self::RetentionShrinks => "retention-shrinks",
            Self::SomeFails => "some-fails",
            Self::GetsAgain => "gets-again",
            Self::Behind => "behind",
            Self::SomeCrashed => "some-crashed",
            Self::KeepsUp => "keeps-up",
        }
    }

    /// Why, in words and figures.
    #[must_use]
    pub fn why(self, value: u64) -> String {
        let share = || Unit::Share.spoken(value / 10_000 * 10_000);
        match self {
            Self::NobodyRuns => "no process runs".into(),
            Self::PastRetention => [&share(), " of the retention used: unread records are dropped"].concat(),
            Self::MostFails => [&share(), " of its work fails"].concat(),
            Self::StandsStill => ["nothing done for ", &spoken(value), " while messages wait"].concat(),
            Self::RetentionShrinks => [&share(), " of the retention used"].concat(),
            Self::SomeFails => [&share(), " of its work fails"].concat(),
            Self::GetsAgain => [&share(), " of what it gets was given out before"].concat(),
            Self::Behind => [&spoken(value), " behind"].concat(),
            Self::SomeCrashed => [&grouped(value), " of its processes crashed"].concat(),
            Self::KeepsUp => ["keeps up, ", &spoken(value), " behind at most"].concat(),
        }
    }
}

/// The gauges that are looked at.
struct Seen {
    running: u64,
    crashed: u64,
    done: u64,
    errors_ppm: u64,
    again_ppm: u64,
    lag: u64,
    lag_us: u64,
    retention_ppm: u64,
}

/// The sign that a consumer gives now, and its gauge.
fn sign(seen: &Seen, still_us: u64) -> (Sign, u64) {
    let signs = [
        (Sign::NobodyRuns, seen.running == 0, seen.crashed),
        (Sign::PastRetention, seen.retention_ppm >= LOSING_PPM, seen.retention_ppm),
        (Sign::MostFails, seen.errors_ppm >= HALF_PPM, seen.errors_ppm),
        (Sign::StandsStill, seen.lag > 0 && still_us >= STILL_US, still_us),
        (Sign::RetentionShrinks, seen.retention_ppm > HALF_PPM, seen.retention_ppm),
        (Sign::SomeFails, seen.errors_ppm > SOME_PPM, seen.errors_ppm),
        (Sign::GetsAgain, seen.again_ppm > SOME_PPM, seen.again_ppm),
        (Sign::Behind, seen.lag_us > BEHIND_US, seen.lag_us),
        (Sign::SomeCrashed, seen.crashed > 0, seen.crashed),
    ];
    signs.into_iter().find(|(_, holds, _)| *holds).map_or((Sign::KeepsUp, seen.lag_us), |(sign, _, value)| (sign, value))
}

/// The consumers of a scenario, all healthy.
#[must_use]
pub fn consumers(scenario: &Scenario) -> Vec<Consumer> {
    let workers = (0_u16..).zip(scenario.parts.values()).filter(|(_, part)| matches!(part.kind, Kind::Worker(_)));
    let well = Stretch { verdict: Verdict::Healthy, sign: Sign::KeepsUp, value: 0, from_us: 0, to_us: None };
    workers.map(|(part, _)| Consumer { part, stretches: vec![well], done_us: 0, better_since_us: None }).collect()
}

impl Consumer {
    /// Takes in the gauges of a sample, which `newest` reads by name.
    pub fn sampled(&mut self, now_us: Timestamp, newest: impl Fn(&str) -> u64) {
        let seen = Seen {
            running: newest("working") + newest("idle"),
            crashed: newest("crashed"),
            done: newest("done_per_s"),
            errors_ppm: newest("error_ppm"),
            again_ppm: newest("redelivered_ppm"),
            lag: newest("lag"),
            lag_us: newest("lag_us"),
            retention_ppm: newest("retention_ppm"),
        };
        if seen.done > 0 || seen.lag == 0 {
            self.done_us = now_us;
        }
        let (sign, value) = sign(&seen, now_us - self.done_us);
        let Some(last) = self.stretches.last_mut() else { return };
        if sign > last.sign {
            let since_us = *self.better_since_us.get_or_insert(now_us);
            if now_us - since_us >= BETTER_AFTER_US {
                self.turns(Stretch { verdict: sign.verdict(), sign, value, from_us: since_us, to_us: None });
            }
            return;
        }
        self.better_since_us = None;
        if sign == last.sign {
            last.value = last.value.max(value);
        } else {
            self.turns(Stretch { verdict: sign.verdict(), sign, value, from_us: now_us, to_us: None });
        }
    }

    /// Another sign is in force.
    fn turns(&mut self, stretch: Stretch) {
        self.better_since_us = None;
        if let Some(last) = self.stretches.last_mut() {
            last.to_us = Some(stretch.from_us);
            // A stretch without length never was.
            if last.from_us == stretch.from_us {
                self.stretches.pop();
            }
        }
        if self.stretches.len() == MOST_STRETCHES {
            self.stretches.remove(0);
        }
        self.stretches.push(stretch);
    }
}

/// The place of a gauge of workers by its name.
#[must_use]
pub fn place(scenario: &Scenario, part: u16, name: &str) -> Option<usize> {
    let (_, spec) = scenario.parts.get_index(usize::from(part))?;
    gauges(&spec.kind).iter().position(|gauge| gauge.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen() -> Seen {
        Seen { running: 4, crashed: 0, done: 50, errors_ppm: 0, again_ppm: 0, lag: 3, lag_us: 20_000, retention_ppm: 0 }
    }

    #[test]
    fn the_worst_rule_that_holds_gives_the_verdict() {
        let check = |seen: Seen, still_us: u64, expect: Sign, why: &str| {
            let (sign, value) = sign(&seen, still_us);
            assert_eq!((sign, sign.why(value).as_str()), (expect, why));
        };
        check(seen(), 0, Sign::KeepsUp, "keeps up, 20 ms behind at most");
        check(Seen { lag_us: 12_300_000, ..seen() }, 0, Sign::Behind, "12.3 s behind");
        check(Seen { lag_us: 12_300_000, errors_ppm: 60_000, ..seen() }, 0, Sign::SomeFails, "6% of its work fails");
        check(Seen { crashed: 1, running: 3, ..seen() }, 0, Sign::SomeCrashed, "1 of its processes crashed");
        check(Seen { again_ppm: 210_000, ..seen() }, 0, Sign::GetsAgain, "21% of what it gets was given out before");
        check(Seen { retention_ppm: 512_345, ..seen() }, 0, Sign::RetentionShrinks, "51% of the retention used");
        check(seen(), 31_000_000, Sign::StandsStill, "nothing done for 31.0 s while messages wait");
        check(Seen { errors_ppm: 800_000, ..seen() }, 31_000_000, Sign::MostFails, "80% of its work fails");
        let losing = Seen { retention_ppm: 990_000, errors_ppm: 800_000, ..seen() };
        check(losing, 0, Sign::PastRetention, "99% of the retention used: unread records are dropped");
        check(Seen { running: 0, crashed: 4, ..seen() }, 0, Sign::NobodyRuns, "no process runs");
    }
}
