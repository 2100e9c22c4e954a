//! Which command makes sense for which kind of part: one table for the checks, the inspector, the explorer and the docs.

use serde_json::Value;

use super::Scenario;
use super::alerts::ALERTS;
use super::choices::Broker;
use super::document::switches::LAB;
use super::fault::Fault;
use super::kind::Kind;
use super::links::{self, dead_letter_queues, links};
use super::native;
use super::nearest::known;
use super::setting::Refused;
use crate::command::{Command, CrashStep};
use crate::sim::order::by_key;

/// What each verb does, in the order of [`VERBS`](crate::command::VERBS).
pub const VERB_DOCS: [&str; 16] = [
    "The part is down: it answers nobody.",
    "Ends every fault of the part.",
    "Everything the part does takes so many times as long.",
    "This share of what the part is asked fails.",
    "The two parts cannot reach each other; `mend` of either ends it.",
    "A process dies with what is in its memory: now, or the next time it has done STEP and not yet what follows. Of a log with replicas the broker that leads most partitions dies.",
    "The next N acknowledgements or confirmations from the part are lost on the way.",
    "The next message can never be processed.",
    "The producer sends so many times its rate for a while.",
    "Every process of the part restarts.",
    "The worker has N processes from now on.",
    "The part takes no new work; of a log with replicas the followers hang.",
    "It takes work again; the followers go on.",
    "What lies in the dead letters goes back to where it came from.",
    "The group reads again: from the oldest record kept, or from what was written at TIME.",
    "A setting gets another value, at once.",
];

/// The verbs that make sense for a kind of part, faults first.
#[must_use]
pub fn commands_for(kind: &Kind) -> &'static [&'static str] {
    match kind {
        Kind::Producer(_) => &["break", "cut", "crash", "poison", "burst", "deploy", "mend", "pause", "resume", "set"],
        Kind::Service(_) => &["break", "slow", "fail", "cut", "crash", "deploy", "mend", "set"],
        Kind::Exchange(_) => &["break", "slow", "fail", "cut", "lose-acks", "mend", "set"],
        Kind::Database(_) | Kind::Dependency(_) => &["break", "slow", "fail", "cut", "mend", "set"],
        Kind::Relay(_) => &["break", "slow", "cut", "crash", "deploy", "mend", "pause", "resume", "set"],
        Kind::Queue(queue) if queue.broker == Broker::RabbitmqQuorum => {
            &["break", "slow", "fail", "cut", "crash", "lose-acks", "poison", "mend", "redrive", "set"]
        }
        Kind::Queue(_) => &["break", "slow", "fail", "cut", "lose-acks", "poison", "mend", "redrive", "set"],
        Kind::Log(log) if log.replicas > 1 => {
            &["break", "slow", "fail", "cut", "crash", "lose-acks", "poison", "mend", "pause", "resume", "set"]
        }
        Kind::Log(_) => &["break", "slow", "fail", "cut", "lose-acks", "poison", "mend", "set"],
        Kind::Worker(_) => {
            &["break", "slow", "fail", "cut", "crash", "lose-acks", "deploy", "mend", "scale", "pause", "resume", "rewind", "set"]
        }
    }
}

/// The steps after which a process of this kind can crash.
#[must_use]
pub fn crash_steps(kind: &Kind) -> &'static [CrashStep] {
    match kind {
        Kind::Worker(_) => &[CrashStep::Received, CrashStep::Worked, CrashStep::Acked, CrashStep::Done],
        Kind::Relay(_) => &[CrashStep::Received, CrashStep::Published],
        Kind::Service(_) => &[CrashStep::Called, CrashStep::Committed, CrashStep::Published, CrashStep::Answered],
        Kind::Producer(_) | Kind::Database(_) | Kind::Queue(_) | Kind::Exchange(_) | Kind::Log(_) | Kind::Dependency(_) => &[],
    }
}

/// The settings that say how parts are wired and what is counted: fixed once a run has begun.
#[must_use]
pub fn fixed_settings(kind: &Kind) -> &'static [&'static str] {
    match kind {
        Kind::Producer(_) => &["to", "messages", "keys", "first_id", "id_prefix", "due", "due_at"],
        Kind::Service(_) => &["steps"],
        Kind::Database(_) => &["effect"],
        Kind::Relay(_) => &["from", "to", "due"],
        Kind::Queue(_) => &[
            "broker",
            "version",
            "claim",
            "skip_locked",
            "reaper",
            "priorities",
            "single_active",
            "overflow",
            "dead_letters",
            "dead_letter_strategy",
            "dead_letter_retry",
        ],
        Kind::Exchange(_) => &["bindings"],
        Kind::Log(_) => &["delay", "broker", "replicas"],
        Kind::Worker(_) => &["from", "calls", "effect", "promise", "park"],
        Kind::Dependency(_) => &["role", "effect"],
    }
}

/// The word of a command.
#[must_use]
pub fn verb(command: &Command) -> &'static str {
    match command {
        Command::Break(_) => "break",
        Command::Mend(_) => "mend",
        Command::Slow(..) => "slow",
        Command::Fail(..) => "fail",
        Command::Cut(..) => "cut",
        Command::Crash(..) => "crash",
        Command::LoseAcks(..) => "lose-acks",
        Command::Poison(_) => "poison",
        Command::Burst(..) => "burst",
        Command::Deploy(_) => "deploy",
        Command::Scale(..) => "scale",
        Command::Pause(_) => "pause",
        Command::Resume(_) => "resume",
        Command::Redrive(_) => "redrive",
        Command::Rewind(..) => "rewind",
        Command::Set { .. } => "set",
    }
}

/// Checks that a command means something in this scenario.
///
/// # Errors
/// A fault whose path is `do`; a caller that knows the place better puts its own.
pub fn check_command(scenario: &Scenario, command: &Command) -> Result<(), Fault> {
    let fault = |wrong: String, allowed: String| Err(Fault::new("do", wrong, allowed));
    let id = command.part();
    let Some(part) = scenario.parts.get(id) else {
        if matches!(command, Command::Set { part, .. } if part == LAB) {
            return fault("a switch is chosen before the run, not during it".into(), "--set lab.NAME=CHOICE".into());
        }
        if matches!(command, Command::Set { part, .. } if part == ALERTS) {
            let allowed = "--set alerts.PART.RULE.above=VALUE".into();
            return fault("a rule holds for a whole run".into(), allowed);
        }
        return unknown_part(scenario, id);
    };
    let (kind, verb) = (&part.kind, verb(command));
    if !commands_for(kind).contains(&verb) {
        let allowed = commands_for(kind).join(", ");
        return fault(format!("`{verb}` makes no sense for `{id}`: it is a {}", kind.word()), allowed);
    }
    match command {
        Command::Cut(_, other) => check_cut(scenario, id, other),
        Command::Crash(_, Some(step)) if !crash_steps(kind).contains(step) => {
            let steps: Vec<&str> = crash_steps(kind).iter().map(|step| step.word()).collect();
            let allowed = if steps.is_empty() { format!("crash {id}, without a step") } else { known(step.word(), steps) };
            fault(format!("a {} has no step `{}`", kind.word(), step.word()), allowed)
        }
        Command::Redrive(_) => {
            let trays = dead_letter_queues(&scenario.parts);
            match trays.contains(&id) {
                true => Ok(()),
                false if trays.is_empty() => {
                    fault(format!("no part sends dead letters to `{id}`"), "nothing: this scenario has no dead letters".into())
                }
                false => fault(format!("no part sends dead letters to `{id}`"), known(id, trays)),
            }
        }
        Command::Rewind(..) => {
            let reads_log = |kind: &Kind| match kind {
                Kind::Worker(settings) => settings
                    .from
                    .id()
                    .and_then(|from| scenario.parts.get(from))
                    .is_some_and(|from| matches!(from.kind, Kind::Log(_))),
                _ => false,
            };
            if reads_log(kind) {
                return Ok(());
            }
            let readers: Vec<&str> =
                scenario.parts.iter().filter(|(_, part)| reads_log(&part.kind)).map(|(id, _)| id.as_str()).collect();
            let allowed = if readers.is_empty() { "nothing: no worker here reads a log".into() } else { known(id, readers) };
            fault(format!("`{id}` reads a queue, and a queue keeps nothing to read again"), allowed)
        }
        Command::Set { setting, value, .. } => check_set(scenario, id, setting, value),
        _ => Ok(()),
    }
}

fn unknown_part(scenario: &Scenario, id: &str) -> Result<(), Fault> {
    let shown: String = id.chars().take(60).collect();
    Err(Fault::new("do", format!("there is no part `{shown}`"), known(&shown, scenario.parts.keys().map(String::as_str))))
}

fn check_cut(scenario: &Scenario, id: &str, other: &str) -> Result<(), Fault> {
    let Some((own, far)) = scenario.parts.get_index_of(id).zip(scenario.parts.get_index_of(other)) else {
        return unknown_part(scenario, other);
    };
    let mut neighbours: Vec<usize> = links(&scenario.parts)
        .iter()
        .filter_map(|link| match (usize::from(link.from), usize::from(link.to)) {
            (from, to) if from == own => Some(to),
            (from, to) if to == own => Some(from),
            _ => None,
        })
        .collect();
    neighbours = by_key(neighbours, |other| *other as u64);
    neighbours.dedup();
    if neighbours.contains(&far) {
        return Ok(());
    }
    let names = neighbours.iter().filter_map(|index| scenario.parts.get_index(*index)).map(|(id, _)| id.as_str());
    Err(Fault::new("do", format!("`{id}` and `{other}` have no link to cut"), known(other, names)))
}

fn check_set(scenario: &Scenario, id: &str, said: &str, value: &str) -> Result<(), Fault> {
    let Some(part) = scenario.parts.get(id) else { return unknown_part(scenario, id) };
    if let Some(all) = part.kind.several(said, &Value::from(value)) {
        let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        return all.iter().try_for_each(|(name, value)| check_set(scenario, id, name, &shown(value)));
    }
    let (setting, _) = &part.kind.in_our_words(said, &Value::Null);
    let setting = setting.as_str();
    if fixed_settings(&part.kind).contains(&setting) {
        let allowed = format!("--set {id}.{setting}=VALUE, or the scenario itself");
        return Err(Fault::new("do", format!("`{setting}` is fixed once the run has begun"), allowed));
    }
    let mut kind = part.kind.clone();
    match kind.set(said, &Value::String(value.to_owned())) {
        Ok(()) => {
            // Only what this setting refers to: another one may be wrong for a reason of its own.
            let own = |fault: &Fault| fault.path.split('[').next() == Some(setting);
            match links::check(&scenario.parts, id, &kind, &[], str::to_owned).into_iter().find(own) {
                Some(fault) => Err(Fault { path: "do".into(), ..fault }),
                None => check_partitions(&part.kind, &kind),
            }
        }
        Err(Refused::Bad { wrong, allowed }) => Err(Fault::new("do", wrong, allowed)),
        Err(Refused::Unknown) => {
            let names = kind.table().iter().map(|row| row.name);
            let shown: String = said.chars().take(60).collect();
            Err(Fault::new("do", native::unknown(&kind, said), known(&shown, names)))
        }
    }
}

/// A log can get more partitions and never fewer: its records stay where they are.
fn check_partitions(before: &Kind, after: &Kind) -> Result<(), Fault> {
    match (before, after) {
        (Kind::Log(before), Kind::Log(after)) if after.partitions < before.partitions => {
            let allowed = format!("{} or more", before.partitions);
            Err(Fault::new("do", format!("a log cannot go down to {} partitions", after.partitions), allowed))
        }
        _ => Ok(()),
    }
}
