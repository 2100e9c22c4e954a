//! How you notice: rules that fired, with how long after the fault; and rules that stayed silent, with why.

use leptos::prelude::*;
use redrive::sim::time::{clock, spoken};
use redrive::view::AlertView;

use crate::dom::{Node, button, el, live};
use crate::lab::Lab;

/// A bell.
const BELL: &str = "M6.5 0a1 1 0 0 1 1 1v.6A4 4 0 0 1 10.5 5.5V9l1.5 1.8H1L2.5 9V5.5A4 4 0 0 1 5.5 1.6V1a1 1 0 0 1 1-1zM5 12h3a1.5 1.5 0 0 1-3 0z";

/// The panel.
#[component]
pub fn Notice(lab: Lab) -> impl IntoView {
    let alerts = Memo::new(move |_| lab.panels.with(|panels| panels.alerts.clone()));
    let rows = live(move || {
        let alerts = alerts.get();
        if alerts.is_empty() {
            return vec![el("p").class("sub").says("No rule watches this.")];
        }
        vec![el("ul").class("rows").with_all(alerts.into_iter().map(|alert| row(lab, alert)))]
    });
    view! { <section id="notice" tabindex="0" aria-labelledby="notice-title"><h2 id="notice-title">"How you notice"</h2>{rows}</section> }
        .into_any()
}

fn row(lab: Lab, alert: AlertView) -> Node {
    let Some(at_us) = alert.at_us else {
        let text = format!("{}: {}", alert.text, alert.why);
        return el("li")
            .class("row silent")
            .attr("data-rule", alert.rule)
            .attr("title", text.clone())
            .with(el("span").class("ring").attr("role", "img").attr("aria-label", "silent").says("○"))
            .with(el("span").class("sub").says(text));
    };
    let after = alert.after_us.map(|after_us| format!(", after {}", spoken(after_us))).unwrap_or_default();
    let cleared = alert.cleared_us.map(|at_us| format!(", cleared at {}", clock(at_us))).unwrap_or_default();
    let bell = el("svg")
        .class("bell")
        .attr("width", "13")
        .attr("height", "14")
        .attr("viewBox", "0 0 13 14")
        .attr("role", "img")
        .attr("aria-label", "fired")
        .with(el("path").attr("d", BELL));
    let what = el("span").says(alert.text).with(el("span").class("sub").says(after + &cleared));
    let row = button("row", "").with(bell).with(what).with(el("time").says(clock(at_us)));
    el("li")
        .attr("data-rule", alert.rule)
        .attr_if("data-after", alert.after_us.map(|after_us| after_us.to_string()))
        .with(row.press(move || lab.travel(at_us)))
}
