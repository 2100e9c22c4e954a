//! One log with its segments, its cleaner and the groups that read it. Everything is replicated at once here.
//!
//! Header: `segment.bytes`, `segment.ms`, `retention.ms`, `retention.bytes`, `log.retention.check.interval.ms`,
//! `remote.storage.enable`, `local.retention.ms`, `cleanup.policy`, `min.cleanable.dirty.ratio` in percent,
//! `delete.retention.ms`, `min.compaction.lag.ms`, `offsets.retention.minutes`, `record.bytes` (100).
//!
//! | words | answer |
//! | --- | --- |
//! | `append A B` | each record its own batch; the offsets |
//! | `append a=1 b=-` | records with keys; `-` is a tombstone |
//! | `trickle 10 every 1h` | ten records, one an hour, the first at once; what happens meanwhile, as `wait` tells it |
//! | `wait 7d` | what happens by itself, with the time since the script began |
//! | `read`, `read from 2` | what is there |
//! | `segments` | offsets of each, the active one last; `remote` where the disk has it no more |
//! | `compact` | the offsets that a pass removes, `nothing`, or `not due` |
//! | `members G 1` | the group has so many members |
//! | `commit G 2` | the group will go on at 2 |
//! | `begin G latest` | where a member begins: `earliest`, `latest`, `none`, `by_duration:1h` |
//! | `lag 200 high-watermark 1663 stable 200` | the lag to either |

use super::words::{Header, after, list, time};
use crate::kafka::compaction::{self, Cleaner};
use crate::kafka::offsets::{self, Offsets, Reset, Start, begin, lag};
use crate::kafka::segment::{self, Remote, Segments, Tier};
use crate::transcript::Transcript;

#[derive(Clone, Debug)]
struct Record {
    offset: u64,
    at_us: u64,
    name: String,
}

impl Record {
    fn key(&self) -> &str {
        self.name.split('=').next().unwrap_or(&self.name)
    }
}

/// The machines of one script.
#[derive(Debug)]
pub struct Log {
    now_us: u64,
    segments: Segments,
    compaction: Option<compaction::Options>,
    cleaner: Cleaner,
    offsets: Offsets,
    records: Vec<Record>,
    record_bytes: u64,
    /// Keys and groups, numbered in order of appearance.
    names: Vec<String>,
}

impl Log {
    /// The machines that a header asks for.
    ///
    /// # Errors
    /// The header line that cannot be read.
    pub fn new(transcript: &Transcript) -> Result<Self, String> {
        let header = Header(transcript);
        let base = segment::Options::default();
        let limit = |name: &str, without| header.ms(name, without).map(|us| (us < u64::MAX).then_some(us));
        let remote = header.flag("remote.storage.enable", false)?;
        let local = transcript.value("local.retention.ms").is_some();
        let compacts = transcript.value("cleanup.policy").is_some_and(|policy| policy.contains("compact"));
        let deletes = transcript.value("cleanup.policy").is_none_or(|policy| policy.contains("delete"));
        let retention_us = limit("retention.ms", base.retention_us.unwrap_or(u64::MAX))?;
        let options = segment::Options {
            segment_bytes: header.number("segment.bytes", base.segment_bytes)?,
            segment_us: header.ms("segment.ms", base.segment_us)?,
            retention_us: retention_us.filter(|_| deletes),
            retention_bytes: transcript.value("retention.bytes").and_then(|value| value.parse().ok()),
            check_us: header.ms("log.retention.check.interval.ms", base.check_us)?,
            remote: if remote {
                let local_retention_us = if local { limit("local.retention.ms", 0)? } else { None };
                Some(Remote { local_retention_us, ..Remote::default() })
            } else {
                None
            },
        };
        let base = compaction::Options::default();
        let compaction = compaction::Options {
            dirty_ppm: header.number("min.cleanable.dirty.ratio", base.dirty_ppm / 10_000)?.saturating_mul(10_000),
            tombstone_us: header.ms("delete.retention.ms", base.tombstone_us)?,
            min_lag_us: header.ms("min.compaction.lag.ms", base.min_lag_us)?,
            ..base
        };
        let base = offsets::Options::default();
        let retention_us = header.number("offsets.retention.minutes", base.retention_us / 60_000_000)?.saturating_mul(60_000_000);
        Ok(Self {
            now_us: 0,
            segments: Segments::new(0, options),
            compaction: compacts.then_some(compaction),
            cleaner: Cleaner::default(),
            offsets: Offsets::new(0, offsets::Options { retention_us, ..base }),
            records: Vec::new(),
            record_bytes: header.number("record.bytes", 100)?,
            names: Vec::new(),
        })
    }

    /// Does what the words say and gives the answer's lines.
    pub fn say(&mut self, said: &str) -> Vec<String> {
        let words: Vec<&str> = said.split_whitespace().collect();
        let Some((verb, rest)) = words.split_first() else { return vec!["no words".to_owned()] };
        let unknown = || vec![format!("? {said}")];
        let answer = match *verb {
            "append" => Some(list(&rest.iter().map(|name| self.append(name)).collect::<Vec<_>>())),
            "trickle" => return self.trickle(rest).unwrap_or_else(unknown),
            "wait" => return rest.first().and_then(|word| time(word)).map_or_else(unknown, |us| self.wait(us)),
            "read" => Some(self.read(rest)),
            "segments" => Some(self.segments()),
            "compact" => self.compact(),
            "members" => self.members(rest),
            "commit" => self.commit(rest),
            "begin" => self.begin(rest),
            "lag" => lag_words(rest),
            _ => None,
        };
        match answer {
            None => unknown(),
            Some(answer) if answer.is_empty() => Vec::new(),
            Some(answer) => vec![answer],
        }
    }

    fn append(&mut self, name: &str) -> String {
        let offset = self.segments.end();
        self.segments.append(self.now_us, 1, self.record_bytes);
        self.records.push(Record { offset, at_us: self.now_us, name: name.to_owned() });
        offset.to_string()
    }

    fn trickle(&mut self, words: &[&str]) -> Option<Vec<String>> {
        let (count, every_us): (u32, u64) = (words.first()?.parse().ok()?, time(after(words, "every")?)?);
        let mut lines = Vec::new();
        for _ in 0..count {
            let name = self.segments.end().to_string();
            self.append(&name);
            lines.extend(self.wait(every_us));
        }
        Some(lines)
    }

    fn wait(&mut self, for_us: u64) -> Vec<String> {
        let until_us = self.now_us.saturating_add(for_us);
        let mut lines = Vec::new();
        while let Some(due_us) = self.segments.next_due_us().filter(|due_us| *due_us <= until_us) {
            let (start, local) = (self.segments.start(), self.segments.local_start());
            self.now_us = due_us;
            self.segments.advance(due_us, self.segments.end());
            if self.segments.start() != start {
                lines.push(format!("{} starts at {}", clock(due_us), self.segments.start()));
            }
            if self.segments.local_start() != local && self.segments.local_start() != self.segments.start() {
                lines.push(format!("{} on disk from {}", clock(due_us), self.segments.local_start()));
            }
        }
        self.now_us = until_us;
        self.segments.advance(until_us, self.segments.end());
        self.offsets.advance(until_us);
        let start = self.segments.start();
        self.records.retain(|record| record.offset >= start);
        lines
    }

    fn read(&self, words: &[&str]) -> String {
        let from = after(words, "from").and_then(|word| word.parse().ok()).unwrap_or(self.segments.start());
        let records = self.records.iter().filter(|record| record.offset >= from);
        let show = |record: &Record| match self.segments.tier(record.offset) {
            Tier::Remote => format!("{}(remote)", record.name),
            Tier::Local | Tier::Nowhere => record.name.clone(),
        };
        list(&records.map(show).collect::<Vec<_>>())
    }

    fn segments(&self) -> String {
        let show = |segment: &segment::Segment| {
            format!("{}..{}{}", segment.base, segment.end, if segment.local { "" } else { " remote" })
        };
        self.segments.iter().map(show).collect::<Vec<_>>().join(", ")
    }

    fn compact(&mut self) -> Option<String> {
        let options = self.compaction?;
        let names: Vec<String> = self.records.iter().map(|record| record.key().to_owned()).collect();
        let keys: Vec<u64> = names.iter().map(|name| self.number(name)).collect();
        let bytes = self.record_bytes;
        let seen = self.records.iter().zip(keys).map(|(record, key)| compaction::Record {
            offset: record.offset,
            key,
            bytes,
            at_us: record.at_us,
            tombstone: record.name.ends_with("=-"),
        });
        let seen: Vec<compaction::Record> = seen.collect();
        let until = self.segments.cleanable(self.now_us, options.min_lag_us);
        if !self.cleaner.is_due(self.now_us, &options, until, &seen) {
            return Some("not due".to_owned());
        }
        let removed = self.cleaner.clean(self.now_us, &options, until, &seen);
        for offset in &removed {
            self.segments.removed(*offset, bytes);
        }
        self.records.retain(|record| !removed.contains(&record.offset));
        Some(list(&removed.iter().map(u64::to_string).collect::<Vec<_>>()))
    }

    fn members(&mut self, words: &[&str]) -> Option<String> {
        let group = self.number(words.first()?);
        self.offsets.members(self.now_us, group, words.get(1)?.parse().ok()?);
        Some(String::new())
    }

    fn commit(&mut self, words: &[&str]) -> Option<String> {
        let group = self.number(words.first()?);
        self.offsets.commit(self.now_us, group, 0, words.get(1)?.parse().ok()?);
        Some(String::new())
    }

    fn begin(&mut self, words: &[&str]) -> Option<String> {
        let group = self.number(words.first()?);
        let reset = match *words.get(1)? {
            "earliest" => Reset::Earliest,
            "latest" => Reset::Latest,
            "none" => Reset::None,
            other => Reset::ByDuration(time(other.strip_prefix("by_duration:")?)?),
        };
        let committed = self.offsets.committed(group, 0);
        Some(match begin(self.now_us, committed, self.segments.start(), self.segments.end(), reset) {
            Ok(Start::At(offset)) => offset.to_string(),
            Ok(Start::Since(since_us)) => {
                let first = self.records.iter().find(|record| record.at_us >= since_us);
                first.map_or(self.segments.end(), |record| record.offset).to_string()
            }
            Err(error) => error.name().to_owned(),
        })
    }

    fn number(&mut self, name: &str) -> u64 {
        let place = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        place as u64
    }
}

fn lag_words(words: &[&str]) -> Option<String> {
    let position = words.first()?.parse().ok()?;
    let (high_watermark, stable) = (after(words, "high-watermark")?.parse().ok()?, after(words, "stable")?.parse().ok()?);
    Some(format!("{} to the high watermark, {} to the last stable offset", lag(position, high_watermark), lag(position, stable)))
}

/// Days, hours, minutes and seconds that are not zero.
fn clock(us: u64) -> String {
    let seconds = us / 1_000_000;
    let parts = [(seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let shown: Vec<String> = parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count}{unit}")).collect();
    if shown.is_empty() { "0s".to_owned() } else { shown.join("") }
}
