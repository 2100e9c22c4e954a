//! Kafka's consumer side: assignors, the group coordinator with its two protocols, the client, and share groups.

pub mod assign;
pub mod script;
