//! The choice of what to compare the open run with.

use leptos::prelude::*;
use redrive::command::Command;
use redrive::run::Run;
use redrive::scenario::{Faults, Scenario};
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::names::named;
use super::{line_of, put};
use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::store;
use crate::ui::{Sheet, Ui, over};

/// The word for the seed in the list of what may differ.
const SEED: &str = "seed";

/// What is behind the dialog's buttons.
#[derive(Clone, Copy)]
struct Choice {
    lab: Lab,
    ui: Ui,
    wrong: RwSignal<String>,
}

impl Choice {
    /// Lays a run beside the open one and closes the dialog, or says why that cannot be.
    fn take(self, run: Option<Run>, first: bool) {
        let Some(run) = run else { return };
        match self.lab.lay_beside(&run, first) {
            Ok(()) => self.ui.close(),
            Err(faults) => self.refuse(&faults),
        }
    }

    fn refuse(self, faults: &Faults) {
        self.wrong.set(line_of(faults));
    }
}

/// The dialog.
#[must_use]
pub fn compare(lab: Lab, ui: Ui) -> Node {
    let choice = Choice { lab, ui, wrong: RwSignal::new(String::new()) };
    over(ui, Sheet::Compare, "compare-sheet", "Compare this run", move || {
        choice.wrong.set(String::new());
        let Some(run) = lab.run() else { return Vec::new() };
        let Ok(scenario) = run.scenario() else { return Vec::new() };
        let wrong = choice.wrong;
        let mut nodes = vec![
            el("p")
                .class("soft")
                .says("Both play on one clock with the same random numbers, so whatever differs, the change has done."),
            slot(move || vec![el("p").class("wrong").attr("id", "compare-wrong").attr("role", "alert").says(wrong.get())]),
        ];
        nodes.extend(before(choice, &run));
        nodes.extend(cures(choice, &scenario));
        nodes.push(another_value(choice, scenario));
        nodes.extend(own_runs(choice, &run));
        nodes.push(a_link(choice));
        nodes
    })
}

fn group(title: &str, nodes: Vec<Node>) -> Node {
    el("section").with(el("h3").says(title)).with_all(nodes)
}

/// The run before the last change.
fn before(choice: Choice, run: &Run) -> Option<Node> {
    let before = choice.lab.before()?;
    let says = ["Without ", &named(run, &before)].concat();
    let take = button("btn", says).attr("id", "compare-with-before").press(move || choice.take(Some(before.clone()), true));
    Some(group("With the run before your last change", vec![take]))
}

/// The scenario's cures, from the start or from here.
fn cures(choice: Choice, scenario: &Scenario) -> Option<Node> {
    let rows = scenario.cures.iter().map(|cure| {
        let with = |from_here: bool, says: String| {
            let commands: Vec<Command> = cure.commands.clone();
            button("btn", says.clone())
                .attr("aria-label", [&cure.title, ": ", &says].concat())
                .press(move || choice.take(choice.lab.run_with(&commands, from_here), false))
        };
        // What only undoes or repeats what was before it would change nothing from the start.
        let early = cure.commands.iter().any(|command| !command.needs_a_past());
        let early = early.then(|| with(false, "from the start".to_owned()));
        let acts = el("span").class("acts").with_all(early).with(with(true, "from here".to_owned()));
        el("li").attr("title", cure.why.clone()).with(el("span").says(cure.title.clone())).with(acts)
    });
    let rows: Vec<Node> = rows.collect();
    (!rows.is_empty()).then(|| group("With a cure", vec![el("ul").class("choices").attr("id", "compare-cures").with_all(rows)]))
}

/// A list or a field of the dialog.
fn value_of(id: &str) -> Option<String> {
    let found = document().get_element_by_id(id)?;
    match found.dyn_into::<HtmlSelectElement>() {
        Ok(list) => Some(list.value()),
        Err(found) => found.dyn_into::<HtmlInputElement>().ok().map(|field| field.value()),
    }
}

/// Something that may have another value: its place, what is allowed, and the value in force.
type Place = (String, String, String);

/// What may have another value, under the name of its part.
fn places(scenario: &Scenario) -> Vec<(String, Vec<Place>)> {
    let mut run = vec![(SEED.to_owned(), "a whole number".to_owned(), scenario.seed.to_string())];
    run.extend(scenario.switches.iter().map(|(name, switch)| {
        let words: Vec<&str> = switch.choices.iter().map(|choice| choice.0.as_str()).collect();
        (["lab.", name].concat(), words.join("|"), switch.value.clone())
    }));
    let mut groups = vec![("The whole run".to_owned(), run)];
    for (id, part) in &scenario.parts {
        let rows = part.kind.table().iter().map(|row| {
            let value = part.kind.get(row.name).unwrap_or_default();
            let allowed = if row.range.is_empty() { row.form.described() } else { row.range };
            ([id, ".", row.name].concat(), allowed.to_owned(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
        groups.push((part.title.clone(), rows.collect()));
    }
    groups
}

/// Another value of a setting, a switch or the seed.
fn another_value(choice: Choice, scenario: Scenario) -> Node {
    let groups = places(&scenario);
    let lists = groups.iter().map(|(title, rows)| {
        let options = rows.iter().map(|(place, ..)| {
            let name = place.rsplit('.').next().unwrap_or(place).replace('_', " ");
            el("option").attr("value", place.clone()).says(name)
        });
        el("optgroup").attr("label", title.clone()).with_all(options)
    });
    let chosen = RwSignal::new(SEED.to_owned());
    let list = el("select")
        .attr("id", "compare-place")
        .attr("aria-label", "What differs")
        .with_all(lists)
        .take("change", move |place| chosen.set(place));
    let all: Vec<Place> = groups.into_iter().flat_map(|group| group.1).collect();
    let value = slot(move || {
        let place = chosen.get();
        let Some((_, allowed, now)) = all.iter().find(|known| known.0 == place) else { return Vec::new() };
        let says = ["now ", now, "; ", &allowed.replace("..=", " to ").replace('|', ", ")].concat();
        let control = if allowed.contains('|') {
            el("select").with_all(allowed.split('|').map(|word| el("option").attr("value", word).says(word)))
        } else {
            el("input").class("mono").attr("autocomplete", "off").attr("spellcheck", "false")
        };
        let control =
            control.attr("id", "compare-value").attr("aria-label", "Its other value").attr("aria-describedby", "compare-allowed");
        vec![control.value(now.clone()), el("span").class("soft small").attr("id", "compare-allowed").says(says)]
    });
    let take = move || {
        let (Some(place), Some(value), Some(mut run)) = (value_of("compare-place"), value_of("compare-value"), choice.lab.run())
        else {
            return;
        };
        if place == SEED {
            match value.trim().parse() {
                Ok(seed) => run.seed = Some(seed),
                Err(_) => return choice.wrong.set("seed: a whole number".to_owned()),
            }
        } else {
            put(&mut run, &place, &value);
        }
        choice.take(Some(run), false);
    };
    let form = el("form").class("value").attr("id", "compare-form").on("submit", move |event| {
        event.prevent_default();
        take();
    });
    let submit = el("button").attr("type", "submit").class("btn").says("Compare");
    group("With another value of a setting, from the start", vec![form.with(list).with(value).with(submit)])
}

/// Runs that this browser keeps of the same scenario.
fn own_runs(choice: Choice, run: &Run) -> Option<Node> {
    let id = choice.lab.opened.with_untracked(|open| open.as_ref().map(|open| open.id.clone()))?;
    let own = run.to_link();
    let rows = store::runs().into_iter().filter(|kept| kept.id == id && kept.link != own).filter_map(|kept| {
        let kept_run = Run::from_link(&kept.link).ok()?;
        let says = named(&kept_run, run);
        Some(el("li").with(button("btn", says).press(move || choice.take(Some(kept_run.clone()), false))))
    });
    let rows: Vec<Node> = rows.collect();
    (!rows.is_empty())
        .then(|| group("With one of your runs", vec![el("ul").class("choices").attr("id", "compare-own").with_all(rows)]))
}

/// A link that someone gave.
fn a_link(choice: Choice) -> Node {
    let take = move || {
        let Some(text) = value_of("compare-link") else { return };
        let link = text.trim();
        let link = link.rsplit_once("#/run/").map_or(link, |(_, link)| link);
        match Run::from_link(link) {
            Ok(run) => choice.take(Some(run), false),
            Err(fault) => choice.refuse(&fault.into()),
        }
    };
    let field = el("input")
        .attr("id", "compare-link")
        .class("mono")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("aria-label", "Link of the other run")
        .attr("placeholder", "…#/run/…");
    let form = el("form").on("submit", move |event| {
        event.prevent_default();
        take();
    });
    let submit = el("button").attr("type", "submit").class("btn").says("Compare with this link");
    group("With a link", vec![form.with(el("div").class("copy").with(field).with(submit))])
}
