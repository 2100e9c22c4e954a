//! What opens over the page: one dialog at a time, each a real `<dialog>`.

use leptos::html::Dialog;
use leptos::prelude::*;

/// A dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// Scenarios, own runs, own documents.
    Picker,
    /// The link of the run.
    Share,
    /// Finds a message.
    Find,
    /// The keys.
    Keys,
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
    /// Counts and the event log.
    Log,
}

impl Tab {
    /// All of them, with what they say and the section that they show.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Users, "Users see", "users"),
        (Self::Breaks, "Breaks", "breaks"),
        (Self::Notice, "Notice", "notice"),
        (Self::Cures, "Do", "cures"),
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
}

impl Ui {
    /// Nothing is open.
    #[must_use]
    pub fn new() -> Self {
        Self { sheet: RwSignal::new(None), tab: RwSignal::new(Tab::Users) }
    }

    /// Opens a dialog.
    pub fn open(self, sheet: Sheet) {
        self.sheet.set(Some(sheet));
    }

    /// Closes whatever is open.
    pub fn close(self) {
        self.sheet.set(None);
    }
}

/// A dialog with its title and a button that closes it. Its content exists only while it is open.
#[component]
pub fn Over(ui: Ui, sheet: Sheet, id: &'static str, title: &'static str, children: ChildrenFn) -> impl IntoView {
    let dialog: NodeRef<Dialog> = NodeRef::new();
    let open = Memo::new(move |_| ui.sheet.get() == Some(sheet));
    Effect::new(move || {
        let Some(dialog) = dialog.get() else { return };
        if open.get() && !dialog.open() {
            // Fails only for a dialog that is open already, or not in the page.
            let _ = dialog.show_modal();
        } else if !open.get() && dialog.open() {
            dialog.close();
        }
    });
    let label = format!("{id}-title");
    let labelled = label.clone();
    view! {
        <dialog id=id node_ref=dialog aria-labelledby=labelled on:close=move |_| if open.get_untracked() { ui.close() }>
            <div class="over-head">
                <h2 id=label>{title}</h2>
                <button type="button" class="btn quiet" on:click=move |_| ui.close()>"Close"</button>
            </div>
            {move || open.get().then(|| children().into_any())}
        </dialog>
    }
    .into_any()
}
