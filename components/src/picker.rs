//! The picker: scenarios that ship, the visitor's own runs, and a document of their own.

use leptos::html::Textarea;
use leptos::prelude::*;
use redrive::run::Run;
use redrive::scenario::{Fault, library};
use redrive::sim::time::clock;

use crate::lab::Lab;
use crate::store;
use crate::trouble::fault_list;
use crate::ui::{Over, Sheet, Ui};

/// The dialog.
#[component]
pub fn Picker(lab: Lab, ui: Ui) -> impl IntoView {
    view! {
        <Over ui sheet=Sheet::Picker id="picker" title="Scenarios">
            <Shelf lab ui />
            <OwnRuns ui />
            <OwnDocument lab ui />
        </Over>
    }
}

struct Card {
    id: &'static str,
    title: String,
    summary: String,
    group: String,
}

/// The scenarios that ship, under their headings.
#[component]
pub fn Shelf(lab: Lab, ui: Ui) -> impl IntoView {
    let mut groups: Vec<(String, Vec<Card>)> = Vec::new();
    for id in library::ids() {
        // A scenario that does not open is said to be broken when it is picked.
        let Ok(scenario) = Run::of_library(id).scenario() else { continue };
        let card = Card { id, title: scenario.title, summary: scenario.summary, group: scenario.group };
        match groups.iter_mut().find(|(group, _)| *group == card.group) {
            Some((_, cards)) => cards.push(card),
            None => groups.push((card.group.clone(), vec![card])),
        }
    }
    let open = lab.opened.with_untracked(|open| open.as_ref().map(|open| open.id.clone()));
    let groups = groups.into_iter().map(|(group, cards)| {
        let cards = cards.into_iter().map(|card| {
            let here = open.as_deref() == Some(card.id);
            let pick = move |event: leptos::ev::MouseEvent| {
                // The address of what is open does not change: it is opened anew all the same.
                if here && lab.trouble.with_untracked(Option::is_none) {
                    event.prevent_default();
                    lab.open_or_explain(&Run::of_library(card.id), 0, false);
                }
                lab.trouble.set(None);
                ui.close();
            };
            view! {
                <li><a class="card" href=format!("#/s/{}", card.id) data-scenario=card.id aria-current=here.then_some("true") on:click=pick>
                    <b>{card.title}</b><span class="soft">{card.summary}</span>
                </a></li>
            }
        });
        view! { <section><h3>{group}</h3><ul class="cards">{cards.collect_view()}</ul></section> }
    });
    view! { <div class="shelf">{groups.collect_view()}</div> }
}

/// Runs that this browser keeps.
#[component]
fn OwnRuns(ui: Ui) -> impl IntoView {
    let runs = store::runs();
    (!runs.is_empty()).then(|| {
        let rows = runs.into_iter().map(|run| {
            view! {
                <li><a class="card" href=format!("#{}", crate::route::shared(&run.link, run.at_us)) on:click=move |_| ui.close()>
                    <b>{run.title}</b><span class="soft mono">{clock(run.at_us)}</span>
                </a></li>
            }
        });
        view! { <section><h3>"Your runs, in this browser"</h3><ul class="cards">{rows.collect_view()}</ul></section> }
    })
}

/// A document of the visitor's own. What they typed stays, whatever is wrong with it.
#[component]
fn OwnDocument(lab: Lab, ui: Ui) -> impl IntoView {
    let text: NodeRef<Textarea> = NodeRef::new();
    let faults = RwSignal::new(Vec::<Fault>::new());
    let draft = store::read(DRAFT).unwrap_or_else(|| EXAMPLE.to_owned());
    let open = move |_| {
        let Some(area) = text.get_untracked() else { return };
        let written = area.value();
        store::write(DRAFT, &written);
        match lab.open(&Run::of_document("own", &written), 0, false) {
            Ok(()) => {
                faults.set(Vec::new());
                ui.close();
            }
            Err(wrong) => faults.set(wrong.0),
        }
    };
    view! {
        <section class="own">
            <h3>"Your own scenario, as JSON"</h3>
            <div class="own-split">
                <textarea id="own-json" node_ref=text rows="12" spellcheck="false" autocomplete="off" aria-label="Scenario as JSON" aria-describedby="own-faults" prop:value=draft></textarea>
                <div id="own-faults" role="status">
                    {move || {
                        let faults = faults.get();
                        (!faults.is_empty()).then(|| view! { <p><b>{count(faults.len())}</b></p>{fault_list(faults)} })
                    }}
                </div>
            </div>
            <button type="button" id="own-open" class="btn pri" on:click=open>"Open it"</button>
        </section>
    }
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
