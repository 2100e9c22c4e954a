//! Gauges, sampled at a fixed interval, and the alert rules that look at them.

use std::collections::VecDeque;

use super::World;
use super::part::{Body, Counters};
use crate::observe::health::{self, Consumer};
use crate::observe::ledger::Outcome;
use crate::scenario::choices::Isolation;
use crate::scenario::gauges::{REBALANCES, gauges};
use crate::scenario::{AlertSpec, Scenario};
use crate::service::{Source, Worker};
use crate::sim::order::by_key;
use crate::sim::time::SECOND_US;
use crate::sim::{Tape, Timestamp};

/// A rule that fires goes on for so long after its gauge is back, so that one that comes and goes fires once.
pub const KEEP_FIRING_US: u64 = 10 * SECOND_US;
/// What `rebalances_per_h` looks back.
const HOUR_US: u64 = 3_600 * SECOND_US;
/// The gauges of a group that one partition stands for.
const BY_PARTITION: [&str; 3] = ["lag_us", "lag_spread_us", "retention_ppm"];

/// Gauges over time, and alert rules.
#[derive(Clone, Debug)]
pub struct GaugeBoard {
    /// Time between two samples.
    pub sample_us: u64,
    /// `[part][gauge]`: one value a sample.
    pub series: Vec<Vec<Tape<u64>>>,
    /// Users who got less than they were promised: one value a sample.
    pub harm: Tape<u64>,
    /// Counters of all parts at the newest samples, about a second's worth.
    window: VecDeque<Vec<Counters>>,
    /// The rules.
    pub alerts: Vec<Alert>,
    /// How each consumer is.
    pub consumers: Vec<Consumer>,
}

/// An alert rule and what it did.
#[derive(Clone, Debug)]
pub struct Alert {
    /// The rule.
    pub spec: AlertSpec,
    /// Index of the part it looks at.
    pub part: u16,
    /// Index of the gauge it looks at.
    pub gauge: usize,
    /// One partition stands for the gauge: that one is told.
    by_partition: bool,
    /// Since when the gauge is above the threshold.
    above_since_us: Option<Timestamp>,
    /// Since when it is not, while the rule still fires.
    below_since_us: Option<Timestamp>,
    /// Every time it fired.
    pub fired: Vec<Firing>,
    /// The highest value it has seen.
    pub highest: u64,
    /// For how long the gauge was above the threshold at most.
    pub longest_us: u64,
}

/// One time that a rule fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Firing {
    /// When.
    pub at_us: Timestamp,
    /// How long after the fault that caused it; none if nothing had been done to the system.
    pub after_us: Option<u64>,
    /// When it cleared.
    pub cleared_us: Option<Timestamp>,
    /// The partition that is furthest behind at that moment, where the rule is about how far a group is behind.
    pub partition: Option<u32>,
}

impl GaugeBoard {
    /// An empty board for a scenario.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let alerts = scenario
            .alerts
            .iter()
            .filter_map(|spec| {
                let (part, _, named) = scenario.parts.get_full(&spec.part)?;
                let gauge = gauges(&named.kind).iter().position(|gauge| gauge.name == spec.gauge)?;
                Some(Alert {
                    spec: spec.clone(),
                    part: part as u16,
                    gauge,
                    by_partition: BY_PARTITION.contains(&spec.gauge.as_str()),
                    above_since_us: None,
                    below_since_us: None,
                    fired: Vec::new(),
                    highest: 0,
                    longest_us: 0,
                })
            })
            .collect();
        Self {
            sample_us: scenario.sample.0.max(1),
            series: scenario.parts.values().map(|part| vec![Tape::default(); gauges(&part.kind).len()]).collect(),
            harm: Tape::default(),
            window: VecDeque::new(),
            alerts,
            consumers: health::consumers(scenario),
        }
    }

    /// The newest value of a gauge.
    #[must_use]
    pub fn newest(&self, part: u16, gauge: usize) -> u64 {
        let series = &self.series[usize::from(part)][gauge];
        series.end().checked_sub(1).and_then(|last| series.get(last)).copied().unwrap_or(0)
    }
}

/// A share in parts per million.
fn ppm(part: u64, whole: u64) -> u64 {
    (part * 1_000_000).checked_div(whole).unwrap_or(0)
}

impl World {
    /// Takes one sample of everything and looks at the rules.
    #[inline(never)]
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn sample(&mut self) {
        self.retention();
        self.checkpoint();
        self.observer.ledger.run_out(self.now_us);
        let counters: Vec<Counters> = self.parts.iter().map(|part| part.counters).collect();
        // The window reaches back one second, or one sample where samples are further apart.
        let most = (SECOND_US / self.board.sample_us).max(1) as usize;
        let before = self.board.window.front().cloned().unwrap_or_else(|| vec![Counters::default(); counters.len()]);
        let span_us = self.board.sample_us * (self.board.window.len().max(1) as u64);
        for service in &mut self.services {
            if service.window.total() > 0 {
                service.recent_us = (service.window.quantile(500), service.window.quantile(990));
                service.window.clear();
            }
        }
        for (part, before) in before.iter().enumerate() {
            let values = self.gauges(part as u16, before, span_us);
            for (series, value) in self.board.series[part].iter_mut().zip(values) {
                series.push(value);
            }
        }
        let ledger = &self.observer.ledger;
        let harm = [Outcome::Refused, Outcome::Late, Outcome::Never, Outcome::Twice];
        self.board.harm.push(harm.into_iter().map(|outcome| ledger.with_outcome(outcome)).sum());
        if self.board.window.len() == most {
            self.board.window.pop_front();
        }
        self.board.window.push_back(counters);
        self.look_at_rules();
        self.look_at_consumers();
        let board = &self.board;
        self.observer.findings.sampled(self.now_us, board, &self.observer.ledger);
        self.next_sample_us = self.now_us + self.board.sample_us;
    }

    fn look_at_rules(&mut self) {
        let now_us = self.now_us;
        for index in 0..self.board.alerts.len() {
            let value = self.board.newest(self.board.alerts[index].part, self.board.alerts[index].gauge);
            let alert = &mut self.board.alerts[index];
            alert.highest = alert.highest.max(value);
            if value <= alert.spec.above {
                alert.above_since_us = None;
                if let Some(firing) = alert.fired.last_mut().filter(|firing| firing.cleared_us.is_none()) {
                    let below_us = *alert.below_since_us.get_or_insert(now_us);
                    if now_us - below_us >= KEEP_FIRING_US {
                        firing.cleared_us = Some(below_us);
                        alert.below_since_us = None;
                    }
                }
                continue;
            }
            alert.below_since_us = None;
            let since_us = *alert.above_since_us.get_or_insert(now_us);
            alert.longest_us = alert.longest_us.max(now_us - since_us);
            let fires = now_us - since_us >= alert.spec.hold.0;
            // Bounded: a rule that flaps for hours is one finding, not a list.
            if fires && alert.fired.len() < 64 && alert.fired.last().is_none_or(|firing| firing.cleared_us.is_some()) {
                let (part, by_partition) = (alert.part, alert.by_partition);
                let after_us = self.observer.findings.cause_of(now_us).map(|cause_us| now_us - cause_us);
                let partition = if by_partition { self.furthest_behind(part) } else { None };
                self.board.alerts[index].fired.push(Firing { at_us: now_us, after_us, cleared_us: None, partition });
            }
        }
    }

    fn look_at_consumers(&mut self) {
        let mut consumers = std::mem::take(&mut self.board.consumers);
        for consumer in &mut consumers {
            let part = consumer.part;
            let place = |name: &str| health::place(&self.scenario, part, name);
            consumer.sampled(self.now_us, |name| place(name).map_or(0, |place| self.board.newest(part, place)));
        }
        self.board.consumers = consumers;
    }

    /// The gauges of a part at this very moment, in the order of its table.
    #[must_use]
    pub fn gauges_now(&self, part: u16) -> Vec<u64> {
        let before = self.board.window.front().and_then(|counters| counters.get(usize::from(part))).copied().unwrap_or_default();
        let since_us = self.next_sample_us.saturating_sub(self.board.sample_us * self.board.window.len() as u64);
        self.gauges(part, &before, self.now_us.saturating_sub(since_us).max(self.board.sample_us))
    }

    /// The gauges of a part, in the order of its table.
    fn gauges(&self, part: u16, before: &Counters, span_us: u64) -> Vec<u64> {
        let now_us = self.now_us;
        let entry = &self.parts[usize::from(part)];
        let now = entry.counters;
        let per_second = |count: u64| count * SECOND_US / span_us;
        let done = now.done - before.done;
        let errors = now.errors - before.errors;
        let produce_us = (now.publish_us - before.publish_us).checked_div(now.publishes - before.publishes).unwrap_or(0);
        match entry.body {
            Body::Producer(index) => {
                let waiting = u64::from(self.producers[usize::from(index)].memory.len());
                vec![per_second(done), waiting, errors, produce_us]
            }
            Body::Service(index) => {
                let service = &self.services[usize::from(index)];
                let asked = per_second(now.received - before.received);
                let in_flight = u64::from(service.requests.len());
                vec![asked, ppm(errors, done + errors), service.recent_us.0, service.recent_us.1, in_flight]
            }
            Body::Database(index) => {
                let database = &self.databases[usize::from(index)];
                let (outbox, slot_bytes) = (&database.outbox, database.slot.bytes(&database.settings));
                let errors = per_second(errors);
                vec![per_second(done), errors, outbox.len(), outbox.oldest_us(now_us), outbox.rows(), slot_bytes]
            }
            Body::Relay(index) => {
                let retry_us = match self.relays[usize::from(index)].state {
                    crate::database::RelayState::Waiting { until_us } => until_us.saturating_sub(now_us),
                    _ => 0,
                };
                vec![per_second(done), errors, retry_us, produce_us]
            }
            Body::Queue(index) => {
                let queue = &self.queues[usize::from(index)];
                let again = per_second(now.again - before.again);
                vec![queue.ready(), queue.held(), queue.delayed(), queue.oldest_us(now_us), again]
            }
            Body::Server(index) => {
                let server = &self.servers[usize::from(index)];
                let (ready, held, delayed) = server.counts();
                vec![ready, held, delayed, server.oldest_us(now_us), per_second(now.again - before.again)]
            }
            Body::Log(index) => {
                let log = &self.logs[usize::from(index)];
                let (under, in_sync, elections) = log.replicas.as_ref().map_or((0, 1, 0), |replicas| replicas.figures());
                let open_us =
                    log.transactions.as_ref().and_then(|known| known.oldest_us()).map_or(0, |since_us| now_us - since_us);
                let batches = now.batches - before.batches;
                let each = done.checked_div(batches).unwrap_or(0);
                vec![log.kept(), per_second(done), errors, under, in_sync, elections, open_us, per_second(batches), each]
            }
            Body::Exchange(index) => vec![per_second(done), self.exchanges[usize::from(index)].unroutable, errors],
            Body::Worker(index) => {
                let worker = &self.workers[usize::from(index)];
                let busy = worker.processes.iter().filter(|process| process.busy > 0).count() as u64;
                let up = worker.processes.iter().filter(|process| process.up).count() as u64;
                let (lag, lag_us) = self.lag(worker);
                let stable = self.lag_stable(worker).unwrap_or(lag);
                let rebalances = worker.group.as_ref().map_or(0, |group| group.rebalances);
                let (received, again) = (now.received - before.received, now.again - before.again);
                let crashed = worker.settings.workers.saturating_sub(up);
                vec![
                    busy,
                    up - busy,
                    crashed,
                    per_second(done),
                    ppm(errors, done + errors),
                    ppm(again, received),
                    lag,
                    lag_us,
                    stable,
                    self.lag_spread_us(worker),
                    self.retention_ppm(worker, lag_us),
                    rebalances,
                    rebalances - self.rebalances_before(part),
                ]
            }
            Body::Dependency(_) => {
                let waiting = entry.line.len() as u64;
                vec![u64::from(entry.busy), waiting, per_second(done + errors), ppm(errors, done + errors)]
            }
        }
    }

    /// How many records a group is behind what it may read of a log.
    fn lag_stable(&self, worker: &Worker) -> Option<u64> {
        let (Source::Log(log), Some(group)) = (worker.source, &worker.group) else { return None };
        let log = &self.logs[usize::from(log)];
        let behind = |(partition, committed): (usize, &u64)| {
            let from = log.partitions[partition].start().max(*committed);
            let end = match worker.settings.isolation {
                Isolation::Uncommitted => log.high_watermark(partition),
                Isolation::Committed => log.last_stable(partition),
            };
            end.saturating_sub(from)
        };
        Some(group.committed.iter().enumerate().map(behind).sum())
    }

    /// How far a worker is behind: in messages, and in the age of the oldest one it has not finished.
    pub(super) fn lag(&self, worker: &Worker) -> (u64, u64) {
        match worker.source {
            Source::Queue(queue) => {
                let queue = &self.queues[usize::from(queue)];
                (queue.ready() + queue.held(), queue.oldest_us(self.now_us))
            }
            Source::Server(server) => {
                let server = &self.servers[usize::from(server)];
                let (ready, held, _) = server.counts();
                (ready + held, server.oldest_us(self.now_us))
            }
            Source::Log(_) => self
                .partition_lags(worker)
                .into_iter()
                .fold((0, 0), |(lag, oldest_us), (records, age_us)| (lag + records, oldest_us.max(age_us))),
        }
    }

    /// How far a group is behind in each partition: in records, and in the age of the oldest one it has not committed.
    fn partition_lags(&self, worker: &Worker) -> Vec<(u64, u64)> {
        let (Source::Log(log), Some(group)) = (worker.source, &worker.group) else { return Vec::new() };
        let log = &self.logs[usize::from(log)];
        let behind = |(partition, committed): (usize, &u64)| {
            let tape = &log.partitions[partition];
            let from = tape.start().max(*committed);
            // As tools count it: up to the high watermark, whatever the group may read.
            let records = log.high_watermark(partition).saturating_sub(from);
            let ripe_us = |stored_us: Timestamp| stored_us + log.settings.delay.0;
            (records, tape.get(from).map_or(0, |record| self.now_us.saturating_sub(ripe_us(record.stored_us))))
        };
        group.committed.iter().enumerate().map(behind).collect()
    }

    /// The partition in which a group is furthest behind in time, where there are several to tell apart.
    fn furthest_behind(&self, part: u16) -> Option<u32> {
        let Body::Worker(worker) = self.parts[usize::from(part)].body else { return None };
        let lags = self.partition_lags(&self.workers[usize::from(worker)]);
        let furthest_us = lags.iter().map(|(_, age_us)| *age_us).max()?;
        let place = lags.iter().position(|(_, age_us)| *age_us == furthest_us)?;
        (lags.len() > 1).then_some(place as u32)
    }

    /// How much further a group is behind in one partition than in the one in the middle.
    fn lag_spread_us(&self, worker: &Worker) -> u64 {
        let lags: Vec<u64> = self.partition_lags(worker).into_iter().map(|(_, age_us)| age_us).collect();
        let lags = by_key(lags, |age_us| *age_us);
        lags.last().map_or(0, |furthest_us| furthest_us - lags[(lags.len() - 1) / 2])
    }

    /// The share of the retention that has gone by since what a worker would read next was stored.
    fn retention_ppm(&self, worker: &Worker, lag_us: u64) -> u64 {
        let retention_us = match worker.source {
            Source::Queue(queue) => self.queues[usize::from(queue)].settings.retention.0,
            Source::Log(log) => match self.logs[usize::from(log)].retention() {
                Some(retention) => retention.0,
                None => return 0,
            },
            // What its broker keeps, and for how long, is the broker's to say.
            Source::Server(_) => return 0,
        };
        (lag_us * 1_000).checked_div(retention_us / 1_000).unwrap_or(0)
    }

    /// How many rebalances a group had had an hour ago.
    fn rebalances_before(&self, part: u16) -> u64 {
        let series = &self.board.series[usize::from(part)][REBALANCES];
        let back = HOUR_US / self.board.sample_us;
        series.end().checked_sub(back).and_then(|place| series.get(place)).copied().unwrap_or(0)
    }
}
