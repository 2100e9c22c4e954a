//! The foot of the page: transport at the left, time at the right.

use leptos::prelude::*;

use crate::lab::Lab;
use crate::page::Page;
use crate::track::Track;
use crate::transport::Transport;

/// The footer.
#[component]
pub fn Footer(lab: Lab, page: Page) -> impl IntoView {
    view! {
        <footer inert=Signal::derive(move || lab.opened.with(Option::is_none))>
            <Transport lab />
            <Track lab page />
        </footer>
    }
    .into_any()
}
