//! The tried runs as a table: a row for each part and step that was struck, with how its runs ended.

use serde::Serialize;

use super::found::Outcomes;
use super::places::{part_id, word};
use super::properties::Harm;
use crate::scenario::Scenario;
use crate::world::{Boundary, Point};

/// One tried run in few words: where it was struck and what went wrong. Its link is made when someone wants it:
/// [`struck`](super::places::struck).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The fault.
    pub first: Boundary,
    /// The second, where two strike together.
    pub second: Option<Boundary>,
    /// Facts that were harmed, over all effects.
    pub harm: Harm,
}

/// How the runs ended that were struck at one step of one part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Id of the part.
    pub part: String,
    /// The step that had just been done; `lost-ack` or `lost-answer` for a word that was lost.
    pub step: &'static str,
    /// How many runs.
    pub tried: u64,
    /// How they ended.
    pub outcomes: Outcomes,
    /// Number of the part, and what was struck.
    #[serde(skip)]
    pub place: (u16, Point),
}

impl Outcomes {
    /// Counts one more run.
    pub(super) fn add(&mut self, harm: Harm) {
        self.clean += u64::from(harm == Harm::default());
        self.lost += u64::from(harm.lost > 0);
        self.twice += u64::from(harm.twice > 0);
        self.late += u64::from(harm.late > 0);
        self.out_of_order += u64::from(harm.out_of_order > 0);
    }
}

/// The rows of these runs, in the order of parts and their steps.
#[must_use]
pub fn rows(scenario: &Scenario, attempts: &[Attempt]) -> Vec<Row> {
    let mut table = Vec::new();
    for attempt in attempts {
        count(&mut table, scenario, attempt);
    }
    table
}

/// Counts a run in its row.
pub(super) fn count(table: &mut Vec<Row>, scenario: &Scenario, attempt: &Attempt) {
    let place = (attempt.first.part, attempt.first.point);
    let at = table.partition_point(|row| row.place < place);
    if table.get(at).is_none_or(|row| row.place != place) {
        let (part, step) = (part_id(scenario, place.0), word(place.1));
        table.insert(at, Row { part, step, tried: 0, outcomes: Outcomes::default(), place });
    }
    if let Some(row) = table.get_mut(at) {
        row.tried += 1;
        row.outcomes.add(attempt.harm);
    }
}
