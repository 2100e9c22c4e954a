//! What held in every tried run, and the shortest way to break what did not.

use redrive::sim::time::clock;
use serde_json::Value;

use super::runs::stricken;
use super::{Found, Standing, grouped};
use crate::dom::{Node, el};

/// The properties, as the worker has told them.
#[must_use]
pub fn properties(found: &Found) -> Vec<Node> {
    let Some(all) = found.says("properties").as_array() else { return Vec::new() };
    let proved = found.standing == Standing::Done && found.says("sampled_of").is_null();
    let rows = all.iter().map(|property| row(found, property, proved));
    vec![el("h3").says("What is true of every run"), el("ul").class("rows").attr("id", "properties").with_all(rows)]
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn row(found: &Found, property: &Value, proved: bool) -> Node {
    let tried = grouped(property["tried"].as_u64().unwrap_or(0));
    let name = [text(property, "kind"), ": ", text(property, "name")].concat();
    if property["holds"] == true {
        let how = if proved { [" · proved over ", &tried, " fault points"] } else { [" · held in ", &tried, " runs so far"] };
        return el("li")
            .class("row")
            .attr("data-holds", "true")
            .with(el("span").class("dot good").attr("role", "img").attr("aria-label", "holds"))
            .with(el("span").says(name).with(el("span").class("sub").says(how.concat())));
    }
    let broken = el("li")
        .class("row")
        .attr("data-holds", "false")
        .with(el("span").class("dot bad").attr("role", "img").attr("aria-label", "broken"));
    let example = &property["counterexample"];
    let says = el("span").says(name);
    if example.is_null() {
        return broken.with(says.with(el("span").class("sub harm").says(" · broken")));
    }
    let open = el("a").attr("href", text(example, "link").to_owned()).says("Open that run");
    broken.with(says.with(el("span").class("sub").says([" · broken ", &story(found, example), ". "].concat())).with(open))
}

/// `when Relay dies at published, 00:00.30; it shows at 00:05.60, at 101`.
fn story(found: &Found, example: &Value) -> String {
    let strike = |strike: &Value| {
        let part = text(strike, "part");
        let title = found.scenario.parts.get(part).map_or(part, |spec| &spec.title);
        [&stricken(title, text(strike, "step")), ", ", &clock(strike["at_us"].as_u64().unwrap_or(0))].concat()
    };
    let mut says = [if example["planned"] == true { "as it is, when " } else { "when " }, &strike(example)].concat();
    if !example["then"].is_null() {
        says.push_str(&[", then ", &strike(&example["then"])].concat());
    }
    if let (Some(shows_us), Some(fact)) = (example["shows_us"].as_u64(), example["fact"].as_str()) {
        says.push_str(&["; it shows at ", &clock(shows_us), ", at ", fact].concat());
    }
    says
}
