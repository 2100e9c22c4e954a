//! The four panels: what users see, what breaks, how you notice, what to do; and under them counts and the event log.

mod breaks;
mod counts;
mod cures;
mod eventlog;
mod notice;
mod users;

use leptos::prelude::*;

use crate::dom::{button, el, live};
use crate::lab::Lab;
use crate::ui::{Tab, Ui};

/// The panels. On a narrow page they are a sheet with tabs.
#[component]
pub fn Panels(lab: Lab, ui: Ui) -> impl IntoView {
    let section = Signal::derive(move || {
        Tab::ALL.iter().find(|(tab, ..)| *tab == ui.tab.get()).map_or("users", |(_, _, section)| *section)
    });
    let empty = Signal::derive(move || lab.opened.with(Option::is_none));
    let tabs = live(move || {
        let tabs = Tab::ALL.into_iter().map(|(tab, title, section)| {
            let on = ui.tab.get() == tab;
            button(if on { "tab on" } else { "tab" }, title)
                .attr("role", "tab")
                .attr("aria-selected", if on { "true" } else { "false" })
                .attr("aria-controls", section)
                .press(move || ui.tab.set(tab))
        });
        vec![el("div").class("tabs").attr("role", "tablist").attr("aria-label", "Panels").with_all(tabs)]
    });
    view! {
        <aside aria-label="What the run shows" data-tab=section inert=empty>
            {tabs}
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
    .into_any()
}
