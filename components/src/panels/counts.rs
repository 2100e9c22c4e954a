//! Counts: how often each effect took place.

use leptos::prelude::*;
use redrive::observe::lists::{Fate, Which};
use redrive::sim::time::grouped;
use redrive::view::EffectView;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::ui::Ui;

/// The table.
#[must_use]
pub fn counts(lab: Lab, ui: Ui) -> Node {
    let effects = slot(move || {
        let head = COLUMNS.iter().map(|(title, ..)| el("th").attr("scope", "col").says(*title));
        let head = el("thead").with(el("tr").with(el("th").says("effect")).with_all(head));
        let effects = lab.shown.with(|shown| shown.panels.effects.clone());
        let rows = effects.iter().enumerate().map(|(bit, effect)| effect_row(lab, ui, bit as u8, effect));
        let rows: Vec<Node> = rows.collect();
        vec![el("table").with(head).with(el("tbody").with_all(rows))]
    });
    let region = el("div").class("scroll").attr("tabindex", "0").attr("role", "region").attr("aria-label", "Effects, counted");
    el("details").attr("id", "effects").with(el("summary").says("Every effect, counted")).with(region.with(effects))
}

/// A column: title, whether a count in it is harm, how it is read, and what its list has.
pub type Column = (&'static str, bool, fn(&EffectView) -> u64, Fate);

/// The columns of the table.
pub const COLUMNS: [Column; 8] = [
    ("once", false, |row| row.once, Fate::Once),
    ("twice", true, |row| row.twice, Fate::Twice),
    ("lost", true, |row| row.lost, Fate::Lost),
    ("pending", false, |row| row.pending, Fate::Pending),
    ("dead", false, |row| row.dead, Fate::Dead),
    ("late", false, |row| row.late, Fate::Late),
    ("skipped", false, |row| row.skipped, Fate::Skipped),
    ("out of order", false, |row| row.out_of_order, Fate::OutOfOrder),
];

fn effect_row(lab: Lab, ui: Ui, bit: u8, effect: &EffectView) -> Node {
    let cells = COLUMNS.map(|(title, harm, read, fate)| {
        let count = read(effect);
        let class = if harm && count > 0 { "harm" } else { "" };
        let title_of = [effect.name.as_str(), ", ", title].concat();
        let says = grouped(count);
        // Nought opens nothing; it stays a button, so that the focus is not lost when it is no longer nought.
        let open = button("count", says.clone())
            .attr("aria-label", [&says, " ", title, ", list them"].concat())
            .attr_if("disabled", (count == 0).then(String::new))
            .press(move || lab.open_list(ui, Which::Fate(fate, Some(bit)), title_of.clone()));
        el("td").attr("data-count", title).class(class).with(open)
    });
    el("tr")
        .attr("data-effect", effect.name.clone())
        .with(el("th").attr("scope", "row").says(effect.name.clone()))
        .with_all(cells)
}
