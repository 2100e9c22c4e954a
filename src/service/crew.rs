//! A worker's processes as members of a group whose protocol is played in full: joins, heartbeats, sessions, assignors.
//!
//! The protocol is a machine's of `redrive-brokers`; it is told what the processes do (poll, work, commit, leave, die) and
//! says who has which partition. What it says becomes records of the trace. A group with the default settings does without:
//! see `member.rs`.

use redrive_brokers::Consumer;
use redrive_brokers::kafka::group::consumers::{Consumers, Event as Told, Heartbeats, Joiner, Protocol, Settings};
use redrive_brokers::kafka::group::{Partition, Strategy};

use crate::broker::Group;
use crate::observe::record::{Kind, pack_place};
use crate::scenario::choices::{Assignor, GroupProtocol, HeartbeatBy, RemoteAssignor};
use crate::scenario::parts::WorkerSettings;
use crate::sim::Timestamp;
use crate::world::{Event, World};

/// The members of a group and their coordinator.
#[derive(Clone, Debug)]
pub struct Crew {
    machine: Consumers,
    how: (Settings, bool, Heartbeats),
    alarm_us: Option<Timestamp>,
}

impl WorkerSettings {
    /// How often the members of its group beat; nothing where the group's protocol is not played. Kafka 4.0 ships
    /// `heartbeat.interval.ms` 3 s and `group.consumer.heartbeat.interval.ms` 5 s.
    #[must_use]
    pub fn heartbeat_us(&self) -> Option<u64> {
        let plain = self.protocol == GroupProtocol::Eager
            && self.assignor == Assignor::Range
            && self.heartbeat_by == HeartbeatBy::Thread
            && !self.static_members;
        match (self.heartbeat_interval.0, self.protocol) {
            (0, _) if plain => None,
            (0, GroupProtocol::Kip848) => Some(5_000_000),
            (0, _) => Some(3_000_000),
            (set_us, _) => Some(set_us),
        }
    }
}

/// How a group plays its protocol; none where nothing asks for more than the plain rule.
fn how(settings: &WorkerSettings) -> Option<(Settings, bool, Heartbeats)> {
    let heartbeat_us = settings.heartbeat_us()?;
    let strategy = match (settings.protocol, settings.assignor) {
        (GroupProtocol::Kip848, _) => match settings.remote_assignor {
            RemoteAssignor::Uniform => Strategy::Uniform,
            RemoteAssignor::Range => Strategy::ServerRange,
        },
        (GroupProtocol::Cooperative, _) | (GroupProtocol::Eager, Assignor::CooperativeSticky) => Strategy::CooperativeSticky,
        (GroupProtocol::Eager, Assignor::Range) => Strategy::Range,
        (GroupProtocol::Eager, Assignor::RoundRobin) => Strategy::RoundRobin,
        (GroupProtocol::Eager, Assignor::Sticky) => Strategy::Sticky,
    };
    let protocol = if settings.protocol == GroupProtocol::Kip848 { Protocol::Consumer } else { Protocol::Classic };
    let machine = Settings {
        protocol,
        strategy,
        session_us: settings.session.0,
        heartbeat_us,
        max_poll_us: settings.poll_interval.0,
        initial_delay_us: settings.rebalance.0,
        hop_us: 0,
    };
    let by = match settings.heartbeat_by {
        HeartbeatBy::Thread => Heartbeats::Background,
        HeartbeatBy::Handler => Heartbeats::ByHand,
    };
    Some((machine, settings.static_members, by))
}

fn consumer(process: u16) -> Consumer {
    Consumer(u32::from(process))
}

impl Crew {
    /// The empty group of a worker, if its settings ask for one.
    #[must_use]
    pub fn new(settings: &WorkerSettings, partitions: u32) -> Option<Box<Self>> {
        let how = how(settings)?;
        Some(Box::new(Self { machine: Consumers::new(how.0, vec![partitions]), how, alarm_us: None }))
    }

    fn start(&mut self, now_us: Timestamp, process: u16) {
        let instance = self.how.1.then_some(u32::from(process));
        let joiner = Joiner { instance, topics: vec![0], heartbeats: self.how.2 };
        self.machine.start(now_us, consumer(process), joiner);
    }

    /// The partitions that a process takes for its own.
    pub fn owned(&self, process: u16) -> impl Iterator<Item = u32> {
        self.machine.owned(consumer(process)).iter().map(|partition| partition.index)
    }
}

impl World {
    fn crew_mut(&mut self, index: u16) -> Option<&mut Crew> {
        self.workers[usize::from(index)].group.as_mut()?.crew.as_deref_mut()
    }

    /// Does something to the group, and takes in what comes of it. False where the plain rule holds.
    fn crew_does(&mut self, index: u16, does: impl FnOnce(&mut Crew, Timestamp)) -> bool {
        let now_us = self.now_us;
        let Some(crew) = self.crew_mut(index) else { return false };
        does(crew, now_us);
        self.crew_told(index);
        true
    }

    /// All processes that run join, those at work once they poll.
    pub(super) fn crew_gathers(&mut self, index: u16) -> bool {
        let hands = self.workers[usize::from(index)].processes.iter();
        let up: Vec<(u16, bool)> =
            (0..).zip(hands).filter(|(_, hands)| hands.up).map(|(number, hands)| (number, hands.batch_left == 0)).collect();
        self.crew_does(index, |crew, now_us| {
            up.iter().for_each(|(process, _)| crew.start(now_us, *process));
            up.iter().filter(|(_, idle)| *idle).for_each(|(process, _)| crew.machine.poll(now_us, consumer(*process)));
        })
    }

    /// A process starts, and polls.
    pub(super) fn crew_starts(&mut self, index: u16, process: u16) -> bool {
        self.crew_does(index, |crew, now_us| {
            crew.start(now_us, process);
            crew.machine.poll(now_us, consumer(process));
        })
    }

    /// A process stops, in order or without a word.
    pub(super) fn crew_stops(&mut self, index: u16, process: u16, notice: bool) -> bool {
        let waits = self.crew_mut(index).is_some_and(|crew| !notice || crew.how.1);
        if waits {
            self.workers[usize::from(index)].processes[usize::from(process)].ghost = true;
        }
        self.crew_does(index, |crew, now_us| {
            if notice {
                crew.machine.leave(now_us, consumer(process));
            } else {
                crew.machine.die(now_us, consumer(process));
            }
        })
    }

    /// A process has taken a batch and works.
    pub(super) fn crew_works(&mut self, index: u16, process: u16) -> bool {
        self.crew_does(index, |crew, now_us| crew.machine.work(now_us, consumer(process)))
    }

    /// A process is done with a message of its batch, or with all of it: then it polls.
    pub(super) fn crew_goes_on(&mut self, index: u16, process: u16, polls: bool) -> bool {
        self.crew_does(index, |crew, now_us| {
            if polls {
                crew.machine.poll(now_us, consumer(process));
            } else {
                // What the coordinator says to a heartbeat by hand is heard at the next poll.
                let _ = crew.machine.beat(now_us, consumer(process));
            }
        })
    }

    /// A process commits. None where the plain rule holds.
    pub(super) fn crew_commits(&mut self, index: u16, process: u16) -> Option<bool> {
        let mut taken = false;
        self.crew_does(index, |crew, now_us| taken = crew.machine.commit(now_us, consumer(process)).is_ok()).then_some(taken)
    }

    /// The log has more partitions.
    pub(crate) fn crew_grows(&mut self, index: u16, partitions: u32) -> bool {
        self.crew_does(index, |crew, now_us| crew.machine.grow(now_us, vec![partitions]))
    }

    /// Settings of the worker were changed: with another protocol the group is another one, and everyone joins it.
    pub(crate) fn crew_changes(&mut self, index: u16) {
        let worker = &mut self.workers[usize::from(index)];
        let wanted = how(&worker.settings);
        let Some(group) = &mut worker.group else { return };
        if group.crew.as_ref().map(|crew| crew.how) == wanted {
            return;
        }
        let had = group.crew.is_some();
        group.crew = Crew::new(&worker.settings, group.owner.len() as u32);
        group.owner.fill(None);
        group.rebalancing_since_us = None;
        group.generation += 1;
        for hands in &mut worker.processes {
            hands.ghost = false;
            hands.member = hands.up;
        }
        if !self.crew_gathers(index) && had {
            self.rebalance_begins(index);
        }
    }

    /// Something happens in the group by itself.
    pub(crate) fn crew_due(&mut self, index: u16) {
        self.crew_does(index, |crew, now_us| {
            if crew.alarm_us.is_some_and(|alarm_us| alarm_us <= now_us) {
                crew.alarm_us = None;
            }
            crew.machine.advance(now_us);
        });
    }

    /// Takes in what has happened in the group, and sets the clock for what will happen there next.
    fn crew_told(&mut self, index: u16) {
        let now_us = self.now_us;
        let Some(crew) = self.crew_mut(index) else { return };
        let told = crew.machine.take_events();
        if let Some(due_us) = crew.machine.next_due_us()
            && crew.alarm_us.is_none_or(|alarm_us| due_us < alarm_us)
        {
            let due_us = due_us.max(now_us + 1);
            crew.alarm_us = Some(due_us);
            self.pending.at(due_us, Event::GroupDue(index));
        }
        let part = self.workers[usize::from(index)].part;
        let mut gained = false;
        for (_, event) in told {
            match event {
                Told::Generation(generation) => {
                    if let Some(group) = &mut self.workers[usize::from(index)].group {
                        group.rebalances += 1;
                    }
                    self.note_part(Kind::RebalanceEnded, part, u64::from(generation));
                }
                Told::Assigned(process, partitions) => {
                    gained = true;
                    self.crew_meets(index, &partitions);
                    self.crew_moves(index, process, &partitions, Kind::PartitionAssigned);
                }
                Told::Revoked(process, partitions) => self.crew_moves(index, process, &partitions, Kind::PartitionRevoked),
                Told::Lost(process, partitions) => self.crew_moves(index, process, &partitions, Kind::PartitionLost),
                Told::Evicted(process, _) => {
                    if let Some(hands) = self.workers[usize::from(index)].processes.get_mut(process.0 as usize) {
                        hands.ghost = false;
                    }
                    self.note_part(Kind::Evicted, part, u64::from(process.0));
                }
                Told::Fenced(process) => {
                    // A fatal error for the client: its process ends, and whoever looks after it starts another.
                    self.note_part(Kind::NameTaken, part, u64::from(process.0));
                    self.pending.after(now_us, 0, Event::MemberRefused(index, process.0 as u16));
                }
            }
        }
        if gained {
            self.members_look(index);
        }
    }

    /// Partitions come to a process that came after the group.
    fn crew_meets(&mut self, index: u16, partitions: &[Partition]) {
        let Some(group) = &mut self.workers[usize::from(index)].group else { return };
        let is_met = |fresh: &u32| partitions.iter().any(|partition| partition.index == *fresh);
        let met: Vec<u32> = group.fresh.iter().copied().filter(is_met).collect();
        group.fresh.retain(|fresh| !met.contains(fresh));
        self.group_meets(index, &met);
    }

    /// Partitions come to a process, or go.
    fn crew_moves(&mut self, index: u16, process: Consumer, partitions: &[Partition], kind: Kind) {
        let part = self.workers[usize::from(index)].part;
        for partition in partitions {
            if let Some(Group { owner, position, committed, .. }) = &mut self.workers[usize::from(index)].group {
                let at = partition.index as usize;
                let own = Some(process.0 as u16);
                match kind {
                    Kind::PartitionAssigned => {
                        owner[at] = own;
                        position[at] = committed[at];
                    }
                    _ if owner[at] == own => owner[at] = None,
                    _ => {}
                }
            }
            self.note_part(kind, part, pack_place(partition.index, u64::from(process.0)));
        }
    }

    /// Members that have nothing to do look for records at once.
    fn members_look(&mut self, index: u16) {
        let now_us = self.now_us;
        let worker = &mut self.workers[usize::from(index)];
        for hands in worker.processes.iter_mut().filter(|hands| hands.up && hands.batch_left == 0) {
            hands.waiting = true;
        }
        if !worker.fetching {
            worker.fetching = true;
            self.pending.after(now_us, 0, Event::Fetch(index));
        }
    }
}
