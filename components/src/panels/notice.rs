//! How you notice: rules that fired, with how long after the fault; and rules that stayed silent, with why.

use leptos::prelude::*;
use redrive::sim::time::{clock, spoken};
use redrive::view::AlertView;

use super::health::{history, strip};
use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::ui::{Sheet, Ui};

/// A bell.
const BELL: &str = "M6.5 0a1 1 0 0 1 1 1v.6A4 4 0 0 1 10.5 5.5V9l1.5 1.8H1L2.5 9V5.5A4 4 0 0 1 5.5 1.6V1a1 1 0 0 1 1-1zM5 12h3a1.5 1.5 0 0 1-3 0z";

/// The panel.
#[must_use]
pub fn notice(lab: Lab, ui: Ui) -> Node {
    let rows = slot(move || {
        let alerts = lab.shown.with(|shown| shown.panels.alerts.clone());
        if alerts.is_empty() {
            return vec![el("p").class("sub").says("No rule watches this.")];
        }
        vec![el("ul").class("rows").with_all(alerts.into_iter().map(|alert| row(lab, alert)))]
    });
    let title = el("h2").attr("id", "notice-title").says("How you notice");
    let edit = button("link", "Rules and thresholds").attr("id", "rules-open").attr("aria-haspopup", "dialog");
    let rows = el("div").with(strip(lab, "health in-panel")).with(rows).with(edit.press(move || ui.open(Sheet::Rules)));
    let rows = rows.with(history(lab));
    el("section").attr("id", "notice").attr("tabindex", "0").attr("aria-labelledby", "notice-title").with(title).with(rows)
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
