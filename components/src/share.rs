//! Share: the run as a link, in a field and on the clipboard.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlInputElement;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::ui::{Sheet, Ui, over};

/// The dialog.
#[must_use]
pub fn share(lab: Lab, ui: Ui) -> Node {
    let said = RwSignal::new(String::new());
    over(ui, Sheet::Share, "share-sheet", "Share this run", move || {
        let address = address(lab);
        said.set(String::new());
        let copied = address.clone();
        request_animation_frame(move || copy(copied, said));
        let again = address.clone();
        let holds = match lab.shown.with(|shown| shown.commands.len()) {
            _ if lab.is_two() => "It holds both runs, each with its seed, settings and commands, and this moment.".to_owned(),
            0 => "It holds the scenario, its seed and settings, and this moment.".to_owned(),
            1 => "It holds the scenario, its seed and settings, your one command, and this moment.".to_owned(),
            many => format!("It holds the scenario, its seed and settings, your {many} commands, and this moment."),
        };
        let field =
            el("input").attr("id", "share-link").class("mono").attr("readonly", "").attr("aria-label", "Link to this run");
        let button = button("btn pri", "Copy").press(move || copy(again.clone(), said));
        vec![
            el("p").says(holds + " Whoever opens it sees the same events; nothing is sent anywhere."),
            el("div").class("copy").with(field.value(address)).with(button),
            slot(move || vec![el("p").attr("id", "share-said").attr("role", "status").says(said.get())]),
        ]
    })
}

fn address(lab: Lab) -> String {
    let page = window().location().href().unwrap_or_default();
    let page = page.split('#').next().unwrap_or_default().to_owned();
    [&page, "#", &lab.path()].concat()
}

/// Puts the link on the clipboard, and selects it for where the browser does not let the page do that.
fn copy(address: String, said: RwSignal<String>) {
    let field = document().get_element_by_id("share-link").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
    if let Some(field) = field {
        field.select();
    }
    put_on_clipboard(&address, said, "Copied.");
}

/// Puts a text on the clipboard, and says whether that was allowed.
pub fn put_on_clipboard(text: &str, said: RwSignal<String>, done: &'static str) {
    let promise = window().navigator().clipboard().write_text(text);
    leptos::task::spawn_local(async move {
        said.set(match JsFuture::from(promise).await {
            Ok(_) => done.into(),
            Err(_) => "The browser does not let the page copy: select the text, and copy it with your keyboard.".into(),
        });
    });
}
