//! How you notice: rules that fired, with how long after the fault; and rules that stayed silent, with why.

use leptos::prelude::*;
use redrive::sim::time::{clock, spoken};
use redrive::view::AlertView;

use crate::lab::Lab;

/// The panel.
#[component]
pub fn Notice(lab: Lab) -> impl IntoView {
    let alerts = Memo::new(move |_| lab.panels.with(|panels| panels.alerts.clone()));
    let rows = move || {
        let alerts = alerts.get();
        if alerts.is_empty() {
            return view! { <p class="sub">"No rule watches this."</p> }.into_any();
        }
        view! { <ul class="rows">{alerts.into_iter().map(|alert| row(lab, alert)).collect_view()}</ul> }.into_any()
    };
    view! { <section id="notice"><h2>"How you notice"</h2>{rows}</section> }
}

fn row(lab: Lab, alert: AlertView) -> AnyView {
    let Some(at_us) = alert.at_us else {
        return view! {
            <li class="row silent" data-rule=alert.rule>
                <span class="ring" role="img" aria-label="silent">"○"</span>
                <span class="sub">{alert.text}": "{alert.why}</span>
                <time></time>
            </li>
        }
        .into_any();
    };
    let after = alert.after_us.map(|after_us| format!(", after {}", spoken(after_us))).unwrap_or_default();
    let cleared = alert.cleared_us.map(|at_us| format!(", cleared at {}", clock(at_us))).unwrap_or_default();
    view! {
        <li data-rule=alert.rule data-after=alert.after_us.map(|after_us| after_us.to_string())><button type="button" class="row" on:click=move |_| lab.travel(at_us)>
            <svg class="bell" width="13" height="14" viewBox="0 0 13 14" role="img" aria-label="fired">
                <path d="M6.5 0a1 1 0 0 1 1 1v.6A4 4 0 0 1 10.5 5.5V9l1.5 1.8H1L2.5 9V5.5A4 4 0 0 1 5.5 1.6V1a1 1 0 0 1 1-1zM5 12h3a1.5 1.5 0 0 1-3 0z"></path>
            </svg>
            <span>{alert.text}<span class="sub">{after}{cleared}</span></span>
            <time>{clock(at_us)}</time>
        </button></li>
    }
    .into_any()
}
