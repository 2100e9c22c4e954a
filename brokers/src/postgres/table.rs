//! Rows and their versions: who sees what, and who holds it.

/// Which table a row is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// Jobs of a queue, or events of an outbox: the columns of [`Row`].
    Rows,
    /// Business rows that nobody claims.
    Orders,
    /// Keys of what has been handled, unique.
    Inbox,
}

/// How many tables there are.
pub(super) const TABLES: usize = 3;

/// What state a job is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Can be claimed.
    #[default]
    Ready,
    /// Claimed, under a lease.
    Running,
    /// Done and kept.
    Done,
    /// Tried as often as allowed.
    Failed,
}

/// The columns of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// From the table's sequence, so in order of asking, not of commit; a rollback leaves a gap.
    pub id: u64,
    /// What it is about; unique in [`Table::Inbox`].
    pub body: u64,
    /// Id of the transaction that inserted it, as a column with the default `pg_current_xact_id()` keeps it.
    pub xid: u64,
    /// Published, where the relay marks rows.
    pub sent: bool,
    /// The state of a job.
    pub status: Status,
    /// How often it was claimed under a lease.
    pub attempts: u32,
    /// When its lease ends, in microseconds.
    pub locked_until_us: u64,
    /// Who holds the lease.
    pub owner: u32,
}

/// When something was done: by a transaction that runs, or with a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// By a running transaction, in its savepoint of this number (0 is outside of any).
    By { xact: u64, savepoint: u32 },
    /// Committed, as the so manieth.
    Committed(u64),
}

impl Mark {
    /// Whether a statement of `xact` that sees the first `snapshot` commits sees what was done.
    fn seen(self, xact: u64, snapshot: u64) -> bool {
        match self {
            Self::By { xact: by, .. } => by == xact,
            Self::Committed(order) => order <= snapshot,
        }
    }

    /// Whether another transaction did it that still runs.
    pub(super) fn is_of_other(self, xact: u64) -> bool {
        matches!(self, Self::By { xact: by, .. } if by != xact)
    }

    /// Whether a rollback of `xact` to its savepoint of this number undoes it.
    pub(super) fn undone(self, xact: u64, savepoint: u32) -> bool {
        matches!(self, Self::By { xact: by, savepoint: inner } if by == xact && inner >= savepoint)
    }

    /// After `xact` has committed as the so manieth.
    pub(super) fn after_commit(self, xact: u64, order: u64) -> Self {
        match self {
            Self::By { xact: by, .. } if by == xact => Self::Committed(order),
            other => other,
        }
    }
}

/// The end of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Death {
    pub(super) mark: Mark,
    /// It was updated: the next version of the row follows it.
    pub(super) updated: bool,
}

/// One version of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) table: Table,
    pub(super) row: Row,
    pub(super) born: Mark,
    pub(super) died: Option<Death>,
    /// Row locks, always those of running transactions.
    pub(super) locks: Vec<RowLock>,
}

/// How strong a row lock is, the weakest first ("Row-Level Locks" in the documentation).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// `FOR KEY SHARE`, as the check of a foreign key takes it.
    KeyShare,
    /// `FOR SHARE`.
    Share,
    /// `FOR NO KEY UPDATE`, as an `UPDATE` takes it that leaves the keys as they are.
    NoKeyUpdate,
    /// `FOR UPDATE`, as a `DELETE` takes it.
    Update,
}

impl Strength {
    /// Whether two transactions cannot have these locks on a row at the same time.
    fn conflicts(self, other: Self) -> bool {
        match self {
            Self::KeyShare => other == Self::Update,
            Self::Share => other >= Self::NoKeyUpdate,
            Self::NoKeyUpdate => other >= Self::Share,
            Self::Update => true,
        }
    }
}

/// A row lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowLock {
    pub(super) mark: Mark,
    pub(super) strength: Strength,
}

impl Version {
    /// Whether a statement of `xact` that sees the first `snapshot` commits sees this version.
    pub(super) fn seen(&self, xact: u64, snapshot: u64) -> bool {
        self.born.seen(xact, snapshot) && !self.died.is_some_and(|death| death.mark.seen(xact, snapshot))
    }

    /// The other running transaction that locked, updated or deleted it, so that a lock of this strength must wait.
    pub(super) fn holder(&self, xact: u64, strength: Strength) -> Option<u64> {
        let ended = self.died.map(|death| RowLock {
            mark: death.mark,
            strength: if death.updated { Strength::NoKeyUpdate } else { Strength::Update },
        });
        self.locks.iter().copied().chain(ended).filter(|lock| lock.strength.conflicts(strength)).find_map(|lock| {
            match lock.mark {
                Mark::By { xact: by, .. } if by != xact => Some(by),
                _ => None,
            }
        })
    }

    /// Whether a transaction has a lock on it that is at least as strong.
    pub(super) fn is_locked_by(&self, xact: u64, strength: Strength) -> bool {
        self.locks.iter().any(|lock| lock.strength >= strength && lock.mark.undone(xact, 0))
    }
}

/// Which rows a statement is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// `true`.
    All,
    /// `status = 'ready'`.
    Ready,
    /// `status = 'ready' or status = 'running' and locked_until < now()`.
    Due,
    /// `status = 'running' and locked_until < now()`.
    Expired,
    /// `not sent`.
    Unsent,
    /// `id in (…)`.
    Ids(Vec<u64>),
    /// `id in (…) and status = 'running' and owner = …`.
    Owned(Vec<u64>),
}

impl Pick {
    /// Whether it picks this row; `now()` is when the transaction began.
    pub(super) fn fits(&self, row: &Row, now_us: u64, owner: u32) -> bool {
        let expired = row.status == Status::Running && row.locked_until_us < now_us;
        match self {
            Self::All => true,
            Self::Ready => row.status == Status::Ready,
            Self::Due => row.status == Status::Ready || expired,
            Self::Expired => expired,
            Self::Unsent => !row.sent,
            Self::Ids(ids) => ids.contains(&row.id),
            Self::Owned(ids) => ids.contains(&row.id) && row.status == Status::Running && row.owner == owner,
        }
    }
}

/// What `UPDATE` sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A lease: running, so long from `now()`, one more attempt, owned by the session.
    Lease {
        /// Microseconds from the transaction's beginning.
        for_us: u64,
    },
    /// The lease ends so long from `now()`.
    Extend {
        /// Microseconds from the transaction's beginning.
        for_us: u64,
    },
    /// Ready again; or failed, if it was tried so often.
    Reap {
        /// Attempts that are allowed.
        max_attempts: u32,
    },
    /// One more attempt, and nothing else.
    Attempt,
    /// Done, and kept.
    Done,
    /// Published.
    Sent,
}

impl Change {
    /// The row after it.
    pub(super) fn applied(self, row: Row, now_us: u64, owner: u32) -> Row {
        let until = |for_us: u64| now_us.saturating_add(for_us);
        match self {
            Self::Lease { for_us } => {
                let attempts = row.attempts.saturating_add(1);
                Row { status: Status::Running, locked_until_us: until(for_us), attempts, owner, ..row }
            }
            Self::Extend { for_us } => Row { locked_until_us: until(for_us), ..row },
            Self::Reap { max_attempts } if row.attempts >= max_attempts => Row { status: Status::Failed, ..row },
            Self::Reap { .. } => Row { status: Status::Ready, ..row },
            Self::Attempt => Row { attempts: row.attempts.saturating_add(1), ..row },
            Self::Done => Row { status: Status::Done, ..row },
            Self::Sent => Row { sent: true, ..row },
        }
    }
}
