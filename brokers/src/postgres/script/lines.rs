//! Words into numbers and statements, and replies into words.

use std::fmt::Write;

use crate::postgres::{Act, Claim, Fault, Held, Pick, Row, Status, Strength, Table};

/// The first transaction id of a script: answers count from the one before.
pub(super) const FIRST_XID: u64 = 701;

pub(super) fn claim(pick: Pick, most: u32, held: Held, act: Act) -> Claim {
    Claim { table: Table::Rows, pick, most, held, strength: Strength::Update, act }
}

pub(super) fn number(names: &mut Vec<String>, name: &str) -> u32 {
    let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    u32::try_from(place).unwrap_or(u32::MAX)
}

pub(super) fn count(word: &str) -> u32 {
    word.parse().unwrap_or(0)
}

pub(super) fn numbers(words: &[&str]) -> Vec<u64> {
    words.iter().filter_map(|word| word.parse().ok()).collect()
}

/// `1500ms` or `2s` in microseconds.
pub(super) fn us(word: &str) -> u64 {
    let (value, unit_us) = match word.strip_suffix("ms") {
        Some(value) => (value, 1_000),
        None => (word.strip_suffix('s').unwrap_or(word), 1_000_000),
    };
    value.parse::<u64>().unwrap_or(0).saturating_mul(unit_us)
}

pub(super) fn unknown() -> Vec<String> {
    vec!["unknown words".to_owned()]
}

pub(super) fn since(xid: u64) -> String {
    format!("+{}", xid.saturating_sub(FIRST_XID - 1))
}

pub(super) fn ids(found: &[u64]) -> String {
    if found.is_empty() {
        return "none".to_owned();
    }
    found.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

pub(super) fn lines(transactions: &[Vec<String>]) -> Vec<String> {
    if transactions.is_empty() {
        return vec!["none".to_owned()];
    }
    transactions.iter().map(|changes| changes.join(" ")).collect()
}

pub(super) fn seen(rows: &[Row], states: bool) -> String {
    if rows.is_empty() {
        return "none".to_owned();
    }
    let mut line = String::new();
    for row in rows {
        let space = if line.is_empty() { "" } else { " " };
        let _ = write!(line, "{space}{}", row.id);
        if states {
            let state = match row.status {
                Status::Ready => "ready",
                Status::Running => "running",
                Status::Done => "done",
                Status::Failed => "failed",
            };
            let _ = write!(line, "({state} {})", row.attempts);
        }
    }
    line
}

pub(super) fn failed(fault: Fault) -> String {
    let why = match fault {
        Fault::Aborted => "transaction is aborted",
        Fault::NotAvailable => "lock not available",
        Fault::TooLong => "statement timeout",
        Fault::Serialization => "could not serialize",
        Fault::Deadlock => "deadlock",
        Fault::Busy => "session waits",
        Fault::Closed => "connection closed",
        Fault::Unknown => "no such thing",
        Fault::SlotLost => "slot is lost",
        Fault::Full => "full",
    };
    format!("failed: {why}")
}

/// Whole megabytes, rounded down to a power of two.
pub(super) fn keeps(bytes: u64) -> String {
    match (bytes >> 20).checked_ilog2() {
        None => "under 1MB".to_owned(),
        Some(power) => format!("{}MB", 1_u64 << power),
    }
}
