//! How many messages a second of real time the engine plays. Run with `cargo bench --profile fast`.

use std::hint::black_box;

use divan::counter::ItemsCount;
use redrive::run::Run;
use redrive::world::World;

fn main() {
    divan::main();
}

const WORK_QUEUE: &str = include_str!("scenarios/work-queue.json");

fn work_queue(crashes: &str) -> Run {
    Run { sets: vec![("workers.crashes".into(), crashes.into())], ..Run::of_document("work-queue", WORK_QUEUE) }
}

/// Plays a run to its end, messages counted.
fn bench(bencher: divan::Bencher, run: &Run) {
    let scenario = run.scenario().unwrap_or_else(|faults| panic!("{faults}"));
    let play = || {
        let mut world = World::new(&scenario);
        world.run_until(scenario.until_us());
        world
    };
    let messages = u64::from(play().observer.ledger.facts());
    bencher.counter(ItemsCount::new(messages)).bench_local(|| black_box(play().trace_hash()));
}

#[divan::bench(sample_count = 5)]
fn work_queue_of_16(bencher: divan::Bencher) {
    bench(bencher, &work_queue("0%"));
}

#[divan::bench(sample_count = 5)]
fn work_queue_of_16_with_crashes(bencher: divan::Bencher) {
    bench(bencher, &work_queue("1%"));
}

#[divan::bench(sample_count = 3)]
fn flash_sale(bencher: divan::Bencher) {
    bench(bencher, &Run::of_library("flash-sale"));
}

#[divan::bench(sample_count = 5)]
fn order_shop(bencher: divan::Bencher) {
    bench(bencher, &Run::of_library("order-shop"));
}
