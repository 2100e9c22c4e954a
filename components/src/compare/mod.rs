//! Two runs side by side on one clock: the open one, and the same with a change. Commands go to one of them, which the
//! visitor chooses; whatever differs is marked on the stages, in the panels and on the time track.

pub mod differs;
pub mod names;
pub mod panel;
pub mod reel;
pub mod seat;
pub mod sheet;

use std::sync::Arc;

use leptos::prelude::*;
use redrive::command::{Command, Timed};
use redrive::compare::{Compare, Side};
use redrive::run::Run;
use redrive::scenario::{Fault, Faults};
use redrive::sim::time::clock;
use redrive::view::{PanelsView, StageView};

use crate::lab::Lab;
use crate::state::Selection;
use differs::Differs;
use reel::{Pair, Reel};

/// What is known of two runs, read at panel rate. Seats are 0 at the left and 1 at the right.
#[derive(Debug)]
pub struct Beside {
    /// What each is called, by seat.
    pub names: [String; 2],
    /// The seat of the one that takes the commands: what the rest of the page shows.
    pub own: usize,
    /// Until then they are one run; none where nothing tells them apart.
    pub fork_us: Option<u64>,
    /// The first moment at which something happened in one of them only.
    pub differs_us: Option<u64>,
    /// The stage of the other.
    pub stage: StageView,
    /// Where its scenario puts each part.
    pub places: Vec<Option<(u32, u32)>>,
    /// The panels of the other.
    pub panels: Arc<PanelsView>,
    /// The furthest moment that the other has been played to, and its panels there.
    pub far: (u64, Arc<PanelsView>),
    /// The parts where something differs now.
    pub parts: Vec<Differs>,
}

impl Beside {
    /// Reads it off two runs. `own` is the stage of the one that takes the commands.
    #[must_use]
    pub fn of(pair: &Pair, own: &StageView, trail_us: u64) -> Self {
        let world = pair.both.world(Side::Left);
        let panels = Arc::new(world.panels());
        let stage = world.stage(trail_us);
        let stages = if pair.own == 0 { [own, &stage] } else { [&stage, own] };
        Self {
            names: pair.names.clone(),
            own: pair.own,
            fork_us: Some(pair.both.fork_us()).filter(|fork_us| *fork_us < pair.both.until_us()),
            differs_us: pair.both.differs_us(),
            places: world.scenario().parts.values().map(|part| part.at).collect(),
            far: (world.now_us(), panels.clone()),
            panels,
            parts: differs::parts(pair, stages),
            stage,
        }
    }

    /// Which of the two panels stand in a seat, where `shown` are those of the run that takes the commands.
    #[must_use]
    pub fn in_seats<'a>(&'a self, shown: &'a PanelsView) -> [&'a PanelsView; 2] {
        if self.own == 0 { [shown, &self.panels] } else { [&self.panels, shown] }
    }
}

impl Lab {
    /// Two runs are side by side.
    #[must_use]
    pub fn is_two(self) -> bool {
        self.desk.with_value(|desk| desk.timeline.as_ref().is_some_and(|reel| reel.pair().is_some()))
    }

    /// Keeps the run as it was before a change, to be compared with. Where the run had been played further already, that
    /// is said.
    pub(crate) fn keep_before(self, before: Option<Run>) {
        let now_us = self.now_us();
        let further = self.shown.with_untracked(|shown| shown.far.0 > now_us);
        if self.is_two() || (!further && self.forked.with_untracked(|said| !said.is_empty())) {
            return;
        }
        self.desk.update_value(|desk| desk.before = before);
        if further {
            self.forked.set(["Changed at ", &clock(now_us), ". The run as it was before is kept."].concat());
        }
    }

    /// The run as it was before the last change.
    #[must_use]
    pub fn before(self) -> Option<Run> {
        self.desk.with_value(|desk| desk.before.clone())
    }

    /// Keeps the run as it was before it was begun anew with other settings.
    pub(crate) fn keep_begun(self, before: Run, played: bool) {
        self.desk.update_value(|desk| desk.before = Some(before));
        if played {
            self.forked.set("Begun anew. The run as it was before is kept.".to_owned());
        }
    }

    /// Lays another run beside the open one. Commands go to the other one; with `first` it takes the left seat, and they
    /// go on going to the open one.
    ///
    /// # Errors
    /// Every fault of the other run; nothing has changed then.
    pub fn lay_beside(self, other: &Run, first: bool) -> Result<(), Faults> {
        other.scenario()?;
        let now_us = self.now_us();
        let shared = self.opened.with_untracked(|open| open.as_ref().is_some_and(|open| open.shared));
        let reel = self.desk.try_update_value(|desk| desk.timeline.take()).flatten();
        let timeline = match reel {
            Some(Reel::One(timeline)) => *timeline,
            Some(Reel::Two(pair)) => pair.both.keep(Side::Right),
            None => return Ok(()),
        };
        let mut both = match Compare::fork(&timeline, other) {
            Ok(both) => both,
            Err(faults) => {
                self.desk.update_value(|desk| desk.timeline = Some(Reel::One(Box::new(timeline))));
                return Err(faults);
            }
        };
        if first {
            both.swap();
        }
        self.show_both(Pair::of(both, 1), now_us, shared);
        self.tell_address();
        Ok(())
    }

    fn show_both(self, pair: Pair, at_us: u64, shared: bool) {
        let speed = self.speed_milli.get_untracked();
        self.load(Reel::Two(Box::new(pair)), shared);
        self.set_speed(speed);
        self.travel(at_us);
    }

    /// Opens two runs from their links.
    pub fn open_both(self, links: &[String; 2], at_us: u64) {
        let mut runs = Vec::new();
        for (link, which) in links.iter().zip(["left", "right"]) {
            let run = Run::from_link(link).map_err(Faults::from).and_then(|run| run.scenario().map(|_| run));
            match run {
                Ok(run) => runs.push(run),
                Err(faults) => {
                    let title = ["The ", which, " run of this comparison cannot be opened"].concat();
                    return self.explain(&title, faults.0);
                }
            }
        }
        match Compare::open(&runs[0], &runs[1]) {
            Ok(both) => {
                let pair = Pair::of(both, 1);
                self.set_speed(pair.both.timeline(Side::Right).scenario().speed_milli);
                self.show_both(pair, at_us, true);
            }
            Err(faults) => self.explain("These two runs cannot be compared", faults.0),
        }
    }

    /// Opens both anew, where there are two, with another run in the place of the one that takes the commands. False where
    /// there is one.
    ///
    /// # Errors
    /// Every fault of the other run; nothing has changed then.
    pub(crate) fn reopen_pair(self, run: &Run) -> Result<bool, Faults> {
        let other = |reel: &Reel| reel.pair().map(|pair| (pair.both.run(Side::Left).clone(), pair.own));
        let Some((left, own)) = self.desk.with_value(|desk| desk.timeline.as_ref().and_then(other)) else { return Ok(false) };
        let both = Compare::open(&left, run)?;
        self.load(Reel::Two(Box::new(Pair::of(both, own))), false);
        Ok(true)
    }

    /// Gives the commands, and all that the page shows of one run, to the run in a seat.
    pub fn take_seat(self, seat: usize) {
        let changed = self.desk.try_update_value(|desk| {
            let Some(Reel::Two(pair)) = &mut desk.timeline else { return false };
            let other = pair.own != seat;
            if other {
                pair.both.swap();
                pair.own = seat;
            }
            other
        });
        if changed == Some(true) {
            self.read_opened();
            self.select(Selection::Nothing);
        }
    }

    /// What stays the same of a run, of the one that takes the commands now.
    fn read_opened(self) {
        let shared = self.opened.with_untracked(|open| open.as_ref().is_some_and(|open| open.shared));
        let opened = self.desk.with_value(|desk| {
            desk.timeline.as_ref().map(|reel| crate::state::Opened::of(reel.scenario(), reel.until_us(), shared))
        });
        self.opened.set(opened.map(Arc::new));
    }

    /// Ends the comparison and goes on with the run in a seat, as the visitor's own. The other can be had back as the run
    /// before.
    pub fn keep_seat(self, seat: usize) {
        let speed = self.speed_milli.get_untracked();
        let reel = self.desk.try_update_value(|desk| desk.timeline.take()).flatten();
        let Some(Reel::Two(pair)) = reel else {
            // There is one: it stays.
            return self.desk.update_value(|desk| desk.timeline = reel);
        };
        let side = pair.side(seat);
        let other = pair.both.run(pair.side(1 - seat)).clone();
        let said = ["Kept: ", &pair.names[seat], "."].concat();
        self.load(Reel::One(Box::new(pair.both.keep(side))), false);
        self.desk.update_value(|desk| desk.before = Some(other));
        self.set_speed(speed);
        self.keep();
        self.said.set(said);
    }

    /// The open run with commands carried out, from its start or from here. What can be set is set from the start.
    #[must_use]
    pub fn run_with(self, commands: &[Command], from_here: bool) -> Option<Run> {
        self.desk.update_value(|desk| {
            if let Some(timeline) = &mut desk.timeline {
                timeline.settle();
            }
        });
        let at_us = if from_here { self.now_us() } else { 0 };
        let mut run = self.run()?;
        for command in commands {
            match command {
                Command::Set { part, setting, value } if !from_here => {
                    put(&mut run, &[part, ".", setting].concat(), value);
                }
                command => {
                    let place = run.commands.partition_point(|known| known.at_us <= at_us);
                    run.commands.insert(place, Timed { at_us, command: command.clone() });
                }
            }
        }
        Some(run)
    }
}

/// Gives a setting a value from the start.
fn put(run: &mut Run, place: &str, value: &str) {
    run.sets.retain(|(known, _)| known != place);
    run.sets.push((place.to_owned(), value.to_owned()));
}

/// A fault in one line.
fn line_of(faults: &Faults) -> String {
    faults.0.first().map(Fault::to_string).unwrap_or_default()
}
