//! What a queue is declared with, and which release's rules hold.

/// The two types of queue that hold single messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// On one node; knows priorities; a message that comes back takes its old place.
    #[default]
    Classic,
    /// On three nodes by Raft; counts deliveries.
    Quorum,
}

/// Which release's rules a queue follows. Of classic queues only the consumer timeout differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// 3.10: no delivery limit unless one is set; each return counts.
    #[default]
    V3_10,
    /// 4.0: a delivery limit of 20 unless another is set; each return counts. Two priorities.
    V4_0,
    /// 4.3: as 4.0, but `basic.nack` with requeue and a channel closed for a late acknowledgement do not count;
    /// `basic.reject` with requeue and any other close do (rabbitmq-server pull request 15387, discussion 18226). Classic queues
    /// have no consumer timeout (Amazon MQ developer guide, *RabbitMQ 4.3*, breaking changes).
    V4_3,
}

/// What happens to a publish that does not fit `x-max-length`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// The oldest message makes room, as a dead letter where the queue has them.
    #[default]
    DropHead,
    /// The publisher gets a `basic.nack`.
    RejectPublish,
    /// The publisher gets a `basic.nack` and the message goes to the dead letters. Classic queues only.
    RejectPublishDlx,
}

/// The delivery limit of a quorum queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeliveryLimit {
    /// What the release has by default.
    #[default]
    Default,
    /// None at all: -1 from 4.0 on.
    Unlimited,
    /// `x-delivery-limit`: so many returns are allowed.
    Returns(u32),
}

/// A queue's arguments and its consumers' settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `x-queue-type`.
    pub kind: Kind,
    /// Whose rules hold.
    pub release: Release,
    /// `x-delivery-limit`. Quorum queues only.
    pub delivery_limit: DeliveryLimit,
    /// `x-message-ttl`, in microseconds.
    pub ttl_us: Option<u64>,
    /// `x-max-length`: how many may wait, those in the hands of consumers not counted.
    pub max_length: Option<u64>,
    /// `x-max-length-bytes`: how many bytes of bodies may wait. With both limits, whichever is reached first.
    pub max_bytes: Option<u64>,
    /// What the body of a message takes, in bytes.
    pub message_bytes: u64,
    /// `x-overflow`.
    pub overflow: Overflow,
    /// `x-max-priority`: the highest level, 0 for none. Classic queues only.
    pub priorities: u8,
    /// `x-single-active-consumer`.
    pub single_active: bool,
    /// Whether `x-dead-letter-exchange` is set.
    pub dead_letters: bool,
    /// `x-dead-letter-strategy` is `at-least-once`. Quorum queues that reject publishes only, as
    /// [`Settings::keeps_dead_letters`] says; the server falls back to at-most-once elsewhere.
    pub at_least_once: bool,
    /// `dead_letter_worker_publisher_confirm_timeout`: when a dead letter that was not confirmed is sent again, in microseconds.
    pub dead_letter_retry_us: u64,
    /// `x-expires`: a queue that nobody consumes for so long is deleted, in microseconds.
    pub expires_us: Option<u64>,
    /// `basic.qos`: how many one consumer may hold. 0 is no limit, which a quorum queue of 3.10 takes for 2,000.
    pub prefetch: u32,
    /// `consumer_timeout` of the node, in microseconds; none switches it off.
    pub consumer_timeout_us: Option<u64>,
    /// How often a channel looks for acknowledgements that are too late (`channel_tick_interval`), in microseconds.
    pub consumer_check_us: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kind: Kind::Classic,
            release: Release::V3_10,
            delivery_limit: DeliveryLimit::Default,
            ttl_us: None,
            max_length: None,
            max_bytes: None,
            message_bytes: 1_000,
            overflow: Overflow::DropHead,
            priorities: 0,
            single_active: false,
            dead_letters: true,
            at_least_once: false,
            dead_letter_retry_us: 180_000_000,
            expires_us: None,
            prefetch: 0,
            consumer_timeout_us: Some(1_800_000_000),
            consumer_check_us: 60_000_000,
        }
    }
}

/// What a quorum queue gives a consumer that asked for no prefetch limit (`rabbit_quorum_queue`, 3.10).
const QUORUM_PREFETCH: u32 = 2_000;

/// The default delivery limit since 4.0 (*Quorum Queues*, poison message handling).
const DELIVERY_LIMIT_SINCE_4_0: u32 = 20;

impl Settings {
    /// How often a message may come back before the next return makes it a dead letter.
    #[must_use]
    pub fn returns_allowed(&self) -> Option<u32> {
        match (self.kind, self.delivery_limit, self.release) {
            (Kind::Classic, _, _) | (_, DeliveryLimit::Unlimited, _) | (_, DeliveryLimit::Default, Release::V3_10) => None,
            (_, DeliveryLimit::Default, Release::V4_0 | Release::V4_3) => Some(DELIVERY_LIMIT_SINCE_4_0),
            (_, DeliveryLimit::Returns(most), _) => Some(most),
        }
    }

    /// How long a delivery may stay unacknowledged, in microseconds.
    #[must_use]
    pub fn late_after_us(&self) -> Option<u64> {
        let knows = self.kind == Kind::Quorum || self.release < Release::V4_3;
        self.consumer_timeout_us.filter(|_| knows)
    }

    /// The level of a message of this priority: one of `x-max-priority`; in a quorum queue from 4.0 on high above 4, and low
    /// otherwise (*Quorum Queues*, message priorities).
    #[must_use]
    pub fn level(&self, priority: u8) -> u8 {
        match (self.kind, self.release) {
            (Kind::Classic, _) => priority.min(self.priorities),
            (Kind::Quorum, Release::V4_0) => u8::from(priority > 4),
            (Kind::Quorum, Release::V3_10 | Release::V4_3) => 0,
        }
    }

    /// Whether so many messages are more than may wait, by number or by bytes.
    #[must_use]
    pub fn is_over(&self, messages: u64) -> bool {
        let bytes = messages.saturating_mul(self.message_bytes);
        self.max_length.is_some_and(|most| messages > most) || self.max_bytes.is_some_and(|most| bytes > most)
    }

    /// Whether so many messages are few enough for a quorum queue to let publishers go on: four fifths of both limits
    /// (`rabbit_fifo:is_below_soft_limit`).
    #[must_use]
    pub fn is_roomy(&self, messages: u64) -> bool {
        let bytes = messages.saturating_mul(self.message_bytes);
        let fits = |most: Option<u64>, some: u64| most.is_none_or(|most| some <= most.saturating_mul(4) / 5);
        fits(self.max_length, messages) && fits(self.max_bytes, bytes)
    }

    /// Whether a dead letter stays until its target has confirmed it.
    #[must_use]
    pub fn keeps_dead_letters(&self) -> bool {
        let knows = self.kind == Kind::Quorum && self.overflow == Overflow::RejectPublish;
        self.at_least_once && self.dead_letters && knows
    }

    /// Whether what the queue refuses goes to its dead letters.
    #[must_use]
    pub fn refused_are_dead_letters(&self) -> bool {
        self.kind == Kind::Classic && self.overflow == Overflow::RejectPublishDlx
    }

    /// How many messages a consumer with this prefetch may hold.
    #[must_use]
    pub fn credit(&self, prefetch: u32) -> u32 {
        match (self.kind, prefetch) {
            (Kind::Classic, 0) => u32::MAX,
            (Kind::Quorum, 0) => QUORUM_PREFETCH,
            (_, some) => some,
        }
    }
}
