//! The server's uniform assignor where everyone wants the same topics.

use super::plain::share;
use super::{Assignment, Partition, Subscription, count, partitions};

/// Assigns: the first members may have one more; each keeps up to its quota of its last target, topic by topic, and the
/// rest goes to whoever has room, in order.
pub(super) fn uniform(counts: &[u32], members: &[Subscription]) -> Assignment {
    let Some(first) = members.first() else { return Vec::new() };
    let mut topics = first.topics.clone();
    crate::order::sort(&mut topics);
    topics.dedup();
    let total = topics.iter().map(|&topic| count(counts, topic)).sum();
    let (least, extra) = share(total, members.len());
    let taken = |partition: &_| members.iter().any(|member| member.owned.contains(partition));
    let mut free: Vec<_> = partitions(counts, &topics).filter(|partition| !taken(partition)).collect();
    let mut given = Vec::with_capacity(members.len());
    let mut room = Vec::with_capacity(members.len());
    for (place, member) in (0..).zip(members) {
        let mut quota = least + u32::from(place < extra);
        let mut kept = Vec::new();
        for partition in as_walked(&member.owned).into_iter().filter(|held| topics.contains(&held.topic)) {
            if quota > 0 {
                quota -= 1;
                kept.push(partition);
            } else {
                free.push(partition);
            }
        }
        given.push(kept);
        room.push(quota);
    }
    let mut free = free.into_iter();
    for (kept, room) in given.iter_mut().zip(room) {
        kept.extend(free.by_ref().take(room as usize));
        crate::order::sort(kept);
    }
    given
}

/// A target in the order in which the server walks it: topic by topic, each topic's set as a Java `HashSet` of so many
/// numbers is walked. Beyond 16 partitions that is not always their order, and who walks last is given away.
fn as_walked(owned: &[Partition]) -> Vec<Partition> {
    let size = |topic: u32| owned.iter().filter(|held| held.topic == topic).count();
    // `new HashSet<>(collection)`: room for its elements at a load of three quarters, 16 at least, a power of two.
    let bins = |topic: u32| (size(topic) * 4 / 3 + 1).max(16).next_power_of_two();
    let bin = |held: &Partition| held.index as usize & (bins(held.topic) - 1);
    let mut walked = owned.to_vec();
    crate::order::sort_by_key(&mut walked, |held| (held.topic, bin(held), held.index));
    walked
}
