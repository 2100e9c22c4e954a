//! The commands that only look at scenarios: list, check, export, schema.

use std::io::Write;

use redrive::command::Timed;
use redrive::run::{Run, Source};
use redrive::scenario::prometheus::rules_file;
use redrive::scenario::remarks::remarks;
use redrive::scenario::{Fault, Scenario, document, export, library, schema};
use redrive::sim::Micros;
use redrive::world::{KEEP_FIRING_US, World};

use crate::Failure;
use crate::args::{Args, place};
use crate::source;

/// One line a scenario: id, title.
pub fn list(out: &mut impl Write) -> Result<(), Failure> {
    let width = library::ids().map(str::len).max().unwrap_or(0);
    for id in library::ids() {
        let scenario = document::read(id, library::text(id)?, &[])?;
        writeln!(out, "{id:width$}  {}", scenario.title)?;
    }
    Ok(())
}

/// Every fault, in whatever way the switches stand; or a line that says what there is, and what of it does nothing.
pub fn check(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let scenario = match source::find(&args.input)? {
        Source::Library(id) => document::read_every_choice(&id, library::text(&id)?, &args.sets)?,
        Source::Document(id, text) => document::read_every_choice(&id, &text, &args.sets)?,
    };
    let parts = counted(scenario.parts.len(), "part");
    let breaks = counted(scenario.breaks.len(), "planned command");
    let alerts = counted(scenario.alerts.len(), "alert rule");
    writeln!(out, "{} is sound: {parts}, {breaks}, {alerts}", scenario.id)?;
    for remark in remarks(&scenario) {
        writeln!(out, "  {remark}")?;
    }
    Ok(())
}

/// `1 part`, `2 parts`.
fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// The alert rules: the settings of each, what it is in words, and what it is on Prometheus; or all as a rules file.
pub fn alerts(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let scenario = asked(args)?.scenario()?;
    if args.prometheus {
        return Ok(write!(out, "{}", rules_file(&scenario, KEEP_FIRING_US))?);
    }
    for alert in World::new(&scenario).panels().alerts {
        writeln!(out, "{}={}", alert.set, alert.threshold)?;
        writeln!(out, "{}for={}", alert.set.trim_end_matches("above"), alert.hold)?;
        writeln!(out, "    {}\n    {}\n", alert.text, alert.expr)?;
    }
    Ok(())
}

/// The scenario as JSON with every setting spelled out.
pub fn export(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let complete = export::complete(&asked(args)?.scenario()?);
    serde_json::to_writer_pretty(&mut *out, &complete)?;
    Ok(writeln!(out)?)
}

/// The JSON Schema.
pub fn schema(out: &mut impl Write) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, &schema::schema())?;
    Ok(writeln!(out)?)
}

/// A command after the end of the run would say nothing and do nothing.
pub fn in_time(scenario: &Scenario, timed: &Timed) -> Result<(), Fault> {
    let end = scenario.until;
    if timed.at_us <= end.0 {
        return Ok(());
    }
    let wrong = format!("{} is after the end of the run", Micros(timed.at_us));
    Err(Fault::new("do", wrong, format!("up to {end}, or a later --until")))
}

/// The run that the command line asks for, its commands checked and each fault at its place.
pub fn asked(args: &Args) -> Result<Run, Failure> {
    let mut run = Run {
        source: source::find(&args.input)?,
        seed: args.seed,
        until_us: args.until.map(|until| until.0),
        sets: args.sets.clone(),
        commands: Vec::new(),
    };
    let scenario = run.scenario()?;
    let mut faults = Vec::new();
    for (text, timed) in &args.commands {
        match document::check_command(&scenario, &timed.command).and_then(|()| in_time(&scenario, timed)) {
            Ok(()) => run.commands.push(timed.clone()),
            Err(fault) => faults.push(Fault { path: place(text), ..fault }),
        }
    }
    run.commands.sort_by_key(|timed| timed.at_us);
    if faults.is_empty() { Ok(run) } else { Err(redrive::scenario::Faults(faults).into()) }
}
