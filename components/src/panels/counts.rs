//! Counts: how often each effect took place, and where every message is. The books add up.

use leptos::prelude::*;
use redrive::sim::time::grouped;
use redrive::view::EffectView;

use crate::dom::{Node, el, slot};
use crate::lab::Lab;

/// The tables.
#[must_use]
pub fn counts(lab: Lab) -> Node {
    let effects = slot(move || {
        let head = COLUMNS.iter().map(|(title, ..)| el("th").attr("scope", "col").says(*title));
        let head = el("thead").with(el("tr").with(el("th").says("effect")).with_all(head));
        let rows: Vec<Node> = lab.shown.with(|shown| shown.panels.effects.iter().map(effect_row).collect());
        vec![el("table").with(head).with(el("tbody").with_all(rows))]
    });
    let books = slot(move || {
        let books = lab.shown.with(|shown| shown.panels.books.clone());
        let last = books.len().saturating_sub(1);
        let rows = books.into_iter().enumerate().map(|(row, (place, count))| {
            let class = if row == last { "total" } else { "" };
            el("tr").class(class).with(el("th").attr("scope", "row").says(place)).with(el("td").says(grouped(count)))
        });
        vec![el("table").attr("id", "books").with(el("tbody").with_all(rows))]
    });
    let region = el("div").class("scroll").attr("tabindex", "0").attr("role", "region").attr("aria-label", "Effects, counted");
    el("details")
        .attr("id", "effects")
        .with(el("summary").says("Every effect, counted"))
        .with(region.with(effects))
        .with(el("h3").says("Where every message is"))
        .with(books)
}

/// A column: title, whether a count in it is harm, and how it is read.
type Column = (&'static str, bool, fn(&EffectView) -> u64);

const COLUMNS: [Column; 8] = [
    ("once", false, |row| row.once),
    ("twice", true, |row| row.twice),
    ("lost", true, |row| row.lost),
    ("pending", false, |row| row.pending),
    ("dead", false, |row| row.dead),
    ("late", false, |row| row.late),
    ("skipped", false, |row| row.skipped),
    ("out of order", false, |row| row.out_of_order),
];

fn effect_row(effect: &EffectView) -> Node {
    let cells = COLUMNS.map(|(title, harm, read)| {
        let count = read(effect);
        let class = if harm && count > 0 { "harm" } else { "" };
        el("td").attr("data-count", title).class(class).says(grouped(count))
    });
    el("tr")
        .attr("data-effect", effect.name.clone())
        .with(el("th").attr("scope", "row").says(effect.name.clone()))
        .with_all(cells)
}
