//! From the player to the signals: what a frame shows, and what is read at panel rate.

use std::sync::Arc;

use leptos::prelude::*;
use redrive::compare::Side;
use redrive::view::{HopView, LineView, PanelsView};
use redrive::world::World;

use crate::compare::Beside;
use crate::lab::Lab;
use crate::player::{Desk, wall_ms};
use crate::state::{Frame, Selection, Shown};

/// Milliseconds between two readings of the panels.
const PANELS_MS: f64 = 125.0;
/// Milliseconds that collecting a journey may take at once.
const COLLECT_MS: f64 = 6.0;
/// Lines of the event log that are shown.
const LINES: usize = 120;

/// Sets a signal only where its value is another one.
fn put<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|old| *old != value) {
        signal.set(value);
    }
}

/// Most messages on one line, and the fewest before more are drawn again.
const CROWDED: u64 = 8;
const SPARSE: u64 = 3;

/// How many messages are on the line that has the most.
fn busiest(hops: &[HopView]) -> u64 {
    let mut lines: Vec<((u16, u16), u64)> = Vec::new();
    for hop in hops {
        match lines.iter_mut().find(|(line, _)| *line == (hop.from, hop.to)) {
            Some((_, count)) => *count += 1,
            None => lines.push(((hop.from, hop.to), 1)),
        }
    }
    lines.iter().map(|(_, count)| *count).max().unwrap_or(0)
}

/// Draw one of so many. It changes only when it must, so that tokens do not come and go.
fn thinner(busiest: u64, before: u64) -> u64 {
    let mut one_of = before;
    while busiest / one_of > CROWDED {
        one_of *= 2;
    }
    while one_of > 1 && busiest / one_of < SPARSE {
        one_of /= 2;
    }
    one_of
}

/// The furthest that a run is known to: now, or what was known already.
fn further(far: &mut Option<(u64, Arc<PanelsView>)>, now_us: u64, panels: &Arc<PanelsView>) -> (u64, Arc<PanelsView>) {
    match far {
        Some(known) if known.0 > now_us => known.clone(),
        _ => far.insert((now_us, panels.clone())).clone(),
    }
}

impl Lab {
    /// Makes sure that the animation loop runs.
    pub fn wake(self) {
        let asleep = self.desk.try_update_value(|desk| !std::mem::replace(&mut desk.looping, true)).unwrap_or(false);
        if asleep {
            request_animation_frame(move || self.tick());
        }
    }

    fn tick(self) {
        let now_ms = wall_ms();
        let Some((beat, due, more)) = self.desk.try_update_value(|desk| {
            let beat = desk.advance(now_ms);
            let more = desk.collect(now_ms + COLLECT_MS + 8.0);
            (beat, now_ms >= desk.panels_due_ms, more)
        }) else {
            return;
        };
        if beat.play {
            put(self.playing, true);
        }
        if beat.stopped {
            put(self.playing, false);
            put(self.following, None);
        }
        put(self.busy, beat.busy.clone());
        put(self.reached_milli, self.desk.with_value(Desk::reached_milli));
        if beat.arrived || due || !(beat.going || more) {
            self.refresh();
        } else {
            self.show_frame();
        }
        if beat.arrived && self.following.get_untracked().is_some() {
            self.tell();
        }
        if let Some(said) = beat.said {
            self.said.set(said);
        }
        let going = beat.going || more;
        self.desk.update_value(|desk| desk.looping = going);
        if going {
            request_animation_frame(move || self.tick());
        }
    }

    /// Says what the followed message just did.
    fn tell(self) {
        let now_us = self.now_us();
        let line = self.shown.with_untracked(|shown| {
            let journey = shown.journey.as_ref()?;
            let line: &LineView = journey.lines.iter().rev().find(|line| line.at_us <= now_us)?;
            Some(format!("{} · {}: {}", redrive::sim::time::clock(line.at_us), journey.title, line.text))
        });
        if let Some(line) = line {
            put(self.said, line);
        }
    }

    /// Reads what moves.
    fn show_frame(self) {
        let (own, other) = self.desk.with_value(|desk| {
            let Some(timeline) = desk.timeline.as_ref() else { return (None, None) };
            let (now_us, trail_us) = (timeline.now_us(), desk.trail_us());
            let of = |world: &World| Frame { now_us, trail_us, hops: world.hops(trail_us), one_of: 1 };
            (Some(of(timeline.world())), timeline.pair().map(|pair| of(pair.both.world(Side::Left))))
        });
        if let Some(frame) = own {
            let sampled = self.shown.with_untracked(|shown| shown.stage.one_of);
            self.frame.set(Arc::new(self.thinned(frame, sampled, self.frame)));
        }
        if let Some(frame) = other {
            let sampled = self.beside.with_untracked(|beside| beside.as_ref().map_or(1, |beside| beside.stage.one_of));
            self.beside_frame.set(Arc::new(self.thinned(frame, sampled, self.beside_frame)));
        }
    }

    /// Draws fewer of many: more than a handful on one line cannot be told apart.
    fn thinned(self, mut frame: Frame, sampled: u64, last: RwSignal<Arc<Frame>>) -> Frame {
        let sampled = sampled.max(1);
        let kept = match self.selection.get_untracked() {
            Selection::Message(fact) => Some(fact),
            Selection::Nothing | Selection::Part(_) => None,
        };
        let before = last.with_untracked(|frame| frame.one_of).max(1) / sampled;
        let more = thinner(busiest(&frame.hops), before.max(1));
        frame.hops.retain(|hop| Some(hop.token.fact) == kept || (u64::from(hop.token.fact) / sampled).is_multiple_of(more));
        frame.one_of = sampled * more;
        frame
    }

    /// Reads everything that is shown.
    pub fn refresh(self) {
        let now_ms = wall_ms();
        self.desk.update_value(|desk| {
            desk.panels_due_ms = now_ms + PANELS_MS;
            desk.collect(now_ms + COLLECT_MS);
        });
        self.show_frame();
        let selection = self.selection.get_untracked();
        let logging = self.logging.get_untracked();
        let ask = self.opened.with_untracked(|open| open.as_ref().and_then(|open| open.ask.clone()));
        let shown = self.desk.try_update_value(|desk| {
            let timeline = desk.timeline.as_ref()?;
            let world = timeline.world();
            let panels = Arc::new(world.panels());
            let own = desk.own();
            let stage = world.stage(desk.trail_us());
            let beside = timeline.pair().map(|pair| Beside::of(pair, &stage, desk.trail_us()));
            let far = further(&mut desk.far[own], timeline.now_us(), &panels);
            let shown = Shown {
                stage,
                far,
                panels,
                inspect: match selection {
                    Selection::Part(part) => world.inspect(part),
                    Selection::Nothing | Selection::Message(_) => None,
                },
                journey: matches!(selection, Selection::Message(_)).then(|| desk.journey.clone()).flatten(),
                log: if logging { world.log(LINES) } else { Vec::new() },
                answer: ask.as_ref().and_then(|ask| world.count(&ask.effect, &ask.fact)),
                trace: (world.trace_hash(), world.events()),
                commands: timeline.run().commands.clone(),
            };
            let beside = beside.map(|mut beside| {
                beside.far = further(&mut desk.far[1 - own], timeline.now_us(), &beside.panels);
                beside
            });
            Some((shown, beside))
        });
        if let Some(Some((shown, beside))) = shown {
            if beside.is_some() || self.beside.with_untracked(Option::is_some) {
                self.beside.set(beside.map(Arc::new));
            }
            self.shown.set(Arc::new(shown));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowded_line_is_thinned_and_stays_so_until_it_is_sparse() {
        assert_eq!(thinner(8, 1), 1);
        assert_eq!(thinner(200, 1), 32);
        assert_eq!(thinner(100, 32), 32, "still three or more");
        assert_eq!(thinner(40, 32), 8);
        assert_eq!(thinner(0, 32), 1);
    }
}
