//! The words of RabbitMQ's transcripts, read; and the lines of answers, written. The recorder reads and writes the same.
//!
//! | words | what they do |
//! | --- | --- |
//! | `queue NAME classic\|quorum [x-ARGUMENT=VALUE…]` | declares a queue; one named `q` is declared by the header |
//! | `exchange NAME direct\|fanout\|topic\|headers\|x-consistent-hash [alternate-exchange=NAME]` | declares an exchange |
//! | `bind QUEUE to EXCHANGE [key KEY] [x-match=KIND] [header NAME=VALUE…]` | binds; a value of digits is a number, `void` is none |
//! | `publish A B [to EXCHANGE] [key KEY] [priority N] [ttl DURATION] [mandatory] [header NAME=VALUE…]` | one by one, each confirmed before the next; to queue `q` unless said otherwise |
//! | `get N [from QUEUE] [with deaths]` | `basic.get` so many times; `nothing` where nothing waits |
//! | `consume [from QUEUE] [prefetch N]` | subscribes |
//! | `cancel [from QUEUE]` | ends the subscription |
//! | `ack A [multiple]` | settles the newest delivery of A on the channel; `ack all` all there is |
//! | `nack A requeue\|discard [multiple]`, `reject A requeue\|discard` | the same |
//! | `ready [QUEUE]` | how many messages wait |
//! | `purge [QUEUE]` | removes them |
//! | `wait DURATION` | lets time pass |
//! | `kill leader`, `kill NODE`, `start NODE` | a node, from 0, dies or is back; the header has `nodes: 3` |
//! | `close` | closes the channel; the next word opens another |
//!
//! A word before a colon says who speaks, `main` if nobody is named; everyone has a connection with one channel in confirm
//! mode. Durations are `500ms` or `3s`; arguments of queues are the broker's own, so `x-message-ttl` is in milliseconds.
//!
//! A header may set `consumer_timeout`, `channel_tick_interval` and `dead_letter_worker_publisher_confirm_timeout`, times of the
//! node, and `message_bytes`, what the body of every message takes.
//!
//! Answers: what came back, then a line `WHO gets A B` for deliveries to subscriptions and `WHO closed CODE` for a channel
//! that the broker closed. `A(r)` is redelivered, `A(r dc 2)` has `x-delivery-count` 2; 0 is not
//! written. A death is `reason queue count`.

use super::exchange::{ExchangeKind, Match, Value};

/// The queue that is meant where none is named.
pub const MAIN_QUEUE: &str = "q";

/// Words of a step: who speaks and what is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Who speaks.
    pub who: String,
    /// What is asked.
    pub call: Call,
}

/// What is asked of the broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Declare a queue with its arguments.
    Queue(String, Vec<(String, String)>),
    /// Declare an exchange, perhaps with an alternate one.
    Exchange(String, ExchangeKind, Option<String>),
    /// Bind a queue to an exchange.
    Bind(Bind),
    /// Publish some messages.
    Publish(Out),
    /// Get so many messages of a queue, with their deaths or without.
    Get(u32, String, bool),
    /// Subscribe to a queue with a prefetch count.
    Consume(String, u16),
    /// End the subscription to a queue.
    Cancel(String),
    /// Settle a message by its name; an empty name is all there is.
    Settle(String, How, bool),
    /// Say how many wait in a queue.
    Ready(String),
    /// Remove what waits in a queue.
    Purge(String),
    /// Let so many microseconds pass.
    Wait(u64),
    /// Close the channel.
    Close,
    /// Kill a node; none is the one that leads.
    Kill(Option<u8>),
    /// Start a node again.
    Start(u8),
}

/// A binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// The queue.
    pub queue: String,
    /// The exchange.
    pub exchange: String,
    /// The binding key.
    pub key: String,
    /// How headers are compared.
    pub matching: Match,
    /// The headers to compare.
    pub headers: Vec<(String, Value)>,
}

/// Messages to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// Their names.
    pub names: Vec<String>,
    /// The exchange.
    pub exchange: String,
    /// The routing key.
    pub key: String,
    /// The priority, if it is set.
    pub priority: Option<u8>,
    /// The time to live, in milliseconds.
    pub ttl_ms: Option<u64>,
    /// Whether an unroutable message comes back.
    pub mandatory: bool,
    /// The headers.
    pub headers: Vec<(String, Value)>,
}

/// How a delivery is settled, and by which method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// `basic.ack`.
    Ack,
    /// `basic.nack`, with requeue or without.
    Nack(bool),
    /// `basic.reject`, with requeue or without.
    Reject(bool),
}

/// Reads the words of a step.
///
/// # Errors
/// What was not understood.
pub fn read(text: &str) -> Result<Said, String> {
    let (who, words) = match text.split_once(": ") {
        Some((who, words)) if !who.contains(' ') => (who, words),
        _ => ("main", text),
    };
    let words: Vec<&str> = words.split_whitespace().collect();
    let call = call(&words).ok_or_else(|| format!("`{text}` is not understood"))?;
    Ok(Said { who: who.to_owned(), call })
}

fn call(words: &[&str]) -> Option<Call> {
    Some(match words {
        ["queue", name, kind, args @ ..] => {
            let mut pairs = vec![("x-queue-type".to_owned(), (*kind).to_owned())];
            for arg in args {
                pairs.push(pair(arg)?);
            }
            Call::Queue((*name).to_owned(), pairs)
        }
        ["exchange", name, kind] => Call::Exchange((*name).to_owned(), exchange_kind(kind)?, None),
        ["exchange", name, kind, alternate] => {
            let alternate = alternate.strip_prefix("alternate-exchange=")?;
            Call::Exchange((*name).to_owned(), exchange_kind(kind)?, Some(alternate.to_owned()))
        }
        ["bind", queue, "to", exchange, rest @ ..] => Call::Bind(bind(queue, exchange, rest)?),
        ["publish", rest @ ..] => Call::Publish(publish(rest)?),
        ["get", count, rest @ ..] => {
            let (rest, deaths) = match rest {
                [rest @ .., "with", "deaths"] => (rest, true),
                rest => (rest, false),
            };
            Call::Get(count.parse().ok()?, from(rest)?, deaths)
        }
        ["consume", rest @ .., "prefetch", count] => Call::Consume(from(rest)?, count.parse().ok()?),
        ["consume", rest @ ..] => Call::Consume(from(rest)?, 0),
        ["cancel", rest @ ..] => Call::Cancel(from(rest)?),
        ["ack", "all"] => Call::Settle(String::new(), How::Ack, true),
        ["nack", "all", requeue] => Call::Settle(String::new(), How::Nack(is_requeue(requeue)?), true),
        ["ack", name] => Call::Settle((*name).to_owned(), How::Ack, false),
        ["ack", name, "multiple"] => Call::Settle((*name).to_owned(), How::Ack, true),
        ["nack", name, requeue] => Call::Settle((*name).to_owned(), How::Nack(is_requeue(requeue)?), false),
        ["nack", name, requeue, "multiple"] => Call::Settle((*name).to_owned(), How::Nack(is_requeue(requeue)?), true),
        ["reject", name, requeue] => Call::Settle((*name).to_owned(), How::Reject(is_requeue(requeue)?), false),
        ["ready"] => Call::Ready(MAIN_QUEUE.to_owned()),
        ["ready", queue] => Call::Ready((*queue).to_owned()),
        ["purge"] => Call::Purge(MAIN_QUEUE.to_owned()),
        ["purge", queue] => Call::Purge((*queue).to_owned()),
        ["wait", time] => Call::Wait(duration_us(time)?),
        ["close"] => Call::Close,
        ["kill", "leader"] => Call::Kill(None),
        ["kill", node] => Call::Kill(Some(node.parse().ok()?)),
        ["start", node] => Call::Start(node.parse().ok()?),
        _ => return None,
    })
}

fn from(words: &[&str]) -> Option<String> {
    match words {
        [] => Some(MAIN_QUEUE.to_owned()),
        ["from", queue] => Some((*queue).to_owned()),
        _ => None,
    }
}

fn is_requeue(word: &str) -> Option<bool> {
    match word {
        "requeue" => Some(true),
        "discard" => Some(false),
        _ => None,
    }
}

fn pair(word: &str) -> Option<(String, String)> {
    word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
}

fn header(word: &str) -> Option<(String, Value)> {
    let (name, value) = word.split_once('=')?;
    let value = match (value, value.parse()) {
        ("void", _) => Value::Void,
        (_, Ok(number)) => Value::Int(number),
        (text, Err(_)) => Value::Text(text.to_owned()),
    };
    Some((name.to_owned(), value))
}

fn exchange_kind(word: &str) -> Option<ExchangeKind> {
    Some(match word {
        "direct" => ExchangeKind::Direct,
        "fanout" => ExchangeKind::Fanout,
        "topic" => ExchangeKind::Topic,
        "headers" => ExchangeKind::Headers,
        "x-consistent-hash" => ExchangeKind::ConsistentHash,
        _ => return None,
    })
}

fn bind(queue: &str, exchange: &str, mut rest: &[&str]) -> Option<Bind> {
    let mut bind = Bind {
        queue: queue.to_owned(),
        exchange: exchange.to_owned(),
        key: String::new(),
        matching: Match::All,
        headers: Vec::new(),
    };
    loop {
        rest = match rest {
            [] => return Some(bind),
            ["key", key, rest @ ..] => {
                bind.key = if *key == "''" { String::new() } else { (*key).to_owned() };
                rest
            }
            ["header", pair, rest @ ..] => {
                bind.headers.push(header(pair)?);
                rest
            }
            [word, rest @ ..] => {
                bind.matching = matching(word.strip_prefix("x-match=")?)?;
                rest
            }
        }
    }
}

fn matching(word: &str) -> Option<Match> {
    Some(match word {
        "all" => Match::All,
        "any" => Match::Any,
        "all-with-x" => Match::AllWithX,
        "any-with-x" => Match::AnyWithX,
        _ => return None,
    })
}

fn publish(mut rest: &[&str]) -> Option<Out> {
    let mut out = Out {
        names: Vec::new(),
        exchange: String::new(),
        key: MAIN_QUEUE.to_owned(),
        priority: None,
        ttl_ms: None,
        mandatory: false,
        headers: Vec::new(),
    };
    loop {
        rest = match rest {
            [] => return Some(out),
            ["to", exchange, rest @ ..] => {
                (*exchange).clone_into(&mut out.exchange);
                out.key.clear();
                rest
            }
            ["key", key, rest @ ..] => {
                out.key = if *key == "''" { String::new() } else { (*key).to_owned() };
                rest
            }
            ["priority", level, rest @ ..] => {
                out.priority = Some(level.parse().ok()?);
                rest
            }
            ["ttl", time, rest @ ..] => {
                out.ttl_ms = Some(duration_us(time)? / 1_000);
                rest
            }
            ["mandatory", rest @ ..] => {
                out.mandatory = true;
                rest
            }
            ["header", pair, rest @ ..] => {
                out.headers.push(header(pair)?);
                rest
            }
            [name, rest @ ..] => {
                out.names.push((*name).to_owned());
                rest
            }
        }
    }
}

/// Reads `500ms` or `3s`, as microseconds.
#[must_use]
pub fn duration_us(word: &str) -> Option<u64> {
    let (digits, unit_us) = match word.strip_suffix("ms") {
        Some(digits) => (digits, 1_000),
        None => (word.strip_suffix('s')?, 1_000_000),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit_us)
}

/// A message in an answer.
#[must_use]
pub fn message(name: &str, redelivered: bool, count: Option<u32>) -> String {
    match (redelivered, count.filter(|count| *count > 0)) {
        (false, None) => name.to_owned(),
        (true, None) => format!("{name}(r)"),
        (false, Some(count)) => format!("{name}(dc {count})"),
        (true, Some(count)) => format!("{name}(r dc {count})"),
    }
}

/// What publishes came to, one after another, as lines: neighbours with one outcome share a line.
#[must_use]
pub fn outcomes(each: &[(String, &'static str)]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut last = "";
    for (name, outcome) in each {
        if *outcome == last
            && let Some(line) = lines.last_mut()
        {
            line.push(' ');
            line.push_str(name);
        } else {
            lines.push(format!("{outcome} {name}"));
            last = outcome;
        }
    }
    lines
}

/// A message with its deaths, each a reason, a queue and a count.
#[must_use]
pub fn with_deaths<'a>(message: &str, deaths: impl Iterator<Item = (&'a str, &'a str, u32)>) -> String {
    let mut line = message.to_owned();
    let mut mark = ": ";
    for (reason, queue, count) in deaths {
        line.push_str(&format!("{mark}{reason} {queue} {count}"));
        mark = ", ";
    }
    line
}
