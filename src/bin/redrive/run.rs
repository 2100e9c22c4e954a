//! `redrive run`: plays a run to its end and says what came of it.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use redrive::observe::record::{NO_FACT, Record};
use redrive::observe::report::report;
use redrive::observe::words::Names;
use redrive::sim::time::clock;
use redrive::timeline::Progress;
use redrive::world::World;
use serde_json::json;

use crate::Failure;
use crate::args::Args;
use crate::library::asked;
use crate::{messages, summary};

/// Events between two looks at what was captured: few enough to keep the records in memory, enough to be fast.
const STRETCH: u64 = 20_000;

/// Runs, and writes the story, the trace, and the report or its summary.
pub fn run(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let scenario = asked(args)?.scenario()?;
    let mut trace = args.trace.as_ref().map(|path| create(path)).transpose()?;
    let mut world = World::new(&scenario);
    if trace.is_some() || args.story {
        world.observer.capture();
    }
    loop {
        let progress = world.run(scenario.until_us(), STRETCH);
        for record in world.observer.take_captured() {
            let names = Names::new(&world);
            if let Some(trace) = &mut trace {
                write_record(trace, &names, &world, &record)?;
            }
            if args.story {
                let line = format!("{}  {}", clock(record.at_us), names.sentence(&record));
                // The report has the output to itself when a program reads it.
                if args.json { writeln!(io::stderr(), "{line}")? } else { writeln!(out, "{line}")? }
            }
        }
        if progress == Progress::Done {
            break;
        }
    }
    if let Some(mut trace) = trace {
        trace.flush()?;
    }
    let mut report = report(&world);
    if args.json {
        if !args.messages.is_empty() {
            report["messages"] = messages::as_json(args, &world);
        }
        serde_json::to_writer_pretty(&mut *out, &report)?;
        return Ok(writeln!(out)?);
    }
    if args.story {
        writeln!(out)?;
    }
    summary::write(out, &scenario, &report)?;
    messages::write(out, args, &world)
}

fn create(path: &str) -> Result<BufWriter<File>, Failure> {
    let file = File::create(path).map_err(|error| io::Error::new(error.kind(), format!("{path} cannot be written: {error}")))?;
    Ok(BufWriter::new(file))
}

/// One line of `--trace`: what happened, with names instead of numbers, and in words.
fn write_record(trace: &mut impl Write, names: &Names<'_>, world: &World, record: &Record) -> Result<(), Failure> {
    let effects: Vec<&str> = (0..8).filter(|bit| record.effects & 1 << bit != 0).map(|bit| names.effect(bit)).collect();
    let id = world.scenario().parts.get_index(usize::from(record.part)).map(|(id, _)| id.as_str());
    let line = json!({
        "at_us": record.at_us,
        "what": dashed(&format!("{:?}", record.kind)),
        "part": id,
        "fact": (record.fact != NO_FACT).then(|| names.fact(record.fact)),
        "effects": effects,
        "extra": record.extra,
        "text": names.sentence(record),
    });
    serde_json::to_writer(&mut *trace, &line)?;
    Ok(writeln!(trace)?)
}

/// `RowAdded` as `row-added`.
fn dashed(name: &str) -> String {
    let mut out = String::new();
    for (index, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && index > 0 {
            out.push('-');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_records_are_words() {
        assert_eq!(super::dashed("RowAdded"), "row-added");
        assert_eq!(super::dashed("Born"), "born");
    }
}
