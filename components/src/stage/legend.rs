//! The legend: what colours and shapes mean, and what a token stands for where not every message is drawn.

use leptos::prelude::*;
use redrive::sim::time::grouped;

use crate::lab::Lab;

/// The legend under the stage.
#[component]
pub fn Legend(lab: Lab) -> impl IntoView {
    let one_of = Memo::new(move |_| lab.stage.with(|stage| stage.one_of));
    let sampled = move || match one_of.get() {
        0 | 1 => "every message is drawn".to_owned(),
        many => format!("1 of {} messages is drawn", grouped(many)),
    };
    let role = |class: &'static str, text: &'static str| {
        view! { <li><svg class="mark" viewBox="0 0 4 13" width="4" height="13"><rect class=class width="4" height="13" rx="2"></rect></svg>{text}</li> }
    };
    view! {
        <ul class="legend" aria-label="Legend">
            {role("fill service", "service")}
            {role("fill database", "database")}
            {role("fill cache", "cache")}
            {role("fill queue", "queue or stream")}
            {role("fill worker", "background worker")}
            <li class="gap"><svg class="mark" viewBox="0 0 24 24" width="20" height="20"><circle class="tok k0" cx="12" cy="12" r="8"></circle></svg>"in transit"</li>
            <li><svg class="mark" viewBox="0 0 24 24" width="20" height="20"><circle class="arc-back" cx="12" cy="12" r="8"></circle><path class="arc k0" d="M12 4A8 8 0 1 1 6 6.7"></path></svg>"hidden, comes back"</li>
            <li><svg class="mark" viewBox="0 0 24 24" width="20" height="20"><circle class="again" cx="12" cy="12" r="10.5"></circle><circle class="tok k0" cx="12" cy="12" r="7.5"></circle></svg>"given out again"</li>
            <li><svg class="mark" viewBox="0 0 24 24" width="20" height="20"><circle class="twice-ring" cx="12" cy="12" r="10.5"></circle><circle class="twice" cx="12" cy="12" r="7.5"></circle></svg>"took effect twice"</li>
            <li><svg class="mark" viewBox="0 0 24 24" width="20" height="20"><path class="poison" d="M12 2l10 10-10 10L2 12z"></path></svg>"poison"</li>
            <li><svg class="mark" viewBox="0 0 24 24" width="20" height="20"><circle class="ghost" cx="12" cy="12" r="8"></circle></svg>"lost"</li>
            <li class="sampled">{sampled}</li>
        </ul>
    }
}
