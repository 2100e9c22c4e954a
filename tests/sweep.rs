//! One setting against one figure, over many seeds.

use redrive::explore::{Sweep, Swept};
use redrive::run::Run;
use redrive::timeline::Progress;
use redrive::world::World;

fn swept(run: &Run, vary: &str, measure: &str, seeds: u64) -> Swept {
    Sweep::new(run, vary, measure, seeds).unwrap_or_else(|faults| panic!("{faults}")).finish()
}

/// Values and medians.
fn medians(found: &Swept) -> Vec<(&str, u64)> {
    found.points.iter().map(|point| (point.value.as_str(), point.median)).collect()
}

#[test]
fn a_short_visibility_timeout_makes_duplicates() {
    let found = swept(&Run::of_library("visibility-too-short"), "jobs.visibility_timeout=5s..30s/6", "facts.twice", 5);
    let expect = [("5s", 47), ("10s", 9), ("15s", 2), ("20s", 1), ("25s", 0), ("30s", 0)];
    assert_eq!(medians(&found), expect);
    let figures: Vec<[u64; 5]> =
        found.points.iter().map(|point| [point.min, point.q1, point.median, point.q3, point.max]).collect();
    assert_eq!(figures[..3], [[40, 45, 47, 48, 51], [7, 9, 9, 11, 21], [1, 2, 2, 3, 7]]);
    for point in &found.points {
        assert_eq!(point.runs.iter().map(|run| run.seed).collect::<Vec<_>>(), [7, 8, 9, 10, 11]);
    }
    // Every figure can be looked at: its link is the run that made it.
    let run = &found.points[0].runs[2];
    let linked = Run::from_link(run.link.strip_prefix("#/run/").expect("an address")).expect("a sound link");
    let scenario = linked.scenario().expect("a sound run");
    let mut world = World::new(&scenario);
    world.run_until(scenario.until_us());
    assert_eq!((scenario.seed, world.observer.ledger.counts(0).twice), (9, run.value));
}

#[test]
fn more_partitions_keep_more_members_busy() {
    let text = r#"{
      "redrive": 1, "until": "30s",
      "parts": {
        "orders": { "kind": "producer", "to": "events", "rate": "40/s", "limit": 800, "keys": 1000 },
        "events": { "kind": "log", "partitions": 1 },
        "readers": { "kind": "worker", "from": "events", "workers": 4, "batch": 1, "work": "50ms" }
      }
    }"#;
    let found = swept(&Run::of_document("mine", text), "events.partitions=1,2,4,8", "parts.readers.lag(max)", 3);
    let lags: Vec<u64> = found.points.iter().map(|point| point.median).collect();
    // One reader does 20 a second: of 800 that come in 20 s half wait.
    assert_eq!(lags, [401, 36, 5, 5]);
}

#[test]
fn jitter_flattens_the_peak() {
    let text = r#"{
      "redrive": 1, "until": "30s", "sample": "10ms",
      "parts": {
        "orders": { "kind": "producer", "to": "jobs", "rate": "10000/s", "limit": 100 },
        "jobs": { "kind": "queue", "visibility_timeout": "1m" },
        "workers": { "kind": "worker", "from": "jobs", "workers": 100, "work": "1ms", "calls": "provider", "attempts": 20,
                     "backoff": "fixed", "backoff_first": "4s", "backoff_max": "4s" },
        "provider": { "kind": "dependency", "latency": "100ms", "effect": "mail" }
      },
      "breaks": ["0s break provider", "1s mend provider"]
    }"#;
    let found = swept(&Run::of_document("mine", text), "workers.jitter=true,false", "parts.provider.in_flight(max)", 3);
    // All hundred calls get no answer at the same moment. Without jitter they are tried again at the same moment, too.
    assert_eq!(medians(&found), [("true", 11), ("false", 100)]);
}

#[test]
fn a_switch_can_be_varied_and_portions_change_nothing() {
    let run = Run::of_library("ack-order");
    let whole = swept(&run, "lab.order=work-then-ack,ack-then-work", "facts.by_effect.charge.twice", 2);
    assert_eq!(medians(&whole), [("work-then-ack", 1), ("ack-then-work", 0)]);
    let mut sweep =
        Sweep::new(&run, "lab.order=work-then-ack,ack-then-work", "facts.by_effect.charge.twice", 2).expect("it ships");
    let mut seen = Vec::new();
    while sweep.step(10) == Progress::More {
        seen.push(sweep.progress());
    }
    assert_eq!((sweep.result(), sweep.progress()), (&whole, (4, 4)));
    assert!(seen.is_sorted() && seen.contains(&(2, 4)), "{seen:?}");
}

#[test]
fn what_does_not_exist_is_said_with_what_does() {
    let check = |vary: &str, measure: &str, expect: &str| {
        let faults = Sweep::new(&Run::of_library("ack-order"), vary, measure, 1).expect_err(vary).to_string();
        // What exists may be a long list: its end names the nearest.
        assert!(
            faults == expect
                || expect.split_once(" … ").is_some_and(|(start, end)| faults.starts_with(start) && faults.ends_with(end)),
            "{faults}"
        );
    };
    let (vary, measure) = ("jobs.visibility_timeout=5s..60s/12", "facts.twice");
    check(
        "jobs.visiblity_timeout=5s..60s/12",
        measure,
        "set jobs.visiblity_timeout: `visiblity_timeout` is not a setting of a queue; allowed: … nearest: visibility_timeout",
    );
    check(
        "jobs.visibility_timeout=5..60/12",
        measure,
        "vary: `5` has no unit: write it with us, ms, s, m, h or d, like `5s`; allowed: PART.SETTING=A..B/POINTS, like jobs.visibility_timeout=5s..60s/12, or PART.SETTING=v1,v2,…",
    );
    check(
        "charger.order=a..b/3",
        measure,
        "vary: this setting has no numbers to go through: name its values; allowed: PART.SETTING=A..B/POINTS, like jobs.visibility_timeout=5s..60s/12, or PART.SETTING=v1,v2,…",
    );
    check(
        "jobs.visibility_timeout=5s..60s/1",
        measure,
        "vary: 1 points are no range: 2 to 200 are; allowed: PART.SETTING=A..B/POINTS, like jobs.visibility_timeout=5s..60s/12, or PART.SETTING=v1,v2,…",
    );
    check(
        vary,
        "facts.twise",
        "measure: there is no `twise` in `facts.twise`; allowed: total, once, lost, twice, pending, skipped, dead, late, out_of_order, by_effect; nearest: twice",
    );
    check(
        vary,
        "parts.job.ready",
        "measure: there is no `job` in `parts.job.ready`; allowed: orders, jobs, charger; nearest: jobs",
    );
    check(
        vary,
        "parts.jobs",
        "measure: `parts.jobs` is not yet a figure; allowed: parts.jobs.NAME: ready, hidden, delayed, oldest_us, redelivered_per_s",
    );
    check(
        vary,
        "parts.jobs.ready(man)",
        "measure: `man` is nothing that can be made of samples; allowed: max, min, mean; nearest: max",
    );
    check(
        vary,
        "facts.twice(max)",
        "measure: `(max)` is for gauges: `facts.twice(max)` has no samples; allowed: a figure of the report, like facts.twice, facts.by_effect.EFFECT.lost, users.p99_us, parts.PART.GAUGE or parts.PART.GAUGE(max)",
    );
}
