//! Every crash: a run is repeated once for each place at which a process can die, and the outcomes are counted.

mod crashes;

pub use crashes::{Exploration, Explorer, Outcomes, Property, PropertyKind, Tried};
