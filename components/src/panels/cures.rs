//! What to do: cures that send commands, and what the visitor did, each with a way to take it back.

use leptos::prelude::*;
use redrive::sim::time::clock;
use redrive::view::CureView;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;

/// The panel.
#[must_use]
pub fn cures(lab: Lab) -> Node {
    let wrong = RwSignal::new(String::new());
    // The reason of the cure that is pointed at, or else of the first.
    let pointed = RwSignal::new(0_usize);
    let buttons = slot(move || {
        let cures = lab.shown.with(|shown| shown.panels.cures.clone());
        let Some(shown) = cures.get(pointed.get()).or(cures.first()) else {
            return vec![el("p").class("sub").says("Nothing to mend right now.")];
        };
        let why = el("p").class("why").attr("id", "cure-why").says(shown.why.clone());
        let buttons = cures.into_iter().enumerate().map(|(place, cure)| cure_button(lab, cure, (pointed, place), wrong));
        vec![el("ul").class("fix").with_all(buttons.collect::<Vec<Node>>()), why]
    });
    let wrong = slot(move || vec![el("p").class("wrong").attr("role", "alert").says(wrong.get())]);
    el("section").attr("id", "cures").with(el("h2").says("What to do")).with(buttons).with(wrong).with(done(lab))
}

fn cure_button(lab: Lab, cure: CureView, (pointed, place): (RwSignal<usize>, usize), wrong: RwSignal<String>) -> Node {
    let (title, commands) = (cure.title.clone(), cure.commands);
    let apply = move || match lab.send(&commands) {
        Ok(()) => {
            wrong.set(String::new());
            lab.said.set(format!("{title}: from {} on.", clock(lab.now_us())));
        }
        Err(fault) => wrong.set(fault.to_string()),
    };
    let point = move || {
        if pointed.get_untracked() != place {
            pointed.set(place);
        }
    };
    el("li").who(cure.title.clone()).with(
        button("btn", cure.title)
            .attr("title", cure.why)
            .press(apply)
            .on("focus", move |_| point())
            .on("pointerenter", move |_| point()),
    )
}

/// What the visitor did.
fn done(lab: Lab) -> Node {
    slot(move || {
        let commands = lab.shown.with(|shown| shown.commands.clone());
        if commands.is_empty() {
            return Vec::new();
        }
        let rows = commands.into_iter().enumerate().map(|(index, timed)| {
            let text = timed.command.to_string();
            let withdraw = button("link", "withdraw").attr("aria-label", format!("Withdraw {text}"));
            el("li")
                .who([&clock(timed.at_us), " ", &text].concat())
                .with(el("time").says(clock(timed.at_us)))
                .with(el("code").says(text))
                .with(withdraw.press(move || lab.withdraw(index)))
        });
        vec![el("h3").says("What you did"), el("ul").class("did").attr("id", "did").with_all(rows.collect::<Vec<Node>>())]
    })
}
