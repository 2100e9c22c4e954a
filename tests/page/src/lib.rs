//! The published page as a person meets it: opens it in headless Chromium, acts with mouse and keyboard, reads.
//!
//! A test says who visits and what they do; every act waits until it can be done, and panics with what was there
//! instead where it never can. The check that holds for every page, that the browser had nothing to complain of and
//! nothing was asked of anyone but the page's own server, is made when the page is dropped.
//!
//! ```ignore
//! let page = Visitor::new("share_a_run").dark().open("");
//! page.click_button("Play");
//! page.until_text("#verdict", "Checkout is fine.");
//! ```

pub use thirtyfour::Key;

mod browser;
mod checks;
mod controls;
mod page;
mod part;
mod site;
mod visitor;

pub use page::Page;
pub use part::Part;
pub use visitor::Visitor;
