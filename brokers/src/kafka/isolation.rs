//! What `isolation.level=read_committed` may read of a partition: up to the oldest transaction that is not over, without
//! the records of those that were aborted.
//!
//! Source: KIP-98; `UnifiedLog.fetchLastStableOffset` and `ProducerStateManager` of Apache Kafka.

/// A transaction's records in one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    producer: u64,
    first: u64,
    /// The offset of its marker; [`u64::MAX`] while it is open.
    marker: u64,
}

const OPEN: u64 = u64::MAX;

/// The transactions of one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Isolation {
    /// Open ones, and those whose marker may still be above the high watermark, by first offset.
    unstable: Vec<Span>,
    /// Aborted ones, by marker.
    aborted: Vec<Span>,
}

impl Isolation {
    /// A transactional record of this producer was written; its first one opens the transaction here.
    pub fn wrote(&mut self, producer: u64, offset: u64) {
        if !self.is_open(producer) {
            self.unstable.push(Span { producer, first: offset, marker: OPEN });
        }
    }

    /// Whether this producer has an open transaction here.
    #[must_use]
    pub fn is_open(&self, producer: u64) -> bool {
        self.unstable.iter().any(|span| span.producer == producer && span.marker == OPEN)
    }

    /// The marker that ends this producer's transaction was written.
    pub fn ended(&mut self, producer: u64, marker: u64, committed: bool) {
        let Some(span) = self.unstable.iter_mut().find(|span| span.producer == producer && span.marker == OPEN) else { return };
        span.marker = marker;
        if !committed {
            self.aborted.push(*span);
        }
    }

    /// The first offset that `read_committed` may not read. A transaction that is over still counts until its marker is
    /// below the high watermark.
    #[must_use]
    pub fn last_stable(&self, high_watermark: u64) -> u64 {
        let unstable = self.unstable.iter().find(|span| span.marker >= high_watermark);
        unstable.map_or(high_watermark, |span| span.first.min(high_watermark))
    }

    /// Whether a record of this producer at this offset was aborted.
    #[must_use]
    pub fn is_aborted(&self, producer: u64, offset: u64) -> bool {
        self.aborted.iter().any(|span| span.producer == producer && span.first <= offset && offset < span.marker)
    }

    /// Forgets what is over and stable, and aborted transactions below the log's start.
    pub fn prune(&mut self, log_start: u64, high_watermark: u64) {
        self.unstable.retain(|span| span.marker >= high_watermark);
        self.aborted.retain(|span| span.marker >= log_start);
    }

    /// The log was cut at this offset: what was written from there on is gone, a transaction whose marker is gone is open again.
    pub fn truncate(&mut self, end: u64) {
        for span in &self.aborted {
            if span.first < end && span.marker >= end && !self.unstable.contains(span) {
                self.unstable.push(*span);
            }
        }
        self.aborted.retain(|span| span.marker < end);
        self.unstable.retain(|span| span.first < end);
        for span in &mut self.unstable {
            if span.marker >= end {
                span.marker = OPEN;
            }
        }
        crate::order::sort_by_key(&mut self.unstable, |span| span.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stable_end_waits_for_the_oldest_and_for_markers_to_be_replicated() {
        let mut isolation = Isolation::default();
        let check = |isolation: &Isolation, high_watermark, expect| {
            assert_eq!(isolation.last_stable(high_watermark), expect, "{high_watermark} {isolation:?}");
        };
        check(&isolation, 9, 9);
        isolation.wrote(1, 3);
        isolation.wrote(2, 5);
        isolation.wrote(1, 6);
        check(&isolation, 2, 2);
        check(&isolation, 9, 3);
        isolation.ended(1, 9, true);
        check(&isolation, 9, 3);
        check(&isolation, 10, 5);
        isolation.ended(2, 10, false);
        check(&isolation, 11, 11);
        assert!(isolation.is_aborted(2, 5) && !isolation.is_aborted(1, 5));
    }

    #[test]
    fn a_lost_marker_opens_its_transaction_again() {
        let mut isolation = Isolation::default();
        isolation.wrote(1, 3);
        isolation.ended(1, 5, false);
        isolation.truncate(5);
        assert_eq!(isolation.last_stable(5), 3);
        assert!(!isolation.is_aborted(1, 3) && isolation.is_open(1));
    }
}
