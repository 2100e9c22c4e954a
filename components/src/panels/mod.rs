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
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, KeyboardEvent};

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
                .attr("tabindex", if on { "0" } else { "-1" })
                .press(move || ui.tab.set(tab))
        });
        let list = el("div").class("tabs").attr("role", "tablist").attr("aria-label", "Panels");
        vec![list.on("keydown", move |event| steer(ui, event)).with_all(tabs)]
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

/// The tab that a key of a list of tabs leads to from another.
fn tab_after(tab: Tab, key: &str) -> Option<(Tab, &'static str)> {
    let count = Tab::ALL.len();
    let at = Tab::ALL.iter().position(|(other, ..)| *other == tab)?;
    let to = match key {
        "ArrowLeft" => (at + count - 1) % count,
        "ArrowRight" => (at + 1) % count,
        "Home" => 0,
        "End" => count - 1,
        _ => return None,
    };
    let (tab, _, section) = Tab::ALL[to];
    Some((tab, section))
}

/// Goes from tab to tab by the arrows. Here they do not move the run.
fn steer(ui: Ui, event: &Event) {
    let Some(key) = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key) else { return };
    let Some((tab, section)) = tab_after(ui.tab.get_untracked(), &key) else { return };
    event.prevent_default();
    event.stop_propagation();
    ui.tab.set(tab);
    let there = document().query_selector(&["#panels [aria-controls=", section, "]"].concat()).ok().flatten();
    if let Some(there) = there.and_then(|there| there.dyn_into::<HtmlElement>().ok()) {
        let _ = there.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arrows_go_round() {
        let tab = |from, key| tab_after(from, key).map(|(tab, _)| tab);
        assert_eq!([tab(Tab::Users, "ArrowLeft"), tab(Tab::Log, "ArrowRight")], [Some(Tab::Log), Some(Tab::Users)]);
        assert_eq!([tab(Tab::Notice, "Home"), tab(Tab::Notice, "End")], [Some(Tab::Users), Some(Tab::Log)]);
        assert_eq!(tab(Tab::Users, "n"), None, "any other key means what it does anywhere");
    }
}
