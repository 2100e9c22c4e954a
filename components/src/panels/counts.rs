//! Counts: how often each effect took place, and where every message is. The books add up.

use leptos::prelude::*;
use redrive::sim::time::grouped;
use redrive::view::EffectView;

use crate::lab::Lab;

/// The tables.
#[component]
pub fn Counts(lab: Lab) -> impl IntoView {
    let open = RwSignal::new(false);
    let effects = Memo::new(move |_| if open.get() { lab.panels.with(|panels| panels.effects.clone()) } else { Vec::new() });
    let books = Memo::new(move |_| if open.get() { lab.panels.with(|panels| panels.books.clone()) } else { Vec::new() });
    let toggled = move |event: leptos::ev::Event| {
        let details = event_target::<web_sys::HtmlDetailsElement>(&event);
        open.set(details.open());
    };
    view! {
        <details id="effects" on:toggle=toggled>
            <summary>"Every effect, counted"</summary>
            <div class="scroll" tabindex="0" role="region" aria-label="Effects, counted">
                <table>
                    <thead><tr><th>"effect"</th>{COLUMNS.map(|(title, ..)| view! { <th scope="col">{title}</th> }).to_vec()}</tr></thead>
                    <tbody>{move || effects.get().into_iter().map(effect_row).collect_view()}</tbody>
                </table>
            </div>
            <h3>"Where every message is"</h3>
            <table id="books"><tbody>
                {move || {
                    let books = books.get();
                    let last = books.len().saturating_sub(1);
                    books.into_iter().enumerate().map(|(row, (place, count))| view! {
                        <tr class:total=row == last><th scope="row">{place}</th><td>{grouped(count)}</td></tr>
                    }).collect_view()
                }}
            </tbody></table>
        </details>
    }
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

fn effect_row(effect: EffectView) -> impl IntoView {
    let cells = COLUMNS.map(|(title, harm, read)| {
        let count = read(&effect);
        let harm = harm && count > 0;
        view! { <td data-count=title class:harm=harm>{grouped(count)}</td> }
    });
    let name = effect.name.clone();
    view! { <tr data-effect=name><th scope="row">{effect.name}</th>{cells.to_vec()}</tr> }
}
