//! The event log: what happened, as text, newest first.

use leptos::prelude::*;
use redrive::sim::time::clock;

use crate::lab::{Lab, Selection};
use crate::stage::level_word;

/// The log. It is read only while it is open.
#[component]
pub fn EventLog(lab: Lab) -> impl IntoView {
    let toggled = move |event: leptos::ev::Event| {
        lab.logging.set(event_target::<web_sys::HtmlDetailsElement>(&event).open());
        lab.refresh();
    };
    let rows = move || {
        let log = lab.log.get();
        let rows = log.iter().rev().map(|line| {
            let text = line.text.clone();
            let what = match line.fact {
                Some(fact) => view! { <button type="button" class="link" on:click=move |_| lab.select(Selection::Message(fact))>{text}</button> }.into_any(),
                None => view! { <span>{text}</span> }.into_any(),
            };
            view! { <li><time>{clock(line.at_us)}</time><span class=format!("dot {}", level_word(line.level)) aria-hidden="true"></span>{what}</li> }
        });
        rows.collect_view()
    };
    view! {
        <details id="eventlog" on:toggle=toggled>
            <summary>"Event log"</summary>
            <ol class="scroll log" tabindex="0" aria-label="Happenings, newest first">{rows}</ol>
        </details>
    }
}
