//! A queue with the rules of a real broker, at work in a world.
//!
//! The rules are a machine's of `redrive-brokers`; here its calls get a time, its happenings become records of the trace, and
//! its messages get the engine's own. A machine that pushes (RabbitMQ) is asked for its consumers in turn, one message each;
//! one that is polled (SQS, a table) is asked by whoever has room.

mod delivery;

use redrive_brokers::rabbitmq::Death;
use redrive_brokers::sorted::SortedSet;
use redrive_brokers::{Consumer, QueueServer, Tuning, Why};

use super::machines;
use super::queue::Holder;
use crate::message::{EffectMask, Message};
use crate::observe::record::Cause;
use crate::scenario::choices::Broker;
use crate::scenario::parts::QueueSettings;
use crate::sim::{Handle, Slab, Timestamp};

/// How a message comes to a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival<'d> {
    /// Someone publishes it.
    Published,
    /// It is moved there: a dead letter, or one that is redriven.
    Moved,
    /// It comes as a dead letter that carries where it died.
    Dead(&'d [Death]),
    /// The same, and whoever sends it waits for a confirmation.
    Sure(&'d [Death]),
    /// It comes as a dead letter with its age and its receives.
    Counted,
}

/// The state of a server.
pub struct Server {
    /// Index of its part.
    pub part: u16,
    /// Its settings.
    pub settings: QueueSettings,
    /// Index of the part that takes its dead letters.
    pub dead_letters: Option<u16>,
    /// The effects that a message here may lead to.
    pub effects: EffectMask,
    /// Processes that wait for a message, in order.
    pub waiting: std::collections::VecDeque<Holder>,
    machine: Box<dyn QueueServer>,
    letters: Slab<Message>,
    /// Where the dead letters among them have died, by their slot.
    deaths: Vec<Vec<Death>>,
    /// Letters whose delay is not over.
    unripe: SortedSet<Handle>,
    /// When its own next event is set for.
    alarm_us: Option<Timestamp>,
    /// The consumer that was given the last pushed message; the first one to come begins.
    turn: Option<u32>,
    /// Nodes that have died and are not back.
    dead_nodes: Vec<u8>,
    /// It is sending: a round is not begun in a round.
    pushing: bool,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without its machine: what all of them would say of themselves is a lot of code for nobody to read.
        f.debug_struct("Server").field("part", &self.part).finish_non_exhaustive()
    }
}

impl Clone for Server {
    fn clone(&self) -> Self {
        Self {
            settings: self.settings.clone(),
            waiting: self.waiting.clone(),
            machine: self.machine.boxed(),
            letters: self.letters.clone(),
            deaths: self.deaths.clone(),
            unripe: self.unripe.clone(),
            dead_nodes: self.dead_nodes.clone(),
            ..*self
        }
    }
}

/// A process as the machines number their consumers.
fn consumer(holder: Holder) -> Consumer {
    Consumer(u32::from(holder.worker) << 16 | u32::from(holder.process))
}

fn holder(consumer: Consumer) -> Holder {
    Holder { worker: (consumer.0 >> 16) as u16, process: consumer.0 as u16 }
}

/// The body that a machine keeps for a message.
fn body(letter: Handle) -> u64 {
    u64::from(letter.generation) << 32 | u64::from(letter.slot)
}

fn letter(body: u64) -> Handle {
    Handle { slot: body as u32, generation: (body >> 32) as u32 }
}

pub(super) fn cause(why: Why) -> Cause {
    match why {
        Why::Timeout | Why::ConsumerTimeout => Cause::HeldTooLong,
        Why::Requeued => Cause::GivenBack,
        Why::Rejected => Cause::Rejected,
        Why::Closed => Cause::ConnectionEnded,
        Why::Limit => Cause::TooOften,
        Why::Expired => Cause::TimeToLive,
        Why::Retention => Cause::Retention,
        Why::MaxLength => Cause::QueueFull,
        Why::NodeLost => Cause::NodeLost,
        Why::Unused => Cause::Unused,
    }
}

/// What the machines can be told while they run.
fn tuning(settings: &QueueSettings) -> Tuning {
    Tuning {
        visibility_us: machines::hidden_us(settings),
        max_receives: settings.max_receives,
        delay_us: settings.delay.0,
        retention_us: settings.retention.0,
        ttl_us: settings.ttl.0,
        max_length: settings.max_length,
        max_bytes: settings.max_bytes,
        message_bytes: settings.message_bytes,
        expires_us: settings.expires.0,
        prefetch: settings.prefetch,
        consumer_timeout_us: settings.consumer_timeout.0,
    }
}

impl Server {
    /// An empty server with the rules of its settings' broker.
    #[must_use]
    pub fn new(part: u16, settings: QueueSettings) -> Self {
        Self {
            part,
            dead_letters: None,
            effects: 0,
            waiting: std::collections::VecDeque::new(),
            machine: machines::open(&settings),
            letters: Slab::default(),
            deaths: Vec::new(),
            unripe: SortedSet::default(),
            alarm_us: None,
            turn: None,
            dead_nodes: Vec::new(),
            pushing: false,
            settings,
        }
    }

    /// True where the broker sends messages to its consumers, which then hold them in a buffer of their own.
    #[must_use]
    pub fn pushes(&self) -> bool {
        matches!(self.settings.broker, Broker::RabbitmqClassic | Broker::RabbitmqQuorum)
    }

    /// How many messages can be delivered, are in hands, are delayed.
    #[must_use]
    pub fn counts(&self) -> (u64, u64, u64) {
        let counts = self.machine.counts();
        (counts.ready, counts.held, counts.delayed)
    }

    /// The next messages to be delivered, up to so many.
    #[must_use]
    pub fn next(&self, most: usize) -> Vec<Message> {
        self.machine.waiting(most).into_iter().filter_map(|(_, body)| self.letters.get(letter(body)).copied()).collect()
    }

    /// Messages that wait for another of their group that is in hands, up to so many.
    #[must_use]
    pub fn locked(&self, most: usize) -> Vec<Message> {
        self.machine.locked(most).into_iter().filter_map(|(_, body)| self.letters.get(letter(body)).copied()).collect()
    }

    /// The messages in hands or delayed, soonest back first, up to so many: message, since when, until when, in hands.
    #[must_use]
    pub fn shelf(&self, most: usize) -> Vec<(Message, Timestamp, Option<Timestamp>, bool)> {
        let shown = self.machine.held(most).into_iter();
        shown
            .filter_map(|held| {
                let message = self.letters.get(letter(held.body)).copied()?;
                Some((message, held.since_us, held.until_us, held.consumer.is_some()))
            })
            .collect()
    }

    /// The age of the oldest message that waits, be it for another of its group.
    #[must_use]
    pub fn oldest_us(&self, now_us: Timestamp) -> u64 {
        let locked = self.machine.oldest_locked().and_then(|body| self.letters.get(letter(body)).copied());
        let waiting = self.next(1).into_iter().chain(locked);
        waiting.map(|message| now_us.saturating_sub(message.stored_us)).max().unwrap_or(0)
    }

    /// Where a letter has died.
    pub(super) fn deaths_so_far(&self, letter: Handle) -> Vec<Death> {
        self.deaths.get(letter.slot as usize).cloned().unwrap_or_default()
    }

    /// Takes out where a letter has died.
    pub(super) fn deaths_of(&mut self, letter: Handle) -> Vec<Death> {
        self.deaths.get_mut(letter.slot as usize).map(std::mem::take).unwrap_or_default()
    }

    /// A letter is not here any more, if it ever was.
    fn forget(&mut self, letter: Handle) {
        if self.letters.remove(letter).is_some() {
            self.deaths_of(letter);
        }
    }

    /// Whether it was deleted, as nobody consumed it.
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        !self.machine.exists()
    }

    /// Its settings were changed.
    pub fn tune(&mut self, now_us: Timestamp) {
        let tuning = tuning(&self.settings);
        self.machine.tune(now_us, &tuning);
    }
}
