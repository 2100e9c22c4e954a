//! The kernel: virtual time, the event queue, random streams and the two containers every part is made of.
//!
//! Nothing here knows what a broker is. The determinism rule of the whole crate starts here: time is an integer that
//! only the event queue moves, chance comes from named streams, and every container iterates in one defined order.

pub mod chance;
pub mod hash;
pub mod heap;
pub mod latency;
pub mod order;
pub mod queue;
pub mod share;
pub mod slab;
pub mod tape;
pub mod time;

pub use chance::Stream;
pub use hash::TraceHash;
pub use latency::Latency;
pub use queue::{EventQueue, Lane};
pub use slab::{Handle, Slab};
pub use tape::Tape;
pub use time::{Micros, PerSecond, Ppm, Timestamp};
