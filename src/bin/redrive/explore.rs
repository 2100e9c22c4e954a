//! `redrive explore`: a fault at every step there is, one run each, and what came of it.

use std::io::Write;

use redrive::command::CrashStep;
use redrive::explore::{Exploration, Explorer, FaultKind, Outcomes, Plan, PropertyKind, Tried};
use redrive::sim::time::{clock, grouped};
use redrive::timeline::Progress;

use crate::Failure;
use crate::args::Args;
use crate::library::asked;
use crate::progress::Watched;

/// Events between two looks at the clock.
const PORTION: u64 = 1_000_000;

/// Explores, and writes the report or its summary.
pub fn explore(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let mut plan = args.plan.clone();
    if plan.faults.is_empty() {
        plan.faults.push(FaultKind::Crash);
    }
    let mut explorer = Explorer::new(&asked(args)?, plan.clone())?;
    let mut watched = Watched::new();
    while explorer.step(PORTION) == Progress::More {
        watched.say(explorer.progress());
    }
    watched.end();
    let result = explorer.result();
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &result)?;
        return Ok(writeln!(out)?);
    }
    summary(out, result, &plan)
}

/// `Relay dies at published, 00:12.00`.
fn said(step: &str, part: &str, at_us: u64) -> String {
    let at = clock(at_us);
    match step {
        "lost-ack" => format!("an acknowledgement of {part} is lost, {at}"),
        "lost-answer" => format!("a confirmation of {part} is lost, {at}"),
        "none" => format!("nothing goes wrong, {part}, {at}"),
        step if CrashStep::ALL.iter().any(|known| known.word() == step) => format!("{part} dies at {step}, {at}"),
        verb => format!("{verb} {part}, {at}"),
    }
}

fn sentence(tried: &Tried) -> String {
    let first = said(tried.step, &tried.part, tried.at_us);
    match &tried.then {
        Some(then) => format!("{first}, then {}", said(then.step, &then.part, then.at_us)),
        None => first,
    }
}

/// The same for each step that was struck.
fn by_step(out: &mut impl Write, result: &Exploration) -> Result<(), Failure> {
    let width = result.table.iter().map(|row| row.part.len() + row.step.len() + 1).max().unwrap_or(0);
    if !result.table.is_empty() {
        writeln!(out, "  {:width$}  tried  clean   lost  twice   late  out of order", "")?;
    }
    for row in &result.table {
        let Outcomes { clean, lost, twice, late, out_of_order } = row.outcomes;
        let place = format!("{} {}", row.part, row.step);
        writeln!(out, "  {place:width$}  {:5}  {clean:5}  {lost:5}  {twice:5}  {late:5}  {out_of_order:12}", row.tried)?;
    }
    Ok(())
}

fn summary(out: &mut impl Write, result: &Exploration, plan: &Plan) -> Result<(), Failure> {
    let Outcomes { clean, lost, twice, late, out_of_order } = result.outcomes;
    let what = if plan.faults == [FaultKind::Crash] { "crashes" } else { "faults" };
    let a_run = if plan.together > 1 { "one or two a run" } else { "one a run" };
    writeln!(out, "{} {what} tried, {a_run}", grouped(result.tried))?;
    if let Some(all) = result.sampled_of {
        writeln!(out, "  a sample, evenly spread over {}: --most N tries more", grouped(all))?;
    }
    for (name, count) in [("clean", clean), ("lost", lost), ("twice", twice), ("late", late), ("out of order", out_of_order)] {
        writeln!(out, "  {name:12} {}", grouped(count))?;
    }
    by_step(out, result)?;
    for property in &result.properties {
        let kind = match property.kind {
            PropertyKind::Always => "always",
            PropertyKind::Eventually => "eventually",
        };
        match &property.counterexample {
            None => writeln!(out, "holds   {kind}: {}, over {} runs", property.name, grouped(property.tried))?,
            Some(tried) => {
                writeln!(out, "BROKEN  {kind}: {}", property.name)?;
                let as_is = if tried.planned { "as it is, " } else { "" };
                writeln!(out, "        {as_is}when {}", sentence(tried))?;
                if let (Some(shows_us), Some(fact)) = (tried.shows_us, &tried.fact) {
                    writeln!(out, "        it shows at {}, at {fact}", clock(shows_us))?;
                }
                writeln!(out, "        {}", tried.link)?;
            }
        }
    }
    if let Some(worst) = &result.worst {
        writeln!(out, "worst: {}\n  {}", sentence(worst), worst.link)?;
    }
    Ok(())
}
