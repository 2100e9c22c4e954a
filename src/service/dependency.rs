//! A dependency: what services and workers call. The effect of a call happens here, whether or not its answer arrives.

use super::inbox::Inbox;
use crate::message::Message;
use crate::observe::record::Kind;
use crate::scenario::choices::Role;
use crate::scenario::parts::DependencySettings;
use crate::world::{Caller, World};

/// The state of a dependency.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: DependencySettings,
    /// The effect that a call from a service counts as, by bit number.
    pub effect: Option<u8>,
    /// Idempotency keys it has seen, by effect.
    pub seen: Vec<Inbox>,
}

impl World {
    /// A dependency does what it was called for.
    pub(crate) fn dependency_does(&mut self, server: u16, caller: Caller, effect: Option<u8>, message: &Message) {
        let crate::world::Body::Dependency(index) = self.parts[usize::from(server)].body else { return };
        let dependency = &mut self.dependencies[usize::from(index)];
        self.parts[usize::from(server)].counters.done += 1;
        let Some(effect) = effect.or(dependency.effect) else { return };
        let mut repeat = dependency.settings.idempotency_key && !dependency.seen[usize::from(effect)].insert(message.fact);
        // A worker's inbox is in the transaction of the effect where the effect is a row in a database, and only there.
        if let Caller::Job(worker, _) = caller {
            let worker = &mut self.workers[usize::from(worker)];
            if worker.settings.idempotent && dependency.settings.role == Role::Database {
                repeat |= !worker.inbox.insert(message.fact);
            }
        }
        let kind = if repeat { Kind::Skipped } else { Kind::Effect };
        self.note(kind, server, message.fact, 1 << effect, 0);
    }
}
