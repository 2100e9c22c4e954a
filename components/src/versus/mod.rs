//! One run on two brokers: a queue gets another broker's rules, the run begins anew, and what came of it is held against
//! the run before. Both are played to one moment, a few milliseconds a frame, beside whatever the visitor does.

pub mod figures;
pub mod panel;

use std::sync::Arc;

use leptos::prelude::*;
use redrive::brokers::profile;
use redrive::run::Run;
use redrive::scenario::{Faults, Scenario, kind::Kind};
use redrive::timeline::{Progress, Timeline};

use crate::lab::Lab;
use crate::player::{CHUNK, until, wall_ms};
use crate::state::Selection;
use figures::Figures;

/// Milliseconds of a frame that the two runs may take, beside time that runs and beside time that stands.
const BESIDE_MS: f64 = 4.0;
const ALONE_MS: f64 = 12.0;

/// What people call a broker.
#[must_use]
pub fn broker_title(word: &str) -> &'static str {
    profile::named(word).map_or("Plain work queue", |profile| profile.title)
}

/// A queue that can have another broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueOf {
    /// The part's id.
    pub id: String,
    /// Its name.
    pub title: String,
    /// The word for its broker.
    pub broker: &'static str,
    /// The words of all brokers that it can have.
    pub choices: Vec<&'static str>,
}

/// The queues of a scenario that someone works on. A tray of dead letters stays what it is.
#[must_use]
pub fn queues(scenario: &Scenario) -> Vec<QueueOf> {
    let trays = redrive::scenario::links::dead_letter_queues(&scenario.parts);
    let parts = scenario.parts.iter().filter(|(id, _)| !trays.contains(&id.as_str()));
    parts
        .filter_map(|(id, part)| match &part.kind {
            Kind::Queue(settings) => {
                let row = part.kind.table().iter().find(|row| row.name == "broker")?;
                Some(QueueOf {
                    id: id.clone(),
                    title: part.title.clone(),
                    broker: settings.broker.word(),
                    choices: row.range.split('|').collect(),
                })
            }
            _ => None,
        })
        .collect()
}

/// Two runs that differ in the broker of one part.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The part's id.
    pub part: String,
    /// Its name.
    pub title: String,
    /// The words of its broker, before and now.
    pub brokers: [&'static str; 2],
    /// The moment that they are compared at.
    pub at_us: u64,
    /// What each came to, once it is known.
    pub figures: [Option<Figures>; 2],
    /// Settings of the part that came along with the broker: name, before, now.
    pub along: Vec<(&'static str, String, String)>,
    /// How far they are, in thousandths.
    pub done: u64,
    /// The visitor does not want to know.
    pub stopped: bool,
    runs: [Run; 2],
}

/// The comparison on show.
#[derive(Clone, Copy)]
pub struct Versus {
    /// What is compared.
    pub pair: RwSignal<Option<Arc<Pair>>>,
    /// The run that is being played, and whether it is the one before or now.
    playing: StoredValue<Option<(usize, Timeline)>, LocalStorage>,
}

impl Versus {
    /// Nothing is compared.
    #[must_use]
    pub fn new() -> Self {
        Self { pair: RwSignal::new(None), playing: StoredValue::new_local(None) }
    }

    fn set(self, pair: Option<Pair>) {
        self.playing.set_value(None);
        self.pair.set(pair.map(Arc::new));
    }

    /// Forgets the comparison.
    pub fn clear(self) {
        self.set(None);
    }

    /// Stops playing; what is known stays.
    pub fn stop(self) {
        self.playing.set_value(None);
        self.pair.update(|pair| {
            if let Some(pair) = pair {
                Arc::make_mut(pair).stopped = true;
            }
        });
    }
}

/// The same run with another value of a setting.
fn with(run: &Run, setting: &str, value: &str) -> Run {
    let mut run = run.clone();
    run.sets.retain(|(name, _)| name != setting);
    run.sets.push((setting.to_owned(), value.to_owned()));
    run
}

/// The settings of a part as name and text, but for its broker.
fn settings_of(run: &Run, part: &str) -> Vec<(&'static str, String)> {
    let Ok(scenario) = run.scenario() else { return Vec::new() };
    let Some(spec) = scenario.parts.get(part) else { return Vec::new() };
    let rows = spec.kind.table().iter().filter(|row| row.name != "broker");
    rows.map(|row| {
        let value = spec.kind.get(row.name).unwrap_or_default();
        (row.name, value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    })
    .collect()
}

impl Pair {
    fn of((part, title): (&str, &str), brokers: [&'static str; 2], at_us: u64, run: &Run) -> Self {
        let setting = part.to_owned() + ".broker";
        let runs = brokers.map(|broker| with(run, &setting, broker));
        let [before, now] = [0, 1].map(|side| settings_of(&runs[side], part));
        let pairs = before.into_iter().zip(now).filter(|(was, is)| was != is);
        Self {
            part: part.to_owned(),
            title: title.to_owned(),
            brokers,
            at_us,
            figures: [None, None],
            along: pairs.map(|((name, was), (_, is))| (name, was, is)).collect(),
            done: 0,
            stopped: false,
            runs,
        }
    }
}

impl Lab {
    /// Gives a queue another broker: the run begins anew, goes to where it was, and is compared with the one before.
    ///
    /// # Errors
    /// What the other broker does not allow; what was open stays open.
    pub fn switch_broker(self, part: &str, to: &str) -> Result<(), Faults> {
        let now_us = self.now_us();
        let found =
            |lab: Self| lab.opened.with_untracked(|open| open.as_ref()?.queues.iter().find(|queue| queue.id == part).cloned());
        let Some(before) = found(self) else { return Ok(()) };
        self.reopen_with(&(part.to_owned() + ".broker"), to)?;
        if let (Some(now), Some(run)) = (found(self), self.run())
            && now.broker != before.broker
        {
            let at_us = if now_us > 0 {
                now_us
            } else {
                self.opened.with_untracked(|open| open.as_ref().map_or(0, |open| open.until_us))
            };
            self.hold_against(Pair::of((&now.id, &now.title), [before.broker, now.broker], at_us, &run));
        }
        Ok(())
    }

    /// Begins the run anew with another value of a setting that holds for a whole run, and goes to where it was.
    ///
    /// # Errors
    /// What is not allowed; what was open stays open.
    pub fn reopen_with(self, setting: &str, value: &str) -> Result<(), Faults> {
        let (now_us, selection) = (self.now_us(), self.selection.get_untracked());
        self.reopen(|run| *run = with(run, setting, value))?;
        if let Selection::Part(_) = selection {
            self.select(selection);
        }
        if now_us > 0 {
            self.travel(now_us);
        }
        Ok(())
    }

    /// Compares the same two brokers at another moment.
    pub fn compare_at(self, at_us: u64) {
        let (Some(pair), Some(run)) = (self.versus.pair.get_untracked(), self.run()) else { return };
        self.hold_against(Pair::of((&pair.part, &pair.title), pair.brokers, at_us, &run));
    }

    fn hold_against(self, pair: Pair) {
        self.versus.set(Some(pair));
        request_animation_frame(move || self.play_both());
    }

    /// Looks whether what is compared is still what is open: the visitor breaks something, and both runs are others.
    pub fn check_versus(self) {
        let Some(pair) = self.versus.pair.get_untracked() else { return };
        let Some(run) = self.run() else { return };
        if with(&run, &(pair.part.clone() + ".broker"), pair.brokers[1]) == pair.runs[1] {
            return;
        }
        let here = self.opened.with_untracked(|open| {
            open.as_ref().is_some_and(|open| {
                run.source == pair.runs[1].source
                    && open.queues.iter().any(|queue| queue.id == pair.part && queue.broker == pair.brokers[1])
            })
        });
        if here { self.compare_at(pair.at_us) } else { self.versus.clear() }
    }

    /// Plays the two runs to their moment, one after the other.
    fn play_both(self) {
        let versus = self.versus;
        let Some(pair) = versus.pair.get_untracked() else { return };
        let Some(side) = pair.figures.iter().position(Option::is_none).filter(|_| !pair.stopped) else { return };
        let kept = versus.playing.try_update_value(Option::take).flatten().filter(|(playing, _)| *playing == side);
        let timeline = kept.map(|(_, timeline)| timeline).or_else(|| Timeline::open(&pair.runs[side]).ok());
        // A run that was open can be opened again.
        let Some(mut timeline) = timeline else { return versus.clear() };
        let budget_ms = if self.playing.get_untracked() { BESIDE_MS } else { ALONE_MS };
        let progress = until(wall_ms() + budget_ms, || timeline.travel(pair.at_us, CHUNK));
        let mut next = (*pair).clone();
        next.done = (side as u64 * 1_000 + timeline.now_us().min(pair.at_us) * 1_000 / pair.at_us.max(1)) / 2;
        match progress {
            Progress::Done => next.figures[side] = Some(Figures::of(&timeline.panels())),
            Progress::More => versus.playing.set_value(Some((side, timeline))),
        }
        if next.done != pair.done || progress == Progress::Done {
            versus.pair.set(Some(Arc::new(next)));
        }
        request_animation_frame(move || self.play_both());
    }
}
