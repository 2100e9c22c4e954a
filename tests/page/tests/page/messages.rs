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
    assert!(page.text_of("#found-told").starts_with("charge, lost: 1 to 1, at "), "{}", page.text_of("#found-told"));
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
    let (first, next) = ids(&world, &late, 0, 100);
    let (second, _) = ids(&world, &late, next.expect("more than a page"), 100);
    let page = Visitor::new("late_list").open(&address);
    go_to_the_end(&page);
    page.part("#users .key [data-count=late] button").click();
    page.until("the first page is there", |page| listed(page) == first);
    assert!(page.text_of("#found-told").contains("1 to 100"), "{}", page.text_of("#found-told"));
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
    page.part("#find-text").type_in("m1");
    page.until("what begins so is listed", |page| listed(page) == ["m1", "m10"]);
    page.part("#find-text").type_in("key 3");
    page.until("the key's messages are listed", |page| listed(page) == ["m3"]);
    page.part("#find-text").type_in("m99");
    page.until_text("#found-told", "none");
    page.press(Key::Enter);
    page.until_text("#find-said", "No message “m99” so far, from m1 to m10 there are.");
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
