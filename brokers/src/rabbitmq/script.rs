//! Plays the words of a transcript on a [`Broker`].

use std::collections::BTreeMap;

use super::arguments;
use super::broker::Broker;
use super::exchange::Binding;
use super::letter::{Answer, DeadLetterTo, Delivered, Heard, Letter, Verdict};
use super::settings::Settings;
use super::words::{self, Bind, Call, How, MAIN_QUEUE, Out};
use crate::transcript::Transcript;

/// A broker that is spoken to in words.
#[derive(Debug)]
pub struct Script {
    broker: Broker,
    /// What a queue has that is declared without arguments.
    usual: Settings,
    now_us: u64,
    /// Who speaks; the place is the number of the channel.
    people: Vec<String>,
    /// By channel and name, the tag of the newest delivery.
    tags: BTreeMap<(u32, String), u64>,
}

impl Script {
    /// Makes what the header asks for.
    ///
    /// # Errors
    /// A line of the header that is not understood.
    pub fn open(transcript: &Transcript) -> Result<Self, String> {
        let release = arguments::release(transcript.value("server").unwrap_or_default());
        let time = |name: &str, default: Option<u64>| match transcript.value(name) {
            None => Ok(default),
            Some(value) => words::duration_us(value).map(Some).ok_or_else(|| format!("{name}: {value}")),
        };
        let usual = Settings::default();
        let timeout_us = time("consumer_timeout", usual.consumer_timeout_us)?;
        let check_us = time("channel_tick_interval", Some(usual.consumer_check_us))?.unwrap_or(usual.consumer_check_us);
        let retry_us = time("dead_letter_worker_publisher_confirm_timeout", Some(usual.dead_letter_retry_us))?;
        let number = |name: &str, default: u64| match transcript.value(name) {
            None => Ok(default),
            Some(value) => value.parse().map_err(|_| format!("{name}: {value}")),
        };
        let usual = Settings {
            release,
            message_bytes: number("message_bytes", usual.message_bytes)?,
            dead_letter_retry_us: retry_us.unwrap_or(usual.dead_letter_retry_us),
            consumer_timeout_us: timeout_us,
            ..usual
        };
        let nodes = transcript.value("nodes").map_or(Ok(1), |nodes| nodes.parse().map_err(|_| format!("nodes: {nodes}")))?;
        let mut script = Self {
            broker: Broker::new(nodes, timeout_us, check_us),
            usual,
            now_us: 0,
            people: Vec::new(),
            tags: BTreeMap::new(),
        };
        if let Some(args) = arguments::main_queue(transcript) {
            script.declare(MAIN_QUEUE, &args)?;
        }
        Ok(script)
    }

    /// Says the words of a step; gives the lines of the answer.
    pub fn say(&mut self, text: &str) -> Vec<String> {
        let said = match words::read(text) {
            Ok(said) => said,
            Err(fault) => return vec![fault],
        };
        let who = self.number(&said.who);
        // Everything takes a little time, so that two moments differ.
        self.pass(1_000);
        let mut lines = self.answer(who, said.call).unwrap_or_else(|fault| vec![fault]);
        lines.extend(self.heard());
        lines
    }

    fn number(&mut self, who: &str) -> u32 {
        let at = self.people.iter().position(|known| known == who).unwrap_or_else(|| {
            self.people.push(who.to_owned());
            self.people.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn pass(&mut self, us: u64) {
        self.now_us = self.now_us.saturating_add(us);
        self.broker.advance(self.now_us);
    }

    fn answer(&mut self, who: u32, call: Call) -> Result<Vec<String>, String> {
        let now_us = self.now_us;
        match call {
            Call::Queue(name, args) => self.declare(&name, &args)?,
            Call::Exchange(name, kind, alternate) => self.broker.declare_exchange(&name, kind, alternate.as_deref()),
            Call::Bind(Bind { queue, exchange, key, matching, headers }) => {
                self.broker.bind(&exchange, &queue, Binding { queue: 0, key, headers, matching });
            }
            Call::Publish(out) => return Ok(self.publish(who, &out)),
            Call::Get(count, queue, deaths) => return Ok(self.get(who, count, &queue, deaths)),
            Call::Consume(queue, prefetch) => self.broker.consume(now_us, who, &queue, prefetch.into()),
            Call::Cancel(queue) => self.broker.cancel(now_us, who, &queue),
            Call::Settle(name, how, multiple) => {
                let tag = if name.is_empty() { Some(0) } else { self.tags.get(&(who, name)).copied() };
                let tag = tag.ok_or("no such delivery")?;
                let verdict = match how {
                    How::Ack => Verdict::Ack,
                    How::Nack(true) => Verdict::Requeue,
                    How::Reject(true) => Verdict::Fail,
                    How::Nack(false) | How::Reject(false) => Verdict::Discard,
                };
                self.broker.settle(now_us, who, tag, multiple, verdict);
            }
            Call::Ready(queue) => return Ok(vec![self.broker.ready(now_us, &queue).unwrap_or_default().to_string()]),
            Call::Purge(queue) => return Ok(vec![self.broker.purge(now_us, &queue).unwrap_or_default().to_string()]),
            Call::Wait(us) => self.pass(us),
            Call::Kill(node) => self.broker.kill_node(now_us, node),
            Call::Start(node) => self.broker.start_node(now_us, node),
            Call::Close => {
                self.broker.close(now_us, who);
                self.tags.retain(|(channel, _), _| *channel != who);
            }
        }
        Ok(Vec::new())
    }

    fn declare(&mut self, name: &str, args: &[(String, String)]) -> Result<(), String> {
        let settings = arguments::settings(args, self.usual)?;
        let arg = |wanted: &str| args.iter().find(|(known, _)| known == wanted).map(|(_, value)| value.clone());
        let key = arg("x-dead-letter-routing-key");
        let to = arg("x-dead-letter-exchange").map(|exchange| DeadLetterTo { exchange, key });
        self.broker.declare_queue(self.now_us, name, settings, to);
        Ok(())
    }

    fn publish(&mut self, who: u32, out: &Out) -> Vec<String> {
        let mut each = Vec::new();
        for name in &out.names {
            let letter = Letter {
                body: name.clone(),
                exchange: out.exchange.clone(),
                key: out.key.clone(),
                headers: out.headers.clone(),
                deaths: Vec::new(),
                priority: out.priority.unwrap_or(0),
                ttl_us: out.ttl_ms.map(|ms| ms.saturating_mul(1_000)),
            };
            self.pass(100);
            let Some(Answer { returned, confirmed }) = self.broker.publish(self.now_us, who, &letter, out.mandatory) else {
                break;
            };
            if returned {
                each.push((name.clone(), "returned"));
            }
            each.push((name.clone(), if confirmed { "confirmed" } else { "nacked" }));
        }
        words::outcomes(&each)
    }

    fn get(&mut self, who: u32, count: u32, queue: &str, deaths: bool) -> Vec<String> {
        let mut line = Vec::new();
        let mut lines = Vec::new();
        for _ in 0..count {
            let Some(delivered) = self.broker.get(self.now_us, who, queue) else { break };
            let word = self.noted(who, &delivered);
            if deaths {
                let each = delivered.letter.deaths.iter();
                lines.push(words::with_deaths(&word, each.map(|death| (death.reason.word(), &*death.queue, death.count))));
            }
            line.push(word);
        }
        match (deaths, line.is_empty()) {
            (_, true) => vec!["nothing".to_owned()],
            (true, false) => lines,
            (false, false) => vec![line.join(" ")],
        }
    }

    fn noted(&mut self, who: u32, delivered: &Delivered) -> String {
        let name = &delivered.letter.body;
        self.tags.insert((who, name.clone()), delivered.tag);
        words::message(name, delivered.redelivered, delivered.count)
    }

    fn heard(&mut self) -> Vec<String> {
        let mut gets: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        let mut closed = Vec::new();
        for (channel, heard) in self.broker.take_heard() {
            let who = self.people.get(channel as usize).cloned().unwrap_or_default();
            match heard {
                Heard::Delivery(queue, delivered) => {
                    let word = self.noted(channel, &delivered);
                    gets.entry((who, queue)).or_default().push(word);
                }
                Heard::Closed(code) => closed.push(format!("{who} closed {code}")),
            }
        }
        closed.sort();
        let lines = gets.into_iter().map(|((who, _), words)| format!("{who} gets {}", words.join(" ")));
        lines.chain(closed).collect()
    }
}
