//! A part's settings as form controls. A change takes effect at once; what is not allowed is said beside the control.

use leptos::prelude::*;
use redrive::scenario::setting::Form;
use redrive::view::SettingView;

use crate::lab::Lab;

/// The settings of the open part.
#[component]
pub fn Settings(lab: Lab, part: String) -> impl IntoView {
    let rows = Memo::new(move |_| lab.inspect.with(|view| view.as_ref().map(|view| view.settings.clone()).unwrap_or_default()));
    // The rows stay while values change under them: a control that is being typed in keeps its text.
    let names = Memo::new(move |_| rows.with(|rows| rows.iter().map(|row| row.name).collect::<Vec<_>>()));
    let view = move || {
        let part = part.clone();
        let rows = rows.get_untracked();
        names.with(|_| ());
        rows.into_iter().map(|row| view! { <Row lab part=part.clone() row /> }.into_any()).collect::<Vec<AnyView>>()
    };
    view! { <h3>"Settings"</h3><div class="settings">{view}</div> }
}

#[component]
fn Row(lab: Lab, part: String, row: SettingView) -> impl IntoView {
    let name = row.name;
    let value = Memo::new(move |_| {
        lab.inspect.with(|view| {
            let row = view.as_ref()?.settings.iter().find(|row| row.name == name)?;
            Some(row.value.clone())
        })
    });
    let default = row.default.clone();
    let changed = Memo::new(move |_| value.get().is_some_and(|value| value != default));
    let wrong = RwSignal::new(String::new());
    let take = move |text: String| {
        if value.get_untracked().as_ref() == Some(&text) {
            wrong.set(String::new());
            return;
        }
        match lab.send(&[format!("set {part}.{name}={text}")]) {
            Ok(()) => wrong.set(String::new()),
            Err(fault) => wrong.set(format!("{}. Allowed: {}", fault.wrong, fault.allowed)),
        }
    };
    let id = format!("set-{name}");
    let described = format!("{id}-wrong");
    let invalid = Signal::derive(move || if wrong.with(String::is_empty) { "false" } else { "true" });
    let shown = Signal::derive(move || value.get().unwrap_or_default());
    let control = match row.form {
        Form::Flag => {
            let on = Signal::derive(move || shown.get() == "true");
            let take = move |event| take(event_target_checked(&event).to_string());
            view! { <input type="checkbox" id=id.clone() prop:checked=on on:change=take /> }.into_any()
        }
        Form::Choice => {
            let options = row.words.into_iter().map(|word| {
                let selected = Signal::derive(move || shown.get() == word);
                view! { <option value=word selected=selected>{word}</option> }.into_any()
            });
            let options: Vec<AnyView> = options.collect();
            view! { <select id=id.clone() prop:value=shown on:change=move |event| take(event_target_value(&event))>{options}</select> }
                .into_any()
        }
        Form::Duration
        | Form::Count
        | Form::Share
        | Form::Rate
        | Form::Part
        | Form::Latency
        | Form::Steps
        | Form::Messages
        | Form::Text => view! {
            <input id=id.clone() class="mono" autocomplete="off" spellcheck="false" prop:value=shown aria-invalid=invalid
                aria-describedby=described.clone() on:change=move |event| take(event_target_value(&event)) />
        }
        .into_any(),
    };
    view! {
        <div class="setting" class:changed=changed>
            <label for=id title=row.doc>{name.replace('_', " ")}</label>
            {control}
            <p class="doc">{row.doc}</p>
            <p class="wrong" id=described role="alert">{wrong}</p>
        </div>
    }
    .into_any()
}
