//! A part: how it is, what can be done to it, its gauges, its settings, and the messages it holds.

use leptos::html::Section;
use leptos::prelude::*;
use redrive::scenario::Fault;
use redrive::sim::time::clock;
use redrive::view::{BodyView, OfferView, PartView, TokenRef};

use super::settings::Settings;
use crate::lab::{Lab, Selection};

/// The card of the open part.
#[component]
pub fn PartCard(lab: Lab) -> impl IntoView {
    let part = Memo::new(move |_| match lab.selection.get() {
        Selection::Part(part) => Some(part),
        Selection::Nothing | Selection::Message(_) => None,
    });
    move || part.get().map(|index| view! { <Open lab index /> })
}

#[component]
fn Open(lab: Lab, index: u16) -> impl IntoView {
    let card: NodeRef<Section> = NodeRef::new();
    let view = Memo::new(move |_| lab.inspect.get());
    let part =
        move |read: fn(&PartView) -> String| view.with(|view| view.as_ref().map(|view| read(&view.part)).unwrap_or_default());
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
    view! {
        <section class="inspector" id="inspector" tabindex="-1" node_ref=card aria-labelledby="inspector-title" data-part-open=open class:at-left=move || lab.inspector_left.get()>
            <div class="over-head">
                <div>
                    <h2 id="inspector-title" class="card-title">{move || part(|part| part.title.clone())}</h2>
                    <p class="soft mono small">{move || part(|part| part.kind.to_owned())}" · "{move || part(|part| part.figure.clone())}</p>
                </div>
                <button type="button" class="btn quiet" id="inspector-close" on:click=move |_| crate::keyboard::close(lab)>"Close"</button>
            </div>
            <p class="badge-line" role="status">{move || part(|part| part.badge.clone().unwrap_or_default())}</p>
            <Offers lab />
            <Gauges lab />
            <Holds lab />
            <Settings lab part=id />
        </section>
    }
}

/// What can be done to the part, as buttons that send commands.
#[component]
fn Offers(lab: Lab) -> impl IntoView {
    let offers = Memo::new(move |_| lab.inspect.with(|view| view.as_ref().map(|view| view.offers.clone()).unwrap_or_default()));
    let wrong = RwSignal::new(None::<Fault>);
    let buttons = move || {
        let buttons = offers.get().into_iter().map(|offer: OfferView| {
            let command = offer.command.clone();
            let send = move |_| match lab.send(std::slice::from_ref(&command)) {
                Ok(()) => {
                    wrong.set(None);
                    lab.said.set(format!("{} {command}", clock(lab.now_us())));
                }
                Err(fault) => wrong.set(Some(fault)),
            };
            view! { <button type="button" class="btn" title=offer.doc.clone() data-command=offer.command on:click=send>{offer.title}</button> }
        });
        buttons.collect_view()
    };
    view! {
        <div class="offers" role="group" aria-label="What can be done to it">{buttons}</div>
        <p class="wrong" role="alert">{move || wrong.get().map(|fault| fault.to_string())}</p>
    }
}

#[component]
fn Gauges(lab: Lab) -> impl IntoView {
    let gauges = Memo::new(move |_| lab.inspect.with(|view| view.as_ref().map(|view| view.gauges.clone()).unwrap_or_default()));
    let rows = move || {
        let rows = gauges
            .get()
            .into_iter()
            .map(|gauge| view! { <div data-gauge=gauge.name><dt>{gauge.title}</dt><dd class="mono">{gauge.text}</dd></div> });
        rows.collect_view()
    };
    view! { <h3>"Gauges"</h3><dl class="gauges">{rows}</dl> }
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
#[component]
fn Holds(lab: Lab) -> impl IntoView {
    let held = Memo::new(move |_| lab.inspect.with(|view| view.as_ref().map(|view| held(&view.part.body)).unwrap_or_default()));
    move || {
        let held = held.get();
        (!held.is_empty()).then(|| {
            let buttons = held.into_iter().take(MOST).map(|token| {
                let fact = token.fact;
                view! { <button type="button" class="chip mono" on:click=move |_| lab.select(Selection::Message(fact))>{token.label}</button> }
            });
            view! { <h3>"Messages here"</h3><div class="chips">{buttons.collect_view()}</div> }
        })
    }
}
