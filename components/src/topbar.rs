//! Over the stage: what there is to see, the scenario's switches, and the question to predict the run by.

use leptos::prelude::*;
use redrive::scenario::Question;

use crate::lab::{Lab, Switch};
use crate::store;

/// The bar over the stage.
#[component]
pub fn Topbar(lab: Lab) -> impl IntoView {
    let summary = move || lab.opened.with(|open| open.as_ref().map(|open| open.summary.clone()).unwrap_or_default());
    let switches = move || {
        let switches = lab.opened.with(|open| open.as_ref().map(|open| open.switches.clone()).unwrap_or_default());
        switches.into_iter().map(|switch| view! { <SwitchBar lab switch /> }).collect_view()
    };
    let ask = move || {
        let ask = lab.opened.with(|open| open.as_ref().and_then(|open| open.ask.clone()));
        ask.map(|ask| view! { <Prediction lab ask /> })
    };
    view! {
        <div class="topbar">
            <p class="summary">{summary}</p>
            <Back lab />
            <div class="switches">{switches}</div>
            {ask}
        </div>
    }
}

/// A switch as a row of buttons of which one is pressed.
#[component]
fn SwitchBar(lab: Lab, switch: Switch) -> impl IntoView {
    let wrong = RwSignal::new(String::new());
    let setting = format!("lab.{}", switch.name);
    let choices = switch.choices.into_iter().map(|(word, title)| {
        let on = word == switch.value;
        let setting = setting.clone();
        let id = format!("switch-{}-{word}", switch.name);
        let take = move |_| {
            let (setting, word) = (setting.clone(), word.clone());
            let reopened = lab.reopen(move |run| {
                run.sets.retain(|(name, _)| *name != setting);
                run.sets.push((setting, word));
            });
            if let Err(faults) = reopened {
                wrong.set(faults.to_string());
            }
        };
        view! { <button type="button" id=id class="seg-part" class:on=on aria-pressed=if on { "true" } else { "false" } on:click=take>{title}</button> }
    });
    let choices = choices.collect_view();
    let title = switch.title.clone();
    view! {
        <div class="switch" role="group" aria-label=title>
            <span class="switch-title">{switch.title}</span>
            <span class="seg">{choices}</span>
            <span class="wrong" role="alert">{move || wrong.get()}</span>
        </div>
    }
}

const ANSWERS: [&str; 3] = ["never", "once", "twice"];

fn word(count: u32) -> String {
    match ANSWERS.get(count as usize) {
        Some(word) => (*word).to_owned(),
        None => format!("{count} times"),
    }
}

/// The prediction before the run, and what the run said.
#[component]
fn Prediction(lab: Lab, ask: Question) -> impl IntoView {
    let guess = RwSignal::new(None::<u32>);
    let over = Memo::new(move |_| {
        let until_us = lab.opened.with(|open| open.as_ref().map_or(0, |open| open.until_us));
        lab.furthest.with(|far| far.0 >= until_us && until_us > 0) || lab.frame.with(|frame| frame.now_us >= until_us)
    });
    let answers = (0..3_u32).map(|count| {
        let on = move || guess.get() == Some(count);
        view! {
            <button type="button" class="btn" class:pri=on aria-pressed=move || if on() { "true" } else { "false" }
                on:click=move |_| guess.set(Some(count))>{ANSWERS[count as usize]}</button>
        }
    });
    let answers = answers.collect_view();
    let effect = ask.effect.clone();
    let verdict = move || {
        let Some(guess) = guess.get() else { return "Predict, then run it.".to_owned() };
        let count = lab.answer.get();
        match (over.get(), count) {
            (true, Some(count)) if count == guess => format!("The ledger counted: {}. As you said.", word(count)),
            (true, count) => format!("You said {}; the ledger counted: {}.", word(guess), word(count.unwrap_or(0))),
            (false, count) => format!("You said {}. So far: {}.", word(guess), word(count.unwrap_or(0))),
        }
    };
    view! {
        <div class="ask" id="ask" data-effect=effect>
            <span><b>"Before you run it: "</b>{ask.text}</span>
            <span class="answers" role="group" aria-label="Your prediction">{answers}</span>
            <span class="soft" id="ask-verdict" role="status">{verdict}</span>
        </div>
    }
}

/// The way back to the visitor's own run of this scenario.
#[component]
fn Back(lab: Lab) -> impl IntoView {
    let own = Memo::new(move |_| {
        let opened = lab.opened.get()?;
        if !lab.commands.with(Vec::is_empty) && !opened.shared {
            return None;
        }
        let open = lab.run().map(|run| run.to_link());
        store::runs()
            .into_iter()
            .find(|run| run.id == opened.id && Some(&run.link) != open.as_ref())
            .map(|run| (run.link, run.at_us))
    });
    let shared = move || lab.opened.with(|open| open.as_ref().is_some_and(|open| open.shared));
    view! {
        <Show when=shared><p class="note">"A shared run. Your own runs are kept as they were."</p></Show>
        {move || own.get().map(|(link, at_us)| view! {
            <a id="back-to-own" class="btn" href=format!("#{}", crate::route::shared(&link, at_us))>"Back to your run"</a>
        })}
    }
}
