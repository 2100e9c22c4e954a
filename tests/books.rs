//! The books add up at any moment of any run, and a row's list has just as many messages as the row says.

use proptest::prelude::*;
use redrive::observe::lists::Which;
use redrive::run::Run;
use redrive::scenario::{Kind, library};
use redrive::sim::PerSecond;
use redrive::timeline::{Progress, Timeline};

const UNTIL_US: u64 = 90_000_000;

fn slow(id: &str, seed: u64) -> Run {
    let mut run = Run::of_library(id);
    run.seed = Some(seed);
    for (part, spec) in &run.scenario().expect("it ships").parts {
        if let Kind::Producer(settings) = &spec.kind
            && settings.rate > PerSecond::whole(25)
        {
            run.sets.push((format!("{part}.rate"), "25/s".into()));
        }
    }
    run
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_add_up_to_the_total(which in any::<prop::sample::Index>(), seed in any::<u64>(), moments in prop::collection::vec(0..UNTIL_US, 1..4)) {
        let ids: Vec<&str> = library::ids().collect();
        let id = ids[which.index(ids.len())];
        let mut timeline = Timeline::open(&slow(id, seed)).expect("it ships");
        for at_us in moments {
            while timeline.travel(at_us, 100_000) == Progress::More {}
            let books = timeline.panels().books;
            prop_assert_eq!(books.rows.iter().map(|row| row.count).sum::<u64>(), books.total, "{} at {}", id, at_us);
            for row in &books.rows {
                let list = row.list.as_ref().expect("every row opens a list");
                let (mut listed, mut from) = (0, Some(0));
                while let Some(position) = from {
                    let page = timeline.messages(list, position, 50, 1_000);
                    listed += page.rows.len() as u64;
                    from = page.next;
                }
                // A copy is in one place; a message may have several, and its last decides what became of it.
                let fits = match list {
                    Which::At { .. } => listed == row.count,
                    Which::Ended(_) => (1..=row.count).contains(&listed),
                    _ => listed <= row.count,
                };
                prop_assert!(fits, "{} at {}: {} {}: {}, {} listed", id, at_us, &row.part, &row.what, row.count, listed);
            }
        }
    }
}

#[test]
fn every_kind_of_place_is_named_somewhere() {
    let mut seen = std::collections::BTreeSet::new();
    for id in library::ids() {
        let mut timeline = Timeline::open(&slow(id, 7)).expect("it ships");
        for second in [5, 20, 45, 90] {
            while timeline.travel(second * 1_000_000, 100_000) == Progress::More {}
            seen.extend(timeline.panels().books.rows.into_iter().filter(|row| row.count > 0).map(|row| row.what));
        }
    }
    for what in ["ready", "in a worker's hands, hidden", "dead letters", "in the outbox, unsent", "requests under way"] {
        assert!(seen.contains(what), "{what} in {seen:?}");
    }
    assert!(seen.iter().any(|what| what.starts_with("not yet read by ")), "{seen:?}");
    assert!(seen.contains("handed on to the next part") && seen.contains("committed past by its group"), "{seen:?}");
}
