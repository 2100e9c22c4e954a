//! A page of a list as a table, and what pages through it.

use leptos::prelude::*;
use redrive::observe::lists::{Fate, Which};
use redrive::sim::time::{clock, grouped};
use redrive::view::{MessageRow, PanelsView};

use super::{Asked, Listed, Search};
use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::panels::{COLUMNS, outcomes};
use crate::stage::level_word;
use crate::state::Selection;
use crate::ui::Ui;

/// The list that is asked for.
#[must_use]
pub fn table(lab: Lab, ui: Ui) -> Node {
    let messages = lab.messages;
    // What is listed is kept up with the run.
    Effect::new(move || {
        lab.shown.track();
        lab.search_again();
    });
    let told = slot(move || {
        let Some(asked) = messages.asked.get() else { return lists(lab) };
        let all = lab.shown.with_untracked(|shown| counted(&shown.panels, &asked.which));
        let says = messages.listed.with(|listed| told(listed, messages.begins.with(Vec::len), messages.search.get(), all));
        vec![el("p").attr("role", "status").attr("id", "found-told").with(el("b").says(asked.title)).says(says)]
    });
    let progress = slot(move || progress(lab));
    let rows = slot(move || {
        let parts: Vec<String> =
            lab.shown.with_untracked(|shown| shown.stage.parts.iter().map(|part| part.title.clone()).collect());
        messages.listed.with(|listed| {
            if listed.rows.is_empty() {
                return Vec::new();
            }
            let head = ["id", "key", "came", "what became of it", "when", "where"];
            let head = el("thead").with(el("tr").with_all(head.map(|title| el("th").attr("scope", "col").says(title))));
            let rows = listed.rows.iter().map(|found| row(lab, ui, found, &parts));
            vec![el("table").with(head).with(el("tbody").with_all(rows))]
        })
    });
    let region = el("div")
        .class("scroll found")
        .attr("id", "found")
        .attr("tabindex", "0")
        .attr("role", "region")
        .attr("aria-label", "Messages found");
    el("div").with(told).with(progress).with(region.with(rows)).with(slot(move || pager(lab)))
}

/// How many messages a list has, where that is counted anyway.
fn counted(panels: &PanelsView, which: &Which) -> Option<u64> {
    match which {
        Which::User(outcome) => outcomes(&panels.users).iter().find(|own| own.3 == *outcome).map(|own| own.2),
        Which::At { .. } => panels.books.rows.iter().find(|row| row.list.as_ref() == Some(which)).map(|row| row.count),
        // A repeat is counted each time, and its message is listed once.
        Which::Fate(fate, Some(effect)) if *fate != Fate::Skipped => {
            let effect = panels.effects.get(usize::from(*effect))?;
            COLUMNS.iter().find(|column| column.3 == *fate).map(|column| (column.2)(effect))
        }
        _ => None,
    }
}

/// The lists that have something in them, each as a button.
fn lists(lab: Lab) -> Vec<Node> {
    let panels = lab.shown.with(|shown| shown.panels.clone());
    let users =
        outcomes(&panels.users).map(|(_, title, count, outcome)| (["users, ", title].concat(), count, Which::User(outcome)));
    let effects = panels.effects.iter().zip(0_u8..).flat_map(|(effect, bit)| {
        COLUMNS.map(|(title, _, read, fate)| ([&effect.name, ", ", title].concat(), read(effect), Which::Fate(fate, Some(bit))))
    });
    let chips = users.into_iter().chain(effects).filter(|(_, count, _)| *count > 0).map(|(title, count, which)| {
        let says = [&title, " ", &grouped(count)].concat();
        button("chip", says).press(move || lab.list(Some(Asked { which: which.clone(), title: title.clone() })))
    });
    let chips: Vec<Node> = chips.collect();
    if chips.is_empty() {
        return Vec::new();
    }
    vec![el("div").class("chips lists").attr("role", "group").attr("aria-label", "Lists").with_all(chips)]
}

/// What there is, after the list's title.
fn told(listed: &Listed, page: usize, search: Search, all: Option<u64>) -> String {
    let first = (page - 1) * super::PAGE;
    let shown = (first + 1) as u64;
    let last = (first + listed.rows.len()) as u64;
    let at = [", at ", &clock(listed.at_us)].concat();
    match (search, listed.rows.len()) {
        (Search::At(_), _) => ": looking…".to_owned(),
        (Search::Stopped(_), found) => [": stopped, ", &grouped(found as u64), " found so far"].concat(),
        (Search::Done, 0) => [": none", &at].concat(),
        (Search::Done, _) => {
            let all = match all {
                Some(all) if listed.next.is_some() => [" of ", &grouped(all.max(last))].concat(),
                None if listed.next.is_some() => ", and more".to_owned(),
                _ => ", that is all".to_owned(),
            };
            [": ", &grouped(shown), " to ", &grouped(last), &all, &at].concat()
        }
    }
}

fn progress(lab: Lab) -> Vec<Node> {
    let messages = lab.messages;
    let of = messages.listed.with(|listed| listed.of);
    let says = |at: u32| [&grouped(u64::from(at)), " of ", &grouped(u64::from(of)), " messages looked at"].concat();
    let (says, act) = match messages.search.get() {
        Search::Done => return Vec::new(),
        Search::At(at) => (says(at), button("btn", "Stop looking").press(move || lab.stop_search())),
        Search::Stopped(at) => (says(at), button("btn", "Look on").press(move || lab.search_on())),
    };
    let at = match messages.search.get() {
        Search::At(at) | Search::Stopped(at) => at,
        Search::Done => 0,
    };
    let bar =
        el("progress").attr("max", of.max(1).to_string()).attr("value", at.to_string()).attr("aria-label", "Messages looked at");
    vec![el("div").class("busy").with(bar).with(el("span").class("soft").says(says)).with(act)]
}

fn row(lab: Lab, ui: Ui, found: &MessageRow, parts: &[String]) -> Node {
    let (fact, key) = (found.fact, found.key);
    let open = button("link mono", found.id.clone()).attr("aria-label", ["Open ", &found.id].concat()).press(move || {
        ui.close();
        lab.select(Selection::Message(fact));
    });
    let same = button("link mono", key.to_string()).attr("aria-label", format!("All messages of key {key}"));
    let same = same.press(move || lab.list(Some(Asked { which: Which::Key(key), title: format!("key {key}") })));
    let when = found.at_us.map(clock).unwrap_or_default();
    let place = found.part.and_then(|part| parts.get(usize::from(part))).cloned().unwrap_or_default();
    let dot = el("span").class(["dot ", level_word(found.level)].concat()).attr("aria-hidden", "true");
    el("tr")
        .attr("data-message", found.id.clone())
        .with(el("th").attr("scope", "row").with(open))
        .with(el("td").class("key-of").with(same))
        .with(el("td").class("mono").says(clock(found.born_us)))
        .with(el("td").class("what").with(dot).says(found.what.clone()))
        .with(el("td").class("mono").says(when))
        .with(el("td").says(place))
}

/// What pages through the list.
fn pager(lab: Lab) -> Vec<Node> {
    let messages = lab.messages;
    let page = messages.begins.with(Vec::len);
    let next = messages.listed.with(|listed| listed.next.is_some()) && messages.search.get() == Search::Done;
    if page == 1 && !next {
        return Vec::new();
    }
    let off = |off: bool| off.then(String::new);
    let back = button("btn", "Earlier ones").attr_if("disabled", off(page == 1)).press(move || lab.turn_page(false));
    let on = button("btn", "Later ones").attr_if("disabled", off(!next)).press(move || lab.turn_page(true));
    vec![el("div").class("offers pager").with(back).with(on)]
}
