//! What is found is in the run: a backlog where more comes in than goes out, and none where nobody is behind.

use redrive::command::Timed;
use redrive::run::Run;
use redrive::view::UserLevel;
use redrive::world::World;

fn found(workers: &str) -> Vec<String> {
    let document = r#"{"redrive": 1, "title": "A queue", "until": "60s", "parts": {
        "source": {"kind": "producer", "to": "jobs", "rate": "10/s"},
        "jobs": {"kind": "queue", "title": "Jobs"},
        "workers": {"kind": "worker", "from": "jobs", "work": "200ms"}
    }}"#;
    let run = Run { sets: vec![("workers.workers".into(), workers.into())], ..Run::of_document("queue", document) };
    let scenario = run.scenario().unwrap_or_else(|faults| panic!("{faults}"));
    let mut world = World::new(&scenario);
    world.run_until(scenario.until_us());
    world.panels().findings.into_iter().map(|finding| finding.text).collect()
}

#[test]
fn a_growing_backlog_is_found_and_only_then() {
    let behind = found("1");
    assert!(behind.iter().any(|text| text.starts_with("Jobs: oldest message up to")), "{behind:?}");
    assert_eq!(found("3"), Vec::<String>::new());
}

#[test]
fn the_newest_users_are_shown_after_a_long_quiet_time_too() {
    let document = r#"{"redrive": 1, "title": "A quiet queue", "until": "10m", "parts": {
        "source": {"kind": "producer", "to": "jobs", "messages": ["m1", "m2", "m3"]},
        "jobs": {"kind": "queue"},
        "workers": {"kind": "worker", "from": "jobs", "work": "200ms"}
    }}"#;
    let scenario = Run::of_document("quiet", document).scenario().unwrap_or_else(|faults| panic!("{faults}"));
    let mut world = World::new(&scenario);
    world.run_until(scenario.until_us());
    let users = world.panels().users;
    assert_eq!((users.newest, users.one_of), (vec![UserLevel::AsPromised; 3], 1));
}

#[test]
fn a_cut_ends_with_a_mend_at_either_end() {
    for mend in ["mend jobs", "mend billing"] {
        let mut run = Run::of_library("network-cut");
        run.sets.push(("lab.planned".into(), "no".into()));
        run.commands =
            ["30s cut billing jobs", &["90s ", mend].concat()].map(|text| Timed::parse(text).expect("a command")).to_vec();
        let mut world = World::new(&run.scenario().expect("a good run"));
        world.run_until(100_000_000);
        let spans: Vec<_> = world.panels().spans.into_iter().map(|span| (span.title, span.from_us, span.to_us)).collect();
        assert_eq!(spans, [("Billing cut from jobs".to_owned(), 30_000_000, Some(90_000_000))], "{mend}");
    }
}
