//! A part: how it is, what can be done to it, its gauges, its settings, and the messages it holds.

use leptos::prelude::*;
use redrive::sim::time::clock;
use redrive::view::{BodyView, OfferView, TokenRef, TokenShape};

use super::settings::settings;
use crate::dom::{Node, button, el, fixed, slot};
use crate::lab::Lab;
use crate::state::Selection;

/// The card of the open part.
#[component]
pub fn PartCard(lab: Lab) -> impl IntoView {
    let part = Memo::new(move |_| match lab.selection.get() {
        Selection::Part(part) => i32::from(part),
        Selection::Nothing | Selection::Message(_) => -1,
    });
    // At the side of the stage where the part is not.
    Effect::new(move || {
        let look = if lab.inspector_left.get() { "inspector at-left" } else { "inspector" };
        part.track();
        request_animation_frame(move || {
            if let Some(card) = super::by_id("inspector") {
                card.set_class_name(look);
            }
        });
    });
    move || u16::try_from(part.get()).ok().map(|index| fixed(vec![card(lab, index)]))
}

fn card(lab: Lab, index: u16) -> Node {
    let id = lab
        .opened
        .with_untracked(|open| open.as_ref().and_then(|open| open.parts.get(usize::from(index)).cloned()))
        .unwrap_or_default();
    let head = slot(move || {
        lab.shown.with(|shown| {
            let Some(part) = shown.inspect.as_ref().map(|view| &view.part) else { return Vec::new() };
            let kind = format!("{} · {}", part.kind, part.figure);
            vec![
                el("h2").class("card-title").attr("id", "inspector-title").says(part.title.clone()),
                el("p").class("soft mono small").says(kind),
                el("p").class("badge-line").attr("role", "status").says(part.badge.clone().unwrap_or_default()),
            ]
        })
    });
    let close = button("btn quiet", "Close").attr("id", "inspector-close").press(move || crate::keyboard::close(lab));
    super::focus("inspector");
    el("section")
        .class("inspector")
        .attr("id", "inspector")
        .attr("tabindex", "-1")
        .attr("aria-labelledby", "inspector-title")
        .attr("data-part-open", id.clone())
        .with(el("div").class("over-head").with(el("div").with(head)).with(close))
        .with(offers(lab))
        .with(gauges(lab))
        .with(holds(lab))
        .with(settings(lab, id))
}

/// What can be done to the part, as buttons that send commands.
fn offers(lab: Lab) -> Node {
    let wrong = RwSignal::new(String::new());
    slot(move || {
        let offers = lab.shown.with(|shown| shown.inspect.as_ref().map(|view| view.offers.clone()).unwrap_or_default());
        let buttons = offers.into_iter().map(|offer: OfferView| {
            let command = offer.command.clone();
            let send = move || match lab.send(std::slice::from_ref(&command)) {
                Ok(()) => {
                    wrong.set(String::new());
                    lab.said.set(format!("{} {command}", clock(lab.now_us())));
                }
                Err(fault) => wrong.set(fault.to_string()),
            };
            // One that goes with its press leaves the focus to the card: the next press must not send its neighbour's command.
            let who = offer.command.clone();
            button("btn", offer.title)
                .attr("title", offer.doc)
                .attr("data-command", offer.command)
                .attr("data-who", who)
                .press(send)
        });
        let group = el("div").class("offers").attr("role", "group").attr("aria-label", "What can be done to it");
        vec![group.with_all(buttons.collect::<Vec<Node>>()), el("p").class("wrong").attr("role", "alert").says(wrong.get())]
    })
}

fn gauges(lab: Lab) -> Node {
    slot(move || {
        let gauges = lab.shown.with(|shown| shown.inspect.as_ref().map(|view| view.gauges.clone()).unwrap_or_default());
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
        BodyView::Plain | BodyView::Crowd(_) | BodyView::Exchange { .. } => Vec::new(),
        BodyView::Outbox { rows, .. } => rows.clone(),
        BodyView::Queue { next, shelf, .. } => next.iter().chain(shelf.iter().map(|waiting| &waiting.token)).cloned().collect(),
        BodyView::Log { partitions, .. } => {
            let cells = partitions.iter().flat_map(|partition| &partition.cells);
            cells.filter(|token| token.shape != TokenShape::Gone).cloned().collect()
        }
        BodyView::Workers { processes, .. } => processes.iter().flat_map(|process| &process.holds).cloned().collect(),
        BodyView::Effects(rows) => rows.iter().map(|(token, _)| token.clone()).collect(),
    }
}

/// Most messages that are listed.
const MOST: usize = 24;

/// The messages in the part, each a button that opens it.
fn holds(lab: Lab) -> Node {
    slot(move || {
        let held = lab.shown.with(|shown| shown.inspect.as_ref().map(|view| held(&view.part.body)).unwrap_or_default());
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
