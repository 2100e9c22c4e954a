//! `redrive run --messages`: which messages were lost, twice, late, and when and where.

use std::io::Write;

use redrive::observe::lists::Which;
use redrive::observe::words::Names;
use redrive::sim::time::{clock, grouped};
use redrive::view::MessageRow;
use redrive::world::World;
use serde_json::{Value, json};

use crate::Failure;
use crate::args::Args;

/// How many are listed unless `--most` says so.
const MOST: usize = 200;

/// The first messages of a list, and whether there are more.
fn listed(world: &World, which: &Which, most: usize) -> (Vec<MessageRow>, bool) {
    let mut rows = Vec::new();
    let mut from = Some(0);
    // One more than is shown tells whether there are more.
    while let Some(position) = from.filter(|_| rows.len() <= most) {
        let page = world.messages(which, position, most + 1 - rows.len(), u32::MAX);
        rows.extend(page.rows);
        from = page.next;
    }
    let more = rows.len() > most;
    rows.truncate(most);
    (rows, more)
}

fn most(args: &Args) -> usize {
    args.plan.most.map_or(MOST, |most| most as usize)
}

/// The lists, for people.
pub fn write(out: &mut impl Write, args: &Args, world: &World) -> Result<(), Failure> {
    let names = Names::new(world);
    for (word, which) in &args.messages {
        let (rows, more) = listed(world, which, most(args));
        let says = if rows.is_empty() { "none" } else { "in the order in which they came" };
        writeln!(out, "\nmessages {word}: {says}")?;
        for row in &rows {
            let at = row.at_us.map_or_else(String::new, |at_us| format!(", at {}", clock(at_us)));
            let part = row.part.map_or_else(String::new, |part| format!(" in {}", names.part(part)));
            writeln!(out, "  {}  key {}  came {}  {}{at}{part}", row.id, row.key, clock(row.born_us), row.what)?;
        }
        if more {
            writeln!(out, "  the first {}; --most N shows more", grouped(rows.len() as u64))?;
        }
    }
    Ok(())
}

/// The lists, for programs: an object a list.
pub fn as_json(args: &Args, world: &World) -> Value {
    let parts = &world.scenario().parts;
    let lists = args.messages.iter().map(|(word, which)| {
        let (rows, more) = listed(world, which, most(args));
        let rows = rows.iter().map(|row| {
            let part = row.part.and_then(|part| parts.get_index(usize::from(part))).map(|(id, _)| id);
            json!({
                "id": row.id, "key": row.key, "born_us": row.born_us, "what": row.what, "at_us": row.at_us, "part": part,
            })
        });
        (word.clone(), json!({ "rows": rows.collect::<Vec<Value>>(), "more": more }))
    });
    Value::Object(lists.collect())
}
