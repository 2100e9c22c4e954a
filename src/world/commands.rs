//! What commands do to a world.

use super::part::Body;
use super::{Event, World};
use crate::command::{Command, RewindTo};
use crate::database::RelayState;
use crate::observe::record::{Cause, Kind};
use crate::scenario::setting::Settings;
use crate::service::{Process, Source};
use crate::sim::{Ppm, hash};

impl World {
    /// Carries out a command. One that means nothing here does nothing: commands are checked where they come in.
    #[inline(never)]
    pub(super) fn command(&mut self, command: &Command) {
        let Some(part) = self.part_index(command.part()) else { return };
        self.note_part(Kind::Commanded, part, hash::of_text(&command.to_string()));
        self.observer.findings.commanded(self.now_us, part, command);
        match command {
            Command::Break(_) => self.breaks(part),
            Command::Mend(_) => self.mends(part),
            Command::Slow(_, milli) => {
                self.parts[usize::from(part)].health.slow_milli = *milli;
                if let Body::Log(log) = self.parts[usize::from(part)].body {
                    self.log_tuned(log);
                }
            }
            Command::Fail(_, share) => self.parts[usize::from(part)].health.fail = *share,
            Command::Cut(_, other) => {
                if let Some(other) = self.part_index(other)
                    && !self.is_cut(part, other)
                {
                    self.cuts.push((part, other));
                }
            }
            Command::Crash(_, Some(step)) => self.parts[usize::from(part)].health.crash_at = Some(*step),
            Command::Crash(_, None) => self.crashes(part),
            Command::LoseAcks(_, count) => self.parts[usize::from(part)].health.lose_acks = *count,
            Command::Poison(_) => self.parts[usize::from(part)].health.poison_next += 1,
            Command::Burst(_, milli, span) => self.bursts(part, *milli, span.0),
            Command::Deploy(_) => self.deploys(part),
            Command::Scale(_, count) => self.scales(part, *count),
            Command::Pause(_) => {
                self.parts[usize::from(part)].health.paused = true;
                if let Body::Log(log) = self.parts[usize::from(part)].body {
                    self.followers_hang(log, true);
                }
            }
            Command::Resume(_) => {
                self.parts[usize::from(part)].health.paused = false;
                if let Body::Log(log) = self.parts[usize::from(part)].body {
                    self.followers_hang(log, false);
                }
                self.goes_on(part);
            }
            Command::Redrive(_) => {
                if let Body::Queue(queue) = self.parts[usize::from(part)].body {
                    self.redrive(queue);
                }
            }
            Command::Rewind(_, to) => {
                if let Body::Worker(worker) = self.parts[usize::from(part)].body
                    && let Source::Log(log) = self.workers[usize::from(worker)].source
                {
                    let to_us = match to {
                        RewindTo::Start => None,
                        RewindTo::Time(at_us) => Some(*at_us),
                    };
                    self.rewind(worker, log, to_us);
                }
            }
            Command::Set { setting, value, .. } => self.sets(part, setting, value),
        }
    }

    /// The index of the part with this id.
    #[must_use]
    pub fn part_index(&self, id: &str) -> Option<u16> {
        self.parts.iter().position(|part| part.id == id).map(|index| index as u16)
    }

    fn breaks(&mut self, part: u16) {
        let now_us = self.now_us;
        let health = &mut self.parts[usize::from(part)].health;
        if health.down {
            return;
        }
        health.down = true;
        health.since_us = now_us;
        self.drop_calls(part);
        match self.parts[usize::from(part)].body {
            Body::Worker(worker) => {
                for process in 0..self.workers[usize::from(worker)].processes.len() {
                    self.process_stops(worker, process as u16, false);
                }
            }
            Body::Service(service) => {
                self.service_crashes(service);
                self.parts[usize::from(part)].health.restarting_until_us = None;
            }
            Body::Relay(relay) => {
                self.relay_lets_go(relay);
                let relay = &mut self.relays[usize::from(relay)];
                relay.epoch += 1;
                relay.state = RelayState::Idle;
            }
            Body::Server(server) => self.server_goes_down(server),
            Body::Producer(_) | Body::Database(_) | Body::Queue(_) | Body::Exchange(_) | Body::Log(_) | Body::Dependency(_) => {}
        }
    }

    fn mends(&mut self, part: u16) {
        let health = &mut self.parts[usize::from(part)].health;
        health.down = false;
        health.slow_milli = 1_000;
        health.fail = Ppm(0);
        health.paused = false;
        health.lose_acks = 0;
        health.crash_at = None;
        health.poison_next = 0;
        health.restarting_until_us = None;
        self.cuts.retain(|cut| cut.0 != part && cut.1 != part);
        if let Body::Server(server) = self.parts[usize::from(part)].body {
            self.server_comes_up(server);
            self.server_gets_nodes(server);
        }
        if let Body::Worker(worker) = self.parts[usize::from(part)].body {
            for process in 0..self.workers[usize::from(worker)].processes.len() {
                self.process_starts(worker, process as u16);
            }
        }
        if let Body::Relay(relay) = self.parts[usize::from(part)].body {
            self.relay_mends(relay);
        }
        if let Body::Log(log) = self.parts[usize::from(part)].body {
            self.log_mends(log);
        }
        self.goes_on(part);
    }

    /// A part that could not work looks for what there is to do.
    fn goes_on(&mut self, part: u16) {
        match self.parts[usize::from(part)].body {
            Body::Worker(worker) => self.worker_fills(worker),
            Body::Queue(_) | Body::Server(_) | Body::Log(_) => {
                self.wake(part);
                for worker in 0..self.workers.len() {
                    self.worker_fills(worker as u16);
                }
            }
            Body::Relay(relay) => {
                let entry = &mut self.relays[usize::from(relay)];
                if !matches!(entry.state, RelayState::Publishing(_) | RelayState::Marking(_)) {
                    entry.epoch += 1;
                    entry.failures = 0;
                    let epoch = entry.epoch;
                    self.pending.after(self.now_us, 0, Event::RelayPoll(relay, epoch));
                }
            }
            Body::Producer(_) | Body::Service(_) | Body::Database(_) | Body::Exchange(_) | Body::Dependency(_) => {}
        }
    }

    fn crashes(&mut self, part: u16) {
        match self.parts[usize::from(part)].body {
            Body::Service(service) if !self.parts[usize::from(part)].health.out() => self.service_crashes(service),
            Body::Relay(relay) if !self.parts[usize::from(part)].health.out() => self.relay_crashes(relay),
            Body::Producer(producer) => self.producer_forgets(producer, Cause::ProcessDied),
            Body::Log(log) => self.log_crashes(log),
            Body::Server(server) => self.server_loses_node(server),
            Body::Worker(worker) => {
                let processes = &self.workers[usize::from(worker)].processes;
                let busy = processes.iter().position(|process| process.up && process.busy > 0);
                if let Some(process) = busy.or_else(|| processes.iter().position(|process| process.up)) {
                    self.process_crashes(worker, process as u16);
                }
            }
            _ => {}
        }
    }

    /// A crashed process is back.
    pub(super) fn restart(&mut self, part: u16, process: u16) {
        if self.parts[usize::from(part)].health.down {
            return;
        }
        match self.parts[usize::from(part)].body {
            Body::Worker(worker) => self.process_starts(worker, process),
            Body::Server(server) => self.server_gets_node(server, process),
            Body::Log(log) => self.log_restarts(log, process),
            Body::Producer(_) | Body::Service(_) | Body::Relay(_) => {
                let due = self.parts[usize::from(part)].health.restarting_until_us;
                if due.is_none_or(|due| due > self.now_us) {
                    return;
                }
                self.parts[usize::from(part)].health.restarting_until_us = None;
                self.note_part(Kind::Restarted, part, 0);
                self.goes_on(part);
            }
            _ => {}
        }
    }

    fn deploys(&mut self, part: u16) {
        let Body::Worker(worker) = self.parts[usize::from(part)].body else {
            if let Body::Producer(producer) = self.parts[usize::from(part)].body {
                self.producer_forgets(producer, Cause::ProcessDied);
            } else {
                self.crashes(part);
            }
            return;
        };
        let rolling_us = self.workers[usize::from(worker)].settings.rolling.0;
        for process in 0..self.workers[usize::from(worker)].processes.len() as u16 {
            // One after the other, or all at once.
            match rolling_us * u64::from(process) {
                0 => self.redeploys(part, process),
                wait_us => self.pending.after(self.now_us, wait_us, Event::Redeploy(part, process)),
            }
        }
    }

    /// A deploy comes to a process: it stops in order and starts anew.
    pub(super) fn redeploys(&mut self, part: u16, process: u16) {
        let Body::Worker(worker) = self.parts[usize::from(part)].body else { return };
        let entry = &self.workers[usize::from(worker)];
        let restart_us = entry.settings.restart.0;
        if entry.processes.get(usize::from(process)).is_some_and(|hands| hands.up) {
            self.process_stops(worker, process, true);
            self.pending.after(self.now_us, restart_us, Event::Restart(part, process));
        }
    }

    fn scales(&mut self, part: u16, count: u64) {
        let Body::Worker(worker) = self.parts[usize::from(part)].body else { return };
        let before = self.workers[usize::from(worker)].processes.len();
        let after = count as usize;
        for process in (after..before).rev() {
            self.process_stops(worker, process as u16, true);
        }
        let entry = &mut self.workers[usize::from(worker)];
        // A process that is gone keeps its place in the list, down: its number may stand in a timer.
        entry.processes.resize(before.max(after), Process::default());
        entry.settings.workers = count;
        for process in 0..after {
            if !self.workers[usize::from(worker)].processes[process].up {
                self.process_starts(worker, process as u16);
            }
        }
    }

    fn bursts(&mut self, part: u16, milli: u64, span_us: u64) {
        let Body::Producer(producer) = self.parts[usize::from(part)].body else { return };
        let entry = &mut self.producers[usize::from(producer)];
        entry.burst += 1;
        entry.burst_milli = milli;
        let number = entry.burst;
        self.pending.after(self.now_us, span_us, Event::BurstOver(producer, number));
    }

    fn sets(&mut self, part: u16, setting: &str, value: &str) {
        let Some((_, spec)) = self.scenario.parts.get_index(usize::from(part)) else { return };
        let value = serde_json::Value::String(value.to_owned());
        let all = spec.kind.several(setting, &value).unwrap_or_else(|| vec![(setting.to_owned(), value)]);
        let ours: Vec<_> = all.iter().map(|(name, value)| spec.kind.in_our_words(name, value)).collect();
        for (setting, value) in ours {
            // Checked where the command came in; a value that is refused here changes nothing.
            let _ = self.settings_mut(part).set(&setting, &value);
        }
        self.settings_changed(part);
    }

    fn settings_mut(&mut self, part: u16) -> &mut dyn Settings {
        match self.parts[usize::from(part)].body {
            Body::Producer(index) => &mut self.producers[usize::from(index)].settings,
            Body::Service(index) => &mut self.services[usize::from(index)].settings,
            Body::Database(index) => &mut self.databases[usize::from(index)].settings,
            Body::Relay(index) => &mut self.relays[usize::from(index)].settings,
            Body::Queue(index) => &mut self.queues[usize::from(index)].settings,
            Body::Server(index) => &mut self.servers[usize::from(index)].settings,
            Body::Exchange(index) => &mut self.exchanges[usize::from(index)].settings,
            Body::Log(index) => &mut self.logs[usize::from(index)].settings,
            Body::Worker(index) => &mut self.workers[usize::from(index)].settings,
            Body::Dependency(index) => &mut self.dependencies[usize::from(index)].settings,
        }
    }

    /// Brings what is derived from settings up to date.
    fn settings_changed(&mut self, part: u16) {
        match self.parts[usize::from(part)].body {
            Body::Producer(index) => {
                if self.producers[usize::from(index)].asleep {
                    self.producer_schedules(index);
                } else {
                    self.producer_has_room(index);
                }
                self.transactions_of(index, false);
            }
            Body::Worker(index) => {
                let worker = &mut self.workers[usize::from(index)];
                worker.work_us = worker.settings.work.constant_us();
                let (count, tray) = (worker.settings.workers, worker.settings.dead_letters.clone());
                let takes =
                    |part: &u16| matches!(self.parts[usize::from(*part)].body, Body::Queue(_) | Body::Server(_) | Body::Log(_));
                let tray = tray.id().and_then(|id| self.part_index(id)).filter(takes);
                self.workers[usize::from(index)].dead_letters = tray;
                self.scales(part, count);
                self.crew_changes(index);
                self.worker_fills(index);
                if let Source::Log(log) = self.workers[usize::from(index)].source {
                    self.near_readers_change(log);
                }
            }
            Body::Server(index) => self.server_tuned(index),
            Body::Exchange(index) => {
                let alternate = self.exchanges[usize::from(index)].settings.alternate.id().and_then(|id| self.part_index(id));
                self.exchanges[usize::from(index)].alternate = alternate;
            }
            Body::Log(index) => {
                self.grows(index);
                self.log_tuned(index);
                self.linger_changed(index);
            }
            Body::Relay(index) => self.relay_changes(index),
            _ => {}
        }
    }

    /// A log gets more partitions. There is no way to have fewer again.
    fn grows(&mut self, index: u16) {
        let log = &mut self.logs[usize::from(index)];
        let wanted = log.settings.partitions as usize;
        if wanted <= log.partitions.len() {
            log.settings.partitions = log.partitions.len() as u64;
            return;
        }
        log.widen(self.now_us);
        if let Some(replicas) = &mut log.replicas {
            replicas.grow(self.now_us, &log.settings);
        }
        for worker in log.groups.clone() {
            if let Some(group) = &mut self.workers[usize::from(worker)].group {
                group.fresh.extend(group.committed.len() as u32..wanted as u32);
                group.committed.resize(wanted, 0);
                group.position.resize(wanted, 0);
                group.owner.resize(wanted, None);
            }
            if !self.crew_grows(worker, wanted as u32) {
                self.rebalance_begins(worker);
            }
        }
    }
}
