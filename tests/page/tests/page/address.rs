//! The address says what is seen: whoever reloads it, copies it or comes back to it has the same run.

use redrive_page_tests::{Page, Visitor};

fn open(name: &'static str, address: &str) -> Page {
    let page = Visitor::new(name).open(address);
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page
}

fn reload(page: &Page) {
    page.reload();
    page.until("the lab is there again", |page| page.count("#clock") == 1);
}

#[test]
fn a_changed_run_survives_a_reload() {
    let page = open("changed_reload", "#/s/lost-ack");
    page.part("[data-part=billing]").click();
    page.until("its card is open", |page| page.count("[data-command='break billing']") == 1);
    page.part("[data-command='break billing']").click();
    page.until("the address is the run's own", |page| page.address().contains("#/run/"));
    let hash = page.part("#trace-hash").attribute("data-hash");
    reload(&page);
    page.until_text("#did", "break billing");
    assert_eq!(page.part("#trace-hash").attribute("data-hash"), hash);
}

#[test]
fn a_document_of_ones_own_survives_a_reload() {
    let page = open("own_reload", "#/s/lost-ack");
    page.part("#picker-open").click();
    page.until("the picker is open", |page| page.count("#own-json") == 1);
    let own = r#"{"redrive": 1, "title": "A shop of one", "parts": {
        "shop": {"kind": "producer", "to": "jobs", "rate": "1/s"},
        "jobs": {"kind": "queue"},
        "work": {"kind": "worker", "from": "jobs"}
    }}"#;
    page.run_with("document.getElementById('own-json').value = arguments[0]", vec![own.into()]);
    page.run("document.getElementById('own-json').closest('section').querySelector('button').click()");
    page.until("it is open", |page| page.title().contains("A shop of one"));
    page.until("the address is the run's own", |page| page.address().contains("#/run/"));
    reload(&page);
    assert!(page.title().contains("A shop of one"), "{}", page.title());
}

#[test]
fn the_one_of_two_that_is_kept_survives_a_reload() {
    let page = open("pair_reload", "#/s/lost-ack");
    page.part("[data-part=billing]").click();
    page.until("its card is open", |page| page.count("[data-command='break billing']") == 1);
    page.part("[data-command='break billing']").click();
    page.until("the address is the run's own", |page| page.address().contains("#/run/"));
    let own = page.address().split("#/run/").nth(1).map(|link| link.split('/').next().unwrap_or_default().to_owned());
    let own = own.expect("a run in the address");
    page.run_with("location.hash = '/compare/' + arguments[0] + '/' + arguments[0]", vec![own.into()]);
    page.until("there are two", |page| page.count("#keep-A") == 1);
    page.part("#keep-A").click();
    page.until("the address is that of one", |page| page.address().contains("#/run/"));
    reload(&page);
    page.until_text("#did", "break billing");
    assert_eq!(page.count("#keep-A"), 0);
}

#[test]
fn the_list_of_speeds_shows_the_speed_of_the_scenario_that_is_opened_next() {
    let page = open("speed_list", "#/s/order-shop");
    let speed = |page: &Page| page.run("const list = document.getElementById('speed'); return list.selectedOptions[0]?.text");
    assert_eq!(speed(&page), "1×");
    page.run("location.hash = '/s/deploy-everything'");
    page.until("the other one is open", |page| page.title().contains("A deploy restarts everything"));
    assert_eq!(speed(&page), "2×");
}
