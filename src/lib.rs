//! The engine of Redrive: a deterministic simulator of message queues, logs and outboxes.
//!
//! A [`Run`](run::Run) is a scenario, a seed and commands. [`World`](world::World) plays it in virtual time;
//! [`Timeline`](timeline::Timeline) takes it to any moment, forwards or back. Everything that is shown is counted from
//! the trace by [`observe`]. Same run, same trace, natively and in Wasm.
//!
//! ```
//! use redrive::{run::Run, world::World};
//!
//! let scenario = Run::of_library("work-queue-crash").scenario().expect("it ships");
//! let mut world = World::new(&scenario);
//! world.run_until(scenario.until_us());
//! assert_eq!(world.observer.ledger.total(), 3);
//! ```

// The published page is compiled for size, and what is called for each message for speed: `scripts/page`.
#![cfg_attr(page, feature(optimize_attribute))]

pub mod broker;
pub mod command;
pub mod compare;
pub mod database;
pub mod explore;
pub mod message;
pub mod observe;
pub mod run;
pub mod scenario;
pub mod service;
pub mod sim;
pub mod timeline;
pub mod view;
pub mod world;

/// The brokers' machines and what is known of each.
pub use redrive_brokers as brokers;
