//! Outbox relays: which rows a poll publishes. Each is its position and a rule, over the rows that are visible to it.
//!
//! | relay | a row that commits late | a gap that a rollback leaves | order |
//! | --- | --- | --- | --- |
//! | [`LastId`] | never published, if a higher id went before | no matter | of ids |
//! | [`Flag`] | published when it is there | no matter | of ids among what is there |
//! | [`Horizon`] | holds up every later transaction, then comes in its place | no matter | of transactions' beginnings |
//! | a slot ([`super::Wal`]) | published when it commits | never in the log | of commits |

use super::table::Row;

/// Keeps the highest id that it has published and asks for `id > last`. Ids are handed out before the commit, so a
/// transaction that commits after a later one is passed by for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastId {
    /// The highest id that it has published.
    pub last: u64,
}

impl LastId {
    /// The ids to publish next, up to so many, of the visible rows in ascending order of id; it moves behind them.
    pub fn poll(&mut self, visible: &[Row], most: u32) -> Vec<u64> {
        let from = visible.partition_point(|row| row.id <= self.last);
        let found: Vec<u64> = visible[from..].iter().take(most as usize).map(|row| row.id).collect();
        self.last = found.last().copied().unwrap_or(self.last);
        found
    }
}

/// Asks for rows that are not marked as sent, and marks them in the transaction in which it published them. What another
/// relay holds is passed by (`SKIP LOCKED`). A crash between publishing and the commit of the mark publishes again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flag;

impl Flag {
    /// The ids to publish next, up to so many; `locked` are held by other relays.
    #[must_use]
    pub fn poll(visible: &[Row], locked: &[u64], most: u32) -> Vec<u64> {
        let free = |row: &&Row| !row.sent && !locked.contains(&row.id);
        visible.iter().filter(free).take(most as usize).map(|row| row.id).collect()
    }
}

/// Asks for `xid < pg_snapshot_xmin(pg_current_snapshot())`, in order of `(xid, id)`. Below the horizon nothing can appear
/// any more, so nothing is passed by; but any transaction of the server that has an id and stays open holds it up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Horizon {
    /// Transaction id and id of the last row that it has published.
    pub last: (u64, u64),
}

impl Horizon {
    /// The ids to publish next, up to so many, of the visible rows and the snapshot's `xmin`; it moves behind them.
    pub fn poll(&mut self, visible: &[Row], xmin: u64, most: u32) -> Vec<u64> {
        let safe = |key: &(u64, u64)| key.0 < xmin && *key > self.last;
        let mut found: Vec<(u64, u64)> = visible.iter().map(|row| (row.xid, row.id)).filter(safe).collect();
        crate::order::sort(&mut found);
        found.truncate(most as usize);
        self.last = found.last().copied().unwrap_or(self.last);
        found.into_iter().map(|(_, id)| id).collect()
    }
}
