//! The choice of a broker for each queue, and what the choice changed.

use leptos::prelude::*;
use redrive::brokers::profile;
use redrive::sim::time::clock;
use wasm_bindgen::JsValue;

use super::figures::{Reads, lines, told};
use super::{Pair, QueueOf, broker_title};
use crate::brokers::rows;
use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::ui::{Sheet, Ui};

/// More queues than this choose in their own cards.
const IN_BAR: usize = 3;

/// The brokers of the scenario's queues, each a list to choose from.
#[must_use]
pub fn choices(lab: Lab) -> Vec<Node> {
    let queues = lab.opened.with(|open| open.as_ref().map(|open| open.queues.clone()).unwrap_or_default());
    if queues.is_empty() || queues.len() > IN_BAR {
        return Vec::new();
    }
    vec![el("div").class("switches").with_all(queues.iter().map(|queue| choice(lab, queue)))]
}

fn choice(lab: Lab, queue: &QueueOf) -> Node {
    let id = "broker-".to_owned() + &queue.id;
    el("div")
        .class("switch")
        .with(el("label").class("switch-title").attr("for", id.clone()).says(queue.title.clone() + " runs on"))
        .with(select(lab, queue).attr("id", id))
}

/// The list of brokers for one queue.
#[must_use]
pub fn select(lab: Lab, queue: &QueueOf) -> Node {
    let (part, broker) = (queue.id.clone(), queue.broker);
    let options = queue.choices.iter().map(|word| el("option").attr("value", *word).says(broker_title(word)));
    el("select").with_all(options).value(broker).on("change", move |event| {
        if let Err(faults) = lab.switch_broker(&part, &event_target_value(event)) {
            lab.said.set(faults.to_string());
            // The list shows again what is in force.
            if let Some(list) = event.target() {
                let _ = js_sys::Reflect::set(&list, &JsValue::from_str("value"), &JsValue::from_str(broker));
            }
        }
    })
}

/// What the choice changed, over the other panels.
#[must_use]
pub fn panel(lab: Lab, ui: Ui) -> Node {
    let commands = Memo::new(move |_| lab.shown.with(|shown| shown.commands.clone()));
    Effect::new(move || {
        lab.opened.track();
        commands.track();
        lab.check_versus();
    });
    slot(move || match lab.versus.pair.get() {
        Some(pair) => vec![section(lab, ui, &pair)],
        None => Vec::new(),
    })
}

fn section(lab: Lab, ui: Ui, pair: &Pair) -> Node {
    let [before, now] = pair.brokers.map(broker_title);
    let section = el("section").attr("id", "versus").attr("aria-labelledby", "versus-title");
    let title = el("h2").attr("id", "versus-title").says(pair.title.clone() + ": before and now");
    let close = button("link", "Hide").press(move || lab.versus.clear());
    let section = section.with(el("div").class("over-head").with(title).with(close));
    let [Some(was), Some(is)] = &pair.figures else {
        if pair.stopped {
            let again = pair.at_us;
            return section.with(button("btn", "Compare after all").press(move || lab.compare_at(again)));
        }
        let bar = el("progress")
            .attr("max", "1000")
            .attr("value", pair.done.to_string())
            .attr("aria-label", "Both runs are played for comparison");
        let says = ["plays both to ", &clock(pair.at_us)].concat();
        let stop = button("btn", "Stop comparing").press(move || lab.versus.stop());
        return section.with(el("div").class("busy").with(bar).with(el("span").class("soft").says(says)).with(stop));
    };
    let words = [now, " instead of ", before, ", at ", &clock(pair.at_us), ": "].concat();
    let section =
        section.with(el("p").attr("id", "versus-told").attr("role", "status").says(words).with(el("b").says(told(was, is))));
    let head = ["", before, now].map(|title| if title.is_empty() { el("td") } else { el("th").attr("scope", "col").says(title) });
    let body = lines(was, is).into_iter().map(|(title, was, is, reads)| {
        let look = match reads {
            Reads::Same => "",
            Reads::Other => "other",
            Reads::Worse => "harm",
        };
        el("tr").with(el("th").attr("scope", "row").says(title)).with(el("td").says(was)).with(el("td").class(look).says(is))
    });
    let table = el("table").with(el("thead").with(el("tr").with_all(head))).with(el("tbody").with_all(body));
    let moments = [
        button("btn", "Compare here").press(move || lab.compare_at(lab.now_us().max(1))),
        button("btn", "Compare at the end").press(move || {
            lab.compare_at(lab.opened.with_untracked(|open| open.as_ref().map_or(0, |open| open.until_us)));
        }),
    ];
    section.with(table).with(el("div").class("offers").with_all(moments)).with(why(ui, pair))
}

/// What may be the reason: rules and defaults that came with the broker.
fn why(ui: Ui, pair: &Pair) -> Node {
    let mut differ: Vec<(String, String, String)> = Vec::new();
    if let [Some(was), Some(is)] = pair.brokers.map(profile::named) {
        for ((title, was), (_, is)) in rows(&was.can).into_iter().zip(rows(&is.can)) {
            if was != is {
                differ.push((title.to_owned(), was.to_owned(), is.to_owned()));
            }
        }
    }
    let along = pair.along.iter().map(|(name, was, is)| (name.replace('_', " "), was.clone(), is.clone()));
    differ.extend(along);
    let rows = differ.into_iter().map(|(title, was, is)| {
        let says = if was.is_empty() { is } else { [&was, " → ", &is].concat() };
        [el("dt").says(title), el("dd").says(says)]
    });
    let all = button("link", "All rules of all brokers").press(move || ui.open(Sheet::Brokers));
    el("details")
        .with(el("summary").says("Rules and defaults that came with it"))
        .with(el("dl").class("came").with_all(rows.flatten()))
        .with(all)
}
