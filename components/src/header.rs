//! The header: what is open, its seed, and what can be done with the run as a whole.

use leptos::prelude::*;

use crate::dom::{Node, button, el, slot};
use crate::explore;
use crate::lab::Lab;
use crate::page::{Page, Theme};
use crate::ui::{Sheet, Ui, over};

/// The mark beside the name.
fn mark() -> Node {
    el("svg")
        .attr("width", "22")
        .attr("height", "22")
        .attr("viewBox", "0 0 22 22")
        .attr("aria-hidden", "true")
        .with(el("path").class("brand-arrow").attr("d", "M4 11a7 7 0 1 1 2.2 5.1"))
        .with(el("path").class("brand-arrow").attr("d", "M3 18.6l3.1-2.7 2.6 3.2"))
        .with(el("circle").class("brand-dot").attr("cx", "11").attr("cy", "11").attr("r", "2.6"))
}

/// The header.
#[must_use]
pub fn header(lab: Lab, page: Page, ui: Ui) -> Node {
    let crumb = slot(move || {
        let opened = lab.opened.get();
        let (group, title) = match &opened {
            Some(opened) => (opened.group.clone() + " ", opened.title.clone()),
            None => (String::new(), "Choose a scenario".to_owned()),
        };
        let slash = el("span").class("slash").attr("aria-hidden", "true").says(if opened.is_some() { "/" } else { "" });
        vec![
            el("span").class("crumb-group").says(group).with(slash),
            el("b").says(title),
            el("span").attr("aria-hidden", "true").says("▾"),
        ]
    });
    let picker = button("crumb-button", "").attr("id", "picker-open").attr("aria-haspopup", "dialog");
    let acts = slot(move || {
        if !page.tight.get() {
            return acts(lab, page, ui);
        }
        let none = lab.opened.with(Option::is_none).then(String::new);
        let tools = button("btn", "Tools").attr("id", "tools-open").attr("aria-haspopup", "dialog");
        let share = button("btn pri", "Share").attr("id", "share").attr("aria-label", "Share run").attr_if("disabled", none);
        vec![tools.press(move || ui.open(Sheet::Tools)), share.press(move || ui.open(Sheet::Share))]
    });
    el("header")
        .with(el("span").class("brand").with(mark()).with(el("span").class("brand-name").says("Redrive")))
        .with(el("h1").class("crumb").with(picker.with(crumb).press(move || ui.open(Sheet::Picker))))
        .with(seed(lab))
        .with(el("span").class("space"))
        .with(acts)
}

/// What can be done with the run as a whole, and with the page.
fn acts(lab: Lab, page: Page, ui: Ui) -> Vec<Node> {
    let none = lab.opened.with(Option::is_none).then(String::new);
    let other = page.worn().other();
    let says = if other == Theme::Dark { "Dark" } else { "Light" };
    let theme = button("btn quiet", says).attr("id", "theme").attr("aria-label", [says, " theme"].concat());
    let open = |class: &'static str, id: &'static str, says: String, sheet: Sheet| {
        button(class, says).attr("id", id).attr("aria-haspopup", "dialog").press(move || ui.open(sheet))
    };
    vec![
        open("btn quiet", "brokers-head", "Brokers".into(), Sheet::Brokers),
        theme.press(move || page.choose(other)),
        open("btn", "find-open", "Find message".into(), Sheet::Find).attr_if("disabled", none.clone()),
        open("btn", "compare", "Compare".into(), Sheet::Compare).attr_if("disabled", none.clone()),
        open("btn", "crashes-open", explore::says(lab.trials.crashes, "Try every crash"), Sheet::Crashes)
            .attr_if("disabled", none.clone()),
        open("btn", "sweep-open", explore::says(lab.trials.sweep, "Sweep"), Sheet::Sweep).attr_if("disabled", none.clone()),
        open("btn pri", "share", "Share run".into(), Sheet::Share).attr_if("disabled", none),
    ]
}

/// The same in a dialog, for a page that has no room for them in its header.
#[must_use]
pub fn tools(lab: Lab, page: Page, ui: Ui) -> Node {
    over(ui, Sheet::Tools, "tools", "Tools", move || {
        vec![slot(move || {
            vec![el("div").class("tools").with_all(if page.tight.get() { acts(lab, page, ui) } else { Vec::new() })]
        })]
    })
}

/// The seed: another one is another run of the same scenario.
fn seed(lab: Lab) -> Node {
    let wrong = RwSignal::new(String::new());
    let take = move |text: String| match text.trim().parse::<u64>() {
        Ok(seed) => wrong.set(lab.reopen(|run| run.seed = Some(seed)).err().map(|faults| faults.to_string()).unwrap_or_default()),
        Err(_) => wrong.set("a whole number below 2⁶⁴".into()),
    };
    slot(move || {
        let Some(seed) = lab.opened.with(|open| open.as_ref().map(|open| open.seed)) else { return Vec::new() };
        let wrong = wrong.get();
        let field = el("input")
            .attr("id", "seed")
            .class("mono")
            .attr("inputmode", "numeric")
            .attr("autocomplete", "off")
            .attr("maxlength", "20")
            .attr("aria-invalid", if wrong.is_empty() { "false" } else { "true" })
            .value(seed.to_string())
            .take("change", take);
        vec![
            el("label").class("seed").says("seed ").with(field).with(el("span").class("wrong").attr("role", "alert").says(wrong)),
        ]
    })
}
