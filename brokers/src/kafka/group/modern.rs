//! The coordinator of a KIP-848 group (`group.protocol=consumer`): one call, the heartbeat, and targets made on the server.
//!
//! Whenever a member comes, goes or changes its topics the group's epoch rises, and the next heartbeat of anyone makes a new
//! target. Each member is led to its target alone: first it gives up what is no longer its own and says so in a heartbeat,
//! then it gets what others have given up. Nobody waits for anybody who has nothing to give up.
//!
//! Source: Kafka 4.0 `GroupMetadataManager.consumerGroupHeartbeat`, `CurrentAssignmentBuilder`, `TargetAssignmentBuilder`.
//! Later versions may make targets at intervals (`group.consumer.assignment.interval.ms`); 4.0 makes them at once.

use super::assign::{Strategy, assign};
use super::{Fault, MAX_MEMBERS, MemberId, Partition, Removal, Subscription, Who, sooner};

/// What a heartbeat says beside who sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    /// The member's epoch; 0 joins.
    pub epoch: u32,
    /// Topics that it wants.
    pub topics: Vec<u32>,
    /// What it owns; `None` where nothing changed since the last heartbeat.
    pub owned: Option<Vec<Partition>>,
}

/// What a heartbeat is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The member's epoch from now on.
    pub epoch: u32,
    /// All that it has from now on; `None` where that did not change.
    pub assigned: Option<Vec<Partition>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Stable,
    /// Has to give up partitions first.
    Unrevoked,
    /// Waits for partitions that others have not given up.
    Unreleased,
}

#[derive(Clone, Debug)]
struct Member {
    who: Who,
    epoch: u32,
    previous_epoch: u32,
    stage: Stage,
    topics: Vec<u32>,
    target: Vec<Partition>,
    assigned: Vec<Partition>,
    revoking: Vec<Partition>,
    /// It left for a restart (epoch -2): its place waits for its `group.instance.id` until the session ends.
    away: bool,
    session_due_us: u64,
    revoke_due_us: Option<u64>,
}

impl Member {
    fn has(&self, partition: Partition) -> bool {
        self.assigned.contains(&partition) || self.revoking.contains(&partition)
    }
}

/// What the group is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModernSettings {
    /// `group.consumer.session.timeout.ms`, in microseconds.
    pub session_us: u64,
    /// The members' `max.poll.interval.ms`: how long one may take to give up partitions, in microseconds.
    pub rebalance_us: u64,
    /// `group.remote.assignor`.
    pub assignor: Strategy,
}

/// A group.
#[derive(Clone, Debug)]
pub struct Modern {
    settings: ModernSettings,
    /// Partitions of each topic, by topic number.
    counts: Vec<u32>,
    epoch: u32,
    target_epoch: u32,
    members: Vec<Member>,
    next_id: u32,
    removals: Vec<(u64, MemberId, Removal)>,
}

impl Modern {
    /// An empty group over topics with so many partitions, by topic number.
    #[must_use]
    pub const fn new(settings: ModernSettings, counts: Vec<u32>) -> Self {
        Self { settings, counts, epoch: 0, target_epoch: 0, members: Vec::new(), next_id: 0, removals: Vec::new() }
    }

    /// The epoch of the newest target; 0 before the first.
    #[must_use]
    pub const fn target_epoch(&self) -> u32 {
        self.target_epoch
    }

    /// The members' ids.
    pub fn members(&self) -> impl Iterator<Item = MemberId> + '_ {
        self.members.iter().map(|member| member.who.member)
    }

    /// A process joins and gets its id; the same as a first heartbeat with epoch 0.
    ///
    /// # Errors
    /// `UNRELEASED_INSTANCE_ID`, `GROUP_MAX_SIZE_REACHED`.
    pub fn join(&mut self, now_us: u64, instance: Option<u32>, topics: Vec<u32>) -> Result<(MemberId, Told), Fault> {
        self.advance(now_us);
        let id = MemberId(self.next_id);
        let who = Who { member: id, instance };
        let holder = self.members.iter().position(|member| instance.is_some() && member.who.instance == instance);
        let at = match holder {
            Some(at) if !self.members[at].away => return Err(Fault::UnreleasedInstanceId),
            Some(at) => {
                let member = &mut self.members[at];
                self.epoch += u32::from(member.topics != topics);
                member.away = false;
                at
            }
            None if self.members.len() >= MAX_MEMBERS => return Err(Fault::GroupMaxSizeReached),
            None => {
                self.epoch += 1;
                self.members.push(Member {
                    who,
                    epoch: 0,
                    previous_epoch: 0,
                    stage: Stage::Stable,
                    topics: Vec::new(),
                    target: Vec::new(),
                    assigned: Vec::new(),
                    revoking: Vec::new(),
                    away: false,
                    session_due_us: 0,
                    revoke_due_us: None,
                });
                self.members.len() - 1
            }
        };
        self.next_id += 1;
        self.members[at].who = who;
        self.members[at].topics = topics;
        self.reconcile(now_us, at, Some(&[]));
        let member = &mut self.members[at];
        member.session_due_us = now_us.saturating_add(self.settings.session_us);
        Ok((id, Told { epoch: member.epoch, assigned: Some(member.assigned.clone()) }))
    }

    /// A member lives, says what it owns, and hears what it should own.
    ///
    /// # Errors
    /// `UNKNOWN_MEMBER_ID`, `FENCED_INSTANCE_ID`, `FENCED_MEMBER_EPOCH`: give everything up and join again.
    pub fn heartbeat(&mut self, now_us: u64, who: Who, beat: &Beat) -> Result<Told, Fault> {
        self.advance(now_us);
        let at = self.find(who)?;
        let member = &mut self.members[at];
        let known = beat.epoch == member.epoch
            || beat.epoch == member.previous_epoch
                && beat.owned.as_ref().is_some_and(|owned| owned.iter().all(|held| member.assigned.contains(held)));
        if !known {
            return Err(Fault::FencedMemberEpoch);
        }
        if member.topics != beat.topics {
            member.topics.clone_from(&beat.topics);
            self.epoch += 1;
        }
        let before = self.members[at].assigned.clone();
        self.reconcile(now_us, at, beat.owned.as_deref());
        let member = &mut self.members[at];
        member.session_due_us = now_us.saturating_add(self.settings.session_us);
        let changed = member.assigned != before;
        Ok(Told { epoch: member.epoch, assigned: changed.then(|| member.assigned.clone()) })
    }

    /// Whether the group takes a commit of this member.
    ///
    /// # Errors
    /// `UNKNOWN_MEMBER_ID`, `FENCED_INSTANCE_ID`, `STALE_MEMBER_EPOCH`.
    pub fn commit(&mut self, now_us: u64, who: Who, epoch: u32) -> Result<(), Fault> {
        self.advance(now_us);
        let at = self.find(who)?;
        if self.members[at].epoch == epoch { Ok(()) } else { Err(Fault::StaleMemberEpoch) }
    }

    /// A member leaves. A static one only says that it will be back (`for_good` false): its partitions wait for it.
    ///
    /// # Errors
    /// `UNKNOWN_MEMBER_ID`, `FENCED_INSTANCE_ID`.
    pub fn leave(&mut self, now_us: u64, who: Who, for_good: bool, why: Removal) -> Result<(), Fault> {
        self.advance(now_us);
        let at = self.find(who)?;
        if who.instance.is_some() && !for_good {
            self.members[at].away = true;
            self.members[at].session_due_us = now_us.saturating_add(self.settings.session_us);
        } else {
            self.remove(now_us, at, why);
        }
        Ok(())
    }

    /// Topics have more partitions now, by topic number: the next heartbeat makes a new target.
    pub fn grow(&mut self, counts: Vec<u32>) {
        self.counts = counts;
        self.epoch += u32::from(!self.members.is_empty());
    }

    /// When something happens next without a call.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let session = self.members.iter().map(|member| member.session_due_us).min();
        sooner(session, self.members.iter().filter_map(|member| member.revoke_due_us).min())
    }

    /// Lets everything happen that is due up to now, in order.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|&due_us| due_us <= now_us) {
            let ended = |member: &Member| member.session_due_us == due_us;
            let late = |member: &Member| member.revoke_due_us == Some(due_us);
            if let Some(at) = self.members.iter().position(ended) {
                self.remove(due_us, at, Removal::SessionTimeout);
            } else if let Some(at) = self.members.iter().position(late) {
                self.remove(due_us, at, Removal::RebalanceTimeout);
            }
        }
    }

    /// Who was taken out since the last time someone asked, when and why, in order.
    pub fn take_removals(&mut self) -> Vec<(u64, MemberId, Removal)> {
        std::mem::take(&mut self.removals)
    }

    fn find(&self, who: Who) -> Result<usize, Fault> {
        if who.instance.is_some() {
            let holder = self.members.iter().position(|member| member.who.instance == who.instance);
            let holder = holder.ok_or(Fault::UnknownMemberId)?;
            return if self.members[holder].who == who { Ok(holder) } else { Err(Fault::FencedInstanceId) };
        }
        self.members.iter().position(|member| member.who == who).ok_or(Fault::UnknownMemberId)
    }

    fn remove(&mut self, now_us: u64, at: usize, why: Removal) {
        let member = self.members.remove(at);
        self.epoch += 1;
        self.removals.push((now_us, member.who.member, why));
    }

    /// Makes a new target if the group has changed.
    fn retarget(&mut self) {
        if self.epoch == self.target_epoch {
            return;
        }
        self.target_epoch = self.epoch;
        let subscription = |member: &Member| Subscription {
            member: member.who.member.0,
            instance: member.who.instance,
            topics: member.topics.clone(),
            owned: member.target.clone(),
            generation: None,
        };
        let subscriptions: Vec<Subscription> = self.members.iter().map(subscription).collect();
        let given = assign(self.settings.assignor, &self.counts, &subscriptions);
        for (member, target) in self.members.iter_mut().zip(given) {
            member.target = target;
        }
    }

    /// Leads one member a step towards its target.
    fn reconcile(&mut self, now_us: u64, at: usize, owned: Option<&[Partition]>) {
        self.retarget();
        let member = &self.members[at];
        let may_hold = |revoking: &[Partition]| {
            !revoking.is_empty() && owned.is_none_or(|owned| owned.iter().any(|held| revoking.contains(held)))
        };
        match member.stage {
            Stage::Stable if member.epoch == self.target_epoch => return,
            Stage::Unrevoked if may_hold(&member.revoking) => return,
            Stage::Stable | Stage::Unrevoked | Stage::Unreleased => {}
        }
        let (kept, lost): (Vec<Partition>, Vec<Partition>) =
            member.assigned.iter().partition(|held| member.target.contains(held));
        if may_hold(&lost) {
            let member = &mut self.members[at];
            member.stage = Stage::Unrevoked;
            member.assigned = kept;
            member.revoking = lost;
            member.revoke_due_us = Some(now_us.saturating_add(self.settings.rebalance_us));
            return;
        }
        let others =
            |&&wanted: &&Partition| self.members.iter().enumerate().any(|(other, member)| other != at && member.has(wanted));
        let wanted = member.target.iter().filter(|wanted| !kept.contains(wanted));
        let (busy, free): (Vec<Partition>, Vec<Partition>) = wanted.partition(others);
        let member = &mut self.members[at];
        member.stage = if busy.is_empty() { Stage::Stable } else { Stage::Unreleased };
        member.assigned = kept;
        member.assigned.extend(free);
        crate::order::sort(&mut member.assigned);
        member.revoking.clear();
        member.revoke_due_us = None;
        if member.epoch != self.target_epoch {
            member.previous_epoch = member.epoch;
            member.epoch = self.target_epoch;
        }
    }
}
