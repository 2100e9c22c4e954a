//! Many runs of one scenario: a fault at every place at which one can strike, or a setting with one value after another.

mod explorer;
mod measure;
mod places;
mod properties;
mod sweep;

pub use explorer::{Exploration, Explorer, Outcomes, Then, Tried};
pub use measure::Measure;
pub use places::{FaultKind, Plan};
pub use properties::{Harm, Property, PropertyKind, What};
pub use sweep::{MOST_SEEDS, Sweep, Swept, SweptPoint, SweptRun, Vary};
