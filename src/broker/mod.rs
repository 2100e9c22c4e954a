//! Brokers: what stores messages between those who send and those who work. State and rules only; who calls them and
//! when is the world's business.

mod compaction;
pub mod exchange;
pub mod group;
mod letters;
pub mod log;
mod machines;
pub mod queue;
pub mod repeats;
pub mod replicas;
mod serve;
pub mod server;
pub mod transactions;

pub use exchange::Exchange;
pub use group::Group;
pub use log::Log;
pub use queue::WorkQueue;
pub use server::Server;
