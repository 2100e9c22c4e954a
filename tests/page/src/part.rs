//! One part of the page, and what can be done to it.

use std::time::Duration;
use thirtyfour::WebElement;

use crate::page::Page;

/// How many moves a drag makes: a hand's way, not a jump.
const DRAG_MOVES: i64 = 12;
/// How long each of them takes.
const BETWEEN_MOVES: Duration = Duration::from_millis(8);

/// A part of an open page.
pub struct Part<'a> {
    page: &'a Page,
    element: WebElement,
    /// How the test called it, for messages.
    called: String,
}

impl<'a> Part<'a> {
    pub(crate) fn new(page: &'a Page, element: WebElement, called: String) -> Self {
        Self { page, element, called }
    }

    #[track_caller]
    fn done<T>(&self, act: &str, result: thirtyfour::error::WebDriverResult<T>) -> T {
        match result {
            Ok(value) => value,
            Err(error) => panic!("cannot {act} {}: {error}", self.called),
        }
    }

    /// The text a reader sees in it.
    #[track_caller]
    pub fn text(&self) -> String {
        self.done("read", self.page.browser.wait(self.element.text()))
    }

    /// Clicks in its middle, as a mouse would: what covers it gets in the way.
    #[track_caller]
    pub fn click(&self) {
        self.done("click", self.page.browser.wait(self.element.click()));
    }

    /// Puts the focus on it.
    #[track_caller]
    pub fn focus(&self) {
        self.done("focus", self.page.browser.wait(self.element.focus()));
    }

    /// An attribute as the page's HTML has it.
    #[track_caller]
    pub fn attribute(&self, name: &str) -> Option<String> {
        self.done("read", self.page.browser.wait(self.element.attr(name)))
    }

    /// A field's value as it is now.
    #[track_caller]
    pub fn value(&self) -> String {
        self.done("read", self.page.browser.wait(self.element.value())).unwrap_or_default()
    }

    /// Whether a reader can see it.
    #[track_caller]
    pub fn is_seen(&self) -> bool {
        self.done("look at", self.page.browser.wait(self.element.is_displayed()))
    }

    /// Whether it can be used.
    #[track_caller]
    pub fn is_enabled(&self) -> bool {
        self.done("look at", self.page.browser.wait(self.element.is_enabled()))
    }

    /// Replaces what is in the field by `text`, key by key.
    #[track_caller]
    pub fn type_in(&self, text: &str) {
        self.done("empty", self.page.browser.wait(self.element.clear()));
        self.done("type into", self.page.browser.wait(self.element.send_keys(text)));
    }

    /// Presses the mouse at a fraction of its width and lets go at another: `drag(0.9, 0.2)`.
    #[track_caller]
    pub fn drag(&self, from: f64, to: f64) {
        let browser = &self.page.browser;
        self.done("scroll to", browser.wait(self.element.scroll_into_view()));
        let rect = self.done("measure", browser.wait(self.element.rect()));
        // An offset counts from the middle.
        let offset = |fraction: f64| ((fraction - 0.5) * (rect.width - 1.0)) as i64;
        let (start, end) = (offset(from), offset(to));
        let mut hand = browser
            .driver()
            .action_chain_with_delay(Some(Duration::ZERO), Some(BETWEEN_MOVES))
            .move_to_element_with_offset(&self.element, start, 0)
            .click_and_hold();
        for move_number in 1..=DRAG_MOVES {
            let at = start + (end - start) * move_number / DRAG_MOVES;
            hand = hand.move_to_element_with_offset(&self.element, at, 0);
        }
        self.done("drag", browser.wait(hand.release().perform()));
    }
}
