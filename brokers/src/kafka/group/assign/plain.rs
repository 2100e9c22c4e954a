//! The assignors without memory: range and round robin.

use super::{Assignment, Partition, Subscription, count, partitions, wanted};

/// Positions of the members in the order of the Java client: static members first, by instance id, then the others by id.
fn in_order(members: &[Subscription]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_unstable_by_key(|&at| match members[at].instance {
        Some(instance) => (0, instance, members[at].member),
        None => (1, members[at].member, 0),
    });
    order
}

/// Ranges: each topic by itself, the first members of its subscribers get one more.
///
/// The server's assignor of 4.0 makes the same ranges: it sorts members the same way and keeps no old partitions.
pub(super) fn range(counts: &[u32], members: &[Subscription]) -> Assignment {
    let mut given = vec![Vec::new(); members.len()];
    let order = in_order(members);
    for topic in wanted(members) {
        let takers: Vec<usize> = order.iter().copied().filter(|&at| members[at].topics.contains(&topic)).collect();
        let (share, extra) = share(count(counts, topic), takers.len());
        let mut next = 0;
        for (place, &at) in (0..).zip(&takers) {
            let end = next + share + u32::from(place < extra);
            given[at].extend((next..end).map(|index| Partition { topic, index }));
            next = end;
        }
    }
    given
}

/// Round robin over all partitions of all topics; who does not want a topic is passed over.
pub(super) fn round_robin(counts: &[u32], members: &[Subscription]) -> Assignment {
    let mut given = vec![Vec::new(); members.len()];
    let order = in_order(members);
    let mut turn = 0;
    for partition in partitions(counts, &wanted(members)) {
        for _ in 0..order.len() {
            let at = order[turn];
            turn = (turn + 1) % order.len();
            if members[at].topics.contains(&partition.topic) {
                given[at].push(partition);
                break;
            }
        }
    }
    given
}

/// How many each gets at least, and how many get one more.
pub(super) fn share(total: u32, takers: usize) -> (u32, u32) {
    let takers = u32::try_from(takers).unwrap_or(u32::MAX).max(1);
    (total / takers, total % takers)
}
