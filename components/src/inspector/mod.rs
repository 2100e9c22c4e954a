//! What opens beside the stage: a part with its gauges and settings, or a message with its journey.

pub mod message;
pub mod part;
mod settings;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::stage::geometry::Rect;
use crate::stage::shapes::number;

fn by_id(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Puts a card at a place of the stage, in pixels, or leaves that to the style sheet.
fn put_at(id: &str, at: Option<Rect>) {
    let Some(card) = by_id(id) else { return };
    let style = card.style();
    for (name, value) in [("left", at.map(|at| at.x)), ("top", at.map(|at| at.y)), ("max-height", at.map(|at| at.h))] {
        let _ = match value {
            Some(value) => style.set_property(name, &(number(value) + "px")),
            None => style.remove_property(name).map(|_| ()),
        };
    }
}

/// Gives the focus to what is about to open, so that it is read aloud and the keyboard is there.
fn focus(id: &'static str) {
    request_animation_frame(move || {
        if let Some(card) = by_id(id) {
            let _ = card.focus();
        }
    });
}
