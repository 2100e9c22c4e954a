//! The lab: one open run, what the page shows of it, and everything a visitor can do to it.
//!
//! The timeline itself lives outside the signals, in [`Desk`](crate::player::Desk). Signals carry views of it: one a
//! frame for what moves, one a panel refresh for the rest, and none a message.

use std::sync::Arc;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use redrive::command::Command;
use redrive::run::{Run, Source};
use redrive::scenario::{Fault, Faults};
use redrive::timeline::Timeline;
use web_sys::HtmlElement;

use crate::compare::{Beside, reel::Reel};
use crate::explore::Trials;
use crate::focus;
use crate::messages::Messages;
use crate::player::{Desk, Mode};
use crate::route;
use crate::stage::geometry::Rect;
use crate::state::{Busy, Frame, Opened, Selection, Shown, Trouble};
use crate::store;
use crate::versus::Versus;

/// Milliseconds without a change after which a run is kept.
const KEEP_MS: u32 = 300;

/// Everything the page knows of the open run.
#[derive(Clone, Copy)]
pub struct Lab {
    /// The timeline and the player.
    pub desk: StoredValue<Desk, LocalStorage>,
    /// What is open.
    pub opened: RwSignal<Option<Arc<Opened>>>,
    /// The address that it was opened by, with its `#`.
    pub address: StoredValue<String>,
    /// Why nothing is.
    pub trouble: RwSignal<Option<Trouble>>,
    /// What moves.
    pub frame: RwSignal<Arc<Frame>>,
    /// What is read at panel rate.
    pub shown: RwSignal<Arc<Shown>>,
    /// What is open beside the stage.
    pub selection: RwSignal<Selection>,
    /// The open part's card stands at the left of the stage, so that it does not cover the part.
    pub inspector_left: RwSignal<bool>,
    /// Where a card covers the least of the stage, in pixels.
    pub free_spot: RwSignal<Rect>,
    /// Time runs.
    pub playing: RwSignal<bool>,
    /// The message that time paces itself to.
    pub following: RwSignal<Option<u32>>,
    /// Speed asked for, in thousandths of real time.
    pub speed_milli: RwSignal<u64>,
    /// Speed reached, where it is less than asked.
    pub reached_milli: RwSignal<Option<u64>>,
    /// Something that takes longer than a blink.
    pub busy: RwSignal<Option<Busy>>,
    /// What just happened, in words.
    pub said: RwSignal<String>,
    /// The event log is open.
    pub logging: RwSignal<bool>,
    /// The run on another broker, for comparison.
    pub versus: Versus,
    /// The list of messages that is open.
    pub messages: Messages,
    /// What is tried in many runs.
    pub trials: Trials,
    /// The other run, where two are side by side.
    pub beside: RwSignal<Option<Arc<Beside>>>,
    /// What moves in the other run.
    pub beside_frame: RwSignal<Arc<Frame>>,
    /// What is said of a run that was changed in its past; empty for nothing.
    pub forked: RwSignal<String>,
    /// What had the focus when a card opened.
    pub opener: StoredValue<Option<HtmlElement>, LocalStorage>,
}

impl Lab {
    /// A lab with nothing open.
    #[must_use]
    pub fn new() -> Self {
        Self {
            desk: StoredValue::new_local(Desk::default()),
            opened: RwSignal::new(None),
            address: StoredValue::new(String::new()),
            trouble: RwSignal::new(None),
            frame: RwSignal::new(Arc::default()),
            shown: RwSignal::new(Arc::new(Shown::empty())),
            selection: RwSignal::new(Selection::Nothing),
            inspector_left: RwSignal::new(false),
            free_spot: RwSignal::new(Rect::default()),
            playing: RwSignal::new(false),
            following: RwSignal::new(None),
            speed_milli: RwSignal::new(1_000),
            reached_milli: RwSignal::new(None),
            busy: RwSignal::new(None),
            said: RwSignal::new(String::new()),
            logging: RwSignal::new(false),
            versus: Versus::new(),
            messages: Messages::new(),
            trials: Trials::new(),
            beside: RwSignal::new(None),
            beside_frame: RwSignal::new(Arc::default()),
            forked: RwSignal::new(String::new()),
            opener: StoredValue::new_local(None),
        }
    }

    /// Opens a run at a moment. Where it cannot be opened the page says why, and what was open stays open.
    pub fn open(self, run: &Run, at_us: u64, shared: bool) -> Result<(), Faults> {
        let timeline = Timeline::open(run)?;
        let speed = timeline.scenario().speed_milli;
        self.load(Reel::One(Box::new(timeline)), shared);
        self.set_speed(speed);
        if at_us > 0 {
            self.travel(at_us);
        }
        Ok(())
    }

    /// Puts a run, or two, on the page in place of what was there.
    pub(crate) fn load(self, reel: Reel, shared: bool) {
        let opened = Opened::of(reel.scenario(), reel.until_us(), shared);
        if self.desk.with_value(|desk| desk.keeping.is_some()) {
            self.keep_now();
        }
        crate::panic::remember(reel.run());
        self.selection.set(Selection::Nothing);
        self.following.set(None);
        self.said.set(String::new());
        self.forked.set(String::new());
        self.desk.update_value(|desk| desk.load(reel));
        document().set_title(&format!("{} · Redrive", opened.title));
        self.opened.set(Some(Arc::new(opened)));
        self.trouble.set(None);
        self.playing.set(false);
        self.refresh();
    }

    /// Opens a run, and says what is wrong where it cannot be.
    pub fn open_or_explain(self, run: &Run, at_us: u64, shared: bool) {
        if let Err(faults) = self.open(run, at_us, shared) {
            let name = match &run.source {
                Source::Library(id) | Source::Document(id, _) => id.clone(),
            };
            let title = if shared { "This link cannot be opened".to_owned() } else { format!("“{name}” cannot be opened") };
            self.explain(&title, faults.0);
        }
    }

    /// Shows what is wrong in place of the lab.
    pub fn explain(self, title: &str, faults: Vec<Fault>) {
        self.pause();
        self.trouble.set(Some(Trouble { title: title.to_owned(), faults }));
    }

    /// The open run with the commands given so far.
    #[must_use]
    pub fn run(self) -> Option<Run> {
        self.desk.with_value(|desk| desk.timeline.as_ref().map(|timeline| timeline.run().clone()))
    }

    /// The moment.
    #[must_use]
    pub fn now_us(self) -> u64 {
        self.desk.with_value(|desk| desk.timeline.as_ref().map_or(0, Reel::now_us))
    }

    /// Sends commands, to take effect now.
    ///
    /// # Errors
    /// What is wrong with the first that is not allowed; none takes effect then.
    pub fn send(self, texts: &[String]) -> Result<(), Fault> {
        let commands = texts.iter().map(|text| Command::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let before = self.run();
        let sent = self.desk.try_update_value(|desk| match &mut desk.timeline {
            Some(timeline) => timeline.send(&commands),
            None => Ok(()),
        });
        if let Some(Err(fault)) = sent {
            return Err(fault);
        }
        self.keep_before(before);
        self.changed();
        Ok(())
    }

    /// Takes back a command that the visitor gave.
    pub fn withdraw(self, index: usize) {
        let (before, now_us) = (self.run(), self.now_us());
        self.desk.update_value(|desk| {
            if let Some(timeline) = &mut desk.timeline {
                timeline.withdraw(index);
            }
        });
        self.keep_before(before);
        self.changed();
        if self.is_two() {
            self.travel(now_us);
        }
        self.said.set("Withdrawn: the run is replayed without it.".into());
    }

    /// The run is another one now: what was known of its future is not any more, and it is the visitor's own.
    fn changed(self) {
        self.forget_the_future();
        self.keep();
        self.refresh();
        self.wake();
    }

    fn forget_the_future(self) {
        self.desk.update_value(|desk| {
            let own = desk.own();
            desk.far[own] = None;
        });
    }

    /// Opens the run anew from its start with other settings or another seed.
    ///
    /// # Errors
    /// Every fault; what was open stays open.
    pub fn reopen(self, change: impl FnOnce(&mut Run)) -> Result<(), Faults> {
        let Some(mut run) = self.run() else { return Ok(()) };
        let before = run.clone();
        change(&mut run);
        let shared = self.opened.with_untracked(|open| open.as_ref().is_some_and(|open| open.shared));
        let speed = self.speed_milli.get_untracked();
        if !self.reopen_pair(&run)? {
            let played = self.shown.with_untracked(|shown| shown.far.0 > 0);
            self.open(&run, 0, shared)?;
            self.keep_begun(before, played);
        }
        self.set_speed(speed);
        self.keep();
        Ok(())
    }

    /// Keeps the run in this browser as the visitor's own, once they have stopped changing it for a moment.
    pub(crate) fn keep(self) {
        self.desk.update_value(|desk| {
            desk.keeping = Some(Timeout::new(KEEP_MS, move || {
                self.keep_now();
                self.tell_address();
            }))
        });
    }

    /// Puts the run as it is now into the address, in the place of what it grew from: reloaded, copied or come back to, it opens
    /// what was seen.
    pub(crate) fn tell_address(self) {
        self.put_address(["#", &self.path()].concat());
    }

    /// The address of what is open, at this moment, to stand behind `#`.
    #[must_use]
    pub fn path(self) -> String {
        let both = self.desk.with_value(|desk| {
            let pair = desk.timeline.as_ref()?.pair()?;
            Some([0, 1].map(|seat| pair.both.run(pair.side(seat)).to_link()))
        });
        match both {
            Some(links) => route::compare(&links, self.now_us()),
            None => route::shared(&self.run().map(|run| run.to_link()).unwrap_or_default(), self.now_us()),
        }
    }

    /// Puts another address into the bar, without going there.
    pub(crate) fn put_address(self, address: String) {
        if let Ok(history) = window().history() {
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
        }
        self.address.set_value(address);
    }

    fn keep_now(self) {
        self.desk.update_value(|desk| desk.keeping = None);
        let (Some(run), Some(opened)) = (self.run(), self.opened.get_untracked()) else { return };
        let kept = store::Kept { id: opened.id.clone(), title: opened.title.clone(), link: run.to_link(), at_us: self.now_us() };
        crate::panic::remember(&run);
        self.desk.update_value(|desk| {
            let before = desk.kept.replace(kept.link.clone());
            store::keep(kept, before.as_deref());
        });
    }

    /// Opens a part or a message beside the stage.
    pub fn select(self, selection: Selection) {
        if let Selection::Message(fact) = selection {
            self.desk.update_value(|desk| desk.watch(Some(fact)));
        }
        if self.following.get_untracked().is_some_and(|fact| selection != Selection::Message(fact)) {
            self.following.set(None);
            self.pause();
        }
        if self.selection.get_untracked() == Selection::Nothing {
            self.opener.set_value(focus::holder());
        }
        self.selection.set(selection);
        self.refresh();
        self.wake();
    }

    /// Opens a message by its id, as a person types it. False where there is none so far.
    pub fn find(self, text: &str) -> bool {
        let fact =
            self.desk.with_value(|desk| desk.timeline.as_ref().and_then(|timeline| timeline.world().find_fact(text.trim())));
        if let Some(fact) = fact {
            self.select(Selection::Message(fact));
        }
        fact.is_some()
    }

    /// Sets the speed, in thousandths of real time.
    pub fn set_speed(self, milli: u64) {
        self.speed_milli.set(milli);
        self.reached_milli.set(None);
        self.desk.update_value(|desk| desk.pace(milli));
        self.refresh();
    }

    /// Lets time run. At the end it starts over.
    pub fn play(self) {
        let at_end = self.desk.with_value(Desk::at_end);
        self.following.set(None);
        self.playing.set(true);
        self.start(if at_end { Mode::Travel { to_us: 0, then_play: true } } else { Mode::Play });
    }

    /// Stops time, and whatever is under way.
    pub fn pause(self) {
        self.playing.set(false);
        self.following.set(None);
        self.desk.update_value(|desk| {
            desk.start(Mode::Idle, 0.0);
            // What is shown now can be shared, and must be found again from the link.
            if let Some(timeline) = &mut desk.timeline {
                timeline.settle();
            }
        });
        self.busy.set(None);
        self.reached_milli.set(None);
        if self.desk.with_value(|desk| desk.kept.is_some()) {
            self.keep();
        }
        self.refresh();
    }

    /// Plays or pauses. Who wanted to pause and was overtaken by the end is not sent back to the start.
    pub fn toggle(self) {
        if self.desk.with_value(|desk| desk.has_just_ended(crate::player::wall_ms())) {
            return;
        }
        if self.playing.get_untracked() || self.following.get_untracked().is_some() { self.pause() } else { self.play() }
    }

    /// Goes to a moment, forwards or back.
    pub fn travel(self, to_us: u64) {
        let until_us = self.opened.with_untracked(|open| open.as_ref().map_or(0, |open| open.until_us));
        let then_play = self.playing.get_untracked();
        self.following.set(None);
        self.start(Mode::Travel { to_us: to_us.min(until_us), then_play });
    }

    /// Goes to the next event.
    pub fn step(self) {
        self.pause();
        self.desk.update_value(|desk| {
            if let Some(timeline) = &mut desk.timeline {
                timeline.step();
            }
        });
        self.refresh();
    }

    /// Goes to before the last event.
    pub fn step_back(self) {
        self.pause();
        self.start(Mode::StepBack);
    }

    /// Runs on until something new is found.
    pub fn surprise(self) {
        self.pause();
        self.start(Mode::Surprise);
    }

    /// Paces time to a message.
    pub fn follow(self, fact: u32) {
        if self.selection.get_untracked() != Selection::Message(fact) {
            self.select(Selection::Message(fact));
        }
        self.playing.set(false);
        self.following.set(Some(fact));
        self.start(Mode::follow(fact));
    }

    fn start(self, mode: Mode) {
        self.desk.update_value(|desk| desk.start(mode, crate::player::wall_ms()));
        self.wake();
    }
}
