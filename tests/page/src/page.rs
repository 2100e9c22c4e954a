//! A page that is open in a visitor's browser.

use serde_json::Value;
use std::fs;
use std::thread::{panicking, sleep};
use std::time::{Duration, Instant};
use thirtyfour::By;

use crate::browser::Browser;
use crate::part::Part;
use crate::site::{Site, project};

/// How long an act waits for what it needs. It bounds a failing test; no test measures time by it.
const PATIENCE: Duration = Duration::from_secs(30);
/// No pause between the steps of an act.
const AT_ONCE: Option<Duration> = Some(Duration::ZERO);
/// How long between two looks at the page.
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// An open page. Dropping it makes the checks that hold for every page, and closes the browser.
pub struct Page {
    name: &'static str,
    pub(crate) browser: Browser,
    pub(crate) site: Site,
    emulated: Vec<(&'static str, Value)>,
    checked: bool,
}

impl Page {
    pub(crate) fn new(
        name: &'static str,
        site: Site,
        browser: Browser,
        emulated: Vec<(&'static str, Value)>,
        checked: bool,
    ) -> Self {
        let page = Self { name, browser, site, emulated, checked };
        page.emulate();
        page
    }

    /// The screen and the wishes, which a browser keeps per window.
    fn emulate(&self) {
        for (method, params) in &self.emulated {
            self.browser.devtools(method, params.clone());
        }
    }

    /// Goes to the page's address with `path` after it.
    pub fn go_to(&self, path: &str) {
        let address = format!("{}{path}", self.site.address());
        self.go_to_address(&address);
    }

    /// Goes to a whole address: a link that the page gave.
    pub fn go_to_address(&self, address: &str) {
        self.browser.wait(self.browser.driver().goto(address)).expect("the page opens");
    }

    /// Loads the page again.
    pub fn reload(&self) {
        self.browser.wait(self.browser.driver().refresh()).expect("the page loads again");
    }

    /// Opens `address` in a second window, acts there, closes it and comes back.
    pub fn in_second_window<T>(&self, address: &str, act: impl FnOnce(&Self) -> T) -> T {
        let driver = self.browser.driver();
        let first = self.browser.wait(driver.window()).expect("the window has a handle");
        let second = self.browser.wait(driver.new_tab()).expect("a second window opens");
        self.browser.wait(driver.switch_to_window(second)).expect("the second window comes to the front");
        self.emulate();
        self.go_to_address(address);
        let result = act(self);
        self.browser.wait(driver.close_window()).expect("the second window closes");
        self.browser.wait(driver.switch_to_window(first)).expect("the first window comes back");
        result
    }

    /// What the window's title says.
    pub fn title(&self) -> String {
        self.browser.wait(self.browser.driver().title()).expect("the page has a title")
    }

    /// The address as the browser shows it.
    pub fn address(&self) -> String {
        self.browser.wait(self.browser.driver().current_url()).expect("the page has an address").into()
    }

    /// The part of the page that `css` selects; the first, where there are several.
    #[track_caller]
    pub fn part(&self, css: &str) -> Part<'_> {
        let found = self.patiently(|| self.browser.wait(self.browser.driver().find(By::Css(css))).ok());
        match found {
            Some(element) => Part::new(self, element, css.to_owned()),
            None => panic!("there is no {css} on the page:\n{}", self.text()),
        }
    }

    /// Gives the page the files that were missing.
    pub fn complete(&self) {
        self.site.complete();
    }

    /// How many parts of the page `css` selects, as it is now.
    pub fn count(&self, css: &str) -> usize {
        self.browser.wait(self.browser.driver().find_all(By::Css(css))).expect("the selector is sound").len()
    }

    /// The text a reader sees in the first part that `css` selects.
    #[track_caller]
    pub fn text_of(&self, css: &str) -> String {
        self.part(css).text()
    }

    /// All the text a reader sees, as it is now.
    pub fn text(&self) -> String {
        self.run("return document.body ? document.body.innerText : ''").as_str().unwrap_or_default().to_owned()
    }

    /// Waits until `seen` holds; `what` says it in words.
    #[track_caller]
    pub fn until(&self, what: &str, mut seen: impl FnMut(&Self) -> bool) {
        if self.patiently(|| seen(self).then_some(())).is_none() {
            panic!("it never came to this: {what}. The page says:\n{}", self.text());
        }
    }

    /// Waits until the page's text has `words` in it.
    #[track_caller]
    pub fn until_it_says(&self, words: &str) {
        self.until(&format!("it says “{words}”"), |page| page.text().contains(words));
    }

    /// Waits until the first part that `css` selects has `words` in its text.
    #[track_caller]
    pub fn until_text(&self, css: &str, words: &str) {
        self.until(&format!("{css} says “{words}”"), |page| page.count(css) > 0 && page.text_of(css).contains(words));
    }

    /// Presses a key and lets go of it, wherever the focus is: `press(Key::Tab)`, `press(' ')`.
    pub fn press(&self, key: impl Into<char>) {
        let key = key.into();
        self.browser
            .wait(self.browser.driver().action_chain_with_delay(AT_ONCE, AT_ONCE).key_down(key).key_up(key).perform())
            .expect("the key is pressed");
    }

    /// Presses a key while another is held: `press_with(Key::Shift, Key::Tab)`.
    pub fn press_with(&self, held: impl Into<char>, key: impl Into<char>) {
        let key = key.into();
        let held = held.into();
        let keys = self.browser.driver().action_chain_with_delay(AT_ONCE, AT_ONCE);
        self.browser.wait(keys.key_down(held).key_down(key).key_up(key).key_up(held).perform()).expect("the keys are pressed");
    }

    /// Runs a script in the page and gives what it returns.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        self.run_with(script, Vec::new())
    }

    /// Runs a script with `arguments` and gives what it returns.
    #[track_caller]
    pub fn run_with(&self, script: &str, arguments: Vec<Value>) -> Value {
        match self.browser.wait(self.browser.driver().execute(script, arguments)) {
            Ok(returned) => returned.json().clone(),
            Err(error) => panic!("the script failed: {error}\n{script}"),
        }
    }

    /// Takes a picture of what the visitor sees: `target/screenshots/NAME.png`.
    pub fn screenshot(&self, name: &str) {
        let folder = project().join("target/screenshots");
        fs::create_dir_all(&folder).expect("a folder for pictures");
        let picture = folder.join(format!("{name}.png"));
        self.browser.wait(self.browser.driver().screenshot(&picture)).expect("a picture can be taken");
    }

    /// Looks again and again until there is something, or patience is at its end.
    pub(crate) fn patiently<T>(&self, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look() {
                return Some(found);
            }
            if Instant::now() > end {
                return None;
            }
            sleep(BETWEEN_LOOKS);
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if panicking() {
            self.screenshot(&format!("failed-{}", self.name));
        } else if self.checked {
            self.check_nothing_amiss();
        }
    }
}
