//! A database with its outbox, and the relay that publishes it.

mod outbox;
mod relay;

pub use outbox::Database;
pub use relay::{Relay, RelayState};
