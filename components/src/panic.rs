//! Should the lab itself fail, the visitor is told, and their run is not lost with it. `boot.js` tells them: a panic of the
//! published page ends in a trap at once, and nothing of the lab runs any more.

use leptos::prelude::document;
use redrive::run::Run;

/// Leaves the address of the run that is open where `boot.js` finds it.
pub fn remember(run: &Run) {
    if let Some(body) = document().body() {
        // Where it cannot be left, the message offers the address that the page has.
        let _ = body.set_attribute("data-run", &crate::route::of(run));
    }
}

/// Says in the console what a panic said. The published page has none of these texts: they are a tenth of its size.
#[cfg(debug_assertions)]
pub fn install() {
    std::panic::set_hook(Box::new(|info| web_sys::console::error_1(&info.to_string().into())));
}
