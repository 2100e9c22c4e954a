//! Every failure on the page, broken and cured: the panels say what the engine finds natively, figure by figure.

use redrive::command::Command;
use redrive::run::Run;
use redrive::scenario::failures::{ALL, Failure};
use redrive::sim::time::{clock, grouped};
use redrive::timeline::{Progress, Timeline};
use redrive::view::PanelsView;
use redrive_page_tests::{Key, Page, Visitor};

/// What a part of the page says, folded away or not.
fn says(page: &Page, id: &str) -> String {
    let text = page.run_with("return document.getElementById(arguments[0])?.textContent ?? ''", vec![id.into()]);
    text.as_str().unwrap_or_default().to_owned()
}

fn to_the_end(page: &Page) {
    page.part("#time").focus();
    page.press(Key::End);
    page.until("the end", |page| {
        let end = page.run("const time = document.getElementById('time'); return time.value === time.max");
        end == true && !page.has_control("button", "Stop")
    });
}

/// What the panels have to say: part of the page, and words in it.
fn expected(panels: &PanelsView) -> Vec<(&'static str, String)> {
    let users = &panels.users;
    let mut words = vec![("users", users.harm.clone()), ("users", ["served ", &grouped(users.served)].concat())];
    let counts = [("refused", users.refused), ("late", users.late), ("never", users.never), ("twice", users.twice)];
    for (title, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        words.push(("users", [title, " ", &grouped(count)].concat()));
    }
    for finding in &panels.findings {
        words.push(("breaks", finding.text.clone()));
        words.push(("breaks", clock(finding.at_us)));
    }
    for alert in &panels.alerts {
        words.push(("notice", alert.text.clone()));
        words.push(("notice", alert.at_us.map_or_else(|| alert.why.clone(), clock)));
    }
    words
}

#[track_caller]
fn shows(page: &Page, timeline: &Timeline, what: &str) {
    let panels = timeline.panels();
    for (id, words) in expected(&panels) {
        page.until(&format!("{what}: #{id} says “{words}”"), |page| says(page, id).contains(&words));
    }
    // Nothing that the engine does not find.
    for (title, count) in [("refused", panels.users.refused), ("never", panels.users.never), ("twice", panels.users.twice)] {
        assert_eq!(page.count(&format!("#users [data-count={title}]")), usize::from(count > 0), "{what}: {title}");
    }
    assert_eq!(page.count("#breaks li"), panels.findings.len(), "{what}: {}", says(page, "breaks"));
}

fn travel(timeline: &mut Timeline, to_us: u64) {
    assert_eq!(timeline.travel(to_us, u64::MAX), Progress::Done);
}

fn check(failure: &Failure) {
    let run = Run::of_library(failure.scenario);
    let mut timeline = Timeline::open(&run).expect("it ships");
    let cure = timeline.scenario().cures.first().expect("a cure").clone();
    let until_us = timeline.until_us();

    let page = Visitor::new(failure.scenario).open(&["#/s/", failure.scenario].concat());
    page.until("the lab is there", |page| page.count("#clock") == 1);
    to_the_end(&page);
    travel(&mut timeline, until_us);
    shows(&page, &timeline, "as it is");
    page.screenshot(failure.scenario);

    // The same run in the hands of someone who gives the first cure when they could have known.
    travel(&mut timeline, failure.cure_us);
    page.go_to(&["#/run/", &run.to_link(), "/at/", &failure.cure_us.to_string()].concat());
    page.until("the moment of the cure", |page| {
        page.text_of("#clock") == clock(failure.cure_us) && !page.has_control("button", "Stop")
    });
    page.click_button(&cure.title);
    for command in &cure.commands {
        let text = command.to_string();
        assert!(Command::parse(&text).is_ok(), "{text}");
        page.until(&format!("“{text}” is done"), |page| says(page, "did").contains(&text));
    }
    timeline.send(&cure.commands).expect("a cure that may be given");
    to_the_end(&page);
    travel(&mut timeline, until_us);
    shows(&page, &timeline, "cured");
}

/// One test a failure, by its place in the list.
macro_rules! tests {
    ($($name:ident = $place:literal,)*) => {
        $(#[test]
        fn $name() {
            check(&ALL[$place]);
        })*

        #[test]
        fn each_failure_has_its_test() {
            assert_eq!([$($place,)*].map(|place| place), std::array::from_fn::<usize, { ALL.len() }, _>(|place| place));
        }
    };
}

tests! {
    poison_message = 0,
    consumers_slower_than_producers = 1,
    retention_runs_out_first = 2,
    visibility_timeout_below_processing_time = 3,
    rebalance_storm = 4,
    hot_partition = 5,
    unwatched_dead_letter_queue = 6,
    retry_storm = 7,
    relay_stopped = 8,
    consumer_not_idempotent = 9,
    cluster_down = 10,
    leader_dies = 11,
    network_cut = 12,
    database_down = 13,
    dependency_slow = 14,
    lost_acknowledgement = 15,
    deploy_restarts_everything = 16,
}
