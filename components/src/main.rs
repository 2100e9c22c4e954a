//! The page's start: puts the lab into the document.

use redrive_lab::app::App;

fn main() {
    // The worker that plays many runs at once starts the same program, and there is no document to put a lab into.
    if web_sys::window().is_none() {
        return;
    }
    #[cfg(debug_assertions)]
    redrive_lab::panic::install();
    leptos::mount::mount_to_body(App);
}
