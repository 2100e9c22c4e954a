//! A message: its journey from its first write to its last effect, and the button that paces time to it.

use leptos::prelude::*;
use redrive::observe::lists::Which;
use redrive::sim::time::clock;
use redrive::view::LineView;

use crate::dom::{Node, button, el, fixed, slot};
use crate::lab::Lab;
use crate::page::Page;
use crate::stage::level_word;
use crate::state::Selection;
use crate::ui::Ui;

/// Lines of a journey that are shown at first: a long one keeps its beginning and its end.
const HEAD: usize = 3;
/// The same, at its end.
const TAIL: usize = 6;

/// The card of the open message.
#[component]
pub fn MessageCard(lab: Lab, page: Page, ui: Ui) -> impl IntoView {
    let fact = Memo::new(move |_| match lab.selection.get() {
        Selection::Message(fact) => Some(fact),
        Selection::Nothing | Selection::Part(_) => None,
    });
    // Where it covers least of the stage; on a narrow page it is a sheet, and the style sheet places it.
    Effect::new(move || {
        // Two stages leave no room for it: it stands over the other one, where the style sheet puts it.
        let (spot, narrow) = (lab.free_spot.get(), page.narrow.get() || lab.beside.with(Option::is_some));
        if fact.get().is_some() {
            request_animation_frame(move || super::put_at("message", (!narrow).then_some(spot)));
        }
    });
    move || fact.get().map(|fact| fixed(vec![card(lab, ui, fact)]))
}

fn card(lab: Lab, ui: Ui, fact: u32) -> Node {
    let all = RwSignal::new(false);
    let head = slot(move || {
        lab.shown.with(|shown| {
            let title = el("h2").class("card-title").attr("id", "message-title");
            match &shown.journey {
                None => vec![title.says("Collecting its journey…")],
                Some(journey) => {
                    let key = journey.key;
                    let same = button("link mono small", journey.detail.clone()).attr("title", "All messages of this key");
                    let same = same.press(move || lab.open_list(ui, Which::Key(key), format!("key {key}")));
                    let head = el("div").class("message-head").with(title.says(["Message ", &journey.title].concat())).with(same);
                    vec![head, el("p").class("soft small detail").says(journey.fates.join(" · "))]
                }
            }
        })
    });
    let seen = StoredValue::new(usize::MAX);
    let lines = slot(move || {
        let lines = lab.shown.with(|shown| shown.journey.as_ref().map(|journey| journey.lines.clone()).unwrap_or_default());
        if seen.get_value() != lines.len() {
            seen.set_value(lines.len());
            // What it did last is in sight.
            request_animation_frame(|| {
                if let Some(list) = document().get_element_by_id("journey") {
                    list.set_scroll_top(list.scroll_height());
                }
            });
        }
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
        let list = el("ol").class("journey").attr("id", "journey").attr("tabindex", "0").attr("aria-label", "Its journey");
        vec![list.with_all(rows)]
    });
    let acts = slot(move || {
        let following = lab.following.get() == Some(fact);
        let follow = button("btn pri", if following { "Stop following" } else { "Follow" }).attr("id", "follow");
        vec![
            follow.press(move || if following { lab.pause() } else { lab.follow(fact) }),
            button("btn quiet", "Close").press(move || crate::keyboard::close(lab)),
        ]
    });
    super::focus("message");
    el("section")
        .class("message")
        .attr("id", "message")
        .attr("tabindex", "-1")
        .attr("aria-labelledby", "message-title")
        .with(head)
        .with(lines)
        .with(el("div").class("message-foot").with(acts))
}

fn row(lab: Lab, line: LineView) -> Node {
    let at_us = line.at_us;
    let time = button("link", "").attr("title", "Go to this moment").with(el("time").says(clock(at_us)));
    el("li")
        .with(time.press(move || lab.travel(at_us)))
        .with(el("span").class(format!("dot {}", level_word(line.level))).attr("aria-hidden", "true"))
        .with(el("span").says(line.text))
}
