//! The sticky assignors of the Java client: what is owned stays where it is, as far as balance allows.

use super::plain::share;
use super::{Assignment, Partition, Subscription, count, general, partitions, same_set, wanted};

/// What was owned by whom before, by the rules for conflicting claims.
pub(super) struct Claims {
    /// What each member may call its own.
    pub owned: Vec<Vec<Partition>>,
    /// Partitions that two members claim for one generation: nobody keeps them.
    contested: Vec<Partition>,
    /// The highest generation that anyone reports.
    pub generation: Option<u32>,
}

/// The sticky assignment, and the partitions that change hands, with their new members. The second is `None` where the
/// general algorithm ran, which does not keep it.
pub(super) fn sticky(counts: &[u32], members: &[Subscription]) -> (Assignment, Option<Vec<(Partition, usize)>>) {
    let claims = claims(counts, members);
    if all_equal(members) {
        let mut constrained = Constrained::new(counts, members, &claims);
        constrained.keep(&claims.owned);
        constrained.fill(counts, members);
        (constrained.given, Some(constrained.moves))
    } else {
        (general::assign(counts, members, claims), None)
    }
}

/// The cooperative assignment: a partition that changes hands is given to nobody yet. Its member gives it up, joins again,
/// and the next round gives it away.
pub(super) fn cooperative(counts: &[u32], members: &[Subscription]) -> Assignment {
    let (mut given, moves) = sticky(counts, members);
    let moves = moves.unwrap_or_else(|| changed_hands(members, &given));
    for (partition, to) in moves {
        given[to].retain(|&held| held != partition);
    }
    given
}

/// Partitions that one member gets and another loses.
fn changed_hands(members: &[Subscription], given: &Assignment) -> Vec<(Partition, usize)> {
    let lost = |partition: Partition| {
        let mut both = members.iter().zip(given);
        both.any(|(member, given)| member.owned.contains(&partition) && !given.contains(&partition))
    };
    let mut moves = Vec::new();
    for (at, (member, given)) in members.iter().zip(given).enumerate() {
        let added = given.iter().filter(|&&partition| !member.owned.contains(&partition) && lost(partition));
        moves.extend(added.map(|&partition| (partition, at)));
    }
    moves
}

/// Whether everyone wants the same topics, as the Java client finds out: a member without topics sets no standard.
fn all_equal(members: &[Subscription]) -> bool {
    let mut standard: &[u32] = &[];
    for member in members {
        if standard.is_empty() {
            standard = &member.topics;
        } else if !same_set(standard, &member.topics) {
            return false;
        }
    }
    true
}

/// Sorts out who owned what: of two generations the newer counts, two claims for one generation cancel each other.
fn claims(counts: &[u32], members: &[Subscription]) -> Claims {
    let topics = wanted(members);
    let exists = |held: &&Partition| topics.contains(&held.topic) && held.index < count(counts, held.topic);
    let mut owned: Vec<Vec<Partition>> = vec![Vec::new(); members.len()];
    let mut owners: Vec<(Partition, usize)> = Vec::new();
    let mut contested = Vec::new();
    for (at, member) in members.iter().enumerate() {
        for &partition in member.owned.iter().filter(exists) {
            let Some(claim) = owners.iter_mut().find(|(claimed, _)| *claimed == partition) else {
                owned[at].push(partition);
                owners.push((partition, at));
                continue;
            };
            let other = claim.1;
            if member.generation < members[other].generation {
                continue;
            }
            owned[other].retain(|&held| held != partition);
            claim.1 = at;
            if member.generation == members[other].generation {
                contested.push(partition);
            } else {
                owned[at].push(partition);
            }
        }
    }
    Claims { owned, contested, generation: members.iter().filter_map(|member| member.generation).max() }
}

/// The algorithm for equal subscriptions: every member ends with the least share or one more.
struct Constrained {
    least: usize,
    most: usize,
    /// How many members may have one more than the least share.
    larger: usize,
    /// How many have it already.
    larger_so_far: usize,
    /// Members that still need partitions to reach the least share.
    short: Vec<usize>,
    /// Members with exactly the least share that may get one more.
    even: Vec<usize>,
    /// Partitions that their member could not keep.
    revoked: Vec<(Partition, usize)>,
    contested: Vec<Partition>,
    given: Assignment,
    moves: Vec<(Partition, usize)>,
}

impl Constrained {
    fn new(counts: &[u32], members: &[Subscription], claims: &Claims) -> Self {
        let total: u32 = wanted(members).iter().map(|&topic| count(counts, topic)).sum();
        let (least, larger) = share(total, members.len());
        Self {
            least: least as usize,
            most: (least + u32::from(larger > 0)) as usize,
            larger: larger as usize,
            larger_so_far: 0,
            short: Vec::new(),
            even: Vec::new(),
            revoked: Vec::new(),
            contested: claims.contested.clone(),
            given: vec![Vec::new(); members.len()],
            moves: Vec::new(),
        }
    }

    /// Everyone keeps up to its share, lowest partition numbers first.
    fn keep(&mut self, owned: &[Vec<Partition>]) {
        for (at, owned) in owned.iter().enumerate() {
            let mut own: Vec<Partition> = owned.iter().copied().filter(|held| !self.contested.contains(held)).collect();
            crate::order::sort_by_key(&mut own, |partition| (partition.index, partition.topic));
            let kept = if own.len() < self.least {
                self.short.push(at);
                own.len()
            } else if own.len() >= self.most && self.larger_so_far < self.larger {
                self.larger_so_far += 1;
                if self.larger_so_far == self.larger {
                    self.even.clear();
                }
                self.most
            } else {
                if self.larger_so_far < self.larger {
                    self.even.push(at);
                }
                self.least
            };
            self.revoked.extend(own.drain(kept..).map(|partition| (partition, at)));
            self.given[at] = own;
        }
    }

    /// Gives out the rest in turn: first to who is short, then one each to who has the least share.
    fn fill(&mut self, counts: &[u32], members: &[Subscription]) {
        let mut kept: Vec<Partition> = self.given.concat();
        crate::order::sort(&mut kept);
        crate::order::sort_by_key(&mut self.short, |&at| members[at].member);
        crate::order::sort_by_key(&mut self.even, |&at| members[at].member);
        let topics = wanted(members);
        let mut turn = 0;
        for partition in partitions(counts, &topics).filter(|partition| kept.binary_search(partition).is_err()) {
            if turn >= self.short.len() {
                turn = 0;
            }
            let at = match self.short.get(turn) {
                Some(&at) => at,
                None if self.even.is_empty() => return,
                None => self.even.remove(0),
            };
            self.give(partition, at);
            if self.given[at].len() == self.least {
                self.short.retain(|&other| other != at);
                self.even.push(at);
            } else {
                turn += 1;
            }
        }
    }

    fn give(&mut self, partition: Partition, at: usize) {
        self.given[at].push(partition);
        let from = self.revoked.iter().find(|(revoked, _)| *revoked == partition);
        if from.is_some_and(|&(_, owner)| owner != at) || self.contested.contains(&partition) {
            self.moves.push((partition, at));
        }
    }
}
