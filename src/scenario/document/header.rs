//! The fields of a document that stand beside its parts: what it is called, how long it runs.

use std::fmt;

use serde_json::{Map, Value};

use super::reader::{Reader, below};
use crate::scenario::FORMAT;
use crate::scenario::setting::{Form, Refused, SettingValue, Settings};
use crate::settings;
use crate::sim::Micros;
use crate::sim::time::decimal;

/// The most samples of gauges in one run: what a time track can hold.
pub const MAX_SAMPLES: u64 = 20_000;

/// A playing speed in thousandths of real time. Written `1x`, `0.001x`, `60x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Speed(pub u64);

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000, self.0 % 1_000);
        if rest == 0 {
            return write!(f, "{whole}x");
        }
        write!(f, "{whole}.{}x", format!("{rest:03}").trim_end_matches('0'))
    }
}

impl SettingValue for Speed {
    const FORM: Form = Form::Text;
    fn read(value: &Value, _range: &str) -> Result<Self, String> {
        let wrong = || format!("{value} is not a speed like 5x");
        let number = value.as_str().and_then(|text| text.trim().strip_suffix('x')).ok_or_else(wrong)?;
        match decimal(number, 1_000) {
            Ok(milli @ 1..=600_000) => Ok(Self(milli)),
            _ => Err(wrong()),
        }
    }
    fn write(&self) -> Value {
        Value::String(self.to_string())
    }
}

settings! {
    /// The fields of a document besides its parts, plans and switches.
    pub struct Header {
        title: String = "" in "", "Its name for people. The id if left out.";
        summary: String = "" in "", "One sentence: what there is to see.";
        group: String = "Your own" in "", "The heading it stands under in the picker.";
        seed: u64 = "7" in "", "The seed of chance. Same seed, same run.";
        until: Micros = "60s" in "1ms..=365d", "Where the run ends.";
        sample: Micros = "100ms" in "1ms..=1d", "How often gauges and alert rules are looked at. A run has at most 20000 samples: a longer one is sampled less often.";
        speed: Speed = "1x" in "0.001x..=600x", "How fast the page plays it.";
    }
}

impl Header {
    /// Reads the header fields of a document and whether `redrive` names the one version there is.
    pub fn read(reader: &mut Reader, document: &Map<String, Value>, id: &str) -> Self {
        let mut header = Self::default();
        for row in Self::TABLE {
            let Some(value) = document.get(row.name) else { continue };
            match header.set(row.name, value) {
                Ok(()) | Err(Refused::Unknown) => {}
                Err(Refused::Bad { wrong, allowed }) => reader.fault(row.name, wrong, allowed),
            }
        }
        if header.title.trim().is_empty() {
            id.clone_into(&mut header.title);
        }
        let least = least_sample(header.until);
        if document.contains_key("sample") && header.sample < least {
            let wrong = format!("{} until {} is more than {MAX_SAMPLES} samples", header.sample, header.until);
            reader.fault("sample", wrong, format!("{least} or longer"));
        }
        header.sample = header.sample.max(least);
        header
    }
}

/// The shortest sample that keeps a run of this length within [`MAX_SAMPLES`].
#[must_use]
pub fn least_sample(until: Micros) -> Micros {
    let exact = until.0.div_ceil(MAX_SAMPLES);
    // A round figure reads better on an axis: the next 1, 2 or 5 times a power of ten.
    let mut round = 1_000;
    while round < exact {
        let next = [2, 5, 10].map(|step| round * step).into_iter().find(|step| *step >= exact);
        match next {
            Some(found) => return Micros(found),
            None => round *= 10,
        }
    }
    Micros(round)
}

/// Whether the document is written for this version of the format; notes what is wrong if not.
pub fn version(reader: &mut Reader, document: &Map<String, Value>) -> bool {
    let allowed = format!("{FORMAT}");
    match document.get("redrive") {
        None => {
            reader.fault(
                "",
                "`redrive` is missing: it says which version of the format this is",
                format!("\"redrive\": {FORMAT}"),
            );
            true
        }
        Some(value) if value.as_u64() == Some(FORMAT) => true,
        Some(Value::Number(number)) => {
            reader.fault(below("", "redrive"), format!("version {number} of the format is not known here"), allowed);
            false
        }
        Some(value) => {
            reader.fault(below("", "redrive"), format!("{value} is not a version"), allowed);
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_is_sampled_less_often_at_a_round_figure() {
        let check = |until: &str, expect: &str| {
            let until = Micros::parse(until).expect("a duration");
            let least = least_sample(until);
            assert_eq!(least.to_string(), expect, "{until}");
            assert!(until.0 / least.0 <= MAX_SAMPLES);
        };
        check("60s", "5ms");
        check("3m", "10ms");
        check("2h", "500ms");
        check("30d", "200s");
    }
}
