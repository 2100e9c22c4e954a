//! Share: the run as a link, in a field and on the clipboard.

use leptos::html::Input;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::lab::Lab;
use crate::ui::{Over, Sheet, Ui};

/// The dialog.
#[component]
pub fn Share(lab: Lab, ui: Ui) -> impl IntoView {
    view! { <Over ui sheet=Sheet::Share id="share-sheet" title="Share this run"><Link lab /></Over> }
}

fn address(lab: Lab) -> String {
    let page = window().location().href().unwrap_or_default();
    let page = page.split('#').next().unwrap_or_default().to_owned();
    let link = lab.run().map(|run| run.to_link()).unwrap_or_default();
    format!("{page}#{}", crate::route::shared(&link, lab.now_us()))
}

#[component]
fn Link(lab: Lab) -> impl IntoView {
    let address = StoredValue::new(address(lab));
    let field: NodeRef<Input> = NodeRef::new();
    let said = RwSignal::new(String::new());
    let copy = move || {
        if let Some(field) = field.get_untracked() {
            field.select();
        }
        let promise = window().navigator().clipboard().write_text(&address.get_value());
        leptos::task::spawn_local(async move {
            said.set(match JsFuture::from(promise).await {
                Ok(_) => "Copied.".into(),
                Err(_) => "The browser does not let the page copy: the link is selected, copy it with your keyboard.".into(),
            });
        });
    };
    Effect::new(move || {
        if field.get().is_some() {
            copy();
        }
    });
    let commands = lab.commands.with_untracked(Vec::len);
    let holds = match commands {
        0 => "It holds the scenario, its seed and settings, and this moment.".to_owned(),
        1 => "It holds the scenario, its seed and settings, your one command, and this moment.".to_owned(),
        many => format!("It holds the scenario, its seed and settings, your {many} commands, and this moment."),
    };
    view! {
        <p>{holds}" Whoever opens it sees the same events; nothing is sent anywhere."</p>
        <div class="copy">
            <input id="share-link" class="mono" readonly node_ref=field aria-label="Link to this run" prop:value=address.get_value() />
            <button type="button" class="btn pri" on:click=move |_| copy()>"Copy"</button>
        </div>
        <p id="share-said" role="status">{said}</p>
    }
    .into_any()
}
