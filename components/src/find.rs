//! Finds a message by its id.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::state::Selection;
use crate::ui::{Sheet, Ui, over};

fn field() -> Option<HtmlInputElement> {
    document().get_element_by_id("find-text")?.dyn_into().ok()
}

/// The dialog.
#[must_use]
pub fn find(lab: Lab, ui: Ui) -> Node {
    let said = RwSignal::new(String::new());
    over(ui, Sheet::Find, "find", "Find a message", move || {
        said.set(String::new());
        request_animation_frame(|| {
            if let Some(field) = field() {
                let _ = field.focus();
            }
        });
        let text = el("input")
            .attr("id", "find-text")
            .class("mono")
            .attr("autocomplete", "off")
            .attr("aria-label", "Id of the message")
            .attr("placeholder", "88")
            .attr("maxlength", "60");
        let open = el("button").attr("type", "submit").class("btn pri").says("Open");
        let follow = button("btn", "Follow").press(move || look_up(lab, ui, said, true));
        let form = el("form").on("submit", move |event| {
            event.prevent_default();
            look_up(lab, ui, said, false);
        });
        vec![
            form.with(el("div").class("copy").with(text).with(open).with(follow)),
            slot(move || vec![el("p").attr("role", "status").attr("id", "find-said").says(said.get())]),
        ]
    })
}

fn look_up(lab: Lab, ui: Ui, said: RwSignal<String>, follow: bool) {
    let Some(text) = field().map(|field| field.value()) else { return };
    let id = text.trim();
    if id.is_empty() {
        said.set("Type an id, like 88.".into());
        return;
    }
    if !lab.find(id) {
        said.set(format!("No message “{id}” so far. It may come later: let time run, then look again."));
        return;
    }
    ui.close();
    if follow && let Selection::Message(fact) = lab.selection.get_untracked() {
        lab.follow(fact);
    }
}
