//! Row locks: who gets one, who waits for whom.

use super::database::{Database, Session};
use super::statement::{Claim, Pending};
use super::table::{Mark, RowLock};

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
