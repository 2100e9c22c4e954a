//! A transaction from its first statement to its end: its id, its savepoints, what a rollback undoes.

use super::database::{Database, Fault, Reply, Session};
use super::statement::Work;
use super::table::{Mark, Row, Table, Version};
use super::wal::Changed;
use super::xids::Snapshot;

/// Row versions that a machine keeps at most.
const MOST_VERSIONS: usize = 100_000;

/// A savepoint that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Savepoint {
    pub(super) name: u64,
    /// From 1, never used again in its transaction.
    pub(super) number: u32,
    pub(super) xid: Option<u64>,
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Xact {
    pub(super) serial: u64,
    /// What `now()` gives all along.
    pub(super) begun_us: u64,
    pub(super) xid: Option<u64>,
    /// Where the log was when it got its id, in bytes.
    pub(super) first_lsn: u64,
    /// Without `BEGIN`: it ends with its statement.
    pub(super) implicit: bool,
    /// It has had a statement that saw something.
    pub(super) asked: bool,
    /// `REPEATABLE READ`: every statement sees what the first one saw.
    pub(super) repeatable: bool,
    /// What its first statement saw, where that holds for all: so many commits, and the snapshot that is shown.
    pub(super) first: Option<(u64, Snapshot)>,
    pub(super) failed: bool,
    pub(super) savepoints: Vec<Savepoint>,
    /// Ids of released savepoints: they end with the transaction.
    pub(super) released: Vec<u64>,
    pub(super) last_savepoint: u32,
    /// What logical decoding will show, each with its savepoint.
    pub(super) changes: Vec<(u32, Changed)>,
}

impl Xact {
    pub(super) fn mark(&self) -> Mark {
        Mark::By { xact: self.serial, savepoint: self.savepoint() }
    }

    pub(super) fn savepoint(&self) -> u32 {
        self.savepoints.last().map_or(0, |inner| inner.number)
    }
}

/// A connection's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) session: Session,
    pub(super) xact: Option<Xact>,
    /// `idle_in_transaction_session_timeout` in microseconds; 0 is off.
    pub(super) idle_limit_us: u64,
    /// `lock_timeout` in microseconds; 0 is off.
    pub(super) lock_limit_us: u64,
    /// `statement_timeout` in microseconds; 0 is off.
    pub(super) statement_limit_us: u64,
    /// When its last statement ended.
    pub(super) idle_since_us: u64,
}

impl Connection {
    fn new(session: Session) -> Self {
        Self { session, xact: None, idle_limit_us: 0, lock_limit_us: 0, statement_limit_us: 0, idle_since_us: 0 }
    }

    /// When it has been idle for as long as it may, in microseconds.
    pub(super) fn idle_due_us(&self) -> u64 {
        self.idle_since_us.saturating_add(self.idle_limit_us)
    }
}

impl Database {
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
        self.versions.insert(at, Version { table, row, born, died: None, locks: Vec::new() });
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
        let now = (self.commits, self.xids.snapshot(None));
        match self.xact_mut(session) {
            Some(xact) if xact.failed => Err(Fault::Aborted),
            Some(xact) => {
                xact.asked = true;
                if xact.repeatable {
                    xact.first.get_or_insert(now);
                }
                Ok(xact.serial)
            }
            None => Ok(self.open(session, true)),
        }
    }

    pub(super) fn is_repeatable(&self, session: Session) -> bool {
        self.xact(session).is_some_and(|xact| xact.repeatable)
    }

    /// How many commits the statements of a session see that begin now.
    pub(super) fn sees(&self, session: Session) -> u64 {
        self.xact(session).and_then(|xact| xact.first.as_ref()).map_or(self.commits, |(commits, _)| *commits)
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
    pub(super) fn rests(&mut self, session: Session) -> Reply {
        let now_us = self.now_us;
        self.connection(session).idle_since_us = now_us;
        Reply::Done
    }

    /// Why a session cannot say anything for now.
    pub(super) fn refuses(&mut self, session: Session) -> Option<Fault> {
        if let Some(place) = self.closed.iter().position(|&known| known == session) {
            self.closed.swap_remove(place);
            return Some(Fault::Closed);
        }
        self.waits(session).then_some(Fault::Busy)
    }

    pub(super) fn waits(&self, session: Session) -> bool {
        self.pending.iter().any(|pending| pending.session == session)
    }

    pub(super) fn connection(&mut self, session: Session) -> &mut Connection {
        let place = self.connections.iter().position(|known| known.session == session).unwrap_or_else(|| {
            self.connections.push(Connection::new(session));
            self.connections.len() - 1
        });
        &mut self.connections[place]
    }

    pub(super) fn open(&mut self, session: Session, implicit: bool) -> u64 {
        self.begun += 1;
        let (serial, begun_us) = (self.begun, self.now_us);
        self.connection(session).xact = Some(Xact {
            serial,
            begun_us,
            xid: None,
            first_lsn: 0,
            implicit,
            asked: false,
            repeatable: false,
            first: None,
            failed: false,
            savepoints: Vec::new(),
            released: Vec::new(),
            last_savepoint: 0,
            changes: Vec::new(),
        });
        serial
    }

    /// Undoes what a transaction did in and inside of its savepoint of this number; 0 is all of it.
    pub(super) fn undo(&mut self, session: Session, savepoint: u32) {
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
            version.locks.retain(|lock| !lock.mark.undone(serial, savepoint));
        }
        self.advisory.retain(|(_, mark)| !mark.undone(serial, savepoint));
    }

    /// The end of a session's transaction.
    pub(super) fn end(&mut self, session: Session, keep: bool) {
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
                version.locks.retain(|lock| !lock.mark.undone(xact.serial, 0));
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
        let look_back = self.connections.iter().any(|known| known.xact.as_ref().is_some_and(|xact| xact.first.is_some()));
        if !look_back && self.pending.iter().all(|pending| matches!(pending.work, Work::Slot { .. })) {
            // Nobody's statement sees them any more.
            self.versions.retain(|version| !matches!(version.died, Some(death) if matches!(death.mark, Mark::Committed(_))));
        }
    }
}
