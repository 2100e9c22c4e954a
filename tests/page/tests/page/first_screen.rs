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
    page.until_it_says("Check that every file was copied");
}

fn is_the_rest(name: &str) -> bool {
    name.ends_with("_rest.wasm")
}

#[test]
fn the_lab_plays_while_its_rest_is_on_its_way() {
    let page = Visitor::new("no_rest").without_files(is_the_rest).expecting_complaints().open("");
    page.until("the lab runs", |page| page.count("#first-screen") == 0);
    page.click_button("Play");
    page.until("time goes on, or stands still for good", |page| {
        page.count("#failed") > 0 || page.run("return document.querySelector('#trace-hash').dataset.events > 5000") == true
    });
    page.press(' ');
    assert_eq!(page.count("#failed"), 0, "opening and playing call what is not in scripts/first.txt: scripts/page --record");
    page.run("[...document.querySelectorAll('button')].find((it) => /^orders, log/.test(it.ariaLabel)).click()");
    page.until("the part opens", |page| page.count("#failed") > 0 || page.text().contains("Gauges"));
    assert_eq!(page.count("#failed"), 0, "opening a part calls what is not in scripts/first.txt: scripts/page --record");
    page.until_text(
        "#rest-missing",
        "_rest.wasm did not arrive. Opening a part and playing work without it; the lab tries again.",
    );
    page.screenshot("rest-missing");
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
    // Asked for before it has come: it is fetched at once.
    page.complete();
    page.click_button("Try every crash");
    page.until_it_says("Try them all");
    page.until("the lab no longer says that it is missing", |page| page.count("#rest-missing") == 0);
    assert_eq!(page.count("#failed"), 0);
}

#[test]
fn an_address_that_needs_the_rest_says_which_file_is_missing() {
    let page = Visitor::new("rest_at_start").without_files(is_the_rest).expecting_complaints().open("#/s/topic-routing");
    page.until_text("#first-screen-state", "_rest.wasm did not arrive.");
    page.until_text("#first-screen-state", "Check that every file was copied");
}

#[test]
fn what_needs_the_rest_says_that_it_is_missing() {
    let page = Visitor::new("rest_asked_for").without_files(is_the_rest).expecting_complaints().open("");
    page.until("the lab runs", |page| page.count("#first-screen") == 0);
    page.click_button("Sweep");
    page.until_text("#failed", "Part of the lab did not arrive");
    page.until_text("#failed", "_rest.wasm did not arrive. What you asked for is in it");
    assert_eq!(page.run("return document.querySelector('#failed a').href.split('#')[1]"), "/s/order-shop");
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
fn a_lab_that_has_failed_says_so_and_keeps_the_run() {
    let page = Visitor::new("failed_lab").expecting_complaints().open("");
    page.until("the lab runs", |page| page.count("#first-screen") == 0);
    assert!(page.console_errors().is_empty(), "all is well at first");
    // The smallest module there is whose one function, f, does nothing but trap: what a panic of the lab comes to.
    page.run(
        "const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11];
        const module = new WebAssembly.Module(new Uint8Array(bytes));
        setTimeout(new WebAssembly.Instance(module).exports.f)",
    );
    page.until_it_says("The lab has failed");
    page.until_it_says("This is a fault in the lab, not in your run.");
    page.screenshot("failed-lab");
    let link = page.run("return document.querySelector('#failed a').href");
    let link = link.as_str().expect("an address").to_owned();
    assert!(link.ends_with("#/s/order-shop"), "{link}");
    page.in_second_window(&link, |page| {
        page.until("the run opens", |page| page.title() == "The order shop · Redrive");
    });
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
