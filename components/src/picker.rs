//! The picker: scenarios that ship, the visitor's own runs, and a document of their own.

use leptos::prelude::*;
use redrive::run::Run;
use redrive::scenario::{Fault, library};
use redrive::sim::time::clock;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::route::Route;
use crate::store;
use crate::trouble::fault_list;
use crate::ui::{Sheet, Ui, over};

/// The dialog.
#[must_use]
pub fn picker(lab: Lab, ui: Ui) -> Node {
    let faults = RwSignal::new(Vec::<Fault>::new());
    over(ui, Sheet::Picker, "picker", "Scenarios", move || {
        vec![shelf(lab, ui), own_runs(ui), own_document(lab, ui, faults), about(ui)]
    })
}

fn card(address: String, title: String, below: Node) -> Node {
    el("a").class("card").attr("href", address).with(el("b").says(title)).with(below)
}

/// The scenarios that ship, under their headings, with a field that leaves those that have its words.
#[must_use]
pub fn shelf(lab: Lab, ui: Ui) -> Node {
    let words = RwSignal::new(String::new());
    let field = el("input")
        .attr("type", "search")
        .attr("id", "scenario-filter")
        .attr("placeholder", "Filter: lost, relay, RabbitMQ …")
        .attr("autocomplete", "off")
        .attr("aria-label", "Filter the scenarios")
        .take("input", move |text| words.set(text));
    let found = slot(move || vec![groups(lab, ui, &words.get())]);
    el("div").with(field).with(found)
}

/// The way to the tables of brokers, for pages that have no room for it in the header.
fn about(ui: Ui) -> Node {
    let open = |says: &'static str, sheet| button("btn", says).press(move || ui.open(sheet));
    let section = el("section").with(el("h3").says("About the brokers"));
    section.with(
        el("div")
            .class("offers")
            .with(open("What brokers can do", Sheet::Brokers))
            .with(open("How far this is proven", Sheet::Fidelity)),
    )
}

/// Whether a scenario has every word that is asked for somewhere in its texts.
fn has(texts: &[&str], words: &str) -> bool {
    let all = small(&texts.join(" "));
    small(words).split_whitespace().all(|word| all.contains(word))
}

/// A text in small letters. The browser knows the capitals of every script; to bring them along would cost 5 kB.
fn small(text: &str) -> String {
    js_sys::JsString::from(text).to_lower_case().into()
}

fn groups(lab: Lab, ui: Ui, words: &str) -> Node {
    let open = lab.opened.with_untracked(|open| open.as_ref().map(|open| open.id.clone()));
    let mut groups: Vec<(String, Vec<Node>)> = Vec::new();
    for id in library::ids() {
        // A scenario that does not open is said to be broken when it is picked.
        let Ok(scenario) = Run::of_library(id).scenario() else { continue };
        if !has(&[&scenario.title, &scenario.summary, &scenario.group, id], words) {
            continue;
        }
        let here = open.as_deref() == Some(id);
        let pick = move || {
            // The address of what is open does not change: it is opened anew all the same.
            if crate::route::parse(&window().location().hash().unwrap_or_default()) == Route::Scenario(id.to_owned()) {
                lab.open_or_explain(&Run::of_library(id), 0, false);
            }
            ui.close();
        };
        let below = el("span").class("soft").says(scenario.summary);
        let card = card(format!("#/s/{id}"), scenario.title, below)
            .attr("data-scenario", id)
            .attr_if("aria-current", here.then(|| "true".to_owned()))
            .press(pick);
        match groups.iter_mut().find(|(group, _)| *group == scenario.group) {
            Some((_, cards)) => cards.push(el("li").with(card)),
            None => groups.push((scenario.group, vec![el("li").with(card)])),
        }
    }
    let none = groups.is_empty();
    let sections = groups
        .into_iter()
        .map(|(group, cards)| el("section").with(el("h3").says(group)).with(el("ul").class("cards").with_all(cards)));
    let shelf = el("div").class("shelf").with_all(sections);
    if none { shelf.with(el("p").class("soft").attr("role", "status").says("No scenario has these words.")) } else { shelf }
}

/// Runs that this browser keeps.
fn own_runs(ui: Ui) -> Node {
    let rows: Vec<Node> = store::runs()
        .into_iter()
        .map(|run| {
            let address = format!("#{}", crate::route::shared(&run.link, run.at_us));
            let below = el("span").class("soft mono").says(clock(run.at_us));
            el("li").with(card(address, run.title, below).press(move || ui.close()))
        })
        .collect();
    if rows.is_empty() {
        return el("section");
    }
    el("section").with(el("h3").says("Your runs, in this browser")).with(el("ul").class("cards").with_all(rows))
}

/// A document of the visitor's own. What they typed stays, whatever is wrong with it.
fn own_document(lab: Lab, ui: Ui, faults: RwSignal<Vec<Fault>>) -> Node {
    let open = move || {
        let area = document().get_element_by_id("own-json").and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok());
        let Some(written) = area.map(|area| area.value()) else { return };
        store::write(DRAFT, &written);
        match lab.open(&Run::of_document("own", &written), 0, false) {
            Ok(()) => {
                faults.set(Vec::new());
                lab.keep();
                ui.close();
            }
            Err(wrong) => faults.set(wrong.0),
        }
    };
    let wrong = slot(move || {
        let faults = faults.get();
        if faults.is_empty() {
            return Vec::new();
        }
        vec![el("p").with(el("b").says(count(faults.len()))), fault_list(faults)]
    });
    let area = el("textarea")
        .attr("id", "own-json")
        .attr("rows", "12")
        .attr("spellcheck", "false")
        .attr("autocomplete", "off")
        .attr("aria-label", "Scenario as JSON")
        .attr("aria-describedby", "own-faults")
        .value(store::read(DRAFT).unwrap_or_else(|| EXAMPLE.to_owned()));
    let split = el("div").class("own-split").with(area);
    el("section")
        .class("own")
        .with(el("h3").says("Your own scenario, as JSON"))
        .with(split.with(el("div").attr("id", "own-faults").attr("role", "status").with(wrong)))
        .with(button("btn pri", "Open it").attr("id", "own-open").press(open))
}

fn count(faults: usize) -> String {
    if faults == 1 { "One thing is wrong:".into() } else { format!("{faults} things are wrong:") }
}

/// Where the draft is kept.
const DRAFT: &str = "redrive.draft";

/// A work queue with a crashing worker: where to start from.
const EXAMPLE: &str = r#"{
  "redrive": 1,
  "title": "My queue",
  "parts": {
    "shop": { "kind": "producer", "to": "jobs", "rate": "1/s" },
    "jobs": { "kind": "queue", "visibility_timeout": "30s" },
    "worker": { "kind": "worker", "from": "jobs", "workers": 2, "work": "500ms" }
  },
  "breaks": ["10s crash worker at worked"]
}
"#;

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_filter_asks_for_every_word_in_any_order() {
        let texts = ["A worker crashes", "One of three messages is lost.", "Work queue"];
        assert_eq!(
            ["", "lost worker", "QUEUE", "relay", "lost relay"].map(|words| has(&texts, words)),
            [true, true, true, false, false]
        );
    }
}
