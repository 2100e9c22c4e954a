//! Those who send, answer, work and are called.

mod accumulator;
mod backoff;
mod crew;
mod dependency;
mod inbox;
mod member;
mod offsets;
mod producer;
mod request;
mod sequence;
mod worker;

pub use accumulator::{Accumulator, Record};
pub use crew::Crew;
pub use dependency::Dependency;
pub use inbox::Inbox;
pub use producer::{ListedFact, Producer};
pub use request::Service;
pub use request::{BoundStep, Request};
pub use worker::{Doing, Job, Origin, Process, Source, Worker};
