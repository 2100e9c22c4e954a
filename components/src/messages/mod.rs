//! Lists of messages: what is listed, and the search through all of them, a few milliseconds a frame.

mod search;
mod sheet;
mod table;

pub use sheet::messages;

use leptos::prelude::*;
use redrive::observe::lists::Which;
use redrive::view::MessageRow;

use crate::lab::Lab;
use crate::ui::{Sheet, Ui};

/// Rows of a page.
pub const PAGE: usize = 100;

/// What is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Which messages.
    pub which: Which,
    /// In words: `email, late`.
    pub title: String,
}

/// What has been found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// One page, in order of birth.
    pub rows: Vec<MessageRow>,
    /// The moment that it holds for.
    pub at_us: u64,
    /// Where the next page begins; none on the last.
    pub next: Option<u32>,
    /// How many messages there are in all.
    pub of: u32,
}

/// Where the search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// It has found what it looked for.
    #[default]
    Done,
    /// It has looked at so many messages.
    At(u32),
    /// It was stopped there.
    Stopped(u32),
}

/// The list that is open, if one is.
#[derive(Clone, Copy)]
pub struct Messages {
    /// What is listed; none while nothing is.
    pub asked: RwSignal<Option<Asked>>,
    /// The page that is shown.
    pub listed: RwSignal<Listed>,
    /// Where the search is.
    pub search: RwSignal<Search>,
    /// Where the pages up to the one that is shown begin.
    pub begins: RwSignal<Vec<u32>>,
    /// The search under way.
    run: StoredValue<search::Run, LocalStorage>,
}

impl Messages {
    /// Nothing is listed.
    #[must_use]
    pub fn new() -> Self {
        Self {
            asked: RwSignal::new(None),
            listed: RwSignal::new(Listed::default()),
            search: RwSignal::new(Search::Done),
            begins: RwSignal::new(vec![0]),
            run: StoredValue::new_local(search::Run::default()),
        }
    }
}

impl Lab {
    /// Lists messages, from the first on.
    pub fn list(self, asked: Option<Asked>) {
        let messages = self.messages;
        messages.listed.set(Listed::default());
        messages.begins.set(vec![0]);
        messages.asked.set(asked);
        self.search(true);
    }

    /// Opens a list over the page.
    pub fn open_list(self, ui: Ui, which: Which, title: String) {
        self.list(Some(Asked { which, title }));
        ui.open(Sheet::Find);
    }

    /// Shows the next page, or the one before.
    pub fn turn_page(self, on: bool) {
        let next = self.messages.listed.with_untracked(|listed| listed.next);
        self.messages.begins.update(|begins| match next {
            Some(next) if on => begins.push(next),
            _ if !on && begins.len() > 1 => {
                begins.pop();
            }
            _ => {}
        });
        self.search(true);
    }
}
