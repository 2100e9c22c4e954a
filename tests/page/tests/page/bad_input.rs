//! Nonsense from outside: a clear answer, and nothing lost.

use redrive_page_tests::Visitor;

#[test]
fn an_unknown_scenario_is_answered_with_what_exists() {
    let page = Visitor::new("unknown_scenario").open("#/s/order-shpo");
    page.until_it_says("order-shpo");
    page.until_it_says("order-shop");
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
}

#[test]
fn a_stale_link_is_refused_with_its_reason() {
    let page = Visitor::new("stale_link").open("#/run/AAAA");
    page.until_it_says("link");
    assert!(page.text().contains("does not unpack") || page.text().contains("unpacks to something else"), "{}", page.text());
}

#[test]
fn a_setting_that_is_not_allowed_says_what_is() {
    let page = Visitor::new("bad_setting").open("#/s/work-queue-crash");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.part("[data-part=jobs]").click();
    page.until_text("#inspector", "visibility timeout");
    let field = page.control("textbox", "visibility timeout");
    field.type_in("-5s");
    page.press(redrive_page_tests::Key::Enter);
    page.until_text("#inspector", "`-5s` is negative");
    page.until_text("#inspector", "0s to 12h");
}

#[test]
fn an_address_that_is_none_is_answered_with_its_forms() {
    let page = Visitor::new("bad_address").open("#/run/AAAA/at/soon");
    page.until_it_says("is no address of this lab");
    page.until_it_says("/at/MICROSECONDS");
    // One that nobody could read to its end is cut.
    page.go_to_address("about:blank");
    page.go_to(&format!("#/s/{}", "x".repeat(50_000)));
    page.until_it_says("is no address of this lab");
    assert!(page.text().len() < 20_000, "{}", page.text().len());
    page.go_to_address("about:blank");
    page.go_to("#/compare/AAAA/AAAA");
    page.until_it_says("The left run of this comparison cannot be opened");
}

#[test]
fn the_way_back_from_a_bad_address_leads_to_the_good_one() {
    let page = Visitor::new("way_back").open("#/s/work-queue-crash");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.press(' ');
    page.until("time runs", |page| !page.text_of("#clock").starts_with("00:00.00"));
    page.press(' ');
    let moment = page.text_of("#clock");
    page.run("location.hash = '/s/work-queue-crsh'");
    page.until_it_says("work-queue-crsh");
    page.click_button("Back to what was open");
    page.until("the lab is there again", |page| page.count("#trouble") == 0);
    assert!(page.address().ends_with("#/s/work-queue-crash"), "{}", page.address());
    assert_eq!(page.text_of("#clock"), moment);
}

#[test]
fn what_looks_like_html_is_text() {
    let page = Visitor::new("html_input").open("");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.click_button("Find message");
    page.part("#find-text").type_in("<img src=x onerror=alert(1)>");
    page.press(redrive_page_tests::Key::Enter);
    page.until_text("#find-said", "<img src=x onerror=alert(1)>");
    assert_eq!(page.count("#find img"), 0);
}
