//! Commands: everything that can be done to a running world. The page and `--do` send the same ones.

use std::fmt;

use crate::scenario::fault::Fault;
use crate::scenario::nearest::known;
use crate::sim::time::decimal;
use crate::sim::{Micros, Ppm, Timestamp};

/// A step of a part between which and the next it can crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CrashStep {
    /// A worker has received and not yet worked; a relay has read and not yet published.
    Received,
    /// The effect has happened and nothing is acknowledged (work, then ack).
    Worked,
    /// It is acknowledged and the effect has not happened (ack, then work).
    Acked,
    /// A service's calls have been answered and what follows has not begun: the card is charged and nothing is written.
    Called,
    /// The row is committed and nothing is published.
    Committed,
    /// It is published and the step after that has not happened: not marked as sent, or not committed.
    Published,
    /// The user has been answered and later steps have not run.
    Answered,
    /// Everything is done: for completeness of an exploration.
    Done,
}

impl CrashStep {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Received, Self::Worked, Self::Acked, Self::Called, Self::Committed, Self::Published, Self::Answered, Self::Done];

    /// The word that `crash P at STEP` takes.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Worked => "worked",
            Self::Acked => "acked",
            Self::Called => "called",
            Self::Committed => "committed",
            Self::Published => "published",
            Self::Answered => "answered",
            Self::Done => "done",
        }
    }
}

/// Where a rewind goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewindTo {
    /// The oldest record that is still kept.
    Start,
    /// The first record that is at least as new as this moment.
    Time(Timestamp),
}

/// One command. Parts are named by id, so that a run in a link survives a reordering of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The part is down: it answers nobody.
    Break(String),
    /// Ends every fault of the part.
    Mend(String),
    /// Everything that the part does takes this many times as long, in thousandths.
    Slow(String, u64),
    /// This share of what the part is asked fails.
    Fail(String, Ppm),
    /// The two cannot reach each other.
    Cut(String, String),
    /// A process of the part dies: now, or the next time it reaches the step.
    Crash(String, Option<CrashStep>),
    /// The next so many acknowledgements from the part are lost on the way.
    LoseAcks(String, u64),
    /// The next message of the producer, or the next one to enter the queue or log, can never be processed.
    Poison(String),
    /// The producer sends this many times its rate, in thousandths, for a while.
    Burst(String, u64, Micros),
    /// Every process of the part restarts.
    Deploy(String),
    /// The worker has so many processes from now on.
    Scale(String, u64),
    /// The part stops taking new work.
    Pause(String),
    /// It goes on.
    Resume(String),
    /// What lies in the dead letters goes back to where it came from.
    Redrive(String),
    /// A consumer group reads again from an earlier place.
    Rewind(String, RewindTo),
    /// A setting gets another value.
    Set {
        /// The part.
        part: String,
        /// The setting.
        setting: String,
        /// Its value, as text.
        value: String,
    },
}

/// A command and when it is carried out: before anything else that happens at that moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    /// When.
    pub at_us: Timestamp,
    /// What.
    pub command: Command,
}

/// The most processes that a worker may be given.
pub const MOST_PROCESSES: u64 = 1_000;

/// The verbs, as `--do` takes them, each with its form.
pub const VERBS: [(&str, &str); 16] = [
    ("break", "break P"),
    ("mend", "mend P"),
    ("slow", "slow P 40x"),
    ("fail", "fail P 30%"),
    ("cut", "cut P Q"),
    ("crash", "crash P [at STEP]"),
    ("lose-acks", "lose-acks P N"),
    ("poison", "poison P"),
    ("burst", "burst P 10x for 60s"),
    ("deploy", "deploy P"),
    ("scale", "scale P N"),
    ("pause", "pause P"),
    ("resume", "resume P"),
    ("redrive", "redrive P"),
    ("rewind", "rewind P to 0|TIME"),
    ("set", "set P.SETTING=VALUE"),
];

/// Reads `40x` as thousandths.
fn times(text: &str) -> Result<u64, String> {
    let number = text.strip_suffix('x').ok_or_else(|| format!("`{text}` is not a factor: write it like 40x"))?;
    match decimal(number, 1_000)? {
        0 => Err(format!("`{text}` is zero")),
        milli if milli > 1_000_000_000 => Err(format!("`{text}` is more than 1000000x")),
        milli => Ok(milli),
    }
}

fn count(text: &str, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(count) if count <= most => Ok(count),
        Ok(_) => Err(format!("`{text}` is more than {most}")),
        Err(_) => Err(format!("`{text}` is not a whole number")),
    }
}

impl Command {
    /// Reads a command without its time: `break orders`, `set orders.retention=1h`.
    ///
    /// # Errors
    /// A fault whose `wrong` names the verb or argument and whose `allowed` gives the form or the verbs that exist.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let (verb, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let Some((_, form)) = VERBS.iter().find(|(name, _)| *name == verb) else {
            return Err(Fault::new("", format!("`{verb}` is not a verb"), known(verb, VERBS.iter().map(|(name, _)| *name))));
        };
        let bad = |wrong: String| Fault::new("", wrong, *form);
        if verb == "set" {
            let (place, value) = rest.split_once('=').ok_or_else(|| bad(format!("`{rest}` has no =")))?;
            let (part, setting) = place.trim().split_once('.').ok_or_else(|| bad(format!("`{place}` names no setting")))?;
            return Ok(Self::Set { part: part.into(), setting: setting.into(), value: value.trim().into() });
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        let part = (*words.first().ok_or_else(|| bad(format!("`{verb}` names no part")))?).to_owned();
        match (verb, &words[1..]) {
            ("break", []) => Ok(Self::Break(part)),
            ("mend", []) => Ok(Self::Mend(part)),
            ("slow", [factor]) => times(factor).map(|milli| Self::Slow(part, milli)).map_err(bad),
            ("fail", [share]) => Ppm::parse(share).map(|share| Self::Fail(part, share)).map_err(bad),
            ("cut", [other]) => Ok(Self::Cut(part, (*other).to_owned())),
            ("crash", []) => Ok(Self::Crash(part, None)),
            ("crash", ["at", step]) => match CrashStep::ALL.iter().find(|known| known.word() == *step) {
                Some(step) => Ok(Self::Crash(part, Some(*step))),
                None => {
                    Err(Fault::new("", format!("`{step}` is not a step"), known(step, CrashStep::ALL.iter().map(|s| s.word()))))
                }
            },
            ("lose-acks", [n]) => count(n, 1_000_000_000).map(|n| Self::LoseAcks(part, n)).map_err(bad),
            ("poison", []) => Ok(Self::Poison(part)),
            ("burst", [factor, "for", span]) => {
                let (milli, span) = (times(factor).map_err(bad)?, Micros::parse(span).map_err(bad)?);
                Ok(Self::Burst(part, milli, span))
            }
            ("deploy", []) => Ok(Self::Deploy(part)),
            ("scale", [n]) => count(n, MOST_PROCESSES).map(|n| Self::Scale(part, n)).map_err(bad),
            ("pause", []) => Ok(Self::Pause(part)),
            ("resume", []) => Ok(Self::Resume(part)),
            ("redrive", []) => Ok(Self::Redrive(part)),
            ("rewind", ["to", "0"]) => Ok(Self::Rewind(part, RewindTo::Start)),
            ("rewind", ["to", at]) => Micros::parse(at).map(|at| Self::Rewind(part, RewindTo::Time(at.0))).map_err(bad),
            _ => Err(bad(format!("`{text}` has the wrong arguments"))),
        }
    }

    /// It undoes, frees or repeats something that was before it: at the start of a run it does nothing.
    #[must_use]
    pub fn needs_a_past(&self) -> bool {
        matches!(self, Self::Mend(_) | Self::Resume(_) | Self::Redrive(_) | Self::Rewind(..))
    }

    /// The part that the command is about.
    #[must_use]
    pub fn part(&self) -> &str {
        match self {
            Self::Break(part)
            | Self::Mend(part)
            | Self::Slow(part, _)
            | Self::Fail(part, _)
            | Self::Cut(part, _)
            | Self::Crash(part, _)
            | Self::LoseAcks(part, _)
            | Self::Poison(part)
            | Self::Burst(part, ..)
            | Self::Deploy(part)
            | Self::Scale(part, _)
            | Self::Pause(part)
            | Self::Resume(part)
            | Self::Redrive(part)
            | Self::Rewind(part, _)
            | Self::Set { part, .. } => part,
        }
    }
}

/// A factor in thousandths as people write it: `40x`, `1.5x`.
struct Times(u64);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000, self.0 % 1_000);
        if rest == 0 {
            return write!(f, "{whole}x");
        }
        write!(f, "{whole}.{}x", format!("{rest:03}").trim_end_matches('0'))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Break(part) => write!(f, "break {part}"),
            Self::Mend(part) => write!(f, "mend {part}"),
            Self::Slow(part, milli) => write!(f, "slow {part} {}", Times(*milli)),
            Self::Fail(part, share) => write!(f, "fail {part} {share}"),
            Self::Cut(part, other) => write!(f, "cut {part} {other}"),
            Self::Crash(part, None) => write!(f, "crash {part}"),
            Self::Crash(part, Some(step)) => write!(f, "crash {part} at {}", step.word()),
            Self::LoseAcks(part, n) => write!(f, "lose-acks {part} {n}"),
            Self::Poison(part) => write!(f, "poison {part}"),
            Self::Burst(part, milli, span) => write!(f, "burst {part} {} for {span}", Times(*milli)),
            Self::Deploy(part) => write!(f, "deploy {part}"),
            Self::Scale(part, n) => write!(f, "scale {part} {n}"),
            Self::Pause(part) => write!(f, "pause {part}"),
            Self::Resume(part) => write!(f, "resume {part}"),
            Self::Redrive(part) => write!(f, "redrive {part}"),
            Self::Rewind(part, RewindTo::Start) => write!(f, "rewind {part} to 0"),
            Self::Rewind(part, RewindTo::Time(at_us)) => write!(f, "rewind {part} to {}", Micros(*at_us)),
            Self::Set { part, setting, value } => write!(f, "set {part}.{setting}={value}"),
        }
    }
}

impl Timed {
    /// Reads `41s break orders`.
    ///
    /// # Errors
    /// As [`Command::parse`], and for a time that is none.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let (at, command) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let at = Micros::parse(at).map_err(|wrong| Fault::new("", wrong, "TIME VERB …, like 41s break orders"))?;
        Ok(Self { at_us: at.0, command: Command::parse(command)? })
    }
}

impl fmt::Display for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Micros(self.at_us), self.command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_reads_back_as_it_is_written() {
        for text in [
            "break orders",
            "mend orders",
            "slow card-issuer 40x",
            "slow a 1.5x",
            "fail a 30%",
            "cut a b",
            "crash a",
            "crash a at worked",
            "lose-acks a 3",
            "poison a",
            "burst a 10x for 60s",
            "deploy a",
            "scale a 4",
            "pause a",
            "resume a",
            "redrive a",
            "rewind a to 0",
            "rewind a to 90s",
            "set a.retention=1h",
        ] {
            let command = Command::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
            assert_eq!(Command::parse(&command.to_string()), Ok(command), "{text}");
        }
    }

    #[test]
    fn a_wrong_command_says_what_exists() {
        let check = |text: &str, expect: &str| assert_eq!(Timed::parse(text).unwrap_err().to_string(), expect);
        check(
            "41s brake orders",
            "(document): `brake` is not a verb; allowed: break, mend, slow, fail, cut, crash, lose-acks, poison, burst, deploy, scale, pause, resume, redrive, rewind, set; nearest: break",
        );
        check(
            "41 break orders",
            "(document): `41` has no unit: write it with us, ms, s, m, h or d, like `41s`; allowed: TIME VERB …, like 41s break orders",
        );
        check("1s slow a fast", "(document): `fast` is not a factor: write it like 40x; allowed: slow P 40x");
        check(
            "1s crash a at lunch",
            "(document): `lunch` is not a step; allowed: received, worked, acked, called, committed, published, answered, done",
        );
        check("1s break", "(document): `break` names no part; allowed: break P");
    }
}
