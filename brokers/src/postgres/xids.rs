//! Transaction ids and the snapshots that `pg_current_snapshot()` shows.
//!
//! Rules from the sources of PostgreSQL 15, `GetSnapshotData` in `procarray.c`, and from recordings: an id is given out at
//! the first write or row lock, not at `BEGIN`; `xmax` is one above the newest *ended* id, so an id that was given out later
//! than that is above `xmax` and is not listed; one's own id is not listed either, but lowers `xmin`.

/// Hands out transaction ids and knows which are running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xids {
    next: u64,
    newest_ended: u64,
    /// Top-level ids that run, ascending.
    running: Vec<u64>,
}

/// What a statement sees as ended: everything below `xmin`, nothing from `xmax` on, and in between all but `running`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The oldest id that may still run. Whatever is below has ended: no row of it can appear any more.
    pub xmin: u64,
    /// The first id that had not been ended.
    pub xmax: u64,
    /// The running ones in between, ascending.
    pub running: Vec<u64>,
}

impl Xids {
    /// The first id to be given out is `first`, which must be above zero.
    #[must_use]
    pub fn new(first: u64) -> Self {
        Self { next: first.max(1), newest_ended: first.max(1) - 1, running: Vec::new() }
    }

    /// Gives out the id of a transaction.
    pub fn assign(&mut self) -> u64 {
        let xid = self.assign_inner();
        self.running.push(xid);
        xid
    }

    /// Gives out the id of a subtransaction (a savepoint that wrote). It is not listed in snapshots.
    pub fn assign_inner(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// A transaction or subtransaction ended, one way or the other.
    pub fn end(&mut self, xid: u64) {
        self.running.retain(|&known| known != xid);
        self.newest_ended = self.newest_ended.max(xid);
    }

    /// The snapshot of now, as a transaction with the id `own` sees it.
    #[must_use]
    pub fn snapshot(&self, own: Option<u64>) -> Snapshot {
        let xmax = self.newest_ended + 1;
        let xmin = self.running.first().map_or(xmax, |&oldest| oldest.min(xmax));
        let listed = |xid: &u64| *xid < xmax && Some(*xid) != own;
        Snapshot { xmin, xmax, running: self.running.iter().copied().filter(listed).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_given_out_after_the_newest_ended_one_is_above_xmax() {
        let mut xids = Xids::new(10);
        let (first, second, third) = (xids.assign(), xids.assign(), xids.assign());
        assert_eq!(xids.snapshot(None), Snapshot { xmin: 10, xmax: 10, running: vec![] });
        xids.end(second);
        assert_eq!(xids.snapshot(None), Snapshot { xmin: 10, xmax: 12, running: vec![first] });
        assert_eq!(xids.snapshot(Some(first)), Snapshot { xmin: 10, xmax: 12, running: vec![] });
        xids.end(first);
        assert_eq!(xids.snapshot(Some(third)), Snapshot { xmin: 12, xmax: 12, running: vec![] });
    }
}
