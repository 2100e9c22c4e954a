//! The dialog: finds a message by id or key, and shows lists of them.

use leptos::prelude::*;
use redrive::observe::lists::Which;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::Asked;
use super::table::table;
use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::state::Selection;
use crate::ui::{Sheet, Ui, over};

fn field() -> Option<HtmlInputElement> {
    document().get_element_by_id("find-text")?.dyn_into().ok()
}

/// The dialog.
#[must_use]
pub fn messages(lab: Lab, ui: Ui) -> Node {
    let said = RwSignal::new(String::new());
    // A list that nobody sees is not searched for.
    Effect::new(move || {
        if ui.sheet.get() != Some(Sheet::Find) {
            lab.list(None);
        }
    });
    over(ui, Sheet::Find, "find", "Messages", move || {
        said.set(String::new());
        let listed = lab.messages.asked.get_untracked().is_some();
        request_animation_frame(move || {
            // Whoever asked for a list reads; whoever did not wants to type.
            let at = document().get_element_by_id(if listed { "found" } else { "find-text" });
            if let Some(at) = at.and_then(|at| at.dyn_into::<web_sys::HtmlElement>().ok()) {
                let _ = at.focus();
            }
        });
        let text = el("input")
            .attr("id", "find-text")
            .class("mono")
            .attr("autocomplete", "off")
            .attr("aria-label", "Id of a message, or key and a number")
            .attr("placeholder", "88, or key 7")
            .attr("maxlength", "60")
            .take("input", move |text| near(lab, said, &text));
        let open = el("button").attr("type", "submit").class("btn pri").says("Open");
        let follow = button("btn", "Follow").press(move || look_up(lab, ui, said, true));
        let form = el("form").on("submit", move |event| {
            event.prevent_default();
            look_up(lab, ui, said, false);
        });
        vec![
            form.with(el("div").class("copy").with(text).with(open).with(follow)),
            slot(move || vec![el("p").attr("role", "status").attr("id", "find-said").says(said.get())]),
            table(lab, ui),
        ]
    })
}

/// Lists what exists near what has been typed.
fn near(lab: Lab, said: RwSignal<String>, text: &str) {
    let text = text.trim();
    said.set(String::new());
    let title = ["near “", text, "”"].concat();
    lab.list((!text.is_empty()).then(|| Asked { which: Which::near(text), title }));
}

/// Opens the message of this id; where there is none, says what there is.
fn look_up(lab: Lab, ui: Ui, said: RwSignal<String>, follow: bool) {
    let Some(text) = field().map(|field| field.value()) else { return };
    let id = text.trim();
    if id.is_empty() {
        said.set("Type an id, like 88.".into());
        return;
    }
    if !lab.find(id) {
        said.set(
            ["No message “", id, "” so far: ", &lab.known_ids(), ". It may come later: let time run, then look again."].concat(),
        );
        return;
    }
    ui.close();
    if follow && let Selection::Message(fact) = lab.selection.get_untracked() {
        lab.follow(fact);
    }
}

impl Lab {
    /// From which id to which there are messages, as the end of a sentence.
    fn known_ids(self) -> String {
        let row = |from: u32| {
            self.desk.with_value(|desk| {
                let page = desk.timeline.as_ref()?.world().messages(&Which::All, from, 1, 1);
                Some((page.rows.into_iter().next()?.id, page.of))
            })
        };
        let Some((first, of)) = row(0) else { return "there is none yet".to_owned() };
        match row(of.saturating_sub(1)) {
            Some((last, _)) if last != first => ["there are ", &first, " to ", &last].concat(),
            _ => ["there is only ", &first].concat(),
        }
    }
}
