//! A run: scenario, seed, settings and commands. Everything anyone sees is a pure function of it, and it fits in a link.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::command::Timed;
use crate::scenario::document::header::least_sample;
use crate::scenario::{Fault, Faults, Scenario, document, library};
use crate::sim::Timestamp;
use crate::sim::order::by_key;

/// What makes a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Where the scenario comes from.
    pub source: Source,
    /// Seed; none takes the scenario's.
    pub seed: Option<u64>,
    /// End; none takes the scenario's.
    pub until_us: Option<Timestamp>,
    /// Settings that differ from the scenario's from the start: `part.setting` and value as text.
    pub sets: Vec<(String, String)>,
    /// Commands that are not planned in the scenario, in order of time.
    pub commands: Vec<Timed>,
}

/// Where a scenario comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// One that ships, by id.
    Library(String),
    /// A document: id and JSON text.
    Document(String, String),
}

impl Default for Source {
    fn default() -> Self {
        Self::Library(library::FIRST.to_owned())
    }
}

/// The most characters of a link's part after `#/run/` that are looked at.
pub const MAX_LINK: usize = 200_000;
/// The most bytes that a link may unpack to.
const MAX_UNPACKED: usize = 2_000_000;
/// The most commands in one run.
pub const MAX_COMMANDS: usize = 10_000;

/// The form of a run inside a link. Short names: it is compressed, but short all the same.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Packed {
    v: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until_us: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    set: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    r#do: Vec<String>,
}

impl Run {
    /// The run of a scenario that ships, as it ships.
    #[must_use]
    pub fn of_library(id: &str) -> Self {
        Self { source: Source::Library(id.to_owned()), ..Self::default() }
    }

    /// The run of a document.
    #[must_use]
    pub fn of_document(id: &str, text: &str) -> Self {
        Self { source: Source::Document(id.to_owned(), text.to_owned()), ..Self::default() }
    }

    /// The checked scenario with this run's settings in force.
    ///
    /// # Errors
    /// Every fault of the document and of the settings, each with its place.
    pub fn scenario(&self) -> Result<Scenario, Faults> {
        let mut scenario = match &self.source {
            Source::Library(id) => document::read(id, library::text(id)?, &self.sets)?,
            Source::Document(id, text) => document::read(id, text, &self.sets)?,
        };
        if let Some(seed) = self.seed {
            scenario.seed = seed;
        }
        if let Some(until_us) = self.until_us {
            scenario.until.0 = until_us;
            scenario.sample = scenario.sample.max(least_sample(scenario.until));
        }
        for timed in &self.commands {
            document::check_command(&scenario, &timed.command)?;
        }
        scenario.breaks.extend(self.commands.iter().cloned());
        scenario.breaks = by_key(scenario.breaks, |timed| timed.at_us);
        Ok(scenario)
    }

    /// The id of the scenario, where this is a run of the library just as it ships.
    #[must_use]
    pub fn as_shipped(&self) -> Option<&str> {
        let Source::Library(id) = &self.source else { return None };
        (*self == Self::of_library(id)).then_some(id)
    }

    /// The run as the text of a link, to stand behind `#/run/`.
    #[must_use]
    pub fn to_link(&self) -> String {
        let (id, doc) = match &self.source {
            Source::Library(id) => (Some(id.clone()), None),
            Source::Document(id, text) => (Some(id.clone()), Some(text.clone())),
        };
        let packed = Packed {
            v: 1,
            id,
            doc,
            seed: self.seed,
            until_us: self.until_us,
            set: self.sets.clone(),
            r#do: self.commands.iter().map(ToString::to_string).collect(),
        };
        let json = serde_json::to_vec(&packed).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(miniz_oxide::deflate::compress_to_vec(&json, 9))
    }

    /// Reads the text of a link. A moment behind it (`LINK/at/US`) is for whoever shows the run, and no part of it.
    ///
    /// # Errors
    /// A fault that says what is wrong with the link. Whether its scenario is sound is for [`Run::scenario`] to say.
    pub fn from_link(link: &str) -> Result<Self, Fault> {
        let fault = |wrong: &str| Fault::new("link", wrong, "a link that this lab made with Share run");
        if link.len() > MAX_LINK {
            return Err(fault("it is too long"));
        }
        let bytes = URL_SAFE_NO_PAD
            .decode(link.trim().split_once("/at/").map_or(link.trim(), |(link, _)| link))
            .map_err(|_| fault("it has characters that no link has, or its end is cut off"))?;
        let json = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, MAX_UNPACKED)
            .map_err(|_| fault("it does not unpack: part of it is missing or changed"))?;
        let packed: Packed =
            serde_json::from_slice(&json).map_err(|error| fault(&format!("it unpacks to something else: {error}")))?;
        if packed.v != 1 {
            return Err(fault(&format!("it is of version {}, and this lab reads version 1", packed.v)));
        }
        if packed.r#do.len() > MAX_COMMANDS {
            return Err(fault("it has too many commands"));
        }
        let source = match (packed.id, packed.doc) {
            (id, Some(text)) => Source::Document(id.unwrap_or_else(|| "shared".into()), text),
            (Some(id), None) => Source::Library(id),
            (None, None) => return Err(fault("it names no scenario")),
        };
        let commands = packed
            .r#do
            .iter()
            .enumerate()
            .map(|(index, text)| {
                Timed::parse(text).map_err(|fault| Fault::new(format!("link.do[{index}]"), fault.wrong, fault.allowed))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let commands = by_key(commands, |timed| timed.at_us);
        Ok(Self { source, seed: packed.seed, until_us: packed.until_us, sets: packed.set, commands })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run {
            seed: Some(9),
            sets: vec![("orders.retention".into(), "1h".into())],
            commands: vec![Timed::parse("41s break orders").expect("a command")],
            ..Run::of_library("order-shop")
        }
    }

    #[test]
    fn a_run_survives_its_link() {
        assert_eq!(Run::from_link(&run().to_link()), Ok(run()));
        let own = Run::of_document("mine", "{\"redrive\": 1}");
        assert_eq!(Run::from_link(&own.to_link()), Ok(own));
    }

    #[test]
    fn a_longer_run_is_sampled_less_often() {
        let scenario = Run { until_us: Some(30 * 86_400_000_000), ..run() }.scenario().expect("a sound run");
        assert!(scenario.until.0 / scenario.sample.0 <= 20_000, "{}", scenario.sample);
    }

    #[test]
    fn a_damaged_link_is_refused_with_its_reason() {
        let link = run().to_link();
        let check = |link: &str, expect: &str| {
            let fault = Run::from_link(link).unwrap_err().to_string();
            assert!(fault.contains(expect), "{fault}");
        };
        check("%%%", "characters that no link has");
        check(&link[..link.len() / 2 / 4 * 4], "does not unpack");
        check(&"A".repeat(MAX_LINK + 1), "too long");
        check(&URL_SAFE_NO_PAD.encode(miniz_oxide::deflate::compress_to_vec(b"7", 1)), "unpacks to something else");
        check(&URL_SAFE_NO_PAD.encode(miniz_oxide::deflate::compress_to_vec(br#"{"v":9,"id":"x"}"#, 1)), "version 9");
    }
}
