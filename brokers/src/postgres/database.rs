//! Sessions and transactions of one database under READ COMMITTED, or REPEATABLE READ where they ask for it.
//!
//! Enough of PostgreSQL to play any interleaving of a few sessions on a few rows: every statement sees what was committed
//! when it began; row locks end with their transaction or savepoint; a killed backend is a rollback; sequences do not roll
//! back. What a statement does and what it waits for is in `statement.rs`. Rules: chapters "Concurrency Control" and
//! "SELECT, The Locking Clause" of the documentation of PostgreSQL 15, and the recordings in `tests/transcripts/postgresql`.

use super::heap::Heap;
use super::statement::Pending;
use super::table::{Mark, TABLES, Table, Version};
use super::wal::Wal;
use super::xact::{Connection, Savepoint};
use super::xids::Xids;

/// A connection, numbered by whoever drives the database. It exists from its first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Session(pub u32);

/// What came of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The ids that it inserted, locked, changed or deleted, ascending.
    Ids(Vec<u64>),
    /// It is done and has nothing to tell.
    Done,
    /// It waits for another transaction; the reply comes with [`Database::take_woken`].
    Waits,
    /// It failed, and its transaction with it.
    Failed(Fault),
}

/// Why a statement failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An earlier statement of the transaction failed; only a rollback helps.
    Aborted,
    /// `NOWAIT` and a row is locked, or `lock_timeout` is over.
    NotAvailable,
    /// `statement_timeout` is over.
    TooLong,
    /// `REPEATABLE READ`, and a row has changed since the transaction's first statement.
    Serialization,
    /// It would have closed a circle of waiting transactions.
    Deadlock,
    /// The session's earlier statement still waits.
    Busy,
    /// The server has terminated the session; the next statement opens a new one.
    Closed,
    /// There is no transaction, no savepoint, or no slot of this name; or it is too late for another isolation level.
    Unknown,
    /// The replication slot is lost.
    SlotLost,
    /// More rows than the machine keeps.
    Full,
}

/// A database.
#[derive(Clone, Debug)]
pub struct Database {
    pub(super) now_us: u64,
    pub(super) xids: Xids,
    /// Transactions that have committed.
    pub(super) commits: u64,
    pub(super) begun: u64,
    pub(super) connections: Vec<Connection>,
    /// Terminated by the server, and not yet told.
    pub(super) closed: Vec<Session>,
    /// By table and id, the versions of a row in the order in which they were made.
    pub(super) versions: Vec<Version>,
    pub(super) next_ids: [u64; TABLES],
    /// Advisory locks of transactions.
    pub(super) advisory: Vec<(u64, Mark)>,
    /// Statements that wait, the longest first.
    pub(super) pending: Vec<Pending>,
    pub(super) woken: Vec<(Session, Reply)>,
    /// The write-ahead log and what reads it.
    pub wal: Wal,
    /// The table that nobody looks at.
    pub busy: Heap,
}

impl Database {
    /// An empty database whose first transaction id is `first_xid`.
    #[must_use]
    pub fn new(first_xid: u64) -> Self {
        Self {
            now_us: 0,
            xids: Xids::new(first_xid),
            commits: 0,
            begun: 0,
            connections: Vec::new(),
            closed: Vec::new(),
            versions: Vec::new(),
            next_ids: [1; TABLES],
            advisory: Vec::new(),
            pending: Vec::new(),
            woken: Vec::new(),
            wal: Wal::default(),
            busy: Heap::default(),
        }
    }

    /// `BEGIN`. A second one is only warned about.
    pub fn begin(&mut self, session: Session) -> Reply {
        if let Some(fault) = self.refuses(session) {
            return Reply::Failed(fault);
        }
        match self.xact(session) {
            Some(xact) if xact.failed => return Reply::Failed(Fault::Aborted),
            Some(_) => {}
            None => {
                self.open(session, false);
            }
        }
        self.rests(session)
    }

    /// `BEGIN ISOLATION LEVEL REPEATABLE READ`. In a transaction it sets the level, before the first query and outside of
    /// savepoints only.
    pub fn begin_repeatable(&mut self, session: Session) -> Reply {
        let reply = self.begin(session);
        let Some(xact) = self.xact_mut(session).filter(|_| reply == Reply::Done) else { return reply };
        if !xact.repeatable && (xact.asked || !xact.savepoints.is_empty()) {
            let reply = self.fails(session, Fault::Unknown);
            self.wake();
            return reply;
        }
        xact.repeatable = true;
        reply
    }

    /// `COMMIT`, which rolls back where a statement has failed. Without a transaction it is only warned about.
    pub fn commit(&mut self, session: Session) -> Reply {
        self.finish(session, true)
    }

    /// `ROLLBACK`.
    pub fn rollback(&mut self, session: Session) -> Reply {
        self.finish(session, false)
    }

    fn finish(&mut self, session: Session, keep: bool) -> Reply {
        if let Some(fault) = self.refuses(session) {
            return Reply::Failed(fault);
        }
        self.end(session, keep);
        self.wake();
        self.rests(session)
    }

    /// The backend is terminated: what it did is undone, its locks are free, its waiting statement is gone.
    pub fn kill(&mut self, session: Session) {
        self.pending.retain(|pending| pending.session != session);
        self.closed.retain(|known| *known != session);
        self.end(session, false);
        self.connections.retain(|known| known.session != session);
        self.wake();
    }

    /// `SAVEPOINT`.
    pub fn savepoint(&mut self, session: Session, name: u64) -> Reply {
        if let Some(fault) = self.refuses(session) {
            return Reply::Failed(fault);
        }
        match self.xact_mut(session) {
            None => return Reply::Failed(Fault::Unknown),
            Some(xact) if xact.failed => return Reply::Failed(Fault::Aborted),
            Some(xact) => {
                xact.last_savepoint += 1;
                xact.savepoints.push(Savepoint { name, number: xact.last_savepoint, xid: None });
            }
        }
        self.rests(session)
    }

    /// `ROLLBACK TO SAVEPOINT`: what was done and locked since is free again, and a failed transaction lives on.
    pub fn rollback_to(&mut self, session: Session, name: u64) -> Reply {
        if let Some(fault) = self.refuses(session) {
            return Reply::Failed(fault);
        }
        let Some(xact) = self.xact_mut(session) else { return Reply::Failed(Fault::Unknown) };
        let Some(place) = xact.savepoints.iter().rposition(|known| known.name == name) else {
            let reply = self.fails(session, Fault::Unknown);
            self.wake();
            return reply;
        };
        let number = xact.savepoints[place].number;
        self.undo(session, number);
        if let Some(xact) = self.xact_mut(session) {
            xact.savepoints.truncate(place + 1);
            xact.failed = false;
        }
        self.wake();
        self.rests(session)
    }

    /// `RELEASE SAVEPOINT`: what was done since belongs to what is around it.
    pub fn release(&mut self, session: Session, name: u64) -> Reply {
        if let Some(fault) = self.refuses(session) {
            return Reply::Failed(fault);
        }
        match self.xact_mut(session) {
            None => return Reply::Failed(Fault::Unknown),
            Some(xact) if xact.failed => return Reply::Failed(Fault::Aborted),
            Some(xact) => {
                if let Some(place) = xact.savepoints.iter().rposition(|known| known.name == name) {
                    let gone = xact.savepoints.split_off(place);
                    xact.released.extend(gone.iter().filter_map(|inner| inner.xid));
                } else {
                    let reply = self.fails(session, Fault::Unknown);
                    self.wake();
                    return reply;
                }
            }
        }
        self.rests(session)
    }

    /// `CHECKPOINT`.
    pub fn checkpoint(&mut self) {
        self.wal.mark(self.now_us, self.oldest_lsn());
        self.wal.checkpoint();
    }

    /// Where the oldest open transaction began to write.
    pub(super) fn oldest_lsn(&self) -> Option<u64> {
        let open = self.connections.iter().filter_map(|known| known.xact.as_ref());
        open.filter(|xact| xact.xid.is_some()).map(|xact| xact.first_lsn).min()
    }

    /// The moment up to which time has passed, in microseconds.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        self.now_us
    }

    /// Replies of statements that waited, in the order in which they came.
    pub fn take_woken(&mut self) -> Vec<(Session, Reply)> {
        std::mem::take(&mut self.woken)
    }

    /// The versions of a row.
    pub(super) fn place(&self, table: Table, id: u64) -> usize {
        self.versions.partition_point(|version| (version.table, version.row.id) < (table, id))
    }
}
