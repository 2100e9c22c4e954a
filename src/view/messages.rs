//! Messages in lists.

use super::Level;
use crate::sim::Timestamp;

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessagesView {
    /// In order of birth.
    pub rows: Vec<MessageRow>,
    /// Where to look on: the next position; none at the end of the list.
    pub next: Option<u32>,
    /// How many positions there are to look through.
    pub of: u32,
}

/// One message of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRow {
    /// The fact: what a click opens.
    pub fact: u32,
    /// Its id.
    pub id: String,
    /// Its key.
    pub key: u32,
    /// When it came into the world.
    pub born_us: Timestamp,
    /// What became of it, in words, with the cause where there is one: `email lost: the process died …`.
    pub what: String,
    /// When it came to that; none for what is a matter of course.
    pub at_us: Option<Timestamp>,
    /// Index of the part where it came to that.
    pub part: Option<u16>,
    /// How it is to be read.
    pub level: Level,
}
