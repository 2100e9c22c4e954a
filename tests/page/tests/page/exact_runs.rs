//! Runs A, B and C on the page: the counts that the runner gives stand on the screen.

use redrive_page_tests::{Page, Visitor};

/// Plays a scenario to its end and gives the table of effects, as a reader sees it.
fn effects_at_the_end(page: &Page) -> String {
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.part("#time").focus();
    page.press(redrive_page_tests::Key::End);
    page.until("the end", |page| {
        let end = page.run("const time = document.getElementById('time'); return time.value === time.max");
        end == true && !page.has_control("button", "Stop")
    });
    if page.part("#effects").attribute("open").is_none() {
        page.part("#effects summary").click();
    }
    page.until("the table is open", |page| page.count("#effects table") > 0 && page.part("#effects table").is_seen());
    page.text_of("#effects").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check(path: &str, expect: &[&str]) {
    let page = Visitor::new("exact_runs").open(path);
    let table = effects_at_the_end(&page);
    for row in expect {
        assert!(table.contains(row), "{path}: {row} in {table}");
    }
}

#[test]
fn run_a() {
    // Effect, then once, twice, lost, pending, dead, late, skipped, out of order.
    check("#/s/work-queue-crash", &["job 2 0 0 0 1 0 0 0"]);
}

#[test]
fn run_b_all_eight() {
    let page = Visitor::new("run_b").open("#/s/ack-order");
    let cases = [
        ("Work queue", "Charge, then ack", "Off", "charge 9 1 0 0 0 0 0 0"),
        ("Work queue", "Charge, then ack", "On", "charge 10 0 0 0 0 0 1 0"),
        ("Work queue", "Ack, then charge", "Off", "charge 9 0 1 0 0 0 0 0"),
        ("Work queue", "Ack, then charge", "On", "charge 9 0 1 0 0 0 0 0"),
        ("Log, committed per 3", "Charge, then ack", "Off", "charge 8 2 0 0 0 0 0 0"),
        ("Log, committed per 3", "Charge, then ack", "On", "charge 10 0 0 0 0 0 2 0"),
        ("Log, committed per 3", "Ack, then charge", "Off", "charge 8 0 2 0 0 0 0 0"),
        ("Log, committed per 3", "Ack, then charge", "On", "charge 8 0 2 0 0 0 0 0"),
    ];
    for (kind, order, idempotent, expect) in cases {
        for choice in [kind, order, idempotent] {
            page.click_button(choice);
            page.until("the choice is in force", |page| page.button(choice).attribute("aria-pressed").as_deref() == Some("true"));
        }
        let table = effects_at_the_end(&page);
        assert!(table.contains(expect), "{kind}, {order}, {idempotent}: {expect} in {table}");
    }
}

#[test]
fn run_c() {
    check("#/s/inbox-on-a-log", &["points 5 0 0 0 0 0 3 0"]);
}
