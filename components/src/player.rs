//! The player: one animation loop that takes the timeline where the visitor wants it, a few milliseconds a frame.
//!
//! Wherever it is stopped, what is shown follows from the simulation's time alone. A frame gives the engine so many
//! milliseconds and no more, so the page answers at any speed; what is not reached is said.

use gloo_timers::callback::Timeout;
use redrive::run::Run;
use redrive::timeline::{Peek, Progress};
use redrive::view::{JourneyView, PanelsView};
use std::sync::Arc;

use crate::compare::reel::Reel;
use crate::stage::geometry::Within;
use crate::state::Busy;

/// Milliseconds of a frame that the engine may take while time runs.
const PLAY_MS: f64 = 8.0;
/// The same once the speed asked for is more than that gives: fewer frames, more of the machine.
const BEHIND_MS: f64 = 20.0;
/// The same while it goes somewhere: nothing moves meanwhile.
const GO_MS: f64 = 12.0;
/// Events between two looks at the clock.
pub const CHUNK: u64 = 2_000;
/// Longer than this and the page says what it is doing.
const BLINK_MS: f64 = 100.0;
/// How long a followed message takes for one hop.
const HOP_MS: f64 = 1_000.0;
/// How long what it did stands there before it goes on.
const TELL_MS: f64 = 500.0;
/// The reached speed is measured over so long.
const METER_MS: f64 = 800.0;
/// For so long after time has run out a press of the button that paused means that, and not "from the start".
const END_MS: f64 = 1_000.0;
/// The longest time between two frames that counts as playing; a tab that was hidden does not leap.
const LONGEST_MS: f64 = 100.0;

/// The wall clock, in milliseconds.
#[must_use]
pub fn wall_ms() -> f64 {
    leptos::prelude::window().performance().map_or(0.0, |performance| performance.now())
}

/// What the player is doing.
#[derive(Clone, Debug, Default)]
pub enum Mode {
    /// Nothing.
    #[default]
    Idle,
    /// Time runs.
    Play,
    /// Goes to a moment.
    Travel {
        /// The moment.
        to_us: u64,
        /// Time runs on from there.
        then_play: bool,
    },
    /// Goes to before the last event.
    StepBack,
    /// Goes to the next finding.
    Surprise,
    /// Paces time to a message.
    Follow {
        /// The message.
        fact: u32,
        /// Which part of the step it is in.
        phase: Phase,
    },
}

/// The parts of a followed step.
#[derive(Clone, Copy, Debug)]
pub enum Phase {
    /// Finds out when the message next does something.
    Peek,
    /// Lets time run there.
    Walk {
        /// From this moment.
        from_us: u64,
        /// To this one.
        to_us: u64,
        /// Since, on the wall clock.
        since_ms: f64,
    },
    /// Shows what it did.
    Tell {
        /// Until, on the wall clock.
        until_ms: f64,
    },
}

impl Mode {
    /// Follows a message from now.
    #[must_use]
    pub fn follow(fact: u32) -> Self {
        Self::Follow { fact, phase: Phase::Peek }
    }
}

/// What a frame came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// Another frame is wanted.
    pub going: bool,
    /// The mode came to its end: the panels are to be read at once.
    pub arrived: bool,
    /// Time stopped by itself.
    pub stopped: bool,
    /// Time runs from here on.
    pub play: bool,
    /// What is taking long.
    pub busy: Option<Busy>,
    /// What just happened, in words.
    pub said: Option<String>,
}

/// How fast time really runs.
#[derive(Clone, Copy, Debug, Default)]
struct Meter {
    since_ms: f64,
    ran_us: f64,
    reached_milli: Option<u64>,
}

/// What is played, and what the player is doing with it.
#[derive(Default)]
pub struct Desk {
    /// The open run, or two.
    pub timeline: Option<Reel>,
    /// The link under which this sitting keeps its run.
    pub kept: Option<String>,
    /// Waits to keep the run; dropped, it does not.
    pub keeping: Option<Timeout>,
    /// For each seat the furthest moment that its run has been played to, and the panels there.
    pub far: [Option<(u64, Arc<PanelsView>)>; 2],
    /// The run as it was before it was changed.
    pub before: Option<Run>,
    /// The animation loop runs.
    pub looping: bool,
    /// When the panels are next read, on the wall clock.
    pub panels_due_ms: f64,
    /// The journey of the watched message, as far as it has been collected.
    pub journey: Option<JourneyView>,
    mode: Mode,
    speed_milli: u64,
    /// How fast hops are drawn: the speed, or the pace of a followed step.
    pace_milli: u64,
    carry_us: f64,
    /// The last frame did not get as far as it should have.
    behind: bool,
    last_ms: f64,
    began_ms: f64,
    /// When time came to its end by itself, on the wall clock.
    ended_ms: Option<f64>,
    meter: Meter,
    watched: Option<u32>,
}

/// Calls `work` until it is done or the time is up.
pub fn until(deadline_ms: f64, mut work: impl FnMut() -> Progress) -> Progress {
    loop {
        if work() == Progress::Done {
            return Progress::Done;
        }
        if wall_ms() >= deadline_ms {
            return Progress::More;
        }
    }
}

impl Desk {
    /// Takes what was just opened.
    pub fn load(&mut self, timeline: Reel) {
        *self =
            Self { timeline: Some(timeline), looping: self.looping, speed_milli: 1_000, pace_milli: 1_000, ..Self::default() };
    }

    /// Sets the speed.
    pub fn pace(&mut self, milli: u64) {
        self.speed_milli = milli;
        self.pace_milli = milli;
        self.carry_us = 0.0;
        self.meter = Meter { since_ms: wall_ms(), ..Meter::default() };
    }

    /// How long a hop stays on the way at least, in simulated microseconds: about half a second for the eye.
    #[must_use]
    pub fn trail_us(&self) -> u64 {
        self.pace_milli.saturating_mul(450)
    }

    /// Speed reached, where it is clearly less than asked.
    #[must_use]
    pub fn reached_milli(&self) -> Option<u64> {
        self.meter.reached_milli
    }

    /// The seat of the run that takes the commands.
    #[must_use]
    pub fn own(&self) -> usize {
        self.timeline.as_ref().and_then(Reel::pair).map_or(0, |pair| pair.own)
    }

    /// The run has come to its end.
    #[must_use]
    pub fn at_end(&self) -> bool {
        self.timeline.as_ref().is_some_and(|timeline| timeline.now_us() >= timeline.until_us())
    }

    /// The run has come to its end so short a time ago that whoever presses the button now still saw it run.
    #[must_use]
    pub fn has_just_ended(&self, wall_ms: f64) -> bool {
        self.at_end() && self.ended_ms.is_some_and(|ended_ms| wall_ms - ended_ms < END_MS)
    }

    /// Begins something else.
    pub fn start(&mut self, mode: Mode, wall_ms: f64) {
        if !matches!(mode, Mode::Follow { .. }) {
            self.pace_milli = self.speed_milli;
        }
        (self.mode, self.began_ms, self.last_ms, self.carry_us) = (mode, wall_ms, wall_ms, 0.0);
        self.meter = Meter { since_ms: wall_ms, ..Meter::default() };
    }

    /// Collects the journey of a message from now on.
    pub fn watch(&mut self, fact: Option<u32>) {
        if self.watched == fact {
            return;
        }
        self.watched = fact;
        self.journey = None;
        if let Some(timeline) = &mut self.timeline {
            timeline.watch(fact);
        }
    }

    /// Brings the watched journey up to now, as far as the time allows. True when there is more to do.
    pub fn collect(&mut self, deadline_ms: f64) -> bool {
        let (Some(timeline), Some(_)) = (&mut self.timeline, self.watched) else { return false };
        let mut journey = None;
        let progress = until(deadline_ms, || {
            let (progress, found) = timeline.journey(CHUNK);
            journey = found;
            progress
        });
        if progress == Progress::Done || journey.is_some() {
            self.journey = journey;
        }
        progress == Progress::More
    }

    /// One frame: takes the timeline as far as the time allows.
    pub fn advance(&mut self, now_ms: f64) -> Beat {
        let elapsed_ms = (now_ms - self.last_ms).within(0.0, LONGEST_MS);
        self.last_ms = now_ms;
        let Some(mut timeline) = self.timeline.take() else { return Beat::default() };
        let mode = std::mem::take(&mut self.mode);
        let (mode, mut beat) = match mode {
            Mode::Idle => (Mode::Idle, Beat::default()),
            Mode::Play => self.play(&mut timeline, elapsed_ms, now_ms),
            Mode::Travel { to_us, then_play } => match until(now_ms + GO_MS, || timeline.travel(to_us, CHUNK)) {
                Progress::More => (Mode::Travel { to_us, then_play }, self.under_way(&timeline, now_ms, Some(to_us))),
                Progress::Done if then_play => (Mode::Play, Beat { play: true, going: true, ..arrived() }),
                Progress::Done => (Mode::Idle, arrived()),
            },
            Mode::StepBack => match until(now_ms + GO_MS, || timeline.step_back(CHUNK)) {
                Progress::More => (Mode::StepBack, self.under_way(&timeline, now_ms, None)),
                Progress::Done => (Mode::Idle, arrived()),
            },
            Mode::Surprise => match until(now_ms + GO_MS, || timeline.next_finding(CHUNK)) {
                Progress::More => (Mode::Surprise, self.under_way(&timeline, now_ms, None)),
                Progress::Done => {
                    let said = (timeline.now_us() >= timeline.until_us()).then(|| "Nothing new until the end.".to_owned());
                    (Mode::Idle, Beat { said, ..arrived() })
                }
            },
            Mode::Follow { fact, phase } => self.follow(&mut timeline, fact, phase, now_ms),
        };
        beat.going |= !matches!(mode, Mode::Idle);
        self.mode = mode;
        self.timeline = Some(timeline);
        beat
    }

    fn under_way(&self, timeline: &Reel, now_ms: f64, to_us: Option<u64>) -> Beat {
        let busy = (now_ms - self.began_ms > BLINK_MS).then(|| {
            let now = short_clock(timeline.now_us());
            match to_us {
                Some(to_us) => Busy {
                    text: format!("at {now}, to {}", short_clock(to_us)),
                    done: Some(timeline.now_us().min(to_us) * 1_000 / to_us.max(1)),
                },
                None => Busy { text: format!("looking, at {now}"), done: None },
            }
        });
        Beat { busy, ..Beat::default() }
    }

    fn play(&mut self, timeline: &mut Reel, elapsed_ms: f64, now_ms: f64) -> (Mode, Beat) {
        // A thousandth of real time is a microsecond a millisecond.
        self.carry_us += elapsed_ms * self.speed_milli as f64;
        let from_us = timeline.now_us();
        let to_us = from_us.saturating_add(self.carry_us as u64).min(timeline.until_us());
        let budget_ms = if self.behind { BEHIND_MS } else { PLAY_MS };
        let progress = until(now_ms + budget_ms, || timeline.travel(to_us, CHUNK));
        self.behind = progress == Progress::More;
        let ran_us = timeline.now_us().saturating_sub(from_us) as f64;
        // What was not reached is not owed: the speed is less than asked, and the page says so.
        self.carry_us = if progress == Progress::More { 0.0 } else { (self.carry_us - ran_us).max(0.0) };
        self.meter.ran_us += ran_us;
        let over_ms = now_ms - self.meter.since_ms;
        if over_ms >= METER_MS {
            let reached = (self.meter.ran_us / over_ms) as u64;
            let short = reached < self.speed_milli - self.speed_milli / 8;
            self.meter = Meter { since_ms: now_ms, ran_us: 0.0, reached_milli: short.then_some(reached) };
        }
        if timeline.now_us() >= timeline.until_us() {
            self.meter = Meter::default();
            self.ended_ms = Some(wall_ms());
            return (Mode::Idle, Beat { stopped: true, ..arrived() });
        }
        (Mode::Play, Beat::default())
    }

    fn follow(&mut self, timeline: &mut Reel, fact: u32, phase: Phase, now_ms: f64) -> (Mode, Beat) {
        let going = |phase| Mode::Follow { fact, phase };
        match phase {
            Phase::Tell { until_ms } if now_ms < until_ms => (going(phase), Beat::default()),
            Phase::Tell { .. } => {
                self.began_ms = now_ms;
                (going(Phase::Peek), Beat::default())
            }
            Phase::Peek => {
                let mut found = Peek::More;
                until(now_ms + GO_MS, || {
                    found = timeline.peek_hop(fact, CHUNK);
                    if found == Peek::More { Progress::More } else { Progress::Done }
                });
                match found {
                    Peek::More => (going(Phase::Peek), self.under_way(timeline, now_ms, None)),
                    Peek::Never => {
                        let said = Some("It does nothing more before the end of the run.".to_owned());
                        (Mode::Idle, Beat { stopped: true, said, ..arrived() })
                    }
                    Peek::At(to_us) => {
                        // Just after it, so that it has happened.
                        let (from_us, to_us) = (timeline.now_us(), to_us + 1);
                        self.pace_milli = (to_us.saturating_sub(from_us) / HOP_MS as u64).max(1);
                        (going(Phase::Walk { from_us, to_us, since_ms: now_ms }), Beat::default())
                    }
                }
            }
            Phase::Walk { from_us, to_us, since_ms } => {
                let share = ((now_ms - since_ms) / HOP_MS).within(0.0, 1.0);
                let target = from_us + ((to_us.saturating_sub(from_us)) as f64 * share) as u64;
                let target = if share >= 1.0 { to_us } else { target.min(to_us.saturating_sub(1)).max(timeline.now_us()) };
                let progress = until(now_ms + PLAY_MS, || timeline.travel(target, CHUNK));
                if share < 1.0 || progress == Progress::More {
                    return (going(phase), Beat::default());
                }
                (going(Phase::Tell { until_ms: now_ms + TELL_MS }), arrived())
            }
        }
    }
}

/// A moment in whole seconds.
fn short_clock(at_us: u64) -> String {
    let mut text = redrive::sim::time::clock(at_us);
    text.truncate(text.find('.').unwrap_or(text.len()));
    text
}

fn arrived() -> Beat {
    Beat { arrived: true, ..Beat::default() }
}
