//! Controls found as assistive technology finds them: by their role and accessible name.

use serde_json::{Value, json};
use thirtyfour::WebElement;

use crate::page::Page;
use crate::part::Part;

impl Page {
    /// The one control with this role and accessible name: `control("slider", "Time")`.
    #[track_caller]
    pub fn control(&self, role: &str, name: &str) -> Part<'_> {
        let mut found = Vec::new();
        let element = self.patiently(|| {
            found = self.nodes(json!({ "role": role, "accessibleName": name }));
            if found.len() == 1 { self.element(&found[0]) } else { None }
        });
        if let Some(element) = element {
            return Part::new(self, element, format!("the {role} “{name}”"));
        }
        let names = self.names(role).join("”, “");
        panic!("{} of role {role} are named “{name}”, not one. There are: “{names}”", found.len());
    }

    /// The accessible names of all controls of this role, in the page's order.
    pub fn names(&self, role: &str) -> Vec<String> {
        self.nodes(json!({ "role": role })).iter().map(name_of).collect()
    }

    /// Whether there is a control with this role and accessible name now.
    pub fn has_control(&self, role: &str, name: &str) -> bool {
        !self.nodes(json!({ "role": role, "accessibleName": name })).is_empty()
    }

    /// The one button of this accessible name.
    #[track_caller]
    pub fn button(&self, name: &str) -> Part<'_> {
        self.control("button", name)
    }

    /// Clicks the one button of this accessible name.
    #[track_caller]
    pub fn click_button(&self, name: &str) {
        self.button(name).click();
    }

    /// Clicks the one link of this accessible name.
    #[track_caller]
    pub fn click_link(&self, name: &str) {
        self.control("link", name).click();
    }

    /// The role and accessible name of what has the focus: `button “Play”`; `nothing` where nothing has.
    pub fn focused(&self) -> String {
        let active = self.browser.devtools(
            "Runtime.evaluate",
            json!({ "expression": "document.activeElement === document.body ? null : document.activeElement" }),
        );
        let Some(object) = active["result"]["objectId"].as_str() else { return "nothing".to_owned() };
        let tree =
            self.browser.devtools("Accessibility.getPartialAXTree", json!({ "objectId": object, "fetchRelatives": false }));
        let node = &tree["nodes"][0];
        format!("{} “{}”", node["role"]["value"].as_str().unwrap_or("none"), name_of(node))
    }

    /// The nodes of the accessibility tree that answer to `query`, without those that are hidden from it.
    fn nodes(&self, query: Value) -> Vec<Value> {
        let document = self.browser.devtools("Runtime.evaluate", json!({ "expression": "document" }));
        let mut query = query;
        query["objectId"] = document["result"]["objectId"].clone();
        let answer = self.browser.devtools("Accessibility.queryAXTree", query);
        let all = answer["nodes"].as_array().cloned().unwrap_or_default();
        all.into_iter().filter(|node| node["ignored"] == json!(false)).collect()
    }

    /// The element of a node, where it still is on the page.
    fn element(&self, node: &Value) -> Option<WebElement> {
        let driver = self.browser.driver();
        let resolved = self
            .browser
            .wait(driver.cdp().send_raw("DOM.resolveNode", json!({ "backendNodeId": node["backendDOMNodeId"] })))
            .ok()?;
        let kept = json!({
            "objectId": resolved["object"]["objectId"],
            "functionDeclaration": "function () { globalThis.foundByTest = this }",
        });
        self.browser.wait(driver.cdp().send_raw("Runtime.callFunctionOn", kept)).ok()?;
        let take = "const found = globalThis.foundByTest; delete globalThis.foundByTest; return found";
        self.browser.wait(driver.execute(take, Vec::new())).ok()?.element().ok()
    }
}

fn name_of(node: &Value) -> String {
    node["name"]["value"].as_str().unwrap_or_default().to_owned()
}
