//! Says how far something long is, where someone watches.

use std::io::{IsTerminal, Write, stderr};

/// A line on the terminal that is written over.
pub struct Watched(bool);

impl Watched {
    /// Nothing yet.
    pub fn new() -> Self {
        Self(stderr().is_terminal())
    }

    /// So many of so many. Lost words are no reason to stop.
    pub fn say(&mut self, (done, of): (u64, u64)) {
        if self.0 {
            let _ = write!(stderr(), "\r{done} of {of}");
        }
    }

    /// The line goes away.
    pub fn end(&mut self) {
        if self.0 {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}
