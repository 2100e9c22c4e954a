//! `redrive explore`: crashes every step there is, one run each, and says what came of it.

use std::io::{self, IsTerminal, Write};

use redrive::explore::{Exploration, Explorer, Outcomes, PropertyKind, Tried};
use redrive::sim::time::{clock, grouped};
use serde_json::{Value, json};

use crate::Failure;
use crate::args::Args;
use crate::library::asked;

/// Explores, and writes the report or its summary.
pub fn explore(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let mut explorer = Explorer::new(&asked(args)?)?;
    let watched = io::stderr().is_terminal();
    while explorer.step() {
        if watched {
            // Someone waits: say how far it is. Lost words are no reason to stop.
            let _ = write!(io::stderr(), "\r{} of {}", explorer.result().tried, explorer.places());
        }
    }
    if watched {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    let result = explorer.result();
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &report(result))?;
        return Ok(writeln!(out)?);
    }
    summary(out, result)
}

/// The text that stands behind the lab's address.
fn fragment(tried: &Tried) -> String {
    format!("#/run/{}", tried.link)
}

fn place(tried: Option<&Tried>) -> Value {
    tried.map_or(
        Value::Null,
        |tried| json!({"at_us": tried.at_us, "part": tried.part, "step": tried.step, "link": fragment(tried)}),
    )
}

/// The object of `--json`.
fn report(result: &Exploration) -> Value {
    let Outcomes { clean, lost, twice, late, out_of_order } = result.outcomes;
    let properties: Vec<Value> = result
        .properties
        .iter()
        .map(|property| {
            json!({
                "name": property.name,
                "kind": kind(property.kind),
                "holds": property.holds,
                "tried": property.tried,
                "counterexample": place(property.counterexample.as_ref()),
            })
        })
        .collect();
    json!({
        "tried": result.tried,
        "outcomes": {"clean": clean, "lost": lost, "twice": twice, "late": late, "out_of_order": out_of_order},
        "properties": properties,
        "worst": place(result.worst.as_ref()),
    })
}

fn kind(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Always => "always",
        PropertyKind::Eventually => "eventually",
    }
}

fn summary(out: &mut impl Write, result: &Exploration) -> Result<(), Failure> {
    let Outcomes { clean, lost, twice, late, out_of_order } = result.outcomes;
    writeln!(out, "{} crashes tried, one a run", grouped(result.tried))?;
    for (name, count) in [("clean", clean), ("lost", lost), ("twice", twice), ("late", late), ("out of order", out_of_order)] {
        writeln!(out, "  {name:12} {}", grouped(count))?;
    }
    for property in &result.properties {
        let verdict = if property.holds { "holds" } else { "BROKEN" };
        writeln!(out, "{verdict:7} {}: {}", kind(property.kind), property.name)?;
        if let Some(tried) = &property.counterexample {
            writeln!(out, "        when {} dies at {}, {}", tried.part, tried.step, clock(tried.at_us))?;
        }
    }
    if let Some(worst) = &result.worst {
        writeln!(out, "worst: {} dies at {}, {}\n  {}", worst.part, worst.step, clock(worst.at_us), fragment(worst))?;
    }
    Ok(())
}
