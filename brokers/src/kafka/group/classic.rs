//! The coordinator of a group of the classic protocol: joins, syncs, heartbeats, sessions, generations.
//!
//! A rebalance gathers every member's join, tells the leader who is there, and hands out what the leader assigns. It ends
//! when all known members have joined, or drops the others when the longest `max.poll.interval.ms` of them has passed.
//!
//! Source: Kafka 4.0 `GroupMetadataManager` (classic group), `ClassicGroup`, `ClassicGroupMember`,
//! `OffsetMetadataManager`. The extra round trip for `MEMBER_ID_REQUIRED` is left to whoever counts round trips.

use super::{Fault, MAX_MEMBERS, MemberId, Partition, Removal, Subscription, Who, sooner};

mod rounds;

/// How long a process that has asked to join for the first time is waited for, whatever its session timeout.
const NEW_MEMBER_US: u64 = 300_000_000;

/// What a member says when it joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// Topics, what it owns, and the generation in which it got that.
    pub subscription: Subscription,
    /// `session.timeout.ms`, in microseconds.
    pub session_us: u64,
    /// The rebalance timeout, which is its `max.poll.interval.ms`, in microseconds.
    pub rebalance_us: u64,
}

/// What the coordinator answers later to a join or a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The join is over.
    Joined {
        /// The generation that the member is now in.
        generation: u32,
        /// For the leader everyone's subscription, for whom it is to assign. Empty for the others, and for a static leader
        /// that came back: nothing is to be assigned anew.
        members: Vec<Subscription>,
    },
    /// The sync is over: all that the member has from now on.
    Synced(Vec<Partition>),
    /// The join or sync failed.
    Failed(Fault),
}

/// How far a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No members.
    Empty,
    /// Waits for everyone to join.
    PreparingRebalance,
    /// Waits for the leader's assignment.
    CompletingRebalance,
    /// Everyone has, or can fetch, its assignment.
    Stable,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Waits {
    #[default]
    Nothing,
    Join,
    Sync,
}

#[derive(Clone, Debug)]
struct Member {
    who: Who,
    join: Join,
    waits: Waits,
    /// It has not been through a join yet.
    is_new: bool,
    /// It has joined this generation and not synced.
    owes_sync: bool,
    /// When its session ends. `None` while only a join or sync can set it again.
    session_due_us: Option<u64>,
    assigned: Vec<Partition>,
}

/// When the join phase ends at the latest.
#[derive(Clone, Copy, Debug)]
struct Round {
    due_us: u64,
    /// For a group that was empty: the delay that passes, and how much of the rebalance timeout is left after it.
    initial: Option<(u64, u64)>,
}

/// A group.
#[derive(Clone, Debug)]
pub struct Classic {
    phase: Phase,
    generation: u32,
    initial_delay_us: u64,
    leader: Option<MemberId>,
    members: Vec<Member>,
    round: Option<Round>,
    /// Someone joined while the initial delay passed.
    grew: bool,
    sync_due_us: Option<u64>,
    next_id: u32,
    answers: Vec<(MemberId, Answer)>,
    removals: Vec<(u64, MemberId, Removal)>,
}

impl Classic {
    /// An empty group; `group.initial.rebalance.delay.ms` in microseconds.
    #[must_use]
    pub const fn new(initial_delay_us: u64) -> Self {
        Self {
            phase: Phase::Empty,
            generation: 0,
            initial_delay_us,
            leader: None,
            members: Vec::new(),
            round: None,
            grew: false,
            sync_due_us: None,
            next_id: 0,
            answers: Vec::new(),
            removals: Vec::new(),
        }
    }

    /// How far the group is.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The group's generation; 0 before the first.
    #[must_use]
    pub const fn generation(&self) -> u32 {
        self.generation
    }

    /// Who assigns.
    #[must_use]
    pub const fn leader(&self) -> Option<MemberId> {
        self.leader
    }

    /// The members' ids.
    pub fn members(&self) -> impl Iterator<Item = MemberId> + '_ {
        self.members.iter().map(|member| member.who.member)
    }

    /// A member joins: with its id if it has one. The answer comes later; this only says with which id to wait for it.
    ///
    /// # Errors
    /// `UNKNOWN_MEMBER_ID`, `FENCED_INSTANCE_ID` or `GROUP_MAX_SIZE_REACHED`.
    pub fn join(&mut self, now_us: u64, id: Option<MemberId>, instance: Option<u32>, join: Join) -> Result<MemberId, Fault> {
        self.advance(now_us);
        let Some(id) = id else { return self.join_new(now_us, instance, join) };
        let at = self.find(Who { member: id, instance })?;
        let same = self.members[at].join.subscription == Subscription { member: id.0, instance, ..join.subscription.clone() };
        let again = match self.phase {
            Phase::Empty => return Err(Fault::UnknownMemberId),
            Phase::PreparingRebalance => true,
            Phase::CompletingRebalance => !same,
            Phase::Stable => !same || self.leader == Some(id),
        };
        if !again {
            self.answer_joined(at);
            return Ok(id);
        }
        self.set_join(at, id, instance, join);
        self.members[at].waits = Waits::Join;
        self.rebalance_or_complete(now_us);
        Ok(id)
    }

    fn join_new(&mut self, now_us: u64, instance: Option<u32>, join: Join) -> Result<MemberId, Fault> {
        let id = MemberId(self.next_id);
        if let Some(at) = instance.and_then(|_| self.holder(instance)) {
            self.next_id += 1;
            self.replace(now_us, at, id, instance, join);
            return Ok(id);
        }
        if self.members.len() >= MAX_MEMBERS {
            return Err(Fault::GroupMaxSizeReached);
        }
        self.next_id += 1;
        // A group that was empty waits for its first delay, and again for everyone who comes in it.
        self.grew |= self.round.is_some_and(|round| round.initial.is_some());
        self.members.push(Member {
            who: Who { member: id, instance },
            join: join.clone(),
            waits: Waits::Join,
            is_new: true,
            owes_sync: false,
            session_due_us: Some(now_us.saturating_add(NEW_MEMBER_US)),
            assigned: Vec::new(),
        });
        self.set_join(self.members.len() - 1, id, instance, join);
        self.leader = self.leader.or(Some(id));
        self.rebalance_or_complete(now_us);
        Ok(id)
    }

    /// A process takes over a static member: it gets the member's place and partitions under a new id, and the older process
    /// is fenced. Nobody else hears of it where the group is stable.
    fn replace(&mut self, now_us: u64, at: usize, id: MemberId, instance: Option<u32>, join: Join) {
        let old = self.members[at].who.member;
        if self.members[at].waits != Waits::Nothing {
            self.answers.push((old, Answer::Failed(Fault::FencedInstanceId)));
        }
        self.removals.push((now_us, old, Removal::Fenced));
        let leads = self.leader == Some(old);
        if leads {
            self.leader = Some(id);
        }
        self.set_join(at, id, instance, join);
        self.members[at].waits = Waits::Nothing;
        self.touch(now_us, at);
        match self.phase {
            Phase::Stable | Phase::Empty => {
                self.members[at].owes_sync = false;
                self.answers.push((id, Answer::Joined { generation: self.generation, members: Vec::new() }));
            }
            Phase::PreparingRebalance | Phase::CompletingRebalance => {
                self.members[at].waits = Waits::Join;
                self.rebalance_or_complete(now_us);
            }
        }
    }

    /// A member fetches its assignment; the leader brings everyone's. The answer comes later.
    ///
    /// # Errors
    /// `UNKNOWN_MEMBER_ID`, `FENCED_INSTANCE_ID`, `ILLEGAL_GENERATION`, `REBALANCE_IN_PROGRESS`.
    pub fn sync(
        &mut self,
        now_us: u64,
        who: Who,
        generation: u32,
        assigned: Vec<(MemberId, Vec<Partition>)>,
    ) -> Result<(), Fault> {
        self.advance(now_us);
        let at = self.find(who)?;
        if generation != self.generation {
            return Err(Fault::IllegalGeneration);
        }
        match self.phase {
            Phase::Empty => return Err(Fault::UnknownMemberId),
            Phase::PreparingRebalance => return Err(Fault::RebalanceInProgress),
            Phase::CompletingRebalance => {
                self.members[at].owes_sync = false;
                self.members[at].waits = Waits::Sync;
                if self.leader == Some(who.member) {
                    for member in &mut self.members {
                        let given = assigned.iter().find(|(id, _)| *id == member.who.member);
                        member.assigned = given.map(|(_, given)| given.clone()).unwrap_or_default();
                    }
                    self.phase = Phase::Stable;
                    self.answer_syncs(now_us, None);
                }
            }
            Phase::Stable => {
                self.members[at].owes_sync = false;
                self.answers.push((who.member, Answer::Synced(self.members[at].assigned.clone())));
                self.touch(now_us, at);
            }
        }
        if self.members.iter().all(|member| !member.owes_sync) {
            self.sync_due_us = None;
        }
        Ok(())
    }

    /// A member lives.
    ///
    /// # Errors
    /// `REBALANCE_IN_PROGRESS` tells it to join again, and keeps its session; the others do not.
    pub fn heartbeat(&mut self, now_us: u64, who: Who, generation: u32) -> Result<(), Fault> {
        self.advance(now_us);
        let at = self.find(who)?;
        if generation != self.generation {
            return Err(Fault::IllegalGeneration);
        }
        self.touch(now_us, at);
        match self.phase {
            Phase::Empty => Err(Fault::UnknownMemberId),
            Phase::PreparingRebalance => Err(Fault::RebalanceInProgress),
            Phase::CompletingRebalance | Phase::Stable => Ok(()),
        }
    }

    /// Whether the group takes a commit of this member. A commit keeps the session as a heartbeat does.
    ///
    /// # Errors
    /// `UNKNOWN_MEMBER_ID`, `FENCED_INSTANCE_ID`, `ILLEGAL_GENERATION`; `REBALANCE_IN_PROGRESS` between join and sync.
    pub fn commit(&mut self, now_us: u64, who: Who, generation: u32) -> Result<(), Fault> {
        self.advance(now_us);
        let at = self.find(who)?;
        if generation != self.generation {
            return Err(Fault::IllegalGeneration);
        }
        if self.phase == Phase::CompletingRebalance {
            return Err(Fault::RebalanceInProgress);
        }
        self.touch(now_us, at);
        Ok(())
    }

    /// A member leaves, saying so; `why` is only told on.
    ///
    /// # Errors
    /// `UNKNOWN_MEMBER_ID`, `FENCED_INSTANCE_ID`.
    pub fn leave(&mut self, now_us: u64, who: Who, why: Removal) -> Result<(), Fault> {
        self.advance(now_us);
        let at = self.find(who)?;
        self.remove(now_us, at, why);
        Ok(())
    }

    /// When something happens next without a call.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let session = self.members.iter().filter_map(|member| member.session_due_us).min();
        sooner(session, sooner(self.round.map(|round| round.due_us), self.sync_due_us))
    }

    /// Lets everything happen that is due up to now, in order.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|&due_us| due_us <= now_us) {
            if let Some(round) = self.round.filter(|round| round.due_us == due_us) {
                self.round_over(due_us, round);
            } else if self.sync_due_us == Some(due_us) {
                self.sync_due_us = None;
                let late: Vec<MemberId> = self.ids(|member| member.owes_sync);
                self.drop_members(due_us, &late);
                self.prepare(due_us);
            } else if let Some(at) = self.members.iter().position(|member| member.session_due_us == Some(due_us)) {
                let member = &mut self.members[at];
                member.session_due_us = None;
                if member.is_new || member.waits == Waits::Nothing {
                    self.remove(due_us, at, Removal::SessionTimeout);
                }
            }
        }
    }

    /// Answers to joins and syncs since the last time someone asked, in order.
    pub fn take_answers(&mut self) -> Vec<(MemberId, Answer)> {
        std::mem::take(&mut self.answers)
    }

    /// Who was taken out since the last time someone asked, when and why, in order.
    pub fn take_removals(&mut self) -> Vec<(u64, MemberId, Removal)> {
        std::mem::take(&mut self.removals)
    }
}
