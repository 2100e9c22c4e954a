//! What a document says that nothing comes of: sound, and likely not what its author meant.

use super::choices::Broker;
use super::fault::Fault;
use super::kind::Kind;
use super::{Scenario, native};
use crate::sim::Micros;

/// The most messages of a receive ("Amazon SQS message quotas").
const SQS_BATCH: u64 = 10;

/// Every remark about a scenario, each with its place and what would be of use there.
#[must_use]
pub fn remarks(scenario: &Scenario) -> Vec<Fault> {
    let mut remarks = Vec::new();
    for (id, part) in &scenario.parts {
        remarks.extend(ignored(&part.kind).map(|(setting, broker)| {
            let wrong = format!("it does nothing with `broker` {broker}");
            Fault::new(format!("parts.{id}.{setting}"), wrong, "leave it out, or another broker")
        }));
        if let Kind::Worker(worker) = &part.kind
            && worker.batch > SQS_BATCH
            && let Some(Kind::Queue(queue)) = worker.from.id().and_then(|from| scenario.parts.get(from)).map(|from| &from.kind)
            && matches!(queue.broker, Broker::Sqs | Broker::SqsFifo)
        {
            let wrong = format!("a receive from SQS brings {SQS_BATCH} at most, not {}", worker.batch);
            remarks.push(Fault::new(format!("parts.{id}.batch"), wrong, format!("1 to {SQS_BATCH}")));
        }
    }
    for late in scenario.breaks.iter().filter(|timed| timed.at_us > scenario.until.0) {
        let wrong = format!("{} is after the end of the run", Micros(late.at_us));
        remarks.push(Fault::new(format!("breaks, `{late}`"), wrong, format!("up to {}, or a later `until`", scenario.until)));
    }
    remarks
}

/// The settings of a queue that have another value than they ship with and that its broker does not know.
fn ignored(kind: &Kind) -> impl Iterator<Item = (&'static str, &'static str)> {
    let broker = match kind {
        Kind::Queue(queue) => Some(queue.broker.word()),
        _ => None,
    };
    let shipped = broker.and_then(|broker| {
        let mut shipped = Kind::from_word(kind.word())?;
        shipped.set("broker", &broker.into()).ok()?;
        Some((broker, shipped))
    });
    let rows = shipped.into_iter().flat_map(|(broker, shipped)| {
        let changed = kind.table().iter().filter(move |row| shipped.get(row.name) != kind.get(row.name));
        changed.filter(|row| !native::knows(kind, row.name)).map(move |row| (row.name, broker))
    });
    rows.collect::<Vec<_>>().into_iter()
}
