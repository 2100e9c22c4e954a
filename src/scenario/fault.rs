//! What is wrong with a document: always a place, what is wrong there and what is allowed.

use std::fmt;

/// One fault in a scenario or in a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// JSON path of the place: `parts.orders.retention`. Empty for the document as a whole.
    pub path: String,
    /// What is wrong.
    pub wrong: String,
    /// What is allowed there.
    pub allowed: String,
}

/// All faults that were found; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl Fault {
    /// A fault at a place.
    pub fn new(path: impl Into<String>, wrong: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self { path: path.into(), wrong: wrong.into(), allowed: allowed.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "(document)" } else { &self.path };
        write!(f, "{path}: {}", self.wrong)?;
        if self.allowed.is_empty() { Ok(()) } else { write!(f, "; allowed: {}", self.allowed) }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
impl std::error::Error for Faults {}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}
