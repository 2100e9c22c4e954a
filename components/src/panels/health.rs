//! How consumers are: a strip under the stage with each one's verdict, why, and its history; and the history as text.

use leptos::prelude::*;
use redrive::sim::time::{clock, spoken};
use redrive::view::{HealthView, Level};

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::stage::level_word;
use crate::state::Selection;

/// Height of a bar by level, in tenths: each verdict has a shape besides its colour.
fn height(level: Level) -> u64 {
    match level {
        Level::Good | Level::Quiet => 3,
        Level::Warn => 6,
        Level::Bad => 10,
    }
}

/// The strip. At a desk it stands under the stage; on a narrow page in the panel that tells how you notice.
#[must_use]
pub fn strip(lab: Lab, class: &'static str) -> Node {
    slot(move || {
        let until_us = lab.opened.with(|open| open.as_ref().map_or(1, |open| open.until_us.max(1)));
        lab.shown.with(|shown| {
            if shown.panels.health.is_empty() {
                return Vec::new();
            }
            let now_us = shown.stage.now_us;
            let items = shown.panels.health.iter().map(|consumer| item(lab, consumer, now_us, until_us));
            vec![el("ul").class(class).attr("aria-label", "How the consumers are").with_all(items)]
        })
    })
}

fn item(lab: Lab, consumer: &HealthView, now_us: u64, until_us: u64) -> Node {
    let part = consumer.part;
    let level = consumer.verdict.level();
    let mut history = [&consumer.title, ":"].concat();
    let bars = consumer.spans.iter().map(|span| {
        let of = |at_us: u64| at_us.min(until_us).saturating_mul(1_000) / until_us;
        let (from, to) = (of(span.from_us), of(span.to_us.unwrap_or(now_us)));
        let (level, word) = (span.verdict.level(), span.verdict.word());
        history.extend([" ", word, " from ", &clock(span.from_us), ";"]);
        let high = height(level);
        el("rect")
            .class(level_word(level))
            .attr("x", from.to_string())
            .attr("y", (10 - high).to_string())
            // A short one can be seen.
            .attr("width", to.saturating_sub(from).max(6).to_string())
            .attr("height", high.to_string())
    });
    let bars: Vec<Node> = bars.collect();
    let bars = el("svg")
        .class("spans")
        .attr("viewBox", "0 0 1000 10")
        .attr("preserveAspectRatio", "none")
        .attr("role", "img")
        .attr("aria-label", history)
        .with_all(bars);
    let dot = el("span").class(["dot ", level_word(level)].concat()).attr("aria-hidden", "true");
    let why = [consumer.why.as_str(), ", for ", &spoken(now_us.saturating_sub(consumer.since_us))].concat();
    let name = button("link", consumer.title.clone()).attr("title", "Open it").press(move || lab.select(Selection::Part(part)));
    el("li")
        .attr("data-health", consumer.title.clone())
        .attr("data-verdict", consumer.verdict.word())
        .with(
            el("div")
                .class("health-now")
                .with(dot)
                .with(name)
                .with(el("b").class(level_word(level)).says(consumer.verdict.word()))
                .with(el("span").class("sub").attr("title", why.clone()).says(why)),
        )
        .with(bars)
}

/// The history as text, newest first: a press goes to the moment.
#[must_use]
pub fn history(lab: Lab) -> Node {
    let lines = slot(move || {
        let health = lab.shown.with(|shown| shown.panels.health.clone());
        let mut lines: Vec<(u64, Level, String)> = Vec::new();
        for consumer in &health {
            for span in &consumer.spans {
                let text = [&consumer.title, " ", span.verdict.word(), ": ", &span.why].concat();
                let place = lines.iter().position(|line| line.0 < span.from_us).unwrap_or(lines.len());
                lines.insert(place, (span.from_us, span.verdict.level(), text));
            }
        }
        let rows = lines.into_iter().map(|(at_us, level, text)| {
            let dot = el("span").class(["dot ", level_word(level)].concat()).attr("aria-hidden", "true");
            let row = button("row", "").with(dot).with(el("span").says(text)).with(el("time").says(clock(at_us)));
            el("li").with(row.press(move || lab.travel(at_us)))
        });
        vec![el("ol").class("rows").with_all(rows.collect::<Vec<Node>>())]
    });
    el("details").attr("id", "health-history").with(el("summary").says("Health of each consumer, as text")).with(lines)
}
