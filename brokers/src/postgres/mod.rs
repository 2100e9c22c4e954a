//! PostgreSQL as a queue and as an outbox.
//!
//! [`Database`] plays the interleavings of a few sessions on a few rows under READ COMMITTED.

mod database;
mod relay;
pub mod script;
mod statement;
mod table;
mod wal;
mod xids;

pub use database::{Database, Fault, Reply, Session};
pub use relay::{Flag, Horizon, LastId};
pub use statement::{Act, Claim, Held};
pub use table::{Change, Pick, Row, Status, Table};
pub use wal::{Changed, Commit, Op, SEGMENT_BYTES, Slot, Wal, WalStatus};
pub use xids::{Snapshot, Xids};
