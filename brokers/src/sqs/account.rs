//! Queues side by side: dead letters go to the queue that a redrive policy names, redrive tasks bring them back, long polls
//! wait.

use super::fault::{Fault, Parameter};
use super::message::{Deleted, Letter, Receive, Received, Send, Sent};
use super::options::{LONGEST_WAIT_US, Options, SECOND_US};
use super::queue::Queue;
use crate::server::{Consumer, Tag};

/// A queue of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueId(pub u32);

/// A long poll that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// A receipt handle with the queue that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// The queue.
    pub queue: QueueId,
    /// The receive.
    pub tag: Tag,
}

/// What a receive that may wait gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Polled {
    /// The answer, at once.
    Answer(Vec<Received>),
    /// It waits; the answer is among [`Account::take_answers`] in time.
    Waits(Ticket),
}

/// Which queues may name this one as their dead-letter queue: `RedriveAllowPolicy`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RedriveAllow {
    /// `allowAll`, as shipped.
    #[default]
    All,
    /// `denyAll`.
    Nobody,
    /// `byQueue`: these, up to ten.
    Only(Vec<QueueId>),
}

/// How a redrive task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStatus {
    /// Messages are being moved.
    Running,
    /// The source had no visible message left.
    Completed,
    /// Stopped by `CancelMessageMoveTask`.
    Cancelled,
    /// Stopped before a message whose source nobody knows, because it was sent to the dead-letter queue itself:
    /// `CouldNotDetermineMessageSource`. It needs a destination.
    Failed,
}

/// A redrive task: `StartMessageMoveTask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTask {
    /// The dead-letter queue.
    pub source: QueueId,
    /// Where to; `None` for the queue that each message came from.
    pub to: Option<QueueId>,
    /// How it stands.
    pub status: TaskStatus,
    /// How many it has moved.
    pub moved: u64,
    /// How many there were to move when it began.
    pub to_move: u64,
    every_us: u64,
    next_us: u64,
}

/// The consumer under which a redrive task appears in the happenings of its source.
pub const MOVER: Consumer = Consumer(u32::MAX);
/// How many a second a task moves that names no rate: the most that can be named.
const FASTEST_PER_S: u64 = 500;

#[derive(Clone, Debug)]
struct Place {
    queue: Queue,
    dead_letters: Option<QueueId>,
    allow: RedriveAllow,
}

#[derive(Clone, Debug)]
struct Wait {
    ticket: Ticket,
    queue: QueueId,
    until_us: u64,
    ask: Receive,
}

/// Queues that know of each other.
#[derive(Clone, Debug, Default)]
pub struct Account {
    places: Vec<Place>,
    waits: Vec<Wait>,
    answers: Vec<(Ticket, u64, Vec<Received>)>,
    tickets: u64,
    tasks: Vec<MoveTask>,
}

impl Account {
    /// `CreateQueue`.
    ///
    /// # Errors
    /// An attribute out of range.
    pub fn create(&mut self, options: Options) -> Result<QueueId, Fault> {
        let number = self.places.len() as u32;
        let queue = Queue::new(options, number)?;
        self.places.push(Place { queue, dead_letters: None, allow: RedriveAllow::All });
        Ok(QueueId(number))
    }

    /// A queue by its id.
    ///
    /// # Errors
    /// There is none.
    pub fn queue(&mut self, id: QueueId) -> Result<&mut Queue, Fault> {
        Ok(&mut self.place(id)?.queue)
    }

    /// `RedriveAllowPolicy` of a dead-letter queue.
    ///
    /// # Errors
    /// There is no such queue.
    pub fn allow(&mut self, id: QueueId, allow: RedriveAllow) -> Result<(), Fault> {
        self.place(id)?.allow = allow;
        Ok(())
    }

    /// `RedrivePolicy`: what was received `max_receives` times goes to `dead_letters` when it would be received again.
    ///
    /// # Errors
    /// A count outside of 1…1,000, a queue of the other kind, or one that does not allow it.
    pub fn redrive_policy(&mut self, now_us: u64, id: QueueId, dead_letters: QueueId, max_receives: u32) -> Result<(), Fault> {
        let target = self.place(dead_letters)?;
        let fifo = target.queue.options().fifo.is_some();
        let allowed = match &target.allow {
            RedriveAllow::All => true,
            RedriveAllow::Nobody => false,
            RedriveAllow::Only(queues) => queues.contains(&id),
        };
        let place = self.place(id)?;
        let options = *place.queue.options();
        if !allowed || options.fifo.is_some() != fifo {
            return Err(Fault::NotAllowed);
        }
        place.queue.configure(now_us, Options { max_receives: Some(max_receives), ..options })?;
        place.dead_letters = Some(dead_letters);
        Ok(())
    }

    /// `SendMessage`.
    ///
    /// # Errors
    /// Why it is not accepted.
    pub fn send(&mut self, now_us: u64, id: QueueId, send: Send) -> Result<Sent, Fault> {
        self.advance(now_us);
        let sent = self.queue(id)?.send(now_us, send);
        self.serve(now_us);
        sent
    }

    /// `SendMessageBatch`.
    ///
    /// # Errors
    /// Why the whole batch is refused.
    pub fn send_batch(&mut self, now_us: u64, id: QueueId, entries: &[(u64, Send)]) -> Result<Vec<Result<Sent, Fault>>, Fault> {
        self.advance(now_us);
        let sent = self.queue(id)?.send_batch(now_us, entries);
        self.serve(now_us);
        sent
    }

    /// `ReceiveMessage`: waits for up to `wait_us`, or as long as the queue's attribute says, while there is nothing.
    ///
    /// # Errors
    /// Why nothing can be received.
    pub fn receive(&mut self, now_us: u64, id: QueueId, ask: Receive, wait_us: Option<u64>) -> Result<Polled, Fault> {
        self.advance(now_us);
        let queue = self.queue(id)?;
        let wait_us = wait_us.unwrap_or(queue.options().wait_us);
        if wait_us > LONGEST_WAIT_US {
            return Err(Fault::OutOfRange(Parameter::WaitTimeSeconds));
        }
        let ask = Receive { long: wait_us > 0, ..ask };
        let received = queue.receive(now_us, ask)?;
        self.bury(now_us, id);
        if !received.is_empty() || wait_us == 0 {
            return Ok(Polled::Answer(received));
        }
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.waits.push(Wait { ticket, queue: id, until_us: now_us.saturating_add(wait_us), ask });
        Ok(Polled::Waits(ticket))
    }

    /// `DeleteMessage`.
    ///
    /// # Errors
    /// A receipt handle of another queue, one that never was, or (FIFO) that has expired.
    pub fn delete(&mut self, now_us: u64, id: QueueId, handle: Handle) -> Result<Deleted, Fault> {
        self.advance(now_us);
        if handle.queue != id {
            return Err(Fault::GarbageHandle);
        }
        let deleted = self.queue(id)?.delete(now_us, handle.tag);
        self.serve(now_us);
        deleted
    }

    /// `ChangeMessageVisibility`.
    ///
    /// # Errors
    /// A receipt handle of another queue, or what [`Queue::change_visibility`] refuses.
    pub fn change_visibility(&mut self, now_us: u64, id: QueueId, handle: Handle, for_us: u64) -> Result<(), Fault> {
        self.advance(now_us);
        if handle.queue != id {
            return Err(Fault::GarbageHandle);
        }
        let changed = self.queue(id)?.change_visibility(now_us, handle.tag, for_us);
        self.serve(now_us);
        changed
    }

    /// `StartMessageMoveTask`: moves the visible messages of a dead-letter queue one by one, oldest first, to `to` or back to
    /// where each came from, as new messages. Without a rate 500 a second.
    ///
    /// # Errors
    /// The source is no dead-letter queue or has a task that runs, the destination is not there or of the other kind, or the
    /// rate is outside of 1…500.
    pub fn start_move(&mut self, now_us: u64, source: QueueId, to: Option<QueueId>, per_s: Option<u64>) -> Result<(), Fault> {
        self.advance(now_us);
        let rate = per_s.unwrap_or(FASTEST_PER_S);
        if !(1..=FASTEST_PER_S).contains(&rate) {
            return Err(Fault::OutOfRange(Parameter::MaxNumberOfMessagesPerSecond));
        }
        let fifo = self.queue(source)?.options().fifo.is_some();
        let to_move = self.queue(source)?.shelf().counts().ready;
        if !self.places.iter().any(|place| place.dead_letters == Some(source)) {
            return Err(Fault::NotDeadLetters);
        }
        if let Some(to) = to {
            let destination = self.queue(to).map_err(|_| Fault::NoTask)?;
            if destination.options().fifo.is_some() != fifo {
                return Err(Fault::NotAllowed);
            }
        }
        if self.task(source).is_some_and(|task| task.status == TaskStatus::Running) {
            return Err(Fault::TaskRunning);
        }
        self.tasks.retain(|task| task.source != source);
        let every_us = SECOND_US / rate;
        self.tasks.push(MoveTask { source, to, status: TaskStatus::Running, moved: 0, to_move, every_us, next_us: now_us });
        self.advance(now_us);
        Ok(())
    }

    /// `CancelMessageMoveTask`; gives how many were moved.
    ///
    /// # Errors
    /// No task runs there.
    pub fn cancel_move(&mut self, now_us: u64, source: QueueId) -> Result<u64, Fault> {
        self.advance(now_us);
        let running = |task: &&mut MoveTask| task.source == source && task.status == TaskStatus::Running;
        let task = self.tasks.iter_mut().find(running).ok_or(Fault::NoTask)?;
        task.status = TaskStatus::Cancelled;
        Ok(task.moved)
    }

    /// The latest redrive task of a dead-letter queue.
    #[must_use]
    pub fn task(&self, source: QueueId) -> Option<&MoveTask> {
        self.tasks.iter().find(|task| task.source == source)
    }

    /// Answers of long polls that waited, each with the moment of the answer, in order.
    pub fn take_answers(&mut self) -> Vec<(Ticket, u64, Vec<Received>)> {
        std::mem::take(&mut self.answers)
    }

    /// `DeleteMessageBatch`; a receipt handle of another queue fails its entry.
    ///
    /// # Errors
    /// Why the whole batch is refused.
    pub fn delete_batch(
        &mut self,
        now_us: u64,
        id: QueueId,
        entries: &[(u64, Handle)],
    ) -> Result<Vec<Result<Deleted, Fault>>, Fault> {
        self.advance(now_us);
        let tag = |handle: &Handle| if handle.queue == id { handle.tag } else { Tag(0) };
        let tags: Vec<(u64, Tag)> = entries.iter().map(|(entry, handle)| (*entry, tag(handle))).collect();
        let deleted = self.queue(id)?.delete_batch(now_us, &tags);
        self.serve(now_us);
        deleted
    }

    /// `PurgeQueue`.
    ///
    /// # Errors
    /// A purge within a minute of another.
    pub fn purge(&mut self, now_us: u64, id: QueueId) -> Result<(), Fault> {
        self.advance(now_us);
        self.queue(id)?.purge(now_us)
    }

    /// When something happens next without a call.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let queues = self.places.iter().filter_map(|place| place.queue.due_us());
        let waits = self.waits.iter().map(|wait| wait.until_us);
        let running = self.tasks.iter().filter(|task| task.status == TaskStatus::Running);
        queues.chain(waits).chain(running.map(|task| task.next_us)).min()
    }

    /// Lets everything happen that is due up to now, in order.
    pub fn advance(&mut self, now_us: u64) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            for place in &mut self.places {
                place.queue.advance_to(due_us);
            }
            self.run_tasks(due_us);
            self.serve(due_us);
        }
        for place in &mut self.places {
            place.queue.advance_to(now_us);
        }
    }

    fn place(&mut self, id: QueueId) -> Result<&mut Place, Fault> {
        self.places.get_mut(id.0 as usize).ok_or(Fault::NoQueue)
    }

    /// Brings what a queue gave up to its dead-letter queue.
    fn bury(&mut self, now_us: u64, id: QueueId) {
        let Ok(place) = self.place(id) else { return };
        let dead = place.queue.take_dead();
        let Some(target) = place.dead_letters else { return };
        for letter in dead {
            if let Ok(target) = self.queue(target) {
                target.accept(now_us, Letter { source: id.0 + 1, ..letter });
            }
        }
    }

    /// Gives waiting polls what there is, in the order in which they came, and nothing to those whose time is over.
    fn serve(&mut self, now_us: u64) {
        let mut waits = std::mem::take(&mut self.waits);
        waits.retain(|wait| {
            let received = match self.queue(wait.queue) {
                Ok(queue) if queue.shelf().first().is_some() => queue.receive_admitted(now_us, wait.ask).unwrap_or_default(),
                Ok(_) | Err(_) => Vec::new(),
            };
            self.bury(now_us, wait.queue);
            let waits_on = received.is_empty() && now_us < wait.until_us;
            if !waits_on {
                self.answers.push((wait.ticket, now_us, received));
            }
            waits_on
        });
        self.waits = waits;
    }

    fn run_tasks(&mut self, now_us: u64) {
        for index in 0..self.tasks.len() {
            let mut task = self.tasks[index];
            if task.status != TaskStatus::Running || task.next_us > now_us {
                continue;
            }
            let next = self.queue(task.source).ok().and_then(|queue| queue.next_letter());
            let origin = next.and_then(|letter| letter.source.checked_sub(1)).map(QueueId);
            match (next, task.to.or(origin)) {
                (None, _) => task.status = TaskStatus::Completed,
                (Some(_), None) => task.status = TaskStatus::Failed,
                (Some(_), Some(to)) => {
                    let letter = self.queue(task.source).ok().and_then(|queue| queue.withdraw(now_us, MOVER));
                    if let (Some(letter), Ok(queue)) = (letter, self.queue(to)) {
                        queue.renew(now_us, letter);
                    }
                    task.moved += 1;
                    task.next_us = now_us.saturating_add(task.every_us);
                }
            }
            self.tasks[index] = task;
        }
    }
}
