//! The words of SQS transcripts.
//!
//! The header says `queue: standard` or `queue: fifo`, then attributes under the service's names, times in seconds:
//! `VisibilityTimeout`, `DelaySeconds`, `MessageRetentionPeriod`, `ReceiveMessageWaitTimeSeconds`, `MaximumMessageSize`,
//! `ContentBasedDeduplication`, `DeduplicationScope`, `FifoThroughputLimit`; `InFlightLimit` and `ScanLimit` make quotas small. The queue
//! is called `work`. `maxReceiveCount` gives it a dead-letter queue `dlq`; `dlq` before an attribute's name sets that of the
//! dead-letter queue. `also` names one more queue of the same kind.
//!
//! | words | what they do |
//! | --- | --- |
//! | `publish A B@g1#d1 C+10s` | a `SendMessage` each: body, `@` group, `#` deduplication id, `+` delay, `*` bytes, `!` forbidden characters |
//! | `batch A B` | one `SendMessageBatch` of the same |
//! | `get 3 visibility 5s wait 20s attempt x` | `ReceiveMessage`; waits until it has an answer |
//! | `poll p 3 wait 20s` | a `ReceiveMessage` that waits beside the script: the answer comes as `p: A` |
//! | `ack A B`, `ack A handle 1`, `ack garbage` | a `DeleteMessage` each, with the newest receipt handle or the one of that receive |
//! | `ack-batch A B` | one `DeleteMessageBatch` |
//! | `visibility A 60s`, `nack A requeue` | `ChangeMessageVisibility`, for `nack` with zero |
//! | `wait 3s` | time passes: `s`, `m`, `h`, `d` |
//! | `counts` | how many are visible, in flight, delayed |
//! | `purge` | `PurgeQueue` |
//! | `redrive to other rate 1`, `redrive-status`, `redrive-cancel` | the message move task of `dlq` |
//! | `redrive-policy 3`, `redrive-allow nobody` | of `work` towards `dlq`, of `dlq` towards the other queue; of `dlq`: `all`, `nobody`, or a queue |
//! | `set VisibilityTimeout 60` | `SetQueueAttributes` |
//! | `id A`, `sequence A` | message id, in order of first sight, and sequence number of what was last sent or received |
//!
//! `to`, `from` or `on` with `dlq` or the other queue names a queue other than `work`. An answer has the bodies received,
//! `(rc 2)` where the receive count is above one, or `nothing`; what is accepted and says nothing gives no line; what is refused
//! gives the service's error code; `accepted, not stored` is a repeat.

pub mod topic;
mod words;

use crate::server::{QueueServer, Tag};
use crate::sqs::account::{Account, Handle, Polled, QueueId, RedriveAllow, TaskStatus, Ticket};
use crate::sqs::fault::Fault;
use crate::sqs::message::{Received, Send, Sent};
use crate::sqs::options::Options;
use crate::transcript::Transcript;
use words::{asked, attribute, code, message, number, seconds, time};

/// What is known of a body: handles of its receives in order, and what it was last sent or received as.
#[derive(Clone, Debug, Default)]
struct Known {
    name: String,
    handles: Vec<Handle>,
    id: u64,
    sequence: u64,
}

/// An account that answers the words of a transcript.
#[derive(Clone, Debug)]
pub struct Script {
    account: Account,
    now_us: u64,
    queues: Vec<String>,
    known: Vec<Known>,
    ids: Vec<u64>,
    polls: Vec<(Ticket, String)>,
}

impl Script {
    /// The queues that a header asks for.
    ///
    /// # Errors
    /// A line of the header that is not understood, or an attribute that the service refuses.
    pub fn new(header: &Transcript) -> Result<Self, String> {
        let kind = header.value("queue").unwrap_or("standard");
        let base = match kind {
            "standard" => Options::standard(),
            "fifo" => Options::fifo(),
            other => return Err(format!("no kind of queue: {other}")),
        };
        let (mut work, mut dlq) = (base, base);
        let mut max_receives = None;
        let mut also = None;
        for (name, value) in &header.header {
            match name.as_str() {
                "case" | "server" | "source" | "queue" | "topic" | "topic ContentBasedDeduplication" => {}
                "also" => also = Some(value.clone()),
                "maxReceiveCount" => max_receives = Some(number(value)?),
                _ => match name.strip_prefix("dlq ") {
                    Some(name) => attribute(&mut dlq, name, value)?,
                    None => attribute(&mut work, name, value)?,
                },
            }
        }
        let mut script = Self {
            account: Account::default(),
            now_us: 0,
            queues: Vec::new(),
            known: Vec::new(),
            ids: Vec::new(),
            polls: Vec::new(),
        };
        let coded = |fault: Fault| fault.code().to_owned();
        for (name, options) in
            [("work".to_owned(), work), ("dlq".to_owned(), dlq)].into_iter().chain(also.map(|name| (name, base)))
        {
            script.account.create(options).map_err(coded)?;
            script.queues.push(name);
        }
        if let Some(most) = max_receives {
            script.account.redrive_policy(0, QueueId(0), QueueId(1), most as u32).map_err(coded)?;
        }
        Ok(script)
    }

    /// Time passes up to a moment.
    pub fn pass(&mut self, until_us: u64) {
        self.now_us = self.now_us.max(until_us);
        self.account.advance(self.now_us);
    }

    /// The queues, for whoever puts something in front of them.
    pub fn account(&mut self) -> &mut Account {
        &mut self.account
    }

    /// The moment of the script.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        self.now_us
    }

    /// The number that stands for a body.
    pub fn body(&mut self, name: &str) -> u64 {
        let found = self.known.iter().position(|known| known.name == name);
        found.unwrap_or_else(|| {
            self.known.push(Known { name: name.to_owned(), ..Known::default() });
            self.known.len() - 1
        }) as u64
    }

    /// The queue with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn queue(&self, name: &str) -> Result<QueueId, String> {
        let place = self.queues.iter().position(|known| known == name);
        place.map(|place| QueueId(place as u32)).ok_or_else(|| format!("no queue {name}"))
    }

    /// Says a step's words to the service; what it does not understand it answers with a line that says so.
    pub fn say(&mut self, words: &str) -> Vec<String> {
        let mut lines = self.step(words).unwrap_or_else(|fault| vec![format!("not understood: {fault}")]);
        lines.extend(self.heard());
        for id in 0..self.queues.len() as u32 {
            if let Ok(queue) = self.account.queue(QueueId(id)) {
                queue.take_happenings();
            }
        }
        lines
    }

    fn step(&mut self, words: &str) -> Result<Vec<String>, String> {
        let mut words: Vec<&str> = words.split_whitespace().collect();
        let other = match words.iter().position(|word| ["to", "from", "on"].contains(word)) {
            Some(at) => {
                let name = words.get(at + 1).copied().ok_or("a queue's name is missing")?;
                words.drain(at..at + 2);
                Some(self.queue(name)?)
            }
            None => None,
        };
        let queue = other.unwrap_or(QueueId(0));
        let (verb, rest) = words.split_first().ok_or("no words")?;
        let now_us = self.now_us;
        match *verb {
            "publish" => self.publish(queue, rest),
            "batch" => self.batch(queue, rest),
            "get" => self.get(queue, rest),
            "poll" => {
                let (name, rest) = rest.split_first().ok_or("a poll has a name")?;
                let (ask, wait_us) = asked(rest)?;
                match self.account.receive(now_us, queue, ask, wait_us) {
                    Ok(Polled::Answer(received)) => Ok(vec![format!("{name}: {}", self.tell(queue, &received))]),
                    Ok(Polled::Waits(ticket)) => {
                        self.polls.push((ticket, (*name).to_owned()));
                        Ok(Vec::new())
                    }
                    Err(fault) => Ok(vec![format!("{name}: {}", fault.code())]),
                }
            }
            "ack" => self.ack(other, rest),
            "ack-batch" => self.ack_batch(other, rest),
            "visibility" => self.visibility(other, rest),
            "nack" => {
                let name = rest.first().ok_or("which message")?;
                self.visibility(other, &[name, "0s"])
            }
            "wait" => {
                self.pass(self.now_us.saturating_add(time(rest.first().ok_or("how long")?)?));
                Ok(Vec::new())
            }
            "counts" => {
                self.account.advance(now_us);
                let counts = self.account.queue(queue).map_err(|fault| fault.code())?.counts();
                Ok(vec![format!("visible {}, in flight {}, delayed {}", counts.ready, counts.held, counts.delayed)])
            }
            "purge" => Ok(code(self.account.purge(now_us, queue))),
            "redrive" => {
                let rate = rest.iter().position(|word| *word == "rate").and_then(|at| rest.get(at + 1));
                let rate = rate.map(|word| number(word)).transpose()?;
                Ok(code(self.account.start_move(now_us, QueueId(1), other, rate)))
            }
            "redrive-cancel" => Ok(match self.account.cancel_move(now_us, QueueId(1)) {
                Ok(moved) => vec![format!("moved {moved}")],
                Err(fault) => vec![fault.code().to_owned()],
            }),
            "redrive-status" => {
                let task = self.account.task(QueueId(1)).ok_or("no task")?;
                let status = match task.status {
                    TaskStatus::Running => "RUNNING",
                    TaskStatus::Completed => "COMPLETED",
                    TaskStatus::Cancelled => "CANCELLED",
                    TaskStatus::Failed => "FAILED",
                };
                Ok(vec![format!("{status}, moved {} of {}", task.moved, task.to_move)])
            }
            "redrive-policy" => {
                let most = number(rest.first().ok_or("how many receives")?)?;
                let dead_letters = if queue == QueueId(1) { QueueId(2) } else { QueueId(1) };
                Ok(code(self.account.redrive_policy(now_us, queue, dead_letters, most as u32)))
            }
            "redrive-allow" => {
                let allow = match *rest.first().ok_or("whom")? {
                    "all" => RedriveAllow::All,
                    "nobody" => RedriveAllow::Nobody,
                    name => RedriveAllow::Only(vec![self.queue(name)?]),
                };
                Ok(code(self.account.allow(QueueId(1), allow)))
            }
            "set" => {
                let [name, value] = rest else { return Err("a name and a value".to_owned()) };
                let queue = self.account.queue(queue).map_err(|fault| fault.code())?;
                let mut options = *queue.options();
                attribute(&mut options, name, value)?;
                Ok(code(queue.configure(now_us, options)))
            }
            "id" => {
                let known = self.named(rest.first().ok_or("which message")?)?.id;
                let place = self.ids.iter().position(|id| *id == known).unwrap_or_else(|| {
                    self.ids.push(known);
                    self.ids.len() - 1
                });
                Ok(vec![format!("id {}", place + 1)])
            }
            "sequence" => Ok(vec![self.named(rest.first().ok_or("which message")?)?.sequence.to_string()]),
            other => Err(other.to_owned()),
        }
    }

    fn publish(&mut self, queue: QueueId, words: &[&str]) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        for word in words {
            let (name, send) = self.message(word)?;
            let sent = self.account.send(self.now_us, queue, send);
            lines.extend(self.sent(&name, send.body, sent));
        }
        Ok(lines)
    }

    fn batch(&mut self, queue: QueueId, words: &[&str]) -> Result<Vec<String>, String> {
        let entries = words.iter().map(|word| self.message(word)).collect::<Result<Vec<_>, _>>()?;
        let ids: Vec<(u64, Send)> = (0..).zip(entries.iter().map(|(_, send)| *send)).collect();
        match self.account.send_batch(self.now_us, queue, &ids) {
            Err(fault) => Ok(vec![fault.batch_code().to_owned()]),
            Ok(sent) => {
                let told = entries.iter().zip(sent).map(|((name, send), sent)| self.sent(name, send.body, sent));
                Ok(told.flatten().collect())
            }
        }
    }

    fn sent(&mut self, name: &str, body: u64, sent: Result<Sent, Fault>) -> Option<String> {
        match sent {
            Err(fault) => Some(format!("{name}: {}", fault.code())),
            Ok(sent) => {
                let known = &mut self.known[body as usize];
                known.id = sent.id;
                known.sequence = sent.sequence.unwrap_or(0);
                if !self.ids.contains(&sent.id) {
                    self.ids.push(sent.id);
                }
                sent.copy.is_none().then(|| format!("{name}: accepted, not stored"))
            }
        }
    }

    fn get(&mut self, queue: QueueId, words: &[&str]) -> Result<Vec<String>, String> {
        let (ask, wait_us) = asked(words)?;
        let ticket = match self.account.receive(self.now_us, queue, ask, wait_us) {
            Err(fault) => return Ok(vec![fault.code().to_owned()]),
            Ok(Polled::Answer(received)) => return Ok(vec![self.tell(queue, &received)]),
            Ok(Polled::Waits(ticket)) => ticket,
        };
        let began_us = self.now_us;
        let mut lines = Vec::new();
        while let Some(due_us) = self.account.next_due_us() {
            self.now_us = self.now_us.max(due_us);
            self.account.advance(self.now_us);
            for (answered, at_us, received) in self.account.take_answers() {
                let told = self.tell(queue, &received);
                if answered == ticket {
                    lines.push(format!("after {}: {told}", seconds(at_us - began_us)));
                    return Ok(lines);
                }
                lines.extend(self.poll_line(answered, &told));
            }
        }
        Err("the receive never ended".to_owned())
    }

    fn heard(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for (ticket, _, received) in self.account.take_answers() {
            let told = self.tell(QueueId(0), &received);
            lines.extend(self.poll_line(ticket, &told));
        }
        lines
    }

    fn poll_line(&mut self, ticket: Ticket, told: &str) -> Option<String> {
        let place = self.polls.iter().position(|(known, _)| *known == ticket)?;
        Some(format!("{}: {told}", self.polls.remove(place).1))
    }

    fn ack(&mut self, from: Option<QueueId>, words: &[&str]) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        for (name, handle) in self.handles(words)? {
            let deleted = self.account.delete(self.now_us, from.unwrap_or(handle.queue), handle);
            lines.extend(deleted.err().map(|fault| format!("{name}: {}", fault.code())));
        }
        Ok(lines)
    }

    fn ack_batch(&mut self, from: Option<QueueId>, words: &[&str]) -> Result<Vec<String>, String> {
        let handles = self.handles(words)?;
        let entries: Vec<(u64, Handle)> = (0..).zip(handles.iter().map(|(_, handle)| *handle)).collect();
        Ok(match self.account.delete_batch(self.now_us, from.unwrap_or(QueueId(0)), &entries) {
            Err(fault) => vec![fault.code().to_owned()],
            Ok(deleted) => {
                let told = handles.iter().zip(deleted);
                told.filter_map(|((name, _), deleted)| Some(format!("{name}: {}", deleted.err()?.batch_code()))).collect()
            }
        })
    }

    fn visibility(&mut self, from: Option<QueueId>, words: &[&str]) -> Result<Vec<String>, String> {
        let [name, for_us, rest @ ..] = words else { return Err("a message and a time".to_owned()) };
        let for_us = time(for_us)?;
        let words: Vec<&str> = std::iter::once(name).chain(rest).copied().collect();
        let mut lines = Vec::new();
        for (name, handle) in self.handles(&words)? {
            let changed = self.account.change_visibility(self.now_us, from.unwrap_or(handle.queue), handle, for_us);
            lines.extend(changed.err().map(|fault| format!("{name}: {}", fault.code())));
        }
        Ok(lines)
    }

    fn handles(&self, words: &[&str]) -> Result<Vec<(String, Handle)>, String> {
        let at = words.iter().position(|word| *word == "handle");
        let which = at.and_then(|at| words.get(at + 1)).map(|word| number(word)).transpose()?;
        let handle = |name: &&str| {
            if *name == "garbage" {
                return Ok(((*name).to_owned(), Handle { queue: QueueId(0), tag: Tag(u64::MAX) }));
            }
            let handles = &self.named(name)?.handles;
            let place = which.map_or(handles.len(), |which| which as usize);
            let handle = place.checked_sub(1).and_then(|place| handles.get(place)).copied();
            Ok(((*name).to_owned(), handle.ok_or_else(|| format!("{name} was not received"))?))
        };
        words[..at.unwrap_or(words.len())].iter().map(handle).collect()
    }

    fn named(&self, name: &str) -> Result<&Known, String> {
        self.known.iter().find(|known| known.name == name).ok_or_else(|| format!("{name} was never sent"))
    }

    fn tell(&mut self, queue: QueueId, received: &[Received]) -> String {
        let mut told = Vec::new();
        for received in received {
            let Some(known) = self.known.get_mut(received.body as usize) else { continue };
            known.id = received.id;
            known.handles.push(Handle { queue, tag: received.tag });
            told.push(match received.receives {
                0 | 1 => known.name.clone(),
                receives => format!("{}(rc {receives})", known.name),
            });
        }
        if told.is_empty() { "nothing".to_owned() } else { told.join(" ") }
    }

    fn message(&mut self, word: &str) -> Result<(String, Send), String> {
        let (name, send) = message(word)?;
        Ok((name.to_owned(), Send { body: self.body(name), ..send }))
    }
}
