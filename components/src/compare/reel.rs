//! What the player plays: one run, or two on one clock.

use redrive::command::Command;
use redrive::compare::{Compare, Side};
use redrive::run::Run;
use redrive::scenario::{Fault, Scenario};
use redrive::timeline::{Peek, Progress, Timeline};
use redrive::view::JourneyView;
use redrive::world::World;

use super::names::named;

/// One run, or two.
pub enum Reel {
    /// One.
    One(Box<Timeline>),
    /// Two, of which the right one takes the commands.
    Two(Box<Pair>),
}

/// Two runs and how they stand on the page.
pub struct Pair {
    /// Both.
    pub both: Compare,
    /// The seat of the one that takes the commands: 0 at the left, 1 at the right.
    pub own: usize,
    /// What each is called, by seat.
    pub names: [String; 2],
}

impl Pair {
    /// Two runs, the right one of which sits in the seat `own`.
    #[must_use]
    pub fn of(both: Compare, own: usize) -> Self {
        let mut pair = Self { both, own, names: [String::new(), String::new()] };
        pair.name();
        pair
    }

    /// Names both anew.
    fn name(&mut self) {
        let [first, second] = [0, 1].map(|seat| self.both.run(self.side(seat)));
        self.names = [named(first, second), named(second, first)];
    }

    /// Which of the two sits there.
    #[must_use]
    pub fn side(&self, seat: usize) -> Side {
        if seat == self.own { Side::Right } else { Side::Left }
    }
}

impl Reel {
    /// The run that takes the commands.
    #[must_use]
    pub fn run(&self) -> &Run {
        match self {
            Self::One(timeline) => timeline.run(),
            Self::Two(pair) => pair.both.run(Side::Right),
        }
    }

    /// Its scenario.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        match self {
            Self::One(timeline) => timeline.scenario(),
            Self::Two(pair) => pair.both.timeline(Side::Right).scenario(),
        }
    }

    /// Its world now.
    #[must_use]
    pub fn world(&self) -> &World {
        match self {
            Self::One(timeline) => timeline.world(),
            Self::Two(pair) => pair.both.world(Side::Right),
        }
    }

    /// Both, where there are two.
    #[must_use]
    pub fn pair(&self) -> Option<&Pair> {
        match self {
            Self::One(_) => None,
            Self::Two(pair) => Some(pair),
        }
    }

    /// The moment.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        match self {
            Self::One(timeline) => timeline.now_us(),
            Self::Two(pair) => pair.both.now_us(),
        }
    }

    /// The end.
    #[must_use]
    pub fn until_us(&self) -> u64 {
        match self {
            Self::One(timeline) => timeline.until_us(),
            Self::Two(pair) => pair.both.until_us(),
        }
    }

    /// Goes to a moment, for about so many events.
    pub fn travel(&mut self, to_us: u64, most_events: u64) -> Progress {
        match self {
            Self::One(timeline) => timeline.travel(to_us, most_events),
            Self::Two(pair) => pair.both.travel(to_us, most_events),
        }
    }

    /// Goes on to just after the next event.
    pub fn step(&mut self) {
        match self {
            Self::One(timeline) => timeline.step(),
            Self::Two(pair) => pair.both.step(),
        }
    }

    /// Goes back to just before the newest event.
    pub fn step_back(&mut self, most_events: u64) -> Progress {
        match self {
            Self::One(timeline) => timeline.step_back(most_events),
            Self::Two(pair) => pair.both.step_back(most_events),
        }
    }

    /// Runs on until something new is found.
    pub fn next_finding(&mut self, most_events: u64) -> Progress {
        match self {
            Self::One(timeline) => timeline.next_finding(most_events),
            Self::Two(pair) => pair.both.next_finding(most_events),
        }
    }

    /// Stands still at a moment that can be named.
    pub fn settle(&mut self) {
        match self {
            Self::One(timeline) => timeline.settle(),
            Self::Two(pair) => pair.both.settle(),
        }
    }

    /// Carries commands out now.
    ///
    /// # Errors
    /// The first command that means nothing; then none is carried out.
    pub fn send(&mut self, commands: &[Command]) -> Result<(), Fault> {
        match self {
            Self::One(timeline) => timeline.send(commands),
            Self::Two(pair) => {
                pair.both.send(commands)?;
                pair.name();
                Ok(())
            }
        }
    }

    /// Takes back a command. Time may stand somewhere before it then.
    pub fn withdraw(&mut self, index: usize) {
        match self {
            Self::One(timeline) => timeline.withdraw(index),
            Self::Two(pair) => {
                let mut run = pair.both.run(Side::Right).clone();
                if index < run.commands.len() {
                    run.commands.remove(index);
                    // A run is as sound with one command fewer.
                    if let Ok(both) = Compare::fork(pair.both.timeline(Side::Left), &run) {
                        pair.both = both;
                        pair.name();
                    }
                }
            }
        }
    }

    /// Watches a message.
    pub fn watch(&mut self, fact: Option<u32>) {
        match self {
            Self::One(timeline) => timeline.watch(fact),
            Self::Two(pair) => pair.both.watch(fact),
        }
    }

    /// The journey of the watched message.
    pub fn journey(&mut self, most_events: u64) -> (Progress, Option<JourneyView>) {
        match self {
            Self::One(timeline) => timeline.journey(most_events),
            Self::Two(pair) => pair.both.journey(most_events),
        }
    }

    /// When a message does something next.
    pub fn peek_hop(&mut self, fact: u32, most_events: u64) -> Peek {
        match self {
            Self::One(timeline) => timeline.peek_hop(fact, most_events),
            Self::Two(pair) => pair.both.peek_hop(fact, most_events),
        }
    }
}
