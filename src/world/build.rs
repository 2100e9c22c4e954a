//! Makes a world of a checked scenario: parts in their order, ids resolved to numbers, effects to bits.

use std::rc::Rc;

use super::connect::connect;
use super::gauges::GaugeBoard;
use super::part::{Body, Part};
use super::{Event, World};

use crate::broker::exchange::binding;
use crate::broker::{Exchange, Log, Server, WorkQueue};
use crate::database::{Database, Outbox, Relay, RelayState, Slot};
use crate::observe::hops::Hops;
use crate::observe::ledger::{EffectInfo, Ledger, SOME_DAY_US};
use crate::observe::observer::Observer;
use crate::scenario::choices::{Broker, Reads};
use crate::scenario::links::{dead_letter_queues, effects, passes_on};
use crate::scenario::setting::PartName;
use crate::scenario::steps::Step;
use crate::scenario::{Kind, Scenario};
use crate::service::{BoundStep, Dependency, Inbox, ListedFact, Process, Producer, Service, Source, Worker};
use crate::sim::{EventQueue, Slab, Stream};

/// Numbers of parts and effects by name.
pub(super) struct Names<'s> {
    scenario: &'s Scenario,
    pub(super) bodies: Vec<Body>,
    effects: Vec<&'s str>,
}

impl Names<'_> {
    /// The index of a part; the first one for a name that a checked scenario cannot contain.
    fn part(&self, id: &str) -> u16 {
        self.scenario.parts.get_index_of(id).unwrap_or(0) as u16
    }

    fn named(&self, name: &PartName) -> Option<u16> {
        name.id().map(|id| self.part(id))
    }

    /// The index of a part that can take dead letters.
    pub(super) fn takes_letters(&self, name: &PartName) -> Option<u16> {
        let part = self.named(name)?;
        matches!(self.bodies[usize::from(part)], Body::Queue(_) | Body::Server(_) | Body::Log(_)).then_some(part)
    }

    fn effect(&self, name: &str) -> Option<u8> {
        self.effects.iter().position(|effect| *effect == name).map(|index| index as u8)
    }
}

/// The name that a worker's effect is counted under.
fn effect_of<'s>(id: &'s str, effect: &'s str) -> &'s str {
    if effect.is_empty() { id } else { effect }
}

pub fn build(scenario: &Scenario) -> World {
    let mut counts = [0_u16; 10];
    let trays = dead_letter_queues(&scenario.parts);
    let read =
        |id: &str| scenario.parts.values().any(|part| matches!(&part.kind, Kind::Worker(worker) if worker.from.id() == Some(id)));
    let bodies: Vec<Body> = scenario
        .parts
        .iter()
        .map(|(id, part)| {
            let (slot, make): (usize, fn(u16) -> Body) = match &part.kind {
                Kind::Producer(_) => (0, Body::Producer),
                Kind::Service(_) => (1, Body::Service),
                Kind::Database(_) => (2, Body::Database),
                Kind::Relay(_) => (3, Body::Relay),
                // What nobody consumes only lies there: the plain queue does that for every broker.
                Kind::Queue(settings)
                    if settings.broker != Broker::Generic
                        && (read(id) || passes_on(&scenario.parts, id) || !trays.contains(&id.as_str())) =>
                {
                    (8, Body::Server)
                }
                Kind::Queue(_) => (4, Body::Queue),
                Kind::Exchange(_) => (9, Body::Exchange),
                Kind::Log(_) => (5, Body::Log),
                Kind::Worker(_) => (6, Body::Worker),
                Kind::Dependency(_) => (7, Body::Dependency),
            };
            counts[slot] += 1;
            make(counts[slot] - 1)
        })
        .collect();
    let names = Names { scenario, bodies, effects: effects(&scenario.parts) };
    let parts: Vec<Part> =
        scenario.parts.keys().zip(&names.bodies).map(|(id, body)| Part::new(id, *body, scenario.seed)).collect();
    let mut world = World {
        now_us: 0,
        pending: EventQueue::default(),
        events: 0,
        last_event_us: 0,
        scenario: Rc::new(scenario.clone()),
        producers: Vec::new(),
        services: Vec::new(),
        accumulators: Vec::new(),
        databases: Vec::new(),
        relays: Vec::new(),
        queues: Vec::new(),
        servers: Vec::new(),
        exchanges: Vec::new(),
        logs: Vec::new(),
        workers: Vec::new(),
        dependencies: Vec::new(),
        calls: Slab::default(),
        parks: scenario.parts.values().any(|part| matches!(&part.kind, Kind::Worker(settings) if settings.park)),
        cuts: Vec::new(),
        plan: Rc::new(scenario.breaks.clone()),
        next_command: 0,
        next_sample_us: 0,
        boundary_log: None,
        observer: observer(scenario, &names),
        board: GaugeBoard::new(scenario),
        parts,
    };
    for (index, spec) in scenario.parts.values().enumerate() {
        add(&mut world, &names, index as u16, &spec.kind);
    }
    connect(&mut world, &names);
    for worker in 0..world.workers.len() {
        world.first_members(worker);
    }
    for log in 0..world.logs.len() {
        world.near_readers_change(log as u16);
    }
    for server in 0..world.servers.len() {
        // The only thing that happens to a queue that nobody ever touches.
        if world.servers[server].settings.expires.0 > 0 {
            world.server_comes_up(server as u16);
        }
    }
    start(&mut world);
    world
}

/// The part that an effect is named after: its worker, dependency or database.
fn part_of_effect(scenario: &Scenario, name: &str) -> u16 {
    let named = |(id, part): (&String, &crate::scenario::PartSpec)| match &part.kind {
        Kind::Worker(settings) => effect_of(id, &settings.effect) == name,
        Kind::Dependency(settings) => settings.effect == name,
        Kind::Database(settings) => settings.effect == name,
        Kind::Producer(_) | Kind::Service(_) | Kind::Relay(_) | Kind::Queue(_) | Kind::Exchange(_) | Kind::Log(_) => false,
    };
    scenario.parts.iter().position(named).unwrap_or(0) as u16
}

fn observer(scenario: &Scenario, names: &Names<'_>) -> Observer {
    let promise = |name: &str| {
        scenario.parts.iter().find_map(|(id, part)| match &part.kind {
            Kind::Worker(settings) if effect_of(id, &settings.effect) == name && settings.promise.0 > 0 => {
                Some(settings.promise.0)
            }
            _ => None,
        })
    };
    // Where nothing is promised in particular, users expect everything, some day.
    let none = names.effects.iter().all(|name| promise(name).is_none());
    let infos = names
        .effects
        .iter()
        .map(|name| EffectInfo {
            name: (*name).to_owned(),
            promise_us: if none { Some(SOME_DAY_US) } else { promise(name) },
            part: part_of_effect(scenario, name),
        })
        .collect();
    let producers = || {
        scenario.parts.values().filter_map(|part| match &part.kind {
            Kind::Producer(settings) => Some(settings),
            _ => None,
        })
    };
    let keys = producers().map(|settings| settings.keys as u32).max().unwrap_or(0);
    let listed_keys = producers().flat_map(|settings| &settings.messages.0).filter_map(|listed| listed.key).max();
    let keys = keys.max(listed_keys.map_or(0, |key| (key as u32).min(1_000_000) + 1));
    let rate = producers().map(|settings| settings.rate.milli / 1_000).max().unwrap_or(0);
    let mut values = Vec::new();
    for settings in producers() {
        let mut seen: Vec<&str> = Vec::new();
        for listed in &settings.messages.0 {
            if !seen.contains(&listed.id.as_str()) {
                seen.push(&listed.id);
                values.push(listed.value);
            }
        }
    }
    let values = if producers().count() == 1 { values } else { Vec::new() };
    Observer::new(Ledger::new(infos, keys), scenario, Hops::for_rate(rate), values)
}

fn add(world: &mut World, names: &Names<'_>, part: u16, kind: &Kind) {
    let id = world.parts[usize::from(part)].id.clone();
    let seed = world.scenario.seed;
    match kind.clone() {
        Kind::Producer(settings) => {
            let to = names.named(&settings.to).unwrap_or(0);
            let first_of = |id: &str| settings.messages.0.iter().position(|listed| listed.id == id).unwrap_or(0) as u32;
            let listed =
                settings.messages.0.iter().map(|listed| ListedFact { first: first_of(&listed.id), fact: None }).collect();
            world.producers.push(Producer {
                part,
                to,
                effects: 0,
                memory: Slab::default(),
                lanes: Default::default(),
                serial: 0,
                listed,
                residue: 0,
                burst_milli: 1_000,
                burst: 0,
                asleep: false,
                blocked: false,
                arrivals: Stream::new(seed, &id, "arrivals"),
                keys: Stream::new(seed, &id, "keys"),
                settings,
            });
        }
        Kind::Service(settings) => {
            let steps = settings.steps.0.iter().map(|step| bind(step, names)).collect();
            world.services.push(Service {
                part,
                steps,
                effects: 0,
                requests: Slab::default(),
                window: Default::default(),
                recent_us: (0, 0),
                settings,
            });
        }
        Kind::Database(settings) => world.databases.push(Database {
            part,
            effect: names.effect(&settings.effect),
            effects: 0,
            outbox: Outbox::default(),
            slot: Slot::default(),
            has_relay: false,
            reads: Reads::Flag,
            by_due: false,
            rows: 0,
            settings,
        }),
        Kind::Relay(settings) => {
            let database = names.named(&settings.from).unwrap_or(0);
            let Body::Database(from) = names.bodies[usize::from(database)] else { return };
            let to = names.named(&settings.to).unwrap_or(0);
            world.relays.push(Relay {
                part,
                from,
                to,
                state: RelayState::Idle,
                epoch: 0,
                failures: 0,
                batch: Vec::new(),
                settings,
            });
        }
        Kind::Queue(settings) => match names.bodies[usize::from(part)] {
            Body::Server(_) => world.servers.push(Server::new(part, settings)),
            _ => world.queues.push(WorkQueue::new(part, settings)),
        },
        Kind::Exchange(settings) => {
            let bindings = settings.bindings.0.iter();
            world.exchanges.push(Exchange {
                part,
                bindings: bindings.map(|(queue, key)| binding(names.part(queue), key)).collect(),
                alternate: names.named(&settings.alternate),
                effects: 0,
                unroutable: 0,
                settings,
            });
        }
        Kind::Log(settings) => world.logs.push(Log::new(part, settings)),
        Kind::Worker(settings) => {
            let source = match names.bodies[usize::from(names.named(&settings.from).unwrap_or(0))] {
                Body::Log(index) => Source::Log(index),
                Body::Queue(index) => Source::Queue(index),
                Body::Server(index) => Source::Server(index),
                _ => return,
            };
            let up = Process { up: true, ..Process::default() };
            world.workers.push(Worker {
                part,
                source,
                effect: names.effect(effect_of(&id, &settings.effect)).unwrap_or(0),
                calls: names.named(&settings.calls),
                dead_letters: names.takes_letters(&settings.dead_letters),
                processes: vec![up; settings.workers as usize],
                jobs: Slab::default(),
                inbox: Inbox::default(),
                parked: Default::default(),
                group: None,
                work: Stream::new(seed, &id, "work"),
                jitter: Stream::new(seed, &id, "jitter"),
                crashes: Stream::new(seed, &id, "crashes"),
                failures: 0,
                breaker_until_us: None,
                fetching: false,
                work_us: settings.work.constant_us(),
                settings,
            });
        }
        Kind::Dependency(settings) => world.dependencies.push(Dependency {
            part,
            effect: names.effect(&settings.effect),
            seen: vec![Inbox::default(); names.effects.len()],
            settings,
        }),
    }
}

fn bind(step: &Step, names: &Names<'_>) -> BoundStep {
    match step {
        Step::Work(latency) => BoundStep::Work(*latency),
        Step::Call(parts) => BoundStep::Call(parts.iter().map(|id| names.part(id)).collect()),
        Step::Write { database, outbox } => BoundStep::Write { database: names.part(database), outbox: *outbox },
        Step::Publish(part) => BoundStep::Publish(names.part(part)),
        Step::Answer => BoundStep::Answer,
    }
}

/// Sets the first events, and lanes for the delays that do not vary.
fn start(world: &mut World) {
    let mut delays: Vec<u64> = Vec::new();
    for queue in &world.queues {
        delays.push(queue.settings.visibility_timeout.0);
    }
    for worker in &world.workers {
        delays.extend(worker.work_us);
        if worker.group.is_some() {
            delays.push(worker.settings.poll_interval.0);
            delays.push(worker.settings.fetch_wait.0);
        }
    }
    delays.extend(world.logs.iter().map(|log| log.settings.linger.0).filter(|linger_us| *linger_us > 0));
    let servers = world
        .dependencies
        .iter()
        .map(|dependency| dependency.settings.latency)
        .chain(world.databases.iter().map(|database| database.settings.latency))
        .chain(world.queues.iter().map(|queue| queue.settings.latency))
        .chain(world.servers.iter().map(|server| server.settings.latency))
        .chain(world.exchanges.iter().map(|exchange| exchange.settings.latency))
        .chain(world.logs.iter().map(|log| log.settings.latency));
    delays.extend(servers.filter_map(crate::sim::Latency::constant_us));
    for service in &world.services {
        delays.extend(service.steps.iter().filter_map(|step| match step {
            BoundStep::Work(latency) => latency.constant_us(),
            _ => None,
        }));
    }
    for delay_us in delays {
        // Where all lanes are taken the heap serves: slower, in the same order.
        let _ = world.pending.lane(delay_us);
    }
    for index in 0..world.producers.len() {
        let start_us = world.producers[index].settings.start.0;
        let empty = world.producers[index].settings.rate.milli == 0 && world.producers[index].listed.is_empty();
        if empty {
            world.producers[index].asleep = true;
        } else {
            let first_us = world.producers[index].settings.messages.0.first().and_then(|listed| listed.at).map_or(0, |at| at.0);
            world.pending.at(start_us.max(first_us), Event::Emit(index as u16));
        }
    }
    for index in 0..world.databases.len() {
        world.outbox_follows(index as u16);
    }
    for index in 0..world.relays.len() {
        world.pending.at(0, Event::RelayPoll(index as u16, 0));
    }
    for index in 0..world.workers.len() {
        world.worker_fills(index as u16);
    }
}
