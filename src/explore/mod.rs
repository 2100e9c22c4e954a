//! Many runs of one scenario: a fault at every place at which one can strike, or a setting with one value after another.

mod explorer;
mod found;
mod measure;
mod places;
mod properties;
mod suggest;
mod sweep;
mod table;

pub use explorer::Explorer;
pub use found::{Exploration, Outcomes, Then, Tried};
pub use measure::{Measure, said};
pub use places::{FaultKind, Plan, struck, word};
pub use properties::{Harm, Property, PropertyKind, What};
pub use suggest::{Suggestion, suggestions};
pub use sweep::{MOST_SEEDS, Sweep, Swept, SweptPoint, SweptRun, Vary};
pub use table::{Attempt, Row, rows};
