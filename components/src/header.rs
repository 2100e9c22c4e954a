//! The header: what is open, its seed, and what can be done with the run as a whole.

use leptos::prelude::*;

use crate::lab::Lab;
use crate::page::{Page, Theme};
use crate::ui::{Sheet, Ui};

/// The header.
#[component]
pub fn Header(lab: Lab, page: Page, ui: Ui) -> impl IntoView {
    let group = move || lab.opened.with(|open| open.as_ref().map(|open| open.group.clone()).unwrap_or_default());
    let title =
        move || lab.opened.with(|open| open.as_ref().map_or_else(|| "Choose a scenario".into(), |open| open.title.clone()));
    let other = move || match page.worn().other() {
        Theme::Dark => "Dark",
        Theme::Light => "Light",
    };
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
                <button type="button" id="picker-open" class="crumb-button" aria-haspopup="dialog" on:click=move |_| ui.open(Sheet::Picker)>
                    <span class="crumb-group">{group}<span class="slash" aria-hidden="true">"/"</span></span>
                    <b>{title}</b>
                    <span aria-hidden="true">"▾"</span>
                </button>
            </h1>
            <Seed lab />
            <span class="space"></span>
            <button type="button" id="theme" class="btn quiet" aria-label=move || other().to_owned() + " theme" on:click=move |_| page.choose(page.worn().other())>{other}</button>
            <button type="button" id="find-open" class="btn" on:click=move |_| ui.open(Sheet::Find)>"Find message"</button>
            <button type="button" id="share" class="btn pri" on:click=move |_| ui.open(Sheet::Share)>"Share run"</button>
        </header>
    }
}

/// The seed: another one is another run of the same scenario.
#[component]
fn Seed(lab: Lab) -> impl IntoView {
    let seed = move || lab.opened.with(|open| open.as_ref().map_or(0, |open| open.seed)).to_string();
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
    view! {
        <label class="seed">
            "seed "
            <input id="seed" class="mono" inputmode="numeric" autocomplete="off" maxlength="20" prop:value=seed
                aria-invalid=move || wrong.with(|wrong| if wrong.is_empty() { "false" } else { "true" })
                on:change=move |event| take(event_target_value(&event)) />
            <span class="wrong" role="alert">{move || wrong.get()}</span>
        </label>
    }
}
