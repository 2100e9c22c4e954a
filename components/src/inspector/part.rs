//! A part: how it is, what can be done to it, its gauges, its settings, and the messages it holds.

use leptos::html::Section;
use leptos::prelude::*;
use redrive::sim::time::clock;
use redrive::view::{BodyView, OfferView, TokenRef};

use super::settings::Settings;
use crate::dom::{Node, button, el, live};
use crate::lab::{Lab, Selection};

/// The card of the open part.
#[component]
pub fn PartCard(lab: Lab) -> impl IntoView {
    let part = Memo::new(move |_| match lab.selection.get() {
        Selection::Part(part) => Some(part),
        Selection::Nothing | Selection::Message(_) => None,
    });
    move || part.get().map(|index| view! { <Open lab index /> }.into_any())
}

#[component]
fn Open(lab: Lab, index: u16) -> impl IntoView {
    let card: NodeRef<Section> = NodeRef::new();
    Effect::new(move || {
        if let Some(card) = card.get() {
            super::focus(&card);
        }
    });
    let id = lab
        .opened
        .with_untracked(|open| open.as_ref().and_then(|open| open.parts.get(usize::from(index)).cloned()))
        .unwrap_or_default();
    let open = id.clone();
    let head = live(move || {
        lab.inspect.with(|view| {
            let Some(part) = view.as_ref().map(|view| &view.part) else { return Vec::new() };
            let kind = format!("{} · {}", part.kind, part.figure);
            vec![
                el("h2").class("card-title").attr("id", "inspector-title").says(part.title.clone()),
                el("p").class("soft mono small").says(kind),
                el("p").class("badge-line").attr("role", "status").says(part.badge.clone().unwrap_or_default()),
            ]
        })
    });
    view! {
        <section class="inspector" id="inspector" tabindex="-1" node_ref=card aria-labelledby="inspector-title" data-part-open=open
            class:at-left=lab.inspector_left>
            <div class="over-head">
                <div>{head}</div>
                <button type="button" class="btn quiet" id="inspector-close" on:click=move |_| crate::keyboard::close(lab)>"Close"</button>
            </div>
            {offers(lab)}
            {gauges(lab)}
            {holds(lab)}
            <Settings lab part=id />
        </section>
    }
    .into_any()
}

/// What can be done to the part, as buttons that send commands.
fn offers(lab: Lab) -> AnyView {
    let offers = Memo::new(move |_| lab.inspect.with(|view| view.as_ref().map(|view| view.offers.clone()).unwrap_or_default()));
    let wrong = RwSignal::new(String::new());
    live(move || {
        let buttons = offers.get().into_iter().map(|offer: OfferView| {
            let command = offer.command.clone();
            let send = move || match lab.send(std::slice::from_ref(&command)) {
                Ok(()) => {
                    wrong.set(String::new());
                    lab.said.set(format!("{} {command}", clock(lab.now_us())));
                }
                Err(fault) => wrong.set(fault.to_string()),
            };
            button("btn", offer.title).attr("title", offer.doc).attr("data-command", offer.command).press(send)
        });
        let group = el("div").class("offers").attr("role", "group").attr("aria-label", "What can be done to it");
        vec![group.with_all(buttons.collect::<Vec<Node>>()), el("p").class("wrong").attr("role", "alert").says(wrong.get())]
    })
}

fn gauges(lab: Lab) -> AnyView {
    live(move || {
        let gauges = lab.inspect.with(|view| view.as_ref().map(|view| view.gauges.clone()).unwrap_or_default());
        let rows = gauges.into_iter().map(|gauge| {
            el("div")
                .attr("data-gauge", gauge.name)
                .with(el("dt").says(gauge.title))
                .with(el("dd").class("mono").says(gauge.text))
        });
        vec![el("h3").says("Gauges"), el("dl").class("gauges").with_all(rows)]
    })
}

/// The messages that a body shows.
fn held(body: &BodyView) -> Vec<TokenRef> {
    match body {
        BodyView::Plain | BodyView::Crowd(_) => Vec::new(),
        BodyView::Outbox { rows, .. } => rows.clone(),
        BodyView::Queue { next, shelf, .. } => next.iter().chain(shelf.iter().map(|waiting| &waiting.token)).cloned().collect(),
        BodyView::Log { partitions, .. } => partitions.iter().flat_map(|partition| &partition.cells).cloned().collect(),
        BodyView::Workers { processes, .. } => processes.iter().flat_map(|process| &process.holds).cloned().collect(),
        BodyView::Effects(rows) => rows.iter().map(|(token, _)| token.clone()).collect(),
    }
}

/// Most messages that are listed.
const MOST: usize = 24;

/// The messages in the part, each a button that opens it.
fn holds(lab: Lab) -> AnyView {
    live(move || {
        let held = lab.inspect.with(|view| view.as_ref().map(|view| held(&view.part.body)).unwrap_or_default());
        if held.is_empty() {
            return Vec::new();
        }
        let buttons = held.into_iter().take(MOST).map(|token| {
            let fact = token.fact;
            button("chip mono", token.label).press(move || lab.select(Selection::Message(fact)))
        });
        vec![el("h3").says("Messages here"), el("div").class("chips").with_all(buttons.collect::<Vec<Node>>())]
    })
}
