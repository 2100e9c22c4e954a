//! The legend: what colours and shapes mean, and what a token stands for where not every message is drawn.

use leptos::prelude::*;
use redrive::scenario::parts::Role;
use redrive::sim::time::grouped;

use crate::lab::Lab;

/// Roles with their stripe and their name.
const ROLES: [(Role, &str, &str); 5] = [
    (Role::Service, "fill service", "service"),
    (Role::Database, "fill database", "database"),
    (Role::Cache, "fill cache", "cache"),
    (Role::Queue, "fill queue", "queue or stream"),
    (Role::Worker, "fill worker", "background worker"),
];

/// The legend under the stage.
#[component]
pub fn Legend(lab: Lab) -> impl IntoView {
    let one_of = Memo::new(move |_| lab.frame.with(|frame| frame.one_of));
    let sampled = move || match one_of.get() {
        0 | 1 => "every message is drawn".to_owned(),
        many => format!("1 of {} messages is drawn", grouped(many)),
    };
    let roles = Memo::new(move |_| {
        lab.stage.with(|stage| ROLES.map(|(role, ..)| stage.parts.iter().any(|part| part.role == role)))
    });
    let role = |index: usize| {
        let (_, class, text) = ROLES[index];
        view! { <li hidden=move || !roles.get()[index]><svg class="mark" viewBox="0 0 4 13" width="4" height="13"><rect class=class width="4" height="13" rx="2"></rect></svg>{text}</li> }
    };
    view! {
        <ul class="legend" aria-label="Legend">
            {(0..ROLES.len()).map(role).collect_view()}
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
