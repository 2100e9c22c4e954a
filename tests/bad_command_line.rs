//! Every kind of wrong command line, with the whole message: it names the word, says what is wrong, and says what is allowed.

mod refused;

use redrive::scenario::{Kind, library};
use refused::check;

/// The settings of a kind of part, as a fault lists them.
fn settings(kind: &str) -> String {
    let kind = Kind::from_word(kind).expect("a kind");
    kind.table().iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_command_line_that_is_wrong() {
    check(
        &[],
        "",
        "redrive: it is not said what to do; allowed: list, check, run, explore, sweep, compare, alerts, export, schema; --help says more",
    );
    check(
        &["rum", "order-shop"],
        "",
        "redrive: `rum` is not a command; allowed: list, check, run, explore, sweep, compare, alerts, export, schema; nearest: run",
    );
    check(
        &["run"],
        "",
        "run: it is not said which scenario; allowed: a file, - for standard input, or an id that `redrive list` shows",
    );
    check(&["run", "order-shop", "ack-order"], "", "run: `ack-order` is one word too many; allowed: one scenario");
    check(
        &["run", "order-shop", "--sed", "3"],
        "",
        "--sed: `run` has no such option; allowed: --seed, --until, --do, --set, --json, --trace, --story, --messages, --most; nearest: --seed\nrun: `3` is one word too many; allowed: one scenario",
    );
    check(
        &["run", "order-shop", "--seed", "x"],
        "",
        "--seed: `x` is not a whole number from 0 to 18446744073709551615; allowed: a whole number, like --seed 7",
    );
    check(
        &["run", "order-shop", "--until", "90"],
        "",
        "--until: `90` has no unit: write it with us, ms, s, m, h or d, like `90s`; allowed: a duration, like --until 90s",
    );
    check(
        &["run", "order-shop", "--until", "0s"],
        "",
        "--until: `0s` is not between 1us and 365d; allowed: a duration, like --until 90s",
    );
    check(&["run", "order-shop", "--do"], "", "--do: its value is missing; allowed: TIME VERB …, like --do '41s break orders'");
    check(
        &["run", "order-shop", "--do", "41s brake orders"],
        "",
        "--do '41s brake orders': `brake` is not a verb; allowed: break, mend, slow, fail, cut, crash, lose-acks, poison, burst, deploy, scale, pause, resume, redrive, rewind, set; nearest: break",
    );
    check(
        &["run", "order-shop", "--do", "41s break ordres"],
        "",
        "--do '41s break ordres': there is no part `ordres`; allowed: shoppers, checkout, card-issuer, orders-db, relay, orders, email, email-provider, inventory, stock-db, analytics, warehouse, email-dlq; nearest: orders",
    );
    check(
        &["run", "order-shop", "--do", "41 break orders"],
        "",
        "--do '41 break orders': `41` has no unit: write it with us, ms, s, m, h or d, like `41s`; allowed: TIME VERB …, like 41s break orders",
    );
    check(
        &["run", "order-shop", "--do", "41m break orders"],
        "",
        "--do '41m break orders': 41m is after the end of the run; allowed: up to 3m, or a later --until",
    );
    check(
        &["compare", "order-shop", "--until", "30s", "--with", "41s break orders"],
        "",
        "--with '41s break orders': 41s is after the end of the run; allowed: up to 30s, or a later --until",
    );
    check(
        &["run", "order-shop", "--do", "1s set orders.retension=1h"],
        "",
        &format!(
            "--do '1s set orders.retension=1h': `retension` is not a setting of a log; allowed: {}; nearest: retention",
            settings("log")
        ),
    );
    check(
        &["run", "order-shop", "--do", "1s set lab.publishing=outbox"],
        "",
        "--do '1s set lab.publishing=outbox': a switch is chosen before the run, not during it; allowed: --set lab.NAME=CHOICE",
    );
    check(
        &["run", "order-shop", "--do", "1s set orders.partitions=6"],
        "",
        "--do '1s set orders.partitions=6': a log cannot go down to 6 partitions; allowed: 12 or more",
    );
    check(
        &["run", "order-shop", "--set", "orders.retention"],
        "",
        "--set: `orders.retention` has no =; allowed: PART.SETTING=VALUE, like --set orders.retention=1h",
    );
    check(
        &["run", "order-shop", "--set", "orders=1h"],
        "",
        "set orders: `orders` names no setting; allowed: PART.SETTING=VALUE, like orders.retention=1h",
    );
    check(
        &["run", "order-shop", "--set", "ordres.retention=1h"],
        "",
        "set ordres.retention: there is no part `ordres`; allowed: shoppers, checkout, card-issuer, orders-db, relay, orders, email, email-provider, inventory, stock-db, analytics, warehouse, email-dlq; nearest: orders",
    );
    check(
        &["run", "order-shop", "--set", "orders.retension=1h"],
        "",
        &format!("set orders.retension: `retension` is not a setting of a log; allowed: {}; nearest: retention", settings("log")),
    );
    check(
        &["run", "order-shop", "--set", "orders.retention=1y"],
        "",
        "set orders.retention: `1y` is not a duration: write it like 250us, 30ms, 1.5s, 10m, 12h or 7d; allowed: 1s to 365d, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
    );
    check(
        &["run", "order-shop", "--set", "relay.to=email"],
        "",
        "set relay.to: `email` is a worker; allowed: a queue, exchange or log: orders, email-dlq",
    );
    check(
        &["run", "order-shop", "--set", "lab.kind=log"],
        "",
        "set lab.kind: `lab.kind=log`: there is no switch `kind`; allowed: publishing",
    );
    check(
        &["run", "ack-order", "--set", "lab.kind=lok"],
        "",
        "set lab.kind: `lok` is not a choice here; allowed: queue, log; nearest: log",
    );
    check(
        &["run", "work-queue-crash", "--set", "lab.kind=log"],
        "",
        "set lab.kind: `lab.kind=log`: there is no switch `kind`; allowed: no switch: this scenario has none",
    );
    check(
        &["explore", "order-shop", "--story"],
        "",
        "--story: `explore` has no such option; allowed: --seed, --until, --do, --set, --json, --part, --fault, --faults, --most",
    );
    check(
        &["explore", "order-shop", "--fault", "lost-ackk"],
        "",
        "--fault: `lost-ackk` is not a kind of fault; allowed: crash, lost-ack, lost-answer, all; nearest: lost-ack",
    );
    check(
        &["explore", "order-shop", "--faults", "3"],
        "",
        "--faults: `3` is neither 1 nor 2; allowed: how many faults strike together, 1 or 2",
    );
    check(
        &["explore", "ack-order", "--part", "chargre"],
        "",
        "part: there is no part `chargre`; allowed: charger; nearest: charger",
    );
    check(
        &["explore", "ack-order", "--part", "jobs"],
        "",
        "part: none of these faults strikes `jobs`: it is a queue; allowed: charger",
    );
    check(&["schema", "--json"], "", "--json: `schema` has no such option; allowed: no options");
}

#[test]
fn a_scenario_that_is_not_there() {
    let known = library::ids().collect::<Vec<_>>().join(", ");
    let expect = format!("scenario: there is no scenario `ordershop`; allowed: {known}; nearest: order-shop");
    check(&["run", "ordershop"], "", &expect);
    let expect = format!("no/such.json: there is no such file; allowed: a file, - for standard input, or an id: {known}");
    check(&["check", "no/such.json"], "", &expect);
    let folder = env!("CARGO_MANIFEST_DIR");
    check(&["check", folder], "", &format!("{folder}: this is a folder; allowed: a scenario as JSON in UTF-8"));
}
