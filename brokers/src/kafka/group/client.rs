//! What a member's client library knows of its group.

use super::{MemberId, Partition, Who};
use crate::server::Consumer;

/// Who sends a member's heartbeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heartbeats {
    /// A thread of its own, as in the Java client and librdkafka. It also watches `max.poll.interval.ms`.
    #[default]
    Background,
    /// The consuming code in polls and between records, as in kafkajs: none while a handler runs.
    ByHand,
}

/// A process that wants to be a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joiner {
    /// `group.instance.id`, as a number.
    pub instance: Option<u32>,
    /// Topics that it wants.
    pub topics: Vec<u32>,
    /// Who sends its heartbeats.
    pub heartbeats: Heartbeats,
}

/// How far a client is with joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Not in the group.
    Out,
    /// Has asked to join and waits.
    Joining,
    /// Has joined and waits for its assignment.
    Syncing,
    /// Has its assignment.
    Member,
    /// Fenced: it stops for good.
    Fenced,
}

/// The client of one process.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub process: Consumer,
    pub joiner: Joiner,
    pub id: Option<MemberId>,
    /// Its generation, or its epoch in a KIP-848 group.
    pub generation: Option<u32>,
    pub stage: Stage,
    /// It has to join, and will when it polls.
    pub must_join: bool,
    /// It is no longer a member and will hear of that when it polls: what it owns is lost.
    pub lost: bool,
    pub owned: Vec<Partition>,
    /// Its last assignment, which the sticky assignors are told.
    pub memory: Vec<Partition>,
    /// The generation of that.
    pub memory_generation: Option<u32>,
    /// A KIP-848 assignment that waits for the next poll.
    pub told: Option<Vec<Partition>>,
    /// It is inside of a poll, so that it follows what the group does at once.
    pub polling: bool,
    /// When it last began a poll.
    pub polled_us: u64,
    pub beat_due_us: Option<u64>,
    pub beat_us: u64,
}

impl Client {
    pub const fn new(process: Consumer, joiner: Joiner, now_us: u64) -> Self {
        Self {
            process,
            joiner,
            id: None,
            generation: None,
            stage: Stage::Out,
            must_join: true,
            lost: false,
            owned: Vec::new(),
            memory: Vec::new(),
            memory_generation: None,
            told: None,
            polling: false,
            polled_us: now_us,
            beat_due_us: None,
            beat_us: now_us,
        }
    }

    /// Under which id it calls, if it has one.
    pub fn who(&self) -> Option<Who> {
        self.id.map(|member| Who { member, instance: self.joiner.instance })
    }

    /// Whether its heartbeats go on by themselves: in a poll they always do.
    pub fn beats(&self) -> bool {
        self.polling || self.joiner.heartbeats == Heartbeats::Background
    }

    /// It has heard that it is no member any more.
    pub fn reset(&mut self, keep_id: bool) {
        if !keep_id {
            self.id = None;
        }
        self.generation = None;
        self.stage = Stage::Out;
        self.lost = !self.owned.is_empty();
        self.must_join = true;
        self.told = None;
        self.beat_due_us = None;
    }
}
