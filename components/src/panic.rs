//! Should the lab itself fail, the visitor is told, and their run is not lost with it.

use std::cell::RefCell;
use std::panic::PanicHookInfo;

use leptos::prelude::{document, window};
use wasm_bindgen::JsValue;

thread_local! {
    static LINK: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Remembers the run that is open, as the text of its link.
pub fn remember(link: &str) {
    LINK.with_borrow_mut(|kept| link.clone_into(kept));
}

/// Takes over what happens when the lab fails.
pub fn install() {
    std::panic::set_hook(Box::new(|info| {
        web_sys::console::error_1(&JsValue::from_str(&info.to_string()));
        // Nothing is left to do where even the message cannot be shown; the console has it.
        let _ = show(info);
    }));
}

fn show(info: &PanicHookInfo<'_>) -> Result<(), JsValue> {
    let document = document();
    if document.get_element_by_id("failed").is_some() {
        return Ok(());
    }
    let section = document.create_element("section")?;
    section.set_id("failed");
    section.set_attribute("role", "alert")?;
    let add = |tag: &str, text: &str| -> Result<web_sys::Element, JsValue> {
        let element = document.create_element(tag)?;
        element.set_text_content(Some(text));
        section.append_child(&element)?;
        Ok(element)
    };
    add("h1", "The lab has failed")?;
    add("p", "This is a fault in the lab, not in your run. The page stands still now; loading it again starts over.")?;
    add("pre", &info.to_string())?;
    let place = window().location();
    let link = LINK.with(|kept| kept.try_borrow().map(|link| link.clone()).unwrap_or_default());
    let address = if link.is_empty() {
        place.href()?
    } else {
        let page = place.href()?;
        let page = page.split('#').next().unwrap_or_default();
        format!("{page}#{}", crate::route::shared(&link, 0))
    };
    let again = add("a", "Open this run from its start")?;
    again.set_attribute("href", &address)?;
    again.set_attribute("target", "_blank")?;
    let fresh = add("a", "Open the lab anew")?;
    fresh.set_attribute("href", place.pathname()?.as_str())?;
    if let Some(body) = document.body() {
        body.append_child(&section)?;
    }
    Ok(())
}
