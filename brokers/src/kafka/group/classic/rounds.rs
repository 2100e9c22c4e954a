//! How a rebalance of the classic protocol goes on: who is waited for, when the join phase ends, who is dropped.

use super::{Answer, Classic, Join, Member, Phase, Round, Waits};
use crate::kafka::group::{Fault, MemberId, Removal, Who};

impl Classic {
    pub(super) fn find(&self, who: Who) -> Result<usize, Fault> {
        if who.instance.is_some() {
            let holder = self.holder(who.instance).ok_or(Fault::UnknownMemberId)?;
            return if self.members[holder].who == who { Ok(holder) } else { Err(Fault::FencedInstanceId) };
        }
        self.members.iter().position(|member| member.who == who).ok_or(Fault::UnknownMemberId)
    }

    pub(super) fn holder(&self, instance: Option<u32>) -> Option<usize> {
        self.members.iter().position(|member| member.who.instance == instance)
    }

    pub(super) fn ids(&self, which: impl Fn(&Member) -> bool) -> Vec<MemberId> {
        self.members.iter().filter(|member| which(member)).map(|member| member.who.member).collect()
    }

    pub(super) fn set_join(&mut self, at: usize, id: MemberId, instance: Option<u32>, mut join: Join) {
        join.subscription.member = id.0;
        join.subscription.instance = instance;
        self.members[at].who = Who { member: id, instance };
        self.members[at].join = join;
    }

    pub(super) fn touch(&mut self, now_us: u64, at: usize) {
        let member = &mut self.members[at];
        member.session_due_us = Some(now_us.saturating_add(member.join.session_us));
    }

    pub(super) fn rebalance_us(&self) -> u64 {
        self.members.iter().map(|member| member.join.rebalance_us).max().unwrap_or(0)
    }

    pub(super) fn all_joined(&self) -> bool {
        self.members.iter().all(|member| member.waits == Waits::Join)
    }

    pub(super) fn rebalance_or_complete(&mut self, now_us: u64) {
        match self.phase {
            Phase::PreparingRebalance if self.all_joined() && !self.initial_runs() => self.complete(now_us),
            Phase::PreparingRebalance => {}
            Phase::Empty | Phase::CompletingRebalance | Phase::Stable => self.prepare(now_us),
        }
    }

    pub(super) fn initial_runs(&self) -> bool {
        self.round.is_some_and(|round| round.initial.is_some())
    }

    pub(super) fn prepare(&mut self, now_us: u64) {
        if self.phase == Phase::CompletingRebalance {
            for member in &mut self.members {
                member.assigned.clear();
            }
            self.answer_syncs(now_us, Some(Fault::RebalanceInProgress));
        }
        self.sync_due_us = None;
        for member in &mut self.members {
            member.owes_sync = false;
        }
        let was_empty = self.phase == Phase::Empty;
        self.phase = Phase::PreparingRebalance;
        if was_empty {
            self.grew = false;
            let left_us = self.rebalance_us().saturating_sub(self.initial_delay_us);
            let due_us = now_us.saturating_add(self.initial_delay_us);
            self.round = Some(Round { due_us, initial: Some((self.initial_delay_us, left_us)) });
        } else if self.all_joined() {
            self.complete(now_us);
        } else {
            self.round = Some(Round { due_us: now_us.saturating_add(self.rebalance_us()), initial: None });
        }
    }

    pub(super) fn round_over(&mut self, now_us: u64, round: Round) {
        match round.initial {
            Some((delay_us, left_us)) if self.grew && left_us > 0 => {
                self.grew = false;
                let next_us = self.initial_delay_us.min(left_us);
                let initial = Some((next_us, left_us.saturating_sub(delay_us)));
                self.round = Some(Round { due_us: now_us.saturating_add(next_us), initial });
            }
            _ => self.complete(now_us),
        }
    }

    /// The join phase ends: who has not joined is out, unless it is static.
    pub(super) fn complete(&mut self, now_us: u64) {
        self.round = None;
        let late = self.ids(|member| member.waits != Waits::Join && member.who.instance.is_none());
        self.drop_members(now_us, &late);
        let joined = |member: &&Member| member.waits == Waits::Join;
        let leads = self.members.iter().find(|member| Some(member.who.member) == self.leader).filter(joined);
        let leader = leads.or_else(|| self.members.iter().find(joined)).map(|member| member.who.member);
        if leader.is_none() && !self.members.is_empty() {
            self.round = Some(Round { due_us: now_us.saturating_add(self.rebalance_us()), initial: None });
            return;
        }
        self.leader = leader;
        self.generation = self.generation.wrapping_add(1);
        if self.members.is_empty() {
            self.phase = Phase::Empty;
            return;
        }
        self.phase = Phase::CompletingRebalance;
        self.sync_due_us = Some(now_us.saturating_add(self.rebalance_us()));
        for at in 0..self.members.len() {
            if self.members[at].waits == Waits::Join {
                self.answer_joined(at);
                self.members[at].waits = Waits::Nothing;
                self.members[at].is_new = false;
                self.members[at].owes_sync = true;
                self.touch(now_us, at);
            }
        }
    }

    pub(super) fn answer_joined(&mut self, at: usize) {
        let id = self.members[at].who.member;
        let leads = self.leader == Some(id) && self.phase != Phase::Stable;
        let everyone = self.members.iter().map(|member| member.join.subscription.clone());
        let members = if leads { everyone.collect() } else { Vec::new() };
        self.answers.push((id, Answer::Joined { generation: self.generation, members }));
    }

    pub(super) fn answer_syncs(&mut self, now_us: u64, fault: Option<Fault>) {
        for at in 0..self.members.len() {
            if self.members[at].waits == Waits::Sync {
                self.members[at].waits = Waits::Nothing;
                let answer = fault.map_or_else(|| Answer::Synced(self.members[at].assigned.clone()), Answer::Failed);
                self.answers.push((self.members[at].who.member, answer));
                self.touch(now_us, at);
            }
        }
    }

    pub(super) fn drop_members(&mut self, now_us: u64, late: &[MemberId]) {
        for &id in late {
            self.removals.push((now_us, id, Removal::RebalanceTimeout));
        }
        self.members.retain(|member| !late.contains(&member.who.member));
        self.keep_leader();
    }

    pub(super) fn remove(&mut self, now_us: u64, at: usize, why: Removal) {
        let member = self.members.remove(at);
        if member.waits == Waits::Join {
            self.answers.push((member.who.member, Answer::Failed(Fault::UnknownMemberId)));
        }
        self.removals.push((now_us, member.who.member, why));
        self.keep_leader();
        match self.phase {
            Phase::PreparingRebalance if self.all_joined() => self.complete(now_us),
            Phase::Empty | Phase::PreparingRebalance => {}
            Phase::CompletingRebalance | Phase::Stable => self.prepare(now_us),
        }
    }

    pub(super) fn keep_leader(&mut self) {
        if !self.members.iter().any(|member| Some(member.who.member) == self.leader) {
            self.leader = self.members.first().map(|member| member.who.member);
        }
    }
}
