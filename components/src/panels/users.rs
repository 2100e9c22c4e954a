//! What users see: one sentence with its harm, the newest outcomes as a waffle, and the counts.

use leptos::prelude::*;
use redrive::observe::ledger::Outcome;
use redrive::observe::lists::Which;
use redrive::sim::time::grouped;
use redrive::view::{UserLevel, UsersView};

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::ui::Ui;

/// Cells of the waffle.
const CELLS: usize = 240;
/// Cells of a row.
const ROW: usize = 30;

/// Rows that so many users need: 1, 2, 4 or 8.
fn rows(users: usize) -> usize {
    [1, 2, 4].into_iter().find(|rows| users <= rows * ROW).unwrap_or(CELLS / ROW)
}

fn class(level: Option<UserLevel>) -> &'static str {
    match level {
        Some(UserLevel::AsPromised) => "good",
        Some(UserLevel::Late) => "late",
        Some(UserLevel::Twice) => "twice",
        Some(UserLevel::Never) => "never",
        Some(UserLevel::Refused) => "refused",
        Some(UserLevel::Waiting) => "wait",
        None => "none",
    }
}

/// The panel.
#[must_use]
pub fn users(lab: Lab, ui: Ui) -> Node {
    let verdict = slot(move || {
        lab.shown.with(|shown| {
            let users = &shown.panels.users;
            let harm = el("em").says(users.harm.clone());
            let verdict = el("p").class("verdict").attr("id", "verdict").says(users.verdict.clone() + " ");
            vec![verdict.with(harm).says(users.tail.clone()), el("div").class("sub").says(newest(users))]
        })
    });
    let waffle = slot(move || lab.shown.with(|shown| vec![waffle(&shown.panels.users)]));
    let key = slot(move || lab.shown.with(|shown| vec![key(lab, ui, &shown.panels.users)]));
    el("section").attr("id", "users").with(el("h2").says("What users see")).with(verdict).with(waffle).with(key)
}

/// What the waffle shows.
fn newest(users: &UsersView) -> String {
    match (users.newest.len(), users.one_of) {
        (0, _) => "nobody has come yet".to_owned(),
        (1, _) => "the only one so far".to_owned(),
        (many, 0 | 1) => format!("last {many}, newest right"),
        (many, each) => format!("last {many}, newest right; each stands for {}", grouped(each)),
    }
}

/// One cell a user, newest right, column by column.
#[must_use]
pub fn waffle(users: &UsersView) -> Node {
    let count = |level| users.newest.iter().filter(|other| **other == level).count();
    let label = format!(
        "Of the newest {}: {} as promised, {} late, {} twice, {} never, {} refused, {} waiting.",
        users.newest.len(),
        count(UserLevel::AsPromised),
        count(UserLevel::Late),
        count(UserLevel::Twice),
        count(UserLevel::Never),
        count(UserLevel::Refused),
        count(UserLevel::Waiting)
    );
    let rows = rows(users.newest.len());
    let look = match rows {
        1 => "waffle rows-1",
        2 => "waffle rows-2",
        4 => "waffle rows-4",
        _ => "waffle",
    };
    let empty = (rows * ROW).saturating_sub(users.newest.len());
    let cells = (0..rows * ROW).map(|place| {
        let level = place.checked_sub(empty).and_then(|place| users.newest.get(place));
        el("i").class(class(level.copied()))
    });
    el("div").class(look).attr("role", "img").attr("aria-label", label).with_all(cells)
}

/// What users may have got: class, title, count and outcome.
#[must_use]
pub fn outcomes(users: &UsersView) -> [(&'static str, &'static str, u64, Outcome); 6] {
    [
        ("good", "served", users.served, Outcome::Served),
        ("late", "late", users.late, Outcome::Late),
        ("twice", "twice", users.twice, Outcome::Twice),
        ("never", "never", users.never, Outcome::Never),
        ("refused", "refused", users.refused, Outcome::Refused),
        ("wait", "waiting", users.waiting, Outcome::Waiting),
    ]
}

/// The counts over the whole run.
fn key(lab: Lab, ui: Ui, users: &UsersView) -> Node {
    let shown = outcomes(users).into_iter().filter(|(class, _, count, _)| *count > 0 || *class == "good");
    let rows = shown.map(|(class, title, count, outcome)| {
        let open = button("count", "").attr("title", "List them").with(el("i").class(class)).says([title, " "].concat());
        let open = open.with(el("b").says(grouped(count)));
        let title = ["users, ", title].concat();
        let open = open.press(move || lab.open_list(ui, Which::User(outcome), title.clone()));
        el("li").attr("data-count", class).with(open)
    });
    el("ul").class("key").with_all(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_users_need_few_rows() {
        assert_eq!([0, 10, 30, 31, 100, 240].map(rows), [1, 1, 1, 2, 4, 8]);
    }
}
