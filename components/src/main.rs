//! The page's start: puts the lab into the document.

use redrive_lab::app::App;

fn main() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(App);
}
