//! The header: what is open, its seed, and what can be done with the run as a whole.

use leptos::prelude::*;

use crate::dom::{button, el, live};
use crate::lab::Lab;
use crate::page::{Page, Theme};
use crate::ui::{Sheet, Ui};

/// The header.
#[component]
pub fn Header(lab: Lab, page: Page, ui: Ui) -> impl IntoView {
    let none = Signal::derive(move || lab.opened.with(Option::is_none));
    let crumb = live(move || {
        let opened = lab.opened.get();
        let (group, title) = match &opened {
            Some(opened) => (opened.group.clone() + " ", opened.title.clone()),
            None => (String::new(), "Choose a scenario".to_owned()),
        };
        let slash = el("span").class("slash").attr("aria-hidden", "true").says(if opened.is_some() { "/" } else { "" });
        vec![
            el("span").class("crumb-group").says(group).with(slash),
            el("b").says(title),
            el("span").attr("aria-hidden", "true").says("▾"),
        ]
    });
    let theme = live(move || {
        let other = page.worn().other();
        let says = if other == Theme::Dark { "Dark" } else { "Light" };
        let theme = button("btn quiet", says).attr("id", "theme").attr("aria-label", format!("{says} theme"));
        vec![theme.press(move || page.choose(other))]
    });
    view! {
        <header>
            <span class="brand">
                <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
                    <path class="brand-arrow" d="M4 11a7 7 0 1 1 2.2 5.1"></path>
                    <path class="brand-arrow" d="M3 18.6l3.1-2.7 2.6 3.2"></path>
                    <circle class="brand-dot" cx="11" cy="11" r="2.6"></circle>
                </svg>
                <span class="brand-name">"Redrive"</span>
            </span>
            <h1 class="crumb">
                <button type="button" id="picker-open" class="crumb-button" aria-haspopup="dialog" on:click=move |_| ui.open(Sheet::Picker)>{crumb}</button>
            </h1>
            <Seed lab none />
            <span class="space"></span>
            {theme}
            <button type="button" id="find-open" class="btn" disabled=none on:click=move |_| ui.open(Sheet::Find)>"Find message"</button>
            <button type="button" id="share" class="btn pri" disabled=none on:click=move |_| ui.open(Sheet::Share)>"Share run"</button>
        </header>
    }
    .into_any()
}

/// The seed: another one is another run of the same scenario.
#[component]
fn Seed(lab: Lab, none: Signal<bool>) -> impl IntoView {
    let seed = Signal::derive(move || lab.opened.with(|open| open.as_ref().map_or(0, |open| open.seed)).to_string());
    let wrong = RwSignal::new(String::new());
    let take = move |text: String| match text.trim().parse::<u64>() {
        Ok(seed) => {
            wrong.set(String::new());
            if let Err(faults) = lab.reopen(|run| run.seed = Some(seed)) {
                wrong.set(faults.to_string());
            }
        }
        Err(_) => wrong.set("a whole number".into()),
    };
    let invalid = Signal::derive(move || if wrong.with(String::is_empty) { "false" } else { "true" });
    view! {
        <label class="seed" hidden=none>
            "seed "
            <input id="seed" class="mono" inputmode="numeric" autocomplete="off" maxlength="20" prop:value=seed aria-invalid=invalid
                on:change=move |event| take(event_target_value(&event)) />
            <span class="wrong" role="alert">{wrong}</span>
        </label>
    }
    .into_any()
}
