//! Row locks: who gets one, who waits for whom.

use super::database::{Database, Session};
use super::statement::{Claim, Pending, Work};
use super::table::{Mark, RowLock, Table};

/// What came of trying to lock a row.
pub(super) enum Lock {
    Taken,
    Gone,
    HeldBy(u64),
    /// It was changed since the first statement of a transaction that must not see that.
    Changed,
}

impl Database {
    /// Whether what a statement waits for waits for it. The one that closes the circle is told, as when its
    /// `deadlock_timeout` is the last to begin.
    pub(super) fn circular(&self, waiting: &Pending) -> bool {
        let mut on = waiting.on;
        for _ in 0..=self.pending.len() {
            match self.pending.iter().find(|pending| pending.xact == on) {
                Some(pending) if pending.on == waiting.xact => return true,
                Some(pending) => on = pending.on,
                None => return false,
            }
        }
        false
    }

    /// Every statement takes the row that it waited for, if that is free, and no other.
    pub(super) fn take_awaited(&mut self) {
        for place in 0..self.pending.len() {
            let Pending { session, xact, snapshot, on, .. } = self.pending[place];
            if on == 0 {
                continue;
            }
            let Work::Claim { claim, ids, next, .. } = &self.pending[place].work else { continue };
            let (claim, Some(id)) = (claim.clone(), ids.get(*next).copied()) else { continue };
            if self.pending[place].follows && !self.is_updated(xact, snapshot, claim.table, id) {
                self.pending[place].follows = false;
                self.assign(session);
            }
            let taken = match self.lock(session, xact, snapshot, &claim, id) {
                Lock::Taken => true,
                Lock::Gone => false,
                Lock::HeldBy(_) | Lock::Changed => continue,
            };
            self.pending[place].on = 0;
            if let Work::Claim { next, got, .. } = &mut self.pending[place].work {
                *next += 1;
                got.extend(taken.then_some(id));
            }
        }
    }

    /// Whether another running transaction updates the version of a row that a statement sees.
    pub(super) fn is_updated(&self, xact: u64, snapshot: u64, table: Table, id: u64) -> bool {
        let of_row = self.versions[self.place(table, id)..].iter().take_while(|one| (one.table, one.row.id) == (table, id));
        let seen = of_row.into_iter().find(|version| version.seen(xact, snapshot));
        seen.and_then(|version| version.died).is_some_and(|death| death.updated && death.mark.is_of_other(xact))
    }

    /// Tries to lock the newest version of a row that the statement has seen.
    pub(super) fn lock(&mut self, session: Session, xact: u64, snapshot: u64, claim: &Claim, id: u64) -> Lock {
        let same = |at: usize, known: &Self| {
            known.versions.get(at).is_some_and(|version| (version.table, version.row.id) == (claim.table, id))
        };
        let repeatable = self.is_repeatable(session);
        let mut at = self.place(claim.table, id);
        while same(at, self) && !self.versions[at].seen(xact, snapshot) {
            at += 1;
        }
        if claim.is_plain_update() {
            // It takes its id before it looks at the row (`heap_update`).
            self.assign(session);
        }
        let mut newer = false;
        while same(at, self) {
            let version = &self.versions[at];
            if let Some(holder) = version.holder(xact, claim.strength) {
                return Lock::HeldBy(holder);
            }
            // An update that a weak lock does not conflict with may still be undone.
            match version.died.filter(|death| !death.mark.is_of_other(xact)) {
                Some(death) if repeatable && matches!(death.mark, Mark::Committed(_)) => return Lock::Changed,
                Some(death) if death.updated => {
                    newer = true;
                    at += 1;
                }
                Some(_) => return Lock::Gone,
                None => {
                    let row = version.row;
                    // A lock that the transaction has already is not taken again, so it gives out no id to a savepoint.
                    if !version.is_locked_by(xact, claim.strength) {
                        self.assign(session);
                        self.wal.write_lock();
                        if let Some(mark) = self.mark(session) {
                            // Newer versions, of an update that goes on, are locked with it.
                            while same(at, self) {
                                self.versions[at].locks.push(RowLock { mark, strength: claim.strength });
                                at += 1;
                            }
                        }
                    }
                    let now_us = self.xact(session).map_or(0, |xact| xact.begun_us);
                    return if newer && !claim.pick.fits(&row, now_us, session.0) { Lock::Gone } else { Lock::Taken };
                }
            }
        }
        Lock::Gone
    }
}
