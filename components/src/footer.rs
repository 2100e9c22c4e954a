//! The foot of the page: transport at the left, time at the right.

use leptos::prelude::*;

use crate::dom::fixed;
use crate::lab::Lab;
use crate::page::Page;
use crate::track::Track;
use crate::transport::transport;

/// The footer.
#[component]
pub fn Footer(lab: Lab, page: Page) -> impl IntoView {
    let empty = Signal::derive(move || lab.opened.with(Option::is_none));
    view! { <footer inert=empty>{fixed(vec![transport(lab)])}<Track lab page /></footer> }.into_any()
}
