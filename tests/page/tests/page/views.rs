//! Every view and dialog, light and dark, on a desk and on a phone: nobody is shut out of it, and nothing runs off the side.

use redrive_page_tests::{Key, Page, Visitor};

/// Waits until nothing is under way any more.
fn settled(page: &Page) {
    page.until("nothing is under way", |page| !page.has_control("button", "Stop"));
}

fn go_to(page: &Page, share: f64) {
    page.run_with(
        "const time = document.getElementById('time'); time.value = Math.round(time.max * arguments[0]); \
         time.dispatchEvent(new Event('input', { bubbles: true }));",
        vec![share.into()],
    );
    page.until("time gets there", |page| {
        page.run("const time = document.getElementById('time'); return Number(time.value) > 0") == true
    });
    settled(page);
}

/// A visitor's view of the page: what it is called, its address, and what they do there.
type View = (&'static str, &'static str, fn(&Page));

/// Presses something of the header, or of the tools that a phone has in its place.
fn tool(page: &Page, id: &str) {
    if page.count("#tools-open") == 1 {
        page.part("#tools-open").click();
    }
    page.part(id).click();
}

/// Shows a panel; at a desk all of them are in sight.
fn panel(page: &Page, name: &str) {
    if page.count("#tools-open") == 1 {
        page.control("tab", name).click();
    }
}

fn two(page: &Page) {
    go_to(page, 0.3);
    tool(page, "#compare");
    page.click_button("Skip it: from here");
    page.until("two runs are there", |page| page.count("#two-told") == 1);
    go_to(page, 0.8);
}

const VIEWS: [View; 22] = [
    ("start", "", |_| {}),
    ("scenarios", "", |page| page.part("#picker-open").click()),
    ("a document that is wrong", "", |page| {
        page.part("#picker-open").click();
        page.part("dialog[open] textarea").type_in("{\"redrive\": 1}");
        page.click_button("Open it");
        page.until("it is said what is wrong", |page| page.count("dialog[open] .faults li") > 0);
    }),
    ("a part that is down", "#/s/order-shop", |page| {
        go_to(page, 0.1);
        page.part("[data-part=orders]").focus();
        page.press(Key::Enter);
        page.part("#inspector [data-command='break orders']").click();
        go_to(page, 0.4);
    }),
    ("a journey", "#/s/order-shop", |page| {
        go_to(page, 0.02);
        tool(page, "#find-open");
        page.part("#find-text").type_in("88");
        page.press(Key::Enter);
        page.until_text("#message", "Email provider: email takes effect");
    }),
    ("a search", "#/s/poison-message", |page| {
        go_to(page, 0.5);
        tool(page, "#find-open");
        page.part("#find-text").type_in("88");
        page.until("some are found", |page| page.count("#found tbody tr") > 2);
    }),
    ("late ones", "#/s/slow-consumers", |page| {
        go_to(page, 0.8);
        page.part("#users [data-count=late] button").click();
        page.until("they are listed", |page| page.count("#found tbody tr") > 2);
    }),
    ("books", "#/s/order-shop", |page| {
        go_to(page, 0.1);
        panel(page, "Books");
        if page.count("#tools-open") == 0 {
            page.part("#books-open").click();
        }
        page.until("there are rows", |page| page.count("#books tr") > 3);
    }),
    ("counts and events", "#/s/order-shop", |page| {
        go_to(page, 0.05);
        panel(page, "Counts");
        page.part("#effects summary").click();
        page.part("#eventlog summary").click();
        page.until("there are lines", |page| page.count("#eventlog li") > 3);
    }),
    ("what breaks", "#/s/poison-message", |page| {
        go_to(page, 0.9);
        panel(page, "Breaks");
    }),
    ("health as text", "#/s/consumer-health", |page| {
        go_to(page, 0.9);
        panel(page, "Notice");
        page.part("#health-history summary").click();
    }),
    ("what was done", "#/s/poison-message", |page| {
        go_to(page, 0.5);
        panel(page, "Do");
        page.click_button("Skip it");
        page.until("it is listed", |page| page.count("#did li") == 1);
    }),
    ("alert rules", "#/s/order-shop", |page| {
        panel(page, "Notice");
        page.part("#rules-open").click();
        page.click_button("Take these rules home");
        page.until("the file is there", |page| page.count("#rules-file") == 1);
    }),
    ("share", "#/s/order-shop", |page| page.part("#share").click()),
    ("what to compare with", "#/s/poison-message", |page| tool(page, "#compare")),
    ("two runs", "#/s/poison-message", two),
    ("keys", "#/s/order-shop", |page| page.press('?')),
    ("brokers", "#/brokers", |page| page.until("the table is there", |page| page.count("#capabilities td") > 9)),
    ("proof", "#/fidelity", |page| page.until_it_says("recorded here")),
    ("another broker", "#/s/visibility-too-short", |page| {
        go_to(page, 0.5);
        page.run(
            "const list = document.querySelector('.topbar select'); list.value = 'rabbitmq-classic'; \
             list.dispatchEvent(new Event('change', { bubbles: true }));",
        );
        page.until("the difference is told", |page| page.count("#versus table") == 1);
        settled(page);
    }),
    ("every crash", "#/s/dual-write", |page| {
        tool(page, "#crashes-open");
        page.part("#crashes-go").click();
        page.until("all are tried", |page| page.count("#crashes-verdict") == 1 && page.count("#crashes progress") == 0);
        page.part("#crashes-table tbody .harm button").click();
        page.until("runs are listed", |page| page.count("#crash-runs li") > 0);
    }),
    ("a sweep", "#/s/visibility-too-short", |page| {
        tool(page, "#sweep-open");
        page.part("#sweep-values").type_in("5s..30s/3");
        page.part("#sweep-go").click();
        page.until("all is swept", |page| page.count("#sweep-table tbody tr") == 3 && page.count("#sweep progress") == 0);
    }),
];

fn look(name: &'static str, visitor: fn(Visitor) -> Visitor) {
    let page = visitor(Visitor::new(name)).open("");
    for (view, address, act) in VIEWS {
        page.go_to_address("about:blank");
        page.go_to(address);
        page.until("the lab is there", |page| page.count("#clock") == 1);
        act(&page);
        let found = page.axe();
        assert!(found.is_empty(), "{view}: {found:#?}");
        let overflow = page.run("return document.documentElement.scrollWidth - innerWidth");
        assert_eq!(overflow, 0, "{view}: nothing runs off the side");
    }
}

#[test]
fn on_a_light_desk() {
    look("views-desk", |visitor| visitor);
}

#[test]
fn on_a_dark_desk() {
    look("views-dark-desk", Visitor::dark);
}

#[test]
fn on_a_light_phone() {
    look("views-phone", Visitor::phone);
}

#[test]
fn on_a_dark_phone() {
    look("views-dark-phone", |visitor| visitor.phone().dark());
}
