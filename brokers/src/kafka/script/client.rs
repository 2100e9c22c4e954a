//! One producer, and a log for each partition that takes what arrives, with the checks of an idempotent producer's batches.
//!
//! Header: `partitions` (1; partition n is led by broker n), and the producer's settings: `acks`, `enable.idempotence`,
//! `linger.ms`, `batch.size`, `buffer.memory`, `delivery.timeout.ms`, `request.timeout.ms`, `retries`, `retry.backoff.ms`,
//! `max.in.flight.requests.per.connection`, `record.bytes` (100).
//!
//! | words | answer |
//! | --- | --- |
//! | `send A B`, `send A to 1` | nothing, or the first record's error |
//! | `wait 5ms` | what leaves and what completes, with the time since the script began; a batch in brackets |
//! | `store A` | the batch that begins with A arrives and is answered: `at 0`, or the broker's error |
//! | `store A unheard` | it arrives, the answer is lost |
//! | `refuse A NOT_ENOUGH_REPLICAS` | it is answered with an error |
//! | `log`, `log 1` | what a partition's log holds |
//! | `place user-2 6` | the partition of a key, by the Java client and by librdkafka |

use super::words::{Header, after, list, time};
use crate::kafka::error::Error;
use crate::kafka::idempotence::{Identity, Producers, Verdict};
use crate::kafka::partition::Acks;
use crate::kafka::partitioner;
use crate::kafka::producer::{BatchId, Completed, Options, Outgoing, Producer};
use crate::transcript::Transcript;

/// The machines of one script.
#[derive(Debug)]
pub struct Client {
    now_us: u64,
    producer: Producer,
    record_bytes: u64,
    /// Names in each batch, by its number.
    batches: Vec<Vec<String>>,
    /// What is on its way, the latest attempt of each.
    sent: Vec<Outgoing>,
    logs: Vec<(Producers, Vec<String>)>,
}

impl Client {
    /// The machines that a header asks for.
    ///
    /// # Errors
    /// The header line that cannot be read.
    pub fn new(transcript: &Transcript) -> Result<Self, String> {
        let header = Header(transcript);
        let base = Options::default();
        let narrow =
            |name: &str, without: u32| header.number(name, u64::from(without)).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let options = Options {
            acks: match transcript.value("acks") {
                Some("0") => Acks::None,
                Some("1") => Acks::Leader,
                Some(_) | None => Acks::All,
            },
            idempotent: header.flag("enable.idempotence", base.idempotent)?,
            linger_us: header.ms("linger.ms", base.linger_us)?,
            batch_bytes: header.number("batch.size", base.batch_bytes)?,
            buffer_bytes: header.number("buffer.memory", base.buffer_bytes)?,
            delivery_us: header.ms("delivery.timeout.ms", base.delivery_us)?,
            request_us: header.ms("request.timeout.ms", base.request_us)?,
            retries: narrow("retries", base.retries)?,
            backoff_us: header.ms("retry.backoff.ms", base.backoff_us)?,
            in_flight: narrow("max.in.flight.requests.per.connection", base.in_flight)?,
            ..base
        };
        let partitions = narrow("partitions", 1)?.min(100);
        let leaders: Vec<u32> = (0..partitions).collect();
        Ok(Self {
            now_us: 0,
            producer: Producer::new(0, options, Identity { producer: 0, epoch: 0 }, &leaders),
            record_bytes: header.number("record.bytes", 100)?,
            batches: Vec::new(),
            sent: Vec::new(),
            logs: leaders.iter().map(|_| (Producers::default(), Vec::new())).collect(),
        })
    }

    /// Does what the words say and gives the answer's lines.
    pub fn say(&mut self, said: &str) -> Vec<String> {
        let words: Vec<&str> = said.split_whitespace().collect();
        let Some((verb, rest)) = words.split_first() else { return vec!["no words".to_owned()] };
        let lines = match *verb {
            "send" => Some(self.send(rest)),
            "wait" => rest.first().and_then(|word| time(word)).map(|us| self.wait(us)),
            "store" => self.store(rest),
            "refuse" => self.refuse(rest),
            "log" => {
                let partition: usize = rest.first().and_then(|word| word.parse().ok()).unwrap_or(0);
                self.logs.get(partition).map(|(_, names)| vec![list(names)])
            }
            "place" => place(rest).map(|line| vec![line]),
            _ => None,
        };
        lines.unwrap_or_else(|| vec![format!("? {said}")])
    }

    fn send(&mut self, words: &[&str]) -> Vec<String> {
        let partition = after(words, "to").and_then(|word| word.parse().ok()).unwrap_or(0);
        for name in words.iter().take_while(|word| **word != "to") {
            match self.producer.send(self.now_us, partition, self.record_bytes) {
                Ok(queued) => {
                    let place = usize::try_from(queued.batch.0).unwrap_or(usize::MAX);
                    if place >= self.batches.len() {
                        self.batches.resize(place + 1, Vec::new());
                    }
                    self.batches[place].push((*name).to_owned());
                }
                Err(error) => return vec![error.name().to_owned()],
            }
        }
        self.leave()
    }

    fn wait(&mut self, for_us: u64) -> Vec<String> {
        let until_us = self.now_us.saturating_add(for_us);
        let mut lines = Vec::new();
        while let Some(due_us) = self.producer.next_due_us().filter(|due_us| *due_us <= until_us) {
            self.now_us = due_us;
            self.producer.advance(due_us);
            lines.extend(self.leave());
        }
        self.now_us = until_us;
        lines
    }

    /// What can leave now does; what completed is told.
    fn leave(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let outgoing = self.producer.take_ready(self.now_us);
            let done = self.producer.take_completed();
            lines.extend(done.iter().map(|completed| self.tell(completed)));
            if outgoing.is_empty() {
                return lines;
            }
            for sent in outgoing {
                let number = sent.sequenced.map_or(String::new(), |batch| format!(" seq {}", batch.first));
                let again = if sent.attempt > 1 { " again" } else { "" };
                lines.push(format!("{} sends [{}]{number}{again}", millis(self.now_us), self.names(sent.batch).join(" ")));
                self.sent.retain(|known| known.batch != sent.batch);
                self.sent.push(sent);
            }
        }
    }

    fn tell(&self, completed: &Completed) -> String {
        let result = completed.result.map_or_else(Error::name, |()| "acked");
        format!("{} [{}] {result}", millis(completed.at_us), self.names(completed.batch).join(" "))
    }

    fn names(&self, batch: BatchId) -> &[String] {
        usize::try_from(batch.0).ok().and_then(|place| self.batches.get(place)).map_or(&[], Vec::as_slice)
    }

    fn flying(&self, name: &str) -> Option<Outgoing> {
        self.sent.iter().find(|sent| self.names(sent.batch).first().is_some_and(|first| first == name)).copied()
    }

    fn store(&mut self, words: &[&str]) -> Option<Vec<String>> {
        let sent = self.flying(words.first()?)?;
        let names = self.names(sent.batch).to_vec();
        let (producers, log) = self.logs.get_mut(sent.partition as usize)?;
        let verdict = sent.sequenced.map_or(Ok(Verdict::Append), |batch| producers.judge(batch));
        let (said, result) = match verdict {
            Ok(Verdict::Duplicate { base }) => (format!("again at {base}"), Ok(())),
            Ok(Verdict::Append) => {
                let base = log.len() as u64;
                if let Some(batch) = sent.sequenced {
                    producers.appended(self.now_us, batch, base);
                }
                log.extend(names);
                (format!("at {base}"), Ok(()))
            }
            Err(error) => (error.name().to_owned(), Err(error)),
        };
        let mut lines = vec![said];
        if !words.contains(&"unheard") {
            self.producer.answered(self.now_us, &sent, result);
            lines.extend(self.leave());
        }
        Some(lines)
    }

    fn refuse(&mut self, words: &[&str]) -> Option<Vec<String>> {
        const KNOWN: [Error; 5] =
            [Error::NotEnoughReplicas, Error::NotLeader, Error::Disconnected, Error::RecordTooLarge, Error::TimedOut];
        let sent = self.flying(words.first()?)?;
        let error = KNOWN.into_iter().find(|error| Some(&error.name()) == words.get(1))?;
        self.producer.answered(self.now_us, &sent, Err(error));
        Some(self.leave())
    }
}

fn place(words: &[&str]) -> Option<String> {
    let (key, partitions) = (words.first()?.as_bytes(), words.get(1)?.parse().ok()?);
    let theirs = partitioner::librdkafka(key, partitions)?;
    Some(format!("java {}, librdkafka {theirs}", partitioner::java(key, partitions)))
}

fn millis(us: u64) -> String {
    format!("{}ms", us / 1_000)
}
