//! Two runs side by side: what the engine says of two runs stands on the screen, whichever way they came there.

use redrive::command::Timed;
use redrive::compare::{Compare, Differences, Side};
use redrive::run::Run;
use redrive::sim::time::{clock, grouped};
use redrive::timeline::Progress;
use redrive_page_tests::{Key, Page, Visitor};

const SECOND: u64 = 1_000_000;

fn doing(run: &Run, text: &str) -> Run {
    let mut run = run.clone();
    run.commands.push(Timed::parse(text).expect("a command"));
    run
}

/// Two runs at a moment, as the engine plays them.
fn played(left: &Run, right: &Run, to_us: u64) -> (Compare, Differences) {
    let mut both = Compare::open(left, right).unwrap_or_else(|faults| panic!("{faults}"));
    while both.travel(to_us, u64::MAX) == Progress::More {}
    let differences = both.differences();
    (both, differences)
}

/// Waits for the lab, and lets the slider tell microseconds.
fn open(page: &Page) {
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.run("document.getElementById('time').step = 1");
}

/// Waits until time stands at a whole second.
fn until_at(page: &Page, second: u64) {
    let clock = format!("{:02}:{:02}.00", second / 60, second % 60);
    page.until("time is there", |page| page.text_of("#clock") == clock && !page.has_control("button", "Stop"));
}

/// Opens a part without a mouse, which might hit a message instead.
fn open_part(page: &Page, css: &str) {
    page.part(css).focus();
    page.press(Key::Enter);
    page.until("its card is there", |page| page.count("#inspector") == 1);
}

fn now_us(page: &Page) -> u64 {
    page.part("#time").value().parse().expect("microseconds")
}

/// Drags time to a moment, as exactly as the slider takes it.
fn go_to(page: &Page, second: u64) {
    page.run_with(
        "const time = document.getElementById('time');
         time.value = arguments[0];
         time.dispatchEvent(new Event('input', { bubbles: true }));",
        vec![(second * SECOND).into()],
    );
    until_at(page, second);
}

fn hash(page: &Page) -> String {
    page.part("#trace-hash").attribute("data-hash").expect("the hash of the trace")
}

fn hash_of(both: &Compare, side: Side) -> String {
    format!("{:016x}", both.world(side).trace_hash())
}

/// A text without its line breaks.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The row of a count over all effects, as the page shows it: `late 9 17`; none where neither has any.
fn row(found: &Differences, title: &str, count: &str) -> Option<String> {
    let figures = found.effects.iter().flat_map(|effect| &effect.counts).filter(|figure| figure.name == count);
    let (left, right) = figures.fold((0, 0), |(left, right), figure| (left + figure.left, right + figure.right));
    (left + right > 0).then(|| format!("{title} {} {}", grouped(left), grouped(right)))
}

/// Every count of an effect that the engine knows stands in the table, and the part that differs is marked.
fn check_counts(page: &Page, found: &Differences) {
    const COUNTS: [(&str, &str); 5] = [
        ("took effect once", "once"),
        ("took effect twice", "twice"),
        ("lost", "lost"),
        ("in the dead letters", "dead"),
        ("out of order", "out_of_order"),
    ];
    let table = line(&page.text_of("#two-users table"));
    for (title, count) in COUNTS {
        match row(found, title, count) {
            Some(row) => assert!(table.contains(&row), "{row} in {table}"),
            None => assert!(!table.contains(title), "{title} in {table}"),
        }
    }
    let served = found.users.iter().find(|figure| figure.name == "served").expect("users");
    let served = [served.left, served.right].map(grouped).join(" ");
    let served = ["users served ", &served].concat();
    assert!(table.contains(&served), "{served} in {table}");
}

fn open_dialog(page: &Page) {
    page.press('c');
    page.until("the dialog is there", |page| page.count("#compare-form") == 1);
}

fn until_two(page: &Page) {
    page.until("two runs are there", |page| page.count("#two-told") == 1);
}

#[test]
fn a_broken_shop_stands_beside_the_same_shop_cured() {
    let broken = doing(&Run::of_library("order-shop"), "5s break orders");
    let page = Visitor::new("compare_shop").open(&format!("#/run/{}/at/{}", broken.to_link(), 20 * SECOND));
    open(&page);
    until_at(&page, 20);
    page.click_button("Compare");
    page.until("the dialog is there", |page| page.count("#compare-form") == 1);
    let axe = page.axe();
    assert!(axe.is_empty(), "{axe:#?}");
    page.screenshot("compare-dialog");
    page.click_button("Bring the cluster back: from here");
    until_two(&page);
    page.until_text(".seat.other .seat-name", "mend orders at 00:20.00");
    go_to(&page, 60);

    let cured = doing(&broken, "20s mend orders");
    let (both, found) = played(&broken, &cured, 60 * SECOND);
    assert_eq!(hash(&page), hash_of(&both, Side::Right), "the cured run takes the commands");
    check_counts(&page, &found);
    assert!(page.text_of("#two-told").contains("fewer late"), "{}", page.text_of("#two-told"));
    assert!(page.text_of("#two-fork").contains("00:20.00"));
    let differs_us = found.differs_us.expect("the relay gets through in one of them");
    assert!(differs_us >= 20 * SECOND, "{differs_us}");
    assert!(page.text_of("#two-differs").contains(&clock(differs_us)));

    // The cluster is down on one stage, and whoever hears the other is told so.
    let name = |css: &str| page.part(css).attribute("aria-label").unwrap_or_default();
    let [left, right] = [name("[data-seat=A] [data-part=orders]"), name("[data-seat=B] [data-part=orders]")];
    assert!(left.contains("down 55") && left.contains("in the other run in order"), "{left}");
    assert!(right.contains("Differs: state in order, in the other run down 55"), "{right}");
    let marked = page.count("[data-seat=A] [data-differs=true]");
    assert!(marked > 3, "{marked}");
    assert_eq!(marked, page.count("[data-seat=B] [data-differs=true]"));
    assert_eq!(marked, page.count("[data-seat=A] .differs-mark"));
    assert!(page.text_of("#two-notice").contains("oldest unsent row > 30.0 s on Orders DB"));
    let outbox = found.parts.iter().find(|part| part.part == "orders-db").expect("its outbox is full in one");
    let outbox = outbox.gauges.iter().find(|gauge| gauge.gauge == "outbox_unsent").expect("a gauge");
    let values = [outbox.left, outbox.right].map(|value| grouped(value.expect("both have it")));
    let parts = line(&page.text_of("#two-parts"));
    let expect = format!("Orders DB outbox rows unsent {} {}", values[0], values[1]);
    assert!(parts.contains(&expect), "{expect} in {parts}");
    let axe = page.axe();
    assert!(axe.is_empty(), "{axe:#?}");
    page.screenshot("compare-shop");

    // To the first difference, where both are one run still.
    page.part("#two-differs").click();
    page.until("time is there", |page| page.text_of("#clock") == clock(differs_us) && !page.has_control("button", "Stop"));
    page.until_text("#two-told", "No count of an effect differs.");
}

#[test]
fn another_value_of_a_setting_is_told_from_both_runs() {
    let run = Run::of_library("visibility-too-short");
    let page = Visitor::new("compare_queue").open("#/s/visibility-too-short");
    open(&page);
    open_dialog(&page);
    page.run(
        "const list = document.getElementById('compare-place');
         list.value = 'jobs.visibility_timeout';
         list.dispatchEvent(new Event('change', { bubbles: true }));",
    );
    page.until_text("#compare-allowed", "12h");
    page.part("#compare-value").type_in("a while");
    page.part("#compare-form button").click();
    page.until_text("#compare-wrong", "visibility_timeout");
    assert!(!page.text_of("#compare-wrong").is_empty() && page.count("#two-told") == 0, "what is not allowed opens nothing");
    page.part("#compare-value").type_in("60s");
    page.part("#compare-form button").click();
    until_two(&page);
    page.part("#time").focus();
    page.press(Key::End);
    let longer = Run { sets: vec![("jobs.visibility_timeout".into(), "60s".into())], ..run.clone() };
    let (both, found) = played(&run, &longer, u64::MAX);
    page.until("the end", |page| now_us(page) == both.until_us() && !page.has_control("button", "Stop"));
    assert_eq!(hash(&page), hash_of(&both, Side::Right));
    check_counts(&page, &found);
    let charged: Vec<_> =
        found.effects.iter().flat_map(|effect| &effect.counts).filter(|figure| figure.name == "twice").collect();
    assert!(charged[0].left > 0 && charged[0].right == 0, "{charged:?}");
    let told = page.text_of("#two-told");
    assert!(told.contains(&format!("{} fewer took effect twice", charged[0].left)), "{told}");
    assert_eq!(page.text_of(".seat.other .seat-name"), "jobs.visibility_timeout = 60s");
    page.screenshot("compare-queue");
}

#[test]
fn going_back_and_breaking_something_keeps_the_run_before() {
    let page = Visitor::new("compare_fork").reduced_motion().open("#/s/outbox-relay-crash");
    open(&page);
    go_to(&page, 40);
    go_to(&page, 20);
    open_part(&page, "[data-part=orders]");
    page.click_button("Take it down");
    page.until_text("#forked", "Changed at 00:20.00");
    page.press(Key::Escape);
    page.screenshot("compare-forked");
    page.click_button("Compare with the run before");
    until_two(&page);
    assert_eq!(page.text_of("[data-seat=A] .seat-name"), "as it is");
    assert_eq!(page.text_of("[data-seat=B] .seat-name"), "break orders at 00:20.00");
    go_to(&page, 60);
    let run = Run::of_library("outbox-relay-crash");
    let (both, found) = played(&run, &doing(&run, "20s break orders"), 60 * SECOND);
    assert_eq!(hash(&page), hash_of(&both, Side::Right));
    check_counts(&page, &found);
    let notice = line(&page.text_of("#two-notice"));
    for alert in &found.alerts_right {
        assert!(alert.at_us > 20 * SECOND);
    }
    assert_eq!(notice.matches("silent").count(), found.alerts_right.len(), "{notice}");

    // The other one gets a command: it is the left one that changes now.
    page.click_button("Give commands to A");
    page.until("the left one takes the commands", |page| hash(page) == hash_of(&both, Side::Left));
    go_to(&page, 30);
    open_part(&page, "[data-seat=A] [data-part=relay]");
    page.click_button("Crash a process");
    page.until_text("[data-seat=A] .seat-name", "crash relay at 00:30.00");
    page.press(Key::Escape);

    // Either can be kept, and the other is not forgotten.
    page.click_button("Keep B");
    page.until("one run is there", |page| page.count("#two-told") == 0 && !page.part(".seat.other").is_seen());
    assert!(page.text_of("#did").contains("break orders"));
    go_to(&page, 60);
    assert_eq!(hash(&page), hash_of(&both, Side::Right));
    open_dialog(&page);
    assert!(page.has_control("button", "Without break orders at 00:20.00"), "{:?}", page.names("button"));
}

#[test]
fn a_link_carries_both_runs_and_their_moment() {
    let run = Run::of_library("ack-order");
    let other = Run { sets: vec![("lab.idempotent".into(), "true".into())], ..run.clone() };
    let path = format!("#/compare/{}/{}/at/{}", run.to_link(), other.to_link(), 50 * SECOND);
    let page = Visitor::new("compare_link").phone().dark().open(&path);
    open(&page);
    until_two(&page);
    until_at(&page, 50);
    let (both, found) = played(&run, &other, 50 * SECOND);
    assert_eq!(hash(&page), hash_of(&both, Side::Right));
    check_counts(&page, &found);
    assert_eq!(page.text_of(".seat.other .seat-name"), "idempotent = true");
    let overflow = page.run("return document.documentElement.scrollWidth - innerWidth");
    assert_eq!(overflow, 0, "nothing runs off the side");
    page.screenshot("compare-phone-dark");
    page.click_button("Share run");
    let link = page.part("#share-link").value();
    assert!(link.ends_with(&path), "{link}");
    page.press(Key::Escape);

    for (links, says) in [
        ("#/compare/%%%/abc", "The left run of this comparison cannot be opened"),
        (&*format!("#/compare/{}/abc", run.to_link()), "The right run of this comparison cannot be opened"),
        (&*format!("#/compare/{}", run.to_link()), "There is nothing at this address"),
    ] {
        page.run_with("location.hash = arguments[0]", vec![links.into()]);
        page.until_text("#trouble", says);
    }
}

#[test]
fn two_runs_are_played_from_the_keyboard() {
    let run = Run::of_library("work-queue-crash");
    let other = Run { sets: vec![("jobs.visibility_timeout".into(), "10s".into())], ..run.clone() };
    let page = Visitor::new("compare_keys").open(&format!("#/compare/{}/{}", run.to_link(), other.to_link()));
    open(&page);
    until_two(&page);
    let both_at = |page: &Page| {
        let (both, _) = played(&run, &other, now_us(page));
        let own = hash(page);
        page.press('o');
        page.until("the other takes the commands", |page| hash(page) != own || hash_of(&both, Side::Left) == own);
        let left = hash(page);
        page.press('o');
        page.until("and back", |page| hash(page) == own);
        assert_eq!((left, own), (hash_of(&both, Side::Left), hash_of(&both, Side::Right)));
    };
    page.press(' ');
    page.until("both play", |page| now_us(page) > SECOND);
    page.press(' ');
    both_at(&page);
    page.press('n');
    page.until("the next surprise", |page| !page.has_control("button", "Stop"));
    both_at(&page);
    let surprise = now_us(&page);
    page.press(Key::Right);
    page.until("a step", |page| now_us(page) > surprise);
    both_at(&page);
    let stepped = now_us(&page);
    page.press(Key::Left);
    page.until("a step back", |page| now_us(page) < stepped);
    page.press(Key::Home);
    page.until("the start", |page| now_us(page) == 0);

    // A part of the other stage: its card is that of the other run, and Escape gives the focus back.
    page.part("[data-seat=A] [data-part=jobs]").focus();
    page.press(Key::Enter);
    page.until_text("#inspector", "visibility timeout");
    assert_eq!(page.part("#set-visibility_timeout").value(), "30s");
    page.press(Key::Escape);
    page.until("the card is closed", |page| page.count("#inspector") == 0);
    assert!(page.focused().starts_with("button “Jobs, queue"), "{}", page.focused());
    page.part("[data-seat=B] [data-part=jobs]").focus();
    page.press('b');
    page.until("the card of the other run", |page| {
        page.count("#set-visibility_timeout") == 1 && page.part("#set-visibility_timeout").value() == "10s"
    });
}
