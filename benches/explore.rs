//! How long it takes to try a thousand crashes. Run with `cargo bench --profile fast --bench explore`.

use std::hint::black_box;

use divan::counter::ItemsCount;
use redrive::explore::{Explorer, Plan};
use redrive::run::Run;

fn main() {
    divan::main();
}

/// Ten seconds: an outbox, a relay, a log and three readers, forty orders a second.
const SMALL: &str = include_str!("scenarios/outbox.json");

#[divan::bench(sample_count = 5)]
fn thousand_crashes_of_ten_seconds(bencher: divan::Bencher) {
    let run = Run::of_document("outbox", SMALL);
    let explore = || {
        let plan = Plan { most: Some(1_000), ..Plan::default() };
        Explorer::new(&run, plan).unwrap_or_else(|faults| panic!("{faults}")).finish()
    };
    bencher.counter(ItemsCount::new(explore().tried)).bench_local(|| black_box(explore().outcomes));
}
