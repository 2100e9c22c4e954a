//! A consumer group: which member reads which partition, and how far the group has committed.
//!
//! Membership is Kafka's classic protocol as its documentation describes it ("Consumer configs": `session.timeout.ms`,
//! `max.poll.interval.ms`, `partition.assignment.strategy`): on every change all members stop at the end of their batch
//! (eager), and partitions are shared out anew by the range assignor. A member that died keeps its partitions until its
//! session runs out, and a rebalance waits for it. Other protocols and assignors are in `service/crew.rs`.

use crate::service::Crew;
use crate::sim::Timestamp;

/// The state of a group on one log.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Committed offset of each partition: the next record to be read after a restart.
    pub committed: Vec<u64>,
    /// The next record to be given to a member, per partition.
    pub position: Vec<u64>,
    /// The member that reads each partition.
    pub owner: Vec<Option<u16>>,
    /// Goes up with every assignment. A commit of an older one is refused.
    pub generation: u32,
    /// Since when it stands still; none while it reads.
    pub rebalancing_since_us: Option<Timestamp>,
    /// How many rebalances there were.
    pub rebalances: u64,
    /// Since when it has no members.
    pub idle_since_us: Option<Timestamp>,
    /// Its offsets are gone: it begins anew with its next member.
    pub forgotten: bool,
    /// Partitions that came after the group: it has no offset there until it is given them.
    pub fresh: Vec<u32>,
    /// It has no offset to go on from and stands still.
    pub stopped: bool,
    /// Its members and coordinator, where the protocol is played in full.
    pub crew: Option<Box<Crew>>,
}

/// The owner of each partition by Kafka's range assignor: members in order get consecutive ranges, the first ones one more
/// where it does not come out even.
#[must_use]
pub fn range(partitions: u32, members: &[u16]) -> Vec<Option<u16>> {
    let mut owners = Vec::with_capacity(partitions as usize);
    let count = members.len() as u32;
    for (index, member) in (0_u32..).zip(members) {
        let share = partitions / count + u32::from(index < partitions % count);
        owners.extend(std::iter::repeat_n(Some(*member), share as usize));
    }
    owners.resize(partitions as usize, None);
    owners
}

impl Group {
    /// A group that has read nothing of a log with so many partitions.
    #[must_use]
    pub fn new(partitions: u32) -> Self {
        let width = partitions as usize;
        Self { committed: vec![0; width], position: vec![0; width], owner: vec![None; width], ..Self::default() }
    }

    /// Gives the partitions to these members and goes back to what is committed.
    pub fn assign(&mut self, members: &[u16]) {
        self.owner = range(self.owner.len() as u32, members);
        self.position.clone_from(&self.committed);
        self.generation += 1;
        self.rebalancing_since_us = None;
    }

    /// The partitions that a member reads.
    pub fn owned_by(&self, member: u16) -> impl Iterator<Item = u32> {
        self.owner.iter().enumerate().filter(move |(_, owner)| **owner == Some(member)).map(|(partition, _)| partition as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_shared_out_as_kafkas_range_assignor_does() {
        let check = |partitions, members: &[u16], expect: &[u16]| {
            let owners: Vec<u16> = range(partitions, members).into_iter().flatten().collect();
            assert_eq!(owners, expect);
        };
        check(7, &[0, 1, 2], &[0, 0, 0, 1, 1, 2, 2]);
        check(6, &[0, 1], &[0, 0, 0, 1, 1, 1]);
        check(3, &[0, 1], &[0, 0, 1]);
        check(2, &[0, 1, 2], &[0, 1]);
        assert_eq!(range(2, &[]), [None, None]);
    }
}
