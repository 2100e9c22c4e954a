//! The transaction coordinator: one instance for each `transactional.id`, markers in every partition it wrote to, and an
//! end for those that nobody ends.
//!
//! Source: KIP-98, KIP-890; `TransactionCoordinator`, `TransactionMetadata` and `TransactionStateManager` of Apache Kafka 4.0.

use super::error::Error;
use super::idempotence::Identity;

/// How the coordinator behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `transaction.max.timeout.ms`.
    pub max_timeout_us: u64,
    /// `transaction.abort.timed.out.transaction.cleanup.interval.ms`.
    pub check_us: u64,
    /// `transaction.version` 2, the default of new 4.0 clusters: every transaction has an epoch of its own (KIP-890).
    pub epoch_each: bool,
}

impl Default for Options {
    /// What Kafka 4.0 ships.
    fn default() -> Self {
        Self { max_timeout_us: 900_000_000, check_us: 10_000_000, epoch_each: true }
    }
}

/// Where a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// None yet, or the last one is over.
    Idle,
    /// Partitions or offsets were added.
    Ongoing {
        /// Since when.
        since_us: u64,
    },
    /// Decided; markers are being written.
    Ending {
        /// Whether it commits.
        commit: bool,
    },
}

/// An offset that a group commits with the transaction: `sendOffsetsToTransaction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupOffset {
    /// The group.
    pub group: u64,
    /// The partition.
    pub partition: u64,
    /// The offset it goes on at.
    pub offset: u64,
}

/// What the coordinator wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Write a marker into this partition, then say [`Coordinator::marked`].
    Mark {
        /// Where.
        partition: u64,
        /// Whose transaction, with the epoch that the marker carries.
        from: Identity,
        /// Whether it commits.
        commit: bool,
    },
    /// A group's offset is committed.
    Commit(GroupOffset),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    transactional_id: u64,
    current: Identity,
    timeout_us: u64,
    state: State,
    partitions: Vec<u64>,
    offsets: Vec<GroupOffset>,
}

/// The coordinator of all transactional ids.
#[derive(Clone, Debug)]
pub struct Coordinator {
    options: Options,
    started_us: u64,
    now_us: u64,
    next_producer: u64,
    /// By transactional id.
    entries: Vec<Entry>,
    orders: Vec<Order>,
}

impl Coordinator {
    /// A coordinator that knows nobody.
    #[must_use]
    pub fn new(now_us: u64, options: Options) -> Self {
        Self { options, started_us: now_us, now_us, next_producer: 0, entries: Vec::new(), orders: Vec::new() }
    }

    /// `initTransactions`: takes over from any earlier instance. The one that was has no say from now on.
    ///
    /// # Errors
    /// [`Error::InvalidTransactionTimeout`]; [`Error::ConcurrentTransactions`] while the earlier instance's transaction is
    /// being aborted or ended, to be tried again.
    pub fn init(&mut self, now_us: u64, transactional_id: u64, timeout_us: u64) -> Result<Identity, Error> {
        self.advance(now_us);
        if timeout_us == 0 || timeout_us > self.options.max_timeout_us {
            return Err(Error::InvalidTransactionTimeout);
        }
        let fresh = Identity { producer: self.next_producer, epoch: 0 };
        match self.place(transactional_id) {
            Err(place) => {
                self.next_producer += 1;
                let (partitions, offsets) = (Vec::new(), Vec::new());
                let entry = Entry { transactional_id, current: fresh, timeout_us, state: State::Idle, partitions, offsets };
                self.entries.insert(place, entry);
                Ok(fresh)
            }
            Ok(place) => match self.entries[place].state {
                State::Idle => {
                    self.bump(place);
                    self.entries[place].timeout_us = timeout_us;
                    Ok(self.entries[place].current)
                }
                State::Ongoing { .. } => {
                    self.fence_and_abort(place);
                    // Without a partition there is no marker to wait for.
                    if self.entries[place].state == State::Idle {
                        return self.init(now_us, transactional_id, timeout_us);
                    }
                    Err(Error::ConcurrentTransactions)
                }
                State::Ending { .. } => Err(Error::ConcurrentTransactions),
            },
        }
    }

    /// A producer is about to write to this partition as part of its transaction.
    ///
    /// # Errors
    /// [`Error::ProducerFenced`] for an instance that was replaced, [`Error::InvalidProducerIdMapping`] for an unknown one,
    /// [`Error::ConcurrentTransactions`] while the transaction before is being ended.
    pub fn add_partition(&mut self, now_us: u64, transactional_id: u64, who: Identity, partition: u64) -> Result<(), Error> {
        let entry = self.ongoing(now_us, transactional_id, who)?;
        if !entry.partitions.contains(&partition) {
            entry.partitions.push(partition);
        }
        Ok(())
    }

    /// `sendOffsetsToTransaction`: the group's offset moves if the transaction commits.
    ///
    /// # Errors
    /// As [`Coordinator::add_partition`].
    pub fn add_offset(&mut self, now_us: u64, transactional_id: u64, who: Identity, offset: GroupOffset) -> Result<(), Error> {
        let entry = self.ongoing(now_us, transactional_id, who)?;
        entry.offsets.retain(|known| (known.group, known.partition) != (offset.group, offset.partition));
        entry.offsets.push(offset);
        Ok(())
    }

    /// Whether a group's offset for a partition waits for a transaction: readers that ask for a stable one must wait
    /// ([`Error::UnstableOffsetCommit`], KIP-447).
    #[must_use]
    pub fn is_pending(&self, group: u64, partition: u64) -> bool {
        let mut offsets = self.entries.iter().flat_map(|entry| &entry.offsets);
        offsets.any(|known| (known.group, known.partition) == (group, partition))
    }

    /// `commitTransaction` or `abortTransaction`. Gives the identity that the producer goes on with.
    ///
    /// # Errors
    /// As [`Coordinator::add_partition`].
    pub fn end(&mut self, now_us: u64, transactional_id: u64, who: Identity, commit: bool) -> Result<Identity, Error> {
        self.advance(now_us);
        let place = self.checked(transactional_id, who)?;
        match self.entries[place].state {
            // An empty transaction is over without the coordinator.
            State::Idle => Ok(who),
            State::Ongoing { .. } => {
                if self.options.epoch_each {
                    self.bump_for_marker(place);
                }
                self.decide(place, commit);
                Ok(self.entries[place].current)
            }
            State::Ending { .. } => Err(Error::ConcurrentTransactions),
        }
    }

    /// A marker that was ordered is written and replicated.
    pub fn marked(&mut self, now_us: u64, producer: u64, partition: u64) {
        self.advance(now_us);
        if let Some(place) = self.entries.iter().position(|entry| entry.current.producer == producer) {
            self.entries[place].partitions.retain(|known| *known != partition);
            self.finish_if_marked(place);
        }
    }

    /// Where this id's transaction is.
    #[must_use]
    pub fn state(&self, transactional_id: u64) -> Option<State> {
        self.place(transactional_id).ok().map(|place| self.entries[place].state)
    }

    /// What is to be done since the last time someone asked, in order.
    pub fn take_orders(&mut self) -> Vec<Order> {
        std::mem::take(&mut self.orders)
    }

    /// The check that finds the next transaction that ran out of time.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let every_us = self.options.check_us.max(1);
        let ends = self.entries.iter().filter_map(|entry| match entry.state {
            State::Ongoing { since_us } => Some(since_us.saturating_add(entry.timeout_us)),
            State::Idle | State::Ending { .. } => None,
        });
        // It has to be over the time, not at it.
        let late_us = ends.min()?.saturating_add(1).saturating_sub(self.started_us);
        let due_us = self.started_us.saturating_add(late_us.div_ceil(every_us).saturating_mul(every_us));
        (due_us < u64::MAX).then_some(due_us.max(self.now_us))
    }

    /// Aborts what ran out of time, up to now.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            self.now_us = due_us;
            for place in 0..self.entries.len() {
                let entry = &self.entries[place];
                if let State::Ongoing { since_us } = entry.state
                    && since_us.saturating_add(entry.timeout_us) < due_us
                {
                    self.fence_and_abort(place);
                }
            }
        }
        self.now_us = self.now_us.max(now_us);
    }

    fn place(&self, transactional_id: u64) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&transactional_id, |entry| entry.transactional_id)
    }

    fn checked(&self, transactional_id: u64, who: Identity) -> Result<usize, Error> {
        let place = self.place(transactional_id).map_err(|_| Error::InvalidProducerIdMapping)?;
        let current = self.entries[place].current;
        if who == current {
            Ok(place)
        } else if who.producer > current.producer {
            Err(Error::InvalidProducerIdMapping)
        } else {
            Err(Error::ProducerFenced)
        }
    }

    fn ongoing(&mut self, now_us: u64, transactional_id: u64, who: Identity) -> Result<&mut Entry, Error> {
        self.advance(now_us);
        let place = self.checked(transactional_id, who)?;
        let entry = &mut self.entries[place];
        match entry.state {
            State::Idle => entry.state = State::Ongoing { since_us: now_us },
            State::Ongoing { .. } => {}
            State::Ending { .. } => return Err(Error::ConcurrentTransactions),
        }
        Ok(entry)
    }

    /// A new epoch; a new producer id once the epochs are used up.
    fn bump(&mut self, place: usize) {
        // Source: `TransactionMetadata.isEpochExhausted`: the largest epoch is kept for fencing.
        const LAST_EPOCH: u16 = i16::MAX.cast_unsigned() - 1;
        let current = &mut self.entries[place].current;
        if current.epoch < LAST_EPOCH {
            current.epoch += 1;
        } else {
            *current = Identity { producer: self.next_producer, epoch: 0 };
            self.next_producer += 1;
        }
    }

    /// A marker has to carry the producer id of its records, so the epoch may go up to the very last.
    fn bump_for_marker(&mut self, place: usize) {
        let current = &mut self.entries[place].current;
        current.epoch = (current.epoch + 1).min(i16::MAX.cast_unsigned());
    }

    fn fence_and_abort(&mut self, place: usize) {
        self.bump_for_marker(place);
        self.decide(place, false);
    }

    fn decide(&mut self, place: usize, commit: bool) {
        let entry = &mut self.entries[place];
        entry.state = State::Ending { commit };
        let from = entry.current;
        self.orders.extend(entry.partitions.iter().map(|partition| Order::Mark { partition: *partition, from, commit }));
        // The group's own marker: its offsets count from here on, or never.
        let offsets = std::mem::take(&mut entry.offsets);
        if commit {
            self.orders.extend(offsets.into_iter().map(Order::Commit));
        }
        self.finish_if_marked(place);
    }

    fn finish_if_marked(&mut self, place: usize) {
        let entry = &mut self.entries[place];
        if matches!(entry.state, State::Ending { .. }) && entry.partitions.is_empty() {
            entry.state = State::Idle;
            if entry.current.epoch == i16::MAX.cast_unsigned() {
                self.bump(place);
            }
        }
    }
}
