//! What breaks: findings in causal order. A click goes to the moment.

use leptos::prelude::*;
use redrive::sim::time::clock;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::stage::level_word;

/// The panel.
#[must_use]
pub fn breaks(lab: Lab) -> Node {
    let rows = slot(move || {
        let findings = lab.shown.with(|shown| shown.panels.findings.clone());
        if findings.is_empty() {
            return vec![el("p").class("sub").says("Nothing is broken. Click a box to break it.")];
        }
        let rows = findings.into_iter().map(|finding| {
            let at_us = finding.at_us;
            let dot = el("span").class(format!("dot {}", level_word(finding.level))).attr("aria-hidden", "true");
            let what = el("span").with(el("b").says(finding.text)).with(el("span").class("why").says(finding.why));
            let row = button("row", "").with(dot).with(what).with(el("time").says(clock(at_us)));
            el("li").with(row.press(move || lab.travel(at_us)))
        });
        vec![el("ol").class("rows").with_all(rows.collect::<Vec<Node>>())]
    });
    let title = el("h2").attr("id", "breaks-title").says("What breaks");
    el("section").attr("id", "breaks").attr("tabindex", "0").attr("aria-labelledby", "breaks-title").with(title).with(rows)
}
