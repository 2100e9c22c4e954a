//! "Sweep": one setting with one value after another, over many seeds, against one figure.

use leptos::prelude::*;
use redrive::explore::{MOST_SEEDS, Suggestion, Sweep, said, suggestions};
use redrive::scenario::gauges::gauges;
use redrive::scenario::setting::Form as Of;
use redrive::scenario::{Fault, Scenario};

use super::chart::{Point, Size, chart, points};
use super::job::Job;
use super::{Found, Trial, about, grouped, progress};
use crate::dom::{Node, button, el, slot};
use crate::lab::Lab;
use crate::page::Page;
use crate::trouble::fault_list;
use crate::ui::{Sheet, Ui, over};

/// What the visitor has chosen.
#[derive(Clone, Default)]
struct Form {
    /// The run's scenario that it is for; another one starts from its own suggestion.
    of: String,
    part: String,
    setting: String,
    values: String,
    measure: String,
    seeds: String,
    faults: Vec<Fault>,
}

/// The dialog.
#[must_use]
pub fn sweep(lab: Lab, page: Page, ui: Ui) -> Node {
    let trial = lab.trials.sweep;
    let form = RwSignal::new_local(Form::default());
    over(ui, Sheet::Sweep, "sweep", "Sweep a setting", move || {
        let intro = "Plays the open run with one value of a setting after another, each with many seeds, and draws what a figure comes to.";
        vec![
            el("p").class("soft").says(intro),
            slot(move || asks(lab, trial, form)),
            slot(move || progress(trial, "The setting is swept")),
            slot(move || trial.look(|found| found.map(|found| results(lab, page, found)).unwrap_or_default())),
        ]
    })
}

/// The settings of a part that have more than one value worth a try.
fn swept(scenario: &Scenario, part: &str) -> Vec<&'static str> {
    let rows = scenario.parts.get(part).map_or(&[][..], |spec| spec.kind.table());
    let fits = |form: Of| matches!(form, Of::Duration | Of::Count | Of::Share | Of::Rate | Of::Flag | Of::Choice | Of::Latency);
    rows.iter().filter(|row| fits(row.form)).map(|row| row.name).collect()
}

/// The figures on offer: path and words.
fn measures(scenario: &Scenario) -> Vec<(String, String)> {
    let plain = [
        ("facts.twice", "messages that took effect twice"),
        ("facts.lost", "messages lost"),
        ("facts.late", "effects that were late"),
        ("facts.dead", "messages in dead letters"),
        ("facts.out_of_order", "effects out of order"),
        ("facts.once", "messages that took effect once"),
        ("users.refused", "users told no"),
        ("users.p99_us", "what 99 % of users wait at most"),
    ];
    let mut all: Vec<(String, String)> = plain.iter().map(|(path, says)| ((*path).to_owned(), (*says).to_owned())).collect();
    for (id, spec) in &scenario.parts {
        for gauge in gauges(&spec.kind) {
            let says = [&spec.title, ": ", gauge.title, ", at most"].concat();
            all.push((["parts.", id, ".", gauge.name, "(max)"].concat(), says));
        }
    }
    all
}

fn take(form: RwSignal<Form, LocalStorage>, suggestion: &Suggestion) {
    form.update(|form| {
        let (place, values) = suggestion.vary.split_once('=').unwrap_or_default();
        let (part, setting) = place.split_once('.').unwrap_or_default();
        (form.part, form.setting, form.values) = (part.into(), setting.into(), values.into());
        form.measure.clone_from(&suggestion.measure);
        form.faults = Vec::new();
    });
}

fn list(
    id: &'static str,
    says: &'static str,
    options: Vec<(String, String)>,
    value: &str,
    take: impl Fn(String) + 'static,
) -> Node {
    let options = options.into_iter().map(|(word, says)| el("option").attr("value", word).says(says));
    let list = el("select").attr("id", id).with_all(options).value(value).take("change", take);
    el("div").class("field").with(el("label").attr("for", id).says(says)).with(list)
}

fn field(id: &'static str, says: &'static str, value: &str, take: impl Fn(String) + 'static) -> Node {
    let field =
        el("input").attr("id", id).class("mono").attr("autocomplete", "off").attr("spellcheck", "false").attr("maxlength", "400");
    el("div").class("field").with(el("label").attr("for", id).says(says)).with(field.value(value).take("change", take))
}

fn asks(lab: Lab, trial: Trial, form: RwSignal<Form, LocalStorage>) -> Vec<Node> {
    lab.opened.track();
    let Some(run) = lab.run() else { return Vec::new() };
    let Ok(scenario) = run.scenario() else { return Vec::new() };
    let offers = suggestions(&scenario);
    let mut now = form.get();
    if now.of != scenario.id {
        let first = scenario.parts.keys().find(|id| !swept(&scenario, id).is_empty()).cloned().unwrap_or_default();
        let setting = swept(&scenario, &first).first().copied().unwrap_or_default().to_owned();
        let fresh = Form {
            of: scenario.id.clone(),
            part: first,
            setting,
            measure: "facts.twice".into(),
            seeds: "5".into(),
            ..Form::default()
        };
        form.update_untracked(|form| *form = fresh);
        if let Some(offer) = offers.first() {
            take(form, offer);
        }
        now = form.get_untracked();
    }
    let chips = offers.into_iter().map(|offer| {
        let says = offer.title.clone();
        button("btn", says).press(move || take(form, &offer))
    });
    let parts = scenario.parts.iter().filter(|(id, _)| !swept(&scenario, id).is_empty());
    let parts = parts.map(|(id, spec)| (id.clone(), spec.title.clone())).collect();
    let settings = swept(&scenario, &now.part).into_iter().map(|name| (name.to_owned(), name.replace('_', " "))).collect();
    let scenario_too = scenario.clone();
    let of_part = list("sweep-part", "Setting of", parts, &now.part, move |part| {
        form.update(|form| {
            form.setting = swept(&scenario_too, &part).first().copied().unwrap_or_default().to_owned();
            (form.part, form.values) = (part, String::new());
        });
    });
    let of_setting = list("sweep-setting", "Setting", settings, &now.setting, move |setting| {
        form.update(|form| (form.setting, form.values) = (setting, String::new()));
    });
    let values = field("sweep-values", "Values: A..B/POINTS, or v1,v2,…", &now.values, move |text| {
        form.update(|form| form.values = text)
    });
    let measure =
        list("sweep-measure", "Figure", measures(&scenario), &now.measure, move |path| form.update(|form| form.measure = path));
    let seeds = field("sweep-seeds", "Seeds", &now.seeds, move |text| form.update(|form| form.seeds = text));
    let begin = move || {
        let Some(run) = lab.run() else { return };
        let asked = form.get_untracked();
        let vary = [&asked.part, ".", &asked.setting, "=", asked.values.trim()].concat();
        let seeds = asked.seeds.trim().parse::<u64>().ok();
        // What is wrong is said here, before a worker starts.
        let checked = match seeds {
            Some(seeds) => Sweep::new(&run, &vary, &asked.measure, seeds)
                .map(|sweep| (seeds, sweep.result().points.iter().map(|point| point.value.clone()).collect::<Vec<_>>()))
                .map_err(|faults| faults.0),
            None => {
                let allowed = ["a whole number from 1 to ", &grouped(MOST_SEEDS)].concat();
                Err(vec![Fault::new("seeds", ["`", &asked.seeds, "` is no number"].concat(), allowed)])
            }
        };
        match checked {
            Ok((seeds, values)) => {
                form.update(|form| form.faults = Vec::new());
                let link = run.to_link();
                let jobs = dealt(&values, hands(values.len())).into_iter().map(|values| {
                    let vary = [&asked.part, ".", &asked.setting, "=", &values].concat();
                    Job::Sweep { link: link.clone(), vary, measure: asked.measure.clone(), seeds }
                });
                trial.start(run, &jobs.collect::<Vec<_>>());
            }
            Err(faults) => form.update(|form| form.faults = faults),
        }
    };
    let mut nodes = vec![
        el("div").class("offers").attr("role", "group").attr("aria-label", "Sweeps that suit this scenario").with_all(chips),
        el("div").class("asks").with(of_part).with(of_setting).with(values).with(measure).with(seeds),
    ];
    if !now.faults.is_empty() {
        nodes.push(el("div").attr("role", "alert").attr("id", "sweep-faults").with(fault_list(now.faults)));
    }
    nodes.push(el("div").class("offers").with(button("btn pri", "Sweep").attr("id", "sweep-go").press(begin)));
    nodes
}

/// At most so many workers: each has a copy of the lab.
const MOST_HANDS: usize = 4;

/// How many workers share so many values: one core stays with the page.
fn hands(values: usize) -> usize {
    let cores = window().navigator().hardware_concurrency() as usize;
    cores.saturating_sub(1).clamp(1, MOST_HANDS).min(values.max(1))
}

/// The values dealt out one by one, like cards: a list for each worker.
fn dealt(values: &[String], hands: usize) -> Vec<String> {
    let hand = |first: usize| values.iter().skip(first).step_by(hands).map(String::as_str).collect::<Vec<_>>().join(",");
    (0..hands).map(hand).collect()
}

fn results(lab: Lab, page: Page, found: &Found) -> Vec<Node> {
    let points = points(&found.told);
    let text = |name: &str| found.says(name).as_str().unwrap_or_default().to_owned();
    let (vary, measure) = (text("vary"), text("measure"));
    if points.is_empty() {
        return Vec::new();
    }
    let open = |address: &str| {
        let _ = window().location().set_hash(address.trim_start_matches('#'));
    };
    let picture = chart(Size::of(page.narrow.get()), (&vary, &measure), &points, open);
    let says =
        ["Dots are runs, the band is the middle half of them, the line the median. A press on a dot opens its run."].concat();
    vec![
        el("p").class("soft").says(about(lab, found)),
        el("h3").says([&measure, " for each ", &vary].concat()),
        picture,
        el("p").class("soft small").says(says),
        table(&measure, &vary, &points),
    ]
}

/// The same in figures, each a way to its run.
fn table(measure: &str, vary: &str, points: &[Point]) -> Node {
    let head = [vary, "min", "q1", "median", "q3", "max"].map(|says| el("th").attr("scope", "col").says(says));
    let body = points.iter().map(|point| {
        let cells = point.five.map(|value| {
            let says = said(measure, value);
            // Each of the five is the figure of a run that was played.
            let run = point.runs.iter().find(|(_, figure, _)| *figure == value);
            match run {
                Some((seed, _, link)) => {
                    let label = [&says, ", seed ", &seed.to_string(), ": open this run"].concat();
                    el("td").with(el("a").attr("href", link.clone()).attr("aria-label", label).says(says))
                }
                None => el("td").says(says),
            }
        });
        el("tr").with(el("th").attr("scope", "row").says(point.value.clone())).with_all(cells)
    });
    let table =
        el("table").attr("id", "sweep-table").with(el("thead").with(el("tr").with_all(head))).with(el("tbody").with_all(body));
    el("div").class("wide").attr("tabindex", "0").attr("role", "region").attr("aria-label", "The sweep in figures").with(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_gets_its_share_of_the_values() {
        let values: Vec<String> = ["1s", "2s", "3s", "4s", "5s"].map(str::to_owned).to_vec();
        assert_eq!(dealt(&values, 1), ["1s,2s,3s,4s,5s"]);
        assert_eq!(dealt(&values, 3), ["1s,4s", "2s,5s", "3s"]);
    }
}
