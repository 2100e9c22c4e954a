//! The search: looks through the messages of the run a few milliseconds a frame, and can be stopped.

use leptos::prelude::*;
use redrive::view::MessageRow;

use super::{Asked, Listed, PAGE, Search};
use crate::lab::Lab;
use crate::player::wall_ms;

/// Milliseconds of a frame that the search may take.
const LOOK_MS: f64 = 6.0;
/// Messages between two looks at the clock.
const LOOKS: u32 = 20_000;
/// Milliseconds between two searches for the same list while time runs.
const AGAIN_MS: f64 = 500.0;

/// A search under way, and the run's state that the newest one was for.
#[derive(Default)]
pub struct Run {
    rows: Vec<MessageRow>,
    /// Where it looks on; none when it is done.
    from: Option<u32>,
    /// How many messages there are.
    of: u32,
    /// Hash of the trace and count of events that it is for.
    trace: (u64, u64),
    /// When the last one began.
    began_ms: f64,
    looping: bool,
}

impl Lab {
    /// Searches for the page that is asked for; where it is `anew`, what was found before does not stand meanwhile.
    pub(super) fn search(self, anew: bool) {
        let messages = self.messages;
        let from = messages.begins.with_untracked(|begins| begins.last().copied().unwrap_or(0));
        if messages.asked.with_untracked(Option::is_none) {
            messages.search.set(Search::Done);
            return;
        }
        let trace = self.trace();
        let asleep = messages.run.try_update_value(|run| {
            let looping = std::mem::replace(&mut run.looping, true);
            *run = Run { from: Some(from), of: 0, trace, began_ms: wall_ms(), looping: true, rows: Vec::new() };
            !looping
        });
        if anew {
            messages.search.set(Search::At(from));
        }
        if asleep == Some(true) {
            self.look();
        }
    }

    /// Goes on where it was stopped.
    pub(super) fn search_on(self) {
        if let Search::Stopped(at) = self.messages.search.get_untracked() {
            self.messages.search.set(Search::At(at));
            self.messages.run.update_value(|run| run.looping = true);
            self.look();
        }
    }

    /// Stops it; what was found so far stays.
    pub(super) fn stop_search(self) {
        if let Search::At(at) = self.messages.search.get_untracked() {
            self.messages.search.set(Search::Stopped(at));
        }
    }

    fn trace(self) -> (u64, u64) {
        self.desk.with_value(|desk| desk.timeline.as_ref().map_or((0, 0), |at| (at.world().trace_hash(), at.world().events())))
    }

    /// Searches again where the run has gone on since.
    pub(super) fn search_again(self) {
        let (trace, now_ms) = (self.trace(), wall_ms());
        let due = self.messages.run.with_value(|run| !run.looping && run.trace != trace && now_ms - run.began_ms >= AGAIN_MS);
        let listed = self.messages.asked.with_untracked(Option::is_some);
        if due && listed && self.messages.search.get_untracked() == Search::Done {
            self.search(false);
        }
    }

    /// One frame of the search.
    fn look(self) {
        let messages = self.messages;
        let Some(Asked { which, .. }) = messages.asked.get_untracked() else {
            messages.run.update_value(|run| run.looping = false);
            return;
        };
        let stopped = matches!(messages.search.get_untracked(), Search::Stopped(_));
        let deadline_ms = wall_ms() + LOOK_MS;
        let found = messages.run.try_update_value(|run| {
            let at_us = self.desk.with_value(|desk| {
                let Some(timeline) = &desk.timeline else { return 0 };
                while let Some(from) = run.from.filter(|_| !stopped && run.rows.len() < PAGE) {
                    let page = timeline.world().messages(&which, from, PAGE - run.rows.len(), LOOKS);
                    run.rows.extend(page.rows);
                    (run.from, run.of) = (page.next, page.of);
                    if wall_ms() >= deadline_ms {
                        break;
                    }
                }
                timeline.now_us()
            });
            let done = run.from.is_none() || run.rows.len() >= PAGE;
            run.looping = !done && !stopped;
            let rows = if done || stopped { run.rows.clone() } else { Vec::new() };
            (run.looping, Listed { rows, at_us, next: run.from, of: run.of })
        });
        let Some((going, listed)) = found else { return };
        if going {
            // A search that only follows the run is not spoken of.
            if messages.search.get_untracked() != Search::Done {
                messages.search.set(Search::At(listed.next.unwrap_or(0)));
                messages.listed.update(|shown| shown.of = listed.of);
            }
            request_animation_frame(move || self.look());
            return;
        }
        if !stopped {
            messages.search.set(Search::Done);
        }
        if messages.listed.with_untracked(|shown| *shown != listed) {
            messages.listed.set(listed);
        }
    }
}
