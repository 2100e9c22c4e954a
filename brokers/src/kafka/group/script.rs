//! Scripts of consumer groups: names to numbers, words to calls.
//!
//! Header: `protocol: classic` or `consumer`; `assignor: range`, `roundrobin`, `sticky`, `cooperative-sticky`, `uniform`,
//! `server-range`; `topics: t1=6 t2=3`; and, where they are not Kafka's defaults, `session`, `heartbeat`, `max poll`,
//! `initial delay` and `hop` (how long the answer to a join or a sync travels), as `500ms`, `3s`, `5m`.
//!
//! Words; `at 7s` before any of them lets the time come first:
//!
//! | words | meaning |
//! | --- | --- |
//! | `A joins` | A process starts and polls. `as i1` makes it static, `by hand` takes its heartbeat thread away, `wants t1 t2` says which topics it wants, all otherwise. |
//! | `A polls`, `A works` | It begins a poll; it ends it to run its handler. |
//! | `A commits`, `A beats` | `ok` or Kafka's error. |
//! | `A leaves`, `A dies` | With and without a word. |
//! | `until 12s`, `wait 3s` | Time passes. |
//! | `partitions t1=8` | A topic has so many partitions from now on, and members notice. |
//! | `owners` | Who takes what for its own. |
//!
//! Answers: what happened up to the step, with the moment in seconds, then the step's own answer.

use super::assign::{Partition, Strategy};
use super::consumers::{Consumers, Event, Heartbeats, Joiner, Protocol, Settings};
use super::{Fault, Removal};
use crate::server::Consumer;
use crate::transcript::Transcript;

/// A group that is spoken to.
#[derive(Clone, Debug)]
pub struct Script {
    group: Consumers,
    topics: Vec<String>,
    counts: Vec<u32>,
    names: Vec<String>,
    instances: Vec<String>,
    now_us: u64,
}

impl Script {
    /// The group that a header asks for.
    ///
    /// # Errors
    /// The header line that cannot be read.
    pub fn open(header: &Transcript) -> Result<Self, String> {
        let mut settings = Settings::default();
        if header.value("protocol") == Some("consumer") {
            settings.protocol = Protocol::Consumer;
            settings.strategy = Strategy::Uniform;
            settings.heartbeat_us = 5_000_000;
        }
        if let Some(name) = header.value("assignor") {
            settings.strategy = strategy(name).ok_or_else(|| format!("no assignor is called `{name}`"))?;
        }
        let mut times = [
            ("session", &mut settings.session_us),
            ("heartbeat", &mut settings.heartbeat_us),
            ("max poll", &mut settings.max_poll_us),
            ("initial delay", &mut settings.initial_delay_us),
            ("hop", &mut settings.hop_us),
        ];
        for (name, slot) in &mut times {
            if let Some(value) = header.value(name) {
                **slot = micros(value).ok_or_else(|| format!("`{name}` is no duration: `{value}`"))?;
            }
        }
        let mut topics = Vec::new();
        for word in header.value("topics").unwrap_or("t1=6").split_whitespace() {
            let topic = word.split_once('=').and_then(|(name, count)| Some((name.to_owned(), count.parse::<u32>().ok()?)));
            topics.push(topic.ok_or_else(|| format!("`{word}` is no topic=count"))?);
        }
        topics.sort();
        let (topics, counts): (Vec<String>, Vec<u32>) = topics.into_iter().unzip();
        let group = Consumers::new(settings, counts.clone());
        Ok(Self { group, topics, counts, names: Vec::new(), instances: Vec::new(), now_us: 0 })
    }

    /// Says a step's words.
    pub fn say(&mut self, words: &str) -> Vec<String> {
        let mut words = words;
        if let Some((moment, rest)) = words.strip_prefix("at ").and_then(|rest| rest.split_once(' ')) {
            let Some(moment_us) = micros(moment) else { return vec![format!("`{moment}` is no moment")] };
            self.pass(moment_us);
            words = rest;
        }
        let answer = self.act(words);
        let mut lines: Vec<String> = Vec::new();
        for (at_us, event) in self.group.take_events() {
            lines.extend(self.line(at_us, &event));
        }
        lines.extend(answer);
        lines
    }

    fn act(&mut self, words: &str) -> Vec<String> {
        let mut rest = words.split_whitespace();
        let first = rest.next().unwrap_or_default();
        match first {
            "until" | "wait" => match rest.next().and_then(micros) {
                Some(us) if first == "until" => self.pass(us),
                Some(us) => self.pass(self.now_us.saturating_add(us)),
                None => return vec!["how long?".to_owned()],
            },
            "owners" => return self.owners(),
            "partitions" => {
                for (topic, count) in rest.filter_map(|word| word.split_once('=')) {
                    let at = self.topics.iter().position(|known| known == topic);
                    if let (Some(at), Ok(count)) = (at, count.parse()) {
                        self.counts[at] = count;
                    }
                }
                self.group.grow(self.now_us, self.counts.clone());
            }
            name => {
                let process = Consumer(number(&mut self.names, name));
                return self.do_of(process, rest.collect());
            }
        }
        Vec::new()
    }

    fn do_of(&mut self, process: Consumer, words: Vec<&str>) -> Vec<String> {
        let now_us = self.now_us;
        let said = match words.first().copied().unwrap_or_default() {
            "joins" => {
                let joiner = self.joiner(&words);
                self.group.start(now_us, process, joiner);
                self.group.poll(now_us, process);
                return Vec::new();
            }
            "polls" => return self.done(|group| group.poll(now_us, process)),
            "works" => return self.done(|group| group.work(now_us, process)),
            "leaves" => return self.done(|group| group.leave(now_us, process)),
            "dies" => return self.done(|group| group.die(now_us, process)),
            "commits" => self.group.commit(now_us, process),
            "beats" => self.group.beat(now_us, process),
            other => return vec![format!("`{other}` is no word for a member")],
        };
        vec![said.map_or_else(|fault| fault_name(fault).to_owned(), |()| "ok".to_owned())]
    }

    fn done(&mut self, act: impl FnOnce(&mut Consumers)) -> Vec<String> {
        act(&mut self.group);
        Vec::new()
    }

    fn joiner(&mut self, words: &[&str]) -> Joiner {
        let after = |word: &str| words.iter().position(|known| *known == word).map(|at| &words[at + 1..]);
        let instance = after("as").and_then(|rest| rest.first()).map(|name| number(&mut self.instances, name));
        let heartbeats = if after("by").is_some() { Heartbeats::ByHand } else { Heartbeats::Background };
        let wanted = after("wants").unwrap_or_default();
        let wants = |name: &String| wanted.is_empty() || wanted.contains(&name.as_str());
        let topics = (0_u32..).zip(&self.topics).filter(|(_, name)| wants(name)).map(|(topic, _)| topic).collect();
        Joiner { instance, topics, heartbeats }
    }

    fn pass(&mut self, to_us: u64) {
        self.now_us = self.now_us.max(to_us);
        self.group.advance(self.now_us);
    }

    fn owners(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (process, name) in (0..).map(Consumer).zip(&self.names) {
            lines.push(format!("{name}: {}", self.list(self.group.owned(process))));
        }
        lines
    }

    fn list(&self, partitions: &[Partition]) -> String {
        if partitions.is_empty() {
            return "nothing".to_owned();
        }
        let word = |partition: &Partition| match self.topics.get(partition.topic as usize) {
            Some(topic) if self.topics.len() > 1 => format!("{topic}-{}", partition.index),
            _ => partition.index.to_string(),
        };
        partitions.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// What happened, as a line. That a process left in order is no news.
    fn line(&self, at_us: u64, event: &Event) -> Option<String> {
        let name = |process: &Consumer| self.names.get(process.0 as usize).map_or("?", String::as_str);
        let text = match event {
            Event::Generation(generation) => format!("generation {generation}"),
            Event::Revoked(process, partitions) => format!("{} revokes {}", name(process), self.list(partitions)),
            Event::Assigned(process, partitions) => format!("{} gets {}", name(process), self.list(partitions)),
            Event::Lost(process, partitions) => format!("{} lost {}", name(process), self.list(partitions)),
            Event::Evicted(_, Removal::Left) => return None,
            Event::Evicted(process, why) => format!("{} is out: {}", name(process), removal_name(*why)),
            Event::Fenced(process) => format!("{} is fenced", name(process)),
        };
        Some(format!("{} {text}", seconds(at_us)))
    }
}

/// The assignor with this name.
#[must_use]
pub fn strategy(name: &str) -> Option<Strategy> {
    Some(match name {
        "range" => Strategy::Range,
        "roundrobin" => Strategy::RoundRobin,
        "sticky" => Strategy::Sticky,
        "cooperative-sticky" => Strategy::CooperativeSticky,
        "uniform" => Strategy::Uniform,
        "server-range" => Strategy::ServerRange,
        _ => return None,
    })
}

/// Kafka's name of a fault.
#[must_use]
pub const fn fault_name(fault: Fault) -> &'static str {
    match fault {
        Fault::UnknownMemberId => "UNKNOWN_MEMBER_ID",
        Fault::IllegalGeneration => "ILLEGAL_GENERATION",
        Fault::RebalanceInProgress => "REBALANCE_IN_PROGRESS",
        Fault::FencedInstanceId => "FENCED_INSTANCE_ID",
        Fault::UnreleasedInstanceId => "UNRELEASED_INSTANCE_ID",
        Fault::FencedMemberEpoch => "FENCED_MEMBER_EPOCH",
        Fault::StaleMemberEpoch => "STALE_MEMBER_EPOCH",
        Fault::GroupMaxSizeReached => "GROUP_MAX_SIZE_REACHED",
    }
}

const fn removal_name(why: Removal) -> &'static str {
    match why {
        Removal::SessionTimeout => "session timeout",
        Removal::RebalanceTimeout => "rebalance timeout",
        Removal::Left => "left",
        Removal::PollTimeout => "poll timeout",
        Removal::Fenced => "fenced",
    }
}

/// The number of a name, new if it has none.
fn number(names: &mut Vec<String>, name: &str) -> u32 {
    let at = names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// A duration such as `500ms`, `0.25s`, `5m`, in microseconds.
#[must_use]
pub fn micros(text: &str) -> Option<u64> {
    let at = text.find(|letter: char| letter != '.' && !letter.is_ascii_digit())?;
    let unit_us: u64 = match &text[at..] {
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        _ => return None,
    };
    let (whole, part) = text[..at].split_once('.').unwrap_or((&text[..at], ""));
    let mut us = whole.parse::<u64>().ok()?.checked_mul(unit_us)?;
    let mut digit_us = unit_us;
    for digit in part.chars() {
        digit_us /= 10;
        us = us.checked_add(u64::from(digit.to_digit(10)?) * digit_us)?;
    }
    Some(us)
}

/// A moment in seconds, to the millisecond, with at least two digits after the point.
#[must_use]
pub fn seconds(us: u64) -> String {
    let text = format!("{}.{:03}", us / 1_000_000, us / 1_000 % 1_000);
    text.strip_suffix('0').map(str::to_owned).unwrap_or(text)
}

/// Positions of the names in the order in which a Java `HashMap` with these keys is walked, where they were put in the
/// given order. The sticky assignors walk members in it, and who comes first keeps the larger share.
///
/// Source: `java.util.HashMap` and `String.hashCode` of OpenJDK; bins as lists.
#[must_use]
pub fn java_order(names: &[&str]) -> Vec<usize> {
    let mut capacity = 16_u32;
    while names.len() * 4 > capacity as usize * 3 {
        capacity *= 2;
    }
    let bin = |name: &str| {
        let hash = name.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
        (hash ^ (hash >> 16)) & (capacity - 1)
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&at| bin(names[at]));
    order
}
