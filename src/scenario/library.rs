//! The scenarios that ship: JSON documents like anyone's, read and checked the same way.

use super::nearest::known;
use super::{Fault, Faults};

/// The scenario that opens first.
pub const FIRST: &str = "order-shop";

/// Ids and texts in the order of the picker.
const ALL: &[(&str, &str)] = &[
    (FIRST, ""),
    ("sync-checkout", include_str!("library/sync-checkout.json")),
    ("queued-checkout", include_str!("library/queued-checkout.json")),
    ("flash-sale", include_str!("library/flash-sale.json")),
    ("work-queue-crash", include_str!("library/work-queue-crash.json")),
    ("visibility-too-short", include_str!("library/visibility-too-short.json")),
    ("poison-message", include_str!("library/poison-message.json")),
    ("ack-order", include_str!("library/ack-order.json")),
    ("inbox-on-a-log", include_str!("library/inbox-on-a-log.json")),
    ("dual-write", include_str!("library/dual-write.json")),
    ("outbox-relay-crash", include_str!("library/outbox-relay-crash.json")),
    ("late-commit", include_str!("library/late-commit.json")),
    ("idle-slot", include_str!("library/idle-slot.json")),
    ("two-relays", include_str!("library/two-relays.json")),
    ("listen-to-yourself", include_str!("library/listen-to-yourself.json")),
    ("leader-dies", include_str!("library/leader-dies.json")),
    ("two-partitioners", include_str!("library/two-partitioners.json")),
    ("rebalance-storm", include_str!("library/rebalance-storm.json")),
    ("poison-on-a-log", include_str!("library/poison-on-a-log.json")),
    ("poll-interval-too-short", include_str!("library/poll-interval-too-short.json")),
    ("no-heartbeat", include_str!("library/no-heartbeat.json")),
    ("parallel-by-key", include_str!("library/parallel-by-key.json")),
    ("retry-topics", include_str!("library/retry-topics.json")),
    ("bounded-buffer", include_str!("library/bounded-buffer.json")),
    ("scheduler", include_str!("library/scheduler.json")),
    ("priority-pools", include_str!("library/priority-pools.json")),
    ("noisy-tenant", include_str!("library/noisy-tenant.json")),
    ("lock-runs-out", include_str!("library/lock-runs-out.json")),
    ("pop-and-delete", include_str!("library/pop-and-delete.json")),
    ("any-broker", include_str!("library/any-broker.json")),
    ("fan-out", include_str!("library/fan-out.json")),
    ("topic-routing", include_str!("library/topic-routing.json")),
    ("quorum-leader-dies", include_str!("library/quorum-leader-dies.json")),
    ("consumer-timeout", include_str!("library/consumer-timeout.json")),
    ("unbounded-prefetch", include_str!("library/unbounded-prefetch.json")),
    ("requeue-loop", include_str!("library/requeue-loop.json")),
    ("lambda-visibility", include_str!("library/lambda-visibility.json")),
    ("dead-letters-vanish", include_str!("library/dead-letters-vanish.json")),
    ("fifo-batch", include_str!("library/fifo-batch.json")),
    ("offsets-expired", include_str!("library/offsets-expired.json")),
    ("stuck-transaction", include_str!("library/stuck-transaction.json")),
    ("consumer-health", include_str!("library/consumer-health.json")),
    ("slow-consumers", include_str!("library/slow-consumers.json")),
    ("retention-runs-out", include_str!("library/retention-runs-out.json")),
    ("hot-partition", include_str!("library/hot-partition.json")),
    ("unwatched-dlq", include_str!("library/unwatched-dlq.json")),
    ("retry-storm", include_str!("library/retry-storm.json")),
    ("relay-stopped", include_str!("library/relay-stopped.json")),
    ("not-idempotent", include_str!("library/not-idempotent.json")),
    ("cluster-down", include_str!("library/cluster-down.json")),
    ("network-cut", include_str!("library/network-cut.json")),
    ("database-down", include_str!("library/database-down.json")),
    ("dependency-slow", include_str!("library/dependency-slow.json")),
    ("lost-ack", include_str!("library/lost-ack.json")),
    ("deploy-everything", include_str!("library/deploy-everything.json")),
];

/// The ids in the order of the picker.
pub fn ids() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(id, _)| *id)
}

/// The text of the scenario with this id.
///
/// # Errors
/// What exists, where there is none of this id.
pub fn text(id: &str) -> Result<&'static str, Faults> {
    if id == FIRST {
        return Ok(include_str!("library/order-shop.json"));
    }
    later(id).ok_or_else(|| {
        let shown: String = id.chars().take(60).collect();
        Fault::new("scenario", format!("there is no scenario `{shown}`"), known(&shown, ids())).into()
    })
}

/// The text of any other scenario. A function of its own: the page's first part does without those texts, and fetches the
/// rest when this is called (`scripts/split.mjs`).
#[inline(never)]
fn later(id: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == id).map(|(_, text)| *text)
}
