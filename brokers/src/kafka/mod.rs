//! Kafka, and what speaks its protocol: a log of partitions with replicas, its producers and its consumers.
//!
//! Records live with the caller; the machines here count offsets. Source unless a file says otherwise: Apache Kafka 4.0,
//! its documentation and its own code.

pub mod compaction;
mod controller;
pub mod error;
pub mod group;
pub mod idempotence;
pub mod isolation;
pub mod offsets;
pub mod partition;
pub mod partitioner;
pub mod producer;
pub mod profile;
pub mod replica;
mod replication;
mod retry;
pub mod script;
pub mod segment;
pub mod transaction;
mod tuning;
