//! What breaks: findings in causal order. A click goes to the moment.

use leptos::prelude::*;
use redrive::sim::time::clock;

use crate::lab::Lab;
use crate::stage::level_word;

/// The panel.
#[component]
pub fn Breaks(lab: Lab) -> impl IntoView {
    let findings = Memo::new(move |_| lab.panels.with(|panels| panels.findings.clone()));
    let rows = move || {
        let findings = findings.get();
        if findings.is_empty() {
            return view! { <p class="sub">"Nothing is broken. Click a box to break it."</p> }.into_any();
        }
        let rows = findings.into_iter().map(|finding| {
            let at_us = finding.at_us;
            let dot = format!("dot {}", level_word(finding.level));
            view! {
                <li><button type="button" class="row" on:click=move |_| lab.travel(at_us)>
                    <span class=dot aria-hidden="true"></span>
                    <span><b>{finding.text}</b><span class="why">{finding.why}</span></span>
                    <time>{clock(at_us)}</time>
                </button></li>
            }
        });
        view! { <ol class="rows">{rows.collect_view()}</ol> }.into_any()
    };
    view! { <section id="breaks"><h2>"What breaks"</h2>{rows}</section> }
}
