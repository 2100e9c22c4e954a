//! The books: where every copy of every message is, with a bar a place, and the sum spelled out.

use leptos::prelude::*;
use redrive::sim::time::grouped;
use redrive::view::{BookRow, BooksView};

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::stage::level_word;
use crate::ui::Ui;

/// The panel.
#[must_use]
pub fn books(lab: Lab, ui: Ui) -> Node {
    // At a desk it is opened by its heading; on a narrow page it has a tab of its own, and is open there always.
    let open = RwSignal::new(false);
    let head = slot(move || {
        let is_open = open.get();
        let total = lab.shown.with(|shown| shown.panels.books.total);
        let title = button("books-head", "Books")
            .attr("id", "books-open")
            .attr("aria-expanded", if is_open { "true" } else { "false" })
            .attr("aria-controls", "books-body")
            .press(move || open.update(|open| *open = !*open));
        let says =
            [grouped(total).as_str(), if total == 1 { " copy, in one place" } else { " copies, each in one place" }].concat();
        vec![el("h2").attr("id", "books-title").with(title), el("p").class("sub").says(says)]
    });
    let table = slot(move || {
        let look = if open.get() { "books-body open" } else { "books-body" };
        let inside = lab.shown.with(|shown| table(lab, ui, &shown.panels.books));
        vec![el("div").attr("id", "books-body").class(look).with_all(inside)]
    });
    el("section").attr("id", "books").attr("tabindex", "0").attr("aria-labelledby", "books-title").with(head).with(table)
}

fn table(lab: Lab, ui: Ui, books: &BooksView) -> Vec<Node> {
    if books.total == 0 {
        return vec![el("p").class("sub").says("There is no message yet.")];
    }
    // What is somewhere is little beside all that has ended: each kind has bars of its own measure.
    let live: u64 = books.rows.iter().filter(|row| !row.part.is_empty()).map(|row| row.count).sum();
    let rows = books.rows.iter().map(|book| row(lab, ui, book, if book.part.is_empty() { books.total } else { live }));
    let total = el("tr")
        .class("total")
        .with(el("th").attr("scope", "row").says("copies ever made"))
        .with(el("td"))
        .with(el("td").attr("id", "books-total").says(grouped(books.total)));
    let counts: Vec<String> = books.rows.iter().filter(|row| row.count > 0).map(|row| grouped(row.count)).collect();
    let sum = [&counts.join(" + "), " = ", &grouped(books.total)].concat();
    let why = "Every copy is in one place, or has ended. In a log a record counts once for each group that is to read it.";
    vec![
        el("table").with(el("tbody").with_all(rows).with(total)),
        el("p").class("mono small sum").attr("id", "books-sum").says(sum),
        el("p").class("why").says(why),
    ]
}

fn row(lab: Lab, ui: Ui, book: &BookRow, of: u64) -> Node {
    let says = grouped(book.count);
    let name = if book.part.is_empty() { book.what.clone() } else { [&book.part, ": ", &book.what].concat() };
    // The bar of a place that is not empty can be seen.
    let share = (book.count.saturating_mul(1_000) / of.max(1)).max(if book.count > 0 { 12 } else { 0 });
    let bar = el("svg")
        .class(["tally ", level_word(book.level)].concat())
        .attr("viewBox", "0 0 1000 1")
        .attr("preserveAspectRatio", "none")
        .attr("aria-hidden", "true")
        .with(el("rect").attr("width", share.to_string()).attr("height", "1"));
    let count = match book.list.clone().filter(|_| book.count > 0) {
        Some(list) => {
            let title = name.clone();
            button("count", says.clone())
                .attr("aria-label", [&says, " ", &name, ", list them"].concat())
                .press(move || lab.open_list(ui, list.clone(), title.clone()))
        }
        None => el("span").says(says),
    };
    let what = if book.part.is_empty() {
        vec![el("span").says(book.what.clone())]
    } else {
        vec![el("b").says(book.part.clone()), el("span").says([" ", &book.what].concat())]
    };
    el("tr")
        .attr("data-book", name)
        .with(el("th").attr("scope", "row").with_all(what))
        .with(el("td").class("tally-of").with(bar))
        .with(el("td").class("mono").with(count))
}
