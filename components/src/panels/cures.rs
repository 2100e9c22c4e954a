//! What to do: cures that send commands, and what the visitor did, each with a way to take it back.

use leptos::prelude::*;
use redrive::sim::time::clock;

use crate::lab::Lab;

/// The panel.
#[component]
pub fn Cures(lab: Lab) -> impl IntoView {
    let cures = Memo::new(move |_| lab.panels.with(|panels| panels.cures.clone()));
    let wrong = RwSignal::new(String::new());
    // The reason of the cure that is pointed at, or else of the first.
    let pointed = RwSignal::new(0_usize);
    let why = move || cures.with(|cures| cures.get(pointed.get()).or(cures.first()).map(|cure| cure.why.clone()).unwrap_or_default());
    let buttons = move || {
        let cures = cures.get();
        if cures.is_empty() {
            return view! { <p class="sub">"Nothing to mend right now."</p> }.into_any();
        }
        let buttons = cures.into_iter().enumerate().map(|(place, cure)| {
            let commands = cure.commands;
            let title = cure.title.clone();
            let apply = move |_| match lab.send(&commands) {
                Ok(()) => {
                    wrong.set(String::new());
                    lab.said.set(format!("{title}: from {} on.", clock(lab.now_us())));
                }
                Err(fault) => wrong.set(fault.to_string()),
            };
            view! {
                <li><button type="button" class="btn" title=cure.why on:click=apply on:focus=move |_| pointed.set(place)
                    on:pointerenter=move |_| pointed.set(place)>{cure.title}</button></li>
            }
        });
        view! { <ul class="fix">{buttons.collect_view()}</ul> }.into_any()
    };
    view! {
        <section id="cures">
            <h2>"What to do"</h2>
            {buttons}
            <p class="why" id="cure-why">{why}</p>
            <p class="wrong" role="alert">{move || wrong.get()}</p>
            <Done lab />
        </section>
    }
}

/// What the visitor did.
#[component]
fn Done(lab: Lab) -> impl IntoView {
    let rows = move || {
        let commands = lab.commands.get();
        (!commands.is_empty()).then(|| {
            let rows = commands.into_iter().enumerate().map(|(index, timed)| {
                let text = timed.command.to_string();
                let label = format!("Withdraw {text}");
                view! {
                    <li class="done">
                        <time>{clock(timed.at_us)}</time>
                        <code>{text}</code>
                        <button type="button" class="link" aria-label=label on:click=move |_| lab.withdraw(index)>"withdraw"</button>
                    </li>
                }
            });
            view! { <h3>"What you did"</h3><ul class="did" id="did">{rows.collect_view()}</ul> }
        })
    };
    view! { {rows} }
}
