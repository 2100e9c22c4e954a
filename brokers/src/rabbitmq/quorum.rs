//! The nodes of a queue: one for a classic queue, three with a leader for a quorum queue.
//!
//! As recorded on a cluster of three: the leader is killed, what is published at that moment is nacked, another leads in
//! under two seconds, and an acknowledgement of an earlier delivery is accepted. With two of three gone nothing answers.

use super::settings::Kind;

/// How long three nodes take to agree on a new leader, in microseconds: under two seconds as recorded.
const ELECTION_US: u64 = 1_500_000;

/// Which nodes are up and which one leads.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    up: Vec<bool>,
    leader: Option<u8>,
    elected_us: Option<u64>,
}

impl Cluster {
    pub(super) fn new(nodes: u8) -> Self {
        Self { up: vec![true; usize::from(nodes.max(1))], leader: Some(0), elected_us: None }
    }

    /// As many nodes as a queue of this type has by default.
    pub(super) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Classic => Self::new(1),
            Kind::Quorum => Self::new(3),
        }
    }

    pub(super) fn leader(&self) -> Option<u8> {
        self.leader
    }

    /// More than half of the nodes are up: what a client says is answered, or sent again to the next leader.
    pub(super) fn up(&self) -> bool {
        self.up.iter().filter(|up| **up).count() * 2 > self.up.len()
    }

    /// Someone leads and can store.
    pub(super) fn answers(&self) -> bool {
        self.leader.is_some() && self.up()
    }

    pub(super) fn kill(&mut self, now_us: u64, node: u8) {
        if let Some(up) = self.up.get_mut(usize::from(node)) {
            *up = false;
        }
        if self.leader == Some(node) {
            self.leader = None;
        }
        self.call_election(now_us);
    }

    pub(super) fn start(&mut self, now_us: u64, node: u8) {
        if let Some(up) = self.up.get_mut(usize::from(node)) {
            *up = true;
        }
        self.call_election(now_us);
    }

    fn call_election(&mut self, now_us: u64) {
        if !self.up() {
            self.leader = None;
        }
        self.elected_us = (self.leader.is_none() && self.up()).then(|| now_us.saturating_add(ELECTION_US));
    }

    pub(super) fn next_due_us(&self) -> Option<u64> {
        self.elected_us
    }

    pub(super) fn advance(&mut self, now_us: u64) {
        if self.elected_us.is_some_and(|due_us| due_us <= now_us) {
            self.elected_us = None;
            self.leader = (0u8..).zip(&self.up).find_map(|(node, up)| up.then_some(node));
        }
    }
}
