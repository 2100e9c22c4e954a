//! What differs between two runs, in the panels: a sentence, then verdicts, counts, findings, alerts and gauges, a column
//! for each run. What differs is marked.

use leptos::prelude::*;
use redrive::sim::time::clock;
use redrive::view::{FindingView, PanelsView};

use super::Beside;
use super::seat::SEATS;
use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::panels::users::waffle;
use crate::stage::level_word;
use crate::versus::figures::{Figures, Reads, lines, told};

/// The columns of a table whose rows have names.
const NAMED: [&str; 3] = ["", SEATS[0], SEATS[1]];
/// Most gauges that are listed.
const MOST: usize = 40;

/// The sentence that tells the difference: `B: 312 fewer late. The first alert comes 4.0 s later.`
#[must_use]
pub fn sentence(beside: &Beside, shown: &PanelsView) -> String {
    let [first, second] = beside.in_seats(shown).map(Figures::of);
    [SEATS[1], " against ", SEATS[0], ": ", &told(&first, &second)].concat()
}

/// A section of the comparison; empty where there is one run.
fn section(lab: Lab, id: &'static str, title: &'static str, rows: fn(Lab, &Beside, [&PanelsView; 2]) -> Vec<Node>) -> Node {
    let label = [id, "-title"].concat();
    let content = slot(move || {
        let Some(beside) = lab.beside.get() else { return Vec::new() };
        let shown = lab.shown.get();
        rows(lab, &beside, beside.in_seats(&shown.panels))
    });
    el("section")
        .class("two")
        .attr("id", id)
        .attr("aria-labelledby", label.clone())
        .with(el("h2").attr("id", label).says(title))
        .with(content)
}

/// The sections of the comparison.
#[must_use]
pub fn sections(lab: Lab) -> Vec<Node> {
    vec![
        section(lab, "two-users", "What users see, in both", users),
        section(lab, "two-breaks", "What breaks, in both", |lab, _, panels| vec![findings(lab, panels)]),
        section(lab, "two-notice", "How you notice, in both", |lab, _, panels| vec![alerts(lab, panels)]),
        section(lab, "two-parts", "What differs now", |_, beside, _| parts(beside)),
    ]
}

fn users(lab: Lab, beside: &Beside, panels: [&PanelsView; 2]) -> Vec<Node> {
    let [first, second] = panels.map(Figures::of);
    let mut nodes = vec![el("p").attr("id", "two-told").says(sentence(beside, panels[beside.own]))];
    nodes.push(moments(lab, beside));
    let columns = [0, 1].map(|seat| {
        let users = &panels[seat].users;
        let harm = el("em").says(users.harm.clone());
        el("div")
            .class("column")
            .attr("data-seat", SEATS[seat])
            .with(el("h3").says([SEATS[seat], " · ", &beside.names[seat]].concat()))
            .with(el("p").class("verdict").says(users.verdict.clone() + " ").with(harm).says(users.tail.clone()))
            .with(waffle(users))
    });
    nodes.push(el("div").class("columns").with_all(columns));
    let some = lines(&first, &second).into_iter().filter(|(_, was, is, _)| was != "0" || is != "0");
    let rows = some.map(|(title, was, is, reads)| {
        let look = match reads {
            Reads::Same => "",
            Reads::Other => "differs",
            Reads::Worse => "differs harm",
        };
        row(title, [was, is], [None, None], lab).class(look)
    });
    nodes.push(table("Counted", &NAMED, rows.collect()));
    nodes
}

/// Where they part, as places to go to.
fn moments(lab: Lab, beside: &Beside) -> Node {
    let go = |id: &'static str, says: &str, at_us: u64| {
        button("btn", [says, &clock(at_us)].concat()).attr("id", id).press(move || lab.travel(at_us))
    };
    let fork = beside.fork_us.filter(|fork_us| *fork_us > 0).map(|at_us| go("two-fork", "Fork at ", at_us));
    let first = beside.differs_us.map(|at_us| go("two-differs", "First difference at ", at_us));
    let none = first.is_none().then(|| el("span").class("soft").says("No difference so far."));
    let lines = ["On the track: ", SEATS[beside.own], " drawn through, ", SEATS[1 - beside.own], " dotted"].concat();
    let lines = el("span").class("soft").says(lines);
    el("div").class("offers").with_all(fork).with_all(first).with_all(none).with(lines)
}

/// A table with a column for each run.
fn table(title: &'static str, columns: &[&'static str], rows: Vec<Node>) -> Node {
    let head =
        columns.iter().copied().map(|title| if title.is_empty() { el("td") } else { el("th").attr("scope", "col").says(title) });
    el("table").attr("aria-label", title).with(el("thead").with(el("tr").with_all(head))).with(el("tbody").with_all(rows))
}

/// A row: what it is about, and what it is in each run; a cell with a moment goes there.
fn row(title: &str, texts: [String; 2], moments: [Option<u64>; 2], lab: Lab) -> Node {
    let mut row = el("tr").with(el("th").attr("scope", "row").says(title));
    for (text, at_us) in texts.into_iter().zip(moments) {
        row = row.with(match at_us {
            Some(at_us) => el("td").with(button("link", text).press(move || lab.travel(at_us))),
            None => el("td").says(text),
        });
    }
    row
}

/// One row for what both have, and one for what only one of them has.
fn both_or_one(lab: Lab, all: [Vec<(&str, u64)>; 2], never: &str) -> Vec<Node> {
    let own = |seat: usize, text: &str| all[seat].iter().find(|known| known.0 == text).map(|known| known.1);
    let only = all[1].iter().filter(|known| own(0, known.0).is_none());
    let rows = all[0].iter().chain(only).map(|(text, _)| {
        let moments = [own(0, text), own(1, text)];
        let texts = moments.map(|at_us| at_us.map_or_else(|| never.to_owned(), clock));
        let look = if texts[0] == texts[1] { "" } else { "differs" };
        row(text, texts, moments, lab).class(look)
    });
    rows.collect()
}

/// Findings of one kind at one part, beside each other: their words carry counts of their own.
fn findings(lab: Lab, panels: [&PanelsView; 2]) -> Node {
    let same = |one: &FindingView, other: &FindingView| {
        let part = |found: &FindingView| found.text.split(':').next().map(str::to_owned);
        one.why == other.why && part(one) == part(other)
    };
    let of = |seat: usize, found: &FindingView| panels[seat].findings.iter().find(|other| same(found, other));
    let only = panels[1].findings.iter().filter(|found| of(0, found).is_none());
    let rows: Vec<Node> = (panels[0].findings.iter().chain(only))
        .map(|found| {
            let both = [of(0, found), of(1, found)];
            let alike =
                both[0].zip(both[1]).is_some_and(|(first, second)| first.text == second.text && first.at_us == second.at_us);
            let cells = both.map(|found| match found {
                None => el("td").class("soft").says("not found"),
                Some(found) => {
                    let at_us = found.at_us;
                    let dot = el("span").class(["dot ", level_word(found.level)].concat()).attr("aria-hidden", "true");
                    let time = button("link", clock(at_us)).press(move || lab.travel(at_us));
                    el("td").with(dot).says([" ", &found.text, " "].concat()).with(time)
                }
            });
            el("tr").class(if alike { "" } else { "differs" }).with_all(cells)
        })
        .collect();
    if rows.is_empty() {
        return el("p").class("sub").says("Nothing is broken in either.");
    }
    table("What breaks in each run", &SEATS, rows).class("halves")
}

fn alerts(lab: Lab, panels: [&PanelsView; 2]) -> Node {
    // A rule that fired more than once is listed with its first.
    let fired = panels.map(|panels| {
        let mut fired: Vec<(&str, u64)> = Vec::new();
        for (text, at_us) in panels.alerts.iter().filter_map(|alert| Some((alert.text.as_str(), alert.at_us?))) {
            if fired.iter().all(|known| known.0 != text) {
                fired.push((text, at_us));
            }
        }
        fired
    });
    let rows = both_or_one(lab, fired, "silent");
    if rows.is_empty() {
        return el("p").class("sub").says("No rule has fired in either.");
    }
    table("When each rule fired first", &NAMED, rows)
}

fn parts(beside: &Beside) -> Vec<Node> {
    let mut rows = Vec::new();
    for differs in &beside.parts {
        for (title, [first, second]) in &differs.rows {
            let head = el("th").attr("scope", "row").with(el("b").says(differs.title.clone())).says([" ", *title].concat());
            rows.push(
                el("tr")
                    .class("differs")
                    .attr("data-part-row", differs.part.clone())
                    .with(head)
                    .with(el("td").says(first.clone()))
                    .with(el("td").says(second.clone())),
            );
        }
    }
    if rows.is_empty() {
        return vec![el("p").class("sub").says("At this moment every part is the same in both.")];
    }
    rows.truncate(MOST);
    vec![table("Gauges that differ", &NAMED, rows)]
}
