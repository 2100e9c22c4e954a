//! What the real brokers and their clients refuse.

use indexmap::IndexMap;

use super::PartSpec;
use super::choices::{Acks, Broker, Cleanup, LogBroker, Overflow};
use super::fault::Fault;
use super::kind::Kind;
use crate::sim::Micros;

/// What of a part is refused, whether a document says it or a command. `place` makes the path of a setting.
pub fn check(parts: &IndexMap<String, PartSpec>, kind: &Kind, place: &impl Fn(&str) -> String) -> Vec<Fault> {
    let refused = [remote(kind, place), overflow(kind, place), replicas(kind, place), heartbeat(parts, kind, place)];
    refused.into_iter().flatten().collect()
}

/// Kafka keeps no compacted topic in remote storage ("Remote log storage is unsupported for the compacted topics", KIP-405).
fn remote(kind: &Kind, place: &impl Fn(&str) -> String) -> Option<Fault> {
    let Kind::Log(settings) = kind else { return None };
    let both = settings.remote && settings.cleanup != Cleanup::Delete;
    both.then(|| Fault::new(place("remote"), "a compacted log is not kept in remote storage", "false, or `cleanup`: delete"))
}

/// A quorum queue refuses without dead letters ("Quorum Queues", feature matrix).
fn overflow(kind: &Kind, place: &impl Fn(&str) -> String) -> Option<Fault> {
    let Kind::Queue(settings) = kind else { return None };
    let refuses = settings.overflow == Overflow::RejectPublishDlx && settings.broker == Broker::RabbitmqQuorum;
    refuses.then(|| Fault::new(place("overflow"), "a quorum queue does not know reject-publish-dlx", "drop-head, reject-publish"))
}

/// Raft needs a majority: Redpanda takes odd numbers only (`replication_factor_must_be_odd` in its `validators.h`).
fn replicas(kind: &Kind, place: &impl Fn(&str) -> String) -> Option<Fault> {
    let Kind::Log(settings) = kind else { return None };
    let even = settings.broker == LogBroker::Redpanda && settings.replicas % 2 == 0;
    even.then(|| Fault::new(place("replicas"), format!("Redpanda takes no {} replicas", settings.replicas), "1, 3, 5 or 7"))
}

/// Kafka's client does not start with a heartbeat that is no shorter than the session, nor its broker with one of KIP-848
/// (`Heartbeat`, `GroupCoordinatorConfig`).
fn heartbeat(parts: &IndexMap<String, PartSpec>, kind: &Kind, place: &impl Fn(&str) -> String) -> Option<Fault> {
    let Kind::Worker(settings) = kind else { return None };
    let on_log = matches!(parts.get(settings.from.id()?)?.kind, Kind::Log(_));
    let beat_us = settings.heartbeat_us().filter(|beat_us| on_log && *beat_us >= settings.session.0)?;
    let wrong = format!("a heartbeat every {} is not shorter than `session`, {}", Micros(beat_us), settings.session);
    Some(Fault::new(place("heartbeat_interval"), wrong, "less than `session`"))
}

/// Kafka's client numbers batches only if it waits for all replicas, and has no transactions without that (`ProducerConfig`:
/// "Must set acks to all in order to use the idempotent producer"). Of a document only: a cure may set one after the other.
pub fn idempotence(parts: &IndexMap<String, PartSpec>, kind: &Kind, place: impl Fn(&str) -> String) -> Option<Fault> {
    match kind {
        Kind::Log(log) if log.broker != LogBroker::Generic && log.idempotent_publish && log.acks != Acks::All => {
            let wrong = format!("with `acks` {} a producer of {} is not idempotent", log.acks.word(), log.broker.word());
            Some(Fault::new(place("idempotent_publish"), wrong, "false, or `acks`: all"))
        }
        Kind::Producer(producer) if producer.transaction > 0 => match &parts.get(producer.to.id()?)?.kind {
            Kind::Log(log) if log.broker != LogBroker::Generic && !log.idempotent_publish => {
                let wrong = format!(
                    "`{}` does not recognise repeats: a producer of {} has no transactions",
                    producer.to,
                    log.broker.word()
                );
                Some(Fault::new(place("transaction"), wrong, "0, or a log with `acks`: all and `idempotent_publish`: true"))
            }
            _ => None,
        },
        _ => None,
    }
}
