//! PostgreSQL as a queue and as an outbox.
//!
//! [`Database`] plays the interleavings of a few sessions on a few rows; the recordings are of it.
//! [`TableQueue`] is a table of jobs for many rows, by the same rules. [`LastId`], [`Flag`], [`Horizon`] and the slot of
//! [`Wal`] are the ways to read an outbox.

mod database;
mod heap;
mod limits;
mod locking;
mod options;
pub mod profile;
mod queue;
mod relay;
pub mod script;
mod statement;
mod table;
mod wal;
mod writing;
mod xact;
mod xids;

pub use database::{Database, Fault, Reply, Session};
pub use heap::{Heap, PAGE_BYTES};
pub use options::{Options, Recovery, Style};
pub use queue::TableQueue;
pub use relay::{Flag, Horizon, LastId};
pub use statement::{Act, Claim, Held};
pub use table::{Change, Pick, Row, Status, Strength, Table};
pub use wal::{Changed, Commit, Op, SEGMENT_BYTES, Slot, Wal, WalStatus};
pub use writing::{Step, Trouble, Writing, Written};
pub use xids::{Snapshot, Xids};
