//! Where every message is.

use super::Level;
use crate::observe::lists::Which;

/// The books: every copy of a message is in one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BooksView {
    /// Where copies are, part by part; then how the others ended.
    pub rows: Vec<BookRow>,
    /// Copies ever made: what the rows add up to.
    pub total: u64,
}

/// A row of the books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookRow {
    /// Name of the part; empty for copies that have ended.
    pub part: String,
    /// Where there, or how they ended: `ready`, `not yet read by email`, `acknowledged`.
    pub what: String,
    /// How many.
    pub count: u64,
    /// How it is to be read.
    pub level: Level,
    /// The list of them, where they can be named.
    pub list: Option<Which>,
}
