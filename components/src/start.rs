//! The page's start: puts the lab into the document.

use crate::app::App;

/// Starts the page. `components/start/` is the program that calls it.
pub fn start() {
    // The worker that plays many runs at once starts the same program, and there is no document to put a lab into.
    if web_sys::window().is_none() {
        return;
    }
    #[cfg(debug_assertions)]
    crate::panic::install();
    leptos::mount::mount_to_body(App);
}
