//! Whatever stands in a document, reading it ends in a scenario or in faults, never in a panic; and a scenario that is
//! taken for sound can be run. Every value of several documents is replaced by everything that does not belong there.

use redrive::scenario::document;
use redrive::scenario::library;
use redrive::world::World;
use serde_json::{Value, json};

/// What may stand anywhere.
fn intruders() -> Vec<Value> {
    let mut deep = json!(1);
    for _ in 0..60 {
        deep = json!([deep]);
    }
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(2.5),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e300),
        json!(""),
        json!(" "),
        json!("x"),
        json!("0"),
        json!("0s"),
        json!("365d"),
        json!("99999999999999999999s"),
        json!("100%"),
        json!("1000000/s"),
        json!("exp 365d"),
        json!("p50 1us p99 365d"),
        json!("0s..365d"),
        json!("answer"),
        json!("jobs"),
        json!("\u{0}\u{202e}\u{1f980}"),
        json!("a".repeat(300)),
        json!([]),
        json!({}),
        json!([[]]),
        json!({"": {}}),
        json!({"kind": "queue"}),
        json!(["m1", "m1"]),
        deep,
    ]
}

/// Calls `visit` with a copy of `whole` for each place in it and each intruder, and once with the place removed.
fn each_mutation(whole: &Value, visit: &mut impl FnMut(String, &Value)) {
    let mut places = Vec::new();
    collect(whole, String::new(), &mut places);
    for place in places {
        for intruder in intruders() {
            let mut mutated = whole.clone();
            *mutated.pointer_mut(&place).expect("the place is there") = intruder.clone();
            visit(format!("{place} = {intruder}"), &mutated);
        }
        let (above, name) = place.rsplit_once('/').expect("a place below the whole");
        let mut mutated = whole.clone();
        match mutated.pointer_mut(above).expect("the place is there") {
            Value::Object(fields) => fields.remove(&name.replace("~1", "/").replace("~0", "~")),
            Value::Array(items) => Some(items.remove(name.parse().expect("an index"))),
            _ => None,
        };
        visit(format!("{place} removed"), &mutated);
    }
}

/// The places of a document as JSON pointers.
fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    if !place.is_empty() {
        places.push(place.clone());
    }
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                collect(field, format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{place}/{index}"), places);
            }
        }
        _ => {}
    }
}

/// Reads every mutation of a scenario that ships, and runs the first moments of those that are sound.
fn survives(id: &str) {
    let whole: Value = serde_json::from_str(library::text(id).expect("it ships")).expect("JSON");
    let (mut sound, mut faulty) = (0, 0);
    each_mutation(&whole, &mut |what, mutated| match document::read_every_choice("x", &mutated.to_string(), &[]) {
        Ok(scenario) => {
            sound += 1;
            let run = std::panic::catch_unwind(|| {
                let mut world = World::new(&scenario);
                world.run(scenario.until_us(), 300);
            });
            assert!(run.is_ok(), "{id}: {what}");
        }
        Err(faults) => {
            faulty += 1;
            assert!(!faults.0.is_empty() && faults.to_string().len() < 100_000, "{id}: {what}");
        }
    });
    assert!(sound > 50 && faulty > 500, "{id}: {sound} sound, {faulty} faulty");
}

#[test]
fn a_queue_with_whatever_in_it() {
    survives("work-queue-crash");
}

#[test]
fn a_log_with_whatever_in_it() {
    survives("poison-message");
}

#[test]
fn a_service_with_whatever_in_it() {
    survives("dual-write");
}

#[test]
fn a_shop_with_whatever_in_it() {
    survives("order-shop");
}

#[test]
fn switches_with_whatever_in_them() {
    survives("ack-order");
}
