//! Reading and writing what scripts have in common.

use crate::transcript::Transcript;

/// A duration in microseconds: `3s`, `200ms`, `7d`.
pub fn time(word: &str) -> Option<u64> {
    let digits = word.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
    let (number, unit) = word.split_at(digits);
    let unit_us: u64 = match unit {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut us = whole.parse::<u64>().ok()?.checked_mul(unit_us)?;
    let mut place_us = unit_us;
    for digit in fraction.bytes() {
        place_us /= 10;
        us = us.checked_add(u64::from(digit.checked_sub(b'0')?) * place_us)?;
    }
    Some(us)
}

/// Seconds to a tenth: `4.3s`, `9s`.
pub fn tenths(us: u64) -> String {
    let tenths = us.saturating_add(50_000) / 100_000;
    if tenths.is_multiple_of(10) { format!("{}s", tenths / 10) } else { format!("{}.{}s", tenths / 10, tenths % 10) }
}

/// The names, or `nothing`.
pub fn list(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(" ") }
}

/// A word `name=value` among others.
pub fn option<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

/// The word after this one.
pub fn after<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words.iter().skip_while(|word| **word != name).nth(1).copied()
}

/// Header values that settings are read from.
pub struct Header<'a>(pub &'a Transcript);

impl Header<'_> {
    /// A number, or what it is without one.
    pub fn number(&self, name: &str, without: u64) -> Result<u64, String> {
        match self.0.value(name) {
            None => Ok(without),
            Some(value) => value.parse().map_err(|_| format!("{name}: {value}")),
        }
    }

    /// Milliseconds as microseconds. `-1` is no limit.
    pub fn ms(&self, name: &str, without_us: u64) -> Result<u64, String> {
        if self.0.value(name) == Some("-1") {
            return Ok(u64::MAX);
        }
        Ok(self.number(name, without_us / 1_000)?.saturating_mul(1_000))
    }

    /// `true` or `false`.
    pub fn flag(&self, name: &str, without: bool) -> Result<bool, String> {
        match self.0.value(name) {
            None => Ok(without),
            Some(value) => value.parse().map_err(|_| format!("{name}: {value}")),
        }
    }
}
