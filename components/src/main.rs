//! The page's start: puts the lab into the document.

use redrive_lab::app::App;

fn main() {
    redrive_lab::panic::install();
    leptos::mount::mount_to_body(App);
}
