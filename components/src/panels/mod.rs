//! The four panels: what users see, what breaks, how you notice, what to do; and under them the books, counts and the event
//! log.

mod books;
mod breaks;
mod counts;
mod cures;
mod eventlog;
mod health;
mod notice;
mod rules;
pub mod users;

pub use counts::COLUMNS;
pub use health::strip;
pub use rules::rules;
pub use users::outcomes;

use leptos::prelude::*;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::ui::{Tab, Ui};

/// The panels. On a narrow page they are a sheet with tabs.
#[must_use]
pub fn panels(lab: Lab, ui: Ui) -> Node {
    let tabs = slot(move || {
        // The tab that a narrow page shows, and whether there is anything to show at all.
        let section = Tab::ALL.iter().find(|(tab, ..)| *tab == ui.tab.get()).map_or("users", |(_, _, section)| section);
        let empty = lab.opened.with(Option::is_none);
        if let Some(aside) = document().get_element_by_id("panels") {
            let _ = aside.set_attribute("data-tab", section);
            let _ = aside.toggle_attribute_with_force("inert", empty);
        }
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
    let counts = el("section").attr("id", "counts").with(counts::counts(lab, ui)).with(eventlog::event_log(lab));
    el("aside")
        .attr("id", "panels")
        .attr("aria-label", "What the run shows")
        .attr("data-tab", "users")
        .with(tabs)
        .with(crate::versus::panel::panel(lab, ui))
        .with_all(crate::compare::panel::sections(lab))
        .with(users::users(lab, ui))
        .with(breaks::breaks(lab))
        .with(notice::notice(lab, ui))
        .with(cures::cures(lab))
        .with(books::books(lab, ui))
        .with(counts)
}
