//! The server's uniform assignor where members want different topics.

use std::cmp::Ordering;

use super::{Assignment, Partition, Subscription, count, wanted};

/// How often at most all topics are gone through to balance them.
const ROUNDS: u32 = 16;

/// Assigns: keep what is still wanted, give each topic's free partitions to its emptiest subscribers, then balance topic
/// by topic until a whole round moves nothing.
pub(super) fn uniform(counts: &[u32], members: &[Subscription]) -> Assignment {
    let mut given: Assignment = Vec::with_capacity(members.len());
    for member in members {
        let exists = |held: &&Partition| member.topics.contains(&held.topic) && held.index < count(counts, held.topic);
        given.push(member.owned.iter().filter(exists).copied().collect());
    }
    let mut topics: Vec<Topic> = wanted(members).into_iter().map(|topic| Topic::new(counts, members, topic)).collect();
    topics.sort_by(Topic::order);
    for topic in &topics {
        topic.fill(&mut given);
    }
    topics.retain(|topic| topic.takers.len() >= 2);
    let mut last = None;
    for _ in 0..ROUNDS {
        for (at, topic) in topics.iter().enumerate() {
            if last == Some(at) {
                return sorted(given);
            }
            if topic.balance(&mut given) || last.is_none() {
                last = Some(at);
            }
        }
    }
    sorted(given)
}

fn sorted(mut given: Assignment) -> Assignment {
    given.iter_mut().for_each(|held| crate::order::sort(held));
    given
}

/// A topic and who wants it.
struct Topic {
    topic: u32,
    partitions: u32,
    takers: Vec<usize>,
}

impl Topic {
    fn new(counts: &[u32], members: &[Subscription], topic: u32) -> Self {
        let takers = (0..members.len()).filter(|&at| members[at].topics.contains(&topic)).collect();
        Self { topic, partitions: count(counts, topic), takers }
    }

    /// Many partitions a subscriber first, then few subscribers, then by number.
    fn order(&self, other: &Self) -> Ordering {
        let here = u64::from(self.partitions) * other.takers.len() as u64;
        let there = u64::from(other.partitions) * self.takers.len() as u64;
        let few = self.takers.len().cmp(&other.takers.len());
        there.cmp(&here).then(few).then(self.topic.cmp(&other.topic))
    }

    fn owner(&self, given: &Assignment, index: u32) -> Option<usize> {
        let partition = Partition { topic: self.topic, index };
        self.takers.iter().copied().find(|&at| given[at].contains(&partition))
    }

    /// Gives out what nobody has.
    fn fill(&self, given: &mut Assignment) {
        let free: Vec<u32> = (0..self.partitions).filter(|&index| self.owner(given, index).is_none()).collect();
        let mut low = Low::new(&self.takers, given);
        for index in free {
            let to = low.next(given);
            given[to].push(Partition { topic: self.topic, index });
        }
    }

    /// Moves partitions from the fullest subscribers that have some of this topic to the emptiest. Whether any moved.
    fn balance(&self, given: &mut Assignment) -> bool {
        let sizes = self.takers.iter().map(|&at| given[at].len());
        if sizes.clone().max().unwrap_or(0) <= sizes.min().unwrap_or(0) + 1 {
            return false;
        }
        // What each subscriber could give at the start, highest number last.
        let mut stock: Vec<Vec<u32>> = vec![Vec::new(); given.len()];
        for index in 0..self.partitions {
            if let Some(at) = self.owner(given, index) {
                stock[at].push(index);
            }
        }
        let mut low = Low::new(&self.takers, given);
        let mut high = High::new(&self.takers, given);
        let mut moved = false;
        while let Some(from) = high.next(given, &stock) {
            let Some(index) = stock[from].pop() else { break };
            let to = low.next(given);
            if high.level <= low.level + 1 {
                break;
            }
            let partition = Partition { topic: self.topic, index };
            given[from].retain(|&held| held != partition);
            given[to].push(partition);
            moved = true;
        }
        moved
    }
}

/// Subscribers by size, then by place.
fn by_size(takers: &[usize], given: &Assignment) -> Vec<usize> {
    let mut order = takers.to_vec();
    crate::order::sort_by_key(&mut order, |&at| (given[at].len(), at));
    order
}

/// Walks the emptiest subscribers, level by level.
struct Low {
    order: Vec<usize>,
    end: usize,
    next: usize,
    level: i64,
}

impl Low {
    fn new(takers: &[usize], given: &Assignment) -> Self {
        let order = by_size(takers, given);
        let level = order.first().map_or(0, |&at| size(given, at)) - 1;
        Self { order, end: 0, next: 0, level }
    }

    fn next(&mut self, given: &Assignment) -> usize {
        if self.next >= self.end {
            self.level += 1;
            while self.order.get(self.end).is_some_and(|&at| size(given, at) == self.level) {
                self.end += 1;
            }
            self.next = 0;
        }
        self.next += 1;
        self.order.get(self.next - 1).copied().unwrap_or(0)
    }
}

/// Walks the fullest subscribers, level by level, leaving out those without anything to give.
struct High {
    order: Vec<usize>,
    start: usize,
    end: usize,
    /// One past the next place, so that zero means there is none.
    next: usize,
    level: i64,
}

impl High {
    fn new(takers: &[usize], given: &Assignment) -> Self {
        let order = by_size(takers, given);
        let level = order.last().map_or(0, |&at| size(given, at)) + 1;
        Self { start: order.len(), end: order.len(), next: order.len(), level, order }
    }

    fn next(&mut self, given: &Assignment, stock: &[Vec<u32>]) -> Option<usize> {
        loop {
            if self.next <= self.start {
                if self.end <= self.start && self.start > 0 {
                    self.level = size(given, self.order[self.start - 1]);
                } else {
                    self.level -= 1;
                }
                while self.start > 0 && size(given, self.order[self.start - 1]) == self.level {
                    self.start -= 1;
                }
                self.next = self.end;
            }
            let place = self.next.checked_sub(1)?;
            self.next = place;
            let at = self.order[place];
            if !stock[at].is_empty() {
                return Some(at);
            }
            self.end -= 1;
            self.order.swap(place, self.end);
        }
    }
}

fn size(given: &Assignment, at: usize) -> i64 {
    i64::try_from(given[at].len()).unwrap_or(i64::MAX)
}
