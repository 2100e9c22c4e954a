//! One partition on some brokers, with producers, transactions and readers.
//!
//! Header: `brokers: 3` (numbered from 1; 1 is preferred), `min.insync.replicas`, `replica.lag.time.max.ms`,
//! `unclean.leader.election.enable`, `broker.session.timeout.ms`, `request.timeout.ms`, `auto.leader.rebalance.enable`,
//! `leader.imbalance.check.interval.seconds`, `follower.reads`, `commit: majority`, `transaction.version`. `server: Kafka 3.6`
//! moves the high watermark below `min.insync.replicas` too.
//!
//! | words | answer |
//! | --- | --- |
//! | `publish A B acks=1` | one batch: `acked at 0`, `waits at 0` or the error; `acks=all` without the word |
//! | `publish A by P` | from an idempotent producer, or a transactional one after `init P`; `seq=6` sends that number; `acked again at 6` |
//! | `wait 5s` | what happens by itself, a line each, with the time since the wait began |
//! | `await A` | waits until readers see A: `4.3s`, or `not within 5m` |
//! | `read`, `read committed`, `read from 5`, `read at 2` | the records that a reader gets: at the leader, or at broker 2 |
//! | `log 2` | every record in a replica's log, markers in bars |
//! | `ends` | log end, high watermark and last stable offset |
//! | `isr`, `leader` | broker numbers; the leader with its epoch |
//! | `kill 1`, `freeze 2 3`, `start 2`, `shutdown 1`, `lose-disk 1`, `prefer` | what is done to brokers |
//! | `init P timeout=60s` | `producer 0 epoch 0`; `P/b` is another instance of the transactional id `P` |
//! | `commit P`, `abort P` | `ok`, or the error |
//! | `offset G 5 by P`, `offset G` | commits a group's offset in P's transaction; gives it |

use std::collections::BTreeMap;

use super::words::{Header, after, list, option, tenths, time};
use crate::kafka::idempotence::{Identity, Producers, Sequenced, Verdict};
use crate::kafka::isolation::Isolation;
use crate::kafka::partition::{Acks, Commit, Happening, Options, Partition};
use crate::kafka::transaction::{self, Coordinator, Order};
use crate::transcript::Transcript;

/// A record as the script keeps it.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) name: String,
    /// Whose transaction it is part of.
    pub(super) transaction: Option<u64>,
    pub(super) marker: bool,
}

/// A producer as the script keeps it.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) transactional_id: Option<u64>,
    pub(super) identity: Identity,
    pub(super) next_sequence: u32,
}

/// What waits for its answer.
#[derive(Clone, Debug)]
pub(super) enum Ticket {
    Batch(String),
    Marker(u64),
}

/// The machines of one script.
#[derive(Debug)]
pub struct Cluster {
    pub(super) now_us: u64,
    pub(super) partition: Partition,
    pub(super) producers: Producers,
    pub(super) isolation: Isolation,
    pub(super) coordinator: Coordinator,
    pub(super) records: BTreeMap<(u64, u32), Record>,
    pub(super) clients: BTreeMap<String, Client>,
    pub(super) tickets: BTreeMap<u64, Ticket>,
    /// Markers that found no leader.
    pub(super) orders: Vec<Order>,
    pub(super) offsets: BTreeMap<u64, u64>,
    /// Names of transactional ids and groups, numbered in order of appearance.
    pub(super) names: Vec<String>,
    pub(super) next_ticket: u64,
}

impl Cluster {
    /// The machines that a header asks for.
    ///
    /// # Errors
    /// The header line that cannot be read.
    pub fn new(transcript: &Transcript) -> Result<Self, String> {
        let header = Header(transcript);
        let base = Options::default();
        let rebalance_us = header.number("leader.imbalance.check.interval.seconds", 300)?.saturating_mul(1_000_000);
        let options = Options {
            commit: if transcript.value("commit") == Some("majority") { Commit::Majority } else { Commit::EveryInSync },
            min_insync: u32::try_from(header.number("min.insync.replicas", 1)?).unwrap_or(u32::MAX),
            watermark_below_min: transcript.value("server").is_some_and(|server| server.starts_with("Kafka 3.6")),
            lag_max_us: header.ms("replica.lag.time.max.ms", base.lag_max_us)?,
            unclean: header.flag("unclean.leader.election.enable", base.unclean)?,
            follower_reads: header.flag("follower.reads", base.follower_reads)?,
            session_us: header.ms("broker.session.timeout.ms", base.session_us)?,
            request_timeout_us: header.ms("request.timeout.ms", base.request_timeout_us)?,
            rebalance_us: header.flag("auto.leader.rebalance.enable", true)?.then_some(rebalance_us),
            ..base
        };
        let epoch_each = header.number("transaction.version", 2)? >= 2;
        let brokers: Vec<u32> = (1..=u32::try_from(header.number("brokers", 3)?).unwrap_or(1)).collect();
        Ok(Self {
            now_us: 0,
            partition: Partition::new(0, options, &brokers),
            producers: Producers::default(),
            isolation: Isolation::default(),
            coordinator: Coordinator::new(0, transaction::Options { epoch_each, ..transaction::Options::default() }),
            records: BTreeMap::new(),
            clients: BTreeMap::new(),
            tickets: BTreeMap::new(),
            orders: Vec::new(),
            offsets: BTreeMap::new(),
            names: Vec::new(),
            next_ticket: 0,
        })
    }

    /// Does what the words say and gives the answer's lines.
    pub fn say(&mut self, said: &str) -> Vec<String> {
        let words: Vec<&str> = said.split_whitespace().collect();
        let Some((verb, rest)) = words.split_first() else { return vec!["no words".to_owned()] };
        let answer = match *verb {
            "wait" => {
                return rest.first().and_then(|word| time(word)).map_or_else(|| vec![format!("? {said}")], |us| self.wait(us));
            }
            "publish" => self.publish(rest),
            "await" => rest.first().map(|name| self.wait_for(name)),
            "read" => Some(self.read(rest)),
            "log" => rest.first().and_then(|broker| self.log(broker)),
            "ends" => Some(self.ends()),
            "isr" => Some(list(&self.partition.in_sync().map(|broker| broker.to_string()).collect::<Vec<_>>())),
            "leader" => Some(self.leader()),
            "kill" | "freeze" | "start" | "shutdown" | "lose-disk" => self.treat(verb, rest),
            "prefer" => {
                self.partition.elect_preferred(self.now_us);
                Some(self.leader())
            }
            "init" => self.init(rest),
            "commit" | "abort" => rest.first().and_then(|name| self.end(name, *verb == "commit")),
            "offset" => self.offset(rest),
            _ => None,
        };
        let mut lines = self.settle(self.now_us);
        lines.retain(|line| !line.is_empty());
        match answer {
            None => vec![format!("? {said}")],
            Some(answer) if answer.is_empty() => lines,
            Some(answer) => vec![answer],
        }
    }

    /// Lets time pass; what happens is told with the time since now.
    fn wait(&mut self, for_us: u64) -> Vec<String> {
        let (began_us, until_us) = (self.now_us, self.now_us.saturating_add(for_us));
        let mut lines = self.settle(began_us);
        loop {
            let due_us = [self.partition.next_due_us(), self.coordinator.next_due_us()].into_iter().flatten().min();
            let Some(due_us) = due_us.filter(|due_us| *due_us <= until_us) else { break };
            self.now_us = due_us;
            self.partition.advance(due_us);
            self.coordinator.advance(due_us);
            lines.extend(self.settle(began_us));
        }
        self.now_us = until_us;
        self.partition.advance(until_us);
        self.coordinator.advance(until_us);
        lines
    }

    fn wait_for(&mut self, name: &str) -> String {
        const STEP_US: u64 = 10_000;
        const MOST_US: u64 = 300_000_000;
        let began_us = self.now_us;
        while !self.names_between(None, 0, self.partition.high_watermark()).iter().any(|known| known == name) {
            if self.now_us - began_us >= MOST_US {
                return "not within 5m".to_owned();
            }
            self.wait(STEP_US);
        }
        tenths(self.now_us - began_us)
    }

    /// Tells what happened, and does what the coordinator wants.
    fn settle(&mut self, began_us: u64) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let happenings = self.partition.take_happenings();
            let quiet = happenings.is_empty();
            for happening in happenings {
                let line = self.tell(happening, began_us);
                lines.extend(line);
            }
            self.orders.append(&mut self.coordinator.take_orders());
            let tickets = self.next_ticket;
            self.carry_out();
            if quiet && self.next_ticket == tickets {
                return lines;
            }
        }
    }

    fn tell(&mut self, happening: Happening, began_us: u64) -> Option<String> {
        let (at_us, text) = match happening {
            Happening::Answered { at_us, ticket, result } => match (self.tickets.remove(&ticket)?, result) {
                (Ticket::Batch(names), Ok(())) => (at_us, format!("{names} acked")),
                (Ticket::Batch(names), Err(error)) => (at_us, format!("{names} {}", error.name())),
                (Ticket::Marker(producer), Ok(())) => {
                    self.coordinator.marked(at_us, producer, 0);
                    return None;
                }
                // The coordinator sends a marker again until it is stored.
                (Ticket::Marker(_), Err(_)) => return None,
            },
            Happening::HighWatermark { to, .. } => {
                self.isolation.prune(self.partition.log_start(), to);
                return None;
            }
            Happening::FollowerWatermark { .. } => return None,
            Happening::Leader { at_us, broker, epoch, kept, .. } => {
                self.isolation.truncate(kept);
                self.producers.truncate(kept);
                (at_us, broker.map_or("no leader".to_owned(), |broker| format!("leader {broker} epoch {epoch}")))
            }
            Happening::Truncated { at_us, broker, from, to } => (at_us, format!("{broker} drops {from}..{to}")),
            Happening::InSync { at_us, broker, joined } => {
                (at_us, format!("{broker} {} the ISR", if joined { "joins" } else { "leaves" }))
            }
        };
        Some(format!("{} {text}", tenths(at_us.saturating_sub(began_us))))
    }

    fn publish(&mut self, words: &[&str]) -> Option<String> {
        let acks = match option(words, "acks") {
            Some("0") => Acks::None,
            Some("1") => Acks::Leader,
            None | Some("all") => Acks::All,
            Some(_) => return None,
        };
        let by = after(words, "by");
        let names: Vec<&str> =
            words.iter().take_while(|word| **word != "by").filter(|word| !word.contains('=')).copied().collect();
        if names.is_empty() {
            return None;
        }
        let records = u32::try_from(names.len()).unwrap_or(u32::MAX);
        let mut batch = None;
        let mut transaction = None;
        if let Some(by) = by {
            let client = self.client(by);
            let first = option(words, "seq").and_then(|word| word.parse().ok()).unwrap_or(client.next_sequence);
            let sequenced = Sequenced { from: client.identity, first, records };
            if let Some(id) = client.transactional_id {
                if let Err(error) = self.coordinator.add_partition(self.now_us, id, client.identity, 0) {
                    return Some(error.name().to_owned());
                }
                transaction = Some(client.identity.producer);
            }
            match self.producers.judge(sequenced) {
                Err(error) => return Some(error.name().to_owned()),
                Ok(Verdict::Duplicate { base }) => return Some(format!("acked again at {base}")),
                Ok(Verdict::Append) => batch = Some((by, sequenced)),
            }
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let appended = match self.partition.append(self.now_us, u64::from(records), acks, ticket) {
            Ok(appended) => appended,
            // Whoever does not ask does not hear.
            Err(_) if acks == Acks::None => return Some("sent".to_owned()),
            Err(error) => return Some(error.name().to_owned()),
        };
        for (offset, name) in (appended.base..).zip(&names) {
            let record = Record { name: (*name).to_owned(), transaction, marker: false };
            self.records.insert((offset, appended.epoch), record);
        }
        if let Some((by, sequenced)) = batch {
            self.producers.appended(self.now_us, sequenced, appended.base);
            if let Some(client) = self.clients.get_mut(by) {
                client.next_sequence = sequenced.first.wrapping_add(records);
            }
        }
        if let Some(producer) = transaction {
            self.isolation.wrote(producer, appended.base);
        }
        if !appended.answered {
            self.tickets.insert(ticket, Ticket::Batch(names.join(" ")));
        }
        Some(match acks {
            Acks::None => "sent".to_owned(),
            Acks::Leader | Acks::All if appended.answered => format!("acked at {}", appended.base),
            Acks::Leader | Acks::All => format!("waits at {}", appended.base),
        })
    }

    fn treat(&mut self, verb: &str, brokers: &[&str]) -> Option<String> {
        for broker in brokers {
            let broker = broker.parse().ok()?;
            match verb {
                "kill" => self.partition.kill(self.now_us, broker),
                "freeze" => self.partition.freeze(self.now_us, broker),
                "start" => self.partition.start(self.now_us, broker),
                "shutdown" => self.partition.shut_down(self.now_us, broker),
                _ => self.partition.lose_disk(self.now_us, broker),
            }
        }
        Some(String::new())
    }
}
