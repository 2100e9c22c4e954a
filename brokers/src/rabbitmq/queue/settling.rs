//! How messages leave the hands of their holders. Tickets that are not held are passed over.

use std::cmp::Reverse;

use super::{Queue, Ticket};
use crate::rabbitmq::ready::Message;
use crate::rabbitmq::settings::{Kind, Release};
use crate::rabbitmq::turns::Holder;
use crate::server::{What, Why};

impl Queue {
    fn take_held(&mut self, tickets: &[Ticket]) -> Vec<(Ticket, Message)> {
        let found = |ticket: &Ticket| self.held.remove(*ticket).map(|held| (*ticket, held.message));
        tickets.iter().filter_map(found).collect()
    }

    fn repay(&mut self, taken: &[(Ticket, Message)]) {
        for ((who, _), _) in taken {
            self.turns.repay(*who, 1);
        }
    }

    pub(in crate::rabbitmq) fn ack(&mut self, now_us: u64, tickets: &[Ticket]) {
        let taken = self.take_held(tickets);
        self.repay(&taken);
        for (_, message) in &taken {
            self.tell(now_us, message, What::Acked);
        }
        self.run(now_us);
    }

    /// `basic.reject` or `basic.nack` without requeue.
    pub(in crate::rabbitmq) fn discard(&mut self, now_us: u64, tickets: &[Ticket]) {
        let mut taken = self.take_held(tickets);
        self.repay(&taken);
        // A classic queue goes level by level, the highest first.
        taken.sort_by_key(|(_, message)| Reverse(message.priority));
        for (_, message) in &taken {
            self.remove(now_us, message, true, Why::Rejected);
        }
        self.run(now_us);
    }

    /// `basic.reject` or `basic.nack` with requeue. Says how many were returned too often and became dead letters: for each
    /// of them its holder has one credit more than before. `failed` is `basic.reject`, which alone counts since 4.3.
    pub(in crate::rabbitmq) fn requeue(&mut self, now_us: u64, tickets: &[Ticket], failed: bool) -> u32 {
        if self.settings.kind == Kind::Quorum && self.settings.returns_allowed().is_none() {
            // Without a delivery limit each one is a new entry of the log, behind all others.
            for ticket in tickets {
                let taken = self.take_held(std::slice::from_ref(ticket));
                for (_, message) in &taken {
                    // Of two priorities it has the lower one from now on.
                    let message = Message { returns: message.returns.saturating_add(1), priority: 0, ..*message };
                    self.tell(now_us, &message, What::Returned(Why::Requeued));
                    self.ready.push_last(message);
                }
                self.repay(&taken);
                self.check_out(now_us);
            }
            return 0;
        }
        let taken = self.take_held(tickets);
        if self.settings.kind == Kind::Classic {
            self.repay(&taken);
        }
        let ended = self.give_back(now_us, &taken, Why::Requeued, failed);
        if self.settings.kind == Kind::Quorum {
            self.repay(&taken);
        }
        self.finish_return(now_us);
        ended
    }

    fn give_back(&mut self, now_us: u64, taken: &[(Ticket, Message)], why: Why, failed: bool) -> u32 {
        let mut ended = 0;
        let counts = failed || self.settings.release < Release::V4_3;
        for ((who, _), message) in taken {
            let returns = message.returns.saturating_add(u32::from(counts));
            let message = Message { returns, ..*message };
            if self.settings.returns_allowed().is_some_and(|most| returns > most) {
                self.remove(now_us, &message, true, Why::Limit);
                // Its holder gets credit for the end of it and, with the others, for the return.
                self.turns.repay(*who, 1);
                ended += 1;
                continue;
            }
            self.tell(now_us, &message, What::Returned(why));
            self.ready.put_back(message);
        }
        ended
    }

    fn finish_return(&mut self, now_us: u64) {
        if self.settings.kind == Kind::Classic {
            self.drop_heads(now_us);
            self.expire(now_us);
        }
        self.run(now_us);
    }

    /// A channel or connection closes: these subscribers go, and everything that these holders have comes back. A quorum
    /// queue takes the holders in the order given, a classic queue puts each message in its place.
    pub(in crate::rabbitmq) fn close(&mut self, now_us: u64, holders: &[Holder], why: Why) {
        for who in holders {
            self.turns.leave(*who);
        }
        let mut taken = Vec::new();
        for who in holders {
            let tickets: Vec<Ticket> = self.held_by(*who).map(|(ticket, _)| ticket).collect();
            taken.extend(self.take_held(&tickets));
        }
        // Since 4.3 a channel that closes counts as a failure, one that the server closes for being late does not.
        self.give_back(now_us, &taken, why, why == Why::Closed);
        self.finish_return(now_us);
    }

    /// The queue is deleted with all that waits, of which nothing becomes a dead letter (*Time-To-Live and Expiration*).
    pub(in crate::rabbitmq) fn delete(&mut self, now_us: u64) {
        self.drop_all(now_us, Why::Unused);
        self.drop_discards(now_us, Why::Unused);
        self.publishers.clear();
    }

    fn drop_all(&mut self, now_us: u64, why: Why) -> u64 {
        let mut count = 0;
        while let Some(message) = self.ready.pop() {
            self.tell(now_us, &message, What::Dropped(why));
            count += 1;
        }
        count
    }

    fn drop_discards(&mut self, now_us: u64, why: Why) {
        while let Some(message) = self.discards.pop() {
            self.tell(now_us, &message, What::Dropped(why));
        }
    }

    /// Removes all that waits and says how many that were.
    pub(in crate::rabbitmq) fn purge(&mut self, now_us: u64) -> u64 {
        let count = self.drop_all(now_us, Why::Retention);
        if self.settings.kind == Kind::Quorum {
            self.limit(now_us);
        }
        count
    }
}
