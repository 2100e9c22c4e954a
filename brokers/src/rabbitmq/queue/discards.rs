//! Dead letters that stay in their queue until the target has confirmed them (`x-dead-letter-strategy=at-least-once`).
//!
//! Source: `rabbit_fifo_dlx` and `rabbit_fifo_dlx_worker`. Whoever drives the queue is the worker: it asks for what is to be
//! sent, at most so many at a time, and says what came of it. Simplified: each letter that was not confirmed has a timer of its
//! own; the worker has one for all.

use std::collections::VecDeque;

use super::Queue;
use crate::rabbitmq::ready::{Message, NEVER};
use crate::server::{CopyId, What, Why};

/// `dead_letter_worker_consumer_prefetch`: so many are on their way at most.
const PREFETCH: usize = 32;

/// A dead letter that its target has not confirmed.
#[derive(Clone, Copy, Debug)]
struct Discard {
    message: Message,
    why: Why,
    /// When it is to be sent; never while it is on its way.
    due_us: u64,
}

/// The dead letters of a queue, the oldest first.
#[derive(Clone, Debug, Default)]
pub(in crate::rabbitmq) struct Discards(VecDeque<Discard>);

impl Discards {
    pub(in crate::rabbitmq) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// When the next one is to be sent again.
    pub(in crate::rabbitmq) fn next_due_us(&self, now_us: u64) -> Option<u64> {
        let later = |discard: &Discard| (discard.due_us > now_us && discard.due_us != NEVER).then_some(discard.due_us);
        self.0.iter().take(PREFETCH).filter_map(later).min()
    }

    /// Copies and bodies, up to so many.
    pub(in crate::rabbitmq) fn first(&self, most: usize) -> impl Iterator<Item = (CopyId, u64)> {
        self.0.iter().take(most).map(|discard| (CopyId(discard.message.copy), discard.message.body))
    }

    pub(super) fn pop(&mut self) -> Option<Message> {
        self.0.pop_front().map(|discard| discard.message)
    }
}

impl Queue {
    pub(in crate::rabbitmq) fn discards(&self) -> &Discards {
        &self.discards
    }

    /// A message becomes a dead letter and stays.
    pub(super) fn keep(&mut self, now_us: u64, message: &Message, held: bool, why: Why) {
        if held {
            self.tell(now_us, message, What::Returned(why));
        }
        self.discards.0.push_back(Discard { message: *message, why, due_us: 0 });
    }

    /// The next dead letter to be sent: it is on its way from now on.
    pub(in crate::rabbitmq) fn send_discard(&mut self, now_us: u64) -> Option<(CopyId, u64, Why)> {
        let discard = self.discards.0.iter_mut().take(PREFETCH).find(|discard| discard.due_us <= now_us)?;
        discard.due_us = NEVER;
        Some((CopyId(discard.message.copy), discard.message.body, discard.why))
    }

    /// The target has confirmed a dead letter that was on its way, or has not.
    pub(in crate::rabbitmq) fn discard_sent(&mut self, now_us: u64, copy: CopyId, confirmed: bool) {
        let Some(at) = self.discards.0.iter().position(|discard| discard.message.copy == copy.0) else { return };
        if confirmed {
            self.discards.0.remove(at);
            self.limit(now_us);
        } else {
            self.discards.0[at].due_us = now_us.saturating_add(self.settings.dead_letter_retry_us.max(1));
        }
    }
}
