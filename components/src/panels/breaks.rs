//! What breaks: findings in causal order. A click goes to the moment.

use leptos::prelude::*;
use redrive::sim::time::clock;

use crate::dom::{Node, button, el, live};
use crate::lab::Lab;
use crate::stage::level_word;

/// The panel.
#[component]
pub fn Breaks(lab: Lab) -> impl IntoView {
    let findings = Memo::new(move |_| lab.panels.with(|panels| panels.findings.clone()));
    let rows = live(move || {
        let findings = findings.get();
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
    view! { <section id="breaks" tabindex="0" aria-labelledby="breaks-title"><h2 id="breaks-title">"What breaks"</h2>{rows}</section> }
        .into_any()
}
