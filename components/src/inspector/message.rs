//! A message: its journey from its first write to its last effect, and the button that paces time to it.

use leptos::html::Section;
use leptos::prelude::*;
use redrive::sim::time::clock;
use redrive::view::LineView;

use crate::dom::{Node, button, el, live};
use crate::lab::{Lab, Selection};
use crate::page::Page;
use crate::stage::level_word;

/// Lines of a journey that are shown at first: a long one keeps its beginning and its end.
const HEAD: usize = 3;
/// The same, at its end.
const TAIL: usize = 6;

/// The card of the open message.
#[component]
pub fn MessageCard(lab: Lab, page: Page) -> impl IntoView {
    let fact = Memo::new(move |_| match lab.selection.get() {
        Selection::Message(fact) => Some(fact),
        Selection::Nothing | Selection::Part(_) => None,
    });
    move || fact.get().map(|fact| view! { <Open lab page fact /> }.into_any())
}

#[component]
fn Open(lab: Lab, page: Page, fact: u32) -> impl IntoView {
    let card: NodeRef<Section> = NodeRef::new();
    let all = RwSignal::new(false);
    Effect::new(move || {
        if let Some(card) = card.get() {
            super::focus(&card);
        }
    });
    Effect::new(move || {
        let spot = lab.free_spot.get();
        if let Some(card) = card.get() {
            if page.narrow.get() {
                let _ = card.style().remove_property("max-height");
            } else {
                super::put_at(&card, spot);
            }
        }
    });
    let journey = Memo::new(move |_| lab.journey.get());
    let following = move || lab.following.get() == Some(fact);
    let follow = move |_| if following() { lab.pause() } else { lab.follow(fact) };
    let head = live(move || {
        journey.with(|journey| {
            let title = el("h2").class("card-title").attr("id", "message-title");
            match journey {
                None => vec![title.says("Collecting its journey…")],
                Some(journey) => {
                    vec![title.says(journey.title.clone()), el("p").class("soft mono small detail").says(journey.detail.clone())]
                }
            }
        })
    });
    let lines = live(move || {
        let lines = journey.with(|journey| journey.as_ref().map(|journey| journey.lines.clone()).unwrap_or_default());
        let left_out = if all.get() { 0 } else { lines.len().saturating_sub(HEAD + TAIL) };
        let last = lines.len().saturating_sub(TAIL);
        let mut rows = Vec::new();
        for (place, line) in lines.into_iter().enumerate() {
            if left_out > 0 && place == last {
                let more = button("link", format!("{left_out} more")).press(move || all.set(true));
                rows.push(el("li").class("more").with(more));
            }
            if left_out == 0 || place < HEAD || place >= last {
                rows.push(row(lab, line));
            }
        }
        // What it did last is in sight.
        request_animation_frame(|| {
            if let Some(list) = document().get_element_by_id("journey") {
                list.set_scroll_top(list.scroll_height());
            }
        });
        let list = el("ol").class("journey").attr("id", "journey").attr("tabindex", "0").attr("aria-label", "Its journey");
        vec![list.with_all(rows)]
    });
    let says = Signal::derive(move || if following() { "Stop following" } else { "Follow" });
    view! {
        <section class="message" id="message" tabindex="-1" node_ref=card aria-labelledby="message-title">
            {head}
            {lines}
            <div class="message-foot">
                <button type="button" id="follow" class="btn pri" on:click=follow>{says}</button>
                <button type="button" class="btn quiet" on:click=move |_| lab.select(Selection::Nothing)>"Close"</button>
            </div>
        </section>
    }
    .into_any()
}

fn row(lab: Lab, line: LineView) -> Node {
    let at_us = line.at_us;
    let time = button("link", "").attr("title", "Go to this moment").with(el("time").says(clock(at_us)));
    el("li")
        .with(time.press(move || lab.travel(at_us)))
        .with(el("span").class(format!("dot {}", level_word(line.level))).attr("aria-hidden", "true"))
        .with(el("span").says(line.text))
}
