//! Processes that consume as a group: they poll, handle record by record, commit, beat and back off, and the group reacts.
//!
//! A handler knows nothing of the group: it finishes what it has in hand even when the partition is long with another
//! member, and hears of that from its commit, its heartbeat by hand or its next poll. That is where duplicates come from.
//!
//! Source: Kafka 4.0 `KafkaConsumer` documentation ("Detecting Consumer Failures"), `ConsumerCoordinator` (automatic
//! commits); kafkajs `eachMessage`; Spring for Apache Kafka `DefaultErrorHandler`, `ErrorHandlingDeserializer`.

use std::collections::VecDeque;

use super::consumers::{Consumers, Event, Heartbeats, Settings};
pub use super::handling::{Commits, Defect, Handling, Retries, Seen};
use super::{Partition, sooner};
use crate::server::Consumer;

#[derive(Clone, Copy, Debug)]
struct Log {
    partition: Partition,
    end: u64,
    committed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Polls,
    Handles {
        until_us: u64,
    },
    BacksOff {
        until_us: u64,
    },
    /// Gets over a failed poll.
    Recovers {
        until_us: u64,
    },
}

#[derive(Clone, Debug)]
struct Worker {
    process: Consumer,
    how: Handling,
    doing: Doing,
    /// Where the next poll reads on in each partition.
    positions: Vec<(Partition, u64)>,
    /// What is handled of each partition: what a commit would say.
    handled: Vec<(Partition, u64)>,
    batch: VecDeque<(Partition, u64)>,
    attempts: u32,
    beat_due_us: Option<u64>,
    committed_us: u64,
    /// The partition with which the next poll begins.
    turn: usize,
}

/// Processes, their group and the partitions that they read.
#[derive(Clone, Debug)]
pub struct Crew {
    group: Consumers,
    logs: Vec<Log>,
    defects: Vec<(Partition, u64, Defect)>,
    workers: Vec<Worker>,
    now_us: u64,
    seen: Vec<(u64, Seen)>,
}

impl Crew {
    /// Nobody yet, over topics with so many partitions.
    #[must_use]
    pub fn new(settings: Settings, counts: Vec<u32>) -> Self {
        let mut logs = Vec::new();
        for (topic, &count) in (0..).zip(&counts) {
            logs.extend((0..count).map(|index| Log { partition: Partition { topic, index }, end: 0, committed: 0 }));
        }
        let group = Consumers::new(settings, counts);
        Self { group, logs, defects: Vec::new(), workers: Vec::new(), now_us: 0, seen: Vec::new() }
    }

    /// So many records are appended to a partition.
    pub fn publish(&mut self, now_us: u64, partition: Partition, records: u64) {
        self.advance(now_us);
        if let Some(log) = self.logs.iter_mut().find(|log| log.partition == partition) {
            log.end = log.end.saturating_add(records);
        }
        self.settle();
    }

    /// A record has a defect from the start.
    pub fn spoil(&mut self, partition: Partition, offset: u64, defect: Defect) {
        self.defects.push((partition, offset, defect));
    }

    /// A process starts.
    pub fn start(&mut self, now_us: u64, process: Consumer, how: Handling) {
        self.advance(now_us);
        self.group.start(now_us, process, how.joiner.clone());
        self.workers.retain(|worker| worker.process != process);
        self.workers.push(Worker {
            process,
            how,
            doing: Doing::Polls,
            positions: Vec::new(),
            handled: Vec::new(),
            batch: VecDeque::new(),
            attempts: 0,
            beat_due_us: None,
            committed_us: now_us,
            turn: 0,
        });
        self.group.poll(now_us, process);
        self.settle();
    }

    /// A process dies.
    pub fn die(&mut self, now_us: u64, process: Consumer) {
        self.advance(now_us);
        self.workers.retain(|worker| worker.process != process);
        self.group.die(now_us, process);
        self.settle();
    }

    /// The group's committed offset of a partition.
    #[must_use]
    pub fn committed(&self, partition: Partition) -> u64 {
        self.logs.iter().find(|log| log.partition == partition).map_or(0, |log| log.committed)
    }

    /// Records of a partition that no commit covers.
    #[must_use]
    pub fn lag(&self, partition: Partition) -> u64 {
        let log = self.logs.iter().find(|log| log.partition == partition);
        log.map_or(0, |log| log.end.saturating_sub(log.committed))
    }

    /// What was seen since the last time someone asked, with the moments, in order.
    pub fn take_seen(&mut self) -> Vec<(u64, Seen)> {
        std::mem::take(&mut self.seen)
    }

    /// When something happens next without a call.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let worker = |worker: &Worker| sooner(self.auto_due_us(worker), sooner(worker.beat_due_us, ends_us(worker.doing)));
        sooner(self.group.next_due_us(), self.workers.iter().filter_map(worker).min())
    }

    /// Lets everything happen that is due up to now, in order.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|&due_us| due_us <= now_us) {
            self.now_us = self.now_us.max(due_us);
            self.group.advance(self.now_us);
            self.hear();
            for at in 0..self.workers.len() {
                if self.workers[at].beat_due_us.is_some_and(|due_us| due_us <= self.now_us) {
                    self.beat(at);
                }
                if self.auto_due_us(&self.workers[at]).is_some_and(|due_us| due_us <= self.now_us) {
                    self.commit(at);
                }
                if ends_us(self.workers[at].doing).is_some_and(|due_us| due_us <= self.now_us) {
                    self.goes_on(at);
                }
            }
            self.settle();
        }
        self.now_us = self.now_us.max(now_us);
    }

    /// A poll that lasts commits as well, where polls commit and there is something to commit.
    fn auto_due_us(&self, worker: &Worker) -> Option<u64> {
        let Commits::Auto(every_us) = worker.how.commits else { return None };
        let news = |&(partition, offset): &(Partition, u64)| self.committed(partition) != offset;
        let due = worker.doing == Doing::Polls && worker.handled.iter().any(news);
        due.then(|| worker.committed_us.saturating_add(every_us.max(1)))
    }

    fn see(&mut self, seen: Seen) {
        self.seen.push((self.now_us, seen));
    }

    /// Follows what happened in the group: a partition that is assigned is read from its committed offset.
    fn hear(&mut self) {
        for (at_us, event) in self.group.take_events() {
            match &event {
                Event::Assigned(process, partitions) => {
                    let committed = |partition: &Partition| (*partition, self.committed(*partition));
                    let from: Vec<(Partition, u64)> = partitions.iter().map(committed).collect();
                    if let Some(worker) = self.workers.iter_mut().find(|worker| worker.process == *process) {
                        worker.handled.extend(&from);
                        worker.positions.extend(from);
                    }
                }
                Event::Revoked(process, partitions) | Event::Lost(process, partitions) => {
                    if let Some(worker) = self.workers.iter_mut().find(|worker| worker.process == *process) {
                        worker.positions.retain(|(partition, _)| !partitions.contains(partition));
                        worker.handled.retain(|(partition, _)| !partitions.contains(partition));
                    }
                }
                Event::Generation(_) | Event::Evicted(..) | Event::Fenced(_) => {}
            }
            self.seen.push((at_us, Seen::Group(event)));
        }
    }

    /// Polls that find something end.
    fn settle(&mut self) {
        self.hear();
        for at in 0..self.workers.len() {
            if self.workers[at].doing == Doing::Polls {
                self.fetch(at);
            }
        }
    }

    fn defect(&self, (partition, offset): (Partition, u64)) -> Option<Defect> {
        let known = self.defects.iter().find(|defect| (defect.0, defect.1) == (partition, offset));
        known.map(|&(.., defect)| defect)
    }

    /// A poll gives up to `max.poll.records`, one partition after the other; it fails if the first is unreadable.
    fn fetch(&mut self, at: usize) {
        let worker = &self.workers[at];
        let (process, most) = (worker.process, worker.how.poll_records as usize);
        if worker.positions.is_empty() || !self.group.is_member(process) {
            return;
        }
        let mut batch = VecDeque::new();
        let mut stuck = None;
        'poll: for step in 0..worker.positions.len() {
            let (partition, from) = worker.positions[(worker.turn + step) % worker.positions.len()];
            let end = self.logs.iter().find(|log| log.partition == partition).map_or(0, |log| log.end);
            for offset in from..end {
                if batch.len() >= most {
                    break 'poll;
                }
                let unreadable = self.defect((partition, offset)) == Some(Defect::Unreadable);
                if unreadable && !worker.how.dead_letters_unreadable {
                    stuck = Some((partition, offset));
                    break 'poll;
                }
                batch.push_back((partition, offset));
            }
        }
        if batch.is_empty() && stuck.is_none() {
            return;
        }
        self.group.work(self.now_us, process);
        let worker = &mut self.workers[at];
        worker.turn = worker.turn.wrapping_add(1) % worker.positions.len().max(1);
        if let (true, Some((partition, offset))) = (batch.is_empty(), stuck) {
            worker.doing = Doing::Recovers { until_us: self.now_us.saturating_add(worker.how.failed_poll_us.max(1)) };
            self.see(Seen::Stuck(process, partition, offset));
            return;
        }
        for &(partition, offset) in &batch {
            set(&mut worker.positions, partition, offset + 1);
        }
        worker.batch = batch;
        self.begin(at);
    }

    /// The handler begins with the next record, or the batch is over. Unreadable records only pass through.
    fn begin(&mut self, at: usize) {
        while let Some(&record) = self.workers[at].batch.front() {
            if self.defect(record) != Some(Defect::Unreadable) {
                let worker = &mut self.workers[at];
                let every_us = worker.how.beat_in_handler_us;
                worker.doing = Doing::Handles { until_us: self.now_us.saturating_add(worker.how.handler_us) };
                worker.beat_due_us = every_us.map(|every_us| self.now_us.saturating_add(every_us.max(1)));
                return;
            }
            self.see(Seen::DeadLettered(self.workers[at].process, record.0, record.1));
            if !self.record_over(at) {
                return;
            }
        }
        self.batch_over(at);
    }

    fn goes_on(&mut self, at: usize) {
        let worker = &mut self.workers[at];
        let process = worker.process;
        match (worker.doing, worker.batch.front().copied()) {
            (Doing::Polls, _) => {}
            (Doing::BacksOff { .. }, Some(_)) => self.begin(at),
            (Doing::Handles { .. }, Some(record)) if self.defect(record) == Some(Defect::Fails) => {
                let worker = &mut self.workers[at];
                worker.attempts += 1;
                let (attempts, retries) = (worker.attempts, worker.how.retries);
                self.see(Seen::Failed(process, record.0, record.1));
                if retries.attempts > 0 && attempts >= retries.attempts {
                    self.see(Seen::DeadLettered(process, record.0, record.1));
                    self.next(at);
                } else {
                    let until_us = self.now_us.saturating_add(retries.backoff_us.max(1));
                    self.workers[at].doing = Doing::BacksOff { until_us };
                    self.workers[at].beat_due_us = None;
                }
            }
            (Doing::Handles { .. }, Some(record)) => {
                self.see(Seen::Handled(process, record.0, record.1));
                self.next(at);
            }
            (Doing::Recovers { .. }, _) | (_, None) => self.batch_over(at),
        }
    }

    /// Done with a record, on to the next.
    fn next(&mut self, at: usize) {
        if self.record_over(at) {
            self.begin(at);
        }
    }

    /// A record is done with: heartbeat by hand, commit if each record is committed. Whether the batch goes on.
    fn record_over(&mut self, at: usize) -> bool {
        let worker = &mut self.workers[at];
        worker.attempts = 0;
        worker.beat_due_us = None;
        if let Some((partition, offset)) = worker.batch.pop_front() {
            set(&mut worker.handled, partition, offset + 1);
        }
        if worker.how.joiner.heartbeats == Heartbeats::ByHand && !self.beat(at) {
            return false;
        }
        if self.workers[at].how.commits == Commits::AfterRecord {
            self.commit(at);
        }
        true
    }

    /// Lets a heartbeat go by hand. Whether the group still wants the process; if not, it drops its batch and polls.
    fn beat(&mut self, at: usize) -> bool {
        let worker = &mut self.workers[at];
        let process = worker.process;
        worker.beat_due_us = worker.how.beat_in_handler_us.map(|every_us| self.now_us.saturating_add(every_us.max(1)));
        let Err(fault) = self.group.beat(self.now_us, process) else { return true };
        self.see(Seen::BeatRefused(process, fault));
        let worker = &mut self.workers[at];
        worker.batch.clear();
        worker.attempts = 0;
        self.poll(at);
        false
    }

    fn batch_over(&mut self, at: usize) {
        let worker = &mut self.workers[at];
        let (process, recovers) = (worker.process, matches!(worker.doing, Doing::Recovers { .. }));
        match worker.how.commits {
            Commits::AfterBatch if !recovers => self.commit(at),
            // A poll that has to join first commits whatever time has passed.
            Commits::Auto(every_us)
                if self.now_us >= worker.committed_us.saturating_add(every_us) || !self.group.is_member(process) =>
            {
                self.commit(at);
            }
            Commits::AfterBatch | Commits::AfterRecord | Commits::Auto(_) => {}
        }
        self.poll(at);
    }

    /// Polls again. Whatever it finds, it finds at the end of the moment.
    fn poll(&mut self, at: usize) {
        let worker = &mut self.workers[at];
        worker.doing = Doing::Polls;
        worker.beat_due_us = None;
        let process = worker.process;
        self.group.poll(self.now_us, process);
        self.hear();
    }

    fn commit(&mut self, at: usize) {
        let worker = &mut self.workers[at];
        let process = worker.process;
        worker.committed_us = self.now_us;
        let handled = worker.handled.clone();
        if let Err(fault) = self.group.commit(self.now_us, process) {
            self.see(Seen::Refused(process, fault));
            return;
        }
        for (partition, offset) in handled {
            let Some(log) = self.logs.iter_mut().find(|log| log.partition == partition) else { continue };
            if log.committed != offset {
                log.committed = offset;
                self.see(Seen::Committed(process, partition, offset));
            }
        }
    }
}

const fn ends_us(doing: Doing) -> Option<u64> {
    match doing {
        Doing::Polls => None,
        Doing::Handles { until_us } | Doing::BacksOff { until_us } | Doing::Recovers { until_us } => Some(until_us),
    }
}

fn set(offsets: &mut [(Partition, u64)], partition: Partition, offset: u64) {
    if let Some(entry) = offsets.iter_mut().find(|(known, _)| *known == partition) {
        entry.1 = offset;
    }
}
