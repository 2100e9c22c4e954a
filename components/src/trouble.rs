//! When a link, an address or a document cannot be opened: what is wrong, where, what is allowed, and a way on.

use leptos::prelude::*;
use redrive::scenario::Fault;

use crate::dom::{Node, button, el, live};
use crate::lab::Lab;
use crate::picker::shelf;
use crate::ui::Ui;

/// Faults as a list: place, what is wrong, what is allowed.
#[must_use]
pub fn fault_list(faults: Vec<Fault>) -> Node {
    let rows = faults.into_iter().map(|fault| {
        let place = if fault.path.is_empty() { "the document".to_owned() } else { fault.path };
        let row = el("li").with(el("code").says(place)).with(el("span").says(fault.wrong));
        if fault.allowed.is_empty() {
            return row;
        }
        row.with(el("span").class("allowed").says("Allowed: ".to_owned() + &fault.allowed))
    });
    el("ul").class("faults").with_all(rows)
}

/// Covers the stage while there is something to explain.
#[component]
pub fn TroubleCover(lab: Lab, ui: Ui) -> impl IntoView {
    live(move || {
        let Some(trouble) = lab.trouble.get() else { return Vec::new() };
        let mut cover = el("section")
            .class("trouble")
            .attr("role", "alert")
            .attr("id", "trouble")
            .with(el("h2").class("verdict").says(trouble.title))
            .with(fault_list(trouble.faults))
            .with(el("p").class("soft").says("Nothing of yours was changed. Open one of these instead."));
        if lab.opened.with(Option::is_some) {
            cover = cover.with(button("btn pri", "Back to what was open").press(move || lab.back()));
        }
        vec![cover.with(shelf(lab, ui))]
    })
}
