//! One face for every server that hands out single messages: SQS, RabbitMQ, a Postgres table, a Kafka share group.
//!
//! A client publishes, receives and settles; a server tells by [`Happening`]s where every copy went, so that whoever
//! keeps books can keep them without knowing the broker.

/// One copy of a message inside one server. Never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopyId(pub u64);

/// A consumer: a process with its own connection, numbered by whoever drives the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Consumer(pub u32);

/// What a consumer settles a delivery with: a receipt handle, a delivery tag, a lock. New for every delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(pub u64);

/// What a publisher sends. Fields that a broker does not know are ignored by it, and its profile says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Publish {
    /// What the message is about; the server only keeps it.
    pub body: u64,
    /// Message group, partition key or routing key, as a number.
    pub key: u64,
    /// Larger goes first, where the queue knows priorities.
    pub priority: u8,
    /// Stays invisible for so long, in microseconds.
    pub delay_us: u64,
    /// Is not delivered any more after so long, in microseconds.
    pub ttl_us: Option<u64>,
    /// Deduplication id.
    pub dedup: Option<u64>,
    /// It comes as a dead letter from another queue: nobody waits for its confirmation.
    pub dead_letter: bool,
    /// Of a dead letter, when it was first sent and how often it was received, for a queue that goes on counting.
    pub history: Option<(u64, u32)>,
}

/// What became of a publish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// Stored and confirmed.
    Stored(CopyId),
    /// Confirmed and not stored: recognised as a repeat.
    Duplicate,
    /// Confirmed and not stored: there is no such queue any more.
    Unroutable,
    /// Refused, and the publisher knows.
    Refused(Refusal),
}

/// A message in the hands of a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The copy.
    pub copy: CopyId,
    /// What it is about.
    pub body: u64,
    /// What to settle it with.
    pub tag: Tag,
    /// Which delivery of this copy it is, counted from 1, as the engine's books count it.
    pub count: u32,
    /// The broker's own flag that it may have been delivered before.
    pub redelivered: bool,
}

/// What a consumer says of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settle {
    /// Done: delete it.
    Ack,
    /// Not done: give it out again.
    Requeue,
    /// Not done, and it must not come back: to the dead letters, or away where there are none.
    Reject,
    /// Still at work: hide it for so long from now, in microseconds. Zero gives it back at once, where the broker allows it.
    Extend {
        /// Microseconds from now.
        for_us: u64,
    },
}

/// Why a server said no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is in flight under a newer receipt, settled before, or belongs to a channel that is closed.
    Stale,
    /// There has never been such a receipt.
    Unknown,
    /// More in flight than the broker allows.
    OverLimit,
    /// The queue is full and rejects.
    Full,
    /// A value outside of what the broker allows.
    Invalid,
    /// No node, or too few of them, can answer.
    Unavailable,
}

/// Where a copy went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    /// When.
    pub at_us: u64,
    /// Which copy.
    pub copy: CopyId,
    /// What it is about.
    pub body: u64,
    /// What happened to it.
    pub what: What,
}

/// What happened to a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Stored where it can be delivered.
    Stored,
    /// Stored, and invisible for so long, in microseconds.
    Delayed(u64),
    /// Its delay is over.
    Ripened,
    /// In the hands of a consumer.
    Delivered(Consumer),
    /// Back from the hands of a consumer, to be delivered again.
    Returned(Why),
    /// Deleted by an acknowledgement while in the hands of its consumer.
    Acked,
    /// Deleted by an acknowledgement after it had come back.
    AckedLate,
    /// Taken out for the dead letters while it waited. Whoever drives the server stores it there.
    DeadLettered(Why),
    /// Taken out for the dead letters from the hands of a consumer.
    DeadLetteredHeld(Why),
    /// Gone while it waited.
    Dropped(Why),
    /// Gone from the hands of a consumer.
    DroppedHeld(Why),
}

/// Why a copy moved by other than an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The visibility timeout, lease or lock ran out.
    Timeout,
    /// The consumer gave it back.
    Requeued,
    /// The consumer rejected it.
    Rejected,
    /// The consumer's channel or connection closed.
    Closed,
    /// The consumer held it for longer than the server allows, so the server closed its channel.
    ConsumerTimeout,
    /// It was delivered, or failed, as often as the queue allows.
    Limit,
    /// It lived longer than its time to live.
    Expired,
    /// It was older than retention keeps.
    Retention,
    /// The queue was longer than it may be.
    MaxLength,
    /// The node that held it died, and no other had it.
    NodeLost,
    /// Its queue was deleted, as nobody consumed it.
    Unused,
}

/// A server with one queue, driven from outside.
pub trait QueueServer {
    /// A publisher sends a message.
    fn publish(&mut self, now_us: u64, letter: Publish) -> Published;

    /// A consumer asks for up to `most` messages. What it may get is the broker's decision: prefetch, in-flight limits,
    /// locked groups.
    fn receive(&mut self, now_us: u64, consumer: Consumer, most: u32) -> Vec<Delivery>;

    /// A consumer settles a delivery.
    ///
    /// # Errors
    /// Why the server does not accept it.
    fn settle(&mut self, now_us: u64, consumer: Consumer, tag: Tag, how: Settle) -> Result<(), Refusal>;

    /// A consumer's connection closes, with or without a goodbye.
    fn close(&mut self, now_us: u64, consumer: Consumer);

    /// When something happens next without a call.
    fn next_due_us(&self) -> Option<u64>;

    /// Lets everything happen that is due up to now, in order.
    fn advance(&mut self, now_us: u64);

    /// What happened since the last time someone asked, in order.
    fn take_happenings(&mut self) -> Vec<Happening>;

    /// Messages that can be delivered now, the next ones first, up to so many: copy and body. Dead letters that stay are last.
    fn waiting(&self, most: usize) -> Vec<(CopyId, u64)>;

    /// Messages that cannot be delivered now because another of their group is in the hands of a consumer, the next ones
    /// first, up to so many: copy and body. Only of queues that lock groups.
    fn locked(&self, most: usize) -> Vec<(CopyId, u64)> {
        let _ = most;
        Vec::new()
    }

    /// The body of the oldest message among these, where one of them is: it waits, as those do that can be delivered.
    fn oldest_locked(&self) -> Option<u64> {
        None
    }

    /// How many can be delivered now, how many are in the hands of consumers, how many are delayed.
    fn counts(&self) -> Counts;

    /// Messages in the hands of consumers or delayed, those that come back first at the front, up to so many.
    fn held(&self, most: usize) -> Vec<Held> {
        let _ = most;
        Vec::new()
    }

    /// Someone changed settings while it runs. They count from now on; what a broker does not know is ignored.
    fn tune(&mut self, now_us: u64, tuning: &Tuning) {
        let _ = (now_us, tuning);
    }

    /// The next dead letter that stays until its target has confirmed it and is to be sent there: copy, body, why. It is on
    /// its way until [`QueueServer::dead_letter_sent`] says what came of it.
    fn send_dead_letter(&mut self, now_us: u64) -> Option<(CopyId, u64, Why)> {
        let _ = now_us;
        None
    }

    /// The target has confirmed a dead letter, which is not here any more, or has not: it is sent again later.
    fn dead_letter_sent(&mut self, now_us: u64, copy: CopyId, confirmed: bool) {
        let _ = (now_us, copy, confirmed);
    }

    /// Whether the queue is there: one that nobody consumes may be deleted.
    fn exists(&self) -> bool {
        true
    }

    /// The server itself stops (`true`) or starts again.
    fn stop(&mut self, now_us: u64, stopped: bool) {
        let _ = (now_us, stopped);
    }

    /// The node that leads dies. Says which it was; none where there are no nodes, or none is left.
    fn kill_leader(&mut self, now_us: u64) -> Option<u8> {
        let _ = now_us;
        None
    }

    /// A node is back.
    fn revive(&mut self, now_us: u64, node: u8) {
        let _ = (now_us, node);
    }

    /// A copy of the whole state.
    fn boxed(&self) -> Box<dyn QueueServer>;
}

/// A message that cannot be delivered for the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The copy.
    pub copy: CopyId,
    /// What it is about.
    pub body: u64,
    /// Who holds it; nobody while it is only delayed.
    pub consumer: Option<Consumer>,
    /// Since when.
    pub since_us: u64,
    /// When it comes back by itself; never where only the consumer's word or end brings it back.
    pub until_us: Option<u64>,
}

/// Settings that can change while a server runs, in the words that brokers share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// Visibility timeout, lease or acquisition lock, in microseconds.
    pub visibility_us: u64,
    /// Deliveries, or failures, before a message goes to the dead letters; 0 never does.
    pub max_receives: u64,
    /// How long a new message stays invisible, in microseconds.
    pub delay_us: u64,
    /// A message older than this is dropped, in microseconds.
    pub retention_us: u64,
    /// Time to live of every message, in microseconds; 0 for none.
    pub ttl_us: u64,
    /// The most messages that may wait; 0 for no limit.
    pub max_length: u64,
    /// The most bytes that may wait; 0 for no limit.
    pub max_bytes: u64,
    /// What a message takes, in bytes.
    pub message_bytes: u64,
    /// A queue that nobody consumes for so long is deleted, in microseconds; 0 never is.
    pub expires_us: u64,
    /// The most unacknowledged messages a consumer; 0 for no limit.
    pub prefetch: u64,
    /// How long a consumer may hold a message before its channel is closed, in microseconds; 0 for ever.
    pub consumer_timeout_us: u64,
}

/// How many copies are where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Can be delivered, or waits for others of its group, or as a dead letter for its target.
    pub ready: u64,
    /// In the hands of consumers.
    pub held: u64,
    /// Invisible for a delay.
    pub delayed: u64,
}
