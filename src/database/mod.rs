//! A database with its outbox, and the relay that publishes it.

mod outbox;
mod relay;
mod rows;
mod slot;

pub use outbox::Database;
pub use relay::{Relay, RelayState};
pub use rows::{Outbox, RowKey};
pub use slot::Slot;
