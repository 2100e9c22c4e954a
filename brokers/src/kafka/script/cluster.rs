//! One partition on some brokers, with producers, transactions and readers.
//!
//! Header: `brokers: 3` (numbered from 1; 1 is preferred), `min.insync.replicas`, `replica.lag.time.max.ms`,
//! `unclean.leader.election.enable`, `broker.session.timeout.ms`, `request.timeout.ms`, `auto.leader.rebalance.enable`,
//! `leader.imbalance.check.interval.seconds`, `follower.reads`, `commit: majority`, `transaction.version`.
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
use crate::kafka::error::Error;
use crate::kafka::idempotence::{Identity, Producers, Sequenced, Verdict};
use crate::kafka::isolation::Isolation;
use crate::kafka::partition::{Acks, Commit, Happening, Options, Partition};
use crate::kafka::transaction::{self, Coordinator, GroupOffset, Order};
use crate::transcript::Transcript;

/// A record as the script keeps it.
#[derive(Clone, Debug)]
struct Record {
    name: String,
    /// Whose transaction it is part of.
    transaction: Option<u64>,
    marker: bool,
}

/// A producer as the script keeps it.
#[derive(Clone, Debug)]
struct Client {
    transactional_id: Option<u64>,
    identity: Identity,
    next_sequence: u32,
}

/// What waits for its answer.
#[derive(Clone, Debug)]
enum Ticket {
    Batch(String),
    Marker(u64),
}

/// The machines of one script.
#[derive(Debug)]
pub struct Cluster {
    now_us: u64,
    partition: Partition,
    producers: Producers,
    isolation: Isolation,
    coordinator: Coordinator,
    records: BTreeMap<(u64, u32), Record>,
    clients: BTreeMap<String, Client>,
    tickets: BTreeMap<u64, Ticket>,
    /// Markers that found no leader.
    orders: Vec<Order>,
    offsets: BTreeMap<u64, u64>,
    /// Names of transactional ids and groups, numbered in order of appearance.
    names: Vec<String>,
    next_ticket: u64,
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
                client.next_sequence = sequenced.first + records;
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

    /// Names of the data records in a range of a broker's log, or of the log that readers see.
    fn names_between(&self, broker: Option<u32>, from: u64, to: u64) -> Vec<String> {
        let records = (from..to).filter_map(|offset| Some((offset, self.record(broker, offset)?)));
        records.filter(|(_, record)| !record.marker).map(|(_, record)| record.name.clone()).collect()
    }

    fn record(&self, broker: Option<u32>, offset: u64) -> Option<&Record> {
        let replicas = self.partition.replicas();
        let broker = broker.or(self.partition.leader());
        let replica = replicas.iter().find(|replica| Some(replica.broker()) == broker)?;
        self.records.get(&(offset, replica.log().epoch_at(offset)?))
    }

    fn read(&mut self, words: &[&str]) -> String {
        let at = after(words, "at").and_then(|word| word.parse().ok()).or(self.partition.leader());
        let Some(at) = at else { return Error::NotLeader.name().to_owned() };
        let from = after(words, "from").and_then(|word| word.parse().ok()).unwrap_or(self.partition.log_start());
        let high_watermark = match self.partition.readable_at(self.now_us, at) {
            Ok(high_watermark) => high_watermark,
            Err(error) => return error.name().to_owned(),
        };
        let end =
            self.partition.replicas().iter().find(|replica| replica.broker() == at).map_or(0, |replica| replica.log().end());
        if from < self.partition.log_start() || from > end {
            return Error::OffsetOutOfRange.name().to_owned();
        }
        if !words.contains(&"committed") {
            return list(&self.names_between(Some(at), from, high_watermark));
        }
        let mut names = Vec::new();
        for offset in from..self.isolation.last_stable(high_watermark) {
            let Some(record) = self.record(Some(at), offset) else { continue };
            let aborted = record.transaction.is_some_and(|producer| self.isolation.is_aborted(producer, offset));
            if !record.marker && !aborted {
                names.push(record.name.clone());
            }
        }
        list(&names)
    }

    fn log(&self, broker: &str) -> Option<String> {
        let broker = broker.parse().ok()?;
        let replica = self.partition.replicas().iter().find(|replica| replica.broker() == broker)?;
        let records = (0..replica.log().end()).filter_map(|offset| self.record(Some(broker), offset));
        Some(list(&records.map(|record| record.name.clone()).collect::<Vec<_>>()))
    }

    fn ends(&self) -> String {
        let (end, high_watermark) = (self.partition.log_end(), self.partition.high_watermark());
        format!("end {end}, high watermark {high_watermark}, stable {}", self.isolation.last_stable(high_watermark))
    }

    fn leader(&self) -> String {
        let epoch = self.partition.epoch();
        self.partition.leader().map_or("none".to_owned(), |leader| format!("{leader} epoch {epoch}"))
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

    fn client(&mut self, name: &str) -> Client {
        // Ids of producers that are not transactional come from another block, as a broker's do.
        let producer = 1_000 + self.clients.len() as u64;
        let fresh = Client { transactional_id: None, identity: Identity { producer, epoch: 0 }, next_sequence: 0 };
        self.clients.entry(name.to_owned()).or_insert(fresh).clone()
    }

    fn number(&mut self, name: &str) -> u64 {
        let place = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        place as u64
    }

    fn init(&mut self, words: &[&str]) -> Option<String> {
        let name = *words.first()?;
        let id = self.number(name.split('/').next().unwrap_or(name));
        let timeout_us = option(words, "timeout").map_or(Some(60_000_000), time)?;
        match self.coordinator.init(self.now_us, id, timeout_us) {
            Ok(identity) => {
                let client = Client { transactional_id: Some(id), identity, next_sequence: 0 };
                self.clients.insert(name.to_owned(), client);
                Some(format!("producer {} epoch {}", identity.producer, identity.epoch))
            }
            Err(error) => Some(error.name().to_owned()),
        }
    }

    fn end(&mut self, name: &str, commit: bool) -> Option<String> {
        let client = self.clients.get(name)?.clone();
        match self.coordinator.end(self.now_us, client.transactional_id?, client.identity, commit) {
            Ok(identity) => {
                let known = self.clients.get_mut(name)?;
                if known.identity != identity {
                    known.next_sequence = 0;
                }
                known.identity = identity;
                Some("ok".to_owned())
            }
            Err(error) => Some(error.name().to_owned()),
        }
    }

    fn offset(&mut self, words: &[&str]) -> Option<String> {
        let group = self.number(words.first()?);
        let Some(by) = after(words, "by") else {
            if self.coordinator.is_pending(group, 0) {
                return Some(Error::UnstableOffsetCommit.name().to_owned());
            }
            return Some(self.offsets.get(&group).map_or("none".to_owned(), u64::to_string));
        };
        let offset = words.get(1)?.parse().ok()?;
        let client = self.clients.get(by)?.clone();
        let pending = GroupOffset { group, partition: 0, offset };
        let added = self.coordinator.add_offset(self.now_us, client.transactional_id?, client.identity, pending);
        Some(added.map_or_else(|error| error.name().to_owned(), |()| "ok".to_owned()))
    }

    /// Writes markers and commits offsets; a marker without a leader is kept for later.
    fn carry_out(&mut self) {
        for order in std::mem::take(&mut self.orders) {
            match order {
                Order::Commit(GroupOffset { group, offset, .. }) => {
                    self.offsets.insert(group, offset);
                }
                Order::Mark { partition, from, commit } => {
                    let ticket = self.next_ticket;
                    let Ok(appended) = self.partition.append(self.now_us, 1, Acks::All, ticket) else {
                        self.orders.push(order);
                        continue;
                    };
                    self.next_ticket += 1;
                    let name = if commit { "|commit|" } else { "|abort|" };
                    let record = Record { name: name.to_owned(), transaction: None, marker: true };
                    self.records.insert((appended.base, appended.epoch), record);
                    self.isolation.ended(from.producer, appended.base, commit);
                    self.producers.marked(self.now_us, from);
                    if appended.answered {
                        self.coordinator.marked(self.now_us, from.producer, partition);
                    } else {
                        self.tickets.insert(ticket, Ticket::Marker(from.producer));
                    }
                }
            }
        }
    }
}
