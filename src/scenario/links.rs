//! How parts refer to each other, and whether they may.

use indexmap::IndexMap;

use super::PartSpec;
use super::choices::{Broker, Reads};
use super::fault::Fault;
use super::kind::Kind;
use super::nearest::known;
use super::parts::WorkerSettings;
use super::refusals;
use super::setting::PartName;
use super::steps::Step;

/// What travels along a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Messages, or the requests and rows they are made of.
    Flow,
    /// A call that waits for its answer.
    Call,
    /// What failed for good.
    DeadLetters,
}

/// A link between two parts, in the direction in which things travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Index of the part it starts from, in the order of the scenario.
    pub from: u16,
    /// Index of the part it goes to.
    pub to: u16,
    /// What travels.
    pub kind: LinkKind,
}

/// A place in a part's settings that names another part.
struct Reference<'k> {
    /// The setting: `to`, or `steps[1]`.
    place: String,
    /// The id that stands there; none where nothing does.
    part: Option<&'k str>,
    /// The kinds that fit, as [`Kind::word`] says them.
    fits: &'static [&'static str],
    /// Whether the part is no use without it.
    needed: bool,
    /// What travels.
    link: LinkKind,
    /// Whether things travel from the named part to this one.
    inwards: bool,
}

const TARGETS: &[&str] = &["queue", "exchange", "log"];
const RECEIVERS: &[&str] = &["service", "queue", "exchange", "log"];
const SOURCES: &[&str] = &["queue", "log"];

/// Every place in the settings of a kind that can name a part.
fn references(kind: &Kind) -> Vec<Reference<'_>> {
    fn named<'k>(place: &str, name: &'k PartName, fits: &'static [&'static str], link: LinkKind) -> Reference<'k> {
        Reference { place: place.to_owned(), part: name.id(), fits, needed: false, link, inwards: false }
    }
    fn needed(reference: Reference<'_>) -> Reference<'_> {
        Reference { needed: true, ..reference }
    }
    fn inwards(reference: Reference<'_>) -> Reference<'_> {
        Reference { inwards: true, ..reference }
    }
    match kind {
        Kind::Producer(settings) => vec![needed(named("to", &settings.to, RECEIVERS, LinkKind::Flow))],
        Kind::Service(settings) => {
            settings.steps.0.iter().enumerate().flat_map(|(index, step)| step_references(index, step)).collect()
        }
        Kind::Relay(settings) => vec![
            needed(inwards(named("from", &settings.from, &["database"], LinkKind::Flow))),
            needed(named("to", &settings.to, TARGETS, LinkKind::Flow)),
        ],
        Kind::Queue(settings) => vec![named("dead_letters", &settings.dead_letters, &["queue"], LinkKind::DeadLetters)],
        Kind::Worker(settings) => vec![
            needed(inwards(named("from", &settings.from, SOURCES, LinkKind::Flow))),
            named("calls", &settings.calls, &["dependency"], LinkKind::Call),
            named("dead_letters", &settings.dead_letters, TARGETS, LinkKind::DeadLetters),
        ],
        Kind::Exchange(settings) => {
            let bound = settings.bindings.0.iter().enumerate().map(|(index, (queue, _))| Reference {
                place: format!("bindings[{index}]"),
                part: Some(queue),
                fits: &["queue"],
                needed: false,
                link: LinkKind::Flow,
                inwards: false,
            });
            let alternate = named("alternate", &settings.alternate, &["queue", "exchange"], LinkKind::Flow);
            bound.chain([alternate]).collect()
        }
        Kind::Database(_) | Kind::Log(_) | Kind::Dependency(_) => Vec::new(),
    }
}

fn step_references(index: usize, step: &Step) -> Vec<Reference<'_>> {
    let (fits, link): (&'static [&'static str], _) = match step {
        Step::Call(_) => (&["dependency"], LinkKind::Call),
        Step::Write { .. } => (&["database"], LinkKind::Flow),
        Step::Publish(_) => (TARGETS, LinkKind::Flow),
        Step::Work(_) | Step::Answer => return Vec::new(),
    };
    let place = || format!("steps[{index}]");
    step.parts()
        .into_iter()
        .map(|part| Reference { place: place(), part: Some(part), fits, needed: false, link, inwards: false })
        .collect()
}

/// The links between parts, in the order of the parts that name them. A pair that two settings name stands twice only if
/// different things travel.
#[must_use]
pub fn links(parts: &IndexMap<String, PartSpec>) -> Vec<Link> {
    let mut links = Vec::new();
    for (own, spec) in parts.values().enumerate() {
        for reference in references(&spec.kind) {
            let Some(other) = reference.part.and_then(|id| parts.get_index_of(id)) else { continue };
            let (from, to) = if reference.inwards { (other, own) } else { (own, other) };
            let (Ok(from), Ok(to)) = (u16::try_from(from), u16::try_from(to)) else { continue };
            let link = Link { from, to, kind: reference.link };
            if !links.contains(&link) {
                links.push(link);
            }
        }
    }
    links
}

/// The queues that some part sends its dead letters to, in the order of the scenario.
#[must_use]
pub fn dead_letter_queues(parts: &IndexMap<String, PartSpec>) -> Vec<&str> {
    let takes = |id: &str| {
        parts.values().any(|part| references(&part.kind).iter().any(|r| r.link == LinkKind::DeadLetters && r.part == Some(id)))
    };
    parts.keys().map(String::as_str).filter(|id| takes(id)).collect()
}

/// The dead-letter queues that nobody consumes.
#[must_use]
pub fn trays(parts: &IndexMap<String, PartSpec>) -> Vec<&str> {
    let lies_there = |id: &&str| readers(parts, id).next().is_none() && !passes_on(parts, id);
    dead_letter_queues(parts).into_iter().filter(lies_there).collect()
}

/// Whether nobody consumes a queue and what lies in it gets to consumers all the same, as its dead letters: the second half of a
/// retry loop.
#[must_use]
pub fn passes_on(parts: &IndexMap<String, PartSpec>, id: &str) -> bool {
    let mut at = id;
    for _ in 0..parts.len() {
        let Some(next) = letters_of(parts, at).filter(|_| is_rabbit(parts, at)) else { return false };
        if readers(parts, next).next().is_some() {
            return readers(parts, id).next().is_none();
        }
        at = next;
    }
    false
}

/// Whether a queue has the rules of RabbitMQ, which lets dead letters go round and ends those that nobody rejects.
fn is_rabbit(parts: &IndexMap<String, PartSpec>, id: &str) -> bool {
    let kind = parts.get(id).map(|part| &part.kind);
    matches!(kind, Some(Kind::Queue(settings)) if matches!(settings.broker, Broker::RabbitmqClassic | Broker::RabbitmqQuorum))
}

/// The effects that are counted, each once, in the order of the scenario: rows of a database, calls of a dependency, work of a
/// worker.
#[must_use]
pub fn effects(parts: &IndexMap<String, PartSpec>) -> Vec<&str> {
    let mut effects: Vec<&str> = Vec::new();
    for (id, part) in parts {
        let effect = match &part.kind {
            Kind::Database(settings) => settings.effect.as_str(),
            Kind::Dependency(settings) => settings.effect.as_str(),
            Kind::Worker(settings) if settings.effect.is_empty() => id,
            Kind::Worker(settings) => effect_of(id, settings),
            Kind::Producer(_) | Kind::Service(_) | Kind::Relay(_) | Kind::Queue(_) | Kind::Exchange(_) | Kind::Log(_) => "",
        };
        if !effect.is_empty() && !effects.contains(&effect) {
            effects.push(effect);
        }
    }
    effects
}

/// `queue or log`, `service, queue or log`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [front @ .., last] => format!("{} or {last}", front.join(", ")),
    }
}

/// Every reference of the part `id`, were it set as in `kind`, that leads nowhere or to a part of the wrong kind. `place` makes
/// the path of a setting; `unread` are ids that exist and could not be read.
pub fn check(
    parts: &IndexMap<String, PartSpec>,
    id: &str,
    kind: &Kind,
    unread: &[String],
    place: impl Fn(&str) -> String,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for reference in references(kind) {
        let fitting = || parts.iter().filter(|(_, part)| reference.fits.contains(&part.kind.word())).map(|(id, _)| id.as_str());
        let allowed = |name: &str| {
            let kinds = alternatives(reference.fits);
            match fitting().next() {
                None => format!("a {kinds}, and this scenario has none"),
                Some(_) if name.is_empty() => format!("a {kinds}: {}", fitting().collect::<Vec<_>>().join(", ")),
                Some(_) => format!("a {kinds}: {}", known(name, fitting())),
            }
        };
        match reference.part {
            None if reference.needed => {
                let wrong = format!("a {} needs `{}`", kind.word(), reference.place);
                faults.push(Fault::new(place(&reference.place), wrong, allowed("")));
            }
            None => {}
            Some(name) if unread.iter().any(|id| id == name) => {}
            Some(name) => match parts.get(name) {
                None => {
                    let shown: String = name.chars().take(60).collect();
                    faults.push(Fault::new(place(&reference.place), format!("there is no part `{shown}`"), allowed(&shown)));
                }
                Some(part) if !reference.fits.contains(&part.kind.word()) => {
                    let wrong = format!("`{name}` is a {}", part.kind.word());
                    faults.push(Fault::new(place(&reference.place), wrong, allowed("")));
                }
                Some(_) => {}
            },
        }
    }
    faults.extend(check_dead_letters(parts, id, kind, &place));
    faults.extend(check_relays(parts, id, kind, &place));
    faults.extend(refusals::check(parts, kind, &place));
    faults.extend(check_effect(parts, id, kind, &place));
    faults
}

/// Several relays share an outbox only by the marks of its rows.
fn check_relays(parts: &IndexMap<String, PartSpec>, id: &str, kind: &Kind, place: &impl Fn(&str) -> String) -> Option<Fault> {
    let Kind::Relay(own) = kind else { return None };
    if own.reads == Reads::Flag {
        return None;
    }
    let other = parts.iter().find(|(other, part)| match &part.kind {
        Kind::Relay(settings) => *other != id && settings.from == own.from,
        _ => false,
    })?;
    Some(Fault::new(place("reads"), format!("`{}` reads the same outbox", other.0), "flag, where several relays read one outbox"))
}

/// What a worker's work is counted as.
fn effect_of<'p>(id: &'p str, settings: &'p WorkerSettings) -> &'p str {
    if settings.effect.is_empty() { id } else { &settings.effect }
}

/// Each group of a log reads each record: what one has done is not what another has still to do.
fn check_effect(parts: &IndexMap<String, PartSpec>, id: &str, kind: &Kind, place: &impl Fn(&str) -> String) -> Option<Fault> {
    let Kind::Worker(own) = kind else { return None };
    if !matches!(parts.get(own.from.id()?)?.kind, Kind::Log(_)) {
        return None;
    }
    let before = parts.iter().take_while(|(other, _)| *other != id);
    let other = before.filter_map(|(other, part)| match &part.kind {
        Kind::Worker(settings) if settings.from == own.from => {
            (effect_of(other, settings) == effect_of(id, own)).then_some(other)
        }
        _ => None,
    });
    let wrong = format!("`{}` counts the same effect, and both groups read all of `{}`", other.into_iter().next()?, own.from);
    Some(Fault::new(place("effect"), wrong, "another effect, or one worker with more `workers`"))
}

/// The workers that read a part.
fn readers<'p>(parts: &'p IndexMap<String, PartSpec>, id: &'p str) -> impl Iterator<Item = &'p WorkerSettings> {
    parts.values().filter_map(move |part| match &part.kind {
        Kind::Worker(settings) if settings.from.id() == Some(id) => Some(settings),
        _ => None,
    })
}

/// Where a queue sends its own dead letters.
fn letters_of<'p>(parts: &'p IndexMap<String, PartSpec>, id: &str) -> Option<&'p str> {
    match &parts.get(id)?.kind {
        Kind::Queue(settings) => settings.dead_letters.id(),
        _ => None,
    }
}

/// Dead letters that would come round again, and a limit that leads nowhere.
fn check_dead_letters(
    parts: &IndexMap<String, PartSpec>,
    id: &str,
    kind: &Kind,
    place: &impl Fn(&str) -> String,
) -> Option<Fault> {
    let allowed = "a queue that none of these letters came from";
    match kind {
        Kind::Worker(settings) if settings.dead_letters.id().is_some() && settings.dead_letters == settings.from => {
            Some(Fault::new(place("dead_letters"), format!("`{}` would take its own dead letters", settings.from), allowed))
        }
        Kind::Worker(settings) => {
            let letters = settings.dead_letters.id()?;
            if matches!(parts.get(letters)?.kind, Kind::Log(_)) && readers(parts, letters).next().is_none() {
                let wrong = format!("nobody reads `{letters}`: what is set aside there would be lost");
                return Some(Fault::new(place("dead_letters"), wrong, "a queue, or a log that a worker reads"));
            }
            let mut seen = vec![letters];
            let mut next = 0;
            while let Some(at) = seen.get(next).copied() {
                if settings.from.id() == Some(at) {
                    let wrong = format!("dead letters go in a circle: `{letters}` leads back to `{at}`");
                    return Some(Fault::new(place("dead_letters"), wrong, allowed));
                }
                let onward = readers(parts, at).filter_map(|worker| worker.dead_letters.id());
                for further in onward.chain(letters_of(parts, at).filter(|_| !is_rabbit(parts, at))) {
                    if !seen.contains(&further) {
                        seen.push(further);
                    }
                }
                next += 1;
            }
            None
        }
        Kind::Queue(settings) => {
            // The others have an end of their own for what fails too often: archived, failed, dropped.
            let needs_tray = matches!(settings.broker, Broker::Generic | Broker::Sqs | Broker::SqsFifo);
            if needs_tray && settings.max_receives > 0 && settings.dead_letters.id().is_none() {
                let wrong = format!("after {} receives a message has nowhere to go", settings.max_receives);
                return Some(Fault::new(place("max_receives"), wrong, "0, or any number together with `dead_letters`"));
            }
            let of_sqs = |broker| matches!(broker, Broker::Sqs | Broker::SqsFifo);
            if let Some(Kind::Queue(letters)) = settings.dead_letters.id().and_then(|id| parts.get(id)).map(|part| &part.kind)
                && of_sqs(settings.broker)
                && of_sqs(letters.broker)
                && settings.broker != letters.broker
            {
                let wrong = format!("dead letters of a queue with broker {} go to one of its own kind", settings.broker.word());
                return Some(Fault::new(place("dead_letters"), wrong, "a queue with the same broker"));
            }
            let mut seen = vec![id];
            let mut next = settings.dead_letters.id();
            while let Some(queue) = next {
                if queue == id && seen.iter().all(|id| is_rabbit(parts, id)) {
                    return None;
                }
                if queue == id {
                    let round = seen.iter().chain([&id]).copied().collect::<Vec<_>>().join(" → ");
                    return Some(Fault::new(place("dead_letters"), format!("dead letters go in a circle: {round}"), allowed));
                }
                if seen.contains(&queue) {
                    return None; // A circle further on: its own queues report it.
                }
                seen.push(queue);
                next = match parts.get(queue).map(|part| &part.kind) {
                    Some(Kind::Queue(settings)) => settings.dead_letters.id(),
                    _ => None,
                };
            }
            None
        }
        _ => None,
    }
}
