//! The runs behind a count of the table, each with a link that opens it at the moment of its fault.

use leptos::prelude::*;
use redrive::command::CrashStep;
use redrive::explore::{Attempt, Harm, Outcomes, struck, word};
use redrive::scenario::Scenario;
use redrive::sim::time::clock;
use redrive::world::{Boundary, Point};

use super::crashes::stands_behind;
use super::{Found, address, grouped};
use crate::dom::{Node, button, el};

/// A column of the table: an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Everything once.
    Once,
    /// Something lost.
    Lost,
    /// Something twice.
    Twice,
    /// Something late.
    Late,
    /// Something out of order.
    OutOfOrder,
}

impl Column {
    /// All, in their order.
    pub const ALL: [Self; 5] = [Self::Once, Self::Lost, Self::Twice, Self::Late, Self::OutOfOrder];

    /// What it says.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Lost => "lost",
            Self::Twice => "twice",
            Self::Late => "late",
            Self::OutOfOrder => "out of order",
        }
    }

    /// Its count.
    #[must_use]
    pub fn read(self, outcomes: &Outcomes) -> u64 {
        match self {
            Self::Once => outcomes.clean,
            Self::Lost => outcomes.lost,
            Self::Twice => outcomes.twice,
            Self::Late => outcomes.late,
            Self::OutOfOrder => outcomes.out_of_order,
        }
    }

    /// Whether a run with this harm counts in it.
    #[must_use]
    pub fn has(self, harm: Harm) -> bool {
        match self {
            Self::Once => harm == Harm::default(),
            Self::Lost => harm.lost > 0,
            Self::Twice => harm.twice > 0,
            Self::Late => harm.late > 0,
            Self::OutOfOrder => harm.out_of_order > 0,
        }
    }
}

/// A count that the visitor wants to see the runs of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// Number of the part, and what was struck; none for all.
    pub place: Option<(u16, Point)>,
    /// The outcome.
    pub column: Column,
    /// The first run that is shown.
    pub from: usize,
}

/// Runs shown at once: each link is packed as it is shown.
const SHOWN: usize = 25;

/// A fault in words: `Relay dies at published`.
#[must_use]
pub fn fault(scenario: &Scenario, place: Boundary) -> String {
    let title = scenario.parts.get_index(usize::from(place.part)).map_or("", |(_, spec)| &spec.title);
    stricken(title, word(place.point))
}

/// What happens to a part, by its title and the word for what was struck; the verb of a command for what was not tried but
/// planned.
#[must_use]
pub fn stricken(title: &str, struck: &str) -> String {
    match struck {
        "lost-ack" => ["an acknowledgement of ", title, " is lost"].concat(),
        "lost-answer" => ["a confirmation of ", title, " is lost"].concat(),
        "none" => "nothing goes wrong".to_owned(),
        step if CrashStep::ALL.iter().any(|known| known.word() == step) => [title, " dies at ", step].concat(),
        verb => [verb, " ", title].concat(),
    }
}

fn harm(harm: Harm) -> String {
    let all = [(harm.lost, "lost"), (harm.twice, "twice"), (harm.late, "late"), (harm.out_of_order, "out of order")];
    let told: Vec<String> =
        all.iter().filter(|(count, _)| *count > 0).map(|(count, says)| [&grouped(*count), " ", *says].concat()).collect();
    if told.is_empty() { "everything once".to_owned() } else { told.join(", ") }
}

/// The list.
#[must_use]
pub fn runs(found: &Found, now: Picked, picked: RwSignal<Option<Picked>>) -> Vec<Node> {
    let all: Vec<&Attempt> = found.attempts.iter().filter(|attempt| stands_behind(attempt, now)).collect();
    let rows = all.iter().skip(now.from).take(SHOWN).map(|attempt| {
        let run = struck(&found.run, &found.scenario, Some(attempt.first), attempt.second);
        let mut says = fault(&found.scenario, attempt.first);
        if let Some(second) = attempt.second {
            says.push_str(&[", then ", &fault(&found.scenario, second), " at ", &clock(second.at_us)].concat());
        }
        el("li")
            .with(el("time").says(clock(attempt.first.at_us)))
            .with(el("a").attr("href", address(&run, attempt.first.at_us)).says(says))
            .with(el("span").class("soft").says(harm(attempt.harm)))
    });
    let rows: Vec<Node> = rows.collect();
    let last = now.from + rows.len();
    let whose = match now.place {
        Some((part, point)) => {
            let title = found.scenario.parts.get_index(usize::from(part)).map_or("", |(_, spec)| &spec.title);
            [title, " ", &word(point).replace('-', " ")].concat()
        }
        None => "all".to_owned(),
    };
    let head = ["Runs: ", &whose, ", ", now.column.title()].concat();
    let shown = [&grouped(now.from as u64 + 1), " to ", &grouped(last as u64), " of ", &grouped(all.len() as u64)].concat();
    let turn = |says: &'static str, from: Option<usize>| {
        let press = move || {
            if let Some(from) = from {
                picked.set(Some(Picked { from, ..now }));
            }
        };
        button("btn", says).attr_if("disabled", from.is_none().then(String::new)).press(press)
    };
    let pages = el("div")
        .class("offers")
        .with(turn("Earlier", now.from.checked_sub(SHOWN)))
        .with(turn("Later", (last < all.len()).then_some(last)))
        .with(el("span").class("soft").says(shown));
    let list = el("ol").class("log").attr("id", "crash-runs").attr("aria-label", head.clone()).with_all(rows);
    vec![el("h3").says(head), list, pages]
}
