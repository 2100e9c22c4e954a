//! What is read aloud as the run goes on: a summary, politely and seldom.

use leptos::prelude::*;

use crate::lab::Lab;
use crate::player::wall_ms;

/// Milliseconds between two summaries.
const SELDOM_MS: f64 = 5_000.0;

/// A region that is read aloud when it changes: the verdict and the newest finding, every few seconds at most.
#[component]
pub fn Announcer(lab: Lab) -> impl IntoView {
    let summary = RwSignal::new(String::new());
    let last_ms = StoredValue::new(f64::MIN);
    Effect::new(move || {
        let panels = lab.shown.with(|shown| shown.panels.clone());
        let playing = lab.playing.get();
        let mut text = [panels.users.verdict.as_str(), " ", &panels.users.harm, &panels.users.tail].concat();
        if let Some(beside) = lab.beside.get() {
            text.push(' ');
            text.push_str(&crate::compare::panel::sentence(&beside, &panels));
        }
        if let Some(finding) = panels.findings.last() {
            text.push_str(" Newest: ");
            text.push_str(&finding.text);
        }
        let now_ms = wall_ms();
        if summary.with_untracked(|old| *old == text) || (playing && now_ms - last_ms.get_value() < SELDOM_MS) {
            return;
        }
        last_ms.set_value(now_ms);
        summary.set(text);
    });
    view! { <div class="aloud" role="status" aria-live="polite">{summary}</div> }.into_any()
}
