//! What someone can change while a partition runs, and the answer to a batch that is there already.

use super::error::Error;
use super::partition::{Acks, Options, Partition, Wait};
use super::replica::Life;

impl Partition {
    /// Someone changed its settings. They count from now on.
    pub fn tune(&mut self, now_us: u64, options: Options) {
        self.advance(now_us);
        self.options = options;
        self.raise_high_watermark(now_us);
    }

    /// A producer sends a batch again that is in the log and ends before `end`. True when it has its answer at once; otherwise
    /// [`Happening::Answered`](super::partition::Happening::Answered) brings it, as for the first try. Source:
    /// `ReplicaManager.appendRecords`, which waits for duplicates too, and looks at the in-sync set before it knows of one.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn repeat(&mut self, now_us: u64, end: u64, acks: Acks, ticket: u64) -> Result<bool, Error> {
        self.advance(now_us);
        match self.leader.map(|leader| self.replica(leader).life()) {
            None => return Err(Error::NotLeader),
            Some(Life::Frozen) => return Err(Error::TimedOut),
            Some(Life::Down | Life::Starting) => return Err(Error::Disconnected),
            Some(Life::Up) => {}
        }
        if acks != Acks::All {
            return Ok(true);
        }
        if self.is_under_min_insync() {
            return Err(Error::NotEnoughReplicas);
        }
        if self.high_watermark() >= end {
            return Ok(true);
        }
        let deadline_us = now_us.saturating_add(self.options.request_timeout_us);
        self.waits.push_back(Wait { ticket, end, deadline_us });
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::partition::Happening;
    use super::*;

    #[test]
    fn a_repeat_waits_for_what_the_first_try_waits_for() {
        let mut partition = Partition::new(0, Options::default(), &[1, 2]);
        let first = partition.append(0, 1, Acks::All, 7).expect("it leads");
        assert!(!first.answered);
        assert_eq!(partition.repeat(500, 1, Acks::All, 8), Ok(false));
        assert_eq!(partition.repeat(500, 1, Acks::Leader, 9), Ok(true));
        partition.advance(10_000);
        let answered = |happening: &Happening| matches!(happening, Happening::Answered { result: Ok(()), .. });
        assert_eq!(partition.take_happenings().iter().filter(|happening| answered(happening)).count(), 2);
        assert_eq!(partition.repeat(10_000, 1, Acks::All, 10), Ok(true));
        partition.kill(10_000, 1);
        assert_eq!(partition.repeat(10_000, 1, Acks::All, 11), Err(Error::Disconnected));
    }

    #[test]
    fn a_smaller_minimum_lets_waiting_writes_through() {
        let options = Options { min_insync: 2, session_us: 1_000, ..Options::default() };
        let mut partition = Partition::new(0, options, &[1, 2]);
        partition.freeze(0, 2);
        assert!(!partition.append(1, 1, Acks::All, 7).expect("two are in sync").answered);
        partition.advance(2_000);
        assert_eq!(partition.high_watermark(), 0);
        assert_eq!(partition.repeat(2_000, 1, Acks::All, 8), Err(Error::NotEnoughReplicas));
        partition.tune(2_000, Options { min_insync: 1, ..options });
        assert_eq!(partition.high_watermark(), 1);
    }
}
