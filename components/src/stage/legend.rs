//! The legend: what colours and shapes mean, and what a token stands for where not every message is drawn.

use leptos::prelude::*;
use redrive::scenario::choices::Role;
use redrive::sim::time::grouped;
use redrive::view::BodyView;

use crate::dom::{Node, el, live};
use crate::lab::Lab;

/// Roles with their stripe and their name.
const ROLES: [(Role, &str, &str); 5] = [
    (Role::Service, "fill service", "service"),
    (Role::Database, "fill database", "database"),
    (Role::Cache, "fill cache", "cache"),
    (Role::Queue, "fill queue", "queue or stream"),
    (Role::Worker, "fill worker", "background worker"),
];

/// A shape of the legend: its class, and a path or a radius.
enum Mark {
    Path(&'static str, &'static str),
    Circle(&'static str, &'static str),
}

/// What the shapes of messages mean.
const SHAPES: [(&str, &[Mark]); 6] = [
    ("in transit", &[Mark::Circle("tok k0", "8")]),
    ("hidden, comes back", &[Mark::Circle("arc-back", "8"), Mark::Path("arc k0", "M12 4A8 8 0 1 1 6 6.7")]),
    ("given out again", &[Mark::Circle("again", "10.5"), Mark::Circle("tok k0", "7.5")]),
    ("took effect twice", &[Mark::Circle("twice-ring", "10.5"), Mark::Circle("twice", "7.5")]),
    ("poison", &[Mark::Path("poison", "M12 2l10 10-10 10L2 12z")]),
    ("lost", &[Mark::Circle("ghost", "8")]),
];

fn drawing(view: &'static str, width: &'static str, height: &'static str) -> Node {
    el("svg").attr("viewBox", view).attr("width", width).attr("height", height).attr("aria-hidden", "true")
}

fn mark(mark: &Mark) -> Node {
    match mark {
        Mark::Path(class, d) => el("path").class(*class).attr("d", *d),
        Mark::Circle(class, r) => el("circle").class(*class).attr("cx", "12").attr("cy", "12").attr("r", *r),
    }
}

/// The legend under the stage.
#[component]
pub fn Legend(lab: Lab) -> impl IntoView {
    live(move || {
        let shown = lab.shown.get();
        let present = ROLES.iter().filter(|(role, ..)| shown.stage.parts.iter().any(|part| part.role == *role));
        let roles = present.map(|(_, class, text)| {
            let stripe = el("rect").class(*class).attr("width", "4").attr("height", "13").attr("rx", "2");
            el("li").with(drawing("0 0 4 13", "4", "13").with(stripe)).says(*text)
        });
        let shapes = SHAPES.iter().enumerate().map(|(place, (text, marks))| {
            let class = if place == 0 { "gap" } else { "" };
            el("li").class(class).with(drawing("0 0 24 24", "20", "20").with_all(marks.iter().map(mark))).says(*text)
        });
        let locks =
            shown.stage.parts.iter().any(|part| matches!(&part.body, BodyView::Queue { locked, .. } if locked.contains(&true)));
        let lock = locks.then(|| {
            let marks = [
                el("circle").class("tok k0").attr("cx", "11").attr("cy", "11").attr("r", "8"),
                el("path").class("shackle").attr("d", "M14.6 16v-1.8a2.4 2.4 0 0 1 4.8 0v1.8"),
                el("rect")
                    .class("lock")
                    .attr("x", "12.8")
                    .attr("y", "15.6")
                    .attr("width", "8.4")
                    .attr("height", "6.4")
                    .attr("rx", "1.4"),
            ];
            el("li").with(drawing("0 0 24 24", "20", "20").with_all(marks)).says("its group is in flight")
        });
        let sampled = match lab.frame.with_untracked(|frame| frame.one_of) {
            0 | 1 => "every message is drawn".to_owned(),
            many => format!("1 of {} messages is drawn", grouped(many)),
        };
        let list = el("ul").class("legend").attr("aria-label", "Legend").with_all(roles).with_all(shapes).with_all(lock);
        vec![list.with(el("li").class("sampled").says(sampled))]
    })
}
