//! The server's uniform assignor where everyone wants the same topics.

use super::plain::share;
use super::{Assignment, Subscription, count, partitions};

/// Assigns: the first members may have one more; each keeps up to its quota of its last target, topic by topic, and the
/// rest goes to whoever has room, in order.
pub(super) fn uniform(counts: &[u32], members: &[Subscription]) -> Assignment {
    let Some(first) = members.first() else { return Vec::new() };
    let mut topics = first.topics.clone();
    topics.sort_unstable();
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
        let mut owned = member.owned.clone();
        owned.sort_unstable();
        for partition in owned.into_iter().filter(|held| topics.contains(&held.topic)) {
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
        kept.sort_unstable();
    }
    given
}
