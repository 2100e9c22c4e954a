//! Places where a fault can strike, noted as a run passes them: for exploring every crash.

use super::World;
use crate::command::CrashStep;
use crate::scenario::verbs::crash_steps;
use crate::sim::Timestamp;

/// What is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// A process has done this step and not yet what follows: it can die.
    Step(CrashStep),
    /// A worker acknowledges or commits: its word can be lost.
    Ack,
    /// A broker confirms to whoever published: its answer can be lost.
    Answer,
}

/// A place, as it was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Boundary {
    /// When.
    pub at_us: Timestamp,
    /// The part.
    pub part: u16,
    /// What.
    pub point: Point,
}

/// Which places are noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// A bit for each part.
    pub parts: u64,
    /// Steps after which a process can die.
    pub steps: bool,
    /// Acknowledgements.
    pub acks: bool,
    /// Confirmations.
    pub answers: bool,
}

impl Wanted {
    fn has(self, boundary: &Boundary) -> bool {
        let kind = match boundary.point {
            Point::Step(_) => self.steps,
            Point::Ack => self.acks,
            Point::Answer => self.answers,
        };
        kind && self.parts >> (boundary.part % 64) & 1 == 1
    }
}

/// The places passed so far. What happens twice at one part in one moment is one place.
#[derive(Clone, Debug)]
pub struct Boundaries {
    wanted: Wanted,
    list: Vec<Boundary>,
    /// Those of the newest moment.
    moment: Vec<Boundary>,
    /// How many different ones were passed.
    passed: u64,
    /// Only every so many-th is kept.
    every: u64,
}

/// More places than this are thinned out evenly.
const MOST_BOUNDARIES: usize = 1 << 16;

impl Boundaries {
    /// None yet.
    #[must_use]
    pub fn new(wanted: Wanted) -> Self {
        Self { wanted, list: Vec::new(), moment: Vec::new(), passed: 0, every: 1 }
    }

    fn add(&mut self, boundary: Boundary) {
        if self.moment.first().is_some_and(|known| known.at_us != boundary.at_us) {
            self.moment.clear();
        }
        if !self.wanted.has(&boundary) || self.moment.contains(&boundary) {
            return;
        }
        self.moment.push(boundary);
        if self.list.len() == MOST_BOUNDARIES {
            let mut index = 0_u64;
            self.list.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.every *= 2;
        }
        if self.passed.is_multiple_of(self.every) {
            self.list.push(boundary);
        }
        self.passed += 1;
    }

    /// How many were passed.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// Those that were kept, in order of time, then part, then point.
    #[must_use]
    pub fn in_order(mut self) -> Vec<Boundary> {
        self.list.sort_unstable();
        self.list
    }
}

impl World {
    /// Starts to note the places that are passed.
    pub fn log_boundaries(&mut self, wanted: Wanted) {
        self.boundary_log = Some(Boundaries::new(wanted));
    }

    /// Takes what was noted, and notes no more.
    pub fn take_boundaries(&mut self) -> Option<Boundaries> {
        self.boundary_log.take()
    }

    /// Notes a place, while someone wants to know.
    #[inline]
    pub(crate) fn passes(&mut self, part: u16, point: Point) {
        if let Some(log) = &mut self.boundary_log {
            log.add(Boundary { at_us: self.now_us, part, point });
        }
    }

    /// A step of a part is done and the next has not begun. True when the process is to crash right here.
    #[inline]
    pub(crate) fn boundary(&mut self, part: u16, step: CrashStep) -> bool {
        if self.boundary_log.is_some() && self.crash_steps(part).contains(&step) {
            self.passes(part, Point::Step(step));
        }
        let health = &mut self.parts[usize::from(part)].health;
        if health.crash_at == Some(step) {
            health.crash_at = None;
            return true;
        }
        false
    }

    /// The steps between which a part of this kind can crash.
    #[must_use]
    pub fn crash_steps(&self, part: u16) -> &'static [CrashStep] {
        self.scenario.parts.get_index(usize::from(part)).map_or(&[], |(_, spec)| crash_steps(&spec.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_thinned_evenly_and_counted_all() {
        let mut log = Boundaries::new(Wanted { parts: 0b10, steps: true, acks: false, answers: false });
        let most = 3 * MOST_BOUNDARIES as u64;
        for at_us in 0..most {
            for part in [0, 1, 1] {
                log.add(Boundary { at_us, part, point: Point::Step(CrashStep::Worked) });
            }
            log.add(Boundary { at_us, part: 1, point: Point::Ack });
        }
        assert_eq!((log.passed(), log.every), (most, 4));
        let at: Vec<u64> = log.in_order().iter().map(|boundary| boundary.at_us).collect();
        assert!(at.iter().copied().eq((0..most).step_by(4)), "{} kept", at.len());
    }
}
