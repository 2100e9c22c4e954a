//! What must hold for every page that anyone opens.

use serde_json::Value;
use std::fs;

use crate::page::Page;
use crate::site::project;

impl Page {
    /// What the browser had to complain of since the last look: errors and warnings of scripts, refusals of the
    /// content policy, files that did not come.
    pub fn console_errors(&self) -> Vec<String> {
        let log = self.browser.wait(self.browser.driver().get_log("browser")).expect("the browser keeps a log");
        log.into_iter()
            .filter(|entry| matches!(entry.level.as_str(), "SEVERE" | "WARNING"))
            .map(|entry| format!("{}: {}", entry.level, entry.message))
            .collect()
    }

    /// Every address that the page asked for since the last look and that is not on its own server.
    pub fn foreign_requests(&self) -> Vec<String> {
        let log = self.browser.wait(self.browser.driver().get_log("performance")).expect("the browser keeps a log");
        log.iter()
            .filter_map(|entry| serde_json::from_str::<Value>(&entry.message).ok())
            .filter(|event| event["message"]["method"] == "Network.requestWillBeSent")
            // A window's own pages, like the one of a new tab, are the browser's business.
            .filter(|event| event["message"]["params"]["documentURL"].as_str().is_some_and(|url| self.is_ours(url)))
            .filter_map(|event| event["message"]["params"]["request"]["url"].as_str().map(str::to_owned))
            .filter(|url| !self.is_ours(url) && !url.starts_with("data:") && !url.starts_with("blob:"))
            .collect()
    }

    fn is_ours(&self, url: &str) -> bool {
        url.starts_with(self.site.address())
    }

    /// What axe finds that shuts someone out, of the page as it is now: rule, what it asks, and where it is broken.
    ///
    /// # Panics
    /// Where axe-core is not installed or cannot run.
    pub fn axe(&self) -> Vec<String> {
        let file = project().join(".tools/node_modules/axe-core/axe.min.js");
        let axe = fs::read_to_string(&file).expect("axe-core is there: scripts/setup brings it");
        self.run(&axe);
        let script = "const done = arguments[0];
            axe.run(document, { resultTypes: ['violations'] }).then(
                (found) => done(found.violations
                    .filter((rule) => rule.impact === 'serious' || rule.impact === 'critical')
                    .map((rule) => `${rule.id}: ${rule.help}: ${rule.nodes.map((node) => node.html).join(' ')}`)),
                (error) => done([`axe could not run: ${error}`]));";
        let found = self
            .browser
            .wait(self.browser.driver().execute_async(script, Vec::new()))
            .expect("axe answers")
            .convert::<Vec<String>>();
        found.expect("axe answers with a list")
    }

    /// The browser has nothing to complain of, and nobody but the page's server was asked for anything.
    #[track_caller]
    pub(crate) fn check_nothing_amiss(&self) {
        let errors = self.console_errors();
        assert!(errors.is_empty(), "the browser complains:\n{}", errors.join("\n"));
        let foreign = self.foreign_requests();
        assert!(foreign.is_empty(), "the page asked others than its own server:\n{}", foreign.join("\n"));
    }
}
