//! What users see: one sentence with its harm, the newest outcomes as a waffle, and the counts.

use leptos::html::Div;
use leptos::prelude::*;
use redrive::sim::time::grouped;
use redrive::view::{UserLevel, UsersView};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::dom::{el, live};
use crate::lab::Lab;

/// Cells of the waffle.
const CELLS: usize = 240;
/// Cells of a row.
const ROW: usize = 30;

/// Rows that so many users need: 1, 2, 4 or 8.
fn rows(users: usize) -> usize {
    [1, 2, 4].into_iter().find(|rows| users <= rows * ROW).unwrap_or(CELLS / ROW)
}

fn class(level: Option<UserLevel>) -> &'static str {
    match level {
        Some(UserLevel::AsPromised) => "good",
        Some(UserLevel::Late) => "late",
        Some(UserLevel::Twice) => "twice",
        Some(UserLevel::Never) => "never",
        Some(UserLevel::Refused) => "refused",
        Some(UserLevel::Waiting) => "wait",
        None => "none",
    }
}

/// The panel.
#[component]
pub fn Users(lab: Lab) -> impl IntoView {
    let users = Memo::new(move |_| lab.panels.with(|panels| panels.users.clone()));
    let verdict = live(move || {
        users.with(|users| {
            let harm = el("em").says(users.harm.clone());
            let verdict = el("p").class("verdict").attr("id", "verdict").says(users.verdict.clone() + " ");
            vec![verdict.with(harm).says(users.tail.clone()), el("div").class("sub").says(newest(users))]
        })
    });
    view! { <section id="users"><h2>"What users see"</h2>{verdict}<Waffle users />{key(users)}</section> }.into_any()
}

/// What the waffle shows.
fn newest(users: &UsersView) -> String {
    match (users.newest.len(), users.one_of) {
        (0, _) => "nobody has come yet".to_owned(),
        (1, _) => "the only one so far".to_owned(),
        (many, 0 | 1) => format!("last {many}, newest right"),
        (many, each) => format!("last {many}, newest right; each stands for {}", grouped(each)),
    }
}

/// One cell a user, newest right, column by column. Only cells that changed are touched.
#[component]
fn Waffle(users: Memo<UsersView>) -> impl IntoView {
    let waffle: NodeRef<Div> = NodeRef::new();
    let cells = StoredValue::new_local(Vec::<(HtmlElement, &'static str)>::new());
    Effect::new(move || {
        let Some(waffle) = waffle.get() else { return };
        users.with(|users| {
            cells.update_value(|cells| {
                let wanted = rows(users.newest.len()) * ROW;
                waffle.set_class_name(match wanted / ROW {
                    1 => "waffle rows-1",
                    2 => "waffle rows-2",
                    4 => "waffle rows-4",
                    _ => "waffle",
                });
                for (gone, _) in cells.drain(wanted.min(cells.len())..) {
                    gone.remove();
                }
                while cells.len() < wanted {
                    let made = document().create_element("i").ok().and_then(|made| made.dyn_into::<HtmlElement>().ok());
                    let Some(made) = made else { return };
                    made.set_class_name("none");
                    if waffle.append_child(&made).is_err() {
                        return;
                    }
                    cells.push((made, "none"));
                }
                let empty = wanted - users.newest.len().min(wanted);
                for (place, (element, old)) in cells.iter_mut().enumerate() {
                    let class = class(place.checked_sub(empty).and_then(|place| users.newest.get(place)).copied());
                    if *old != class {
                        element.set_class_name(class);
                        *old = class;
                    }
                }
            });
        });
    });
    let label = Signal::derive(move || {
        users.with(|users| {
            let count = |level| users.newest.iter().filter(|other| **other == level).count();
            format!(
                "Of the newest {}: {} as promised, {} late, {} twice, {} never, {} refused, {} waiting.",
                users.newest.len(),
                count(UserLevel::AsPromised),
                count(UserLevel::Late),
                count(UserLevel::Twice),
                count(UserLevel::Never),
                count(UserLevel::Refused),
                count(UserLevel::Waiting)
            )
        })
    });
    view! { <div role="img" aria-label=label node_ref=waffle></div> }.into_any()
}

/// The counts over the whole run.
fn key(users: Memo<UsersView>) -> AnyView {
    live(move || {
        let users = users.get();
        let counts = [
            ("good", "served", users.served),
            ("late", "late", users.late),
            ("twice", "twice", users.twice),
            ("never", "never", users.never),
            ("refused", "refused", users.refused),
            ("wait", "waiting", users.waiting),
        ];
        let shown = counts.into_iter().filter(|(class, _, count)| *count > 0 || *class == "good");
        let rows = shown.map(|(class, title, count)| {
            el("li")
                .attr("data-count", class)
                .with(el("i").class(class))
                .says(format!("{title} "))
                .with(el("b").says(grouped(count)))
        });
        vec![el("ul").class("key").with_all(rows)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_users_need_few_rows() {
        assert_eq!([0, 10, 30, 31, 100, 240].map(rows), [1, 1, 1, 2, 4, 8]);
    }
}
