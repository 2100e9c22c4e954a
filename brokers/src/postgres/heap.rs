//! How large a table gets, and what deleting from it gives back: pages of rows of one size.
//!
//! Rules from the documentation of PostgreSQL 15 ("Database Page Layout", "Routine Vacuuming") and from recordings: a
//! deleted row takes its room until a vacuum, and a vacuum leaves what was deleted by a transaction that is not older than
//! every running one; the room is then used by later rows, but the file gets shorter only at its end.

/// A page, in bytes.
pub const PAGE_BYTES: u64 = 8192;
/// What a page cannot use for rows, in bytes.
const PAGE_HEADER_BYTES: u64 = 24;
/// A row's header, and the pointer to it, in bytes.
const ROW_HEADER_BYTES: u64 = 24;
const POINTER_BYTES: u64 = 4;
/// Deletions that are kept apart until a vacuum; beyond, they count as the newest.
const MOST_DELETIONS: usize = 1_000;

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// Its file, in pages.
    pub pages: u64,
    /// Rows in it.
    pub live: u64,
    /// Places of rows that a vacuum has freed, and of the last page.
    pub free: u64,
    /// Deleted rows that still take their room: by which transaction, how many.
    dead: Vec<(u64, u64)>,
}

impl Heap {
    /// How many rows of one column with so many bytes fit into a page; at least one, as larger values are stored elsewhere.
    #[must_use]
    pub fn rows_per_page(bytes: u64) -> u64 {
        let length = if bytes < 127 { 1 } else { 4 };
        let row = (ROW_HEADER_BYTES + length + bytes).next_multiple_of(8) + POINTER_BYTES;
        ((PAGE_BYTES - PAGE_HEADER_BYTES) / row).max(1)
    }

    /// So many rows more, each of so many bytes.
    pub fn insert(&mut self, rows: u64, bytes: u64) {
        let per_page = Self::rows_per_page(bytes);
        let more = rows.saturating_sub(self.free).div_ceil(per_page);
        self.pages += more;
        self.free = (self.free + more * per_page).saturating_sub(rows);
        self.live += rows;
    }

    /// A transaction with this id has deleted so many rows and committed.
    pub fn delete(&mut self, rows: u64, xid: u64) {
        let rows = rows.min(self.live);
        self.live -= rows;
        let full = self.dead.len() >= MOST_DELETIONS;
        match self.dead.last_mut() {
            Some(last) if last.0 == xid || full => *last = (xid, last.1 + rows),
            _ => self.dead.push((xid, rows)),
        }
    }

    /// Deleted rows that still take their room. A claim in order of the index passes by them.
    #[must_use]
    pub fn dead(&self) -> u64 {
        self.dead.iter().map(|(_, rows)| rows).sum()
    }

    /// A vacuum while the oldest running transaction is `xmin`.
    pub fn vacuum(&mut self, xmin: u64) {
        let freed: u64 = self.dead.iter().filter(|(xid, _)| *xid < xmin).map(|(_, rows)| rows).sum();
        self.dead.retain(|(xid, _)| *xid >= xmin);
        self.free += freed;
        if self.live == 0 && self.dead.is_empty() {
            (self.pages, self.free) = (0, 0);
        }
    }
}
