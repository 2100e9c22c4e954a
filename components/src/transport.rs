//! Transport: the clock, to the start, step back, play, step, next surprise, and the speed.

use leptos::prelude::*;
use redrive::sim::time::{clock, grouped};

use crate::dom::{Node, button, el, slot, text};
use crate::keyboard::SPEEDS;
use crate::lab::Lab;

/// Speeds that have a button of their own.
const QUICK: [u64; 4] = [250, 1_000, 5_000, 60_000];

const TO_START: &str = "M2 2h2v10H2zM12 2v10L5 7z";
const BACK: &str = "M10 2v10L3 7z";
const PLAY: &str = "M3 1.5v11l9-5.5z";
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

/// A button of the transport: its id, name, key and picture.
fn pressed(id: &'static str, name: &'static str, key: &'static str, path: &'static str, act: impl Fn() + 'static) -> Node {
    let icon = el("svg").attr("width", "14").attr("height", "14").attr("viewBox", "0 0 14 14").attr("aria-hidden", "true");
    button(if id == "play" { "btn pri" } else { "btn" }, "")
        .attr("id", id)
        .attr("aria-label", name)
        .attr("title", format!("{name} ({key})"))
        .with(icon.with(el("path").class("icon").attr("d", path)))
        .press(act)
}

/// The transport.
#[must_use]
pub fn transport(lab: Lab) -> Node {
    let now = slot(move || vec![text(clock(lab.frame.with(|frame| frame.now_us)))]);
    let until = slot(move || {
        let until = clock(lab.opened.with(|open| open.as_ref().map_or(0, |open| open.until_us)));
        vec![text(format!(" / {}", until.split('.').next().unwrap_or_default()))]
    });
    let buttons = slot(move || {
        let running = lab.playing.get() || lab.following.get().is_some();
        let (name, icon) = if running { ("Pause", PAUSE) } else { ("Play", PLAY) };
        vec![
            pressed("to-start", "To the start", "Home", TO_START, move || lab.travel(0)),
            pressed("step-back", "Step back", "←", BACK, move || lab.step_back()),
            pressed("play", name, "Space", icon, move || lab.toggle()),
            pressed("step", "Step to the next event", "→", STEP, move || lab.step()),
            pressed("surprise", "Next surprise", "N", SURPRISE, move || lab.surprise()),
        ]
    });
    let clock = el("div").class("clock").with(el("span").attr("id", "clock").with(now)).with(el("small").with(until));
    el("div")
        .class("transport")
        .with(clock)
        .with(el("div").class("tbtn").attr("role", "group").attr("aria-label", "Transport").with(buttons))
        .with(el("div").class("speeds").with(slot(move || speeds(lab))))
        .with(el("div").class("line").attr("id", "said").with(line(lab)))
        .with(trace(lab))
}

/// The speed: four buttons, and a list of all.
fn speeds(lab: Lab) -> Vec<Node> {
    let own = lab.speed_milli.get();
    let quick = QUICK.into_iter().map(|milli| {
        let on = own == milli;
        button(if on { "seg-part on" } else { "seg-part" }, speed_text(milli))
            .attr("aria-pressed", if on { "true" } else { "false" })
            .press(move || lab.set_speed(milli))
    });
    let option = |milli: u64| el("option").attr("value", milli.to_string()).says(speed_text(milli));
    // A scenario may have a speed of its own, between those on offer.
    let extra = SPEEDS.iter().all(|(milli, _)| *milli != own).then(|| option(own));
    let take = move |value: String| {
        if let Ok(milli) = value.parse() {
            lab.set_speed(milli);
        }
    };
    let list = el("select")
        .attr("id", "speed")
        .attr("aria-label", "Speed")
        .with_all(SPEEDS.iter().map(|(milli, _)| option(*milli)))
        .with_all(extra)
        .value(own.to_string())
        .take("change", take);
    vec![el("span").class("seg").attr("role", "group").attr("aria-label", "Speed").with_all(quick), list]
}

/// One line that says what is under way or what just happened.
fn line(lab: Lab) -> Node {
    slot(move || {
        if let Some(busy) = lab.busy.get() {
            let bar = el("progress").attr("max", "1000").attr("aria-label", busy.text.clone());
            let bar = bar.attr_if("value", busy.done.map(|done| done.to_string()));
            let stop = button("btn", "Stop").attr("id", "stop").press(move || lab.pause());
            return vec![el("span").class("busy").with(bar).with(el("span").says(busy.text)).with(stop)];
        }
        let status = el("span").attr("role", "status");
        if let Some(reached) = lab.reached_milli.get()
            && lab.playing.get()
        {
            let (asks, reaches) = (speed_text(lab.speed_milli.get()), speed_text(reached));
            return vec![status.says(format!("asks {asks}, reaches {reaches}"))];
        }
        let said = lab.said.get();
        if said.is_empty() {
            return vec![status.class("hint").says("Space plays, N jumps to the next surprise, ? shows the keys")];
        }
        vec![status.says(said)]
    })
}

/// The trace hash: who has the same one has seen the same events.
fn trace(lab: Lab) -> Node {
    slot(move || {
        let (hash, events) = lab.shown.with(|shown| shown.trace);
        let hash = format!("{hash:016x}");
        let shown = el("span")
            .attr("id", "trace-hash")
            .attr("data-hash", hash.clone())
            .attr("data-events", events.to_string())
            .says(hash);
        let title = "The hash of every event so far. The same run has the same one everywhere.";
        let line = el("div").class("trace mono").attr("title", title);
        let counted = [" · ", &grouped(events), if events == 1 { " event" } else { " events" }].concat();
        vec![line.with(shown).says(counted)]
    })
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
