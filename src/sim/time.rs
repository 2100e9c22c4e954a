//! Durations, rates and shares: how people write them and the integers the engine keeps.

use std::fmt;

/// A moment of virtual time, in microseconds since the start of the run.
pub type Timestamp = u64;

/// Microseconds in a second.
pub const SECOND_US: u64 = 1_000_000;

/// A length of virtual time in microseconds. Written `250us`, `30ms`, `1.5s`, `10m`, `12h`, `7d`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(pub u64);

/// A rate in thousandths per second, so that `1/min` is exact enough to keep as an integer. Written `2000/s`, `0.5/s`, `6/min`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PerSecond {
    /// Thousandths of an occurrence per second.
    pub milli: u64,
}

/// A share in parts per million. Written `0.1%`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ppm(pub u32);

const UNITS: [(&str, u64); 6] =
    [("us", 1), ("ms", 1_000), ("s", SECOND_US), ("m", 60 * SECOND_US), ("h", 3_600 * SECOND_US), ("d", 86_400 * SECOND_US)];

/// Reads a decimal as an integer multiple of `1/scale`; no float is involved, so `0.1` is exactly a tenth.
///
/// # Errors
/// What is wrong, in words, when the text is no plain decimal or too large.
pub fn decimal(text: &str, scale: u64) -> Result<u64, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || (text.contains('.') && !digits(fraction)) {
        return Err(format!("`{text}` is not a number"));
    }
    let too_large = || format!("`{text}` is too large");
    let mut value = whole.parse::<u64>().ok().and_then(|n| n.checked_mul(scale)).ok_or_else(too_large)?;
    let mut unit = scale;
    for byte in fraction.bytes() {
        unit /= 10;
        value = value.checked_add(u64::from(byte - b'0') * unit).ok_or_else(too_large)?;
    }
    Ok(value)
}

impl Micros {
    /// Nothing at all.
    pub const ZERO: Self = Self(0);

    /// A duration of whole seconds.
    #[must_use]
    pub const fn seconds(seconds: u64) -> Self {
        Self(seconds * SECOND_US)
    }

    /// A duration of whole milliseconds.
    #[must_use]
    pub const fn millis(millis: u64) -> Self {
        Self(millis * 1_000)
    }

    /// Reads `1.5s`. A bare `0` needs no unit.
    ///
    /// # Errors
    /// What is wrong, in words: a missing unit, a negative value, no number.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix('-')
            && rest.starts_with(|c: char| c.is_ascii_digit())
        {
            return Err(format!("`{text}` is negative"));
        }
        if text == "0" {
            return Ok(Self::ZERO);
        }
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        if unit.is_empty() && decimal(number, 1_000_000).is_ok() {
            return Err(format!("`{text}` has no unit: write it with us, ms, s, m, h or d, like `{text}s`"));
        }
        let unit = unit.trim();
        let unit = if unit == "min" { "m" } else { unit };
        let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("`{text}` is not a duration: write it like 250us, 30ms, 1.5s, 10m, 12h or 7d"));
        };
        decimal(number.trim(), *scale).map(Self)
    }
}

/// Writes the shortest exact form: `1.5s`, `90s` as `1m30s` never, always one unit so that it reads back.
impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let exact = UNITS.iter().rev().find(|(_, scale)| self.0.is_multiple_of(*scale));
        let (unit, scale) = match exact {
            Some((unit, scale)) if *scale >= SECOND_US || self.0 < SECOND_US => (*unit, *scale),
            _ if self.0 >= SECOND_US => ("s", SECOND_US),
            _ if self.0 >= 1_000 => ("ms", 1_000),
            _ => ("us", 1),
        };
        let (whole, rest) = (self.0 / scale, self.0 % scale);
        if rest == 0 {
            return write!(f, "{whole}{unit}");
        }
        let digits = if scale == SECOND_US { 6 } else { 3 };
        let fraction = format!("{rest:0digits$}");
        write!(f, "{whole}.{}{unit}", fraction.trim_end_matches('0'))
    }
}

impl PerSecond {
    /// A rate of whole occurrences per second.
    #[must_use]
    pub const fn whole(count: u64) -> Self {
        Self { milli: count * 1_000 }
    }

    /// Reads `2000/s`, `6/min`, `1/h`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "0" {
            return Ok(Self::default());
        }
        if text.starts_with('-') {
            return Err(format!("`{text}` is negative"));
        }
        let shape = || format!("`{text}` is not a rate: write it like 2000/s, 0.5/s or 6/min");
        let (number, unit) = text.split_once('/').ok_or_else(shape)?;
        let number = decimal(&number.trim().replace(['_', ','], ""), 1_000_000)?;
        match unit.trim() {
            "s" => Ok(Self { milli: number / 1_000 }),
            "m" | "min" => Ok(Self { milli: number / 60_000 }),
            "h" => Ok(Self { milli: number / 3_600_000 }),
            _ => Err(shape()),
        }
    }
}

impl fmt::Display for PerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.milli == 0 {
            return f.write_str("0/s");
        }
        if self.milli.is_multiple_of(1_000) {
            return write!(f, "{}/s", self.milli / 1_000);
        }
        let fraction = format!("{:03}", self.milli % 1_000);
        write!(f, "{}.{}/s", self.milli / 1_000, fraction.trim_end_matches('0'))
    }
}

impl Ppm {
    /// All of it.
    pub const ONE: Self = Self(1_000_000);

    /// Reads `30%` or `0.1%`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with('-') {
            return Err(format!("`{text}` is negative"));
        }
        let number = match text.strip_suffix('%') {
            Some(number) => number,
            None if text == "0" => text,
            None => return Err(format!("`{text}` is not a share: write it with a percent sign, like 30% or 0.1%")),
        };
        let value = decimal(number.trim(), 10_000)?;
        match u32::try_from(value) {
            Ok(ppm) if ppm <= Self::ONE.0 => Ok(Self(ppm)),
            _ => Err(format!("`{text}` is more than 100%")),
        }
    }
}

impl fmt::Display for Ppm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 10_000, self.0 % 10_000);
        if rest == 0 {
            return write!(f, "{whole}%");
        }
        write!(f, "{whole}.{}%", format!("{rest:04}").trim_end_matches('0'))
    }
}

/// A moment as a reader of a clock writes it: `01:26.40`, with hours when there are any.
#[must_use]
pub fn clock(at_us: Timestamp) -> String {
    let centis = at_us / 10_000;
    let (seconds, centis) = (centis / 100, centis % 100);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    if minutes >= 60 {
        return format!("{}:{:02}:{seconds:02}.{centis:02}", minutes / 60, minutes % 60);
    }
    format!("{minutes:02}:{seconds:02}.{centis:02}")
}

/// A duration as a person says it, rounded to three figures: `45.2 s`, `5 ms`, `12 min`.
#[must_use]
pub fn spoken(us: u64) -> String {
    match us {
        0 => "0 s".into(),
        1..1_000 => format!("{us} µs"),
        1_000..10_000 => format!("{}.{} ms", us / 1_000, us % 1_000 / 100).replace(".0 ", " "),
        10_000..1_000_000 => format!("{} ms", us / 1_000),
        1_000_000..120_000_000 => format!("{}.{} s", us / SECOND_US, us % SECOND_US / 100_000),
        120_000_000..7_200_000_000 => format!("{} min", us / (60 * SECOND_US)),
        7_200_000_000..172_800_000_000 => format!("{} h", us / (3_600 * SECOND_US)),
        _ => format!("{} d", us / (86_400 * SECOND_US)),
    }
}

/// A count with thousands separated: `1,904`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_back_as_they_are_written() {
        for us in [0, 1, 999, 1_000, 1_500, 30_000, 1_000_000, 1_500_000, 90_000_000, 86_400_000_000, 1_234_567] {
            let text = Micros(us).to_string();
            assert_eq!(Micros::parse(&text), Ok(Micros(us)), "{text}");
        }
    }

    #[test]
    fn a_wrong_duration_says_what_is_wrong() {
        let check = |text: &str, expect: &str| assert_eq!(Micros::parse(text).unwrap_err(), expect);
        check("-5s", "`-5s` is negative");
        check("30", "`30` has no unit: write it with us, ms, s, m, h or d, like `30s`");
        check("soon", "`soon` is not a duration: write it like 250us, 30ms, 1.5s, 10m, 12h or 7d");
    }

    #[test]
    fn rates_and_shares_are_exact() {
        assert_eq!(PerSecond::parse("0.5/s").map(|rate| rate.milli), Ok(500));
        assert_eq!(PerSecond::parse("6/min").map(|rate| rate.milli), Ok(100));
        assert_eq!(Ppm::parse("0.1%"), Ok(Ppm(1_000)));
        assert_eq!(Ppm::parse("101%").unwrap_err(), "`101%` is more than 100%");
        assert_eq!(Ppm(1_000).to_string(), "0.1%");
    }

    #[test]
    fn counts_and_clocks_read_well() {
        assert_eq!(grouped(1_904), "1,904");
        assert_eq!(clock(86_400_000), "01:26.40");
        assert_eq!(spoken(45_230_000), "45.2 s");
    }
}
