//! The order shop, broken by hand: what fails, who would have noticed, what users got, and the same run in another window.

use redrive_page_tests::{Page, Visitor};

/// The seconds that the clock shows.
fn clock(page: &Page) -> f64 {
    let text = page.text_of("#clock");
    let (minutes, seconds) = text.split_once(':').expect("minutes and seconds");
    minutes.parse::<f64>().expect("minutes") * 60.0 + seconds.parse::<f64>().expect("seconds")
}

fn hash(page: &Page) -> String {
    page.part("#trace-hash").attribute("data-hash").expect("the hash of the trace")
}

/// Lets time run to a second at a speed of the list, then stops it.
fn run_to(page: &Page, speed: &str, second: f64) {
    page.click_button(speed);
    page.click_button("Play");
    page.until("the clock gets there", |page| clock(page) >= second);
    page.click_button("Pause");
}

/// The number before some words in a text: `54,208` before ` late`.
fn number_before(text: &str, words: &str) -> u64 {
    let before = &text[..text.find(words).unwrap_or_else(|| panic!("{words}: {text}"))];
    let digits = before.rsplit(|c: char| !c.is_ascii_digit() && c != ',').find(|part| !part.is_empty()).unwrap_or("0");
    digits.replace(',', "").parse().unwrap_or_else(|_| panic!("a number before {words}: {text}"))
}

#[test]
fn a_broken_cluster_is_seen_noticed_and_shared() {
    let page = Visitor::new("order_shop").open("#/s/order-shop");
    run_to(&page, "5×", 3.0);
    page.part("[data-part=orders]").click();
    page.click_button("Take it down");
    page.until("orders is down", |page| {
        page.part("[data-part=orders]").attribute("aria-label").is_some_and(|name| name.contains("down"))
    });
    page.press(redrive_page_tests::Key::Escape);
    let broken_at = clock(&page);

    run_to(&page, "60×", broken_at + 45.0);
    let users = page.text_of("#users");
    assert!(users.contains("Checkout is fine"), "{users}");
    assert!(users.contains("email is late for"), "{users}");
    assert!(users.contains("nothing lost"), "{users}");
    let breaks = page.text_of("#breaks");
    assert!(breaks.contains("Relay: no broker answers"), "{breaks}");
    assert!(breaks.contains("outbox not drained"), "{breaks}");
    let notice = page.text_of("#notice");
    assert!(notice.contains("oldest unsent row > 30.0 s on Orders DB"), "{notice}");
    // The oldest row may have waited for the relay's next look already when the cluster went down.
    assert!(notice.contains("after 30.0 s") || notice.contains("after 29.9 s"), "{notice}");
    assert!(notice.contains("lag in time > 60.0 s on email"), "a rule that stayed silent is shown too: {notice}");
    let cures = page.text_of("#cures");
    assert!(cures.contains("Bring the cluster back"), "{cures}");
    page.screenshot("order-shop-down");
    let axe = page.axe();
    assert!(axe.is_empty(), "{axe:#?}");

    // Shared as it is, and seen by someone else.
    let at_the_break = hash(&page);
    page.click_button("Share run");
    let link = page.part("#share-link").value();
    page.in_second_window(&link, |page| {
        page.until("the other window has the same trace", |page| page.count("#trace-hash") == 1 && hash(page) == at_the_break);
        let users = page.text_of("#users");
        assert!(users.contains("email is late for"), "{users}");
    });
    page.press(redrive_page_tests::Key::Escape);

    // Dragged back to before the break: it is whole again, and nothing is late.
    page.control("slider", "Time").drag(0.6, 0.004);
    page.until("time is before the break", |page| clock(page) < broken_at && !page.has_control("button", "Stop"));
    let whole = |page: &Page| page.part("[data-part=orders]").attribute("aria-label").is_some_and(|name| !name.contains("down"));
    page.until("orders is whole", whole);
    page.until("nobody is late", |page| !page.text_of("#users").contains("late for"));
}

#[test]
fn bringing_the_cluster_back_drains_the_outbox() {
    let page = Visitor::new("order_shop_cured").open("#/s/order-shop");
    run_to(&page, "5×", 2.0);
    page.part("[data-part=orders]").click();
    page.click_button("Take it down");
    page.press(redrive_page_tests::Key::Escape);
    // Not too fast, here and below: each must stop well before the end, on a busy machine too.
    run_to(&page, "5×", clock(&page) + 40.0);
    let late = number_before(&page.text_of("#users"), ", nothing lost");
    assert!(late > 0);
    page.click_button("Bring the cluster back");
    run_to(&page, "5×", clock(&page) + 30.0);
    let users = page.text_of("#users");
    assert!(users.contains("nothing lost"), "{users}");
    assert!(number_before(&users, ", nothing lost") >= late, "{users}");
    let database = page.part("[data-part=orders-db]").text();
    assert!(!database.contains("down"), "{database}");
    page.screenshot("order-shop-mended");
}

#[test]
fn a_pause_that_comes_just_after_the_end_does_not_start_over() {
    let page = Visitor::new("end").open("#/s/inbox-on-a-log");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.click_button("60×");
    page.click_button("Play");
    // Pressed in the page itself, the moment the button changes: as late as a person's press can come.
    page.run(
        "window.pressed = new Promise(done => { const look = () => { const play = document.querySelector('#play'); \
         if (play.getAttribute('aria-label') === 'Play') { play.click(); setTimeout(() => done(true), 300); } else { \
         requestAnimationFrame(look); } }; requestAnimationFrame(look); }); window.pressed.then(() => { \
         document.body.dataset.pressed = 'yes'; });",
    );
    page.until("the button was pressed", |page| page.count("body[data-pressed]") == 1);
    assert!((clock(&page) - 60.0).abs() < 0.01, "{}", clock(&page));
}

#[test]
fn every_way_in_works_from_the_keyboard() {
    let page = Visitor::new("keyboard").open("#/s/work-queue-crash");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.press(' ');
    page.until("it plays", |page| clock(page) > 0.5);
    page.press(' ');
    let stopped = clock(&page);
    page.press('n');
    page.until("the next surprise is later", |page| clock(page) > stopped);
    let surprise = hash(&page);
    page.press(redrive_page_tests::Key::Left);
    page.until("a step back", |page| hash(page) != surprise);
    page.press(redrive_page_tests::Key::Home);
    page.until("the start", |page| clock(page) == 0.0);
    page.part("[data-part=jobs]").focus();
    page.press(redrive_page_tests::Key::Enter);
    page.until_text("#inspector", "visibility timeout");
    page.press(redrive_page_tests::Key::Escape);
    page.until("the inspector is closed", |page| page.count("#inspector") == 0 || !page.part("#inspector").is_seen());
}
