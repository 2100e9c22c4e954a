//! Scripts of share groups.
//!
//! Header, where it is not Kafka's default: `lock: 3s`, `delivery count limit: 5`, `max record locks: 200`, `renew: yes`.
//!
//! | words | meaning |
//! | --- | --- |
//! | `publish A B C` | Records with these names, in order. |
//! | `get 2` | A consumer takes up to two; `get 1 wait 10s` waits for one. Lines: `A(dc 1)`, with the moment if it waited. |
//! | `ack A`, `nack A requeue`, `reject A`, `renew A` | Accept, release, reject, renew; an error has Kafka's name. |
//! | `close` | The consumer leaves; what it had comes back. |
//! | `wait 3s` | Time passes. |
//! | `window` | The start offset and the width of the window. |
//!
//! The consumer is `c1`; another one's name comes first: `c2 get 1`. An archived record is a line of its own.

use super::script::{micros, seconds};
use super::share::{Share, ShareSettings};
use crate::server::{Consumer, Publish, QueueServer, Refusal, Settle, Tag, What, Why};
use crate::transcript::Transcript;

/// A share group that is spoken to.
#[derive(Debug)]
pub struct ShareScript {
    share: Share,
    names: Vec<String>,
    /// The last tag under which each consumer had each record.
    tags: Vec<(Consumer, u64, Tag)>,
    now_us: u64,
}

impl ShareScript {
    /// The group that a header asks for.
    ///
    /// # Errors
    /// The header line that cannot be read.
    pub fn open(header: &Transcript) -> Result<Self, String> {
        let mut settings = ShareSettings::default();
        if let Some(text) = header.value("lock") {
            settings.lock_us = micros(text).ok_or_else(|| format!("`lock` is no duration: `{text}`"))?;
        }
        for (name, slot) in [("delivery count limit", &mut settings.limit), ("max record locks", &mut settings.window)] {
            if let Some(text) = header.value(name) {
                *slot = text.parse().map_err(|_| format!("`{name}` is no number: `{text}`"))?;
            }
        }
        settings.renews = header.value("renew") == Some("yes");
        Ok(Self { share: Share::new(settings), names: Vec::new(), tags: Vec::new(), now_us: 0 })
    }

    /// Says a step's words.
    pub fn say(&mut self, words: &str) -> Vec<String> {
        let mut words: Vec<&str> = words.split_whitespace().collect();
        let named = words.first().and_then(|word| word.strip_prefix('c')).and_then(|number| number.parse().ok());
        if named.is_some() {
            words.remove(0);
        }
        let consumer = Consumer(named.unwrap_or(1));
        let answer = self.act(consumer, &words);
        let mut lines: Vec<String> = Vec::new();
        for happening in self.share.take_happenings() {
            let name = self.names.get(usize::try_from(happening.body).unwrap_or(usize::MAX)).map_or("?", String::as_str);
            let why = match happening.what {
                What::DroppedHeld(Why::Limit) => "delivered as often as it may be",
                What::DroppedHeld(Why::Rejected) => "rejected",
                _ => continue,
            };
            lines.push(format!("{} {name} archived: {why}", seconds(happening.at_us)));
        }
        lines.extend(answer);
        lines
    }

    fn act(&mut self, consumer: Consumer, words: &[&str]) -> Vec<String> {
        let (first, rest) = words.split_first().map_or(("", words), |(first, rest)| (*first, rest));
        let how = match first {
            "publish" => {
                for name in rest {
                    let body = self.names.len() as u64;
                    self.names.push((*name).to_owned());
                    self.share.publish(self.now_us, Publish { body, ..Publish::default() });
                }
                return Vec::new();
            }
            "get" => return self.get(consumer, rest),
            "wait" => {
                let us = rest.first().and_then(|text| micros(text)).unwrap_or(0);
                self.now_us = self.now_us.saturating_add(us);
                self.share.advance(self.now_us);
                return Vec::new();
            }
            "close" => {
                self.share.close(self.now_us, consumer);
                return Vec::new();
            }
            "window" => {
                let (start, width) = self.share.window();
                return vec![format!("from {start}, {width} wide")];
            }
            "ack" => Settle::Ack,
            "nack" => Settle::Requeue,
            "reject" => Settle::Reject,
            "renew" => Settle::Extend { for_us: 0 },
            other => return vec![format!("`{other}` is no word here")],
        };
        let mut lines = Vec::new();
        for name in rest.iter().filter(|word| **word != "requeue") {
            if let Err(refusal) = self.settle(consumer, name, how) {
                lines.push(refusal_name(refusal).to_owned());
            }
        }
        lines
    }

    fn settle(&mut self, consumer: Consumer, name: &str, how: Settle) -> Result<(), Refusal> {
        let body = self.names.iter().position(|known| known == name).ok_or(Refusal::Unknown)? as u64;
        let of = |entry: &&(Consumer, u64, Tag)| entry.1 == body;
        // Its own last delivery, or else that of whoever had the record: the broker is to see who asks.
        let own = self.tags.iter().find(|entry| entry.0 == consumer && of(entry));
        let tag = own.or_else(|| self.tags.iter().find(of)).ok_or(Refusal::Unknown)?.2;
        self.share.settle(self.now_us, consumer, tag, how)
    }

    fn get(&mut self, consumer: Consumer, words: &[&str]) -> Vec<String> {
        let most = words.first().and_then(|text| text.parse().ok()).unwrap_or(1);
        let waits = words.iter().position(|word| *word == "wait");
        let patience = waits.and_then(|at| words.get(at + 1)).and_then(|text| micros(text)).unwrap_or(0);
        let until_us = self.now_us.saturating_add(patience);
        loop {
            let given = self.share.receive(self.now_us, consumer, most);
            if !given.is_empty() {
                let mut words = Vec::new();
                for delivery in given {
                    self.tags.retain(|(by, body, _)| (*by, *body) != (consumer, delivery.body));
                    self.tags.push((consumer, delivery.body, delivery.tag));
                    let name = self.names.get(usize::try_from(delivery.body).unwrap_or(usize::MAX));
                    words.push(format!("{}(dc {})", name.map_or("?", String::as_str), delivery.count));
                }
                let text = words.join(" ");
                return vec![if waits.is_some() { format!("{} {text}", seconds(self.now_us)) } else { text }];
            }
            match self.share.next_due_us().filter(|&due_us| due_us <= until_us) {
                Some(due_us) => self.now_us = due_us,
                None => {
                    self.now_us = until_us;
                    return vec!["nothing".to_owned()];
                }
            }
        }
    }
}

const fn refusal_name(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Stale => "INVALID_RECORD_STATE",
        Refusal::Invalid => "INVALID_REQUEST",
        Refusal::Unknown | Refusal::OverLimit | Refusal::Full | Refusal::Unavailable => "never delivered",
    }
}
