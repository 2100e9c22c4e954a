//! A run and the same run with one change, side by side on one clock.
//!
//! Every part has random streams of its own, so both meet the same weather: what differs, the change has done. Where the
//! two have the same settings, they are one run until their commands part, and it is played once.

use serde::Serialize;

use crate::command::Command;
use crate::observe::ledger::{EffectCounts, Outcome};
use crate::run::Run;
use crate::scenario::gauges::gauges;
use crate::scenario::{Fault, Faults};
use crate::sim::Timestamp;
use crate::timeline::{Progress, Timeline};
use crate::world::World;

/// Two runs on one clock.
#[derive(Clone, Debug)]
pub struct Compare {
    left: Timeline,
    right: Timeline,
    /// Until then the two are one run, which the left one plays.
    fork_us: Timestamp,
    /// They have been two since.
    parted: bool,
    /// Where the stretch ends that is being played.
    goal_us: Timestamp,
    /// Both at the newest moment at which their traces were the same, while no difference is known.
    alike: Option<(World, World)>,
    differs_us: Option<Timestamp>,
}

impl Compare {
    /// Opens two runs, at their beginning.
    ///
    /// # Errors
    /// Every fault of either.
    pub fn open(left: &Run, right: &Run) -> Result<Self, Faults> {
        Self::fork(&Timeline::open(left)?, right)
    }

    /// Sets another run beside one that is open. Both stand at the moment of the open one, or where they part if that is
    /// earlier.
    ///
    /// # Errors
    /// Every fault of the other run.
    pub fn fork(left: &Timeline, right: &Run) -> Result<Self, Faults> {
        let fork_us = forks_at(left.run(), right);
        let mut forked = Timeline::open(right)?;
        let mut left = left.clone();
        while left.now_us() > fork_us && left.travel(fork_us, u64::MAX) == Progress::More {}
        if fork_us > 0 {
            forked.adopt(&left, fork_us);
        }
        let goal_us = left.now_us();
        let mut compare = Self { left, right: forked, fork_us, parted: fork_us == 0, goal_us, alike: None, differs_us: None };
        compare.look();
        Ok(compare)
    }

    /// The run.
    #[must_use]
    pub fn left(&self) -> &Timeline {
        &self.left
    }

    /// The changed one.
    #[must_use]
    pub fn right(&self) -> &Timeline {
        &self.right
    }

    /// The present moment of both; while a stretch is being played, of the one that is behind.
    #[must_use]
    pub fn now_us(&self) -> Timestamp {
        self.left.now_us().min(self.right.now_us())
    }

    /// Where the longer one ends.
    #[must_use]
    pub fn until_us(&self) -> Timestamp {
        self.left.until_us().max(self.right.until_us())
    }

    /// The first moment at which something happened in one of them only; none as far as they have been played.
    #[must_use]
    pub fn differs_us(&self) -> Option<Timestamp> {
        self.differs_us
    }

    /// Takes both to a moment, forwards or back, for about so many events each.
    pub fn travel(&mut self, to_us: Timestamp, most_events: u64) -> Progress {
        let to_us = to_us.min(self.until_us());
        let mut left = most_events;
        // A stretch at a time, so that a difference is found where it begins.
        let stretch_us = self.left.scenario().sample.0.max(self.until_us() / 1_000).max(1);
        loop {
            let there = self.left.now_us() == self.goal_us.min(self.left.until_us())
                && self.right.now_us() == self.goal_us.min(self.right.until_us());
            if there || self.goal_us > to_us {
                let next_us = if self.goal_us < self.fork_us {
                    self.fork_us
                } else if self.differs_us.is_some() {
                    to_us
                } else {
                    self.goal_us + stretch_us
                };
                self.goal_us = next_us.min(to_us);
            }
            let before = self.left.events();
            if self.left.travel(self.goal_us, left) == Progress::More {
                return Progress::More;
            }
            self.parted |= self.goal_us > self.fork_us;
            if !self.parted {
                self.right.adopt(&self.left, self.fork_us);
            } else if self.right.travel(self.goal_us, left) == Progress::More {
                return Progress::More;
            }
            self.look();
            if self.goal_us == to_us {
                return Progress::Done;
            }
            left = left.saturating_sub(self.left.events().saturating_sub(before));
            if left == 0 {
                return Progress::More;
            }
        }
    }

    /// Goes on to just after the next event of either.
    pub fn step(&mut self) {
        let next = |timeline: &Timeline| timeline.world().next_event_us().unwrap_or(Timestamp::MAX);
        let next_us = next(&self.left).min(next(&self.right)).max(self.now_us());
        while self.travel(next_us.saturating_add(1), u64::MAX) == Progress::More {}
    }

    /// Goes back to just before the newest event of either.
    pub fn step_back(&mut self, most_events: u64) -> Progress {
        let now_us = self.now_us();
        let newest_us = self.left.world().last_event_us().max(self.right.world().last_event_us());
        self.travel(newest_us.min(now_us.saturating_sub(1)), most_events)
    }

    /// Carries commands out now, in the changed run only.
    ///
    /// # Errors
    /// The first command that means nothing in it; then none is carried out.
    pub fn send(&mut self, commands: &[Command]) -> Result<(), Fault> {
        let now_us = self.now_us();
        self.right.send(commands)?;
        self.fork_us = self.fork_us.min(now_us);
        self.parted = true;
        self.differs_us = self.differs_us.filter(|differs_us| *differs_us < now_us).or(Some(now_us));
        self.alike = None;
        self.goal_us = self.right.now_us();
        while self.left.travel(self.goal_us, u64::MAX) == Progress::More {}
        Ok(())
    }

    /// Compares the traces of both up to the present moment, and finds where they part.
    fn look(&mut self) {
        if self.differs_us.is_some() {
            return;
        }
        let now = (self.left.world(), self.right.world());
        if now.0.trace_hash() == now.1.trace_hash() {
            if self.alike.as_ref().is_none_or(|alike| alike.0.now_us() < now.0.now_us()) {
                self.alike = Some((now.0.clone(), now.1.clone()));
            }
            return;
        }
        let Some(mut alike) = self.alike.take() else {
            self.differs_us = Some(0);
            return;
        };
        let mut low_us = alike.0.now_us();
        let mut high_us = now.0.now_us().max(now.1.now_us());
        // Up to `low_us` nothing differs, up to `high_us` something does.
        while high_us - low_us > 1 {
            let middle_us = low_us + (high_us - low_us) / 2;
            let mut both = alike.clone();
            both.0.run_until(middle_us);
            both.1.run_until(middle_us);
            if both.0.trace_hash() == both.1.trace_hash() {
                (alike, low_us) = (both, middle_us);
            } else {
                high_us = middle_us;
            }
        }
        self.differs_us = Some(low_us);
    }

    /// What differs at the present moment.
    #[must_use]
    pub fn differences(&self) -> Differences {
        let worlds = [self.left.world(), self.right.world()];
        Differences {
            now_us: self.now_us(),
            differs_us: self.differs_us,
            effects: effects(worlds),
            users: users(worlds),
            parts: parts(worlds),
            alerts_left: alerts(worlds[0], worlds[1]),
            alerts_right: alerts(worlds[1], worlds[0]),
        }
    }
}

/// Until when two runs are one: the first moment at which their commands differ, or the start.
fn forks_at(left: &Run, right: &Run) -> Timestamp {
    let same =
        left.source == right.source && left.seed == right.seed && left.until_us == right.until_us && left.sets == right.sets;
    if !same {
        return 0;
    }
    let (left, right) = (&left.commands, &right.commands);
    let alike = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let next = |commands: &[crate::command::Timed]| commands.get(alike).map_or(Timestamp::MAX, |timed| timed.at_us);
    next(left).min(next(right))
}

/// A figure of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// Its name in the report.
    pub name: String,
    /// In the run.
    pub left: u64,
    /// In the changed one.
    pub right: u64,
}

/// What became of an effect, in both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EffectFigures {
    /// Its name.
    pub effect: String,
    /// Facts: once, twice, lost, pending, dead, late, skipped, out of order.
    pub counts: Vec<Figure>,
}

/// A gauge that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GaugeFigures {
    /// Its name.
    pub gauge: &'static str,
    /// Now, in the run; none where the part is not there.
    pub left: Option<u64>,
    /// Now, in the changed one.
    pub right: Option<u64>,
    /// The highest sample so far, in the run.
    pub left_max: Option<u64>,
    /// The highest sample so far, in the changed one.
    pub right_max: Option<u64>,
}

/// A part with gauges that differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartFigures {
    /// Its id.
    pub part: String,
    /// The gauges that differ now, or have differed in their highest sample.
    pub gauges: Vec<GaugeFigures>,
}

/// A rule that fired in one of them only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlertFired {
    /// Name of the rule.
    pub rule: String,
    /// Id of the part that it looks at.
    pub part: String,
    /// When it fired first.
    pub at_us: Timestamp,
}

/// What differs between two runs at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// The moment.
    pub now_us: Timestamp,
    /// The first moment at which something happened in one of them only.
    pub differs_us: Option<Timestamp>,
    /// Every effect.
    pub effects: Vec<EffectFigures>,
    /// What users got.
    pub users: Vec<Figure>,
    /// The parts where something differs.
    pub parts: Vec<PartFigures>,
    /// Rules that fired in the run only.
    pub alerts_left: Vec<AlertFired>,
    /// Rules that fired in the changed one only.
    pub alerts_right: Vec<AlertFired>,
}

fn figures<const N: usize>(names: [&str; N], left: [u64; N], right: [u64; N]) -> Vec<Figure> {
    let both = left.into_iter().zip(right);
    names.into_iter().zip(both).map(|(name, (left, right))| Figure { name: name.to_owned(), left, right }).collect()
}

fn effects([left, right]: [&World; 2]) -> Vec<EffectFigures> {
    let names =
        |world: &World| -> Vec<String> { world.observer.ledger.effects.iter().map(|effect| effect.name.clone()).collect() };
    let mut all = names(left);
    all.extend(names(right).into_iter().filter(|name| !names(left).contains(name)));
    let counts = |world: &World, name: &str| {
        let ledger = &world.observer.ledger;
        let counts = ledger.effects.iter().position(|effect| effect.name == name).map(|effect| ledger.counts(effect));
        let EffectCounts { once, twice, lost, pending, dead, late, skipped, out_of_order } = counts.unwrap_or_default();
        [once, twice, lost, pending, dead, late, skipped, out_of_order]
    };
    const NAMES: [&str; 8] = ["once", "twice", "lost", "pending", "dead", "late", "skipped", "out_of_order"];
    all.into_iter()
        .map(|effect| EffectFigures { counts: figures(NAMES, counts(left, &effect), counts(right, &effect)), effect })
        .collect()
}

fn users([left, right]: [&World; 2]) -> Vec<Figure> {
    const OUTCOMES: [Outcome; 6] =
        [Outcome::Served, Outcome::Refused, Outcome::Late, Outcome::Never, Outcome::Twice, Outcome::Waiting];
    let of = |world: &World| {
        let [served, refused, late, never, twice, waiting] = OUTCOMES.map(|outcome| world.observer.ledger.with_outcome(outcome));
        let answers = &world.observer.answers;
        [served, refused, late, never, twice, waiting, answers.quantile(500), answers.quantile(990)]
    };
    figures(["served", "refused", "late", "never", "twice", "waiting", "p50_us", "p99_us"], of(left), of(right))
}

/// The gauges of a part of this id, now and at their highest.
fn gauges_of(world: &World, id: &str) -> Vec<(&'static str, u64, u64)> {
    let Some((part, _, spec)) = world.scenario().parts.get_full(id) else { return Vec::new() };
    let highest = world.board.series[part].iter().map(|samples| samples.iter().copied().max().unwrap_or(0));
    let now = world.gauges_now(part as u16).into_iter().zip(highest);
    gauges(&spec.kind).iter().zip(now).map(|(gauge, (now, highest))| (gauge.name, now, highest.max(now))).collect()
}

fn parts([left, right]: [&World; 2]) -> Vec<PartFigures> {
    let ids = |world: &World| -> Vec<String> { world.scenario().parts.keys().cloned().collect() };
    let mut all = ids(left);
    all.extend(ids(right).into_iter().filter(|id| !left.scenario().parts.contains_key(id)));
    let mut parts = Vec::new();
    for part in all {
        let (left, right) = (gauges_of(left, &part), gauges_of(right, &part));
        let mut names: Vec<&'static str> = left.iter().map(|gauge| gauge.0).collect();
        names.extend(right.iter().map(|gauge| gauge.0).filter(|name| left.iter().all(|gauge| gauge.0 != *name)));
        let mut differing = Vec::new();
        for gauge in names {
            let of = |all: &[(&'static str, u64, u64)]| all.iter().find(|known| known.0 == gauge).map(|known| (known.1, known.2));
            let (left, right) = (of(&left), of(&right));
            if left != right {
                let (now, max) = (|both: (u64, u64)| both.0, |both: (u64, u64)| both.1);
                differing.push(GaugeFigures {
                    gauge,
                    left: left.map(now),
                    right: right.map(now),
                    left_max: left.map(max),
                    right_max: right.map(max),
                });
            }
        }
        if !differing.is_empty() {
            parts.push(PartFigures { part, gauges: differing });
        }
    }
    parts
}

/// The rules that fired in one world and not in the other.
fn alerts(world: &World, other: &World) -> Vec<AlertFired> {
    let fired = |world: &World, rule: &str, part: &str| {
        let of = |alert: &&crate::world::Alert| alert.spec.rule == rule && alert.spec.part == part;
        world.board.alerts.iter().find(of).is_some_and(|alert| !alert.fired.is_empty())
    };
    let only = world.board.alerts.iter().filter(|alert| !fired(other, &alert.spec.rule, &alert.spec.part));
    let told = |alert: &crate::world::Alert| {
        let at_us = alert.fired.first()?.at_us;
        Some(AlertFired { rule: alert.spec.rule.clone(), part: alert.spec.part.clone(), at_us })
    };
    only.filter_map(told).collect()
}
