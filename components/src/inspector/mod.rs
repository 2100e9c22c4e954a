//! What opens beside the stage: a part with its gauges and settings, or a message with its journey.

pub mod message;
pub mod part;
mod settings;

use leptos::prelude::*;
use web_sys::HtmlElement;

use crate::stage::layout::Rect;
use crate::stage::shapes::number;

/// Puts a card at a place of the stage, in pixels.
fn put_at(card: &HtmlElement, at: Rect) {
    for (name, value) in [("left", at.x), ("top", at.y), ("max-height", at.h)] {
        let _ = card.style().set_property(name, &(number(value) + "px"));
    }
}

/// Gives the focus to what just opened, so that it is read aloud and the keyboard is there.
fn focus(card: &HtmlElement) {
    let card = card.clone();
    request_animation_frame(move || {
        let _ = card.focus();
    });
}
