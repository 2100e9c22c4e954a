//! Statements: what they pick, lock and change, and how they wait.
//!
//! Rules from the documentation and the sources of PostgreSQL 15 (`nodeLockRows.c`, `EvalPlanQual`) and from recordings:
//! - a statement picks by its snapshot, in order, then locks one row after another up to its `LIMIT`;
//! - a row that was updated meanwhile is looked at again in its newest version and dropped where it no longer fits, but its
//!   lock stays; a row that was deleted is dropped; the next one is taken instead;
//! - `SKIP LOCKED` passes by rows that others hold; `NOWAIT` fails; otherwise the statement waits for the holder's end.

use super::database::{Database, Fault, Reply, Session};
use super::locking::Lock;
use super::table::{Change, Death, Mark, Pick, Row, RowLock, Strength, Table};
use super::wal::{Changed, Op};
use super::xact::Xact;
use super::xids::Snapshot;

/// What a statement does about a row that another transaction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It waits.
    Wait,
    /// `SKIP LOCKED`: it goes on with the next row.
    Skip,
    /// `NOWAIT`: it fails.
    Fail,
}

/// What a statement does with the rows that it has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// `SELECT … FOR UPDATE`, or a weaker lock.
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
    /// How it locks them.
    pub strength: Strength,
    /// What it does with them.
    pub act: Act,
}

impl Claim {
    /// `UPDATE` without a `SELECT … FOR UPDATE` of the same rows.
    pub(super) fn is_plain_update(&self) -> bool {
        self.strength == Strength::NoKeyUpdate && matches!(self.act, Act::Set(_))
    }
}

/// A statement that waits.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) session: Session,
    pub(super) xact: u64,
    /// Commits that it sees.
    pub(super) snapshot: u64,
    /// The transaction that it waits for; 0 is none, as it has just got what it waited for.
    pub(super) on: u64,
    /// Since when.
    pub(super) since_us: u64,
    /// It waits for an update of its row: it takes its id as soon as that is over (`heap_lock_updated_tuple`).
    pub(super) follows: bool,
    /// When it began.
    pub(super) begun_us: u64,
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
        let seen = self.versions.iter().filter(|version| version.table == table && version.seen(xact, self.sees(session)));
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
        let snapshot = match self.xact(session) {
            Some(Xact { first: Some((_, shown)), .. }) => shown.clone(),
            xact => self.xids.snapshot(xact.and_then(|xact| xact.xid)),
        };
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

    /// Lets every statement go on whose wait is over, until none can. They wake at the same time: each takes what it waited
    /// for before any goes on to its next row.
    pub(super) fn wake(&mut self) {
        let mut place = 0;
        self.take_awaited();
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
                    self.take_awaited();
                }
            }
        }
    }

    fn starts(&mut self, session: Session, work: Work) -> Reply {
        let xact = match self.enters(session) {
            Ok(xact) => xact,
            Err(fault) => return Reply::Failed(fault),
        };
        let (snapshot, now_us) = (self.sees(session), self.now_us);
        let mut pending = Pending { session, xact, snapshot, on: 0, since_us: now_us, follows: false, begun_us: now_us, work };
        if let Work::Claim { claim, ids, .. } = &mut pending.work {
            let now_us = self.xact(session).map_or(0, |xact| xact.begun_us);
            let seen = self.versions.iter().filter(|version| version.table == claim.table && version.seen(xact, snapshot));
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
                        Lock::Changed => return Some(self.fails(session, Fault::Serialization)),
                        Lock::HeldBy(holder) => match claim.held {
                            Held::Skip => {}
                            Held::Fail => return Some(self.fails(session, Fault::NotAvailable)),
                            Held::Wait => {
                                blocked = Some(holder);
                                pending.follows = self.is_updated(xact, snapshot, claim.table, id);
                            }
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
                        Mark::Committed(order) if order > snapshot && self.is_repeatable(session) => {
                            return Some(self.fails(session, Fault::Serialization));
                        }
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
        let on = blocked.unwrap_or_default();
        if pending.on != on {
            (pending.on, pending.since_us) = (on, self.now_us);
        }
        self.circular(pending).then(|| self.fails(session, Fault::Deadlock))
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
            debug_assert!(self.versions[at].holder(xact, claim.strength).is_none(), "it was locked");
            self.versions[at].died = Some(Death { mark, updated: change.is_some() });
            // What others have locked of it, they have locked of its next version, too.
            let others = |lock: &&RowLock| lock.mark.is_of_other(xact);
            let locks: Vec<RowLock> = self.versions[at].locks.iter().filter(others).copied().collect();
            let op = if let Some(change) = change {
                let row = change.applied(self.versions[at].row, now_us, session.0);
                if let Err(fault) = self.store(session, claim.table, row, Some(at)) {
                    return self.fails(session, fault);
                }
                self.versions[at + 1].locks = locks;
                Op::Update
            } else {
                Op::Delete
            };
            self.logs(session, Changed { table: claim.table, id, op });
        }
        self.done(session, got)
    }
}
