//! A message: its journey from its first write to its last effect, and the button that paces time to it.

use leptos::html::{Ol, Section};
use leptos::prelude::*;
use redrive::sim::time::clock;
use redrive::view::{JourneyView, LineView};

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
    move || fact.get().map(|fact| view! { <Open lab page fact /> })
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
        if let Some(card) = card.get()
        {
            if page.narrow.get() {
                let _ = card.style().remove_property("max-height");
            } else {
                super::put_at(&card, spot);
            }
        }
    });
    let journey = Memo::new(move |_| lab.journey.get());
    let list: NodeRef<Ol> = NodeRef::new();
    // What it did last is in sight.
    Effect::new(move || {
        journey.track();
        if let Some(list) = list.get() {
            request_animation_frame(move || list.set_scroll_top(list.scroll_height()));
        }
    });
    let read = move |read: fn(&JourneyView) -> String| {
        journey.with(|journey| journey.as_ref().map(|journey| read(journey)).unwrap_or_default())
    };
    let title = move || {
        if journey.with(Option::is_none) { "Collecting its journey…".into() } else { read(|journey| journey.title.clone()) }
    };
    let following = move || lab.following.get() == Some(fact);
    let follow = move |_| if following() { lab.pause() } else { lab.follow(fact) };
    let lines = move || {
        let journey = journey.get();
        let lines: Vec<LineView> = journey.map(|journey| journey.lines.clone()).unwrap_or_default();
        let left_out = if all.get() { 0 } else { lines.len().saturating_sub(HEAD + TAIL) };
        let last = lines.len().saturating_sub(TAIL);
        let rows = lines.into_iter().enumerate().filter(move |(place, _)| left_out == 0 || *place < HEAD || *place >= last);
        let rows = rows.map(move |(place, line)| {
            let more = (left_out > 0 && place == last).then(|| {
                view! { <li class="more"><button type="button" class="link" on:click=move |_| all.set(true)>{format!("{left_out} more")}</button></li> }
            });
            let at_us = line.at_us;
            view! {
                {more}
                <li>
                    <button type="button" class="link" title="Go to this moment" on:click=move |_| lab.travel(at_us)><time>{clock(at_us)}</time></button>
                    <span class=format!("dot {}", level_word(line.level)) aria-hidden="true"></span>
                    <span>{line.text}</span>
                </li>
            }
        });
        rows.collect_view()
    };
    view! {
        <section class="message" id="message" tabindex="-1" node_ref=card aria-labelledby="message-title">
            <div class="message-head">
                <h2 id="message-title" class="card-title">{title}</h2>
            </div>
            <p class="soft mono small detail">{move || read(|journey| journey.detail.clone())}</p>
            <ol class="journey" node_ref=list tabindex="0" aria-label="Its journey">{lines}</ol>
            <div class="message-foot">
                <button type="button" id="follow" class="btn pri" aria-pressed=move || if following() { "true" } else { "false" } on:click=follow>
                    {move || if following() { "Stop following" } else { "Follow" }}
                </button>
                <button type="button" class="btn quiet" on:click=move |_| lab.select(Selection::Nothing)>"Close"</button>
            </div>
        </section>
    }
}
