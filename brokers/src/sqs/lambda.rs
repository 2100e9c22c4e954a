//! A Lambda event source mapping on a queue: pollers receive, gather batches and run a function over each.
//!
//! A batch that comes while all of the function's places are taken waits in the mapping, and its visibility timeout runs.
//! When that has passed before the function had its turn, the mapping lets the batch go: the messages are in the queue again,
//! received once more and never seen by the function. Hence the advice to hide messages for six function timeouts and the
//! batching window. Not there: more batches at a time as the queue grows, fewer as the function fails, the 6 MB of one call,
//! filters. Sources: "Using Lambda with Amazon SQS", "Creating and configuring an Amazon SQS event source mapping",
//! "Configuring scaling behavior for SQS event source mappings" and "Handling errors for an SQS event source in Lambda" in
//! the AWS Lambda developer guide.

use std::collections::VecDeque;

use super::account::{Account, Handle, Polled, QueueId};
use super::message::{Receive, Received};
use super::options::{LARGEST_BATCH, Options, SECOND_US};
use crate::server::{Consumer, CopyId};

/// The longest batching window: 5 minutes.
const LONGEST_WINDOW_US: u64 = 300 * SECOND_US;
/// How long a function may run at most: 15 minutes.
const LONGEST_RUN_US: u64 = 900 * SECOND_US;

/// What a mapping is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappingOptions {
    /// `BatchSize`: 1…10,000, above 10 only with a window of a second; 1…10 on a FIFO queue. 10 as shipped.
    pub batch_size: u32,
    /// `MaximumBatchingWindowInSeconds`: 0…5 min; none on a FIFO queue.
    pub window_us: u64,
    /// The function's timeout: 1 s…15 min; 3 s as shipped.
    pub timeout_us: u64,
    /// `ReportBatchItemFailures`: the function says which messages failed.
    pub report_failures: bool,
    /// How many of the function may run at a time: its reserved concurrency.
    pub concurrency: u32,
    /// How many batches the mapping has out at a time, waiting or running: 5 to begin with. With `MaximumConcurrency`
    /// no more than the function has places for.
    pub batches: u32,
}

impl MappingOptions {
    /// As shipped, for a function with a place for every batch.
    #[must_use]
    pub const fn shipped() -> Self {
        Self { batch_size: 10, window_us: 0, timeout_us: 3 * SECOND_US, report_failures: false, concurrency: 5, batches: 5 }
    }

    /// The shortest visibility timeout that is advised: six function timeouts and the batching window, in microseconds.
    #[must_use]
    pub const fn advised_visibility_us(&self) -> u64 {
        self.timeout_us.saturating_mul(6).saturating_add(self.window_us)
    }

    /// Checks the mapping against a queue.
    ///
    /// # Errors
    /// What the service refuses when the mapping is made.
    pub fn check(&self, queue: &Options) -> Result<(), MappingFault> {
        let fifo = queue.fifo.is_some();
        let largest = if fifo || self.window_us < SECOND_US { LARGEST_BATCH } else { 10_000 };
        if !(1..=largest).contains(&self.batch_size) {
            return Err(MappingFault::BatchSize);
        }
        if self.window_us > LONGEST_WINDOW_US || (fifo && self.window_us > 0) {
            return Err(MappingFault::Window);
        }
        if !(SECOND_US..=LONGEST_RUN_US).contains(&self.timeout_us) || self.concurrency == 0 || self.batches == 0 {
            return Err(MappingFault::Function);
        }
        if self.timeout_us > queue.visibility_us { Err(MappingFault::VisibilityBelowTimeout) } else { Ok(()) }
    }
}

/// Why a mapping cannot be made; all are `InvalidParameterValueException`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingFault {
    /// The batch size is out of range for this queue and window.
    BatchSize,
    /// The window is too long, or the queue is FIFO.
    Window,
    /// The function has no time or no place.
    Function,
    /// The queue's visibility timeout is less than the function's timeout.
    VisibilityBelowTimeout,
}

/// One run of the function over a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its number.
    pub id: u64,
    /// When it began.
    pub began_us: u64,
    /// The batch, in the order of receipt.
    pub batch: Vec<Received>,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every message is done.
    Done,
    /// The function failed: nothing is done.
    Failed,
    /// `batchItemFailures`: these failed, the others are done. Without `ReportBatchItemFailures` nobody reads it and all is
    /// done; a message that was not in the batch fails the whole batch.
    Failures(Vec<CopyId>),
}

#[derive(Clone, Debug)]
struct Gathered {
    since_us: u64,
    /// Each message with the moment at which its visibility timeout passes, in order.
    batch: Vec<(u64, Received)>,
}

/// The mapping of one queue to one function.
#[derive(Clone, Debug)]
pub struct Mapping {
    options: MappingOptions,
    queue: QueueId,
    consumer: Consumer,
    gathering: Option<Gathered>,
    waiting: VecDeque<Gathered>,
    running: Vec<Run>,
    started: Vec<Run>,
    runs: u64,
    let_go: u64,
}

impl Mapping {
    /// A mapping; `consumer` is who it is in the happenings of the queue.
    ///
    /// # Errors
    /// What the service refuses, or [`MappingFault::Function`] for a queue that is not there.
    pub fn new(account: &mut Account, queue: QueueId, consumer: Consumer, options: MappingOptions) -> Result<Self, MappingFault> {
        options.check(account.queue(queue).map_err(|_| MappingFault::Function)?.options())?;
        Ok(Self {
            options,
            queue,
            consumer,
            gathering: None,
            waiting: VecDeque::new(),
            running: Vec::new(),
            started: Vec::new(),
            runs: 0,
            let_go: 0,
        })
    }

    /// Runs that began since the last time someone asked. Whoever asks decides what comes of them and calls
    /// [`Mapping::finish`], or leaves them to the function's timeout.
    pub fn take_started(&mut self) -> Vec<Run> {
        std::mem::take(&mut self.started)
    }

    /// How many messages the mapping has let go because their visibility timeout passed before the function had its turn.
    #[must_use]
    pub fn let_go(&self) -> u64 {
        self.let_go
    }

    /// When something happens next without a call, in the mapping or in its queues.
    #[must_use]
    pub fn next_due_us(&self, account: &Account) -> Option<u64> {
        let window = self.gathering.iter().map(|gathered| gathered.since_us.saturating_add(self.options.window_us));
        let stale = self.waiting.iter().filter_map(|gathered| Some(gathered.batch.first()?.0));
        let timeouts = self.running.iter().map(|run| run.began_us.saturating_add(self.options.timeout_us));
        window.chain(stale).chain(timeouts).chain(account.next_due_us()).min()
    }

    /// Lets everything happen that is due up to now, in the mapping and in its queues, in order.
    pub fn advance(&mut self, now_us: u64, account: &mut Account) {
        while let Some(due_us) = self.next_due_us(account).filter(|due_us| *due_us <= now_us) {
            self.moment(due_us, account);
        }
        self.moment(now_us, account);
    }

    /// A run ends. One that its timeout has ended before changes nothing any more.
    pub fn finish(&mut self, now_us: u64, account: &mut Account, run: u64, outcome: &Outcome) {
        self.advance(now_us, account);
        let Some(place) = self.running.iter().position(|running| running.id == run) else { return };
        let batch = self.running.remove(place).batch;
        let failed: &[CopyId] = match outcome {
            Outcome::Done => &[],
            Outcome::Failures(_) if !self.options.report_failures => &[],
            Outcome::Failures(failed) if failed.iter().all(|copy| batch.iter().any(|received| received.copy == *copy)) => failed,
            Outcome::Failed | Outcome::Failures(_) => {
                self.moment(now_us, account);
                return;
            }
        };
        let done: Vec<&Received> = batch.iter().filter(|received| !failed.contains(&received.copy)).collect();
        for chunk in done.chunks(LARGEST_BATCH as usize) {
            let handle = |received: &&Received| Handle { queue: self.queue, tag: received.tag };
            let entries: Vec<(u64, Handle)> = (0..).zip(chunk.iter().map(handle)).collect();
            // What cannot be deleted any more comes again: at least once is all that is promised.
            let _ = account.delete_batch(now_us, self.queue, &entries);
        }
        self.moment(now_us, account);
    }

    fn moment(&mut self, now_us: u64, account: &mut Account) {
        account.advance(now_us);
        let timeout_us = self.options.timeout_us;
        self.running.retain(|run| now_us < run.began_us.saturating_add(timeout_us));
        loop {
            self.drop_stale(now_us);
            self.start(now_us);
            if !self.poll(now_us, account) {
                break;
            }
        }
    }

    fn drop_stale(&mut self, now_us: u64) {
        let let_go = &mut self.let_go;
        self.waiting.retain_mut(|gathered| {
            let before = gathered.batch.len();
            gathered.batch.retain(|(stale_us, _)| *stale_us > now_us);
            *let_go += (before - gathered.batch.len()) as u64;
            !gathered.batch.is_empty()
        });
    }

    fn start(&mut self, now_us: u64) {
        while self.running.len() < self.options.concurrency as usize {
            let Some(gathered) = self.waiting.pop_front() else { break };
            self.runs += 1;
            let batch = gathered.batch.into_iter().map(|(_, received)| received).collect();
            let run = Run { id: self.runs, began_us: now_us, batch };
            self.started.push(run.clone());
            self.running.push(run);
        }
    }

    /// One receive, where a poller is free. Whether anything changed.
    fn poll(&mut self, now_us: u64, account: &mut Account) -> bool {
        if self.waiting.len() + self.running.len() >= self.options.batches as usize {
            return false;
        }
        let gathered = self.gathering.take();
        let have = gathered.as_ref().map_or(0, |gathered| gathered.batch.len() as u32);
        let most = LARGEST_BATCH.min(self.options.batch_size - have);
        let received = match account.receive(now_us, self.queue, Receive::new(self.consumer, most), Some(0)) {
            Ok(Polled::Answer(received)) => received,
            Ok(Polled::Waits(_)) | Err(_) => Vec::new(),
        };
        let visibility_us = account.queue(self.queue).map_or(0, |queue| queue.options().visibility_us);
        let came = !received.is_empty();
        let mut gathered = match gathered {
            Some(gathered) => gathered,
            None if came => Gathered { since_us: now_us, batch: Vec::new() },
            None => return false,
        };
        gathered.batch.extend(received.into_iter().map(|received| (now_us.saturating_add(visibility_us), received)));
        let full = gathered.batch.len() as u32 >= self.options.batch_size;
        // Without a window a batch is what one receive gave.
        let over = now_us >= gathered.since_us.saturating_add(self.options.window_us);
        if full || over {
            self.waiting.push_back(gathered);
            return true;
        }
        self.gathering = Some(gathered);
        came
    }
}
