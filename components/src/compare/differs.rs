//! Where two runs differ now, part by part, in words.

use redrive::compare::Side;
use redrive::scenario::gauges::gauges;
use redrive::view::{PartView, StageView};

use super::reel::Pair;

/// A part where something differs now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// Its id.
    pub part: String,
    /// Its name.
    pub title: String,
    /// What differs: its name, and what it is in each run, by seat.
    pub rows: Vec<(&'static str, [String; 2])>,
}

/// Said of a part or gauge that one of them has not got.
const NONE: &str = "none";

/// What differs now: parts that are in trouble in one of them only, and gauges. `stages` are by seat.
#[must_use]
pub fn parts(pair: &Pair, stages: [&StageView; 2]) -> Vec<Differs> {
    let worlds = [0, 1].map(|seat| pair.both.world(pair.side(seat)));
    let gauged = pair.both.differences().parts;
    let other = stages[1].parts.iter().filter(|part| stages[0].parts.iter().all(|known| known.id != part.id));
    let mut found = Vec::new();
    for part in stages[0].parts.iter().chain(other) {
        let states = stages.map(|stage| {
            let own = stage.parts.iter().find(|own| own.id == part.id);
            own.map_or_else(|| NONE.to_owned(), |own| own.badge.clone().unwrap_or_else(|| "in order".to_owned()))
        });
        let mut rows = Vec::new();
        if states[0] != states[1] {
            rows.push(("state", states));
        }
        let spec = worlds.iter().find_map(|world| world.scenario().parts.get(&part.id));
        let table = spec.map_or(&[][..], |spec| gauges(&spec.kind));
        let own = gauged.iter().filter(|gauged| gauged.part == part.id).flat_map(|gauged| &gauged.gauges);
        for gauge in own.filter(|gauge| gauge.left != gauge.right) {
            let Some(known) = table.iter().find(|known| known.name == gauge.gauge) else { continue };
            let texts = [0, 1].map(|seat| {
                let value = if pair.side(seat) == Side::Left { gauge.left } else { gauge.right };
                value.map_or_else(|| NONE.to_owned(), |value| known.unit.spoken(value))
            });
            // Two values may differ and read the same: nobody could tell.
            if texts[0] != texts[1] {
                rows.push((known.title, texts));
            }
        }
        if !rows.is_empty() {
            found.push(Differs { part: part.id.clone(), title: part.title.clone(), rows });
        }
    }
    found
}

/// What is said of a part that is drawn for the run in a seat: `Differs: lag 41 s, in the other run 0.`
#[must_use]
pub fn said(differs: &Differs, seat: usize) -> String {
    let mut says = String::from(" Differs: ");
    for (place, (title, texts)) in differs.rows.iter().enumerate() {
        if place > 0 {
            says.push_str("; ");
        }
        says.push_str(&[title, " ", &texts[seat], ", in the other run ", &texts[1 - seat]].concat());
    }
    says.push('.');
    says
}

/// What differs at a part, if anything does.
#[must_use]
pub fn at<'a>(all: &'a [Differs], part: &PartView) -> Option<&'a Differs> {
    all.iter().find(|differs| differs.part == part.id)
}
