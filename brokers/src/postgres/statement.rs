//! Statements: what they pick, lock and change, and how they wait.
//!
//! Rules from the documentation and the sources of PostgreSQL 15 (`nodeLockRows.c`, `EvalPlanQual`) and from recordings:
//! - a statement picks by its snapshot, in order, then locks one row after another up to its `LIMIT`;
//! - a row that was updated meanwhile is looked at again in its newest version and dropped where it no longer fits, but its
//!   lock stays; a row that was deleted is dropped; the next one is taken instead;
//! - `SKIP LOCKED` passes by rows that others hold; `NOWAIT` fails; otherwise the statement waits for the holder's end.

use super::database::{Database, Fault, Reply, Session};
use super::table::{Change, Death, Mark, Pick, Row, Table};
use super::wal::{Changed, Op};
use super::xids::Snapshot;

/// What a statement does about a row that another transaction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// `FOR UPDATE`: it waits.
    Wait,
    /// `FOR UPDATE SKIP LOCKED`: it goes on with the next row.
    Skip,
    /// `FOR UPDATE NOWAIT`: it fails.
    Fail,
}

/// What a statement does with the rows that it has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// `SELECT … FOR UPDATE`.
    Lock,
    /// `UPDATE`.
    Set(Change),
    /// `DELETE`.
    Delete,
}

/// A statement that locks rows, lowest id first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Of which table.
    pub table: Table,
    /// Which rows.
    pub pick: Pick,
    /// `LIMIT`.
    pub most: u32,
    /// What it does about rows that others hold.
    pub held: Held,
    /// What it does with them.
    pub act: Act,
}

/// A statement that waits.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) session: Session,
    pub(super) xact: u64,
    /// Commits that it sees.
    snapshot: u64,
    /// The transaction that it waits for.
    on: u64,
    pub(super) work: Work,
}

/// What a waiting statement is about.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// Rows to be locked: the ids it saw, how many of them are behind it, and which it got.
    Claim { claim: Claim, ids: Vec<u64>, next: usize, got: Vec<u64> },
    /// `INSERT … ON CONFLICT DO NOTHING` of a unique key.
    Once { key: u64 },
    /// `pg_advisory_xact_lock`.
    Advisory { key: u64 },
    /// `pg_create_logical_replication_slot`: transactions whose end it waits for; whether it has waited once before.
    Slot { running: Vec<u64>, again: bool },
}

/// What came of trying to lock a row.
enum Lock {
    Taken,
    Gone,
    HeldBy(u64),
}

impl Database {
    /// `INSERT`, a row for each body: their ids.
    pub fn insert(&mut self, session: Session, table: Table, bodies: &[u64]) -> Reply {
        if let Err(fault) = self.enters(session) {
            return Reply::Failed(fault);
        }
        let mut ids = Vec::new();
        for &body in bodies {
            // The sequence moves even if nothing else comes of it.
            let id = self.next_id(table);
            let xid = self.assign(session);
            if let Err(fault) = self.store(session, table, Row { id, body, xid, ..Row::default() }, None) {
                let reply = self.fails(session, fault);
                self.wake();
                return reply;
            }
            self.logs(session, Changed { table, id, op: Op::Insert });
            ids.push(id);
        }
        self.done(session, ids)
    }

    /// `INSERT INTO inbox … ON CONFLICT DO NOTHING`: the key if it is new, nothing if it is known. Waits for a transaction
    /// that is about to insert or delete the same key.
    pub fn insert_once(&mut self, session: Session, key: u64) -> Reply {
        self.starts(session, Work::Once { key })
    }

    /// `pg_advisory_xact_lock`: waits until it has the lock.
    pub fn advisory_lock(&mut self, session: Session, key: u64) -> Reply {
        self.starts(session, Work::Advisory { key })
    }

    /// `pg_create_logical_replication_slot`: waits until the transactions that run and have written have ended.
    pub fn create_slot(&mut self, session: Session) -> Reply {
        let running = self.with_xid();
        self.starts(session, Work::Slot { running, again: false })
    }

    /// A statement that locks rows: the ids it got.
    pub fn claim(&mut self, session: Session, claim: Claim) -> Reply {
        self.starts(session, Work::Claim { claim, ids: Vec::new(), next: 0, got: Vec::new() })
    }

    /// `SELECT` without locks: the rows that are visible, ascending by id. It waits for nobody.
    ///
    /// # Errors
    /// The transaction has failed, or the session waits.
    pub fn select(&mut self, session: Session, table: Table, pick: &Pick) -> Result<Vec<Row>, Fault> {
        let xact = self.enters(session)?;
        let now_us = self.xact(session).map_or(0, |xact| xact.begun_us);
        let seen = self.versions.iter().filter(|version| version.table == table && version.seen(xact, self.commits));
        let rows = seen.map(|version| version.row).filter(|row| pick.fits(row, now_us, session.0)).collect();
        self.leaves(session);
        Ok(rows)
    }

    /// `pg_current_xact_id()`, which gives out an id where there was none.
    ///
    /// # Errors
    /// The transaction has failed, or the session waits.
    pub fn current_xid(&mut self, session: Session) -> Result<u64, Fault> {
        self.enters(session)?;
        let xid = self.assign(session);
        self.leaves(session);
        Ok(xid)
    }

    /// `pg_current_snapshot()`, as the session sees it.
    ///
    /// # Errors
    /// The transaction has failed, or the session waits.
    pub fn current_snapshot(&mut self, session: Session) -> Result<Snapshot, Fault> {
        self.enters(session)?;
        let snapshot = self.xids.snapshot(self.xact(session).and_then(|xact| xact.xid));
        self.leaves(session);
        Ok(snapshot)
    }

    /// `pg_logical_emit_message(true, …)`: in the log with its transaction, in no table.
    pub fn emit(&mut self, session: Session, body: u64) -> Reply {
        if let Err(fault) = self.enters(session) {
            return Reply::Failed(fault);
        }
        self.assign(session);
        self.logs(session, Changed { table: Table::Rows, id: body, op: Op::Message });
        self.leaves(session);
        Reply::Done
    }

    /// So many rows of so many bytes each into a table that nobody looks at.
    pub fn busy(&mut self, session: Session, rows: u32, bytes: u32) -> Reply {
        if let Err(fault) = self.enters(session) {
            return Reply::Failed(fault);
        }
        self.assign(session);
        self.wal.write_rows(rows, bytes);
        self.busy.insert(rows.into(), bytes.into());
        self.leaves(session);
        Reply::Done
    }

    /// Deletes so many rows of the table that nobody looks at, the oldest first. Counts as committed at once.
    pub fn trim_busy(&mut self, session: Session, rows: u32) -> Reply {
        if let Err(fault) = self.enters(session) {
            return Reply::Failed(fault);
        }
        let xid = self.assign(session);
        self.wal.write_deletes(rows);
        self.busy.delete(rows.into(), xid);
        self.leaves(session);
        Reply::Done
    }

    /// `VACUUM` of that table.
    pub fn vacuum_busy(&mut self) {
        let xmin = self.xids.snapshot(None).xmin;
        self.busy.vacuum(xmin);
    }

    /// Lets every statement go on whose wait is over, until none can.
    pub(super) fn wake(&mut self) {
        let mut place = 0;
        while place < self.pending.len() {
            let mut pending = self.pending.remove(place);
            match self.goes_on(&mut pending) {
                None => {
                    self.pending.insert(place, pending);
                    place += 1;
                }
                Some(reply) => {
                    self.woken.push((pending.session, reply));
                    // It may have ended a transaction, or taken what another one waits for.
                    place = 0;
                }
            }
        }
    }

    fn starts(&mut self, session: Session, work: Work) -> Reply {
        let xact = match self.enters(session) {
            Ok(xact) => xact,
            Err(fault) => return Reply::Failed(fault),
        };
        let mut pending = Pending { session, xact, snapshot: self.commits, on: 0, work };
        if let Work::Claim { claim, ids, .. } = &mut pending.work {
            let now_us = self.xact(session).map_or(0, |xact| xact.begun_us);
            let seen = self.versions.iter().filter(|version| version.table == claim.table && version.seen(xact, self.commits));
            ids.extend(seen.map(|version| version.row).filter(|row| claim.pick.fits(row, now_us, session.0)).map(|row| row.id));
        }
        if let Some(reply) = self.goes_on(&mut pending) {
            self.wake();
            return reply;
        }
        self.pending.push(pending);
        Reply::Waits
    }

    fn done(&mut self, session: Session, mut ids: Vec<u64>) -> Reply {
        crate::order::sort(&mut ids);
        self.leaves(session);
        Reply::Ids(ids)
    }

    /// As far as it gets: its reply, or nothing while it waits.
    fn goes_on(&mut self, pending: &mut Pending) -> Option<Reply> {
        let (session, xact, snapshot) = (pending.session, pending.xact, pending.snapshot);
        let blocked = match &mut pending.work {
            Work::Claim { claim, ids, next, got } => {
                let most = claim.most as usize;
                let mut blocked = None;
                while blocked.is_none() && got.len() < most && *next < ids.len() {
                    let id = ids[*next];
                    match self.lock(session, xact, snapshot, claim, id) {
                        Lock::Taken => got.push(id),
                        Lock::Gone => {}
                        Lock::HeldBy(holder) => match claim.held {
                            Held::Skip => {}
                            Held::Fail => return Some(self.fails(session, Fault::NotAvailable)),
                            Held::Wait => blocked = Some(holder),
                        },
                    }
                    *next += usize::from(blocked.is_none());
                }
                if blocked.is_none() {
                    let (claim, got) = (claim.clone(), std::mem::take(got));
                    return Some(self.apply(session, xact, &claim, got));
                }
                blocked
            }
            Work::Once { key } => {
                let place = self.place(Table::Inbox, *key);
                match self.versions.get(place).filter(|version| (version.table, version.row.id) == (Table::Inbox, *key)) {
                    None => {
                        let key = *key;
                        let xid = self.assign(session);
                        let row = Row { id: key, body: key, xid, ..Row::default() };
                        if let Err(fault) = self.store(session, Table::Inbox, row, None) {
                            return Some(self.fails(session, fault));
                        }
                        self.logs(session, Changed { table: Table::Inbox, id: key, op: Op::Insert });
                        return Some(self.done(session, vec![key]));
                    }
                    Some(version) => match version.born {
                        Mark::By { xact: by, .. } if by != xact => Some(by),
                        _ => return Some(self.done(session, Vec::new())),
                    },
                }
            }
            Work::Advisory { key } => {
                let key = *key;
                let others = |(known, mark): &(u64, Mark)| match mark {
                    Mark::By { xact: by, .. } if *known == key && *by != xact => Some(*by),
                    _ => None,
                };
                let holder = self.advisory.iter().find_map(others);
                if holder.is_none() {
                    self.advisory.extend(self.mark(session).map(|mark| (key, mark)));
                    self.leaves(session);
                    return Some(Reply::Done);
                }
                holder
            }
            Work::Slot { running, again } => {
                let mut now = self.with_xid();
                running.retain(|serial| now.contains(serial));
                if running.is_empty() && !*again {
                    // What has begun meanwhile must end as well, once.
                    *again = true;
                    running.append(&mut now);
                }
                if running.is_empty() {
                    self.wal.create_slot();
                    self.leaves(session);
                    return Some(Reply::Done);
                }
                running.first().copied()
            }
        };
        pending.on = blocked.unwrap_or_default();
        self.circular(pending).then(|| self.fails(session, Fault::Deadlock))
    }

    /// Whether what a statement waits for waits for it. The one that closes the circle is told, as when its
    /// `deadlock_timeout` is the last to begin.
    fn circular(&self, waiting: &Pending) -> bool {
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
    fn lock(&mut self, session: Session, xact: u64, snapshot: u64, claim: &Claim, id: u64) -> Lock {
        let same = |at: usize, known: &Self| {
            known.versions.get(at).is_some_and(|version| (version.table, version.row.id) == (claim.table, id))
        };
        let mut at = self.place(claim.table, id);
        while same(at, self) && !self.versions[at].seen(xact, snapshot) {
            at += 1;
        }
        let mut newer = false;
        while same(at, self) {
            let version = &self.versions[at];
            if let Some(holder) = version.holder(xact) {
                return Lock::HeldBy(holder);
            }
            match version.died {
                Some(Death { updated: true, .. }) => {
                    newer = true;
                    at += 1;
                }
                Some(_) => return Lock::Gone,
                None => {
                    let row = version.row;
                    // A lock that the transaction has already is not taken again, so it gives out no id to a savepoint.
                    if version.lock.is_none() {
                        self.assign(session);
                        self.wal.write_lock();
                        self.versions[at].lock = self.mark(session);
                    }
                    let now_us = self.xact(session).map_or(0, |xact| xact.begun_us);
                    return if newer && !claim.pick.fits(&row, now_us, session.0) { Lock::Gone } else { Lock::Taken };
                }
            }
        }
        Lock::Gone
    }

    /// Does to the locked rows what the statement is for.
    fn apply(&mut self, session: Session, xact: u64, claim: &Claim, got: Vec<u64>) -> Reply {
        let now_us = self.xact(session).map_or(0, |xact| xact.begun_us);
        let change = match claim.act {
            Act::Lock => return self.done(session, got),
            Act::Set(change) => Some(change),
            Act::Delete => None,
        };
        if !got.is_empty() {
            self.assign(session);
        }
        for &id in &got {
            let (mut at, Some(mark)) = (self.place(claim.table, id), self.mark(session)) else { continue };
            while self.versions[at].died.is_some() {
                at += 1;
            }
            debug_assert!(self.versions[at].holder(xact).is_none(), "it was locked");
            self.versions[at].died = Some(Death { mark, updated: change.is_some() });
            let op = if let Some(change) = change {
                let row = change.applied(self.versions[at].row, now_us, session.0);
                if let Err(fault) = self.store(session, claim.table, row, Some(at)) {
                    return self.fails(session, fault);
                }
                Op::Update
            } else {
                Op::Delete
            };
            self.logs(session, Changed { table: claim.table, id, op });
        }
        self.done(session, got)
    }
}
