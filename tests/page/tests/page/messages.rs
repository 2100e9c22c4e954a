//! Messages on the page: every count opens its list, a message is found by id or key, and its path stands on the stage.

use redrive::command::{Command, Timed};
use redrive::observe::ledger::Outcome;
use redrive::observe::lists::{Fate, Which};
use redrive::run::Run;
use redrive::sim::Micros;
use redrive::world::World;
use redrive_page_tests::{Key, Page, Visitor};

/// A run with settings and commands, and its address.
fn run(id: &str, sets: &[(&str, &str)], commands: &[(&str, &str)]) -> (Run, String) {
    let mut run = Run::of_library(id);
    run.sets = sets.iter().map(|(place, value)| ((*place).to_owned(), (*value).to_owned())).collect();
    for (at, command) in commands {
        let (at_us, command) = (Micros::parse(at).expect("a time").0, Command::parse(command).expect("a command"));
        run.commands.push(Timed { at_us, command });
    }
    let address = ["#/run/", &run.to_link()].concat();
    (run, address)
}

/// The engine's world at the end of a run.
fn at_the_end(run: &Run) -> World {
    let scenario = run.scenario().expect("a good run");
    let mut world = World::new(&scenario);
    world.run_until(scenario.until_us());
    world
}

fn go_to_the_end(page: &Page) {
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.part("#time").focus();
    page.press(Key::End);
    page.until("the end", |page| {
        let end = page.run("const time = document.getElementById('time'); return time.value === time.max");
        end == true && !page.has_control("button", "Stop")
    });
}

/// The ids that the list shows.
fn listed(page: &Page) -> Vec<String> {
    let ids = page.run("return [...document.querySelectorAll('[data-message]')].map((row) => row.dataset.message)");
    ids.as_array().expect("a list").iter().map(|id| id.as_str().expect("an id").to_owned()).collect()
}

fn ids(world: &World, which: &Which, from: u32, most: usize) -> (Vec<String>, Option<u32>) {
    let page = world.messages(which, from, most, u32::MAX);
    (page.rows.into_iter().map(|row| row.id).collect(), page.next)
}

#[test]
fn a_count_opens_its_list_and_a_row_its_journey() {
    let (run, address) = run("ack-order", &[("lab.order", "ack-then-work")], &[]);
    let row = at_the_end(&run).messages(&Which::Fate(Fate::Lost, None), 0, 1, u32::MAX).rows.remove(0);
    let page = Visitor::new("lost_list").open(&address);
    go_to_the_end(&page);
    page.part("#effects summary").click();
    page.click_button("1 lost, list them");
    page.until("the list is there", |page| listed(page) == [row.id.as_str()]);
    let text = page.text_of("#found");
    assert!(text.contains(&row.what) && text.contains("00:04.00") && text.contains("Charger"), "{text}");
    assert!(page.text_of("#found-told").starts_with("charge, lost: 1 to 1, that is all, at "), "{}", page.text_of("#found-told"));
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
    page.screenshot("messages-lost");
    page.click_button("Open m5");
    page.until_text("#message-title", "m5");
    page.until_text("#journey", "acknowledged and deleted");
    assert!(page.text_of("#message").contains(&row.what), "{}", page.text_of("#message"));
    page.until("its path is drawn", |page| page.count("svg .trod") >= 2 && page.count("svg .trod-time") >= 3);
    page.screenshot("messages-path");
}

#[test]
fn a_long_list_is_paged_and_tells_the_same_as_the_engine() {
    let breaks = [("41s", "break orders"), ("86s", "mend orders")];
    let (run, address) = run("order-shop", &[("shoppers.rate", "200/s")], &breaks);
    let world = at_the_end(&run);
    let late = Which::User(Outcome::Late);
    let all = redrive::sim::time::grouped(world.observer.ledger.with_outcome(Outcome::Late));
    let (first, next) = ids(&world, &late, 0, 100);
    let (second, _) = ids(&world, &late, next.expect("more than a page"), 100);
    let page = Visitor::new("late_list").open(&address);
    go_to_the_end(&page);
    page.part("#users .key [data-count=late] button").click();
    page.until("the first page is there", |page| listed(page) == first);
    assert!(page.text_of("#found-told").contains(&["1 to 100 of ", &all].concat()), "{}", page.text_of("#found-told"));
    page.screenshot("messages-late");
    page.click_button("Later ones");
    page.until("the second page is there", |page| listed(page) == second);
    assert!(page.text_of("#found-told").contains("101 to 200"), "{}", page.text_of("#found-told"));
    page.click_button("Earlier ones");
    page.until("the first page is back", |page| listed(page) == first);

    // All of one key, from a row.
    let key = world.messages(&late, 0, 1, 1_000_000).rows[0].key;
    let (same, _) = ids(&world, &Which::Key(key), 0, 100);
    page.part("[data-message] .key-of button").click();
    page.until("all of its key are there", |page| listed(page) == same);

    // The same list on a dark phone.
    let phone = Visitor::new("late_phone").phone().dark().open(&address);
    go_to_the_end(&phone);
    phone.part("#users .key [data-count=late] button").click();
    phone.until("the list is there", |page| listed(page) == first);
    assert_eq!(phone.run("return document.documentElement.scrollWidth - innerWidth"), 0, "nothing runs off the side");
    assert!(phone.axe().is_empty(), "{:#?}", phone.axe());
    phone.screenshot("messages-late-phone");
}

#[test]
fn a_message_is_found_by_what_its_id_begins_with() {
    let page = Visitor::new("find_message").open("#/s/ack-order");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    go_to_the_end(&page);
    page.press('/');
    page.until("the field has the focus", |page| page.focused().contains("Id of a message"));
    page.screenshot("messages-lists");
    page.click_button("charge, twice 1");
    page.until("the list is there", |page| listed(page) == ["m5"]);
    page.part("#find-text").type_in("m1");
    page.until("what begins so is listed", |page| listed(page) == ["m1", "m10"]);
    page.part("#find-text").type_in("key 3");
    page.until("the key's messages are listed", |page| listed(page) == ["m3"]);
    page.part("#find-text").type_in("m99");
    page.until_text("#found-told", "none");
    page.press(Key::Enter);
    page.until_text("#find-said", "No message “m99” so far: there are m1 to m10.");
    page.screenshot("messages-find");
    page.part("#find-text").type_in("m10");
    page.press(Key::Enter);
    page.until_text("#message-title", "m10");
}

#[test]
fn a_path_has_times_on_a_desk_and_on_a_phone() {
    for (name, visitor) in [("path-desk", Visitor::new("path_desk")), ("path-phone", Visitor::new("path_phone").phone().dark())] {
        let (_, address) = run("order-shop", &[("shoppers.rate", "20/s")], &[("1s", "break orders")]);
        let page = visitor.open(&address);
        page.until("the lab is there", |page| page.count("#clock") == 1);
        for second in 1..=6 {
            page.press_with(Key::Shift, Key::Right);
            page.until_text("#clock", &format!("00:0{second}.00"));
        }
        page.press('/');
        page.part("#find-text").type_in("88");
        page.press(Key::Enter);
        page.until_text("#message-title", "88");
        page.until("its path is drawn", |page| page.count("svg .trod") >= 2 && page.count("svg .trod-time") >= 3);
        page.screenshot(&["messages-", name].concat());
    }
}

/// The counts of the books on the page, and their total.
fn book_counts(page: &Page) -> (Vec<u64>, u64) {
    let counts = page.run(
        "const number = (cell) => Number(cell.textContent.replaceAll(',', ''));
         return [[...document.querySelectorAll('[data-book] td:last-child')].map(number), number(document.querySelector('#books-total'))]",
    );
    let total = counts[1].as_u64().expect("a total");
    (counts[0].as_array().expect("rows").iter().map(|count| count.as_u64().expect("a count")).collect(), total)
}

#[test]
fn the_books_add_up_while_time_runs_and_say_what_the_engine_says() {
    let breaks = [("41s", "break orders"), ("86s", "mend orders")];
    let (run, address) = run("order-shop", &[("shoppers.rate", "200/s")], &breaks);
    let page = Visitor::new("books").open(&address);
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page.click_button("60×");
    page.click_button("Play");
    for least in [2_000, 20_000, 60_000] {
        page.until("there are more copies", |page| page.count("#books-total") == 1 && book_counts(page).1 > least);
        let (counts, total) = book_counts(&page);
        assert_eq!(counts.iter().sum::<u64>(), total, "while time runs: {counts:?}");
    }
    go_to_the_end(&page);
    let books = at_the_end(&run).panels().books;
    let engine: Vec<u64> = books.rows.iter().map(|row| row.count).collect();
    assert_eq!(book_counts(&page), (engine.clone(), books.total), "{books:?}");
    page.part("#books-open").click();
    page.until("the books are open", |page| page.part("#books-total").is_seen());
    page.run("document.querySelector('#books').scrollIntoView()");
    let sum = page.text_of("#books-sum");
    assert!(sum.ends_with(&format!("= {}", page.text_of("#books-total"))) && sum.contains(" + "), "{sum}");
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
    page.screenshot("books");

    // A row opens its list.
    let row = books.rows.iter().find(|row| row.part == "Orders DB").expect("the outbox");
    assert_eq!(row.what, "in the outbox, unsent");
    let unread = books.rows.iter().find(|row| row.count > 0 && row.what.starts_with("not yet read by ")).expect("a backlog");
    let (ids, _) = ids(&at_the_end(&run), unread.list.as_ref().expect("its list"), 0, 100);
    page.part(&format!("[data-book='{}: {}'] button", unread.part, unread.what)).click();
    page.until("those unread are listed", |page| listed(page) == ids);

    let phone = Visitor::new("books_phone").phone().dark().open(&address);
    go_to_the_end(&phone);
    phone.control("tab", "Books").click();
    phone.until("the books are in sight", |page| page.part("#books-total").is_seen());
    assert_eq!(book_counts(&phone), (engine, books.total));
    assert!(phone.axe().is_empty(), "{:#?}", phone.axe());
    phone.screenshot("books-phone");
}

#[test]
fn a_threshold_is_changed_in_place_and_what_would_have_fired_is_seen_at_once() {
    let breaks = [("41s", "break orders"), ("86s", "mend orders")];
    let (run, address) = run("order-shop", &[("shoppers.rate", "50/s")], &breaks);
    let set = "alerts.orders-db.outbox-age.above";
    let mut strict = run.clone();
    strict.sets.push((set.into(), "10s".into()));
    let rule = |run: &Run| at_the_end(run).panels().alerts.into_iter().find(|alert| alert.set == set).expect("the rule");
    let (before, after) = (rule(&run), rule(&strict));
    let page = Visitor::new("alert_rules").open(&address);
    go_to_the_end(&page);
    page.click_button("Rules and thresholds");
    let of = |part: &str| format!("[data-alert='{set}'] {part}");
    page.until_text(&of(".sub"), &["after ", &redrive::sim::time::spoken(before.after_us.expect("it fired"))].concat());
    assert_eq!(page.text_of(&of("code")), before.expr);
    let field = format!("[data-set='{set}']");
    page.part(&field).type_in("ten");
    page.press(Key::Tab);
    page.until_text(&of(".wrong"), "Allowed: ");
    page.part(&field).type_in("10s");
    page.press(Key::Tab);
    page.until_text(&of(".sub"), &["after ", &redrive::sim::time::spoken(after.after_us.expect("it fires"))].concat());
    assert_eq!(page.text_of(&of("code")), after.expr);
    page.until_text("#clock", "03:00.00");
    assert!(page.text_of("#notice").contains(&after.text), "{}", page.text_of("#notice"));
    page.click_button("Take these rules home");
    page.until("the file is there", |page| {
        page.count("#rules-file") == 1 && page.part("#rules-file").value().starts_with("groups:")
    });
    assert!(page.part("#rules-file").value().contains("OutboxAge"), "{}", page.part("#rules-file").value());
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
    page.screenshot("alert-rules");
}

#[test]
fn a_long_search_says_how_far_it_is_and_can_be_stopped() {
    let (run, address) = run("order-shop", &[("shoppers.rate", "500/s")], &[]);
    let page = Visitor::new("long_search").open(&address);
    go_to_the_end(&page);
    page.press('/');
    page.until("the field has the focus", |page| page.focused().contains("Id of a message"));
    // Each look at the clock says that a frame's time is up, as on a slow machine; the button is pressed as soon as it is there.
    page.run(
        "const now = performance.now.bind(performance); let more = 0; performance.now = () => now() + (more += 50);
         const field = document.querySelector('#find-text'); field.value = 'none such';
         field.dispatchEvent(new Event('input', { bubbles: true }));
         const look = () => { const stop = [...document.querySelectorAll('#find button')].find((it) => it.textContent === 'Stop looking');
           if (stop && document.querySelector('#find progress').value > 0) { stop.click(); } else { requestAnimationFrame(look); } };
         requestAnimationFrame(look);",
    );
    page.until_text("#found-told", "stopped, 0 found so far");
    let (said, facts) = (page.text_of("#find .busy"), at_the_end(&run).observer.ledger.facts());
    assert!(said.contains(&format!(" of {} messages looked at", redrive::sim::time::grouped(facts.into()))), "{said}");
    page.screenshot("messages-stopped");
    page.click_button("Look on");
    page.until_text("#found-told", "near “none such”: none, at 03:00.00");
}

#[test]
fn consumers_have_a_verdict_in_figures_and_its_history() {
    let (run, address) = run("consumer-health", &[], &[]);
    let health = at_the_end(&run).panels().health;
    let consumer = health.first().expect("a consumer");
    assert!(consumer.spans.len() > 3, "{consumer:?}");
    for (name, visitor) in [("health", Visitor::new("health")), ("health-phone", Visitor::new("health_phone").phone().dark())] {
        let page = visitor.open(&address);
        go_to_the_end(&page);
        if name == "health-phone" {
            page.control("tab", "Notice").click();
        }
        let of = if name == "health" { "main .health" } else { "#notice .health" };
        let verdict = format!("{of} [data-health='{}'][data-verdict={}]", consumer.title, consumer.verdict.word());
        page.until_text(&verdict, &consumer.why);
        assert_eq!(page.count(&format!("{of} [data-health='{}'] .spans rect", consumer.title)), consumer.spans.len());
        page.screenshot(name);
        page.part("#health-history summary").click();
        page.until("every verdict is there as text", |page| {
            let text = page.text_of("#health-history");
            consumer
                .spans
                .iter()
                .all(|span| text.contains(&[&consumer.title, " ", span.verdict.word(), ": ", &span.why].concat()))
        });
        assert!(page.axe().is_empty(), "{:#?}", page.axe());
    }
}
