//! The page before the lab has arrived, and where it cannot.

use redrive_page_tests::Visitor;

#[test]
fn the_page_opens_from_any_folder_and_asks_nobody_else() {
    let page = Visitor::new("opens").under("/docs/some where/").open("");
    page.until("the lab takes the first screen's place", |page| page.count("#first-screen") == 0);
    assert_eq!(page.title(), "The order shop · Redrive");
    assert_eq!(page.count("main"), 1);
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
}

#[test]
fn without_javascript_the_page_still_says_what_it_is() {
    let page = Visitor::new("no_javascript").without_javascript().open("");
    assert_eq!(page.title(), "Redrive");
    let text = page.text();
    assert!(text.contains("A lab for message queues, logs and outboxes."), "{text}");
    assert!(text.contains("JavaScript is switched off"), "{text}");
}

#[test]
fn without_webassembly_the_page_says_so() {
    let page = Visitor::new("no_webassembly").without_webassembly().open("");
    page.until_it_says("This browser has WebAssembly switched off");
    page.until_it_says("A lab for message queues, logs and outboxes.");
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
}

fn is_wasm(name: &str) -> bool {
    name.ends_with(".wasm")
}

fn is_the_labs_script(name: &str) -> bool {
    name.starts_with("redrive-lab") && name.ends_with(".js")
}

#[test]
fn a_missing_wasm_file_is_named() {
    let page = Visitor::new("no_wasm_file").without_files(is_wasm).expecting_complaints().open("");
    page.until_it_says("_bg.wasm did not arrive: the server answered 404.");
    page.until_it_says("Check that both were copied");
}

#[test]
fn a_missing_script_is_named() {
    let page = Visitor::new("no_script").without_files(is_the_labs_script).expecting_complaints().open("");
    page.until(".js is named", |page| page.text().contains(".js did not arrive."));
    page.until_it_says("A lab for message queues, logs and outboxes.");
}

#[test]
fn the_first_screen_reads_well_on_a_dark_phone() {
    let page = Visitor::new("dark_phone").phone().dark().without_files(is_wasm).expecting_complaints().open("");
    page.until_it_says("did not arrive");
    page.screenshot("first-screen-dark-phone");
    let overflow = page.run("return document.documentElement.scrollWidth - innerWidth");
    assert_eq!(overflow, 0, "nothing runs off the side");
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
}

#[test]
fn the_content_policy_keeps_the_page_to_its_own_files() {
    let page = Visitor::new("content_policy").expecting_complaints().open("");
    page.until("the lab runs", |page| page.count("#first-screen") == 0);
    assert!(page.console_errors().is_empty(), "all is well at first");

    page.run("fetch('http://127.0.0.1:9/elsewhere').catch(() => {})");
    page.run("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\"></p>')");
    page.run("document.body.append(Object.assign(document.createElement('script'), { text: 'globalThis.ran = true' }))");
    assert_eq!(page.run("return globalThis.ran === undefined"), true);

    let refused: Vec<String> = page.console_errors();
    for rule in ["connect-src 'self'", "style-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"] {
        assert!(refused.iter().any(|line| line.contains(rule)), "{rule}: {refused:#?}");
    }
}
