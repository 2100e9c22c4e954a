//! A part from inside: gauges, settings, and what can be done to it.

use serde_json::Value;

use crate::command::MOST_PROCESSES;
use crate::scenario::gauges::gauges;
use crate::scenario::kind::Kind;
use crate::scenario::links::{dead_letter_queues, links};
use crate::scenario::native;
use crate::scenario::setting::{Form, Settings, Spec};
use crate::scenario::verbs::{commands_for, crash_steps, fixed_settings};
use crate::service::Source;
use crate::sim::order::by_key;
use crate::view::{GaugeView, InspectView, OfferView, SettingView};
use crate::world::{Body, World};

/// A setting's value as one line of text.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields.get("id").map(as_text).unwrap_or_default(),
        other => other.to_string(),
    }
}

impl World {
    fn settings(&self, part: u16) -> &dyn Settings {
        match self.parts[usize::from(part)].body {
            Body::Producer(index) => &self.producers[usize::from(index)].settings,
            Body::Service(index) => &self.services[usize::from(index)].settings,
            Body::Database(index) => &self.databases[usize::from(index)].settings,
            Body::Relay(index) => &self.relays[usize::from(index)].settings,
            Body::Queue(index) => &self.queues[usize::from(index)].settings,
            Body::Server(index) => &self.servers[usize::from(index)].settings,
            Body::Exchange(index) => &self.exchanges[usize::from(index)].settings,
            Body::Log(index) => &self.logs[usize::from(index)].settings,
            Body::Worker(index) => &self.workers[usize::from(index)].settings,
            Body::Dependency(index) => &self.dependencies[usize::from(index)].settings,
        }
    }

    /// The value of a setting in force, as one line of text.
    pub(super) fn setting_text(&self, part: u16, name: &str) -> Option<String> {
        self.settings(part).get(name).map(|value| as_text(&value))
    }

    /// A part from inside; none for a number that no part has.
    #[must_use]
    pub fn inspect(&self, part: u16) -> Option<InspectView> {
        let (_, spec) = self.scenario.parts.get_index(usize::from(part))?;
        let values = self.gauges_now(part);
        Some(InspectView {
            part: self.part_view(part),
            gauges: gauges(&spec.kind)
                .iter()
                .zip(values)
                .map(|(gauge, value)| GaugeView { name: gauge.name, title: gauge.title, text: gauge.unit.spoken(value), value })
                .collect(),
            settings: spec.kind.table().iter().map(|row| self.setting_view(part, &spec.kind, row)).collect(),
            offers: self.offers(part),
        })
    }

    fn setting_view(&self, part: u16, kind: &Kind, row: &Spec) -> SettingView {
        let broker = native::broker_of(&self.scenario.parts, kind);
        SettingView {
            name: row.name,
            form: row.form,
            allowed: row.allowed(),
            words: if row.form == Form::Choice { row.range.split('|').collect() } else { Vec::new() },
            doc: row.doc,
            default: as_text(&row.default_value()),
            value: self.setting_text(part, row.name).unwrap_or_default(),
            native: broker.and_then(|broker| native::native_of(broker, row.name)),
            known: native::knows(kind, row.name),
            fixed: fixed_settings(kind).contains(&row.name),
        }
    }

    fn offers(&self, part: u16) -> Vec<OfferView> {
        let Some((id, spec)) = self.scenario.parts.get_index(usize::from(part)) else { return Vec::new() };
        let health = &self.parts[usize::from(part)].health;
        let mut offers = Vec::new();
        let mut offer = |title: String, command: String, doc: &str| {
            offers.push(OfferView { title, command, doc: doc.to_owned() });
        };
        for verb in commands_for(&spec.kind) {
            match *verb {
                "break" if !health.down => {
                    offer("Take it down".into(), format!("break {id}"), "It answers nobody until it is mended.")
                }
                "slow" if health.slow_milli == 1_000 => {
                    offer("Make it 40x slow".into(), format!("slow {id} 40x"), "Everything it does takes forty times as long.");
                }
                "fail" if health.fail.0 == 0 => {
                    offer("Let 30% fail".into(), format!("fail {id} 30%"), "Three of ten requests to it fail.");
                }
                "cut" => {
                    let far = |from: u16, to: u16| match (from == part, to == part) {
                        (true, _) => Some(to),
                        (_, true) => Some(from),
                        _ => None,
                    };
                    let mut others: Vec<u16> =
                        links(&self.scenario.parts).iter().filter_map(|link| far(link.from, link.to)).collect();
                    others = by_key(others, |other| u64::from(*other));
                    others.dedup();
                    for other in others.into_iter().filter(|other| !self.is_cut(part, *other)) {
                        let (title, other_id) = (self.title(other), &self.parts[usize::from(other)].id);
                        offer(
                            format!("Cut it off from {title}"),
                            format!("cut {id} {other_id}"),
                            "Neither reaches the other; both go on.",
                        );
                    }
                }
                "crash" if !health.out() => {
                    offer("Crash a process".into(), format!("crash {id}"), "One process dies now and comes back.");
                    for step in crash_steps(&spec.kind) {
                        let title = format!("Crash it when {}", step_words(step.word()));
                        offer(title, format!("crash {id} at {}", step.word()), "The next process to reach this step dies there.");
                    }
                }
                "lose-acks" => {
                    offer("Lose 5 acks".into(), format!("lose-acks {id} 5"), "Its next five acknowledgements do not arrive.");
                }
                "poison" => {
                    offer("Poison the next message".into(), format!("poison {id}"), "The next message can never be processed.");
                }
                "burst" => {
                    offer("10x burst for 60 s".into(), format!("burst {id} 10x for 60s"), "Ten times the rate, for a minute.");
                }
                "deploy" => offer("Deploy".into(), format!("deploy {id}"), "Every process restarts; what is in memory is gone."),
                "mend" if self.is_broken(part) => offer("Mend it".into(), format!("mend {id}"), "Ends every fault of it."),
                "pause" if !health.paused => offer("Pause it".into(), format!("pause {id}"), "It takes nothing new."),
                "resume" if health.paused => offer("Resume it".into(), format!("resume {id}"), "It takes work again."),
                "scale" => {
                    let now = match self.parts[usize::from(part)].body {
                        Body::Worker(worker) => self.workers[usize::from(worker)].settings.workers,
                        _ => 0,
                    };
                    if now < MOST_PROCESSES {
                        offer(Self::counted(now + 1, "process"), format!("scale {id} {}", now + 1), "One process more.");
                    }
                    if now > 1 {
                        offer(Self::counted(now - 1, "process"), format!("scale {id} {}", now - 1), "One process less.");
                    }
                }
                "redrive" if dead_letter_queues(&self.scenario.parts).contains(&id.as_str()) => {
                    offer(
                        "Redrive the dead letters".into(),
                        format!("redrive {id}"),
                        "Mended, they go back to where they came from.",
                    );
                }
                "rewind" => {
                    if let Body::Worker(worker) = self.parts[usize::from(part)].body
                        && matches!(self.workers[usize::from(worker)].source, Source::Log(_))
                    {
                        offer(
                            "Read again from 0".into(),
                            format!("rewind {id} to 0"),
                            "The group reads everything that is kept again.",
                        );
                    }
                }
                _ => {}
            }
        }
        offers
    }
}

/// A crash step as the end of a sentence.
fn step_words(step: &str) -> &str {
    match step {
        "received" => "it has received and not worked",
        "worked" => "it has worked and not acked",
        "acked" => "it has acked and not worked",
        "called" => "its calls are answered and nothing is written",
        "committed" => "the row is committed and nothing is published",
        "published" => "it has published and gone no further",
        "answered" => "the user is answered and the rest is not done",
        _ => "it is done",
    }
}
