//! The whole page: header, stage, panels, transport, and what opens over them.

use leptos::prelude::*;
use redrive::run::Run;
use redrive::scenario::{Fault, library};

use crate::compare::seat;
use crate::dom::{fixed, live};
use crate::inspector::{message::MessageCard, part::PartCard};
use crate::lab::Lab;
use crate::page::Page;
use crate::panels::{panels, rules, strip};
use crate::route::{self, Route};
use crate::stage::{Stage, legend::Legend};
use crate::ui::{Sheet, Ui};
use crate::{a11y, brokers, compare, explore, footer, header, keyboard, messages, picker, share, store, topbar, trouble};

impl Lab {
    /// Opens what an address asks for.
    pub fn go(self, ui: Ui, hash: &str) {
        match route::parse(hash) {
            sheet @ (Route::Brokers | Route::Fidelity) => {
                if self.opened.with_untracked(Option::is_none) {
                    self.open_or_explain(&Run::of_library(library::FIRST), 0, false);
                }
                ui.open(if sheet == Route::Brokers { Sheet::Brokers } else { Sheet::Fidelity });
            }
            Route::Home => self.open_or_explain(&Run::of_library(library::FIRST), 0, false),
            Route::Scenario(id) => self.open_or_explain(&Run::of_library(&id), 0, false),
            Route::Shared { link, at_us } => match Run::from_link(&link) {
                Ok(run) => {
                    // A run that this browser keeps is the visitor's own: it goes on where it was.
                    let own = store::runs().iter().any(|kept| kept.link == link);
                    self.open_or_explain(&run, at_us, !own);
                    if own {
                        self.desk.update_value(|desk| desk.kept = Some(link));
                    }
                }
                Err(fault) => self.explain("This link cannot be opened", vec![fault]),
            },
            Route::Compare { links, at_us } => self.open_both(&links, at_us),
            Route::Unknown(address) => {
                let shown: String = address.chars().take(80).collect();
                let fault = Fault::new(
                    "address",
                    format!("`{shown}` is no address of this lab"),
                    "#/s/ID for a scenario; #/run/LINK for a shared run or #/compare/LINK/LINK for two, /at/MICROSECONDS behind it for a moment; #/brokers, #/fidelity",
                );
                self.explain("There is nothing at this address", vec![fault]);
            }
        }
        if self.trouble.with_untracked(Option::is_none) {
            self.address.set_value(hash.to_owned());
        }
    }

    /// Goes back to what was open when something could not be opened: to its address too.
    pub fn back(self) {
        self.trouble.set(None);
        let address = self.address.get_value();
        // An empty address would leave the wrong one.
        self.put_address(if address.is_empty() { "#/".to_owned() } else { address });
    }
}

fn hash() -> String {
    window().location().hash().unwrap_or_default()
}

/// The lab.
#[component]
pub fn App() -> impl IntoView {
    let lab = Lab::new();
    let page = Page::watch();
    let ui = Ui::new();
    lab.go(ui, &hash());
    let moved = window_event_listener_untyped("hashchange", move |_| {
        ui.close();
        lab.go(ui, &hash());
    });
    on_cleanup(move || moved.remove());
    keyboard::listen(lab, ui);
    // The style sheet tells one run from two.
    Effect::new(move || {
        let two = lab.beside.with(Option::is_some);
        if let Some(root) = document().document_element() {
            let _ = root.toggle_attribute_with_force("data-two", two);
        }
    });
    view! {
        <div id="lab">
            {fixed(vec![header::header(lab, page, ui)])}
            <main>
                <topbar::Topbar lab />
                <div class="floor">
                    <div class="seat" data-seat="A">{live(move || seat::head(lab, 0))}<Stage lab page seat=0 /></div>
                    <div class="seat other" data-seat="B">{live(move || seat::head(lab, 1))}<Stage lab page seat=1 /></div>
                    <PartCard lab />
                    <MessageCard lab page ui />
                </div>
                {fixed(vec![strip(lab, "health")])}
                <Legend lab />
                <trouble::TroubleCover lab ui />
            </main>
            {fixed(vec![panels(lab, ui)])}
            <footer::Footer lab page />
            {fixed(vec![
                picker::picker(lab, ui),
                share::share(lab, ui),
                compare::sheet::compare(lab, ui),
                messages::messages(lab, ui),
                rules(lab, ui),
                keyboard::keys(ui),
                brokers::capabilities(ui),
                brokers::proof(ui),
                header::tools(lab, page, ui),
                explore::crashes(lab, ui),
                explore::sweep(lab, page, ui),
            ])}
            <a11y::Announcer lab />
        </div>
    }
}
