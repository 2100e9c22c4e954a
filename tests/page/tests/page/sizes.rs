//! The lab on a desk and on a phone, light and dark, with and without motion: nothing runs off, nothing is left out.

use redrive_page_tests::{Page, Visitor};

const SCENARIOS: [&str; 4] = ["order-shop", "ack-order", "work-queue-crash", "poison-message"];

fn look(name: &'static str, visitor: fn(Visitor) -> Visitor) {
    for id in SCENARIOS {
        let page = visitor(Visitor::new(name)).open(&format!("#/s/{id}"));
        page.until("the lab is there", |page| page.count("#clock") == 1);
        page.click_button("Next surprise");
        page.until("it has been looked for", |page| !page.has_control("button", "Stop"));
        let overflow = page.run("return document.documentElement.scrollWidth - innerWidth");
        assert_eq!(overflow, 0, "{id}: nothing runs off the side");
        assert!(page.axe().is_empty(), "{id}: {:#?}", page.axe());
        page.screenshot(&format!("{name}-{id}"));
        nothing_overlaps(&page, id);
    }
}

/// No two parts of the stage lie on each other.
fn nothing_overlaps(page: &Page, id: &str) {
    let overlapping = page.run(
        "const boxes = [...document.querySelectorAll('[data-part]')].map((part) => [part.dataset.part, part.getBoundingClientRect()]);
         return boxes.flatMap(([a, x], at) => boxes.slice(at + 1)
           .filter(([, y]) => x.left < y.right - 1 && y.left < x.right - 1 && x.top < y.bottom - 1 && y.top < x.bottom - 1)
           .map(([b]) => a + ' and ' + b))",
    );
    assert_eq!(overlapping, serde_json::json!([]), "{id}");
}

#[test]
fn on_a_desk() {
    look("desk", |visitor| visitor);
}

#[test]
fn on_a_dark_phone_without_motion() {
    look("phone", |visitor| visitor.phone().dark().reduced_motion());
}

#[test]
fn on_screens_between() {
    for (width, height) in [(320, 640), (820, 1180), (1024, 768)] {
        let page = Visitor::new("between").on_screen(width, height).open("#/s/order-shop");
        page.until("the lab is there", |page| page.count("#clock") == 1);
        let off = page.run(
            "return [...document.querySelectorAll('header *, footer *')].filter((part) => part.matches('button, select, input')
               && part.offsetParent && part.getBoundingClientRect().right > innerWidth).map((part) => part.id)",
        );
        assert_eq!(off, serde_json::json!([]), "{width}: these run off the side");
        let cut = page.run("const stage = document.querySelector('.stage'); return stage.scrollWidth - stage.clientWidth");
        assert_eq!(cut, 0, "{width}: the stage fits");
        nothing_overlaps(&page, "order-shop");
        assert!(page.axe().is_empty(), "{width}: {:#?}", page.axe());
    }
}
