//! Who gets which partition: the assignors of Kafka's Java client, which the group's leader runs, and those of the
//! KIP-848 coordinator, which run on the server.
//!
//! Topics and members are numbers that sort as their names do. Where the Java code walks a hash map of member ids, the
//! order of the given slice is that order; [`java_order`](super::script::java_order) works it out from names.
//!
//! Sources: Kafka 4.0 `RangeAssignor`, `RoundRobinAssignor`, `AbstractStickyAssignor`, `CooperativeStickyAssignor`
//! (clients); `RangeAssignor`, `UniformHomogeneousAssignmentBuilder`, `UniformHeterogeneousAssignmentBuilder`
//! (group-coordinator). Racks are not modelled: without `client.rack` the Java code takes the paths that are here.

mod general;
mod plain;
mod server;
mod sticky;
mod uneven;

/// A partition of a topic. Sorts by topic, then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partition {
    /// The topic's number.
    pub topic: u32,
    /// The partition's number within its topic.
    pub index: u32,
}

/// What the assignor knows of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscription {
    /// The member's id, as a number that sorts as the id does.
    pub member: u32,
    /// `group.instance.id`, as a number that sorts as the id does. Static members come first in range and round robin.
    pub instance: Option<u32>,
    /// Topics that it wants.
    pub topics: Vec<u32>,
    /// What it owned when it joined; for the server's assignors, its last target.
    pub owned: Vec<Partition>,
    /// The generation in which it owned that.
    pub generation: Option<u32>,
}

/// What each member gets, in the order of the subscriptions, its partitions in the order in which Kafka lists them.
pub type Assignment = Vec<Vec<Partition>>;

/// `partition.assignment.strategy` of a classic group, or `group.remote.assignor` of a KIP-848 group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Ranges of each topic by itself; eager.
    #[default]
    Range,
    /// All partitions of all topics in turn; eager.
    RoundRobin,
    /// Balanced, and as few moves as possible; eager.
    Sticky,
    /// The same, but nobody gets a partition that another member still has to give up.
    CooperativeSticky,
    /// The server's: balanced, and as few moves as possible.
    Uniform,
    /// The server's: ranges of each topic, members sorted anew each time.
    ServerRange,
}

impl Strategy {
    /// Whether members keep what they own through a rebalance.
    #[must_use]
    pub const fn is_incremental(self) -> bool {
        matches!(self, Self::CooperativeSticky | Self::Uniform | Self::ServerRange)
    }
}

/// Assigns. `counts` is the number of partitions of each topic, by topic number; a topic without an entry does not exist.
#[must_use]
pub fn assign(strategy: Strategy, counts: &[u32], members: &[Subscription]) -> Assignment {
    if members.is_empty() {
        return Vec::new();
    }
    match strategy {
        Strategy::Range | Strategy::ServerRange => plain::range(counts, members),
        Strategy::RoundRobin => plain::round_robin(counts, members),
        Strategy::Sticky => sticky::sticky(counts, members).0,
        Strategy::CooperativeSticky => sticky::cooperative(counts, members),
        Strategy::Uniform => {
            if same_topics(members) {
                server::uniform(counts, members)
            } else {
                uneven::uniform(counts, members)
            }
        }
    }
}

/// How many partitions a topic has.
fn count(counts: &[u32], topic: u32) -> u32 {
    counts.get(topic as usize).copied().unwrap_or(0)
}

/// Whether everyone wants the same topics, as the coordinator counts subscriptions.
fn same_topics(members: &[Subscription]) -> bool {
    members.windows(2).all(|pair| same_set(&pair[0].topics, &pair[1].topics))
}

/// Whether two lists hold the same topics.
fn same_set(one: &[u32], other: &[u32]) -> bool {
    one.len() == other.len() && one.iter().all(|topic| other.contains(topic))
}

/// The partitions of the given topics that exist, in order.
fn partitions<'a>(counts: &'a [u32], topics: &'a [u32]) -> impl Iterator<Item = Partition> + 'a {
    topics.iter().flat_map(|&topic| (0..count(counts, topic)).map(move |index| Partition { topic, index }))
}

/// Every topic that someone wants, each once, in order.
fn wanted(members: &[Subscription]) -> Vec<u32> {
    let mut topics: Vec<u32> = members.iter().flat_map(|member| member.topics.iter().copied()).collect();
    crate::order::sort(&mut topics);
    topics.dedup();
    topics
}
