//! Numbers, times and attributes in the words of a transcript.

use crate::server::Consumer;
use crate::sqs::fault::Fault;
use crate::sqs::message::{Receive, Send};
use crate::sqs::options::{Options, SECOND_US, Scope, Throughput};

/// A message to send, without its body, and the name that stands for the body.
pub(super) fn message(word: &str) -> Result<(&str, Send), String> {
    let is_mark = |letter: char| "@#+*!".contains(letter);
    let (name, mut rest) = word.split_at(word.find(is_mark).unwrap_or(word.len()));
    let mut send = Send::new(0);
    while let Some(mark) = rest.chars().next() {
        let value = &rest[1..];
        let (value, next) = value.split_at(value.find(is_mark).unwrap_or(value.len()));
        match mark {
            '@' => send.group = Some(hash(value)),
            '#' => send.dedup = Some(hash(value)),
            '+' => send.delay_us = Some(time(value)?),
            '*' => send.bytes = number(value)? as u32,
            _ => send.readable = false,
        }
        rest = next;
    }
    Ok((name, send))
}

/// What a receive asks for, and how long it waits.
pub(super) fn asked(words: &[&str]) -> Result<(Receive, Option<u64>), String> {
    let mut ask = Receive::new(Consumer(1), 1);
    let mut wait_us = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().ok_or_else(|| format!("{word} what"));
        match *word {
            "visibility" => ask.visibility_us = Some(time(value()?)?),
            "wait" => wait_us = Some(time(value()?)?),
            "attempt" => ask.attempt = Some(hash(value()?)),
            most => ask.most = number(most)? as u32,
        }
    }
    Ok((ask, wait_us))
}

/// Sets an attribute under the service's name.
pub(super) fn attribute(options: &mut Options, name: &str, value: &str) -> Result<(), String> {
    let fifo = options.fifo.as_mut().ok_or("an attribute of FIFO queues");
    match (name, value) {
        ("VisibilityTimeout", _) => options.visibility_us = number(value)?.saturating_mul(SECOND_US),
        ("DelaySeconds", _) => options.delay_us = number(value)?.saturating_mul(SECOND_US),
        ("MessageRetentionPeriod", _) => options.retention_us = number(value)?.saturating_mul(SECOND_US),
        ("ReceiveMessageWaitTimeSeconds", _) => options.wait_us = number(value)?.saturating_mul(SECOND_US),
        ("MaximumMessageSize", _) => options.max_bytes = number(value)? as u32,
        ("ScanLimit", _) => options.scan_limit = number(value)? as u32,
        ("InFlightLimit", _) => options.in_flight_limit = number(value)? as u32,
        ("ContentBasedDeduplication", _) => fifo?.content_based = value == "true",
        ("DeduplicationScope", "queue") => fifo?.scope = Scope::Queue,
        ("DeduplicationScope", "messageGroup") => fifo?.scope = Scope::MessageGroup,
        ("FifoThroughputLimit", "perQueue") => fifo?.throughput = Throughput::PerQueue,
        ("FifoThroughputLimit", "perMessageGroupId") => fifo?.throughput = Throughput::PerMessageGroup,
        _ => return Err(format!("no attribute {name} {value}")),
    }
    Ok(())
}

/// The error code of what was refused, as an answer.
pub(super) fn code(done: Result<(), Fault>) -> Vec<String> {
    done.err().map(|fault| fault.code().to_owned()).into_iter().collect()
}

/// A number.
pub(super) fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("no number: {word}"))
}

/// A time with its unit, in microseconds.
pub(super) fn time(word: &str) -> Result<u64, String> {
    let (digits, unit) = word.split_at(word.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(word.len()));
    let unit_us = match unit {
        "ms" => 1_000,
        "s" => SECOND_US,
        "m" => 60 * SECOND_US,
        "h" => 3_600 * SECOND_US,
        "d" => 86_400 * SECOND_US,
        _ => return Err(format!("no time: {word}")),
    };
    Ok(number(digits)?.saturating_mul(unit_us))
}

/// Microseconds for people.
pub(super) fn seconds(us: u64) -> String {
    if us.is_multiple_of(SECOND_US) { format!("{}s", us / SECOND_US) } else { format!("{}ms", us / 1_000) }
}

/// A number for a group or a deduplication id (FNV-1a).
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
