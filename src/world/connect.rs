//! Works out what flows where in a world that is being made: groups of logs, dead letters, and the effects that a message may
//! lead to from each place.

use super::World;
use super::build::Names;
use super::part::Body;
use crate::broker::Group;
use crate::message::EffectMask;
use crate::scenario::links::dead_letter_queues;
use crate::service::{BoundStep, Crew, Source};

/// Works out what flows where: groups of logs, dead letters, and the effects that a message may lead to from each place.
pub(super) fn connect(world: &mut World, names: &Names<'_>) {
    for index in 0..world.workers.len() {
        let effect: EffectMask = 1 << world.workers[index].effect;
        match world.workers[index].source {
            Source::Log(log) => {
                let log = &mut world.logs[usize::from(log)];
                log.groups.push(index as u16);
                log.effects |= effect;
                let mut group = Group::new(log.partitions.len() as u32);
                group.crew = Crew::new(&world.workers[index].settings, log.partitions.len() as u32);
                world.workers[index].group = Some(group);
            }
            Source::Queue(queue) => world.queues[usize::from(queue)].effects |= effect,
            Source::Server(server) => world.servers[usize::from(server)].effects |= effect,
        }
    }
    let trays = dead_letter_queues(&world.scenario.parts).iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    for queue in &mut world.queues {
        queue.dead_letters = names.takes_letters(&queue.settings.dead_letters);
        queue.tray = trays.contains(&world.parts[usize::from(queue.part)].id) && queue.effects == 0;
    }
    for server in &mut world.servers {
        server.dead_letters = names.takes_letters(&server.settings.dead_letters);
    }
    // What nobody consumes may come to those who do as a dead letter.
    for _ in 0..world.servers.len() {
        for index in 0..world.servers.len() {
            if let (0, Some(next)) = (world.servers[index].effects, world.servers[index].dead_letters) {
                world.servers[index].effects = world.effects_at(next);
            }
        }
    }
    connect_exchanges(world);
    let at_broker = |world: &World, part: u16| match names.bodies[usize::from(part)] {
        Body::Queue(index) => world.queues[usize::from(index)].effects,
        Body::Server(index) => world.servers[usize::from(index)].effects,
        Body::Log(index) => world.logs[usize::from(index)].effects,
        Body::Exchange(index) => world.exchanges[usize::from(index)].effects,
        _ => 0,
    };
    for index in 0..world.relays.len() {
        let (from, effects) = (world.relays[index].from, at_broker(world, world.relays[index].to));
        let database = &mut world.databases[usize::from(from)];
        database.effects |= effects;
        database.has_relay = true;
    }
    for index in 0..world.services.len() {
        let mut effects = 0;
        for step in &world.services[index].steps {
            effects |= match step {
                BoundStep::Work(_) | BoundStep::Answer => 0,
                BoundStep::Call(servers) => servers.iter().fold(0, |mask, server| mask | called_effect(world, names, *server)),
                BoundStep::Write { database, outbox } => written_effects(world, names, *database, *outbox),
                BoundStep::Publish(part) => at_broker(world, *part),
            };
        }
        world.services[index].effects = effects;
    }
    for index in 0..world.producers.len() {
        world.producers[index].effects = at_broker(world, world.producers[index].to);
    }
}

/// An exchange leads to what its queues lead to; exchanges may lead to each other, so it is done as often as they can.
fn connect_exchanges(world: &mut World) {
    for _ in 0..world.exchanges.len() {
        for index in 0..world.exchanges.len() {
            let exchange = &world.exchanges[index];
            let bound = exchange.bindings.iter().filter_map(|binding| u16::try_from(binding.queue).ok());
            let effects = bound.chain(exchange.alternate).fold(0, |mask, part| mask | world.effects_at(part));
            world.exchanges[index].effects = effects;
        }
    }
}

fn called_effect(world: &World, names: &Names<'_>, server: u16) -> EffectMask {
    match names.bodies[usize::from(server)] {
        Body::Dependency(index) => world.dependencies[usize::from(index)].effect.map_or(0, |effect| 1 << effect),
        _ => 0,
    }
}

fn written_effects(world: &World, names: &Names<'_>, database: u16, outbox: bool) -> EffectMask {
    let Body::Database(index) = names.bodies[usize::from(database)] else { return 0 };
    let database = &world.databases[usize::from(index)];
    let row = database.effect.map_or(0, |effect| 1 << effect);
    if outbox { row | database.effects } else { row }
}
