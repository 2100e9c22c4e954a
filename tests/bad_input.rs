//! Every kind of bad document, with the whole message: it names the place, says what is wrong, and says what is allowed. The
//! runner then leaves with 2 and has written nothing to its output.

mod refused;

use refused::check;

/// Has the runner check this text.
fn check_text(text: &str, expect: &str) {
    check(&["check", "-"], text, expect);
}

/// A document with these fields beside its version and a few sound parts.
fn document(fields: &str) -> String {
    format!(
        r#"{{"redrive": 1, {fields}
        "parts": {{"a": {{"kind": "producer", "to": "jobs"}}, "jobs": {{"kind": "queue"}}, "w": {{"kind": "worker", "from": "jobs"}}}}}}"#
    )
}

fn check_fields(fields: &str, expect: &str) {
    check_text(&document(fields), expect);
}

/// A document with this part beside a producer, a queue and a worker that are sound.
fn check_part(part: &str, expect: &str) {
    let parts = r#""a": {"kind": "producer", "to": "jobs"}, "jobs": {"kind": "queue"}, "w": {"kind": "worker", "from": "jobs"}"#;
    check_text(&format!(r#"{{"redrive": 1, "parts": {{{parts}, {part}}}}}"#), expect);
}

#[test]
fn text_that_is_no_document() {
    check_text("", r#"(document): the document is empty; allowed: a scenario like {"redrive": 1, "parts": {…}}"#);
    check_text("{", "line 1, column 1: the document ends too early; allowed: JSON");
    check_text("[1, 2]", r#"(document): it is a list; allowed: an object like {"redrive": 1, "parts": {…}}"#);
    check_text("{\"redrive\": 1,\n  \"parts\": {},\n}", "line 3, column 1: trailing comma; allowed: JSON");
    check_text("{\"redrive\": 1, \"redrive\": 1}", "line 1, column 24: `redrive` stands here twice; allowed: each name once");
    check_text("{'redrive': 1}", "line 1, column 2: key must be a string; allowed: JSON");
    check_text(&"[".repeat(100_000), "line 1, column 128: recursion limit exceeded; allowed: JSON");
    check_text("{\"redrive\": 1e999}", "line 1, column 17: number out of range; allowed: JSON");
    check_text(
        &format!("\"{}\"", "x".repeat(1_000_000)),
        "(document): the document has 1,000,002 bytes; allowed: at most 1,000,000 bytes",
    );
}

#[test]
fn a_version_that_is_not_known() {
    check_text(r#"{"redrive": 2, "what": "ever"}"#, "redrive: version 2 of the format is not known here; allowed: 1");
    check_text(r#"{"redrive": "1"}"#, r#"redrive: "1" is not a version; allowed: 1"#);
    check_text(
        r#"{"parts": {"jobs": {"kind": "queue"}}}"#,
        r#"(document): `redrive` is missing: it says which version of the format this is; allowed: "redrive": 1"#,
    );
}

#[test]
fn fields_beside_the_parts() {
    check_fields(
        r#""titel": "x","#,
        "titel: `titel` is not a field of a scenario; allowed: title, summary, group, seed, until, sample, speed, $schema, redrive, parts, breaks, alerts, cures, switches, properties, ask; nearest: title",
    );
    check_fields(r#""title": 7,"#, "title: 7 is not a text; allowed: a text");
    for obeyed in ["\\n", "\\u0000", "\\u202e", "\\u2066"] {
        let title = format!(r#""title": "a{obeyed}b","#);
        check_fields(&title, "title: the text has a control character, which is not allowed; allowed: a text");
    }
    check_fields(
        r#""until": "3","#,
        "until: `3` has no unit: write it with us, ms, s, m, h or d, like `3s`; allowed: 1ms to 365d, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
    );
    check_fields(
        r#""until": "400d","#,
        "until: `400d` is out of range; allowed: 1ms to 365d, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
    );
    check_fields(
        r#""until": "2h", "sample": "100ms","#,
        "sample: 100ms until 2h is more than 20000 samples; allowed: 500ms or longer",
    );
    check_fields(r#""speed": "1000x","#, r#"speed: "1000x" is not a speed like 5x; allowed: 0.001x to 600x, written as a text"#);
    check_fields(r#""seed": -1,"#, "seed: -1 is negative; allowed: a whole number");
}

#[test]
fn parts_that_cannot_be() {
    check_text(
        r#"{"redrive": 1}"#,
        r#"(document): `parts` is missing; allowed: "parts": an object of parts: {"jobs": {"kind": "queue"}, …}"#,
    );
    check_text(r#"{"redrive": 1, "parts": {}}"#, "parts: there are 0 parts; allowed: 1 to 64");
    check_text(
        r#"{"redrive": 1, "parts": []}"#,
        r#"parts: it is a list; allowed: an object of parts: {"jobs": {"kind": "queue"}, …}"#,
    );
    let many: Vec<String> = (0..65).map(|n| format!(r#""q{n}": {{"kind": "queue"}}"#)).collect();
    check_text(&format!(r#"{{"redrive": 1, "parts": {{{}}}}}"#, many.join(",")), "parts: there are 65 parts; allowed: 1 to 64");
    check_part(r#""b": 5"#, r#"parts.b: it is a number; allowed: a part like {"kind": "queue"}"#);
    check_part(
        r#""b": {}"#,
        r#"parts.b: `kind` is missing; allowed: "kind": producer, service, database, relay, queue, exchange, log, worker, dependency"#,
    );
    check_part(
        r#""b": {"kind": "que"}"#,
        r#"parts.b.kind: "que" is not a kind; allowed: producer, service, database, relay, queue, exchange, log, worker, dependency; nearest: queue"#,
    );
    check_part(
        r#""Big Queue": {"kind": "queue"}"#,
        r#"parts["Big Queue"]: this cannot be the id of a part; allowed: a lower-case letter, then up to 39 lower-case letters, digits and hyphens"#,
    );
    check_part(r#""lab": {"kind": "queue"}"#, "parts.lab: `lab` is kept for switches; allowed: any other id");
    check_part(
        r#""b": {"kind": "queue", "at": [1]}"#,
        "parts.b.at: [1] is not a place; allowed: [column, row], each a whole number from 0 to 40",
    );
    check_part(
        r#""b": {"kind": "queue", "at": [1, 2]}, "c": {"kind": "queue", "at": [1, 2]}"#,
        "parts.c.at: `b` stands at [1, 2] already; allowed: a free place",
    );
    let effects: Vec<String> = (0..8).map(|n| format!(r#""w{n}": {{"kind": "worker", "from": "jobs"}}"#)).collect();
    check_part(
        &effects.join(","),
        "parts: 9 different effects are counted; allowed: at most 8: give some workers the same `effect`",
    );
}

#[test]
fn settings_that_are_not_allowed() {
    check_part(
        r#""b": {"kind": "queue", "visibilty_timeout": "3s"}"#,
        "parts.b.visibilty_timeout: `visibilty_timeout` is not a setting of a queue; allowed: kind, title, at, broker, latency, visibility_timeout, ⋯, watched; nearest: visibility_timeout",
    );
    check_part(
        r#""b": {"kind": "queue", "visibility_timeout": 30}"#,
        "parts.b.visibility_timeout: `30` has no unit: write it with us, ms, s, m, h or d, like `30s`; allowed: 0s to 12h, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
    );
    check_part(
        r#""b": {"kind": "queue", "visibility_timeout": "-30s"}"#,
        "parts.b.visibility_timeout: `-30s` is negative; allowed: 0s to 12h, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
    );
    check_part(
        r#""b": {"kind": "queue", "visibility_timeout": "13h"}"#,
        "parts.b.visibility_timeout: `13h` is out of range; allowed: 0s to 12h, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
    );
    check_part(
        r#""b": {"kind": "queue", "visibility_timeout": "soon"}"#,
        "parts.b.visibility_timeout: `soon` is not a duration: write it like 250us, 30ms, 1.5s, 10m, 12h or 7d; allowed: 0s to 12h, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
    );
    check_part(
        r#""b": {"kind": "queue", "visibility_timeout": {"s": 3}}"#,
        r#"parts.b.visibility_timeout: {"s":3} is not a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d; allowed: 0s to 12h, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d"#,
    );
    check_part(
        r#""b": {"kind": "queue", "max_receives": 1.5}"#,
        "parts.b.max_receives: `1.5` is not a whole number; allowed: 0 to 1000, written as a whole number",
    );
    check_part(
        r#""b": {"kind": "queue", "watched": "maybe"}"#,
        r#"parts.b.watched: "maybe" is neither true nor false; allowed: true or false"#,
    );
    check_part(
        r#""b": {"kind": "log", "partitions": 0}"#,
        "parts.b.partitions: 0 is out of range; allowed: 1 to 1000, written as a whole number",
    );
    check_part(
        r#""b": {"kind": "dependency", "latency": "quick"}"#,
        "parts.b.latency: `quick` is not a latency: write it like 20ms, 20ms..80ms, exp 20ms or p50 20ms p99 1.5s; allowed: a latency like 20ms, 20ms..80ms, exp 20ms or p50 20ms p99 1.5s",
    );
    check_part(
        r#""b": {"kind": "dependency", "latency": "80ms..20ms"}"#,
        "parts.b.latency: `80ms..20ms` ends before it starts; allowed: a latency like 20ms, 20ms..80ms, exp 20ms or p50 20ms p99 1.5s",
    );
    check_part(
        r#""b": {"kind": "dependency", "errors": "0.1"}"#,
        "parts.b.errors: `0.1` is not a share: write it with a percent sign, like 30% or 0.1%; allowed: 0% to 100%, written as a share like 30% or 0.1%",
    );
    check_part(
        r#""b": {"kind": "dependency", "errors": "101%"}"#,
        "parts.b.errors: `101%` is more than 100%; allowed: 0% to 100%, written as a share like 30% or 0.1%",
    );
    check_part(
        r#""b": {"kind": "dependency", "rate": "5000"}"#,
        "parts.b.rate: `5000` is not a rate: write it like 2000/s, 0.5/s or 6/min; allowed: 0/s to 1000000/s, written as a rate like 2000/s, 0.5/s or 6/min",
    );
    check_part(
        r#""b": {"kind": "worker", "from": "jobs", "order": "ack-first"}"#,
        r#"parts.b.order: "ack-first" is not a choice here; allowed: work-then-ack, ack-then-work"#,
    );
    check_part(
        r#""b": {"kind": "service", "steps": ["work 20ms"]}"#,
        r#"parts.b.steps: no step answers the user: add "answer"; allowed: a list of steps like ["call card-issuer", "write orders-db with outbox", "answer"]"#,
    );
    check_part(
        r#""b": {"kind": "service", "steps": ["anser"]}"#,
        r#"parts.b.steps: `anser` is not a step; allowed: a list of steps like ["call card-issuer", "write orders-db with outbox", "answer"]"#,
    );
    check_part(
        r#""b": {"kind": "producer", "to": "jobs", "messages": [{"id": "m1", "kee": 3}]}"#,
        r#"parts.b.messages: message 0: `kee` is not a field of a message, which has id, key, poison, tombstone, priority, delay, ttl, routing, at, value; allowed: a list of messages like ["m1", {"id": "m2", "poison": true}]"#,
    );
    check_part(
        r#""b": {"kind": "producer", "to": "jobs", "messages": ["m1", {"id": "m2", "delay": "16m"}]}"#,
        r#"parts.b.messages: message 1: delay: `16m` is out of range; 0s to 15m is allowed; allowed: a list of messages like ["m1", {"id": "m2", "poison": true}]"#,
    );
    check_part(
        r#""l": {"kind": "log"}, "b": {"kind": "worker", "from": "l", "effect": "mail"}, "c": {"kind": "worker", "from": "l", "effect": "mail"}"#,
        "parts.c.effect: `b` counts the same effect, and both groups read all of `l`; allowed: another effect, or one worker with more `workers`",
    );
    check_part(
        r#""b": {"kind": "log", "broker": "redpanda", "replicas": 4}"#,
        "parts.b.replicas: Redpanda takes no 4 replicas; allowed: 1, 3, 5 or 7",
    );
    check_part(
        r#""b": {"kind": "log", "broker": "kafka", "acks": 1, "enable.idempotence": true}"#,
        "parts.b.idempotent_publish: with `acks` leader a producer of kafka is not idempotent; allowed: false, or `acks`: all",
    );
    check_part(
        r#""b": {"kind": "log", "broker": "kafka", "acks": "leader"}, "c": {"kind": "producer", "to": "b", "transaction": 5}"#,
        "parts.c.transaction: `b` does not recognise repeats: a producer of kafka has no transactions; allowed: 0, or a log with `acks`: all and `idempotent_publish`: true",
    );
}

#[test]
fn references_that_lead_nowhere() {
    check_part(
        r#""b": {"kind": "producer"}"#,
        "parts.b.to: a producer needs `to`; allowed: a service, queue, exchange or log: jobs",
    );
    check_part(
        r#""b": {"kind": "producer", "to": "job"}"#,
        "parts.b.to: there is no part `job`; allowed: a service, queue, exchange or log: jobs; nearest: jobs",
    );
    check_part(
        r#""b": {"kind": "producer", "to": "w"}"#,
        "parts.b.to: `w` is a worker; allowed: a service, queue, exchange or log: jobs",
    );
    check_part(r#""b": {"kind": "worker"}"#, "parts.b.from: a worker needs `from`; allowed: a queue or log: jobs");
    check_part(
        r#""b": {"kind": "worker", "from": "jobs", "calls": "w"}"#,
        "parts.b.calls: `w` is a worker; allowed: a dependency, and this scenario has none",
    );
    check_part(
        r#""b": {"kind": "relay", "from": "jobs", "to": "jobs"}"#,
        "parts.b.from: `jobs` is a queue; allowed: a database, and this scenario has none",
    );
    check_part(
        r#""b": {"kind": "service", "steps": ["call jobs", "publish a", "answer"]}"#,
        "parts.b.steps[0]: `jobs` is a queue; allowed: a dependency, and this scenario has none\nparts.b.steps[1]: `a` is a producer; allowed: a queue, exchange or log: jobs",
    );
    check_part(
        r#""b": {"kind": "queue", "dead_letters": "b", "max_receives": 3}"#,
        "parts.b.dead_letters: dead letters go in a circle: b → b; allowed: a queue that none of these letters came from",
    );
    check_part(
        r#""b": {"kind": "queue", "dead_letters": "c"}, "c": {"kind": "queue", "dead_letters": "b"}"#,
        "parts.b.dead_letters: dead letters go in a circle: b → c → b; allowed: a queue that none of these letters came from\nparts.c.dead_letters: dead letters go in a circle: c → b → c; allowed: a queue that none of these letters came from",
    );
    check_part(
        r#""b": {"kind": "worker", "from": "jobs", "dead_letters": "jobs"}"#,
        "parts.b.dead_letters: `jobs` would take its own dead letters; allowed: a queue that none of these letters came from",
    );
    check_part(
        r#""b": {"kind": "queue", "max_receives": 3}"#,
        "parts.b.max_receives: after 3 receives a message has nowhere to go; allowed: 0, or any number together with `dead_letters`",
    );
}

#[test]
fn plans_that_make_no_sense() {
    check_fields(
        r#""breaks": "41s break jobs","#,
        r#"breaks: it is a text; allowed: a list of commands with their times like ["41s break orders", "86s mend orders"]"#,
    );
    check_fields(
        r#""breaks": ["break jobs"],"#,
        "breaks[0]: `break` is not a duration: write it like 250us, 30ms, 1.5s, 10m, 12h or 7d; allowed: TIME VERB …, like 41s break orders",
    );
    check_fields(
        r#""breaks": ["41s brake jobs"],"#,
        "breaks[0]: `brake` is not a verb; allowed: break, mend, slow, fail, cut, crash, lose-acks, poison, burst, deploy, scale, pause, resume, redrive, rewind, set; nearest: break",
    );
    check_fields(r#""breaks": ["41s break job"],"#, "breaks[0]: there is no part `job`; allowed: a, jobs, w; nearest: jobs");
    check_fields(
        r#""breaks": ["41s burst jobs 10x for 60s"],"#,
        "breaks[0]: `burst` makes no sense for `jobs`: it is a queue; allowed: break, slow, fail, cut, lose-acks, poison, mend, redrive, set",
    );
    check_fields(
        r#""breaks": ["41s slow jobs fast"],"#,
        "breaks[0]: `fast` is not a factor: write it like 40x; allowed: slow P 40x",
    );
    check_fields(
        r#""breaks": ["41s crash w at published"],"#,
        "breaks[0]: a worker has no step `published`; allowed: received, worked, acked, done",
    );
    check_fields(
        r#""breaks": ["41s crash a at worked"],"#,
        "breaks[0]: a producer has no step `worked`; allowed: crash a, without a step",
    );
    check_fields(r#""breaks": ["41s cut a w"],"#, "breaks[0]: `a` and `w` have no link to cut; allowed: jobs");
    check_fields(
        r#""breaks": ["41s redrive jobs"],"#,
        "breaks[0]: no part sends dead letters to `jobs`; allowed: nothing: this scenario has no dead letters",
    );
    check_fields(
        r#""breaks": ["41s rewind w to 0"],"#,
        "breaks[0]: `w` reads a queue, and a queue keeps nothing to read again; allowed: nothing: no worker here reads a log",
    );
    check_fields(
        r#""breaks": ["41s set jobs.retension=3d"],"#,
        "breaks[0]: `retension` is not a setting of a queue; allowed: broker, latency, visibility_timeout, ⋯, watched; nearest: retention",
    );
    check_fields(
        r#""breaks": ["41s set jobs.retention=3y"],"#,
        "breaks[0]: `3y` is not a duration: write it like 250us, 30ms, 1.5s, 10m, 12h or 7d; allowed: 1m to 14d, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
    );
    check_fields(
        r#""breaks": ["41s set w.from=jobs"],"#,
        "breaks[0]: `from` is fixed once the run has begun; allowed: --set w.from=VALUE, or the scenario itself",
    );
    check_fields(
        r#""alerts": [{"rule": "too-old", "part": "job", "gauge": "oldest_us"}],"#,
        "alerts[0].part: there is no part `job`; allowed: a, jobs, w; nearest: jobs",
    );
    check_fields(
        r#""alerts": [{"rule": "too-old", "part": "jobs", "gauge": "oldest"}],"#,
        "alerts[0].gauge: `oldest` is not a gauge of a queue; allowed: ready, hidden, delayed, oldest_us, redelivered_per_s; nearest: oldest_us",
    );
    check_fields(
        r#""alerts": [{"rule": "too-old", "part": "jobs", "gauge": "oldest_us", "above": 30}],"#,
        "alerts[0].above: `30` has no unit: write it with us, ms, s, m, h or d, like `30s`; allowed: a duration like 30s",
    );
    check_fields(
        r#""alerts": [{"part": "jobs", "gauge": "ready"}],"#,
        r#"alerts[0]: `rule` is missing; allowed: "rule": a name like "too-old""#,
    );
    check_fields(
        r#""cures": [{"title": "Help", "do": []}],"#,
        r#"cures[0].do: it does nothing; allowed: at least one command like "mend jobs""#,
    );
    check_fields(
        r#""cures": [{"title": "Help", "do": ["help jobs"]}],"#,
        "cures[0].do[0]: `help` is not a verb; allowed: break, mend, slow, fail, cut, crash, lose-acks, poison, burst, deploy, scale, pause, resume, redrive, rewind, set",
    );
    check_fields(
        r#""properties": [{"name": "n", "kind": "allways", "effect": "w", "what": "once"}],"#,
        "properties[0].kind: `allways` is not a choice here; allowed: always, eventually; nearest: always",
    );
    check_fields(
        r#""properties": [{"name": "n", "kind": "always", "effect": "x", "what": "once"}],"#,
        "properties[0].effect: `x` is not counted here; allowed: w",
    );
    check_fields(
        r#""properties": [{"name": "n", "kind": "always", "effect": "w"}],"#,
        r#"properties[0]: `what` is missing; allowed: "what": once, at-least-once, at-most-once, in-order"#,
    );
    check_fields(r#""ask": {"text": "?", "effect": "x", "fact": "1"},"#, "ask.effect: `x` is not counted here; allowed: w");
}

#[test]
fn switches_that_cannot_be_switched() {
    check_fields(
        r#""switches": {"kind": {}},"#,
        r#"switches.kind: `choices` is missing; allowed: "choices": {"a": {"patch": {…}}, "b": {"patch": {…}}}"#,
    );
    check_fields(r#""switches": {"kind": {"choices": {}}},"#, "switches.kind.choices: there are 0 choices; allowed: 1 to 8");
    check_fields(
        r#""switches": {"kind": {"default": "c", "choices": {"a": {}, "b": {}}}},"#,
        r#"switches.kind.default: "c" is not a choice here; allowed: a, b"#,
    );
    check_fields(
        r#""switches": {"kind": {"choices": {"a": {"patch": 3}}}},"#,
        "switches.kind.choices.a.patch: it is a number; allowed: an object: what this choice changes in the document",
    );
    check_fields(
        r#""switches": {"kind": {"choices": {"a": {"patch": {"redrive": 2}}}}},"#,
        "switches.kind.choices.a.patch.redrive: a choice cannot change `redrive`; allowed: any other field",
    );
    // A fault in a choice that nobody has taken.
    check_fields(
        r#""switches": {"kind": {"choices": {"a": {}, "b": {"patch": {"parts": {"jobs": {"delay": "1h"}}}}}}},"#,
        "parts.jobs.delay: `1h` is out of range (with lab.kind=b); allowed: 0s to 15m, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d",
    );
}

#[test]
fn all_faults_are_listed_at_once() {
    let text = r#"{"redrive": 1, "until": "3", "parts": {
        "a": {"kind": "producer", "to": "b"},
        "jobs": {"kind": "queue", "delay": "1h"},
        "w": {"kind": "werker", "from": "jobs"}
    }, "breaks": ["1s crash w", "1s break x"]}"#;
    // What refers to a part that cannot be read is no fault of its own: `crash w` is not listed.
    check_text(
        text,
        "until: `3` has no unit: write it with us, ms, s, m, h or d, like `3s`; allowed: 1ms to 365d, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d\nparts.jobs.delay: `1h` is out of range; allowed: 0s to 15m, written as a duration like 250us, 30ms, 1.5s, 10m, 12h or 7d\nparts.w.kind: \"werker\" is not a kind; allowed: producer, service, database, relay, queue, exchange, log, worker, dependency; nearest: worker\nparts.a.to: there is no part `b`; allowed: a service, queue, exchange or log: jobs\nbreaks[1]: there is no part `x`; allowed: a, jobs",
    );
}

#[test]
fn a_document_of_nothing_but_faults_is_not_answered_with_a_book() {
    let wrong: Vec<String> = (0..500).map(|n| format!(r#""x{n}": 1"#)).collect();
    let text = format!(r#"{{"redrive": 1, "parts": {{"q": {{"kind": "queue", {}}}}}}}"#, wrong.join(","));
    let output = redrive::scenario::document::read("x", &text, &[]).expect_err("faults");
    assert_eq!(output.0.len(), 101);
    assert_eq!(output.0[100].to_string(), "(document): 400 more faults are not listed");
    let long = format!(r#"{{"redrive": 1, "parts": {{"q": {{"kind": "queue", "delay": "{}"}}}}}}"#, "9".repeat(100_000));
    let faults = redrive::scenario::document::read("x", &long, &[]).expect_err("faults").to_string();
    assert!(faults.len() < 1_000, "{}", faults.len());
}
