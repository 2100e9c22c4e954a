//! The four panels: what users see, what breaks, how you notice, what to do; and under them counts and the event log.

mod breaks;
mod counts;
mod cures;
mod eventlog;
mod notice;
mod users;

use leptos::prelude::*;

use crate::lab::Lab;
use crate::ui::{Tab, Ui};

/// The panels. On a narrow page they are a sheet with tabs.
#[component]
pub fn Panels(lab: Lab, ui: Ui) -> impl IntoView {
    let shown = move || Tab::ALL.iter().find(|(tab, ..)| *tab == ui.tab.get()).map_or("users", |(_, _, section)| section);
    let tabs = Tab::ALL.map(|(tab, title, section)| {
        let on = move || ui.tab.get() == tab;
        view! {
            <button type="button" role="tab" class="tab" class:on=on aria-selected=move || if on() { "true" } else { "false" }
                aria-controls=section on:click=move |_| ui.tab.set(tab)>{title}</button>
        }
    });
    view! {
        <aside aria-label="What the run shows" data-tab=shown>
            <div class="tabs" role="tablist" aria-label="Panels">{tabs.to_vec()}</div>
            <users::Users lab />
            <breaks::Breaks lab />
            <notice::Notice lab />
            <cures::Cures lab />
            <section id="counts">
                <counts::Counts lab />
                <eventlog::EventLog lab />
            </section>
        </aside>
    }
}
