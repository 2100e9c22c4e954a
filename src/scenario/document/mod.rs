//! From the text of a document to a checked [`Scenario`]: every fault at once, each with its place and what is allowed.

pub mod header;
mod json;
mod parts;
mod plan;
mod reader;
pub mod switches;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::links::{self, effects};
use super::refusals;
use super::{Faults, Scenario, SwitchSpec};
use header::Header;
use reader::Reader;

pub use super::verbs::{check_command, commands_for, crash_steps};
pub use json::MAX_BYTES;
pub use parts::{MAX_CELL, MAX_PARTS};

/// The most different effects that a scenario may count.
pub const MAX_EFFECTS: usize = 8;

/// The fields of a document that the header's table does not list, in the order in which people write them.
const OTHER_FIELDS: [&str; 9] = ["$schema", "redrive", "parts", "breaks", "alerts", "cures", "switches", "properties", "ask"];

/// Reads a document with the settings of `--set` in force.
///
/// # Errors
/// Every fault that was found, never none.
pub fn read(id: &str, text: &str, sets: &[(String, String)]) -> Result<Scenario, Faults> {
    let value = json::parse(text)?;
    let mut reader = Reader::default();
    let shape = "an object like {\"redrive\": 1, \"parts\": {…}}";
    let scenario = reader.object("", &value, shape).cloned().and_then(|fields| whole(&mut reader, id, fields, sets));
    reader.finish()?;
    // A reader without faults has read a scenario; the other case is said all the same.
    scenario.ok_or_else(|| Faults(vec![super::Fault::new("", "the document could not be read", shape)]))
}

/// Reads the document in every combination of its switches, so that a fault in a choice nobody has taken shows too. Beyond
/// 64 combinations only each choice on its own is tried.
///
/// # Errors
/// The faults of the first combination that has any; where it is not the default one, each says which.
pub fn read_every_choice(id: &str, text: &str, sets: &[(String, String)]) -> Result<Scenario, Faults> {
    let scenario = read(id, text, sets)?;
    for choice in combinations(&scenario.switches) {
        let named: Vec<(String, String)> =
            choice.iter().map(|(name, word)| (format!("{}.{name}", switches::LAB), (*word).to_owned())).collect();
        let all: Vec<(String, String)> = named.iter().chain(sets).cloned().collect();
        read(id, text, &all).map_err(|faults| {
            let with = named.iter().map(|(place, word)| format!("{place}={word}")).collect::<Vec<_>>().join(" ");
            Faults(
                faults
                    .0
                    .into_iter()
                    .map(|fault| super::Fault { wrong: format!("{} (with {with})", fault.wrong), ..fault })
                    .collect(),
            )
        })?;
    }
    Ok(scenario)
}

/// Every combination of the choices, or every choice on its own where these are too many.
fn combinations(switches: &IndexMap<String, SwitchSpec>) -> Vec<Vec<(&str, &str)>> {
    let total = switches.values().map(|switch| switch.choices.len() as u64).product::<u64>();
    if total > 64 {
        return switches
            .iter()
            .flat_map(|(name, switch)| switch.choices.iter().map(move |(word, _)| vec![(name.as_str(), word.as_str())]))
            .collect();
    }
    switches.iter().fold(vec![Vec::new()], |all, (name, switch)| {
        all.iter()
            .flat_map(|front: &Vec<(&str, &str)>| {
                switch.choices.iter().map(move |(word, _)| {
                    let mut longer = front.clone();
                    longer.push((name.as_str(), word.as_str()));
                    longer
                })
            })
            .collect()
    })
}

/// Reads the whole document; `None` only where nothing more can be said about it.
fn whole(reader: &mut Reader, id: &str, mut fields: Map<String, Value>, sets: &[(String, String)]) -> Option<Scenario> {
    if !header::version(reader, &fields) {
        return None;
    }
    let switches = switches::apply(reader, &mut fields, sets);
    let planned = switches::planned(&mut fields, switches.contains_key(switches::PLANNED), sets);
    let names: Vec<&str> = Header::TABLE.iter().map(|row| row.name).chain(OTHER_FIELDS).collect();
    reader.only("", &fields, "a scenario", &names);
    let header = Header::read(reader, &fields, id);
    let mut parts = parts::read(reader, &fields);
    parts::set(reader, &mut parts, sets);
    parts::client_defaults(&fields, &mut parts, sets);
    let parts::Parts { read: parts, unread } = parts;
    for (part_id, spec) in &parts {
        let place = |setting: &str| match sets.iter().any(|(place, _)| place.split_once('.') == Some((part_id, setting))) {
            true => format!("set {part_id}.{setting}"),
            false => format!("{}.{setting}", reader::below("parts", part_id)),
        };
        let linked = links::check(&parts, part_id, &spec.kind, &unread, place);
        for fault in linked.into_iter().chain(refusals::idempotence(&parts, &spec.kind, place)) {
            reader.push(fault);
        }
    }
    let counted = effects(&parts).len();
    if counted > MAX_EFFECTS {
        reader.fault(
            "parts",
            format!("{counted} different effects are counted"),
            format!("at most {MAX_EFFECTS}: give some workers the same `effect`"),
        );
    }
    let mut scenario = Scenario {
        id: id.to_owned(),
        title: header.title,
        summary: header.summary,
        group: header.group,
        seed: header.seed,
        until: header.until,
        sample: header.sample,
        speed_milli: header.speed.0,
        parts,
        breaks: Vec::new(),
        alerts: Vec::new(),
        cures: Vec::new(),
        switches,
        planned,
        properties: Vec::new(),
        ask: None,
    };
    plan::read(reader, &fields, &mut scenario, &unread, sets);
    Some(scenario)
}
