//! What the words of a [`Cluster`] script read.

use super::cluster::{Cluster, Record};
use super::words::{after, list};
use crate::kafka::error::Error;

impl Cluster {
    /// Names of the data records in a range of a broker's log, or of the log that readers see.
    pub(super) fn names_between(&self, broker: Option<u32>, from: u64, to: u64) -> Vec<String> {
        let records = (from..to).filter_map(|offset| Some((offset, self.record(broker, offset)?)));
        records.filter(|(_, record)| !record.marker).map(|(_, record)| record.name.clone()).collect()
    }

    pub(super) fn record(&self, broker: Option<u32>, offset: u64) -> Option<&Record> {
        let replicas = self.partition.replicas();
        let broker = broker.or(self.partition.leader());
        let replica = replicas.iter().find(|replica| Some(replica.broker()) == broker)?;
        self.records.get(&(offset, replica.log().epoch_at(offset)?))
    }

    pub(super) fn read(&mut self, words: &[&str]) -> String {
        let at = after(words, "at").and_then(|word| word.parse().ok()).or(self.partition.leader());
        let Some(at) = at else { return Error::NotLeader.name().to_owned() };
        let from = after(words, "from").and_then(|word| word.parse().ok()).unwrap_or(self.partition.log_start());
        let high_watermark = match self.partition.readable_at(self.now_us, at) {
            Ok(high_watermark) => high_watermark,
            Err(error) => return error.name().to_owned(),
        };
        let end =
            self.partition.replicas().iter().find(|replica| replica.broker() == at).map_or(0, |replica| replica.log().end());
        if from < self.partition.log_start() || from > end {
            return Error::OffsetOutOfRange.name().to_owned();
        }
        if !words.contains(&"committed") {
            return list(&self.names_between(Some(at), from, high_watermark));
        }
        let mut names = Vec::new();
        for offset in from..self.isolation.last_stable(high_watermark) {
            let Some(record) = self.record(Some(at), offset) else { continue };
            let aborted = record.transaction.is_some_and(|producer| self.isolation.is_aborted(producer, offset));
            if !record.marker && !aborted {
                names.push(record.name.clone());
            }
        }
        list(&names)
    }

    pub(super) fn log(&self, broker: &str) -> Option<String> {
        let broker = broker.parse().ok()?;
        let replica = self.partition.replicas().iter().find(|replica| replica.broker() == broker)?;
        let records = (0..replica.log().end()).filter_map(|offset| self.record(Some(broker), offset));
        Some(list(&records.map(|record| record.name.clone()).collect::<Vec<_>>()))
    }

    pub(super) fn ends(&self) -> String {
        let (end, high_watermark) = (self.partition.log_end(), self.partition.high_watermark());
        format!("end {end}, high watermark {high_watermark}, stable {}", self.isolation.last_stable(high_watermark))
    }

    pub(super) fn leader(&self) -> String {
        let epoch = self.partition.epoch();
        self.partition.leader().map_or("none".to_owned(), |leader| format!("{leader} epoch {epoch}"))
    }
}
