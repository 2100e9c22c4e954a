//! Transport: the clock, to the start, step back, play, step, next surprise, and the speed.

use leptos::prelude::*;
use redrive::sim::time::{clock, grouped};

use crate::keyboard::SPEEDS;
use crate::lab::Lab;

/// Speeds that have a button of their own.
const QUICK: [u64; 4] = [250, 1_000, 5_000, 60_000];

const TO_START: &str = "M2 2h2v10H2zM12 2v10L5 7z";
const BACK: &str = "M10 2v10L3 7z";
const PLAY: &str = "M3 1.500v11l9-5.500z";
const PAUSE: &str = "M3 2h3v10H3zM8 2h3v10H8z";
const STEP: &str = "M4 2v10l7-5z";
const SURPRISE: &str = "M2 2v10l7-5zM10 2h2v10h-2z";

/// A speed as people say it, from thousandths of real time.
#[must_use]
pub fn speed_text(milli: u64) -> String {
    match SPEEDS.iter().find(|(speed, _)| *speed == milli) {
        Some((_, name)) => (*name).to_owned(),
        None if milli >= 10_000 => format!("{}×", grouped(milli / 1_000)),
        None if milli >= 1_000 => format!("{}.{}×", milli / 1_000, milli % 1_000 / 100).replace(".0×", "×"),
        None => format!("{}×", format!("0.{milli:03}").trim_end_matches('0')),
    }
}

#[component]
fn Icon(#[prop(into)] path: Signal<&'static str>) -> impl IntoView {
    view! { <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><path class="icon" d=move || path.get()></path></svg> }
}

/// The transport.
#[component]
pub fn Transport(lab: Lab) -> impl IntoView {
    let now = move || clock(lab.frame.with(|frame| frame.now_us));
    let until = move || clock(lab.opened.with(|open| open.as_ref().map_or(0, |open| open.until_us)));
    let running = move || lab.playing.get() || lab.following.get().is_some();
    let play_icon = Signal::derive(move || if running() { PAUSE } else { PLAY });
    view! {
        <div class="transport">
            <div class="clock"><span id="clock">{now}</span>" "<small>"/ "{move || until().split('.').next().unwrap_or_default().to_owned()}</small></div>
            <div class="tbtn" role="group" aria-label="Transport">
                <button type="button" class="btn" id="to-start" aria-label="To the start" title="To the start (Home)" on:click=move |_| lab.travel(0)><Icon path=TO_START /></button>
                <button type="button" class="btn" id="step-back" aria-label="Step back" title="Step back (←)" on:click=move |_| lab.step_back()><Icon path=BACK /></button>
                <button type="button" class="btn pri" id="play" aria-label=move || if running() { "Pause" } else { "Play" } title="Play or pause (Space)" on:click=move |_| lab.toggle()><Icon path=play_icon /></button>
                <button type="button" class="btn" id="step" aria-label="Step to the next event" title="Step to the next event (→)" on:click=move |_| lab.step()><Icon path=STEP /></button>
                <button type="button" class="btn" id="surprise" aria-label="Next surprise" title="Next surprise (N)" on:click=move |_| lab.surprise()><Icon path=SURPRISE /></button>
            </div>
            <Speed lab />
            <Line lab />
            <Trace lab />
        </div>
    }
}

/// The speed: four buttons, and a list of all.
#[component]
fn Speed(lab: Lab) -> impl IntoView {
    let quick = QUICK.map(|milli| {
        let on = move || lab.speed_milli.get() == milli;
        view! {
            <button type="button" class="seg-part" class:on=on aria-pressed=move || if on() { "true" } else { "false" } on:click=move |_| lab.set_speed(milli)>{speed_text(milli)}</button>
        }
    });
    let options = move || {
        let own = lab.speed_milli.get();
        let mut speeds: Vec<u64> = SPEEDS.iter().map(|(milli, _)| *milli).collect();
        if !speeds.contains(&own) {
            speeds.push(own);
            speeds.sort_unstable();
        }
        speeds
            .into_iter()
            .map(|milli| view! { <option value=milli.to_string() selected=milli == own>{speed_text(milli)}</option> })
            .collect_view()
    };
    let take = move |event: web_sys::Event| {
        if let Ok(milli) = event_target_value(&event).parse() {
            lab.set_speed(milli);
        }
    };
    view! {
        <div class="speeds">
            <span class="seg" role="group" aria-label="Speed">{quick.to_vec()}</span>
            <select id="speed" aria-label="Speed" on:change=take>{options}</select>
        </div>
    }
}

/// One line that says what is under way or what just happened.
#[component]
fn Line(lab: Lab) -> impl IntoView {
    let hint = move || lab.said.with(String::is_empty) && lab.reached_milli.get().is_none();
    let text = move || {
        if let Some(reached) = lab.reached_milli.get()
            && lab.playing.get()
        {
            return format!("asks {}, reaches {}", speed_text(lab.speed_milli.get()), speed_text(reached));
        }
        let said = lab.said.get();
        if said.is_empty() { "Space plays, N jumps to the next surprise, ? shows the keys".into() } else { said }
    };
    view! {
        <div class="line" id="said">
            {move || match lab.busy.get() {
                Some(busy) => view! {
                    <span class="busy">
                        <progress max="1000" value=busy.done.map(|done| done.to_string()) aria-label=busy.text.clone()></progress>
                        <span>{busy.text}</span>
                        <button type="button" class="btn" id="stop" on:click=move |_| lab.pause()>"Stop"</button>
                    </span>
                }.into_any(),
                None => view! { <span role="status" class:hint=hint>{text}</span> }.into_any(),
            }}
        </div>
    }
}

/// The trace hash: who has the same one has seen the same events.
#[component]
fn Trace(lab: Lab) -> impl IntoView {
    let hash = move || format!("{:016x}", lab.trace.get().0);
    let events = move || grouped(lab.trace.get().1);
    view! {
        <div class="trace mono" title="The hash of every event so far. The same run has the same one everywhere.">
            <span id="trace-hash" data-hash=hash data-events=move || lab.trace.get().1.to_string()>{hash}</span>" · "{events}" events"
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_reads_as_people_say_it() {
        let texts: Vec<String> = [1, 250, 700, 1_000, 2_500, 210_000, 2_000_000].into_iter().map(speed_text).collect();
        assert_eq!(texts, ["1/1000×", "¼×", "0.7×", "1×", "2.5×", "210×", "2,000×"]);
    }
}
