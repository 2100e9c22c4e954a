//! Where the focus goes when what had it is gone, so that nobody who uses the keyboard is sent back to the top of the page.

use leptos::prelude::{document, request_animation_frame};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node};

/// What has the focus; none where only the page as a whole has it, or what is not seen any more.
#[must_use]
pub fn holder() -> Option<HtmlElement> {
    let holder = document().active_element()?.dyn_into::<HtmlElement>().ok()?;
    // A dialog that is closed keeps it until the next frame.
    let closed = holder.closest("dialog:not([open])").ok()?.is_some();
    (holder.tag_name() != "BODY" && !closed).then_some(holder)
}

/// Gives the focus back to what opened something that is closed now, unless something else has it by then. Where the opener
/// is gone, to the stage; where that is covered, to the way to the scenarios.
pub fn back(opener: Option<HtmlElement>) {
    request_animation_frame(move || {
        let others = ["[data-own=true]", "#picker-open"].into_iter().filter_map(|css| {
            let found = document().query_selector(css).ok()??;
            found.dyn_into::<HtmlElement>().ok()
        });
        for element in opener.into_iter().chain(others) {
            if holder().is_some() {
                return;
            }
            // What is not there, or not seen, does not take it.
            let _ = element.focus();
        }
    });
}

/// Whether the focus is inside a node that is about to go.
#[must_use]
pub fn is_in(node: &Node) -> bool {
    holder().is_some_and(|holder| node.contains(Some(&holder)))
}

/// Gives the focus to what is around a place of which something went that had it.
pub fn rescue(place: &Node) {
    let around =
        place.dyn_ref::<web_sys::Element>().and_then(|place| place.closest("section,dialog,header,footer,aside,main").ok()?);
    if let Some(around) = around.and_then(|around| around.dyn_into::<HtmlElement>().ok()) {
        if !around.has_attribute("tabindex") {
            around.set_tab_index(-1);
        }
        let _ = around.focus();
    }
}
