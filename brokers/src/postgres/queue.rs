//! A table as a queue, for many rows.
//!
//! The same rules as [`super::Database`] has for the statements of a queue, without versions of rows: `tests/postgres_queue.rs`
//! plays both side by side. Which statements those are is [`Options`].

use super::options::{Options, Recovery, Style};
use crate::server::{
    Consumer, CopyId, Counts, Delivery, Happening, Held, Publish, Published, QueueServer, Refusal, Settle, Tag, Tuning, What, Why,
};
use crate::sorted::{SortedMap, SortedSet};

/// A tag is the row's id and, in its last bits, which delivery of it.
const DELIVERY_BITS: u32 = 16;

/// No lease ends later, so that one can always be said to be over.
const LAST_US: u64 = 1 << 62;

/// Where a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Can be claimed. `lapsed` is a lease that is over and not yet taken over: its holder may still finish.
    Ready { lapsed: Option<Consumer> },
    /// Before its `run_at`.
    Delayed { until_us: u64 },
    /// Locked in this transaction.
    Locked { xact: u64 },
    /// Running under a lease until then.
    Leased { by: Consumer, since_us: u64, until_us: u64 },
    /// Deleted, in a worker's memory only.
    Popped { by: Consumer, since_us: u64 },
}

/// A row.
#[derive(Clone, Copy, Debug)]
struct Job {
    copy: CopyId,
    body: u64,
    /// 0 goes first.
    rank: u8,
    dedup: Option<u64>,
    /// The column.
    attempts: u32,
    /// What really happened, for the books.
    deliveries: u32,
    place: Place,
}

/// A transaction that is open.
#[derive(Clone, Debug)]
struct Xact {
    consumer: Consumer,
    since_us: u64,
    /// When its last statement was.
    spoke_us: u64,
    /// Its rows, each with what was said of it.
    rows: Vec<(u64, Option<Settle>)>,
}

/// A table as a queue.
#[derive(Clone, Debug)]
pub struct TableQueue {
    options: Options,
    now_us: u64,
    next_id: u64,
    next_copy: u64,
    next_xact: u64,
    jobs: SortedMap<u64, Job>,
    /// By rank and id.
    ready: SortedSet<(u8, u64)>,
    /// By moment and id.
    delayed: SortedSet<(u64, u64)>,
    /// By end and id.
    leases: SortedSet<(u64, u64)>,
    xacts: SortedMap<u64, Xact>,
    unique: SortedMap<u64, u64>,
    happenings: Vec<Happening>,
}

impl TableQueue {
    /// An empty table.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            now_us: 0,
            next_id: 1,
            next_copy: 1,
            next_xact: 1,
            jobs: SortedMap::default(),
            ready: SortedSet::default(),
            delayed: SortedSet::default(),
            leases: SortedSet::default(),
            xacts: SortedMap::default(),
            unique: SortedMap::default(),
            happenings: Vec::new(),
        }
    }

    fn tell(&mut self, job: &Job, what: What) {
        self.happenings.push(Happening { at_us: self.now_us, copy: job.copy, body: job.body, what });
    }

    /// Takes a row out of every index but its own place in the table.
    fn lift(&mut self, id: u64, job: &Job) {
        match job.place {
            Place::Ready { .. } => drop(self.ready.remove((job.rank, id))),
            Place::Delayed { until_us } => drop(self.delayed.remove((until_us, id))),
            Place::Leased { until_us, .. } => drop(self.leases.remove((until_us, id))),
            Place::Locked { .. } | Place::Popped { .. } => {}
        }
    }

    fn put(&mut self, id: u64, mut job: Job, place: Place) {
        self.lift(id, &job);
        job.place = place;
        match place {
            Place::Ready { .. } => drop(self.ready.insert((job.rank, id))),
            Place::Delayed { until_us } => drop(self.delayed.insert((until_us, id))),
            Place::Leased { until_us, .. } => drop(self.leases.insert((until_us, id))),
            Place::Locked { .. } | Place::Popped { .. } => {}
        }
        self.jobs.insert(id, job);
    }

    fn remove(&mut self, id: u64, what: What) {
        let Some(job) = self.jobs.remove(id) else { return };
        self.lift(id, &job);
        if let Some(dedup) = job.dedup {
            self.unique.remove(dedup);
        }
        self.tell(&job, what);
    }

    /// A held row can be claimed again.
    fn free(&mut self, id: u64, lapsed: Option<Consumer>, why: Why) {
        let Some(job) = self.jobs.get(id).copied() else { return };
        self.put(id, job, Place::Ready { lapsed });
        self.tell(&job, What::Returned(why));
    }

    /// A worker gave a held row back, or its lease is over: ready, or failed.
    fn try_again(&mut self, id: u64, lapsed: Option<Consumer>, why: Why) {
        let most = self.options.max_attempts;
        match self.jobs.get(id) {
            Some(job) if most > 0 && job.attempts >= most => self.remove(id, What::DeadLetteredHeld(Why::Limit)),
            _ => self.free(id, lapsed, why),
        }
    }

    /// What a worker says of a row that is its own to decide about.
    fn decide(&mut self, id: u64, how: Settle) {
        match how {
            Settle::Ack => self.remove(id, What::Acked),
            Settle::Reject => self.remove(id, What::DeadLetteredHeld(Why::Rejected)),
            Settle::Requeue | Settle::Extend { .. } => {
                if !matches!(self.options.style, Style::Lease { .. })
                    && let Some(job) = self.jobs.get_mut(id)
                {
                    job.attempts = job.attempts.saturating_add(1);
                }
                self.try_again(id, None, Why::Requeued);
            }
        }
    }

    /// A transaction is rolled back: its rows are as they were.
    fn roll_back(&mut self, xact: u64, why: Why) {
        let Some(open) = self.xacts.remove(xact) else { return };
        for (id, _) in open.rows {
            self.free(id, None, why);
        }
    }

    fn settle_locked(&mut self, xact: u64, id: u64, how: Settle) {
        let now_us = self.now_us;
        let Some(open) = self.xacts.get_mut(xact) else { return };
        open.spoke_us = now_us;
        if matches!(how, Settle::Extend { .. }) {
            return;
        }
        for row in open.rows.iter_mut().filter(|row| row.0 == id) {
            row.1 = Some(how);
        }
        if open.rows.iter().all(|(_, said)| said.is_some()) {
            let rows = std::mem::take(&mut open.rows);
            self.xacts.remove(xact);
            for (id, how) in rows {
                self.decide(id, how.unwrap_or(Settle::Requeue));
            }
        }
    }

    fn settle_leased(&mut self, by: Consumer, id: u64, own: bool, guarded: bool, how: Settle) -> Result<(), Refusal> {
        let Some(job) = self.jobs.get(id).copied() else { return Err(Refusal::Stale) };
        let holder = match job.place {
            Place::Leased { by, .. } => Some(by),
            Place::Ready { lapsed } => lapsed,
            Place::Delayed { .. } | Place::Locked { .. } | Place::Popped { .. } => None,
        };
        if guarded && !(own && holder == Some(by)) {
            return Err(Refusal::Stale);
        }
        let waits = matches!(job.place, Place::Ready { .. });
        match how {
            Settle::Ack => self.remove(id, if waits { What::AckedLate } else { What::Acked }),
            Settle::Reject if waits => self.remove(id, What::DeadLettered(Why::Rejected)),
            Settle::Requeue if waits => self.put(id, job, Place::Ready { lapsed: None }),
            Settle::Reject | Settle::Requeue => self.decide(id, how),
            Settle::Extend { for_us } => {
                let by = holder.unwrap_or(by);
                let since_us = match job.place {
                    Place::Leased { since_us, .. } => since_us,
                    _ => self.now_us,
                };
                let until_us = self.now_us.saturating_add(for_us).min(LAST_US);
                self.put(id, job, Place::Leased { by, since_us, until_us });
                if waits {
                    self.tell(&job, What::Delivered(by));
                }
            }
        }
        Ok(())
    }

    fn settle_popped(&mut self, id: u64, how: Settle) {
        let Some(job) = self.jobs.get(id).copied() else { return };
        match how {
            Settle::Extend { .. } => {}
            Settle::Requeue => {
                // Its row is gone: it comes back as a new one, behind the others.
                self.jobs.remove(id);
                let id = self.next_id;
                self.next_id += 1;
                self.jobs.insert(id, job);
                self.decide(id, how);
            }
            Settle::Ack | Settle::Reject => self.decide(id, how),
        }
    }

    /// The place in which a claim at this moment puts a row.
    fn claimed(&mut self, consumer: Consumer) -> Place {
        let now_us = self.now_us;
        match self.options.style {
            Style::Lease { lease_us, .. } => {
                Place::Leased { by: consumer, since_us: now_us, until_us: now_us.saturating_add(lease_us).min(LAST_US) }
            }
            Style::Pop => Place::Popped { by: consumer, since_us: now_us },
            Style::Transaction { together, .. } => {
                let own = self.xacts.iter().find(|(_, open)| together && open.consumer == consumer).map(|(xact, _)| xact);
                let xact = own.unwrap_or_else(|| {
                    self.next_xact += 1;
                    self.xacts.insert(self.next_xact, Xact { consumer, since_us: now_us, spoke_us: now_us, rows: Vec::new() });
                    self.next_xact
                });
                Place::Locked { xact }
            }
        }
    }

    /// Whether a claim of so many rows would have to wait for another consumer's transaction.
    fn would_wait(&self, consumer: Consumer, most: usize) -> bool {
        if !matches!(self.options.style, Style::Transaction { skip_locked: false, .. }) {
            return false;
        }
        let others = self.xacts.values().filter(|open| open.consumer != consumer).flat_map(|open| &open.rows);
        let ranked = others.filter_map(|(id, _)| self.jobs.get(*id).map(|job| (job.rank, *id)));
        ranked.min().is_some_and(|first| self.ready.range(..first).count() < most)
    }

    /// When a lease that ends then is looked at.
    fn lease_due_us(&self, until_us: u64) -> Option<u64> {
        match self.options.style {
            Style::Lease { recovery: Recovery::Reaper { every_us }, .. } => {
                let every_us = every_us.max(1);
                Some((until_us / every_us).saturating_add(1).saturating_mul(every_us))
            }
            // `locked_until < now()`.
            Style::Lease { recovery: Recovery::Claims, .. } => Some(until_us.saturating_add(1)),
            _ => None,
        }
    }

    fn idle_due(&self) -> Option<(u64, u64)> {
        match self.options.style {
            Style::Transaction { idle_limit_us, .. } if idle_limit_us > 0 => {
                self.xacts.iter().map(|(xact, open)| (open.spoke_us.saturating_add(idle_limit_us), xact)).min()
            }
            _ => None,
        }
    }
}

impl QueueServer for TableQueue {
    fn publish(&mut self, now_us: u64, letter: Publish) -> Published {
        self.advance(now_us);
        let dedup = letter.dedup.filter(|_| self.options.unique);
        if dedup.is_some_and(|dedup| self.unique.contains_key(dedup)) {
            return Published::Duplicate;
        }
        let (id, copy) = (self.next_id, CopyId(self.next_copy));
        self.next_id += 1;
        self.next_copy += 1;
        let rank = if self.options.by_priority { u8::MAX - letter.priority } else { 0 };
        let place = match letter.delay_us {
            0 => Place::Ready { lapsed: None },
            delay_us => Place::Delayed { until_us: self.now_us.saturating_add(delay_us) },
        };
        let job = Job { copy, body: letter.body, rank, dedup, attempts: 0, deliveries: 0, place };
        self.put(id, job, place);
        if let Some(dedup) = dedup {
            self.unique.insert(dedup, id);
        }
        self.tell(&job, if letter.delay_us == 0 { What::Stored } else { What::Delayed(letter.delay_us) });
        Published::Stored(copy)
    }

    fn receive(&mut self, now_us: u64, consumer: Consumer, most: u32) -> Vec<Delivery> {
        self.advance(now_us);
        let most = if self.options.batch == 0 { most } else { most.min(self.options.batch) } as usize;
        if self.would_wait(consumer, most) {
            return Vec::new();
        }
        let ids: Vec<u64> = self.ready.iter().take(most).map(|(_, id)| id).collect();
        let mut given = Vec::with_capacity(ids.len());
        for id in ids {
            let place = self.claimed(consumer);
            let Some(mut job) = self.jobs.get(id).copied() else { continue };
            job.deliveries = job.deliveries.saturating_add(1);
            let redelivered = job.attempts > 0;
            if let Place::Leased { .. } = place {
                job.attempts = job.attempts.saturating_add(1);
            }
            self.put(id, job, place);
            if let Place::Locked { xact } = place
                && let Some(open) = self.xacts.get_mut(xact)
            {
                open.spoke_us = self.now_us;
                open.rows.push((id, None));
            }
            self.tell(&job, What::Delivered(consumer));
            let delivery = u64::from(job.deliveries) & ((1 << DELIVERY_BITS) - 1);
            let tag = Tag(id << DELIVERY_BITS | delivery);
            given.push(Delivery { copy: job.copy, body: job.body, tag, count: job.deliveries, redelivered });
        }
        given
    }

    fn settle(&mut self, now_us: u64, consumer: Consumer, tag: Tag, how: Settle) -> Result<(), Refusal> {
        self.advance(now_us);
        let id = tag.0 >> DELIVERY_BITS;
        if id == 0 || id >= self.next_id {
            return Err(Refusal::Unknown);
        }
        let delivery = tag.0 & ((1 << DELIVERY_BITS) - 1);
        let job = self.jobs.get(id);
        let own = job.is_some_and(|job| u64::from(job.deliveries) & ((1 << DELIVERY_BITS) - 1) == delivery);
        let place = job.map(|job| job.place);
        match self.options.style {
            Style::Lease { guarded, .. } => self.settle_leased(consumer, id, own, guarded, how),
            Style::Transaction { .. } => match place {
                Some(Place::Locked { xact }) if own && self.xacts.get(xact).is_some_and(|open| open.consumer == consumer) => {
                    self.settle_locked(xact, id, how);
                    Ok(())
                }
                _ => Err(Refusal::Stale),
            },
            Style::Pop => match place {
                Some(Place::Popped { by, .. }) if own && by == consumer => {
                    self.settle_popped(id, how);
                    Ok(())
                }
                _ => Err(Refusal::Stale),
            },
        }
    }

    fn close(&mut self, now_us: u64, consumer: Consumer) {
        self.advance(now_us);
        match self.options.style {
            // The rows do not know of the connection.
            Style::Lease { .. } => {}
            Style::Transaction { .. } => {
                let gone = self.xacts.iter().filter(|(_, open)| open.consumer == consumer);
                for xact in gone.map(|(xact, _)| xact).collect::<Vec<_>>() {
                    self.roll_back(xact, Why::Closed);
                }
            }
            Style::Pop => {
                let lost = |job: &Job| matches!(job.place, Place::Popped { by, .. } if by == consumer);
                let ids: Vec<u64> = self.jobs.iter().filter(|(_, job)| lost(job)).map(|(id, _)| id).collect();
                for id in ids {
                    self.remove(id, What::DroppedHeld(Why::Closed));
                }
            }
        }
    }

    fn next_due_us(&self) -> Option<u64> {
        let delayed = self.delayed.first().map(|(due_us, _)| due_us);
        let lease = self.leases.first().and_then(|(until_us, _)| self.lease_due_us(until_us));
        [delayed, lease, self.idle_due().map(|(due_us, _)| due_us)].into_iter().flatten().min()
    }

    fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            self.now_us = self.now_us.max(due_us);
            if let Some((until_us, id)) = self.delayed.first().filter(|(until_us, _)| *until_us <= due_us) {
                debug_assert!(until_us <= self.now_us);
                let Some(job) = self.jobs.get(id).copied() else { break };
                self.put(id, job, Place::Ready { lapsed: None });
                self.tell(&job, What::Ripened);
            } else if let Some((_, xact)) = self.idle_due().filter(|(idle_us, _)| *idle_us <= due_us) {
                self.roll_back(xact, Why::ConsumerTimeout);
            } else {
                let over = self.leases.iter().take_while(|(until_us, _)| *until_us < due_us);
                let mut ids: Vec<u64> = over.map(|(_, id)| id).collect();
                crate::order::sort(&mut ids);
                for id in ids {
                    let lapsed = match (self.options.style, self.jobs.get(id).map(|job| job.place)) {
                        (Style::Lease { recovery: Recovery::Claims, .. }, Some(Place::Leased { by, .. })) => Some(by),
                        _ => None,
                    };
                    self.try_again(id, lapsed, Why::Timeout);
                }
            }
        }
        self.now_us = self.now_us.max(now_us);
    }

    fn take_happenings(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.happenings)
    }

    fn waiting(&self, most: usize) -> Vec<(CopyId, u64)> {
        let ready = self.ready.iter().filter_map(|(_, id)| self.jobs.get(id));
        ready.take(most).map(|job| (job.copy, job.body)).collect()
    }

    fn counts(&self) -> Counts {
        let (ready, delayed) = (self.ready.len() as u64, self.delayed.len() as u64);
        Counts { ready, held: self.jobs.len() as u64 - ready - delayed, delayed }
    }

    fn held(&self, most: usize) -> Vec<Held> {
        let idle_limit_us = match self.options.style {
            Style::Transaction { idle_limit_us, .. } if idle_limit_us > 0 => Some(idle_limit_us),
            _ => None,
        };
        let mut found: Vec<Held> = Vec::new();
        for job in self.jobs.values() {
            let (consumer, since_us, until_us) = match job.place {
                Place::Ready { .. } => continue,
                Place::Delayed { until_us } => (None, self.now_us.min(until_us), Some(until_us)),
                Place::Leased { by, since_us, until_us } => (Some(by), since_us, self.lease_due_us(until_us)),
                Place::Popped { by, since_us } => (Some(by), since_us, None),
                Place::Locked { xact } => match self.xacts.get(xact) {
                    Some(open) => {
                        (Some(open.consumer), open.since_us, idle_limit_us.map(|limit_us| open.spoke_us.saturating_add(limit_us)))
                    }
                    None => continue,
                },
            };
            found.push(Held { copy: job.copy, body: job.body, consumer, since_us, until_us });
        }
        crate::order::sort_by_key(&mut found, |held| (held.until_us.unwrap_or(u64::MAX), held.copy));
        found.truncate(most);
        found
    }

    fn tune(&mut self, now_us: u64, tuning: &Tuning) {
        self.advance(now_us);
        self.options.max_attempts = u32::try_from(tuning.max_receives).unwrap_or(u32::MAX);
        match &mut self.options.style {
            Style::Lease { lease_us, .. } => *lease_us = tuning.visibility_us,
            Style::Transaction { idle_limit_us, .. } => *idle_limit_us = tuning.consumer_timeout_us,
            Style::Pop => {}
        }
    }

    fn boxed(&self) -> Box<dyn QueueServer> {
        Box::new(self.clone())
    }
}
