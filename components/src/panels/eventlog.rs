//! The event log: what happened, as text, newest first.

use leptos::prelude::*;
use redrive::sim::time::clock;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::stage::level_word;
use crate::state::Selection;

/// The log. It is read only while it is open.
#[must_use]
pub fn event_log(lab: Lab) -> Node {
    let toggled = move |event: &web_sys::Event| {
        lab.logging.set(event_target::<web_sys::HtmlDetailsElement>(event).open());
        lab.refresh();
    };
    let rows = slot(move || {
        let shown = lab.shown.get();
        let rows = shown.log.iter().rev().map(|line| {
            let what = match line.fact {
                Some(fact) => button("link", line.text.clone()).press(move || lab.select(Selection::Message(fact))),
                None => el("span").says(line.text.clone()),
            };
            let dot = el("span").class(format!("dot {}", level_word(line.level))).attr("aria-hidden", "true");
            el("li").with(el("time").says(clock(line.at_us))).with(dot).with(what)
        });
        let list = el("ol").class("scroll log").attr("tabindex", "0").attr("aria-label", "Happenings, newest first");
        vec![list.with_all(rows.collect::<Vec<Node>>())]
    });
    el("details").attr("id", "eventlog").on("toggle", toggled).with(el("summary").says("Event log")).with(rows)
}
