//! A part's settings as form controls. A change takes effect at once; what is not allowed is said beside the control.

use leptos::prelude::*;
use redrive::scenario::setting::Form;
use redrive::view::SettingView;
use web_sys::HtmlInputElement;

use crate::dom::{Node, el, slot};
use crate::lab::Lab;

/// The settings of the open part.
#[must_use]
pub fn settings(lab: Lab, part: String) -> Node {
    // Of the setting that was last refused: its name and why.
    let wrong = RwSignal::new((String::new(), String::new()));
    slot(move || {
        let rows = lab.shown.with(|shown| shown.inspect.as_ref().map(|view| view.settings.clone()).unwrap_or_default());
        let wrong_now = wrong.get();
        let rows = rows.into_iter().map(|row| {
            let why = if wrong_now.0 == row.name { wrong_now.1.clone() } else { String::new() };
            setting(lab, &part, row, why, wrong)
        });
        vec![el("h3").says("Settings"), el("div").class("settings").with_all(rows)]
    })
}

fn setting(lab: Lab, part: &str, row: SettingView, why: String, wrong: RwSignal<(String, String)>) -> Node {
    let (name, part) = (row.name, part.to_owned());
    let take = move |text: String| {
        let why = match lab.send(&[format!("set {part}.{name}={text}")]) {
            Ok(()) => String::new(),
            Err(fault) => format!("{}. Allowed: {}", fault.wrong, fault.allowed),
        };
        wrong.set((name.to_owned(), why));
    };
    let id = format!("set-{name}");
    let described = format!("{id}-wrong");
    let changed = row.value != row.default;
    let control = match row.form {
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
        .with(el("label").attr("for", id.clone()).says(name.replace('_', " ")))
        .with(control.attr("id", id).attr("aria-describedby", described.clone()))
        .with(el("p").class("doc").says(row.doc))
        .with(el("p").class("wrong").attr("id", described).attr("role", "alert").says(why))
}
