//! Alert rules: thresholds and hold times as fields, so that what would have fired is seen at once; and each rule to take home.

use leptos::prelude::*;
use redrive::scenario::prometheus::rules_file;
use redrive::sim::time::{clock, spoken};
use redrive::view::AlertView;
use redrive::world::KEEP_FIRING_US;

use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::share::put_on_clipboard;
use crate::ui::{Sheet, Ui, over};

/// The dialog.
#[must_use]
pub fn rules(lab: Lab, ui: Ui) -> Node {
    // Of the setting that was last refused: its name and why.
    let wrong = RwSignal::new((String::new(), String::new()));
    let said = RwSignal::new(String::new());
    let taken = RwSignal::new(String::new());
    over(ui, Sheet::Rules, "rules", "Alert rules", move || {
        wrong.set((String::new(), String::new()));
        said.set(String::new());
        taken.set(String::new());
        let rows = slot(move || {
            let rules = lab.shown.with(|shown| distinct(&shown.panels.alerts));
            let wrong_now = wrong.get();
            vec![el("ul").class("rules").with_all(rules.into_iter().map(|rule| row(lab, rule, &wrong_now, wrong, said)))]
        });
        let home = button("btn pri", "Take these rules home").press(move || {
            let file = lab.desk.with_value(|desk| {
                desk.timeline.as_ref().map(|timeline| rules_file(timeline.scenario(), KEEP_FIRING_US)).unwrap_or_default()
            });
            put_on_clipboard(&file, said, "Copied: all rules, as a file that Prometheus reads.");
            taken.set(file);
        });
        let why =
            "Change a threshold and the run is played again to this moment: nothing in it happens otherwise, only who is told.";
        vec![
            el("p").class("soft").says(why),
            el("div").class("offers").with(home),
            slot(move || vec![el("p").attr("id", "rules-said").attr("role", "status").says(said.get())]),
            slot(move || {
                let file = taken.get();
                if file.is_empty() {
                    return Vec::new();
                }
                let text = el("textarea").class("mono").attr("readonly", "").attr("rows", "10").attr("id", "rules-file");
                vec![text.attr("aria-label", "All rules, for Prometheus").value(file)]
            }),
            rows,
        ]
    })
}

/// Each rule once, in an order of its own: the panel shows one line a firing, the newest last.
fn distinct(alerts: &[AlertView]) -> Vec<AlertView> {
    let mut rules: Vec<AlertView> = Vec::new();
    for alert in alerts {
        match rules.iter().position(|rule| rule.set >= alert.set) {
            Some(place) if rules[place].set == alert.set => {}
            Some(place) => rules.insert(place, alert.clone()),
            None => rules.push(alert.clone()),
        }
    }
    rules
}

/// What the rule did so far.
fn state(rule: &AlertView) -> String {
    let Some(at_us) = rule.at_us else { return ["silent: ", &rule.why].concat() };
    let after = rule.after_us.map_or_else(String::new, |after_us| [", after ", &spoken(after_us)].concat());
    ["fired at ", &clock(at_us), &after].concat()
}

fn row(
    lab: Lab,
    rule: AlertView,
    wrong_now: &(String, String),
    wrong: RwSignal<(String, String)>,
    said: RwSignal<String>,
) -> Node {
    let hold_set = [rule.set.trim_end_matches("above"), "for"].concat();
    let why = if [&rule.set, &hold_set].contains(&&wrong_now.0) { wrong_now.1.clone() } else { String::new() };
    let described = [&rule.set, "-wrong"].concat();
    let field = |title: &'static str, set: &str, value: &str| {
        let (path, refused) = (set.to_owned(), !why.is_empty() && wrong_now.0 == set);
        let take = move |text: String| {
            let fault = lab.reopen_with(&path, text.trim()).err().and_then(|faults| faults.0.into_iter().next());
            let why = fault.map_or_else(String::new, |fault| [&fault.wrong, ". Allowed: ", &fault.allowed].concat());
            wrong.set((path.clone(), why));
        };
        let input = el("input")
            .class("mono")
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .attr("aria-label", [&rule.text, ": ", title].concat())
            .attr("aria-invalid", if refused { "true" } else { "false" })
            .attr("aria-describedby", described.clone())
            .attr("data-set", set)
            .value(value)
            .take("change", take);
        el("label").says([title, " "].concat()).with(input)
    };
    let copied = rule.expr.clone();
    let copy = button("btn", "Copy").attr("aria-label", ["Copy the expression of: ", &rule.text].concat());
    let copy = copy.press(move || put_on_clipboard(&copied, said, "Copied."));
    let fired = if rule.at_us.is_some() { "dot warn" } else { "dot" };
    el("li")
        .attr("data-alert", rule.set.clone())
        .with(
            el("div")
                .class("rule-head")
                .with(el("span").class(fired).attr("aria-hidden", "true"))
                .with(el("b").says(rule.text.clone()))
                .with(el("span").class("sub").says(state(&rule))),
        )
        .with(
            el("div")
                .class("rule-set")
                .with(field("above", &rule.set, &rule.threshold))
                .with(field("for", &hold_set, &rule.hold)),
        )
        .with(el("p").class("wrong").attr("id", described.clone()).attr("role", "alert").says(why.clone()))
        .with(el("div").class("rule-expr").with(el("code").says(rule.expr.clone())).with(copy))
}
