//! What is tried: which faults, at which parts, how many at once.

use serde::Serialize;

use crate::command::{Command, Timed};
use crate::run::Run;
use crate::scenario::nearest::known;
use crate::scenario::{Fault, Kind, Scenario};
use crate::world::{Boundary, Point, Wanted};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A process dies between two steps.
    Crash,
    /// What a worker acknowledges or commits does not arrive.
    LostAck,
    /// What a broker confirms to a publisher does not arrive.
    LostAnswer,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Crash, Self::LostAck, Self::LostAnswer];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::LostAck => "lost-ack",
            Self::LostAnswer => "lost-answer",
        }
    }

    /// Whether it can strike this kind of part.
    #[must_use]
    pub fn strikes(self, kind: &Kind) -> bool {
        match self {
            Self::Crash => !crate::scenario::verbs::crash_steps(kind).is_empty(),
            Self::LostAck => matches!(kind, Kind::Worker(_)),
            Self::LostAnswer => matches!(kind, Kind::Queue(_) | Kind::Log(_)),
        }
    }
}

/// What an exploration tries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The kinds of fault.
    pub faults: Vec<FaultKind>,
    /// Ids of the parts that they strike; empty means all.
    pub parts: Vec<String>,
    /// How many faults a run has at most: 1 or 2.
    pub together: u8,
    /// At most so many runs, spread evenly over the places; none takes as many as a few minutes hold.
    pub most: Option<u64>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { faults: vec![FaultKind::Crash], parts: Vec::new(), together: 1, most: None }
    }
}

impl Plan {
    /// Which places to note.
    ///
    /// # Errors
    /// A part that does not exist, or at which none of the faults can strike.
    pub(super) fn wanted(&self, scenario: &Scenario) -> Result<Wanted, Fault> {
        let struck = |kind: &Kind| self.faults.iter().any(|fault| fault.strikes(kind));
        let mut parts = 0;
        for id in &self.parts {
            let can = || scenario.parts.iter().filter(|(_, spec)| struck(&spec.kind)).map(|(id, _)| id.as_str());
            match scenario.parts.get_full(id) {
                None => return Err(Fault::new("part", format!("there is no part `{id}`"), known(id, can()))),
                Some((_, _, spec)) if !struck(&spec.kind) => {
                    let word = spec.kind.word();
                    return Err(Fault::new(
                        "part",
                        format!("none of these faults strikes `{id}`: it is a {word}"),
                        known(id, can()),
                    ));
                }
                Some((index, ..)) => parts |= 1 << index,
            }
        }
        Ok(Wanted {
            parts: if self.parts.is_empty() { u64::MAX } else { parts },
            steps: self.faults.contains(&FaultKind::Crash),
            acks: self.faults.contains(&FaultKind::LostAck),
            answers: self.faults.contains(&FaultKind::LostAnswer),
        })
    }
}

/// The id of a part by its number.
pub(super) fn part_id(scenario: &Scenario, part: u16) -> String {
    scenario.parts.get_index(usize::from(part)).map(|(id, _)| id.clone()).unwrap_or_default()
}

/// The command that makes the fault of a place.
pub(super) fn command(scenario: &Scenario, place: Boundary) -> Timed {
    let id = part_id(scenario, place.part);
    let command = match place.point {
        Point::Step(step) => Command::Crash(id, Some(step)),
        Point::Ack | Point::Answer => Command::LoseAcks(id, 1),
    };
    Timed { at_us: place.at_us, command }
}

/// A run with a fault or two more. `scenario` is the run's own.
#[must_use]
pub fn struck(run: &Run, scenario: &Scenario, first: Option<Boundary>, second: Option<Boundary>) -> Run {
    let mut run = run.clone();
    run.commands.extend([first, second].into_iter().flatten().map(|place| command(scenario, place)));
    run.commands.sort_by_key(|timed| timed.at_us);
    run
}

/// The word for where a process is when it dies, or for what is lost.
#[must_use]
pub fn word(point: Point) -> &'static str {
    match point {
        Point::Step(step) => step.word(),
        Point::Ack => FaultKind::LostAck.word(),
        Point::Answer => FaultKind::LostAnswer.word(),
    }
}

/// At most so many places of these, evenly spread.
pub(super) fn spread(places: Vec<Boundary>, most: u64) -> Vec<Boundary> {
    let count = places.len() as u64;
    if count <= most {
        return places;
    }
    (0..most).filter_map(|index| places.get((index * count / most) as usize).copied()).collect()
}
