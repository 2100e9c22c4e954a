//! Finds a message by its id.

use leptos::ev::SubmitEvent;
use leptos::html::Input;
use leptos::prelude::*;

use crate::lab::{Lab, Selection};
use crate::ui::{Over, Sheet, Ui};

/// The dialog.
#[component]
pub fn Find(lab: Lab, ui: Ui) -> impl IntoView {
    view! { <Over ui sheet=Sheet::Find id="find" title="Find a message"><Form lab ui /></Over> }
}

#[component]
fn Form(lab: Lab, ui: Ui) -> impl IntoView {
    let field: NodeRef<Input> = NodeRef::new();
    let said = RwSignal::new(String::new());
    Effect::new(move || {
        if let Some(field) = field.get() {
            let _ = field.focus();
        }
    });
    let find = move |follow: bool| {
        let Some(text) = field.get_untracked().map(|field| field.value()) else { return };
        if text.trim().is_empty() {
            said.set("Type an id, like 88.".into());
            return;
        }
        if !lab.find(&text) {
            said.set(format!("No message “{}” so far. It may come later: let time run, then look again.", text.trim()));
            return;
        }
        ui.close();
        if follow && let Selection::Message(fact) = lab.selection.get_untracked() {
            lab.follow(fact);
        }
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        find(false);
    };
    view! {
        <form on:submit=submit>
            <div class="copy">
                <input id="find-text" class="mono" node_ref=field autocomplete="off" aria-label="Id of the message" placeholder="88" maxlength="60" />
                <button type="submit" class="btn pri">"Open"</button>
                <button type="button" class="btn" on:click=move |_| find(true)>"Follow"</button>
            </div>
            <p role="status" id="find-said">{said}</p>
        </form>
    }
    .into_any()
}
