//! How a table is used as a queue.

/// The settings of a [`super::TableQueue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How a worker holds what it works on.
    pub style: Style,
    /// Attempts before a row is failed, by the column that counts them; 0 never fails one. The column counts claims under a
    /// lease; where the claim is a transaction or a deletion it counts what workers gave back themselves.
    pub max_attempts: u32,
    /// The most rows of one claim, its `LIMIT`; 0 leaves it to who asks.
    pub batch: u32,
    /// `order by priority desc, id` instead of `order by id`.
    pub by_priority: bool,
    /// A unique index on the deduplication id: a repeat is not stored while the first is in the table.
    pub unique: bool,
}

/// How a worker holds what it works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `SELECT … FOR UPDATE` in a transaction that stays open while it works. The connection's end frees the rows at once
    /// and leaves no trace on them: no attempt is counted.
    Transaction {
        /// With `SKIP LOCKED`. Without, whoever comes second waits for the first.
        skip_locked: bool,
        /// A consumer has one transaction for all of its rows, committed when the last is settled; until then its death
        /// brings back those that it had done, too. Otherwise each row has its own.
        together: bool,
        /// `idle_in_transaction_session_timeout` in microseconds; 0 is off, as shipped.
        idle_limit_us: u64,
    },
    /// `UPDATE … SET status = 'running', locked_until = …, attempts = attempts + 1`, committed at once. The connection's end
    /// changes nothing: the row is running until its lease is over and someone looks.
    Lease {
        /// How long a lease is, in microseconds.
        lease_us: u64,
        /// Who takes back what ran out.
        recovery: Recovery,
        /// Finishing and extending ask whether the lease is still one's own.
        guarded: bool,
    },
    /// `DELETE … RETURNING`, committed at once: what a dying worker had is lost.
    Pop,
}

/// Who takes back rows whose lease is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Nobody: they run for ever.
    Nobody,
    /// A reaper, at multiples of so many microseconds.
    Reaper {
        /// Microseconds between two rounds; at least 1.
        every_us: u64,
    },
    /// Every claim, which asks for `status = 'ready' or locked_until < now()`. A row without attempts left is failed as soon
    /// as its lease is over.
    Claims,
}

impl Options {
    /// One row a transaction, `SKIP LOCKED`.
    #[must_use]
    pub fn transaction() -> Self {
        Self { style: Style::Transaction { skip_locked: true, together: false, idle_limit_us: 0 }, ..Self::lease(0) }
    }

    /// Leases of so many microseconds that claims take over when they are over, guarded.
    #[must_use]
    pub fn lease(lease_us: u64) -> Self {
        let style = Style::Lease { lease_us, recovery: Recovery::Claims, guarded: true };
        Self { style, max_attempts: 0, batch: 0, by_priority: false, unique: false }
    }

    /// Taking is deleting.
    #[must_use]
    pub fn pop() -> Self {
        Self { style: Style::Pop, ..Self::lease(0) }
    }
}
