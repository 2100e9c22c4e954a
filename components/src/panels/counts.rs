//! Counts: how often each effect took place, and where every message is. The books add up.

use leptos::prelude::*;
use redrive::sim::time::grouped;
use redrive::view::EffectView;

use crate::dom::{Node, el, live};
use crate::lab::Lab;

/// The tables.
#[component]
pub fn Counts(lab: Lab) -> impl IntoView {
    let open = RwSignal::new(false);
    let effects = Memo::new(move |_| if open.get() { lab.panels.with(|panels| panels.effects.clone()) } else { Vec::new() });
    let books = Memo::new(move |_| if open.get() { lab.panels.with(|panels| panels.books.clone()) } else { Vec::new() });
    let toggled = move |event: web_sys::Event| {
        let details = event_target::<web_sys::HtmlDetailsElement>(&event);
        open.set(details.open());
    };
    let effects = live(move || {
        let head = COLUMNS.iter().map(|(title, ..)| el("th").attr("scope", "col").says(*title));
        let head = el("thead").with(el("tr").with(el("th").says("effect")).with_all(head));
        vec![el("table").with(head).with(el("tbody").with_all(effects.get().into_iter().map(effect_row)))]
    });
    let books = live(move || {
        let books = books.get();
        let last = books.len().saturating_sub(1);
        let rows = books.into_iter().enumerate().map(|(row, (place, count))| {
            let class = if row == last { "total" } else { "" };
            el("tr").class(class).with(el("th").attr("scope", "row").says(place)).with(el("td").says(grouped(count)))
        });
        vec![el("table").attr("id", "books").with(el("tbody").with_all(rows))]
    });
    view! {
        <details id="effects" on:toggle=toggled>
            <summary>"Every effect, counted"</summary>
            <div class="scroll" tabindex="0" role="region" aria-label="Effects, counted">{effects}</div>
            <h3>"Where every message is"</h3>
            {books}
        </details>
    }
    .into_any()
}

/// Columns: title, whether a count in it is harm, and how it is read.
const COLUMNS: [(&str, bool, fn(&EffectView) -> u64); 8] = [
    ("once", false, |row| row.once),
    ("twice", true, |row| row.twice),
    ("lost", true, |row| row.lost),
    ("pending", false, |row| row.pending),
    ("dead", false, |row| row.dead),
    ("late", false, |row| row.late),
    ("skipped", false, |row| row.skipped),
    ("out of order", false, |row| row.out_of_order),
];

fn effect_row(effect: EffectView) -> Node {
    let cells = COLUMNS.map(|(title, harm, read)| {
        let count = read(&effect);
        let class = if harm && count > 0 { "harm" } else { "" };
        el("td").attr("data-count", title).class(class).says(grouped(count))
    });
    el("tr").attr("data-effect", effect.name.clone()).with(el("th").attr("scope", "row").says(effect.name)).with_all(cells)
}
