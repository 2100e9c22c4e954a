//! Over the stage: what there is to see, the scenario's switches, and the question to predict the run by.

use leptos::prelude::*;

use crate::dom::{Node, button, el, fixed, live};
use crate::lab::Lab;
use crate::state::Switch;
use crate::store;
use crate::versus::panel::choices;

/// The bar over the stage.
#[component]
pub fn Topbar(lab: Lab) -> impl IntoView {
    let brokers = live(move || choices(lab));
    let wrong = RwSignal::new(String::new());
    let summary = live(move || {
        let summary = lab.opened.with(|open| open.as_ref().map(|open| open.summary.clone()).unwrap_or_default());
        vec![el("p").class("summary").says(summary)]
    });
    let switches = live(move || {
        let switches = lab.opened.with(|open| open.as_ref().map(|open| open.switches.clone()).unwrap_or_default());
        if switches.is_empty() {
            return Vec::new();
        }
        let switches = switches.into_iter().map(|switch| switch_bar(lab, switch, wrong));
        vec![
            el("div").class("switches").with_all(switches.collect::<Vec<Node>>()),
            el("span").class("wrong").attr("role", "alert").says(wrong.get()),
        ]
    });
    view! { <div class="topbar">{summary}<Back lab />{fixed(vec![crate::compare::seat::note(lab)])}{switches}{brokers}{prediction(lab)}</div> }.into_any()
}

/// A switch as a row of buttons of which one is pressed.
fn switch_bar(lab: Lab, switch: Switch, wrong: RwSignal<String>) -> Node {
    let setting = format!("lab.{}", switch.name);
    let choices = switch.choices.into_iter().map(|(word, title)| {
        let on = word == switch.value;
        let (setting, id) = (setting.clone(), format!("switch-{}-{word}", switch.name));
        let take = move || {
            let (setting, word) = (setting.clone(), word.clone());
            let reopened = lab.reopen(move |run| {
                run.sets.retain(|(name, _)| *name != setting);
                run.sets.push((setting, word));
            });
            wrong.set(reopened.err().map(|faults| faults.to_string()).unwrap_or_default());
        };
        button(if on { "seg-part on" } else { "seg-part" }, title)
            .attr("id", id)
            .attr("aria-pressed", if on { "true" } else { "false" })
            .press(take)
    });
    let choices = el("span").class("seg").with_all(choices.collect::<Vec<Node>>());
    el("div")
        .class("switch")
        .attr("role", "group")
        .attr("aria-label", switch.title.clone())
        .with(el("span").class("switch-title").says(switch.title))
        .with(choices)
}

const ANSWERS: [&str; 3] = ["never", "once", "twice"];

fn word(count: u32) -> String {
    match ANSWERS.get(count as usize) {
        Some(word) => (*word).to_owned(),
        None => format!("{count} times"),
    }
}

/// What is said of a prediction.
fn said(guess: Option<u32>, counted: Option<u32>, over: bool) -> String {
    let Some(guess) = guess else { return "Predict, then run it.".to_owned() };
    let so_far = word(counted.unwrap_or(0));
    match (over, counted) {
        (true, Some(count)) if count == guess => format!("The ledger counted: {so_far}. As you said."),
        (true, _) => format!("You said {}; the ledger counted: {so_far}.", word(guess)),
        (false, _) => format!("You said {}. So far: {so_far}.", word(guess)),
    }
}

/// The prediction before the run, and what the run said.
fn prediction(lab: Lab) -> AnyView {
    let guess = RwSignal::new(None::<u32>);
    let over = Memo::new(move |_| {
        let until_us = lab.opened.with(|open| open.as_ref().map_or(0, |open| open.until_us));
        until_us > 0 && lab.frame.with(|frame| frame.now_us >= until_us)
    });
    // Another run, another prediction.
    Effect::new(move || {
        lab.opened.track();
        guess.set(None);
    });
    live(move || {
        let Some(ask) = lab.opened.with(|open| open.as_ref().and_then(|open| open.ask.clone())) else { return Vec::new() };
        let answers = (0..3_u32).map(|count| {
            let on = guess.get() == Some(count);
            button(if on { "btn pri" } else { "btn" }, ANSWERS[count as usize])
                .attr("aria-pressed", if on { "true" } else { "false" })
                .press(move || guess.set(Some(count)))
        });
        let answers = el("span").class("answers").attr("role", "group").attr("aria-label", "Your prediction").with_all(answers);
        let verdict = el("span").class("soft").attr("id", "ask-verdict").attr("role", "status");
        let ask = el("div")
            .class("ask")
            .attr("id", "ask")
            .attr("data-effect", ask.effect)
            .with(el("span").with(el("b").says("Before you run it: ")).says(ask.text))
            .with(answers)
            .with(verdict.says(said(guess.get(), lab.shown.with(|shown| shown.answer), over.get())));
        vec![ask]
    })
}

/// The way back to the visitor's own run of this scenario.
#[component]
fn Back(lab: Lab) -> impl IntoView {
    let own = Memo::new(move |_| {
        let opened = lab.opened.get()?;
        if lab.shown.with(|shown| !shown.commands.is_empty()) && !opened.shared {
            return None;
        }
        let mut kept = store::runs().into_iter().filter(|run| run.id == opened.id).peekable();
        kept.peek()?;
        let open = lab.run().map(|run| run.to_link());
        kept.find(|run| Some(&run.link) != open.as_ref()).map(|run| (run.link, run.at_us))
    });
    live(move || {
        let mut nodes = Vec::new();
        if lab.opened.with(|open| open.as_ref().is_some_and(|open| open.shared)) {
            nodes.push(el("p").class("note").says("A shared run. Your own runs are kept as they were."));
        }
        if let Some((link, at_us)) = own.get() {
            let address = format!("#{}", crate::route::shared(&link, at_us));
            nodes.push(el("a").class("btn").attr("id", "back-to-own").attr("href", address).says("Back to your run"));
        }
        nodes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_is_held_against_the_count() {
        assert_eq!(said(None, Some(2), true), "Predict, then run it.");
        assert_eq!(said(Some(1), Some(0), false), "You said once. So far: never.");
        assert_eq!(said(Some(1), Some(2), true), "You said once; the ledger counted: twice.");
        assert_eq!(said(Some(2), Some(2), true), "The ledger counted: twice. As you said.");
        assert_eq!(said(Some(2), Some(7), true), "You said twice; the ledger counted: 7 times.");
    }
}
