//! A producer: it gathers records into batches, sends a few requests at a time, and sends again what failed.
//!
//! Source: `RecordAccumulator`, `Sender` and `TransactionManager` of Apache Kafka's Java client 4.0; KIP-91 for
//! `delivery.timeout.ms`, KIP-480 and KIP-1030 for defaults.

use std::collections::VecDeque;

use super::error::Error;
use super::idempotence::{Identity, LAST_SEQUENCE, Sequenced};
use super::partition::Acks;

/// How a producer behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `acks`.
    pub acks: Acks,
    /// `enable.idempotence`.
    pub idempotent: bool,
    /// It has a `transactional.id`: a gap fails its batch, so that the transaction is aborted.
    pub transactional: bool,
    /// `linger.ms`: how long a batch waits for more records.
    pub linger_us: u64,
    /// `batch.size`.
    pub batch_bytes: u64,
    /// `buffer.memory`.
    pub buffer_bytes: u64,
    /// `max.request.size`.
    pub record_bytes: u64,
    /// `max.block.ms`: how long a call waits for memory.
    pub max_block_us: u64,
    /// `delivery.timeout.ms`: after so long from its first record a batch has failed, whatever becomes of it.
    pub delivery_us: u64,
    /// `request.timeout.ms`: how long a request waits for its answer.
    pub request_us: u64,
    /// `retries`.
    pub retries: u32,
    /// `retry.backoff.ms`, doubled for each further attempt.
    pub backoff_us: u64,
    /// `retry.backoff.max.ms`.
    pub backoff_max_us: u64,
    /// `max.in.flight.requests.per.connection`; at most 5 for an idempotent producer.
    pub in_flight: u32,
}

impl Default for Options {
    /// What Kafka 4.0 ships.
    fn default() -> Self {
        Self {
            acks: Acks::All,
            idempotent: true,
            transactional: false,
            linger_us: 5_000,
            batch_bytes: 16_384,
            buffer_bytes: 33_554_432,
            record_bytes: 1_048_576,
            max_block_us: 60_000_000,
            delivery_us: 120_000_000,
            request_us: 30_000_000,
            retries: i32::MAX.cast_unsigned(),
            backoff_us: 100_000,
            backoff_max_us: 1_000_000,
            in_flight: 5,
        }
    }
}

/// A batch, numbered by its producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchId(pub u64);

/// Where a record went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Its batch.
    pub batch: BatchId,
    /// Its place in it.
    pub index: u32,
}

/// A batch to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The batch.
    pub batch: BatchId,
    /// Its partition.
    pub partition: u32,
    /// The broker that leads it. All that is sent to one broker at one moment is one request.
    pub broker: u32,
    /// How many records.
    pub records: u32,
    /// How large.
    pub bytes: u64,
    /// Which attempt it is, from 1.
    pub attempt: u32,
    /// What the broker recognises it by, from an idempotent producer.
    pub sequenced: Option<Sequenced>,
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The batch.
    pub batch: BatchId,
    /// When.
    pub at_us: u64,
    /// Acknowledged, or why the application was told that it failed. Failed by time, it may be stored all the same.
    pub result: Result<(), Error>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) id: BatchId,
    pub(super) records: u32,
    pub(super) bytes: u64,
    pub(super) created_us: u64,
    /// How often it was sent.
    pub(super) attempts: u32,
    pub(super) not_before_us: u64,
    pub(super) first_sequence: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flying {
    pub(super) batch: Batch,
    pub(super) partition: u32,
    pub(super) broker: u32,
    pub(super) request: u64,
    pub(super) epoch: u16,
    pub(super) sent_us: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) broker: u32,
    pub(super) next_sequence: u32,
    /// Oldest first; the last one takes records while it has room and was not sent.
    pub(super) queue: VecDeque<Batch>,
}

/// A producer of one topic.
#[derive(Clone, Debug)]
pub struct Producer {
    pub(super) options: Options,
    pub(super) now_us: u64,
    pub(super) identity: Identity,
    /// By partition.
    pub(super) lanes: Vec<Lane>,
    pub(super) flying: Vec<Flying>,
    pub(super) used_bytes: u64,
    /// A call waits for memory: everything that can be sent is, without lingering.
    pub(super) is_full: bool,
    pub(super) next_batch: u64,
    pub(super) next_request: u64,
    pub(super) completed: Vec<Completed>,
}

impl Producer {
    /// A producer of a topic whose partitions are led by these brokers.
    #[must_use]
    pub fn new(now_us: u64, options: Options, identity: Identity, leaders: &[u32]) -> Self {
        Self {
            options,
            now_us,
            identity,
            lanes: leaders.iter().map(|broker| Lane { broker: *broker, ..Lane::default() }).collect(),
            flying: Vec::new(),
            used_bytes: 0,
            is_full: false,
            next_batch: 0,
            next_request: 0,
            completed: Vec::new(),
        }
    }

    /// The application sends a record.
    ///
    /// # Errors
    /// [`Error::RecordTooLarge`]; [`Error::BufferExhausted`] when the memory is full: the application's call waits, to be
    /// made again when something has completed, and fails after [`Options::max_block_us`]. [`Error::NotLeader`] for a
    /// partition that does not exist.
    pub fn send(&mut self, now_us: u64, partition: u32, bytes: u64) -> Result<Queued, Error> {
        self.advance(now_us);
        if bytes > self.options.record_bytes.min(self.options.buffer_bytes) {
            return Err(Error::RecordTooLarge);
        }
        let lane = self.lanes.get_mut(partition as usize).ok_or(Error::NotLeader)?;
        let batch_bytes = self.options.batch_bytes;
        let open = lane.queue.back_mut().filter(|batch| {
            batch.attempts == 0 && batch.first_sequence.is_none() && batch.bytes.saturating_add(bytes) <= batch_bytes
        });
        if let Some(batch) = open {
            let index = batch.records;
            batch.records += 1;
            batch.bytes += bytes;
            return Ok(Queued { batch: batch.id, index });
        }
        // A batch takes its memory whole, so small records in many partitions fill it too.
        if self.used_bytes.saturating_add(bytes.max(batch_bytes)) > self.options.buffer_bytes {
            self.is_full = true;
            return Err(Error::BufferExhausted);
        }
        self.is_full = false;
        self.used_bytes += bytes.max(batch_bytes);
        let id = BatchId(self.next_batch);
        self.next_batch += 1;
        let (attempts, not_before_us, first_sequence) = (0, 0, None);
        lane.queue.push_back(Batch { id, records: 1, bytes, created_us: now_us, attempts, not_before_us, first_sequence });
        Ok(Queued { batch: id, index: 0 })
    }

    /// Another broker leads a partition.
    pub fn set_leader(&mut self, partition: u32, broker: u32) {
        if let Some(lane) = self.lanes.get_mut(partition as usize) {
            lane.broker = broker;
        }
    }

    /// What is to be sent now: one request for each broker that may have one more, with a batch for each partition. To be
    /// called whenever [`Producer::next_due_us`] has come, until it gives nothing.
    pub fn take_ready(&mut self, now_us: u64) -> Vec<Outgoing> {
        self.advance(now_us);
        let first_request = self.next_request;
        let mut outgoing = Vec::new();
        for partition in 0..u32::try_from(self.lanes.len()).unwrap_or(u32::MAX) {
            let broker = self.lanes[partition as usize].broker;
            let begun = self.flying.iter().find(|flying| flying.broker == broker && flying.request >= first_request);
            let begun = begun.map(|flying| flying.request);
            if begun.is_none() && !self.has_slot(broker) || self.ready_us(partition).is_none_or(|ready_us| ready_us > now_us) {
                continue;
            }
            let request = begun.unwrap_or(self.next_request);
            self.next_request = self.next_request.max(request + 1);
            outgoing.extend(self.depart(now_us, partition, request));
        }
        if self.options.acks == Acks::None {
            for sent in &outgoing {
                self.answered(now_us, sent, Ok(()));
            }
        }
        outgoing
    }

    /// The broker's answer to an attempt. One that comes after its time is ignored: its connection was closed.
    pub fn answered(&mut self, now_us: u64, sent: &Outgoing, result: Result<(), Error>) {
        self.now_us = self.now_us.max(now_us);
        let is_it = |flying: &Flying| flying.batch.id == sent.batch && flying.batch.attempts == sent.attempt;
        let Some(place) = self.flying.iter().position(is_it) else { return };
        let flying = self.flying.remove(place);
        match result {
            Ok(()) => self.complete(now_us, &flying.batch, Ok(())),
            Err(error) => self.failed(now_us, flying, error),
        }
    }

    /// What became of batches since the last time someone asked, in order.
    pub fn take_completed(&mut self) -> Vec<Completed> {
        std::mem::take(&mut self.completed)
    }

    /// The producer id and epoch it goes by.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Memory in use.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes
    }

    /// Batches sent and not answered.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        u32::try_from(self.flying.len()).unwrap_or(u32::MAX)
    }

    /// When there is something to send, or a time is over.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let (request_us, delivery_us) = (self.options.request_us, self.options.delivery_us);
        let partitions = 0..u32::try_from(self.lanes.len()).unwrap_or(u32::MAX);
        let ready = partitions.filter(|partition| self.has_slot(self.lanes[*partition as usize].broker));
        let ready = ready.filter_map(|partition| self.ready_us(partition));
        let queued = self.lanes.iter().flat_map(|lane| lane.queue.front());
        let expiring = queued.map(|batch| batch.created_us.saturating_add(delivery_us));
        let answers = self
            .flying
            .iter()
            .map(|flying| flying.sent_us.saturating_add(request_us).min(flying.batch.created_us.saturating_add(delivery_us)));
        ready.chain(expiring).chain(answers).min().map(|due_us| due_us.max(self.now_us))
    }

    /// Fails what is over its time, up to now; a request without an answer is sent again.
    pub fn advance(&mut self, now_us: u64) {
        self.now_us = self.now_us.max(now_us);
        let delivery_us = self.options.delivery_us;
        let over = |batch: &Batch| batch.created_us.saturating_add(delivery_us) <= now_us;
        for place in 0..self.lanes.len() {
            while let Some(batch) = self.lanes[place].queue.pop_front_if(|batch| over(batch)) {
                self.complete(now_us, &batch, Err(Error::TimedOut));
            }
        }
        let mut place = 0;
        while place < self.flying.len() {
            if over(&self.flying[place].batch) {
                let flying = self.flying.remove(place);
                self.complete(now_us, &flying.batch, Err(Error::TimedOut));
            } else {
                place += 1;
            }
        }
        // A request without an answer closes its connection, and with it whatever else is on its way there.
        let request_us = self.options.request_us;
        let silent = |flying: &&Flying| flying.sent_us.saturating_add(request_us) <= now_us;
        while let Some(broker) = self.flying.iter().find(silent).map(|flying| flying.broker) {
            while let Some(place) = self.flying.iter().position(|flying| flying.broker == broker) {
                let flying = self.flying.remove(place);
                self.failed(now_us, flying, Error::TimedOut);
            }
        }
    }

    /// When a partition's next batch may be sent.
    fn ready_us(&self, partition: u32) -> Option<u64> {
        let lane = &self.lanes[partition as usize];
        let batch = lane.queue.front()?;
        let mut sent = self.flying.iter().filter(|flying| flying.partition == partition);
        let waits = if self.in_flight_most() == 1 {
            sent.next().is_some()
        } else {
            // A repeat waits until everything before it is settled; a new epoch, until nothing of the old one is out.
            let repeats = self.options.idempotent && batch.attempts > 0;
            sent.any(|flying| flying.epoch != self.identity.epoch || repeats && flying.batch.id < batch.id)
        };
        if waits {
            return None;
        }
        let full = batch.bytes >= self.options.batch_bytes || lane.queue.len() > 1 || self.is_full || batch.attempts > 0;
        let lingered_us = if full { 0 } else { batch.created_us.saturating_add(self.options.linger_us) };
        Some(lingered_us.max(batch.not_before_us))
    }

    fn in_flight_most(&self) -> u32 {
        let most = self.options.in_flight.max(1);
        if self.options.idempotent { most.min(5) } else { most }
    }

    fn has_slot(&self, broker: u32) -> bool {
        let mut requests: Vec<u64> = Vec::new();
        for flying in self.flying.iter().filter(|flying| flying.broker == broker) {
            if !requests.contains(&flying.request) {
                requests.push(flying.request);
            }
        }
        requests.len() < self.in_flight_most() as usize
    }

    /// Sends a partition's first batch.
    fn depart(&mut self, now_us: u64, partition: u32, request: u64) -> Option<Outgoing> {
        let lane = &mut self.lanes[partition as usize];
        let mut batch = lane.queue.pop_front()?;
        if self.options.idempotent && batch.first_sequence.is_none() {
            batch.first_sequence = Some(lane.next_sequence);
            lane.next_sequence = lane.next_sequence.wrapping_add(batch.records) & LAST_SEQUENCE;
        }
        batch.attempts = batch.attempts.saturating_add(1);
        let broker = lane.broker;
        let (id, records, bytes, attempt) = (batch.id, batch.records, batch.bytes, batch.attempts);
        let sequenced = batch.first_sequence.map(|first| Sequenced { from: self.identity, first, records });
        self.flying.push(Flying { batch, partition, broker, request, epoch: self.identity.epoch, sent_us: now_us });
        Some(Outgoing { batch: id, partition, broker, records, bytes, attempt, sequenced })
    }

    pub(super) fn complete(&mut self, now_us: u64, batch: &Batch, result: Result<(), Error>) {
        self.used_bytes = self.used_bytes.saturating_sub(batch.bytes.max(self.options.batch_bytes));
        self.completed.push(Completed { batch: batch.id, at_us: now_us, result });
    }
}
