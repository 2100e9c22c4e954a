//! Dead letters on their way, once or until they are confirmed.

use super::{Broker, NamedQueue};
use crate::rabbitmq::death::{Death, Reason, cycles, record};
use crate::rabbitmq::letter::Letter;
use crate::server::What;

/// The worker that sends a queue's dead letters is a publisher, too: numbered down from here, as channels are up from 0.
const WORKERS: u32 = u32::MAX;

impl Broker {
    pub(super) fn follow(&mut self, now_us: u64, at: usize, body: u64, what: What) {
        match what {
            What::DeadLettered(why) | What::DeadLetteredHeld(why) => {
                if let (Some(letter), Some(reason)) = (self.letters.remove(&body), Reason::of(why)) {
                    self.dead_letter(now_us, at, letter, reason);
                }
            }
            What::Acked | What::AckedLate | What::Dropped(_) | What::DroppedHeld(_) => {
                self.letters.remove(&body);
                self.confirmed.remove(&body);
            }
            What::Stored | What::Delayed(_) | What::Ripened | What::Delivered(_) | What::Returned(_) => {}
        }
    }

    fn dead_letter(&mut self, now_us: u64, at: usize, letter: Letter, reason: Reason) {
        let Some(letter) = self.after_death(at, letter, reason) else { return };
        for queue in self.destinations(&letter.exchange, &letter).unwrap_or_default() {
            if !cycles(&letter.deaths, reason, &self.queues[queue].name) {
                self.store(now_us, queue, letter.clone(), None);
            }
        }
    }

    /// What a message is after it died in a queue, where that has dead letters.
    fn after_death(&self, at: usize, mut letter: Letter, reason: Reason) -> Option<Letter> {
        let NamedQueue { name, dead_letters, queue, .. } = &self.queues[at];
        let release = queue.settings().release;
        let to = dead_letters.as_ref()?;
        let death = Death {
            queue: name.clone(),
            reason,
            count: 1,
            exchange: std::mem::replace(&mut letter.exchange, to.exchange.clone()),
            key: letter.key.clone(),
        };
        record(&mut letter.deaths, death, release);
        letter.ttl_us = None;
        if let Some(key) = &to.key {
            letter.key.clone_from(key);
        }
        Some(letter)
    }

    /// Sends the dead letters of a queue that stay until they are confirmed and are due; says whether there were any. One
    /// that was not confirmed by all of its targets is routed anew later and goes to those that have not confirmed it.
    pub(super) fn send_kept(&mut self, now_us: u64, at: usize) -> bool {
        let mut sent = false;
        while let Some((copy, body, why)) = self.queues[at].queue.send_discard(now_us) {
            sent = true;
            let letter = self.letters.get(&body).cloned().unwrap_or_default();
            let reason = Reason::of(why).unwrap_or(Reason::Rejected);
            let Some(letter) = self.after_death(at, letter, reason) else { continue };
            let worker = WORKERS - u32::try_from(at).unwrap_or(0);
            let mut targets = self.destinations(&letter.exchange, &letter).unwrap_or_default();
            targets.retain(|queue| !cycles(&letter.deaths, reason, &self.queues[*queue].name));
            let before = self.confirmed.remove(&body).unwrap_or_default();
            let confirm = |queue: &usize| before.contains(queue) || self.store(now_us, *queue, letter.clone(), Some(worker));
            let (confirmed, refused): (Vec<usize>, Vec<usize>) = targets.into_iter().partition(confirm);
            let done = refused.is_empty() && !confirmed.is_empty();
            if done {
                self.letters.remove(&body);
            } else {
                self.confirmed.insert(body, confirmed);
            }
            self.queues[at].queue.discard_sent(now_us, copy, done);
        }
        sent
    }
}
