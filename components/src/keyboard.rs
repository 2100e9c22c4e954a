//! Everything from the keyboard.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::dom::{Node, el};
use crate::focus;
use crate::lab::Lab;
use crate::state::Selection;
use crate::ui::{Sheet, Ui, over};

/// The keys and what they do.
const KEYS: [(&str, &str); 14] = [
    ("Space", "play, pause"),
    ("→", "step to the next event"),
    ("←", "step back"),
    ("Shift → or ←", "a second on or back"),
    ("Home", "to the start"),
    ("N", "next surprise"),
    ("+ or −", "faster, slower"),
    ("Tab", "from part to part; Enter opens one"),
    ("B", "what can be broken at the part in focus"),
    ("C", "compare the run with another"),
    ("O", "with two runs side by side: give the commands to the other"),
    ("/", "find a message"),
    ("F", "follow the open message, or stop following"),
    ("Esc", "close what is open"),
];

/// Speeds on offer, in thousandths of real time, with their names.
pub const SPEEDS: [(u64, &str); 11] = [
    (1, "1/1000×"),
    (10, "1/100×"),
    (50, "1/20×"),
    (250, "¼×"),
    (1_000, "1×"),
    (5_000, "5×"),
    (20_000, "20×"),
    (60_000, "60×"),
    (120_000, "120×"),
    (300_000, "300×"),
    (600_000, "600×"),
];

fn other_speed(milli: u64, faster: bool) -> u64 {
    let mut speeds = SPEEDS.iter().map(|(speed, _)| *speed);
    let found = if faster { speeds.find(|speed| *speed > milli) } else { speeds.rfind(|speed| *speed < milli) };
    found.unwrap_or(milli)
}

/// Whether a key belongs to what is in focus: a field takes every key, a slider those that move it, a button those that press it.
fn taken(event: &KeyboardEvent) -> bool {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return false };
    let slides = target.get_attribute("type").as_deref() == Some("range");
    match target.tag_name().as_str() {
        "INPUT" if slides => ["Arrow", "Page", "Home", "End"].iter().any(|own| event.key().starts_with(own)),
        "INPUT" | "SELECT" | "TEXTAREA" => true,
        "BUTTON" | "A" | "SUMMARY" => matches!(event.key().as_str(), " " | "Enter"),
        _ => false,
    }
}

/// The part in focus: the seat of its stage, and its index.
fn focused_part() -> Option<(usize, u16)> {
    let part = document().active_element()?;
    let seat = part.closest("[data-seat=B]").ok()?.is_some();
    Some((usize::from(seat), part.get_attribute("data-index")?.parse().ok()?))
}

/// Listens to the keys.
pub fn listen(lab: Lab, ui: Ui) {
    let listening = window_event_listener_untyped("keydown", move |event| {
        let Ok(event) = event.dyn_into::<KeyboardEvent>() else { return };
        if event.ctrl_key() || event.meta_key() || event.alt_key() || ui.sheet.get_untracked().is_some() {
            return;
        }
        if event.key() == "Escape" {
            close(lab);
            return;
        }
        if !taken(&event) && pressed(lab, ui, &event.key(), event.shift_key()) {
            event.prevent_default();
        }
    });
    on_cleanup(move || listening.remove());
}

/// Closes the open card and gives the focus back to the part, or to what it was opened from.
pub fn close(lab: Lab) {
    let selection = lab.selection.get_untracked();
    lab.select(Selection::Nothing);
    if let Selection::Part(part) = selection {
        let button = document().query_selector(&format!("[data-own=true] [data-index=\"{part}\"]")).ok().flatten();
        if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
            let _ = button.focus();
        }
    }
    if selection != Selection::Nothing {
        focus::back(lab.opener.get_value());
    }
}

/// Carries a key out. False where it means nothing here.
fn pressed(lab: Lab, ui: Ui, key: &str, shift: bool) -> bool {
    match key {
        " " => lab.toggle(),
        "ArrowRight" if shift => lab.travel(lab.now_us() + 1_000_000),
        "ArrowLeft" if shift => lab.travel(lab.now_us().saturating_sub(1_000_000)),
        "ArrowRight" => lab.step(),
        "ArrowLeft" => lab.step_back(),
        "Home" => lab.travel(0),
        "n" | "N" => lab.surprise(),
        "+" | "=" => lab.set_speed(other_speed(lab.speed_milli.get_untracked(), true)),
        "-" | "−" => lab.set_speed(other_speed(lab.speed_milli.get_untracked(), false)),
        "c" | "C" => ui.open(Sheet::Compare),
        "o" | "O" => match lab.beside.with_untracked(|beside| beside.as_ref().map(|beside| beside.own)) {
            Some(own) => lab.take_seat(1 - own),
            None => return false,
        },
        "/" => ui.open(Sheet::Find),
        "?" => ui.open(Sheet::Keys),
        "b" | "B" => match focused_part() {
            Some((seat, part)) => {
                lab.take_seat(seat);
                lab.select(Selection::Part(part));
            }
            None => return false,
        },
        "f" | "F" => match (lab.selection.get_untracked(), lab.following.get_untracked()) {
            (_, Some(_)) => lab.pause(),
            (Selection::Message(fact), None) => lab.follow(fact),
            (Selection::Nothing | Selection::Part(_), None) => return false,
        },
        _ => return false,
    }
    true
}

/// The list of keys.
#[must_use]
pub fn keys(ui: Ui) -> Node {
    over(ui, Sheet::Keys, "keys", "Keys", || {
        let rows = KEYS.into_iter().flat_map(|(key, what)| [el("dt").with(el("kbd").says(key)), el("dd").says(what)]);
        vec![el("dl").class("keys").with_all(rows)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_goes_up_and_down_and_stops_at_the_ends() {
        assert_eq!([other_speed(1_000, true), other_speed(1_000, false)], [5_000, 250]);
        assert_eq!([other_speed(600_000, true), other_speed(1, false)], [600_000, 1]);
        assert_eq!(other_speed(700, true), 1_000, "a speed of a scenario's own lies between two");
    }
}
