//! What opens over the page: one dialog at a time, each a real `<dialog>`.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlElement};

use crate::dom::{Node, button, el, slot};
use crate::focus;

/// A dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// Scenarios, own runs, own documents.
    Picker,
    /// The link of the run.
    Share,
    /// What to compare the run with.
    Compare,
    /// Finds messages and lists them.
    Find,
    /// The alert rules.
    Rules,
    /// The keys.
    Keys,
    /// What brokers can do.
    Brokers,
    /// How far that is proven.
    Fidelity,
    /// What a narrow page has no room for in its header.
    Tools,
    /// Every crash, one run each.
    Crashes,
    /// A setting against a figure.
    Sweep,
}

/// A tab of the panels on a narrow page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// What users see.
    Users,
    /// What breaks.
    Breaks,
    /// How you notice.
    Notice,
    /// What to do.
    Cures,
    /// Where every message is.
    Books,
    /// Counts and the event log.
    Log,
}

impl Tab {
    /// All of them, with what they say and the section that they show.
    pub const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Users, "Users see", "users"),
        (Self::Breaks, "Breaks", "breaks"),
        (Self::Notice, "Notice", "notice"),
        (Self::Cures, "Do", "cures"),
        (Self::Books, "Books", "books"),
        (Self::Log, "Counts", "counts"),
    ];
}

/// What is open over the page.
#[derive(Clone, Copy)]
pub struct Ui {
    /// The open dialog.
    pub sheet: RwSignal<Option<Sheet>>,
    /// The tab that a narrow page shows.
    pub tab: RwSignal<Tab>,
    /// What had the focus when a dialog opened.
    opener: StoredValue<Option<HtmlElement>, LocalStorage>,
}

impl Ui {
    /// Nothing is open.
    #[must_use]
    pub fn new() -> Self {
        Self { sheet: RwSignal::new(None), tab: RwSignal::new(Tab::Users), opener: StoredValue::new_local(None) }
    }

    /// Opens a dialog.
    pub fn open(self, sheet: Sheet) {
        // From one dialog to the next: back to what opened the first.
        if self.sheet.get_untracked().is_none() {
            self.opener.set_value(focus::holder());
        }
        self.sheet.set(Some(sheet));
    }

    /// Closes whatever is open.
    pub fn close(self) {
        self.sheet.set(None);
    }
}

/// A dialog with its title and a button that closes it. Its content exists only while it is open.
#[must_use]
pub fn over(ui: Ui, sheet: Sheet, id: &'static str, title: &'static str, content: impl Fn() -> Vec<Node> + 'static) -> Node {
    dialog(ui, sheet, id, title, Box::new(content))
}

/// One for all contents: none is made before its dialog opens, and so none is in the page's first part.
fn dialog(ui: Ui, sheet: Sheet, id: &'static str, title: &'static str, content: Box<dyn Fn() -> Vec<Node>>) -> Node {
    let inside = slot(move || {
        let open = ui.sheet.get() == Some(sheet);
        let dialog = document().get_element_by_id(id).and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
        if let Some(dialog) = dialog {
            if open && !dialog.open() {
                // Fails only for a dialog that is open already, or not in the page.
                let _ = dialog.show_modal();
            } else if !open && dialog.open() {
                dialog.close();
            }
        }
        if open { untrack(&*content) } else { Vec::new() }
    });
    let label = format!("{id}-title");
    let close = button("btn quiet", "Close").press(move || ui.close());
    el("dialog")
        .attr("id", id)
        .attr("aria-labelledby", label.clone())
        .on("close", move |_| {
            if ui.sheet.get_untracked() == Some(sheet) {
                ui.close();
            }
            if ui.sheet.get_untracked().is_none() {
                focus::back(ui.opener.get_value());
            }
        })
        .with(el("div").class("over-head").with(el("h2").attr("id", label).says(title)).with(close))
        .with(inside)
}
