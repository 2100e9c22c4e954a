//! Lists of messages: every count has a list that is just as long, whatever the run, page by page or at once.

mod play;

use play::play;
use redrive::observe::ledger::{EffectCounts, Outcome, Standing};
use redrive::observe::lists::{Fate, Which};
use redrive::run::Run;
use redrive::scenario::{Kind, library};
use redrive::sim::PerSecond;
use redrive::sim::time::clock;
use redrive::timeline::{Progress, Timeline};
use redrive::view::MessageRow;
use redrive::world::World;

const SECOND: u64 = 1_000_000;

/// A list read to its end, in pages of so many rows and looks of so many messages.
fn read(world: &World, which: &Which, rows: usize, looks: u32) -> Vec<MessageRow> {
    let (mut all, mut from) = (Vec::new(), Some(0));
    while let Some(position) = from {
        let page = world.messages(which, position, rows, looks);
        assert!(page.rows.len() <= rows, "{which:?}");
        assert!(page.next.is_none_or(|next| next > position && next - position <= looks), "{which:?} does not get on");
        all.extend(page.rows);
        from = page.next;
    }
    all
}

fn counted(counts: EffectCounts, fate: Fate) -> u64 {
    match fate {
        Fate::Once => counts.once,
        Fate::Twice => counts.twice,
        Fate::Lost => counts.lost,
        Fate::Pending => counts.pending,
        Fate::Dead => counts.dead,
        Fate::Late => counts.late,
        Fate::Skipped => counts.skipped,
        Fate::OutOfOrder => counts.out_of_order,
    }
}

/// A scenario that ships, with so few messages that every event can be checked.
fn slow(id: &str) -> Run {
    let mut run = Run::of_library(id);
    for (part, spec) in &run.scenario().expect("it ships").parts {
        if let Kind::Producer(settings) = &spec.kind
            && settings.rate > PerSecond::whole(25)
        {
            run.sets.push((format!("{part}.rate"), "25/s".into()));
        }
    }
    run
}

#[test]
fn every_count_has_a_list_of_just_so_many() {
    let (mut seen, mut turned) = (std::collections::BTreeSet::new(), 0);
    for id in library::ids() {
        let mut timeline = Timeline::open(&slow(id)).expect("it ships");
        for at_us in [7 * SECOND, 31 * SECOND, 83 * SECOND] {
            while timeline.travel(at_us, 100_000) == Progress::More {}
            let world = timeline.world();
            let ledger = &world.observer.ledger;
            for effect in 0..ledger.effects.len() {
                for (fate, word) in Fate::ALL {
                    let rows = read(world, &Which::Fate(fate, Some(effect as u8)), 200, u32::MAX);
                    let count = counted(ledger.counts(effect), fate);
                    // A repeat is counted each time, and its message stands in the list once.
                    let fits = if fate == Fate::Skipped { (rows.len() as u64) <= count } else { rows.len() as u64 == count };
                    assert!(fits && (rows.is_empty() == (count == 0)), "{id} at {at_us}: {word} {count}, {} listed", rows.len());
                    assert!(rows.is_sorted_by_key(|row| (row.born_us, row.fact)), "{id}: {word} by birth");
                    if !rows.is_empty() {
                        seen.insert(word);
                    }
                    if matches!(fate, Fate::Lost | Fate::Twice | Fate::Dead | Fate::OutOfOrder | Fate::Late) {
                        turned += rows.len();
                        let came = |row: &&MessageRow| fate != Fate::Late || row.what.contains(" once");
                        for row in rows.iter().filter(came) {
                            let when = row.at_us.unwrap_or_else(|| panic!("{id}: when was {} {word}? {}", row.id, row.what));
                            assert!(row.born_us <= when && when <= at_us && row.part.is_some(), "{id}: {row:?}");
                        }
                    }
                }
            }
            for outcome in [Outcome::Served, Outcome::Late, Outcome::Twice, Outcome::Never, Outcome::Refused, Outcome::Waiting] {
                let rows = read(world, &Which::User(outcome), 200, u32::MAX);
                assert_eq!(rows.len() as u64, ledger.with_outcome(outcome), "{id} at {at_us}: {outcome:?}");
                assert!(
                    outcome != Outcome::Refused
                        || rows.iter().all(|row| row.at_us.is_some() && row.what.starts_with("told no: "))
                );
            }
        }
    }
    assert_eq!(seen.len(), Fate::ALL.len(), "every kind of list had something in it: {seen:?}");
    assert!(turned > 100, "{turned}");
}

#[test]
fn pages_make_the_list_whatever_their_size() {
    let played = play("order-shop", &["shoppers.rate=50/s"], &["41s break orders", "86s mend orders"]);
    let late = Which::Fate(Fate::Late, None);
    let whole = read(&played.world, &late, 200, u32::MAX);
    assert!(whole.len() > 400, "{}", whole.len());
    assert_eq!(read(&played.world, &late, 7, 100), whole);
    assert_eq!(read(&played.world, &late, 50, 1), whole);
    let page = played.world.messages(&late, 0, 100_000, u32::MAX);
    assert_eq!(page.rows.len(), 200, "never more than 200 at once");
    assert_eq!(played.world.messages(&late, page.next.expect("more"), 1, u32::MAX).rows[0], whole[200]);
}

#[test]
fn a_lost_message_says_why_when_and_where() {
    let played = play("ack-order", &["lab.kind=queue", "lab.order=ack-then-work"], &[]);
    let world = &played.world;
    let rows = read(world, &Which::Fate(Fate::Lost, None), 200, u32::MAX);
    let [row] = rows.as_slice() else { panic!("m5 alone: {rows:?}") };
    assert_eq!(
        (row.id.as_str(), row.what.as_str()),
        ("m5", "charge lost: acknowledged before the work, and the worker died in between")
    );
    let part = world.scenario().parts.get_index(usize::from(row.part.expect("where"))).expect("a part").0;
    assert_eq!(part, "charger");
    let effect = world.observer.ledger.effects.iter().position(|effect| effect.name == "charge").expect("charge");
    assert!(matches!(world.observer.ledger.standing(row.fact, effect), Standing::Lost(_)));
}

#[test]
fn effects_that_fared_alike_are_told_together() {
    let played = play("order-shop", &["shoppers.rate=20/s"], &["41s break orders"]);
    let page = played.world.messages(&Which::All, 0, 1, 1);
    assert_eq!(page.rows[0].what, "email, stock, analytics once");
    let late = read(&played.world, &Which::Fate(Fate::Late, None), 1, u32::MAX);
    assert!(late[0].what.starts_with("email pending, late: it was due at 01:1"), "{}", late[0].what);
}

#[test]
fn what_came_late_says_when_it_was_due_and_when_it_came() {
    let played = play("order-shop", &["shoppers.rate=20/s"], &["41s break orders", "86s mend orders"]);
    let late = read(&played.world, &Which::Fate(Fate::Late, None), 200, u32::MAX);
    let row = late.iter().find(|row| row.what.contains(" once")).expect("the outbox drained");
    let came = clock(row.at_us.expect("it came"));
    let (due, said) = row.what.split_once(", it came at ").expect("both moments are said");
    assert!(due.starts_with("email once, late: it was due at 01:1"), "{}", row.what);
    assert_eq!(said, came);
    let part = played.world.scenario().parts.get_index(usize::from(row.part.expect("where"))).expect("a part").0;
    assert_eq!(part, "email-provider");
}

#[test]
fn a_message_is_found_by_how_its_id_begins_and_by_its_key() {
    let played = play("order-shop", &["shoppers.rate=20/s"], &[]);
    let ids = |which: &Which| -> Vec<String> { read(&played.world, which, 200, 500).into_iter().map(|row| row.id).collect() };
    let begins = |text: &str| Which::Near { begins: text.into(), key: None };
    let found = ids(&begins("88"));
    assert_eq!(found[..4], ["88", "880", "881", "882"]);
    assert!(found.iter().all(|id| id.starts_with("88")) && found.len() == 11, "{found:?}");
    assert_eq!(ids(&begins("0")), Vec::<String>::new());
    assert_eq!(ids(&begins("eighty")), Vec::<String>::new());
    let key = read(&played.world, &Which::All, 100, u32::MAX)[87].key;
    let same = read(&played.world, &Which::Key(key), 200, u32::MAX);
    assert!(same.iter().any(|row| row.id == "88") && same.iter().all(|row| row.key == key), "{same:?}");
    let near = read(&played.world, &Which::near("88"), 200, u32::MAX);
    assert!(near.iter().all(|row| row.key == 88 || row.id.starts_with("88")), "{near:?}");
    assert!(near.len() >= found.len(), "{near:?}");
    let exact = play("ack-order", &[], &[]);
    let named = read(&exact.world, &begins("m1"), 200, u32::MAX);
    assert_eq!(named.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["m1", "m10"]);
}

/// The stops of a message's path as text: `relay<orders-db`.
fn path(run: &Run, id: &str, at_us: u64) -> (String, Vec<String>) {
    let mut timeline = Timeline::open(run).expect("it ships");
    while timeline.travel(at_us, 100_000) == Progress::More {}
    timeline.watch(timeline.find(id));
    let mut journey = timeline.journey(1_000_000);
    while journey.0 == Progress::More {
        journey = timeline.journey(1_000_000);
    }
    let journey = journey.1.expect("it is watched");
    let part = |part: u16| timeline.scenario().parts.get_index(usize::from(part)).expect("a part").0.as_str();
    let stops = journey.path.iter().map(|stop| [part(stop.part), "<", stop.from.map_or("", part)].concat()).collect();
    (journey.detail, stops)
}

#[test]
fn a_path_tells_where_a_message_has_been_and_along_which_lines() {
    let mut run = Run::of_library("order-shop");
    run.sets.push(("shoppers.rate".into(), "20/s".into()));
    let (detail, stops) = path(&run, "88", 20 * SECOND);
    assert!(detail.starts_with("key ") && detail.contains(" → p"), "{detail}");
    let begins = ["shoppers<", "checkout<shoppers", "orders-db<checkout", "relay<orders-db", "orders<relay"];
    assert_eq!(stops[..5], begins, "{stops:?}");
    for reader in ["email<orders", "inventory<orders", "analytics<orders", "email-provider<email", "warehouse<analytics"] {
        assert!(stops.iter().any(|stop| stop == reader), "{reader} in {stops:?}");
    }
    let (_, stops) = path(&Run::of_library("work-queue-crash"), "m1", 29 * SECOND);
    let (_, later) = path(&Run::of_library("work-queue-crash"), "m1", 31 * SECOND);
    assert!(later.len() > stops.len() && later.starts_with(&stops), "{stops:?} and then {later:?}");
}
