//! One queue: what waits, what is held, who is served, and what comes of a message that fails, expires or does not fit.
//!
//! Each call does its parts in the order in which the sources of 3.10 do them (`rabbit_amqqueue_process` for classic
//! queues, `rabbit_fifo` for quorum queues); the transcripts show where the order can be seen.

mod discards;
mod settling;

use discards::Discards;

use super::ready::{Message, NEVER, Ready};
use super::settings::{Kind, Overflow, Release, Settings};
use super::turns::{Holder, Turns};
use crate::server::{Consumer, CopyId, Happening, Publish, Published, Refusal, What, Why};
use crate::sorted::SortedMap;

/// Where a message in someone's hands is found: who has it, and the number of its delivery.
pub(super) type Ticket = (Holder, u64);

/// A message that was handed out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handed {
    pub ticket: Ticket,
    pub message: Message,
}

/// A message in someone's hands.
#[derive(Clone, Copy, Debug)]
pub(super) struct InHands {
    pub message: Message,
    pub since_us: u64,
}

/// The state of a queue.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    settings: Settings,
    ready: Ready,
    discards: Discards,
    held: SortedMap<Ticket, InHands>,
    turns: Turns,
    copies: u64,
    deliveries: u64,
    /// When a classic queue with priorities looks next for what has expired; `NEVER` if it does not.
    looks_us: u64,
    /// The publishers that a quorum queue knows, and whether it told them to stop.
    publishers: SortedMap<u32, bool>,
    pushed: Vec<Handed>,
    happened: Vec<Happening>,
    /// Ends of a quorum queue's command that are told after those of its surplus.
    told_last: Vec<Happening>,
}

impl Queue {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            ready: Ready::new(&settings),
            discards: Discards::default(),
            held: SortedMap::default(),
            turns: Turns::new(settings.kind, settings.single_active),
            copies: 0,
            deliveries: 0,
            looks_us: NEVER,
            publishers: SortedMap::default(),
            pushed: Vec::new(),
            happened: Vec::new(),
            told_last: Vec::new(),
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn ready(&self) -> &Ready {
        &self.ready
    }

    pub(super) fn held(&self) -> u64 {
        self.held.len() as u64
    }

    pub(super) fn has_subscribers(&self) -> bool {
        !self.turns.is_empty()
    }

    /// What this holder has, the oldest delivery first.
    pub(super) fn held_by(&self, who: Holder) -> impl Iterator<Item = (Ticket, &InHands)> {
        self.held.range((who, 0)..=(who, u64::MAX))
    }

    /// Other settings from now on; what waits keeps the time to live that it has. The type stays.
    pub(super) fn tune(&mut self, now_us: u64, settings: Settings) {
        self.settings = Settings { kind: self.settings.kind, ..settings };
        match self.settings.kind {
            Kind::Classic => {
                self.drop_heads(now_us);
            }
            Kind::Quorum => self.check_out(now_us),
        }
    }

    pub(super) fn holds(&self, ticket: Ticket) -> bool {
        self.held.contains_key(ticket)
    }

    /// How many deliveries there were: the number of the next one.
    pub(super) fn deliveries(&self) -> u64 {
        self.deliveries
    }

    /// What subscribers were given since the last time someone asked.
    pub(super) fn take_pushed(&mut self) -> Vec<Handed> {
        std::mem::take(&mut self.pushed)
    }

    pub(super) fn take_happened(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.happened)
    }

    fn tell(&mut self, at_us: u64, message: &Message, what: What) {
        self.happened.push(Happening { at_us, copy: CopyId(message.copy), body: message.body, what });
    }

    /// A message leaves the queue by other than an acknowledgement.
    fn remove(&mut self, at_us: u64, message: &Message, held: bool, why: Why) {
        if self.settings.keeps_dead_letters() {
            return self.keep(at_us, message, held, why);
        }
        let what = match (self.settings.dead_letters, held) {
            (true, false) => What::DeadLettered(why),
            (true, true) => What::DeadLetteredHeld(why),
            (false, false) => What::Dropped(why),
            (false, true) => What::DroppedHeld(why),
        };
        self.tell(at_us, message, what);
        // What does not fit goes first, whatever else a command ends (`rabbit_fifo:evaluate_limit` puts it before the rest).
        if self.settings.kind == Kind::Quorum && self.settings.release < Release::V4_3 && why != Why::MaxLength {
            self.told_last.extend(self.happened.pop());
        }
    }

    // Publishing.

    /// Stores a message. A quorum queue remembers which publishers it told to stop; none is a dead letter that arrives,
    /// which is never refused there (`rabbit_fifo`: an enqueue without a sender is not tracked).
    pub(super) fn publish(&mut self, now_us: u64, letter: &Publish, publisher: Option<u32>) -> Published {
        let message = self.message(now_us, letter);
        if self.refuses(publisher) {
            if self.settings.refused_are_dead_letters() {
                self.copies += 1;
                self.tell(now_us, &message, What::Stored);
                self.remove(now_us, &message, false, Why::MaxLength);
            }
            return Published::Refused(Refusal::Full);
        }
        self.copies += 1;
        self.tell(now_us, &message, What::Stored);
        match self.settings.kind {
            Kind::Classic => self.publish_classic(now_us, message),
            Kind::Quorum => {
                self.ready.push_last(message);
                self.check_out(now_us);
            }
        }
        Published::Stored(CopyId(message.copy))
    }

    fn message(&self, now_us: u64, letter: &Publish) -> Message {
        let ttl_us = match (self.settings.ttl_us, letter.ttl_us) {
            (Some(queue), Some(own)) => Some(queue.min(own)),
            (queue, own) => queue.or(own),
        };
        // A quorum queue makes a time to live of zero one of a millisecond, so that a consumer that waits gets it.
        let least_us = if self.settings.kind == Kind::Quorum { 1_000 } else { 0 };
        let expires_us = ttl_us.map_or(NEVER, |ttl_us| now_us.saturating_add(ttl_us.max(least_us)));
        let priority = self.settings.level(letter.priority);
        Message { copy: self.copies, body: letter.body, expires_us, deliveries: 0, returns: 0, priority }
    }

    fn refuses(&mut self, publisher: Option<u32>) -> bool {
        if self.settings.overflow == Overflow::DropHead {
            return false;
        }
        let full = self.full();
        match self.settings.kind {
            Kind::Classic => self.settings.is_over(self.ready.len() + 1),
            Kind::Quorum => publisher.is_some_and(|who| *self.publishers.or_insert(who, full)),
        }
    }

    fn publish_classic(&mut self, now_us: u64, message: Message) {
        // A subscriber that waits has emptied the queue.
        if self.ready.len() == 0
            && let Some(who) = self.turns.next()
        {
            self.hand(now_us, who, message, true);
            return;
        }
        self.ready.push_last(message);
        let dropped = self.drop_heads(now_us);
        // It looks at its head only where that may be another one (`rabbit_amqqueue_process:deliver_or_enqueue`), so one
        // that goes before all others by its priority may expire late.
        if dropped || self.ready.len() == 1 {
            self.expire(now_us);
        }
        // Someone may wait beside a queue that is not empty: who became the active consumer by another's cancelling.
        self.serve(now_us);
    }

    /// What waits, and the dead letters that stay, which count as well (`rabbit_fifo:is_over_limit`).
    fn length(&self) -> u64 {
        self.ready.len() + self.discards.len()
    }

    fn full(&self) -> bool {
        self.settings.is_over(self.length())
    }

    /// Heads make room. Says whether one did.
    fn drop_heads(&mut self, now_us: u64) -> bool {
        if self.settings.overflow != Overflow::DropHead {
            return false;
        }
        let mut dropped = Vec::new();
        while self.full()
            && let Some(message) = self.ready.pop()
        {
            dropped.push(message);
        }
        if self.settings.kind == Kind::Quorum && self.settings.release < Release::V4_3 {
            // Several that one command pushes out become dead letters the last one first (corrected by pull request 14926).
            dropped.reverse();
        }
        for message in &dropped {
            self.remove(now_us, message, false, Why::MaxLength);
        }
        !dropped.is_empty()
    }

    /// What a quorum queue does at the end of each command: heads make room, or publishers stop or go on.
    fn limit(&mut self, now_us: u64) {
        self.drop_heads(now_us);
        self.happened.append(&mut self.told_last);
        if self.settings.overflow == Overflow::DropHead {
            return;
        }
        if self.full() {
            self.publishers.values_mut().for_each(|stopped| *stopped = true);
        } else if self.settings.is_roomy(self.length()) {
            self.publishers.values_mut().for_each(|stopped| *stopped = false);
        }
    }

    /// A publisher's channel is gone.
    pub(super) fn forget_publisher(&mut self, publisher: u32) {
        self.publishers.remove(publisher);
    }

    // Time to live.

    /// When the message at the head expires, or when it is looked for. Those behind it wait for it, whatever their own time is.
    pub(super) fn next_due_us(&self) -> Option<u64> {
        let due_us = if self.looks_by_itself() { self.looks_us } else { self.head_expires_us() };
        (due_us != NEVER).then_some(due_us)
    }

    fn head_expires_us(&self) -> u64 {
        self.ready.front().map_or(NEVER, |message| message.expires_us)
    }

    /// Whether it may overlook that its head expires: then a timer of its own says when it looks.
    fn looks_by_itself(&self) -> bool {
        self.settings.kind == Kind::Classic && self.settings.priorities > 0
    }

    fn expire(&mut self, now_us: u64) {
        while let Some(head) = self.ready.front()
            && head.expires_us <= now_us
            && let Some(message) = self.ready.pop()
        {
            self.remove(now_us, &message, false, Why::Expired);
        }
        // A timer that runs is changed only for a head that expires more than a millisecond earlier (`ensure_ttl_timer`).
        let head_us = self.head_expires_us();
        if self.looks_by_itself() && head_us.saturating_add(1_000) < self.looks_us {
            self.looks_us = head_us;
        }
    }

    /// Lets the head expire if it is due. Time that passes serves nobody: what can be delivered has been.
    pub(super) fn advance(&mut self, now_us: u64) {
        if self.looks_by_itself() {
            if self.looks_us > now_us {
                return;
            }
            self.looks_us = NEVER;
        }
        self.expire(now_us);
        if self.settings.kind == Kind::Quorum {
            self.limit(now_us);
        }
    }

    // Handing out.

    fn hand(&mut self, now_us: u64, who: Holder, mut message: Message, push: bool) -> Handed {
        let ticket = (who, self.deliveries);
        self.deliveries += 1;
        message.deliveries = message.deliveries.saturating_add(1);
        self.held.insert(ticket, InHands { message, since_us: now_us });
        self.tell(now_us, &message, What::Delivered(Consumer(who)));
        let handed = Handed { ticket, message };
        if push {
            self.pushed.push(handed);
        }
        handed
    }

    /// Hands the next message to who asks for one (`basic.get`).
    pub(super) fn take(&mut self, now_us: u64, who: Holder) -> Option<Handed> {
        // A classic queue looks for what has expired after each message that it gives, not before.
        if self.settings.kind == Kind::Quorum {
            self.expire(now_us);
        }
        let Some(message) = self.ready.pop() else {
            self.happened.append(&mut self.told_last);
            return None;
        };
        let handed = self.hand(now_us, who, message, false);
        match self.settings.kind {
            Kind::Classic => self.expire(now_us),
            Kind::Quorum => self.limit(now_us),
        }
        Some(handed)
    }

    /// Serves subscribers as long as there is someone to serve and something to serve.
    fn serve(&mut self, now_us: u64) {
        if self.turns.is_empty() {
            return;
        }
        if self.settings.kind == Kind::Quorum {
            self.expire(now_us);
        }
        while self.ready.len() > 0 {
            let Some(who) = self.turns.next() else { return };
            if let Some(message) = self.ready.pop() {
                self.hand(now_us, who, message, true);
            }
            self.expire(now_us);
        }
    }

    /// The end of each command of a quorum queue.
    fn check_out(&mut self, now_us: u64) {
        self.expire(now_us);
        self.serve(now_us);
        self.limit(now_us);
    }

    /// After a change of what may be delivered or to whom.
    fn run(&mut self, now_us: u64) {
        match self.settings.kind {
            Kind::Classic => self.serve(now_us),
            Kind::Quorum => self.check_out(now_us),
        }
    }

    /// A subscriber comes (`basic.consume`).
    pub(super) fn subscribe(&mut self, now_us: u64, who: Holder, channel: u32, prefetch: u32) {
        self.turns.join(who, channel, self.settings.credit(prefetch));
        self.run(now_us);
    }

    /// A subscriber goes and keeps what it holds (`basic.cancel`).
    pub(super) fn cancel(&mut self, now_us: u64, who: Holder) {
        self.turns.leave(who);
        // A classic queue serves the next active consumer only when something else happens to it.
        if self.settings.kind == Kind::Quorum {
            self.check_out(now_us);
        }
    }
}
