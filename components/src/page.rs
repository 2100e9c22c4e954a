//! The page as such: how wide it is, which theme it wears, whether things may move.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// What is known of the page.
#[derive(Clone, Copy)]
pub struct Page {
    /// It is as narrow as a phone, or a tablet that stands upright: the flow runs top to bottom.
    pub narrow: RwSignal<bool>,
    /// The header has no room for all that can be done.
    pub tight: RwSignal<bool>,
    /// Grows with each change of size, of the page or of what is [heeded](Page::heed).
    pub size: RwSignal<u32>,
    /// Grows with each change of theme.
    pub theme: RwSignal<u32>,
    /// Nothing may move: the visitor asked the system for reduced motion.
    pub still: RwSignal<bool>,
    /// Dark or light, as the visitor chose; none follows the system.
    pub chosen: RwSignal<Option<Theme>>,
}

/// A theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on light paper.
    Light,
    /// The other way round.
    Dark,
}

impl Theme {
    fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Light => Self::Dark,
            Self::Dark => Self::Light,
        }
    }
}

/// Where the visitor's choice of theme is kept.
const KEPT: &str = "redrive.theme";

fn matches(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|list| list.matches())
}

/// The question whether things must stay where they are.
const STILL: &str = "(prefers-reduced-motion: reduce)";

/// Calls back whenever the answer to a media query changes, for as long as the page is open.
fn on_change(query: &str, call: impl Fn() + 'static) {
    if let Ok(Some(list)) = window().match_media(query) {
        let changed = wasm_bindgen::closure::Closure::<dyn Fn()>::new(call);
        list.set_onchange(Some(changed.as_ref().unchecked_ref()));
        // Media queries are collected with their last owner, and then call nobody.
        std::mem::forget(list);
        changed.forget();
    }
}

fn is_tight() -> bool {
    matches("(max-width: 1100px)")
}

fn is_narrow() -> bool {
    matches("(max-width: 900px)")
}

impl Page {
    /// Watches the window.
    #[must_use]
    pub fn watch() -> Self {
        let chosen = match super::store::read(KEPT).as_deref() {
            Some("dark") => Some(Theme::Dark),
            Some("light") => Some(Theme::Light),
            _ => None,
        };
        let page = Self {
            narrow: RwSignal::new(is_narrow()),
            tight: RwSignal::new(is_tight()),
            size: RwSignal::new(0),
            theme: RwSignal::new(0),
            still: RwSignal::new(matches(STILL)),
            chosen: RwSignal::new(chosen),
        };
        page.wear();
        let resized = window_event_listener_untyped("resize", move |_| {
            for (signal, is) in [(page.narrow, is_narrow()), (page.tight, is_tight())] {
                if signal.get_untracked() != is {
                    signal.set(is);
                }
            }
            page.size.update(|size| *size += 1);
        });
        on_cleanup(move || resized.remove());
        on_change("(prefers-color-scheme: dark)", move || page.theme.update(|theme| *theme += 1));
        on_change(STILL, move || page.still.set(matches(STILL)));
        page
    }

    /// Counts the changes of an element's size too: what stands around it may leave it more room, or less.
    pub fn heed(self, element: &web_sys::Element) {
        let changed = wasm_bindgen::closure::Closure::<dyn Fn()>::new(move || self.size.update(|size| *size += 1));
        if let Ok(observer) = web_sys::ResizeObserver::new(changed.as_ref().unchecked_ref()) {
            // The browser keeps the observer as long as the element.
            observer.observe(element);
            changed.forget();
        }
    }

    /// The theme that is worn.
    #[must_use]
    pub fn worn(self) -> Theme {
        self.theme.track();
        let system = if matches("(prefers-color-scheme: dark)") { Theme::Dark } else { Theme::Light };
        self.chosen.get().unwrap_or(system)
    }

    /// Takes a theme and keeps it for the next visit.
    pub fn choose(self, theme: Theme) {
        self.chosen.set(Some(theme));
        super::store::write(KEPT, theme.word());
        self.wear();
        self.theme.update(|theme| *theme += 1);
    }

    fn wear(self) {
        if let (Some(theme), Some(root)) = (self.chosen.get_untracked(), document().document_element()) {
            let _ = root.set_attribute("data-theme", theme.word());
        }
    }
}
