//! When a link, an address or a document cannot be opened: what is wrong, where, what is allowed, and a way on.

use leptos::prelude::*;
use redrive::scenario::Fault;

use crate::lab::Lab;
use crate::picker::Shelf;
use crate::ui::Ui;

/// Faults as a list: place, what is wrong, what is allowed.
#[must_use]
pub fn fault_list(faults: Vec<Fault>) -> impl IntoView {
    let rows = faults.into_iter().map(|fault| {
        let place = if fault.path.is_empty() { "the document".to_owned() } else { fault.path };
        let allowed = (!fault.allowed.is_empty()).then(|| view! { <span class="allowed">"Allowed: "{fault.allowed}</span> });
        view! { <li><code>{place}</code><span>{fault.wrong}</span>{allowed}</li> }
    });
    view! { <ul class="faults">{rows.collect_view()}</ul> }
}

/// Covers the stage while there is something to explain.
#[component]
pub fn TroubleCover(lab: Lab, ui: Ui) -> impl IntoView {
    let back = move || lab.opened.with(Option::is_some);
    move || {
        lab.trouble.get().map(|trouble| {
            view! {
                <section class="trouble" role="alert" id="trouble">
                    <h2 class="verdict">{trouble.title}</h2>
                    {fault_list(trouble.faults)}
                    <p class="soft">"Nothing of yours was changed. Open one of these instead."</p>
                    <Show when=back>
                        <button type="button" class="btn pri" on:click=move |_| lab.trouble.set(None)>"Back to what was open"</button>
                    </Show>
                    <Shelf lab ui />
                </section>
            }
        })
    }
}
