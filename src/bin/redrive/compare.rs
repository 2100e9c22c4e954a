//! `redrive compare`: a run beside the same run with a change.

use std::io::Write;

use redrive::command::Timed;
use redrive::compare::{self, AlertFired, Compare, Differences, Figure};
use redrive::explore::said;
use redrive::run::Run;
use redrive::scenario::{Fault, Faults, document};
use redrive::sim::time::{clock, spoken};
use redrive::timeline::Progress;
use serde::Serialize;

use crate::Failure;
use crate::args::Args;
use crate::library::{asked, in_time};

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    scenario: &'a str,
    seed: u64,
    until_us: u64,
    left: Side<'a>,
    right: Side<'a>,
    #[serde(flatten)]
    differences: Differences,
}

#[derive(Serialize)]
struct Side<'a> {
    changes: &'a [String],
    events: u64,
    trace_hash: String,
    link: String,
}

/// Plays both to the end and writes what differs.
pub fn compare(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    if args.left.is_empty() && args.right.is_empty() {
        let allowed = "--with CHANGE, where CHANGE is PART.SETTING=VALUE or TIME VERB …";
        return Err(Fault::new("compare", "it is not said what differs", allowed).into());
    }
    let run = asked(args)?;
    let left = changed(&run, "--left", &args.left)?;
    let right = changed(&run, "--with", &args.right)?;
    let mut both = Compare::open(&left, &right)?;
    while both.travel(u64::MAX, u64::MAX) == Progress::More {}
    let differences = both.differences();
    if args.json {
        let side = |side, changes| Side {
            changes,
            events: both.world(side).events(),
            trace_hash: format!("{:016x}", both.world(side).trace_hash()),
            link: format!("#/run/{}", both.run(side).to_link()),
        };
        let report = Report {
            scenario: &both.timeline(compare::Side::Left).scenario().id,
            seed: both.timeline(compare::Side::Left).scenario().seed,
            until_us: both.until_us(),
            left: side(compare::Side::Left, &args.left),
            right: side(compare::Side::Right, &args.right),
            differences,
        };
        serde_json::to_writer_pretty(&mut *out, &report)?;
        return Ok(writeln!(out)?);
    }
    summary(out, args, &both, &differences)
}

/// The run with its changes.
fn changed(run: &Run, option: &str, changes: &[String]) -> Result<Run, Faults> {
    let mut run = run.clone();
    for change in changes {
        let at = |fault: Fault| Fault { path: format!("{option} '{change}'"), ..fault };
        let text = change.trim();
        let text = text.strip_prefix("--set ").or_else(|| text.strip_prefix("--do ")).unwrap_or(text).trim();
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            let timed = Timed::parse(text).map_err(at)?;
            let scenario = run.scenario()?;
            document::check_command(&scenario, &timed.command).and_then(|()| in_time(&scenario, &timed)).map_err(at)?;
            run.commands.push(timed);
            run.commands.sort_by_key(|timed| timed.at_us);
        } else {
            let allowed = "PART.SETTING=VALUE, or TIME VERB … like 41s break orders";
            let set = text.split_once('=').ok_or_else(|| at(Fault::new("", "it is neither a setting nor a command", allowed)))?;
            run.sets.retain(|(place, _)| place != set.0.trim());
            run.sets.push((set.0.trim().to_owned(), set.1.trim().to_owned()));
        }
    }
    Ok(run)
}

fn summary(out: &mut impl Write, args: &Args, both: &Compare, found: &Differences) -> Result<(), Failure> {
    let named = |changes: &[String]| if changes.is_empty() { "as it is".to_owned() } else { changes.join(", ") };
    let scenario = both.timeline(compare::Side::Left).scenario();
    writeln!(out, "{} ({}), seed {}, {}", scenario.title, scenario.id, scenario.seed, spoken(both.until_us()))?;
    writeln!(out, "left     {}\nright    {}", named(&args.left), named(&args.right))?;
    let Some(differs_us) = found.differs_us else {
        return Ok(writeln!(
            out,
            "\nboth are the same run to the byte: trace {:016x}",
            both.world(compare::Side::Left).trace_hash()
        )?);
    };
    writeln!(out, "\nthe same until {}; at the end, left → right", clock(differs_us))?;
    for effect in &found.effects {
        writeln!(out, "  {}: {}", effect.effect, figures(&effect.counts))?;
    }
    let users = figures(&found.users);
    if !users.is_empty() {
        writeln!(out, "  users: {users}")?;
    }
    for part in &found.parts {
        for gauge in &part.gauges {
            let value = |value: Option<u64>| value.map_or_else(|| "none".to_owned(), |value| said(gauge.gauge, value));
            let max = format!("at most {} → {}", value(gauge.left_max), value(gauge.right_max));
            writeln!(out, "  {}.{}: {} → {}, {max}", part.part, gauge.gauge, value(gauge.left), value(gauge.right))?;
        }
    }
    for (side, alerts) in [("left", &found.alerts_left), ("right", &found.alerts_right)] {
        for AlertFired { rule, part, at_us } in alerts {
            writeln!(out, "  only {side}: alert {rule} on {part} at {}", clock(*at_us))?;
        }
    }
    for (name, side) in [("left", compare::Side::Left), ("right", compare::Side::Right)] {
        writeln!(out, "{name:8} #/run/{}", both.run(side).to_link())?;
    }
    Ok(())
}

/// The figures that are not nought in both.
fn figures(all: &[Figure]) -> String {
    let shown = all.iter().filter(|figure| figure.left + figure.right > 0);
    let words = shown.map(|Figure { name, left, right }| match left == right {
        true => format!("{} {}", name.replace('_', " "), said(name, *left)),
        false => format!("{} {} → {}", name.replace('_', " "), said(name, *left), said(name, *right)),
    });
    words.collect::<Vec<_>>().join(", ")
}
