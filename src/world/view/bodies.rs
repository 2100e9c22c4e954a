//! What is drawn inside a part's box.

use crate::observe::ledger::{Outcome, Standing};
use crate::observe::words::process_name;
use crate::service::{Doing, Job, Process, Source, Worker};
use crate::sim::order::by_key;
use crate::sim::time::spoken;
use crate::view::{BodyView, GatherView, Level, PartitionView, ProcessView, TokenRef, UserLevel, WaitingToken};
use crate::world::{Body, World};

/// How many slots, cells and processes are drawn at most.
const MOST_SLOTS: usize = 12;
const MOST_SHELF: usize = 8;
const MOST_CELLS: u64 = 12;
const MOST_PROCESSES: usize = 8;
/// In a run with more facts than this a single one cannot be followed by eye in a table.
const MOST_TABLE_FACTS: u32 = 400;

impl World {
    pub(super) fn body_view(&self, part: u16) -> BodyView {
        match self.parts[usize::from(part)].body {
            Body::Producer(_) => BodyView::Crowd(self.outcomes(MOST_SLOTS).0),
            Body::Database(index) => self.outbox_body(index),
            Body::Queue(index) => self.queue_body(index),
            Body::Server(index) => self.server_body(index),
            Body::Log(index) => self.log_body(index),
            Body::Worker(index) => self.workers_body(index),
            Body::Dependency(_) => self.effects_body(part),
            Body::Exchange(index) => self.exchange_body(index),
            Body::Service(_) | Body::Relay(_) => BodyView::Plain,
        }
    }

    /// What a part gathers before it sends it to a log; none where it sends everything at once.
    pub(super) fn gather_view(&self, part: u16) -> Option<GatherView> {
        let records = self.gathered(part)?;
        let open = self.open_batches(part).min_by_key(|open| open.due_us);
        let first = open.and_then(|open| {
            let token = self.token(&open.records.first()?.message);
            Some(WaitingToken { token, since_us: open.since_us, until_us: open.due_us, what: "linger" })
        });
        Some(GatherView { records, first })
    }

    fn outbox_body(&self, index: u16) -> BodyView {
        let database = &self.databases[usize::from(index)];
        if !database.has_relay {
            return BodyView::Plain;
        }
        BodyView::Outbox {
            unsent: database.outbox.len(),
            oldest_us: database.outbox.oldest_us(self.now_us),
            rows: database.outbox.first(MOST_SHELF).map(|row| self.token(row)).collect(),
        }
    }

    fn queue_body(&self, index: u16) -> BodyView {
        let queue = &self.queues[usize::from(index)];
        let shelf = queue.shelf(MOST_SHELF).into_iter().map(|hidden| WaitingToken {
            token: self.token(&hidden.queued.message),
            since_us: hidden.since_us,
            until_us: hidden.until_us,
            what: if hidden.holder.is_some() { "visibility timeout" } else { "delay" },
        });
        BodyView::Queue {
            ready: queue.ready(),
            next: queue.next(MOST_SLOTS).iter().map(|message| self.token(message)).collect(),
            locked: Vec::new(),
            hidden: queue.held() + queue.delayed(),
            shelf: shelf.collect(),
            tray: queue.tray,
        }
    }

    fn server_body(&self, index: u16) -> BodyView {
        let server = &self.servers[usize::from(index)];
        let (ready, held, delayed) = server.counts();
        let shelf = server.shelf(MOST_SHELF).into_iter().map(|(message, since_us, until_us, in_hands)| WaitingToken {
            token: self.token(&message),
            since_us,
            until_us: until_us.unwrap_or(since_us),
            what: match (in_hands, until_us) {
                (true, Some(_)) => "visibility timeout",
                (true, None) => "acknowledgement",
                (false, _) => "delay",
            },
        });
        let free = server.next(MOST_SLOTS);
        let locked = server.locked(MOST_SLOTS - free.len());
        BodyView::Queue {
            ready,
            next: free.iter().chain(&locked).map(|message| self.token(message)).collect(),
            locked: free.iter().map(|_| false).chain(locked.iter().map(|_| true)).collect(),
            hidden: held + delayed,
            shelf: shelf.collect(),
            tray: false,
        }
    }

    fn exchange_body(&self, index: u16) -> BodyView {
        let exchange = &self.exchanges[usize::from(index)];
        BodyView::Exchange {
            kind: exchange.settings.exchange.word(),
            bindings: exchange
                .bindings
                .iter()
                .map(|binding| (binding.key.clone(), self.title(u16::try_from(binding.queue).unwrap_or(0))))
                .collect(),
            alternate: exchange.alternate.map(|part| self.title(part)),
            unroutable: exchange.unroutable,
        }
    }

    fn log_body(&self, index: u16) -> BodyView {
        let log = &self.logs[usize::from(index)];
        let groups = log.groups.iter().map(|group| {
            let part = self.workers[usize::from(*group)].part;
            (part, self.title(part))
        });
        // A record can be told from the next while few come: then each cell has its token.
        let named = self.observer.hops.one_of == 1;
        let partitions = log.partitions.iter().enumerate().take(MOST_SLOTS).map(|(number, tape)| PartitionView {
            index: number as u32,
            start: tape.start(),
            end: tape.end(),
            committed: log
                .groups
                .iter()
                .map(|group| self.workers[usize::from(*group)].group.as_ref().map_or(0, |group| group.committed[number]))
                .collect(),
            high_watermark: log.high_watermark(number),
            replicas: log.replicas.as_ref().map_or_else(Vec::new, |replicas| replicas.views(number, log.near)),
            cells: if named {
                tape.iter_from(tape.end().saturating_sub(MOST_CELLS)).map(|(_, record)| self.token(record)).collect()
            } else {
                Vec::new()
            },
        });
        let rebalancing = log.groups.iter().filter_map(|group| {
            let worker = &self.workers[usize::from(*group)];
            let group = worker.group.as_ref()?;
            let alone = group.owner.iter().filter(|owner| owner.is_none()).count();
            if group.crew.is_some() && alone > 0 {
                return Some(format!("{}: {alone} of {} unassigned", self.title(worker.part), group.owner.len()));
            }
            let since_us = group.rebalancing_since_us?;
            let ghosts = worker.processes.iter().filter(|process| process.ghost).count();
            let waits = if ghosts > 0 { ", waiting for a dead member's session" } else { "" };
            Some(format!("{} rebalancing for {}{waits}", self.title(worker.part), spoken(self.now_us - since_us)))
        });
        BodyView::Log {
            groups: groups.collect(),
            partitions: partitions.collect(),
            partitions_total: log.partitions.len() as u32,
            rebalancing: rebalancing.collect(),
        }
    }

    pub(super) fn title(&self, part: u16) -> String {
        self.scenario.parts.get_index(usize::from(part)).map_or_else(String::new, |(_, spec)| spec.title.clone())
    }

    fn workers_body(&self, index: u16) -> BodyView {
        let worker = &self.workers[usize::from(index)];
        let shown = (worker.settings.workers as usize).min(worker.processes.len());
        let processes = (0_u16..).zip(worker.processes.iter().take(shown.min(MOST_PROCESSES)));
        BodyView::Workers {
            processes: processes.map(|(number, process)| self.process_view(worker, number, process)).collect(),
            total: worker.settings.workers,
        }
    }

    fn process_view(&self, worker: &Worker, number: u16, process: &Process) -> ProcessView {
        let jobs: Vec<&Job> = worker.jobs.iter().map(|(_, job)| job).filter(|job| job.process == number).collect();
        // What is under way first, the oldest first.
        let jobs = by_key(jobs, |job| job.since_us | u64::from(matches!(job.doing, Doing::Buffered)) << 63);
        let partitions: Vec<u32> = worker.group.as_ref().map_or_else(Vec::new, |group| group.owned_by(number).collect());
        let (state, level) = self.process_state(worker, process, &jobs, partitions.is_empty());
        ProcessView {
            name: process_name(number),
            state,
            level,
            holds: jobs.iter().take(3).map(|job| self.token(&job.message)).collect(),
            holding: jobs.len() as u64,
            partitions,
        }
    }

    fn process_state(&self, worker: &Worker, process: &Process, jobs: &[&Job], no_partition: bool) -> (String, Level) {
        if !process.up {
            return (format!("crashed {} ago", spoken(self.now_us - process.since_us)), Level::Bad);
        }
        if let Some(job) = jobs.first() {
            let label = self.fact_name(job.message.fact);
            let more = if jobs.len() > 1 { format!(" and {} more", jobs.len() - 1) } else { String::new() };
            return match job.doing {
                Doing::Buffered => (format!("{label}{more} · received"), Level::Quiet),
                Doing::Held { until_us } => {
                    (format!("{label}{more} · due in {}", spoken(until_us.saturating_sub(self.now_us))), Level::Quiet)
                }
                Doing::Work => (format!("{label}{more} · working"), Level::Good),
                Doing::Call => (format!("{label}{more} · calling"), Level::Good),
                Doing::Wait { until_us } => (
                    format!("{label}{more} · try {} in {}", job.tries, spoken(until_us.saturating_sub(self.now_us))),
                    Level::Warn,
                ),
            };
        }
        let idle = match (&worker.group, worker.source) {
            (Some(group), _) if group.rebalancing_since_us.is_some() => "waits for the rebalance".into(),
            (Some(group), Source::Log(_)) if no_partition => {
                let members = worker.processes.iter().filter(|process| process.member).count();
                format!("idle: {members} members, {} partitions", group.owner.len())
            }
            _ => "idle".into(),
        };
        (idle, Level::Quiet)
    }

    /// How often the newest facts took effect here, while there are few enough to read.
    fn effects_body(&self, part: u16) -> BodyView {
        let ledger = &self.observer.ledger;
        let here = |effect: usize| {
            self.workers.iter().any(|worker| worker.calls == Some(part) && usize::from(worker.effect) == effect)
                || self.dependencies.iter().any(|dep| dep.part == part && dep.effect == Some(effect as u8))
        };
        let Some(effect) = (0..ledger.effects.len()).find(|effect| here(*effect)) else { return BodyView::Plain };
        if ledger.facts() > MOST_TABLE_FACTS || self.observer.hops.one_of > 1 {
            return BodyView::Plain;
        }
        let count = |fact: u32| match ledger.standing(fact, effect) {
            Standing::Done(times) => u32::from(times),
            _ => 0,
        };
        // What happened twice stays in sight; the rest are the newest.
        let mut rows: Vec<u32> = (0..ledger.facts()).filter(|fact| ledger.standing(*fact, effect) != Standing::Foreign).collect();
        while rows.len() > MOST_SHELF {
            let drop = rows.iter().position(|fact| count(*fact) == 1).unwrap_or(0);
            rows.remove(drop);
        }
        let rows: Vec<(TokenRef, u32)> = rows.into_iter().map(|fact| (self.token_of_fact(fact), count(fact))).collect();
        BodyView::Effects(rows)
    }
}

/// What an outcome is drawn as; none for facts without a user.
pub(super) fn user_level(outcome: Outcome) -> Option<UserLevel> {
    match outcome {
        Outcome::Open => None,
        Outcome::Served => Some(UserLevel::AsPromised),
        Outcome::Waiting => Some(UserLevel::Waiting),
        Outcome::Late => Some(UserLevel::Late),
        Outcome::Never => Some(UserLevel::Never),
        Outcome::Twice => Some(UserLevel::Twice),
        Outcome::Refused => Some(UserLevel::Refused),
    }
}
