//! Who visits: with what screen, what wishes, what browser.

use serde_json::json;

use crate::browser::Browser;
use crate::page::Page;
use crate::site::Site;

/// Width and height of a desk's screen, in CSS pixels.
const DESK: (u32, u32) = (1440, 900);
/// Width and height of a phone's screen, in CSS pixels.
const PHONE: (u32, u32) = (390, 844);

/// A visitor before they open the page.
pub struct Visitor {
    name: &'static str,
    size: (u32, u32),
    phone: bool,
    dark: bool,
    still: bool,
    no_wasm: bool,
    switches: Vec<String>,
    under: &'static str,
    is_missing: Option<fn(&str) -> bool>,
    complaints: bool,
}

impl Visitor {
    /// Someone at a desk, with light colours and nothing special. Pictures of a failure carry the `name`.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            size: DESK,
            phone: false,
            dark: false,
            still: false,
            no_wasm: false,
            switches: Vec::new(),
            under: "/",
            is_missing: None,
            complaints: false,
        }
    }

    /// On a phone: 390 × 844, with a touch screen.
    pub fn phone(mut self) -> Self {
        self.size = PHONE;
        self.phone = true;
        self
    }

    /// Has a screen of this width and height, in CSS pixels.
    pub fn on_screen(mut self, width: u32, height: u32) -> Self {
        self.size = (width, height);
        self
    }

    /// Prefers dark colours.
    pub fn dark(mut self) -> Self {
        self.dark = true;
        self
    }

    /// Prefers reduced motion.
    pub fn reduced_motion(mut self) -> Self {
        self.still = true;
        self
    }

    /// Has WebAssembly switched off.
    pub fn without_webassembly(mut self) -> Self {
        self.no_wasm = true;
        self
    }

    /// Has JavaScript switched off.
    pub fn without_javascript(mut self) -> Self {
        self.switches.push("--blink-settings=scriptEnabled=false".to_owned());
        self
    }

    /// Finds the page in this folder of the server instead of at its root; begins and ends with `/`.
    pub fn under(mut self, folder: &'static str) -> Self {
        self.under = folder;
        self
    }

    /// Finds a page of which the files are missing whose name `is_missing` holds for.
    pub fn without_files(mut self, is_missing: fn(&str) -> bool) -> Self {
        self.is_missing = Some(is_missing);
        self
    }

    /// The browser's complaints are part of the test: they are not checked at its end.
    pub fn expecting_complaints(mut self) -> Self {
        self.complaints = true;
        self
    }

    /// Opens the page; `path` follows its address: `""`, `"#/…"`.
    pub fn open(self, path: &str) -> Page {
        let site = Site::serve(self.under, self.is_missing);
        let mut switches = self.switches;
        switches.push(format!("--window-size={},{}", self.size.0, self.size.1));
        let browser = Browser::start(&switches);
        let emulated = [
            (
                "Emulation.setDeviceMetricsOverride",
                json!({ "width": self.size.0, "height": self.size.1, "deviceScaleFactor": 1, "mobile": self.phone }),
            ),
            ("Emulation.setTouchEmulationEnabled", json!({ "enabled": self.phone })),
            (
                "Emulation.setEmulatedMedia",
                json!({ "features": [
                    { "name": "prefers-color-scheme", "value": if self.dark { "dark" } else { "light" } },
                    { "name": "prefers-reduced-motion", "value": if self.still { "reduce" } else { "no-preference" } },
                ] }),
            ),
        ];
        if self.no_wasm {
            let before_all = json!({ "source": "delete globalThis.WebAssembly" });
            browser.devtools("Page.addScriptToEvaluateOnNewDocument", before_all);
        }
        let page = Page::new(self.name, site, browser, emulated.to_vec(), !self.complaints);
        page.go_to(path);
        page
    }
}
