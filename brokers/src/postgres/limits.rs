//! How long a session may be silent, a statement may take and a lock may be waited for ("Client Connection Defaults").

use super::database::{Database, Fault, Session};
use super::statement::Pending;
use super::xact::Connection;

impl Database {
    /// `idle_in_transaction_session_timeout` of a session, in microseconds; 0 is off.
    pub fn limit_idle(&mut self, session: Session, limit_us: u64) {
        self.connection(session).idle_limit_us = limit_us;
    }

    /// `lock_timeout` of a session, in microseconds: how long it waits for one lock; 0 is off.
    pub fn limit_lock(&mut self, session: Session, limit_us: u64) {
        self.connection(session).lock_limit_us = limit_us;
    }

    /// `statement_timeout` of a session, in microseconds; 0 is off.
    pub fn limit_statement(&mut self, session: Session, limit_us: u64) {
        self.connection(session).statement_limit_us = limit_us;
    }

    /// When a statement that waits is given up, and why.
    fn given_up(&self, pending: &Pending) -> Option<(u64, Fault)> {
        let connection = self.connections.iter().find(|known| known.session == pending.session)?;
        let limit = |from_us: u64, limit_us: u64| (limit_us > 0).then(|| from_us.saturating_add(limit_us));
        let statement = limit(pending.begun_us, connection.statement_limit_us).map(|due_us| (due_us, Fault::TooLong));
        let lock = limit(pending.since_us, connection.lock_limit_us).map(|due_us| (due_us, Fault::NotAvailable));
        statement.into_iter().chain(lock).min_by_key(|(due_us, _)| *due_us)
    }

    /// When the next idle session is terminated, or the next waiting statement is given up.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let idle = |known: &&Connection| known.xact.is_some() && known.idle_limit_us > 0 && !self.waits(known.session);
        let silent = self.connections.iter().filter(idle).map(Connection::idle_due_us);
        silent.chain(self.pending.iter().filter_map(|pending| Some(self.given_up(pending)?.0))).min()
    }

    /// Lets time pass up to now: gives up statements that wait for too long, and terminates the sessions that are idle in a
    /// transaction for longer than they may.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|&due_us| due_us <= now_us) {
            self.now_us = self.now_us.max(due_us);
            let late = |pending: &Pending| Some(self.given_up(pending)?.1).filter(|_| self.is_given_up(pending, due_us));
            if let Some((place, fault)) = self.pending.iter().enumerate().find_map(|(place, one)| Some((place, late(one)?))) {
                let session = self.pending.remove(place).session;
                let reply = self.fails(session, fault);
                self.woken.push((session, reply));
                self.wake();
                continue;
            }
            let due = |known: &&Connection| known.xact.is_some() && known.idle_limit_us > 0 && known.idle_due_us() == due_us;
            let Some(session) = self.connections.iter().filter(due).map(|known| known.session).find(|&s| !self.waits(s)) else {
                break;
            };
            self.kill(session);
            self.closed.push(session);
        }
        self.now_us = self.now_us.max(now_us);
        if self.wal.marks_now(now_us) {
            self.wal.mark(now_us, self.oldest_lsn());
        }
    }

    fn is_given_up(&self, pending: &Pending, now_us: u64) -> bool {
        self.given_up(pending).is_some_and(|(due_us, _)| due_us <= now_us)
    }
}
