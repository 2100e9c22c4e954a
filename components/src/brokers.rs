//! What the brokers can do, and how far the lab's machines are proven to do the same: two tables from the profiles.

use redrive::brokers::fidelity;
use redrive::brokers::profile::{self, Capabilities, Profile};

use crate::dom::{Node, button, el};
use crate::ui::{Sheet, Ui, over};

/// The rows of the capability table: title and what a broker has there.
#[must_use]
pub fn rows(can: &Capabilities) -> [(&'static str, &'static str); 9] {
    // Taken apart, so that a capability cannot be forgotten here.
    let Capabilities { deliveries, order, retention, replay, delay, priorities, dead_letters, deduplication, limits } = *can;
    [
        ("Deliveries", deliveries),
        ("Order", order),
        ("Retention", retention),
        ("Replay", replay),
        ("Delay", delay),
        ("Priorities", priorities),
        ("Dead letters", dead_letters),
        ("Deduplication", deduplication),
        ("Limits", limits),
    ]
}

/// A table that scrolls sideways under a first column that stays.
fn wide(id: &'static str, label: &'static str, head: Node, body: impl IntoIterator<Item = Node>) -> Node {
    let table = el("table").attr("id", id).with(el("thead").with(head)).with(el("tbody").with_all(body));
    el("div").class("wide").attr("tabindex", "0").attr("role", "region").attr("aria-label", label).with(table)
}

fn row_head(says: &str) -> Node {
    el("th").attr("scope", "row").says(says)
}

fn columns<'a>(first: &str, titles: impl IntoIterator<Item = &'a str>) -> Node {
    let first = el("th").attr("scope", "col").says(first);
    el("tr").with(first).with_all(titles.into_iter().map(|title| el("th").attr("scope", "col").says(title)))
}

/// The table of capabilities.
#[must_use]
pub fn capabilities(ui: Ui) -> Node {
    over(ui, Sheet::Brokers, "brokers", "What brokers can do", move || {
        let head = columns("", profile::ALL.iter().map(|profile| profile.title));
        let body = (0..rows(&profile::ALL[0].can).len()).map(|row| {
            let cells = profile::ALL.iter().map(|profile| {
                let says = rows(&profile.can)[row].1;
                el("td").class(if says == "no" { "soft" } else { "" }).says(says)
            });
            el("tr").with(row_head(rows(&profile::ALL[0].can)[row].0)).with_all(cells)
        });
        let how = button("btn", "How far this is proven").press(move || ui.open(Sheet::Fidelity));
        vec![wide("capabilities", "Capabilities of brokers", head, body), el("p").with(how)]
    })
}

/// What is recorded, what is matched, what is not modelled.
#[must_use]
pub fn proof(ui: Ui) -> Node {
    over(ui, Sheet::Fidelity, "fidelity", "How far this is proven", move || {
        let says = "A case is a script with the answers of the real server, line by line. The lab's machine gets the same script and \
                    must give the same lines. A case from documentation has the answers that the documentation promises.";
        let titles = ["matched", "recorded here", "recorded by others", "from documentation", "servers"];
        let known = profile::ALL.iter().filter_map(|profile| {
            let row = fidelity::ALL.iter().find(|row| row.id == profile.id)?;
            Some((*profile, row))
        });
        let body = known.map(|(profile, row)| {
            let matched = [row.matched, row.cases].map(|count| count.to_string()).join(" of ");
            let counts = [row.recorded, row.by_others, row.documented].map(|count| el("td").says(count.to_string()));
            el("tr")
                .attr("data-broker", profile.id)
                .with(row_head(profile.title))
                .with(el("td").with(el("b").says(matched)))
                .with_all(counts)
                .with(el("td").class("soft").says(row.servers.join("; ")))
        });
        let lacks = profile::ALL.iter().map(|profile| lack(profile));
        let can = button("btn", "What brokers can do").press(move || ui.open(Sheet::Brokers));
        vec![
            el("p").class("soft").says(says),
            wide("cases", "Cases of each broker", columns("", titles), body),
            el("h3").says("Not modelled"),
            el("div").class("lacks").with_all(lacks),
            el("p").with(can),
        ]
    })
}

fn lack(profile: &Profile) -> Node {
    let list = |title: &'static str, says: &[&'static str]| {
        el("div").with(el("h4").says(title)).with(el("ul").with_all(says.iter().map(|line| el("li").says(*line))))
    };
    el("details")
        .with(
            el("summary")
                .says(profile.title)
                .with(el("span").class("soft").says([" · ", &profile.not_modelled.len().to_string()].concat())),
        )
        .with(list("Rules that the machine does not have", profile.not_modelled))
        .with(list("Where its rules come from", profile.sources))
}
