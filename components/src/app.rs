//! The whole page.

use leptos::prelude::*;

/// The lab.
#[component]
pub fn App() -> impl IntoView {
    view! {
        <main>
            <h1>"Redrive"</h1>
        </main>
    }
}
