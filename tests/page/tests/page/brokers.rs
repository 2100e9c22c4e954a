//! Brokers on the page: another one for a queue and what it changes, what each can do, how far that is proven.

use redrive_brokers::{fidelity, profile};
use redrive_page_tests::{Page, Visitor};

fn choose(page: &Page, list: &str, word: &str) {
    page.run_with(
        "const list = document.querySelector(arguments[0]);
         list.value = arguments[1];
         list.dispatchEvent(new Event('change', { bubbles: true }));",
        vec![list.into(), word.into()],
    );
}

#[test]
fn another_broker_is_told_from_both_runs() {
    let page = Visitor::new("other_broker").open("#/s/visibility-too-short");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    assert!(page.has_control("combobox", "Jobs runs on"), "{:?}", page.names("combobox"));
    choose(&page, "#broker-jobs", "rabbitmq-classic");
    page.until_text("#versus-told", "RabbitMQ classic queue instead of Plain work queue");
    let told = page.text_of("#versus-told");
    assert!(told.contains("21 fewer took effect twice"), "{told}");
    assert!(told.contains("No alert fires any more."), "{told}");
    let table = page.text_of("#versus table").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(table.contains("took effect twice 21 0"), "{table}");
    assert!(page.axe().is_empty(), "{:#?}", page.axe());

    // What the visitor breaks happens in both runs.
    page.part("[data-part=invoicing]").click();
    page.click_button("Crash a process");
    page.until("both runs are played again", |page| page.count("#versus-told") == 1);
    page.press(redrive_page_tests::Key::Escape);
    page.screenshot("brokers-told");

    // The link carries the broker.
    page.click_button("Share run");
    let link = page.part("#share-link").value();
    page.in_second_window(&link, |page| {
        page.until("the other window has the same broker", |page| {
            page.count("#broker-jobs") == 1 && page.part("#broker-jobs").value() == "rabbitmq-classic"
        });
    });
}

#[test]
fn settings_have_the_names_of_their_broker() {
    let page = Visitor::new("native_names").open("#/s/work-queue-crash");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    choose(&page, "#broker-jobs", "sqs");
    page.part("[data-part=jobs]").click();
    page.until_text("#inspector", "VisibilityTimeout");
    let settings = page.text_of("#inspector .settings");
    assert!(settings.contains("maxReceiveCount"), "{settings}");
    assert!(settings.contains("max receives"), "our own name stands beside: {settings}");
    assert!(!settings.contains("prefetch"), "SQS knows no prefetch: {settings}");
    assert!(page.text_of("#not-here").contains("prefetch"));

    // Another broker from the card itself, which stays open.
    choose(&page, "#set-broker", "rabbitmq-quorum");
    page.until_text("#inspector .settings", "x-delivery-limit");
    page.until_text("#versus-told", "RabbitMQ quorum queue instead of Amazon SQS standard queue");
    page.screenshot("brokers-native-names");
}

#[test]
fn every_broker_is_in_the_table_of_capabilities() {
    let page = Visitor::new("capabilities").open("#/brokers");
    page.until("the table is there", |page| page.count("#capabilities") == 1);
    let text = page.text_of("#capabilities");
    for profile in profile::ALL {
        assert!(text.contains(profile.title), "{} is missing: {text}", profile.id);
        assert!(text.contains(profile.can.deduplication), "{}: {text}", profile.id);
    }
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
    page.screenshot("brokers-capabilities");
}

#[test]
fn the_cases_that_are_matched_are_counted() {
    let page = Visitor::new("fidelity").phone().dark().open("#/fidelity");
    page.until("the table is there", |page| page.count("#cases") == 1);
    for row in fidelity::ALL {
        let shown = page.text_of(&format!("#cases [data-broker={}]", row.id));
        assert!(shown.contains(&format!("{} of {}", row.matched, row.cases)), "{}: {shown}", row.id);
    }
    let overflow = page.run("return document.documentElement.scrollWidth - innerWidth");
    assert_eq!(overflow, 0, "nothing runs off the side");
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
    page.screenshot("brokers-fidelity");
}

#[test]
fn scenarios_are_found_by_words() {
    let page = Visitor::new("filter").open("");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.part("#picker-open").click();
    let all = page.count("#picker [data-scenario]");
    page.part("#scenario-filter").type_in("visibility");
    page.until("fewer are left", |page| page.count("#picker [data-scenario]") < all);
    assert_eq!(page.count("#picker [data-scenario=visibility-too-short]"), 1);
}
