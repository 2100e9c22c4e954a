//! What an exploration found, as it is told and written.

use serde::Serialize;

use super::properties::Property;
use super::table::Row;
use crate::sim::Timestamp;

/// How many of the tried runs ended in which way. A run may count more than once, unless it is clean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcomes {
    /// Nothing lost, nothing twice, nothing late, nothing out of order.
    pub clean: u64,
    /// Something was lost.
    pub lost: u64,
    /// Something happened twice.
    pub twice: u64,
    /// Something came late.
    pub late: u64,
    /// Something came out of order.
    pub out_of_order: u64,
}

/// One tried run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// When the fault struck.
    pub at_us: Timestamp,
    /// Id of the part.
    pub part: String,
    /// The step that had just been done; `lost-ack` or `lost-answer` for a word that was lost; where the run breaks a
    /// property without a further fault, the step or verb of its own newest command, or `none`.
    pub step: &'static str,
    /// The run as what stands behind the lab's address, at the moment of the fault.
    pub link: String,
    /// The run breaks a property by itself: what is named is not a fault that was tried.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub planned: bool,
    /// The second fault, where two strike together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<Then>,
    /// When the harm showed first; for a counter-example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shows_us: Option<Timestamp>,
    /// What it happened to first; for a counter-example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
}

/// The second of two faults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Then {
    /// When it struck.
    pub at_us: Timestamp,
    /// Id of the part.
    pub part: String,
    /// As in [`Tried`].
    pub step: &'static str,
}

/// What an exploration found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exploration {
    /// How many runs were tried.
    pub tried: u64,
    /// How they ended.
    pub outcomes: Outcomes,
    /// How they ended, by what was struck. A run with two faults counts where the first one struck.
    #[serde(skip)]
    pub table: Vec<Row>,
    /// What held in all of them.
    pub properties: Vec<Property>,
    /// The run with the most harm: lost before twice before late.
    pub worst: Option<Tried>,
    /// So many there are, where not all were tried but some, evenly spread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled_of: Option<u64>,
}
