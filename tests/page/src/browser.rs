//! A headless Chromium of the test's own, with a profile that no other has used.

use serde_json::{Value, json};
use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;
use thirtyfour::{Capabilities, WebDriver};
use tokio::runtime::{Builder, Runtime};

use crate::site::project;

/// What keeps Chromium to the page alone, without a window, in a container or out of one.
const SWITCHES: [&str; 10] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// The browser and the program that drives it; both end when this is dropped.
pub struct Browser {
    runtime: Runtime,
    driver: Option<WebDriver>,
    _chromedriver: Chromedriver,
    _profile: TempDir,
}

impl Browser {
    /// Starts Chromium with `switches` besides the usual ones.
    ///
    /// # Panics
    /// Where Chromium or its driver is not there.
    pub fn start(switches: &[String]) -> Self {
        let profile = tempfile::tempdir().expect("a folder for the browser's profile");
        let mut chromedriver = Chromedriver::start();
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime to talk with the driver");
        let mut args: Vec<String> = SWITCHES.iter().map(|&switch| switch.to_owned()).collect();
        args.push(format!("--user-data-dir={}", profile.path().display()));
        args.extend_from_slice(switches);
        let mut capabilities = Capabilities::new();
        let wanted = [
            ("browserName", json!("chrome")),
            ("goog:chromeOptions", json!({ "binary": tool("CHROMIUM", "chromium"), "args": args })),
            ("goog:loggingPrefs", json!({ "browser": "ALL", "performance": "ALL" })),
        ];
        for (name, value) in wanted {
            capabilities.set(name, value).expect("a capability is plain JSON");
        }
        let driver = runtime.block_on(WebDriver::new(chromedriver.address(), capabilities)).expect("Chromium starts");
        Self { runtime, driver: Some(driver), _chromedriver: chromedriver, _profile: profile }
    }

    /// The session with the browser.
    pub fn driver(&self) -> &WebDriver {
        self.driver.as_ref().expect("the session lasts as long as the browser")
    }

    /// Waits for an answer of the browser.
    pub fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.runtime.block_on(answer)
    }

    /// One command of the DevTools protocol.
    pub fn devtools(&self, method: &str, params: Value) -> Value {
        self.wait(self.driver().cdp().send_raw(method, params))
            .unwrap_or_else(|error| panic!("the browser refused {method}: {error}"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(driver) = self.driver.take() {
            // A browser that is gone already cannot be quit, and need not be.
            self.runtime.block_on(driver.quit()).ok();
        }
    }
}

/// A program of the browser: where the variable says, else as scripts/setup linked it, else on the PATH.
fn tool(variable: &str, name: &str) -> String {
    if let Ok(path) = env::var(variable) {
        return path;
    }
    let linked = project().join(".tools/bin").join(name);
    if linked.exists() { linked.to_string_lossy().into_owned() } else { name.to_owned() }
}

/// The program that drives the browser; it ends when this is dropped.
struct Chromedriver {
    process: Child,
    /// Kept open: the program would end on writing into a closed one.
    said: BufReader<ChildStdout>,
}

impl Chromedriver {
    fn start() -> Self {
        let mut process = Command::new(tool("CHROMEDRIVER", "chromedriver"))
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts: scripts/setup --browser brings it");
        let said = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        Self { process, said }
    }

    /// Where it listens, once it does.
    fn address(&mut self) -> String {
        let mut line = String::new();
        while self.said.read_line(&mut line).expect("chromedriver says where it is") > 0 {
            if line.contains("success")
                && let Some((_, port)) = line.rsplit_once("on port ")
            {
                return format!("http://127.0.0.1:{}", port.trim().trim_end_matches('.'));
            }
            line.clear();
        }
        panic!("chromedriver ended before it said its port");
    }
}

impl Drop for Chromedriver {
    fn drop(&mut self) {
        // It may have ended by itself; either way it must not outlive the test.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
