//! Many runs from the page: every crash in a worker, and a setting against a figure.

use redrive::explore::{Explorer, Plan, Sweep};
use redrive::run::Run;
use redrive::sim::time::grouped;
use redrive_page_tests::{Page, Visitor};

fn open(name: &'static str, address: &str) -> Page {
    let page = Visitor::new(name).open(address);
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page
}

fn words(page: &Page, place: &str) -> String {
    page.text_of(place).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_crash_is_tried_beside_the_page_and_each_count_opens_its_runs() {
    let found = Explorer::new(&Run::of_library("dual-write"), Plan::default()).expect("a sound plan").finish();
    let page = open("every_crash", "#/s/dual-write");
    page.click_button("Try every crash");
    page.click_button("Try them all");
    let clean = format!("{} of {} runs end clean", grouped(found.outcomes.clean), grouped(found.tried));
    page.until_text("#crashes-verdict", &clean);
    page.until("all are tried", |page| page.count("#crashes progress") == 0);
    let table = words(&page, "#crashes-table");
    for row in &found.table {
        let counts = [row.tried, row.outcomes.clean, row.outcomes.lost, row.outcomes.twice, row.outcomes.late];
        let counts = counts.map(grouped).join(" ");
        assert!(table.contains(&format!("{} {counts}", row.step)), "{row:?} in {table}");
    }
    for property in &found.properties {
        let shown = words(&page, "#properties");
        let how = if property.holds { format!("proved over {} fault points", grouped(found.tried)) } else { "broken".to_owned() };
        assert!(shown.contains(&format!("{} · {how}", property.name)), "{property:?} in {shown}");
    }
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
    page.screenshot("trials-crashes");

    // A count opens its runs, a run opens at the moment of its fault.
    page.part("#crashes-table tr[data-row='email worked'] td:nth-child(6) button").click();
    page.until("its runs are listed", |page| page.count("#crash-runs li") > 0);
    page.part("#crash-runs li:nth-child(1) a").click();
    page.until_text("#did", "crash email at worked");
    assert_eq!(page.count("#crashes[open]"), 0);

    // What was found is still there.
    page.click_button("Try every crash");
    page.until_text("#crashes-verdict", &clean);
    page.until_text("#crashes", "Another run is open now; these results stay.");
}

#[test]
fn what_is_planned_can_be_left_out_and_the_proof_says_over_how_many_faults() {
    let sets = [("lab.idempotent", "true"), ("lab.planned", "no")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let run = Run { sets: sets.to_vec(), ..Run::of_library("ack-order") };
    let found = Explorer::new(&run, Plan::default()).expect("a sound plan").finish();
    assert_eq!(found.outcomes.clean, found.tried);
    let page = open("calm_crashes", "#/s/ack-order");
    page.part("#switch-idempotent-true").click();
    page.click_button("Try every crash");
    page.control("checkbox", "Without what the scenario plans").click();
    page.click_button("Try them all");
    page.until_text("#crashes-verdict", &format!("{0} of {0} runs end clean.", grouped(found.tried)));
    page.until_text("#properties", &format!("proved over {} fault points", grouped(found.tried)));
    page.press(redrive_page_tests::Key::Escape);

    // The switch over the stage does the same for the open run.
    page.part("#switch-planned-no").click();
    page.until("the planned crash is gone", |page| {
        page.part("#switch-planned-no").attribute("aria-pressed").as_deref() == Some("true")
    });
}

#[test]
fn what_is_tried_can_be_stopped_and_time_goes_on_meanwhile() {
    let page = open("stop_a_trial", "#/s/order-shop");
    page.click_button("Try every crash");
    page.click_button("Try them all");
    page.until("a worker is at it", |page| page.count("#crashes progress") == 1);
    page.press(redrive_page_tests::Key::Escape);
    page.click_button("Play");
    page.until("time runs", |page| page.text_of("#clock").starts_with("00:02"));
    page.click_button("Pause");
    page.part("#crashes-open").click();
    page.click_button("Stop");
    // After some runs, or before one was over on a slow machine.
    page.until_text("#crashes", "Stopped ");
}

#[test]
fn nonsense_is_answered_beside_what_is_wrong() {
    let page = open("bad_trials", "#/s/visibility-too-short");
    page.click_button("Sweep");
    page.until("the form is there", |page| page.count("#sweep-values") == 1);
    page.part("#sweep-values").type_in("-5s..30s/6");
    page.part("#sweep-go").click();
    page.until_text("#sweep-faults", "negative");
    page.part("#sweep-seeds").type_in("many");
    page.part("#sweep-go").click();
    page.until_text("#sweep-faults", "`many` is no number");
    page.until_text("#sweep-faults", "a whole number from 1 to 1,000");
    page.press(redrive_page_tests::Key::Escape);
    page.click_button("Try every crash");
    page.control("textbox", "Runs at most").type_in("-1");
    page.click_button("Try them all");
    page.until_text("#crashes", "A whole number from 1 to 20,000, or nothing.");
}

#[test]
fn a_sweep_is_drawn_and_said_in_figures() {
    let vary = "jobs.visibility_timeout=5s..30s/6";
    let found = Sweep::new(&Run::of_library("visibility-too-short"), vary, "facts.twice", 5).expect("a sound sweep").finish();
    let page = open("sweep", "#/s/visibility-too-short");
    // A browser that says it has four cores: three workers share the values.
    page.run(
        "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 4 }); window.started = 0; const Plain = Worker; \
         window.Worker = class extends Plain { constructor(...all) { super(...all); window.started += 1; } };",
    );
    page.click_button("Sweep");
    page.until("the form is there", |page| page.count("#sweep-values") == 1);
    page.part("#sweep-values").type_in("5s..30s/6");
    page.part("#sweep-go").click();
    page.until("all is swept", |page| page.count("#sweep-table tbody tr") == 6 && page.count("#sweep progress") == 0);
    let table = words(&page, "#sweep-table");
    for point in &found.points {
        let five = [point.min, point.q1, point.median, point.q3, point.max].map(|value| value.to_string()).join(" ");
        assert!(table.contains(&format!("{} {five}", point.value)), "{point:?} in {table}");
    }
    assert_eq!(page.count("#sweep .chart-run"), 30, "six values with five seeds");
    assert_eq!(page.run("return window.started;"), 3, "workers");
    assert!(page.axe().is_empty(), "{:#?}", page.axe());
    page.screenshot("trials-sweep");

    // A press on a figure opens the run that it is of.
    page.part("#sweep-table tbody tr:nth-child(1) td:nth-child(4) a").click();
    page.until("its run is open", |page| page.count("#sweep[open]") == 0);
    page.part("[data-part=jobs]").click();
    page.until("with that value", |page| page.part("#set-visibility_timeout").value() == "5s");
}
