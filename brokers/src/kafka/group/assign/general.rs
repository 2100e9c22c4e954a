//! The sticky algorithm for members that want different topics: give out what is free, then move single partitions from
//! fuller members to emptier ones until no move helps.

use super::sticky::Claims;
use super::{Assignment, Partition, Subscription, partitions, wanted};

/// Assigns; see [`super::sticky::sticky`].
pub(super) fn assign(counts: &[u32], members: &[Subscription], claims: Claims) -> Assignment {
    let mut state = State::new(counts, members, claims);
    let free = state.all.iter().copied().filter(|&partition| state.owner(partition).is_none()).collect::<Vec<_>>();
    state.balance(free);
    state.held
}

struct State<'a> {
    counts: &'a [u32],
    members: &'a [Subscription],
    /// Every partition that someone wants: topics that few want come first.
    all: Vec<Partition>,
    held: Vec<Vec<Partition>>,
    /// Members whose partitions may still move.
    active: Vec<usize>,
    /// Who had a partition in an older generation, with that generation.
    before: Vec<(Partition, usize, Option<u32>)>,
    /// Moves so far: partition, first giver, last taker.
    moved: Vec<(Partition, usize, usize)>,
    /// A member owned something of a topic that it no longer wants.
    revocation: bool,
}

impl<'a> State<'a> {
    fn new(counts: &'a [u32], members: &'a [Subscription], claims: Claims) -> Self {
        let mut topics = wanted(members);
        crate::order::sort_by_key(&mut topics, |&topic| (takers(members, topic), topic));
        let mut held = claims.owned;
        let mut revocation = false;
        for (held, member) in held.iter_mut().zip(members) {
            let had = held.len();
            held.retain(|partition| member.topics.contains(&partition.topic));
            revocation |= held.len() < had;
        }
        let mut before: Vec<(Partition, usize, Option<u32>)> = Vec::new();
        for (at, member) in members.iter().enumerate().filter(|(_, member)| member.generation < claims.generation) {
            for &partition in &member.owned {
                match before.iter_mut().find(|(known, ..)| *known == partition) {
                    Some(entry) if member.generation > entry.2 => *entry = (partition, at, member.generation),
                    Some(_) => {}
                    None => before.push((partition, at, member.generation)),
                }
            }
        }
        let all = partitions(counts, &topics).collect();
        let active = (0..members.len()).collect();
        Self { counts, members, all, held, active, before, moved: Vec::new(), revocation }
    }

    fn balance(&mut self, mut free: Vec<Partition>) {
        let initializing = self.held.iter().all(Vec::is_empty);
        for &partition in &free {
            if let Some(at) = self.emptiest(partition.topic) {
                self.held[at].push(partition);
            }
        }
        let members = self.members;
        let may_move = |partition: &Partition| takers(members, partition.topic) >= 2;
        let mut movable = std::mem::take(&mut self.all);
        movable.retain(may_move);
        free.retain(may_move);
        let open = |&at: &usize| self.held[at].len() < self.room(at) || self.held[at].iter().any(may_move);
        self.active = (0..members.len()).filter(open).collect();
        let fallback = self.held.clone();
        if !self.revocation {
            self.reassign(&free);
        }
        if self.reassign(&movable) && !initializing && self.score(&self.held) >= self.score(&fallback) {
            self.held = fallback;
        }
    }

    /// Moves partitions while that improves the balance. Whether any moved.
    fn reassign(&mut self, movable: &[Partition]) -> bool {
        let mut any = false;
        loop {
            let mut modified = false;
            for &partition in movable {
                if self.is_balanced() {
                    break;
                }
                let Some(owner) = self.owner(partition) else { continue };
                let size = self.held[owner].len();
                let earlier = self.before.iter().find(|(known, ..)| *known == partition).map(|entry| entry.1);
                let to = match earlier {
                    Some(earlier) if size > self.held[earlier].len() + 1 => Some(earlier),
                    _ => self.emptiest(partition.topic).filter(|&at| size > self.held[at].len() + 1),
                };
                if let Some(to) = to {
                    self.relocate(partition, owner, to);
                    modified = true;
                }
            }
            any |= modified;
            if !modified {
                return any;
            }
        }
    }

    /// Moves the partition, or in its place one of the same topic that went the opposite way before.
    fn relocate(&mut self, partition: Partition, owner: usize, to: usize) {
        let first = self.moved.iter().find(|(known, ..)| *known == partition).map_or(owner, |&(_, from, _)| from);
        let back = |&&(known, from, at): &&(Partition, usize, usize)| known.topic == partition.topic && from == to && at == first;
        let actual = self.moved.iter().filter(back).map(|&(known, ..)| known).min().unwrap_or(partition);
        let Some(giver) = self.owner(actual) else { return };
        match self.moved.iter().position(|&(known, ..)| known == actual) {
            Some(at) if self.moved[at].1 == to => {
                self.moved.remove(at);
            }
            Some(at) => self.moved[at].2 = to,
            None => self.moved.push((actual, giver, to)),
        }
        self.held[giver].retain(|&held| held != actual);
        self.held[to].push(actual);
    }

    fn is_balanced(&self) -> bool {
        let sizes = self.active.iter().map(|&at| self.held[at].len());
        let (Some(least), Some(most)) = (sizes.clone().min(), sizes.max()) else { return true };
        let gains = |at: usize, partition: Partition| {
            !self.held[at].contains(&partition)
                && self.owner(partition).is_some_and(|owner| self.held[at].len() + 1 < self.held[owner].len())
        };
        let stuck = |at: usize| {
            self.held[at].len() == self.room(at)
                || !partitions(self.counts, &self.members[at].topics).any(|partition| gains(at, partition))
        };
        least + 1 >= most || self.active.iter().all(|&at| stuck(at))
    }

    /// The member with the fewest partitions among those that want the topic and may still change.
    fn emptiest(&self, topic: u32) -> Option<usize> {
        let takers = self.active.iter().copied().filter(|&at| self.members[at].topics.contains(&topic));
        takers.min_by_key(|&at| (self.held[at].len(), self.members[at].member))
    }

    fn owner(&self, partition: Partition) -> Option<usize> {
        self.held.iter().position(|held| held.contains(&partition))
    }

    /// How many partitions a member could have.
    fn room(&self, at: usize) -> usize {
        partitions(self.counts, &self.members[at].topics).count()
    }

    /// The sum of the differences in size over all pairs: less is better balanced.
    fn score(&self, held: &Assignment) -> usize {
        let pairs = |one: usize| self.active.iter().filter(move |&&other| other > one).map(move |&other| (one, other));
        let all = self.active.iter().flat_map(|&one| pairs(one));
        all.map(|(one, other)| held[one].len().abs_diff(held[other].len())).sum()
    }
}

/// How many members want a topic.
fn takers(members: &[Subscription], topic: u32) -> usize {
    members.iter().filter(|member| member.topics.contains(&topic)).count()
}
