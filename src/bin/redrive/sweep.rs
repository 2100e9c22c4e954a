//! `redrive sweep`: one setting against one figure, over many seeds.

use std::io::Write;

use redrive::explore::{Sweep, Swept, said};
use redrive::scenario::Fault;
use redrive::sim::time::grouped;
use redrive::timeline::Progress;

use crate::Failure;
use crate::args::Args;
use crate::library::asked;
use crate::progress::Watched;

/// Events between two looks at the clock.
const PORTION: u64 = 1_000_000;
/// Seeds, unless another number is asked for.
const SEEDS: u64 = 5;

/// Sweeps, and writes a table, the result as JSON, or a row a value as CSV.
pub fn sweep(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let missing = |name: &str, like: &str| Fault::new("sweep", format!("{name} is missing"), like);
    let vary = args.vary.as_deref().ok_or_else(|| missing("--vary", "--vary PART.SETTING=A..B/POINTS or v1,v2,…"))?;
    let measure = args.measure.as_deref().ok_or_else(|| missing("--measure", "--measure FIGURE, like --measure facts.twice"))?;
    if args.json && args.csv {
        return Err(Fault::new("sweep", "--json and --csv are both asked for", "one of them").into());
    }
    let mut sweep = Sweep::new(&asked(args)?, vary, measure, args.seeds.unwrap_or(SEEDS))?;
    let mut watched = Watched::new();
    while sweep.step(PORTION) == Progress::More {
        watched.say(sweep.progress());
    }
    watched.end();
    let result = sweep.result();
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &result)?;
        return Ok(writeln!(out)?);
    }
    if args.csv { csv(out, result) } else { table(out, result) }
}

/// A text as a field: in quotes where it has a comma or a quote.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn csv(out: &mut impl Write, result: &Swept) -> Result<(), Failure> {
    write!(out, "{},min,q1,median,q3,max", field(&result.vary))?;
    for run in result.points.first().map_or(&[][..], |point| &point.runs) {
        write!(out, ",seed {}", run.seed)?;
    }
    writeln!(out)?;
    for point in &result.points {
        write!(out, "{},{},{},{},{},{}", field(&point.value), point.min, point.q1, point.median, point.q3, point.max)?;
        for run in &point.runs {
            write!(out, ",{}", run.value)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn table(out: &mut impl Write, result: &Swept) -> Result<(), Failure> {
    let seeds = if result.seeds == 1 { "one seed".to_owned() } else { format!("{} seeds", grouped(result.seeds)) };
    writeln!(out, "{} for each {}, {seeds}\n", result.measure, result.vary)?;
    let mut rows = vec![["", "min", "q1", "median", "q3", "max"].map(str::to_owned)];
    for point in &result.points {
        let [min, q1, median, q3, max] =
            [point.min, point.q1, point.median, point.q3, point.max].map(|value| said(&result.measure, value));
        rows.push([point.value.clone(), min, q1, median, q3, max]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    for row in &rows {
        let line: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(out, "{}", line.join("  ").trim_end())?;
    }
    let highest = result.points.iter().flat_map(|point| point.runs.iter().map(move |run| (run.value, &point.value, run)));
    if let Some((value, at, run)) = highest.max_by_key(|(value, ..)| *value) {
        writeln!(out, "\nhighest: {} at {at}, seed {}\n  {}", said(&result.measure, value), run.seed, run.link)?;
    }
    Ok(())
}
