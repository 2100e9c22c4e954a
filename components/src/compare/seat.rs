//! Over each of two stages: what its run is called, whether commands go to it, and the way to go on with it alone; and
//! the note that a run was changed in its past.

use leptos::prelude::*;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;

/// What each seat is called: letters, so that a table and a sentence can speak of them.
pub const SEATS: [&str; 2] = ["A", "B"];

/// The bar over the stage of a seat. Nothing where there is one run.
#[must_use]
pub fn head(lab: Lab, seat: usize) -> Vec<Node> {
    let Some((name, own)) = lab.beside.with(|beside| beside.as_ref().map(|beside| (beside.names[seat].clone(), beside.own)))
    else {
        return Vec::new();
    };
    let own = own == seat;
    let letter = SEATS[seat];
    let takes = [if own { "Commands go to " } else { "Give commands to " }, letter].concat();
    let take = button(if own { "seg-part on" } else { "seg-part" }, takes)
        .attr("id", ["take-", letter].concat())
        .attr("aria-pressed", if own { "true" } else { "false" })
        .press(move || lab.take_seat(seat));
    let keep = button("btn", ["Keep ", letter].concat())
        .attr("id", ["keep-", letter].concat())
        .attr("title", "Ends the comparison and goes on with this one")
        .press(move || lab.keep_seat(seat));
    vec![
        el("div")
            .class("seat-head")
            .with(el("b").class("seat-letter").says(letter))
            .with(el("span").class("seat-name").attr("title", name.clone()).says(name))
            .with(el("span").class("seg").with(take))
            .with(keep),
    ]
}

/// The note that a run was changed in its past, with what can be done about it.
#[must_use]
pub fn note(lab: Lab) -> Node {
    slot(move || {
        let said = lab.forked.get();
        if said.is_empty() {
            return Vec::new();
        }
        let compare = button("btn", "Compare with the run before").attr("id", "compare-before").press(move || {
            if let Some(before) = lab.before()
                && let Err(faults) = lab.lay_beside(&before, true)
            {
                lab.said.set(super::line_of(&faults));
            }
        });
        let hide = button("link", "Dismiss").press(move || lab.forked.set(String::new()));
        vec![
            el("div")
                .class("fork-note")
                .attr("id", "forked")
                .with(el("span").attr("role", "status").says(said))
                .with(compare)
                .with(hide),
        ]
    })
}
