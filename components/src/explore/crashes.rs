//! "Try every crash": what is tried, and a table of how the runs ended, each count a way to the runs behind it.

use leptos::prelude::*;
use redrive::explore::{Attempt, FaultKind, Outcomes, Plan, Row, rows};
use redrive::scenario::Scenario;
use web_sys::{Event, HtmlInputElement};

use super::job::Job;
use super::properties::properties;
use super::runs::{Column, Picked, runs};
use super::{Found, Trial, about, grouped, progress};
use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::ui::{Sheet, Ui, over};

/// What the visitor has chosen.
#[derive(Clone)]
struct Form {
    faults: [bool; 3],
    /// Ids of parts that are left alone.
    spared: Vec<String>,
    together: bool,
    /// Nothing else goes wrong than what is tried.
    calm: bool,
    most: String,
    wrong: String,
}

const FAULTS: [(FaultKind, &str); 3] = [
    (FaultKind::Crash, "A process dies between two steps"),
    (FaultKind::LostAck, "An acknowledgement is lost"),
    (FaultKind::LostAnswer, "A broker’s confirmation is lost"),
];

/// The dialog.
#[must_use]
pub fn crashes(lab: Lab, ui: Ui) -> Node {
    let trial = lab.trials.crashes;
    let form = RwSignal::new_local(Form {
        faults: [true, false, false],
        spared: Vec::new(),
        together: false,
        calm: false,
        most: String::new(),
        wrong: String::new(),
    });
    let picked = RwSignal::new(None::<Picked>);
    over(ui, Sheet::Crashes, "crashes", "Try every crash", move || {
        let intro = "Plays the open run once to see every place at which a fault can strike; then once more for each of them, with that one \
                     fault. Watching goes on meanwhile, and so does this when you close it.";
        vec![
            el("p").class("soft").says(intro),
            slot(move || asks(lab, trial, form, picked)),
            slot(move || progress(trial, "Every crash is tried")),
            slot(move || trial.look(|found| found.map(|found| results(lab, found, picked)).unwrap_or_default())),
            slot(move || {
                trial.look(|found| {
                    found.zip(picked.get()).map(|(found, picked_now)| runs(found, picked_now, picked)).unwrap_or_default()
                })
            }),
        ]
    })
}

/// The parts at which one of these faults can strike: id and title.
fn struck_by(scenario: &Scenario, faults: [bool; 3]) -> Vec<(String, String)> {
    let can = |kind: &redrive::scenario::Kind| FAULTS.iter().zip(faults).any(|((fault, _), on)| on && fault.strikes(kind));
    scenario.parts.iter().filter(|(_, spec)| can(&spec.kind)).map(|(id, spec)| (id.clone(), spec.title.clone())).collect()
}

fn checkbox(says: impl Into<String>, on: bool, take: impl Fn(bool) + 'static) -> Node {
    let field = el("input").attr("type", "checkbox").attr(".checked", on.to_string());
    let field = field.on("change", move |event: &Event| take(event_target::<HtmlInputElement>(event).checked()));
    el("label").class("check").with(field).says(says)
}

fn group(title: &'static str, boxes: impl IntoIterator<Item = Node>) -> Node {
    el("fieldset").with(el("legend").says(title)).with_all(boxes)
}

/// What is to be tried.
fn asks(lab: Lab, trial: Trial, form: RwSignal<Form, LocalStorage>, picked: RwSignal<Option<Picked>>) -> Vec<Node> {
    lab.opened.track();
    let Some(scenario) = lab.run().and_then(|run| run.scenario().ok()) else { return Vec::new() };
    let now = form.get();
    let faults = FAULTS
        .iter()
        .enumerate()
        .map(|(place, (_, says))| checkbox(*says, now.faults[place], move |on| form.update(|form| form.faults[place] = on)));
    let parts = struck_by(&scenario, now.faults);
    let none = parts.iter().all(|(id, _)| now.spared.contains(id));
    let places = parts.clone().into_iter().map(|(id, title)| {
        let spared = now.spared.contains(&id);
        checkbox(title, !spared, move |on| {
            form.update(|form| {
                form.spared.retain(|other| *other != id);
                if !on {
                    form.spared.push(id.clone());
                }
            });
        })
    });
    let together = checkbox("Also two faults in one run", now.together, move |on| form.update(|form| form.together = on));
    let calm = scenario.planned == Some(true);
    let calm = calm.then(|| checkbox("Without what the scenario plans", now.calm, move |on| form.update(|form| form.calm = on)));
    let most = el("input")
        .class("mono")
        .attr("inputmode", "numeric")
        .attr("placeholder", "as many as fit")
        .attr("maxlength", "6")
        .attr("aria-invalid", if now.wrong.is_empty() { "false" } else { "true" })
        .value(now.most.clone())
        .take("change", move |text| form.update(|form| form.most = text));
    let most = el("label").class("field").says("Runs at most ").with(most);
    let begin = move || {
        let form_now = form.get_untracked();
        let most = match form_now.most.trim() {
            "" => Ok(None),
            text => text.parse::<u64>().ok().filter(|most| (1..=MOST_RUNS).contains(most)).map(Some).ok_or(()),
        };
        let Ok(most) = most else {
            let wrong = ["A whole number from 1 to ", &grouped(MOST_RUNS), ", or nothing."].concat();
            return form.update(|form| form.wrong = wrong);
        };
        form.update(|form| form.wrong = String::new());
        picked.set(None);
        let Some(mut run) = lab.run() else { return };
        if form_now.calm {
            run.sets.retain(|(place, _)| place != "lab.planned");
            run.sets.push(("lab.planned".into(), "no".into()));
        }
        let faults = FAULTS.iter().zip(form_now.faults).filter(|(_, on)| *on).map(|((fault, _), _)| *fault).collect();
        let parts = parts.iter().map(|(id, _)| id.clone()).filter(|id| !form_now.spared.contains(id)).collect();
        let plan = Plan { faults, parts, together: if form_now.together { 2 } else { 1 }, most };
        trial.start(run.clone(), &[Job::Crashes { link: run.to_link(), plan }]);
    };
    let go = button("btn pri", "Try them all").attr("id", "crashes-go").attr_if("disabled", none.then(String::new)).press(begin);
    let where_to = if parts_none(&scenario, now.faults) {
        el("p").class("soft").says("Nothing here can be struck by what is chosen.")
    } else {
        group("Where", places)
    };
    vec![
        el("div")
            .class("asks")
            .with(group("What goes wrong", faults))
            .with(where_to)
            .with(group("How much", [together].into_iter().chain(calm).chain([most]))),
        el("p").class("wrong").attr("role", "alert").says(now.wrong),
        el("div").class("offers").with(go),
    ]
}

/// The most runs that can be asked for.
const MOST_RUNS: u64 = 20_000;

fn parts_none(scenario: &Scenario, faults: [bool; 3]) -> bool {
    struck_by(scenario, faults).is_empty()
}

/// How it ended in one sentence.
fn verdict(found: &Found, sum: &Outcomes) -> Node {
    let harm = [
        (sum.lost, "lose something"),
        (sum.twice, "do something twice"),
        (sum.late, "are late"),
        (sum.out_of_order, "are out of order"),
    ];
    let told: Vec<String> =
        harm.iter().filter(|(count, _)| *count > 0).map(|(count, says)| [&grouped(*count), " ", *says].concat()).collect();
    let clean = [&grouped(sum.clean), " of ", &grouped(found.tried), " runs end clean"].concat();
    let verdict = el("p").class("verdict").attr("id", "crashes-verdict").attr("role", "status").says(clean);
    if told.is_empty() { verdict.says(".") } else { verdict.says("; ").with(el("em").says(told.join(", "))).says(".") }
}

fn results(lab: Lab, found: &Found, picked: RwSignal<Option<Picked>>) -> Vec<Node> {
    if found.attempts.is_empty() {
        return Vec::new();
    }
    let table = rows(&found.scenario, &found.attempts);
    let mut sum = Outcomes::default();
    for row in &table {
        sum.clean += row.outcomes.clean;
        sum.lost += row.outcomes.lost;
        sum.twice += row.outcomes.twice;
        sum.late += row.outcomes.late;
        sum.out_of_order += row.outcomes.out_of_order;
    }
    let mut nodes = vec![el("p").class("soft").says(about(lab, found)), verdict(found, &sum)];
    if let Some(all) = found.says("sampled_of").as_u64() {
        let says = ["A sample, evenly spread over ", &grouped(all), " places."].concat();
        nodes.push(el("p").class("soft").says(says));
    }
    nodes.extend(properties(found));
    nodes.push(el("h3").says("How the runs ended, by what was struck"));
    nodes.push(table_of(found, &table, &sum, picked));
    nodes
}

/// A row a step, a column an outcome; each count opens its runs.
fn table_of(found: &Found, table: &[Row], sum: &Outcomes, picked: RwSignal<Option<Picked>>) -> Node {
    let head = ["part", "dies at, or loses", "runs"].into_iter().chain(Column::ALL.iter().map(|column| column.title()));
    let head = el("tr").with_all(head.map(|says| el("th").attr("scope", "col").says(says)));
    let cell = |place: Option<(u16, redrive::world::Point)>, column: Column, outcomes: &Outcomes, whose: &str| {
        let count = column.read(outcomes);
        let class = if count > 0 && column != Column::Once { "harm" } else { "" };
        let cell = el("td").class(class);
        if count == 0 {
            return cell.says("0");
        }
        let label = [&grouped(count), " ", column.title(), ", ", whose, ": show the runs"].concat();
        let show = Picked { place, column, from: 0 };
        cell.with(button("link", grouped(count)).attr("aria-label", label).press(move || picked.set(Some(show))))
    };
    let body = table.iter().map(|row| {
        let title = found.scenario.parts.get(&row.part).map_or(row.part.clone(), |spec| spec.title.clone());
        let whose = [&title, " ", row.step].concat();
        el("tr")
            .attr("data-row", [&row.part, " ", row.step].concat())
            .with(el("th").attr("scope", "row").says(title))
            .with(el("td").says(row.step.replace('-', " ")))
            .with(el("td").says(grouped(row.tried)))
            .with_all(Column::ALL.map(|column| cell(Some(row.place), column, &row.outcomes, &whose)))
    });
    let all = el("tr")
        .class("total")
        .attr("data-row", "all")
        .with(el("th").attr("scope", "row").says("all"))
        .with(el("td"))
        .with(el("td").says(grouped(found.attempts.len() as u64)))
        .with_all(Column::ALL.map(|column| cell(None, column, sum, "all")));
    let table = el("table").attr("id", "crashes-table").with(el("thead").with(head)).with(el("tbody").with_all(body).with(all));
    el("div").class("wide").attr("tabindex", "0").attr("role", "region").attr("aria-label", "How the runs ended").with(table)
}

/// Whether a run stands behind a count.
#[must_use]
pub fn stands_behind(attempt: &Attempt, picked: Picked) -> bool {
    let here = picked.place.is_none_or(|place| place == (attempt.first.part, attempt.first.point));
    here && picked.column.has(attempt.harm)
}
