//! A part's settings as form controls. A change takes effect at once; what is not allowed is said beside the control.

use leptos::prelude::*;
use redrive::scenario::setting::Form;
use redrive::view::SettingView;
use web_sys::HtmlInputElement;

use crate::dom::{Node, el, slot, text};
use crate::lab::Lab;
use crate::versus::panel::select;

/// The settings of the open part.
#[must_use]
pub fn settings(lab: Lab, part: String) -> Node {
    // Of the setting that was last refused: its name and why.
    let wrong = RwSignal::new((String::new(), String::new()));
    slot(move || {
        let rows = lab.shown.with(|shown| shown.inspect.as_ref().map(|view| view.settings.clone()).unwrap_or_default());
        let wrong_now = wrong.get();
        let (known, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.known);
        let rows = known.into_iter().map(|row| {
            let why = if wrong_now.0 == row.name { wrong_now.1.clone() } else { String::new() };
            setting(lab, &part, row, why, wrong)
        });
        let mut nodes = vec![el("h3").says("Settings"), el("div").class("settings").with_all(rows)];
        if !others.is_empty() {
            let names: Vec<String> = others.iter().map(|row| row.name.replace('_', " ")).collect();
            let says = ["Not on this broker: ", &names.join(", "), "."].concat();
            nodes.push(el("p").class("soft small").attr("id", "not-here").says(says));
        }
        nodes
    })
}

/// What a setting is called: by its broker where that has a name for it, with the lab's own name beside.
fn label(row: &SettingView) -> Vec<Node> {
    let ours = row.name.replace('_', " ");
    match row.native {
        None => vec![text(ours)],
        Some(native) => vec![el("code").says(native.name), text(" "), el("span").class("ours").says(ours)],
    }
}

/// What it does, in the broker's words, with what the broker ships and allows.
fn doc(row: &SettingView) -> String {
    let mut doc = row.native.map_or(row.doc, |native| native.doc).to_owned();
    if let Some(native) = row.native {
        let allowed = native.allowed.replace("..=", " to ").replace('|', ", ");
        doc.push_str(&[" Ships with ", native.default, "; allowed: ", &allowed, "."].concat());
    }
    if row.fixed {
        doc.push_str(" Another value begins the run anew.");
    }
    doc
}

fn setting(lab: Lab, part: &str, row: SettingView, why: String, wrong: RwSignal<(String, String)>) -> Node {
    let (name, fixed) = (row.name, row.fixed);
    let path = [part, ".", name].concat();
    let (label, doc) = (label(&row), doc(&row));
    let of_queue = lab.opened.with_untracked(|open| open.as_ref()?.queues.iter().find(|queue| queue.id == part).cloned());
    let take = move |text: String| {
        let fault = if fixed {
            lab.reopen_with(&path, &text).err().and_then(|faults| faults.0.into_iter().next())
        } else {
            lab.send(&[["set ", &path, "=", &text].concat()]).err()
        };
        let why = fault.map_or_else(String::new, |fault| [&fault.wrong, ". Allowed: ", &fault.allowed].concat());
        wrong.set((name.to_owned(), why));
    };
    let id = format!("set-{name}");
    let described = format!("{id}-wrong");
    let changed = row.value != row.default;
    let control = match row.form {
        Form::Choice if name == "broker" && of_queue.is_some() => {
            of_queue.map_or_else(|| el("span"), |queue| select(lab, &queue))
        }
        Form::Flag => el("input").attr("type", "checkbox").attr(".checked", row.value).on("change", move |event| {
            take(event_target::<HtmlInputElement>(event).checked().to_string());
        }),
        Form::Choice => {
            let options = row.words.iter().map(|word| el("option").attr("value", *word).says(*word));
            el("select").with_all(options).value(row.value).take("change", take)
        }
        Form::Duration
        | Form::Count
        | Form::Share
        | Form::Rate
        | Form::Part
        | Form::Latency
        | Form::Steps
        | Form::Messages
        | Form::Bindings
        | Form::Text => el("input")
            .class("mono")
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .attr("aria-invalid", if why.is_empty() { "false" } else { "true" })
            .value(row.value)
            .take("change", take),
    };
    el("div")
        .class(if changed { "setting changed" } else { "setting" })
        .with(el("label").attr("for", id.clone()).with_all(label))
        .with(control.attr("id", id).attr("aria-describedby", described.clone()))
        .with(el("p").class("doc").says(doc))
        .with(el("p").class("wrong").attr("id", described).attr("role", "alert").says(why))
}
