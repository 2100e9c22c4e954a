//! The words of SNS transcripts: those of SQS transcripts, and a topic in front of the queues.
//!
//! The header says `topic: standard` or `topic: fifo`, and `topic ContentBasedDeduplication` where a FIFO topic has it.
//!
//! | words | what they do |
//! | --- | --- |
//! | `subscribe work raw filter red,blue dead-letters dlq` | `Subscribe`; without `raw` the queue gets envelopes |
//! | `announce A@g1#d1^red` | a `Publish` each: body, `@` group, `#` deduplication id, `^` the attribute that filters look at, `*` bytes |
//! | `reach work down` | deliveries to a queue fail from now on: `down` its service, `denied` for good; `up` again |
//! | `discarded` | how many were given up without a dead-letter queue |
//!
//! What was received from a queue that gets envelopes is written `Notification(A)`.

use super::Script;
use super::words::{hash, number, time};
use crate::sqs::account::QueueId;
use crate::sqs::sns::{FifoTopic, Health, Notice, Subscription, Topic, TopicFault};
use crate::transcript::Transcript;

/// A topic and its queues that answer the words of a transcript.
#[derive(Clone, Debug)]
pub struct TopicScript {
    script: Script,
    topic: Topic,
    enveloped: Vec<QueueId>,
}

impl TopicScript {
    /// The topic and the queues that a header asks for.
    ///
    /// # Errors
    /// A line of the header that is not understood, or an attribute that the service refuses.
    pub fn new(header: &Transcript) -> Result<Self, String> {
        let content_based = header.value("topic ContentBasedDeduplication") == Some("true");
        let fifo = match header.value("topic") {
            Some("standard") | None => None,
            Some("fifo") => Some(FifoTopic { content_based }),
            Some(other) => return Err(format!("no kind of topic: {other}")),
        };
        Ok(Self { script: Script::new(header)?, topic: Topic::new(fifo), enveloped: Vec::new() })
    }

    /// Says a step's words to the service; what it does not understand it answers with a line that says so.
    pub fn say(&mut self, words: &str) -> Vec<String> {
        let mut parts = words.split_whitespace();
        let verb = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        let done = match verb {
            "subscribe" => self.subscribe(&rest),
            "announce" => self.announce(&rest),
            "reach" => self.reach(&rest),
            "discarded" => Ok(vec![format!("discarded {}", self.topic.discarded())]),
            "wait" => self.wait(&rest),
            _ => Ok(self.ask(words, &rest)),
        };
        done.unwrap_or_else(|fault| vec![format!("not understood: {fault}")])
    }

    fn subscribe(&mut self, words: &[&str]) -> Result<Vec<String>, String> {
        let mut words = words.iter();
        let queue = self.script.queue(words.next().ok_or("which queue")?)?;
        let mut subscription = Subscription::new(queue);
        while let Some(word) = words.next() {
            match *word {
                "raw" => subscription.raw = true,
                "filter" => {
                    let values = words.next().ok_or("which values")?.split(',').map(hash).collect();
                    subscription.filter = Some(values);
                }
                "dead-letters" => subscription.dead_letters = Some(self.script.queue(words.next().ok_or("which queue")?)?),
                other => return Err(other.to_owned()),
            }
        }
        let raw = subscription.raw;
        let done = self.topic.subscribe(self.script.account(), subscription);
        if done.is_ok() && !raw {
            self.enveloped.push(queue);
        }
        Ok(done.err().map(|fault| fault.code().to_owned()).into_iter().collect())
    }

    fn announce(&mut self, words: &[&str]) -> Result<Vec<String>, String> {
        let now_us = self.script.now_us();
        let mut lines = Vec::new();
        for word in words {
            let (name, notice) = self.notice(word)?;
            lines.extend(match self.topic.publish(now_us, self.script.account(), notice) {
                Ok(true) => None,
                Ok(false) => Some(format!("{name}: accepted, not sent on")),
                Err(fault) => Some(format!("{name}: {}", TopicFault::code(fault))),
            });
        }
        Ok(lines)
    }

    fn reach(&mut self, words: &[&str]) -> Result<Vec<String>, String> {
        let [name, health] = words else { return Err("a queue and how it is".to_owned()) };
        let queue = self.script.queue(name)?;
        self.topic.subscription(queue).ok_or("not subscribed")?.health = match *health {
            "up" => Health::Up,
            "down" => Health::Down,
            "denied" => Health::Denied,
            other => return Err(other.to_owned()),
        };
        Ok(Vec::new())
    }

    fn wait(&mut self, words: &[&str]) -> Result<Vec<String>, String> {
        let until_us = self.script.now_us().saturating_add(time(words.first().ok_or("how long")?)?);
        while let Some(due_us) = self.topic.next_due_us().filter(|due_us| *due_us <= until_us) {
            self.script.pass(due_us);
            self.topic.advance(due_us, self.script.account());
        }
        self.script.pass(until_us);
        Ok(Vec::new())
    }

    /// Words for the queues; envelopes around what comes out of them.
    fn ask(&mut self, words: &str, rest: &[&str]) -> Vec<String> {
        let answer = self.script.say(words);
        let from = rest.iter().position(|word| *word == "from").and_then(|at| rest.get(at + 1)).copied();
        let queue = self.script.queue(from.unwrap_or("work"));
        if !words.starts_with("get") || !queue.is_ok_and(|queue| self.enveloped.contains(&queue)) {
            return answer;
        }
        let wrap = |body: &str| match body {
            "nothing" | "after" => body.to_owned(),
            time if time.ends_with(':') => body.to_owned(),
            body => format!("Notification({body})"),
        };
        answer.iter().map(|line| line.split(' ').map(wrap).collect::<Vec<_>>().join(" ")).collect()
    }

    fn notice(&mut self, word: &str) -> Result<(String, Notice), String> {
        let is_mark = |letter: char| "@#^*".contains(letter);
        let (name, mut rest) = word.split_at(word.find(is_mark).unwrap_or(word.len()));
        let mut notice = Notice::new(self.script.body(name));
        while let Some(mark) = rest.chars().next() {
            let value = &rest[1..];
            let (value, next) = value.split_at(value.find(is_mark).unwrap_or(value.len()));
            match mark {
                '@' => notice.group = Some(hash(value)),
                '#' => notice.dedup = Some(hash(value)),
                '^' => notice.attribute = Some(hash(value)),
                _ => notice.bytes = number(value)? as u32,
            }
            rest = next;
        }
        Ok((name.to_owned(), notice))
    }
}
