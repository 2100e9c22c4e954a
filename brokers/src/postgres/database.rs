//! Sessions and transactions of one database under READ COMMITTED.
//!
//! Enough of PostgreSQL to play any interleaving of a few sessions on a few rows: every statement sees what was committed
//! when it began; row locks end with their transaction or savepoint; a killed backend is a rollback; sequences do not roll
//! back. What a statement does and what it waits for is in `statement.rs`. Rules: chapters "Concurrency Control" and
//! "SELECT, The Locking Clause" of the documentation of PostgreSQL 15, and the recordings in `tests/transcripts/postgresql`.

use super::heap::Heap;
use super::statement::{Pending, Work};
use super::table::{Mark, Row, TABLES, Table, Version};
use super::wal::{Changed, Wal};
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
    /// `NOWAIT`, and a row is locked.
    NotAvailable,
    /// It would have closed a circle of waiting transactions.
    Deadlock,
    /// The session's earlier statement still waits.
    Busy,
    /// The server has terminated the session; the next statement opens a new one.
    Closed,
    /// There is no transaction, no savepoint, or no slot of this name.
    Unknown,
    /// The replication slot is lost.
    SlotLost,
    /// More rows than the machine keeps.
    Full,
}

/// Row versions that a machine keeps at most.
const MOST_VERSIONS: usize = 100_000;

/// A savepoint that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Savepoint {
    name: u64,
    /// From 1, never used again in its transaction.
    number: u32,
    xid: Option<u64>,
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Xact {
    pub(super) serial: u64,
    /// What `now()` gives all along.
    pub(super) begun_us: u64,
    pub(super) xid: Option<u64>,
    /// Where the log was when it got its id, in bytes.
    first_lsn: u64,
    /// Without `BEGIN`: it ends with its statement.
    implicit: bool,
    failed: bool,
    savepoints: Vec<Savepoint>,
    /// Ids of released savepoints: they end with the transaction.
    released: Vec<u64>,
    last_savepoint: u32,
    /// What logical decoding will show, each with its savepoint.
    pub(super) changes: Vec<(u32, Changed)>,
}

impl Xact {
    fn mark(&self) -> Mark {
        Mark::By { xact: self.serial, savepoint: self.savepoint() }
    }

    fn savepoint(&self) -> u32 {
        self.savepoints.last().map_or(0, |inner| inner.number)
    }
}

/// A connection's state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Connection {
    session: Session,
    xact: Option<Xact>,
    /// `idle_in_transaction_session_timeout` in microseconds; 0 is off.
    idle_limit_us: u64,
    /// When its last statement ended.
    idle_since_us: u64,
}

impl Connection {
    /// When it has been idle for as long as it may, in microseconds.
    fn idle_due_us(&self) -> u64 {
        self.idle_since_us.saturating_add(self.idle_limit_us)
    }
}

/// A database.
#[derive(Clone, Debug)]
pub struct Database {
    pub(super) now_us: u64,
    pub(super) xids: Xids,
    /// Transactions that have committed.
    pub(super) commits: u64,
    begun: u64,
    connections: Vec<Connection>,
    /// Terminated by the server, and not yet told.
    closed: Vec<Session>,
    /// By table and id, the versions of a row in the order in which they were made.
    pub(super) versions: Vec<Version>,
    next_ids: [u64; TABLES],
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

    /// `idle_in_transaction_session_timeout` of a session, in microseconds; 0 is off.
    pub fn limit_idle(&mut self, session: Session, limit_us: u64) {
        self.connection(session).idle_limit_us = limit_us;
    }

    /// When the next idle session is terminated.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let idle = |known: &&Connection| known.xact.is_some() && known.idle_limit_us > 0 && !self.waits(known.session);
        self.connections.iter().filter(idle).map(Connection::idle_due_us).min()
    }

    /// Lets time pass up to now, and terminates the sessions that are idle in a transaction for longer than they may.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|&due_us| due_us <= now_us) {
            self.now_us = self.now_us.max(due_us);
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

    /// `CHECKPOINT`.
    pub fn checkpoint(&mut self) {
        self.wal.mark(self.now_us, self.oldest_lsn());
        self.wal.checkpoint();
    }

    /// Where the oldest open transaction began to write.
    fn oldest_lsn(&self) -> Option<u64> {
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

    /// A number from a table's sequence.
    pub(super) fn next_id(&mut self, table: Table) -> u64 {
        let next = &mut self.next_ids[table as usize];
        *next += 1;
        *next - 1
    }

    /// A new row, or a new version behind the one at `after`.
    pub(super) fn store(&mut self, session: Session, table: Table, row: Row, after: Option<usize>) -> Result<(), Fault> {
        if self.versions.len() >= MOST_VERSIONS {
            return Err(Fault::Full);
        }
        let Some(born) = self.xact(session).map(Xact::mark) else { return Err(Fault::Unknown) };
        let at = after.map_or_else(|| self.place(table, row.id), |place| place + 1);
        self.versions.insert(at, Version { table, row, born, died: None, lock: None });
        Ok(())
    }

    /// Notes a change for logical decoding and writes it to the log.
    pub(super) fn logs(&mut self, session: Session, change: Changed) {
        self.wal.write_row(change.op);
        if let Some(xact) = self.xact_mut(session) {
            let savepoint = xact.savepoint();
            xact.changes.push((savepoint, change));
        }
    }

    /// The mark of what a session's transaction does now.
    pub(super) fn mark(&self, session: Session) -> Option<Mark> {
        self.xact(session).map(Xact::mark)
    }

    /// The id of a session's transaction, given out now if there was none; open savepoints get theirs, too.
    pub(super) fn assign(&mut self, session: Session) -> u64 {
        let Some(connection) = self.connections.iter_mut().find(|known| known.session == session) else { return 0 };
        let Some(xact) = &mut connection.xact else { return 0 };
        let xid = *xact.xid.get_or_insert_with(|| {
            xact.first_lsn = self.wal.lsn;
            self.xids.assign()
        });
        for inner in &mut xact.savepoints {
            inner.xid.get_or_insert_with(|| self.xids.assign_inner());
        }
        xid
    }

    pub(super) fn xact(&self, session: Session) -> Option<&Xact> {
        self.connections.iter().find(|known| known.session == session)?.xact.as_ref()
    }

    pub(super) fn xact_mut(&mut self, session: Session) -> Option<&mut Xact> {
        self.connections.iter_mut().find(|known| known.session == session)?.xact.as_mut()
    }

    /// Transactions that run and have an id.
    pub(super) fn with_xid(&self) -> Vec<u64> {
        let running = self.connections.iter().filter_map(|known| known.xact.as_ref());
        running
            .filter(|xact| xact.xid.is_some() && !(xact.failed && xact.savepoints.is_empty()))
            .map(|xact| xact.serial)
            .collect()
    }

    /// A statement begins: its transaction's serial number.
    pub(super) fn enters(&mut self, session: Session) -> Result<u64, Fault> {
        if let Some(fault) = self.refuses(session) {
            return Err(fault);
        }
        match self.xact(session) {
            Some(xact) if xact.failed => Err(Fault::Aborted),
            Some(xact) => Ok(xact.serial),
            None => Ok(self.open(session, true)),
        }
    }

    /// A statement ends well.
    pub(super) fn leaves(&mut self, session: Session) {
        if self.xact(session).is_some_and(|xact| xact.implicit) {
            self.end(session, true);
        }
        let now_us = self.now_us;
        self.connection(session).idle_since_us = now_us;
    }

    /// A statement fails: its savepoint or transaction is undone at once and accepts nothing but a rollback.
    pub(super) fn fails(&mut self, session: Session, fault: Fault) -> Reply {
        match self.xact(session) {
            Some(xact) if xact.implicit => self.end(session, false),
            Some(xact) => {
                let savepoint = xact.savepoint();
                self.undo(session, savepoint);
                if let Some(xact) = self.xact_mut(session) {
                    xact.failed = true;
                }
            }
            None => {}
        }
        self.leaves(session);
        Reply::Failed(fault)
    }

    /// The session has nothing more to say.
    fn rests(&mut self, session: Session) -> Reply {
        let now_us = self.now_us;
        self.connection(session).idle_since_us = now_us;
        Reply::Done
    }

    /// Why a session cannot say anything for now.
    fn refuses(&mut self, session: Session) -> Option<Fault> {
        if let Some(place) = self.closed.iter().position(|&known| known == session) {
            self.closed.swap_remove(place);
            return Some(Fault::Closed);
        }
        self.waits(session).then_some(Fault::Busy)
    }

    pub(super) fn waits(&self, session: Session) -> bool {
        self.pending.iter().any(|pending| pending.session == session)
    }

    fn connection(&mut self, session: Session) -> &mut Connection {
        let place = self.connections.iter().position(|known| known.session == session).unwrap_or_else(|| {
            self.connections.push(Connection { session, xact: None, idle_limit_us: 0, idle_since_us: 0 });
            self.connections.len() - 1
        });
        &mut self.connections[place]
    }

    fn open(&mut self, session: Session, implicit: bool) -> u64 {
        self.begun += 1;
        let (serial, begun_us) = (self.begun, self.now_us);
        self.connection(session).xact = Some(Xact {
            serial,
            begun_us,
            xid: None,
            first_lsn: 0,
            implicit,
            failed: false,
            savepoints: Vec::new(),
            released: Vec::new(),
            last_savepoint: 0,
            changes: Vec::new(),
        });
        serial
    }

    /// Undoes what a transaction did in and inside of its savepoint of this number; 0 is all of it.
    fn undo(&mut self, session: Session, savepoint: u32) {
        let Some(xact) = self.xact_mut(session) else { return };
        let serial = xact.serial;
        xact.changes.retain(|(inner, _)| *inner < savepoint);
        let mut ended: Vec<u64> = Vec::new();
        for inner in xact.savepoints.iter_mut().filter(|inner| inner.number >= savepoint) {
            ended.extend(inner.xid.take());
        }
        if savepoint == 0 {
            ended.append(&mut xact.released);
            ended.extend(xact.xid.take());
        }
        for xid in ended {
            self.xids.end(xid);
        }
        self.versions.retain(|version| !version.born.undone(serial, savepoint));
        for version in &mut self.versions {
            version.died.take_if(|death| death.mark.undone(serial, savepoint));
            version.lock.take_if(|lock| lock.undone(serial, savepoint));
        }
        self.advisory.retain(|(_, mark)| !mark.undone(serial, savepoint));
    }

    /// The end of a session's transaction.
    fn end(&mut self, session: Session, keep: bool) {
        let keep = keep && self.xact(session).is_some_and(|xact| !xact.failed);
        if !keep {
            self.undo(session, 0);
        }
        let Some(xact) = self.connection(session).xact.take() else { return };
        if keep {
            self.commits += 1;
            for version in &mut self.versions {
                version.born = version.born.after_commit(xact.serial, self.commits);
                if let Some(death) = &mut version.died {
                    death.mark = death.mark.after_commit(xact.serial, self.commits);
                }
                version.lock.take_if(|lock| lock.undone(xact.serial, 0));
            }
            self.advisory.retain(|(_, mark)| !mark.undone(xact.serial, 0));
            let inner = xact.savepoints.iter().filter_map(|inner| inner.xid);
            for xid in inner.chain(xact.released.iter().copied()).chain(xact.xid) {
                self.xids.end(xid);
            }
            if xact.xid.is_some() {
                self.wal.commit(xact.changes.into_iter().map(|(_, change)| change).collect());
            }
        }
        if self.pending.iter().all(|pending| matches!(pending.work, Work::Slot { .. })) {
            // Nobody's statement sees them any more.
            self.versions.retain(|version| !matches!(version.died, Some(death) if matches!(death.mark, Mark::Committed(_))));
        }
    }
}
