//! Every failure: what breaks, which alert tells and how soon, which stays silent, what users get, and what the first cure
//! changes. The rows hold what each is about; `golden/failures.txt` holds every figure, and the same failures on the order
//! shop. After a change that is meant to change them: `UPDATE_GOLDEN=1 cargo test --test failures`.

use std::fmt::Write as _;

use redrive::command::{Command, Timed};
use redrive::observe::report::report;
use redrive::run::Run;
use redrive::scenario::failures::{ALL, Failure};
use redrive::sim::time::{clock, spoken};
use redrive::world::World;
use serde_json::Value;

/// What a failure is about, in figures. Users are counted as served, refused, late, never, twice, waiting.
struct Row {
    /// The scenario.
    scenario: &'static str,
    /// The alert that tells: rule, part, and how long after the fault in milliseconds.
    tells: (&'static str, &'static str, Option<u64>),
    /// A rule that stays silent.
    silent: &'static str,
    /// What breaks: a finding in words.
    breaks: &'static str,
    /// What users get.
    broken: [u64; 6],
    /// What they get with the first cure.
    cured: [u64; 6],
}

const ROWS: &[Row] = &[
    Row {
        scenario: "poison-message",
        tells: ("consumer-lag", "email", Some(60_100)),
        silent: "error-rate",
        breaks: "Email: a message can never be processed",
        broken: [3_761, 0, 901, 0, 0, 138],
        cured: [4_582, 0, 217, 1, 0, 0],
    },
    Row {
        scenario: "slow-consumers",
        tells: ("consumer-lag", "email", Some(111_600)),
        silent: "error-rate",
        breaks: "Email: up to 2 min behind",
        broken: [4_708, 0, 22_859, 0, 0, 1_163],
        cured: [12_892, 0, 15_834, 0, 0, 4],
    },
    Row {
        scenario: "retention-runs-out",
        tells: ("retention-headroom", "analytics", Some(60_100)),
        silent: "error-rate",
        breaks: "Orders: analytics lost, 2,287 times",
        broken: [7_350, 0, 0, 2_250, 0, 0],
        cured: [9_600, 0, 0, 0, 0, 0],
    },
    Row {
        scenario: "visibility-too-short",
        tells: ("redelivery-rate", "invoicing", None),
        silent: "error-rate",
        breaks: "Invoicing: invoice took effect twice, 24 times",
        broken: [128, 0, 0, 0, 21, 1],
        cured: [147, 0, 0, 0, 0, 3],
    },
    Row {
        scenario: "rebalance-storm",
        tells: ("rebalances", "email", Some(4_100)),
        silent: "error-rate",
        breaks: "Email: partitions given up or lost, 72 times",
        broken: [297, 0, 127, 0, 14, 22],
        cured: [450, 0, 0, 0, 2, 8],
    },
    Row {
        scenario: "hot-partition",
        tells: ("partition-lag", "email", Some(125_000)),
        silent: "error-rate",
        breaks: "Email: up to 71.7 s behind",
        broken: [7_330, 0, 3_531, 0, 0, 689],
        cured: [9_888, 0, 1_623, 0, 0, 39],
    },
    Row {
        scenario: "unwatched-dlq",
        tells: ("error-rate", "email", Some(100)),
        silent: "oldest-message",
        breaks: "Dead letters: 200 dead letters",
        broken: [1_300, 0, 0, 200, 0, 0],
        cured: [1_300, 0, 200, 0, 0, 0],
    },
    Row {
        scenario: "retry-storm",
        tells: ("error-rate", "email", Some(100)),
        silent: "consumer-lag",
        breaks: "Provider: up to 37 calls in line",
        broken: [11_571, 0, 0, 428, 0, 1],
        cured: [11_984, 0, 0, 15, 0, 1],
    },
    Row {
        scenario: "relay-stopped",
        tells: ("outbox-age", "orders-db", Some(30_100)),
        silent: "consumer-lag",
        breaks: "Orders DB: outbox not drained, oldest row up to 119.9 s",
        broken: [2_902, 0, 1_896, 0, 0, 2],
        cured: [4_695, 0, 105, 0, 0, 0],
    },
    Row {
        scenario: "not-idempotent",
        tells: ("process-crashed", "billing", Some(95)),
        silent: "error-rate",
        breaks: "Billing: charge took effect twice, 5 times",
        broken: [1_495, 0, 0, 0, 5, 0],
        cured: [1_500, 0, 0, 0, 0, 0],
    },
    Row {
        scenario: "cluster-down",
        tells: ("outbox-age", "orders-db", Some(30_100)),
        silent: "consumer-lag",
        breaks: "Relay: no broker answers",
        broken: [4_158, 0, 641, 0, 0, 1],
        cured: [4_637, 0, 162, 0, 0, 1],
    },
    Row {
        scenario: "leader-dies",
        tells: ("under-replicated", "orders", Some(9_100)),
        silent: "consumer-lag",
        breaks: "Orders: 4 records gone with their leader",
        broken: [3_596, 0, 0, 4, 0, 0],
        cured: [3_600, 0, 0, 0, 0, 0],
    },
    Row {
        scenario: "network-cut",
        tells: ("oldest-message", "jobs", Some(29_600)),
        silent: "error-rate",
        breaks: "Billing: charge took effect twice, 2 times",
        broken: [712, 0, 244, 0, 2, 2],
        cured: [715, 0, 243, 0, 0, 2],
    },
    Row {
        scenario: "database-down",
        tells: ("error-rate", "checkout", Some(1_100)),
        silent: "outbox-age",
        breaks: "Checkout: 800 users told no",
        broken: [2_799, 800, 0, 0, 0, 1],
        cured: [3_500, 100, 0, 0, 0, 0],
    },
    Row {
        scenario: "dependency-slow",
        tells: ("consumer-lag", "email", Some(65_800)),
        silent: "error-rate",
        breaks: "email: 11,396 late",
        broken: [18_597, 0, 11_396, 0, 0, 7],
        cured: [22_493, 0, 7_500, 0, 0, 7],
    },
    Row {
        scenario: "lost-ack",
        tells: ("redelivery-rate", "billing", Some(20_100)),
        silent: "error-rate",
        breaks: "Billing: 3 acknowledgements lost",
        broken: [57, 0, 0, 0, 3, 0],
        cured: [60, 0, 0, 0, 0, 0],
    },
    Row {
        scenario: "deploy-everything",
        tells: ("error-rate", "checkout", Some(100)),
        silent: "redelivery-rate",
        breaks: "Email: email lost, 8 times",
        broken: [2_308, 80, 0, 8, 0, 4],
        cured: [2_316, 80, 0, 0, 0, 4],
    },
];

/// The failures on the order shop at a tenth of its traffic: settings, and what is done to it.
const SHOP: &[(&str, &[&str], &[&str])] = &[
    ("Poison message", &[], &["30s poison orders"]),
    ("Consumers slower than producers", &["email.concurrency=10"], &["30s burst shoppers 5x for 60s"]),
    (
        "Retention runs out first",
        &["orders.retention=20s", "orders.segment=100"],
        &["30s pause analytics", "75s resume analytics"],
    ),
    ("Rebalance storm", &["email.rolling=5s", "email.heartbeat_interval=3s"], &["30s deploy email"]),
    // A log hides nothing: what a visibility timeout is to a queue, the poll interval is to its groups.
    (
        "Poll interval below processing time",
        &["email.poll_interval=1s", "email.idempotent=false", "email-provider.idempotency_key=false"],
        &["30s slow email-provider 40x", "75s mend email-provider"],
    ),
    ("Hot partition", &["email.concurrency=3"], &["30s set shoppers.hot_key=30%"]),
    ("Unwatched dead-letter queue", &["email-dlq.watched=false"], &["30s fail email-provider 100%", "60s mend email-provider"]),
    ("Retry storm", &["email.backoff=none"], &["30s fail email-provider 80%", "60s mend email-provider"]),
    ("Relay stopped", &[], &["30s break relay", "75s mend relay"]),
    ("Change reader stopped", &["relay.reads=cdc", "orders-db.other_writes=40000/s"], &["30s break relay", "75s mend relay"]),
    (
        "Consumer that is not idempotent",
        &["email.idempotent=false", "email-provider.idempotency_key=false"],
        &["30s crash email at worked"],
    ),
    ("Cluster down", &[], &["30s break orders", "75s mend orders"]),
    ("Leader dies", &["orders.replicas=3", "orders.acks=leader", "orders.replicate=300ms"], &["30s crash orders"]),
    ("Network cut", &[], &["30s cut relay orders", "75s mend orders"]),
    ("Database down", &[], &["30s break orders-db", "60s mend orders-db"]),
    ("Dependency slow", &["email.concurrency=10"], &["30s slow email-provider 40x", "75s mend email-provider"]),
    ("Dependency failing", &[], &["30s fail email-provider 100%", "60s mend email-provider"]),
    ("Lost acknowledgement", &["email.idempotent=false", "email-provider.idempotency_key=false"], &["30s lose-acks email 5"]),
    (
        "Deploy restarts everything",
        &[],
        &["30s deploy checkout", "30s deploy relay", "30s deploy email", "30s deploy inventory", "30s deploy analytics"],
    ),
];

fn play(run: &Run) -> World {
    let scenario = run.scenario().unwrap_or_else(|faults| panic!("{faults}"));
    let mut world = World::new(&scenario);
    world.run_until(scenario.until_us());
    assert_eq!(world.audit(), Ok(()));
    world
}

/// The run of a failure as it is, or with its first cure.
fn run_of(failure: &Failure, cured: bool) -> Run {
    let mut run = Run::of_library(failure.scenario);
    if cured {
        let scenario = run.scenario().expect("it ships");
        let cure = scenario.cures.first().unwrap_or_else(|| panic!("{} has no cure", failure.scenario));
        run.commands = cure.commands.iter().map(|command| Timed { at_us: failure.cure_us, command: command.clone() }).collect();
    }
    run
}

fn users(report: &Value) -> [u64; 6] {
    ["served", "refused", "late", "never", "twice", "waiting"].map(|name| report["users"][name].as_u64().expect("a count"))
}

/// Everything that a run shows, as lines.
fn told(out: &mut String, name: &str, world: &World) {
    let (panels, report) = (world.panels(), report(world));
    let [served, refused, late, never, twice, waiting] = users(&report);
    let _ = writeln!(out, "  {name}");
    let _ = writeln!(
        out,
        "    users   {served} served, {refused} refused, {late} late, {never} never, {twice} twice, {waiting} waiting"
    );
    for effect in &panels.effects {
        let _ = writeln!(
            out,
            "    effect  {}: {} once, {} twice, {} lost, {} pending, {} dead, {} late, {} skipped",
            effect.name, effect.once, effect.twice, effect.lost, effect.pending, effect.dead, effect.late, effect.skipped
        );
    }
    for finding in &panels.findings {
        let _ = writeln!(out, "    breaks  {} {} ({})", clock(finding.at_us), finding.text, finding.count);
    }
    for alert in &panels.alerts {
        let Some(at_us) = alert.at_us else {
            let _ = writeln!(out, "    silent  {}: {}", alert.text, alert.why);
            continue;
        };
        let after = alert.after_us.map(|us| format!(", {} after the fault", spoken(us))).unwrap_or_default();
        let cleared = alert.cleared_us.map(|us| format!(", until {}", clock(us))).unwrap_or_default();
        let _ = writeln!(out, "    alert   {} {}{after}{cleared}", clock(at_us), alert.text);
    }
}

/// The run with each choice of its switches that is not the usual one.
fn choices(failure: &Failure) -> Vec<(String, Run)> {
    let scenario = Run::of_library(failure.scenario).scenario().expect("it ships");
    let others = scenario.switches.iter().flat_map(|(name, switch)| {
        switch.choices.iter().filter(|(word, _)| *word != switch.value).map(move |(word, _)| (name.clone(), word.clone()))
    });
    let run = |(name, word): (String, String)| {
        let place = format!("lab.{name}");
        (format!("{name}: {word}"), Run { sets: vec![(place, word)], ..Run::of_library(failure.scenario) })
    };
    others.map(run).collect()
}

fn shop_run(sets: &[&str], commands: &[&str]) -> Run {
    let pair = |text: &&str| text.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())).expect("PLACE=VALUE");
    Run {
        sets: sets.iter().chain(&["shoppers.rate=200/s"]).map(pair).collect(),
        commands: commands.iter().map(|text| Timed::parse(text).expect("a command")).collect(),
        until_us: Some(120_000_000),
        ..Run::of_library("order-shop")
    }
}

#[test]
fn every_figure_is_the_one_written_down() {
    let mut out = String::new();
    for failure in ALL {
        let _ = writeln!(out, "{} · {}", failure.title, failure.scenario);
        told(&mut out, "as it is", &play(&run_of(&failure, false)));
        told(&mut out, &format!("first cure at {}", clock(failure.cure_us)), &play(&run_of(&failure, true)));
        for (name, run) in choices(&failure) {
            told(&mut out, &name, &play(&run));
        }
    }
    for (title, sets, commands) in SHOP {
        let _ = writeln!(out, "{title} · order-shop {} {}", sets.join(" "), commands.join(", "));
        told(&mut out, "as it is", &play(&shop_run(sets, commands)));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/failures.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &out).expect("the file can be written");
    }
    let expect = std::fs::read_to_string(path).expect("the file is part of the project");
    for (line, (found, expect)) in out.lines().zip(expect.lines()).enumerate() {
        assert_eq!(found, expect, "golden/failures.txt, line {}", line + 1);
    }
    assert_eq!(out.lines().count(), expect.lines().count());
}

#[test]
fn each_failure_is_told_by_one_rule_and_not_by_another_and_its_cure_helps() {
    assert_eq!(ROWS.iter().map(|row| row.scenario).collect::<Vec<_>>(), ALL.map(|failure| failure.scenario));
    for (row, failure) in ROWS.iter().zip(ALL) {
        let (broken, cured) = (play(&run_of(&failure, false)), play(&run_of(&failure, true)));
        let (panels, said) = (broken.panels(), report(&broken));
        let (rule, part, after_ms) = row.tells;
        let fired =
            said["alerts"].as_array().expect("a list").iter().find(|alert| alert["rule"] == rule && alert["part"] == part);
        let fired = fired.unwrap_or_else(|| panic!("{}: {rule} is silent", row.scenario));
        assert_eq!(fired["after_us"].as_u64().map(|us| us / 1_000), after_ms, "{}", row.scenario);
        assert!(
            said["silent"].as_array().expect("a list").contains(&Value::from(row.silent)),
            "{}: {}",
            row.scenario,
            row.silent
        );
        assert!(panels.alerts.iter().all(|alert| alert.at_us.is_some() || !alert.why.is_empty()), "{}", row.scenario);
        assert!(panels.findings.iter().any(|finding| finding.text == row.breaks), "{}: {:#?}", row.scenario, panels.findings);
        assert_eq!(users(&said), row.broken, "{} as it is", row.scenario);
        let well = users(&report(&cured));
        assert_eq!(well, row.cured, "{} cured", row.scenario);
        // Refused, late, never and twice.
        let harm = |users: [u64; 6]| users[1..5].iter().sum::<u64>();
        assert!(harm(well) < harm(row.broken) || well[3] < row.broken[3], "{}: its cure does not help", row.scenario);
    }
}

#[test]
fn every_failure_stands_under_how_it_fails_and_may_be_cured_at_any_moment() {
    for failure in ALL {
        let scenario = Run::of_library(failure.scenario).scenario().expect("it ships");
        assert_eq!(scenario.group, "How it fails", "{}", failure.scenario);
        // What a cure does is a command, so it takes effect whenever it is given.
        for cure in &scenario.cures {
            let texts: Vec<String> = cure.commands.iter().map(ToString::to_string).collect();
            assert!(texts.iter().all(|text| Command::parse(text).is_ok()), "{}", cure.title);
            let mut run = Run::of_library(failure.scenario);
            let at_us = scenario.until_us() / 2;
            run.commands = cure.commands.iter().map(|command| Timed { at_us, command: command.clone() }).collect();
            play(&run);
        }
    }
}
