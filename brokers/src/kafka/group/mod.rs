//! Kafka's consumer side: assignors, the group coordinator with its two protocols, the clients of its members, and share
//! groups.
//!
//! [`Consumers`](consumers::Consumers) is the compact way in: a group with the clients of its members, driven by what the
//! processes do. [`Classic`](classic::Classic) and [`Modern`](modern::Modern) are the coordinators alone.

pub mod assign;
pub mod classic;
mod client;
pub mod consumers;
mod events;
mod handling;
pub mod member;
pub mod modern;
pub mod profile;
pub mod script;
pub mod share;
pub mod share_script;

pub use assign::{Partition, Strategy, Subscription};

/// A member's id, given by the coordinator when it joins and never given again. Sorts as the ids do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberId(pub u32);

/// Who calls: the member's id, with its `group.instance.id` if it is static.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    /// The member's id.
    pub member: MemberId,
    /// Its `group.instance.id`, as a number.
    pub instance: Option<u32>,
}

/// Why the coordinator said no, under Kafka's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `UNKNOWN_MEMBER_ID`: not, or no longer, a member.
    UnknownMemberId,
    /// `ILLEGAL_GENERATION`: the call names another generation than the group's.
    IllegalGeneration,
    /// `REBALANCE_IN_PROGRESS`: join again.
    RebalanceInProgress,
    /// `FENCED_INSTANCE_ID`: a newer process has this `group.instance.id`.
    FencedInstanceId,
    /// `UNRELEASED_INSTANCE_ID`: another member of a KIP-848 group still has this `group.instance.id`.
    UnreleasedInstanceId,
    /// `FENCED_MEMBER_EPOCH`: give up all partitions and join again.
    FencedMemberEpoch,
    /// `STALE_MEMBER_EPOCH`: a commit with another epoch than the member's.
    StaleMemberEpoch,
    /// `GROUP_MAX_SIZE_REACHED`: the group has as many members as it may.
    GroupMaxSizeReached,
}

/// Why the coordinator took a member out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// No heartbeat for the session timeout.
    SessionTimeout,
    /// It did not join again, give up partitions or sync within the rebalance timeout.
    RebalanceTimeout,
    /// It left.
    Left,
    /// It left because its handler took longer than `max.poll.interval.ms`.
    PollTimeout,
    /// A newer process took its `group.instance.id`.
    Fenced,
}

/// The most members a group takes: bounds the work of one assignment. `group.max.size` has no limit by default in Kafka.
pub const MAX_MEMBERS: usize = 1_000;

/// The earlier of two moments that may not come.
fn sooner(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
