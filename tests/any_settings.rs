//! Whatever a scenario's parts are set to and however they are broken: the run ends, its books balance after every event (a
//! debug build checks that itself), and going back shows what was there.

mod random;

use proptest::prelude::*;
use proptest::sample::Index;
use random::{UNTIL_US, break_at, slow_run};
use redrive::command::Command;
use redrive::run::Run;
use redrive::scenario::setting::{Form, Spec};
use redrive::timeline::{Progress, Timeline};
use redrive::world::World;

/// A debug build checks every event; a run that has more goes on as it began.
const MOST_EVENTS: u64 = 60_000;
/// A run that does so much without time passing will never end.
const MOST_AT_ONCE: u64 = 30_000;

/// What a setting may be tried with; empty where a value needs more than its table says.
fn values(row: &Spec) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut tried = match row.form {
        Form::Duration => words(&["0s", "1ms", "100ms", "1s", "7s", "30s", "2m", "1h"]),
        Form::Latency => words(&["0s", "20ms", "5ms..3s", "exp 50ms", "p50 20ms p99 1.5s"]),
        Form::Count => words(&["0", "1", "2", "3", "5", "10", "40", "1000"]),
        Form::Share => words(&["0%", "5%", "60%", "100%"]),
        Form::Rate => words(&["0/s", "1/s", "20/s"]),
        Form::Flag => words(&["true", "false"]),
        Form::Choice => row.range.split('|').map(str::to_owned).collect(),
        Form::Part | Form::Steps | Form::Messages | Form::Bindings | Form::Text => Vec::new(),
    };
    // The lowest value is where most goes wrong.
    tried.extend(row.range.split_once("..=").map(|(low, _)| low.to_owned()));
    tried
}

/// A run of some scenario, slowed down so that a debug build can check every event, set and broken at random.
fn any_run() -> impl Strategy<Value = Run> {
    let sets = prop::collection::vec((any::<Index>(), any::<Index>(), any::<Index>()), 1..8);
    let faults = prop::collection::vec((0..UNTIL_US, any::<Index>()), 0..6);
    (any::<Index>(), any::<u64>(), sets, faults).prop_map(|(which, seed, sets, faults)| {
        let (mut run, plain) = slow_run(which, seed);
        for (part, row, value) in sets {
            let (id, spec) = plain.parts.get_index(part.index(plain.parts.len())).expect("a part");
            let table = spec.kind.table();
            let row = &table[row.index(table.len())];
            let values = values(row);
            if !values.is_empty() {
                run.sets.push((format!("{id}.{}", row.name), values[value.index(values.len())].clone()));
                // What is refused, and said so, is not tried.
                if run.scenario().is_err() {
                    run.sets.pop();
                }
            }
        }
        break_at(&mut run, faults);
        run
    })
}

#[test]
fn what_is_offered_can_be_done_at_the_ends_of_a_setting_too() {
    for workers in ["0", "1", "1000"] {
        let mut run = Run::of_library("work-queue-crash");
        run.sets.push(("workers.workers".into(), workers.into()));
        let world = World::new(&run.scenario().expect("a good run"));
        let offers = (0..world.scenario().parts.len() as u16).filter_map(|part| world.inspect(part)).flat_map(|part| part.offers);
        for offer in offers {
            assert!(Command::parse(&offer.command).is_ok(), "{workers}: {offer:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_books_balance_and_time_goes_on(run in any_run(), back in 0..UNTIL_US) {
        let mut world = World::new(&run.scenario().expect("a good run"));
        let (mut at_us, mut events) = (0, 0);
        while world.run(UNTIL_US, 1_000) == Progress::More && world.events() < MOST_EVENTS {
            if world.now_us() > at_us {
                (at_us, events) = (world.now_us(), world.events());
            }
            prop_assert!(world.events() - events < MOST_AT_ONCE, "it never ends at {at_us} us: {run:?}");
        }
        prop_assert_eq!(world.audit(), Ok(()));
        if world.events() < MOST_EVENTS {
            let mut timeline = Timeline::open(&run).expect("a good run");
            for to_us in [UNTIL_US, back] {
                while timeline.travel(to_us, 7_000) == Progress::More {}
            }
            let mut there = World::new(&run.scenario().expect("a good run"));
            there.run_until(back);
            prop_assert_eq!(timeline.trace_hash(), there.trace_hash(), "at {} us", back);
            prop_assert_eq!(timeline.panels(), there.panels());
        }
    }
}
