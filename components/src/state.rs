//! What the page knows of the open run, as plain data: what signals carry.

use std::sync::Arc;

use crate::versus::QueueOf;
use redrive::command::Timed;
use redrive::scenario::document::switches::{PLANNED, PLANNED_WORDS};
use redrive::scenario::{Fault, Question, Scenario};
use redrive::view::{HopView, InspectView, JourneyView, LineView, PanelsView, StageView};

/// What is open beside the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// Nothing.
    #[default]
    Nothing,
    /// A part, by index.
    Part(u16),
    /// A message, by fact.
    Message(u32),
}

/// A switch of the open scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Its name in settings.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The choice in force.
    pub value: String,
    /// Choices: word and name for people.
    pub choices: Vec<(String, String)>,
}

/// What stays the same while a run is open.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The scenario's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What there is to see.
    pub summary: String,
    /// Its heading in the picker.
    pub group: String,
    /// The seed in force.
    pub seed: u64,
    /// Where the run ends.
    pub until_us: u64,
    /// Where the scenario puts each part.
    pub places: Vec<Option<(u32, u32)>>,
    /// Ids of the parts, in order.
    pub parts: Vec<String>,
    /// Its queues, with their brokers.
    pub queues: Vec<QueueOf>,
    /// Its switches.
    pub switches: Vec<Switch>,
    /// The question to predict the run by.
    pub ask: Option<Question>,
    /// It came with a link.
    pub shared: bool,
}

impl Opened {
    /// What a scenario says of itself.
    pub fn of(scenario: &Scenario, until_us: u64, shared: bool) -> Self {
        Self {
            id: scenario.id.clone(),
            title: scenario.title.clone(),
            summary: scenario.summary.clone(),
            group: scenario.group.clone(),
            seed: scenario.seed,
            until_us,
            places: scenario.parts.values().map(|part| part.at).collect(),
            parts: scenario.parts.keys().cloned().collect(),
            queues: crate::versus::queues(scenario),
            switches: switches(scenario),
            ask: scenario.ask.clone(),
            shared,
        }
    }
}

/// The switches of a scenario, and the one that leaves out what it plans.
fn switches(scenario: &Scenario) -> Vec<Switch> {
    let own = scenario.switches.iter().map(|(name, switch)| Switch {
        name: name.clone(),
        title: switch.title.clone(),
        value: switch.value.clone(),
        choices: switch.choices.clone(),
    });
    let mut all: Vec<Switch> = own.collect();
    if let Some(strike) = scenario.planned {
        let [yes, no] = PLANNED_WORDS.map(str::to_owned);
        all.push(Switch {
            name: PLANNED.to_owned(),
            title: "Planned faults".to_owned(),
            value: if strike { yes.clone() } else { no.clone() },
            choices: vec![(yes, "strike".to_owned()), (no, "left out".to_owned())],
        });
    }
    all
}

/// What moves.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The moment.
    pub now_us: u64,
    /// How long a hop stays on the way at least.
    pub trail_us: u64,
    /// Messages between parts.
    pub hops: Vec<HopView>,
    /// One of so many of them is drawn.
    pub one_of: u64,
}

/// What is read at panel rate.
#[derive(Debug)]
pub struct Shown {
    /// The stage.
    pub stage: StageView,
    /// The panels.
    pub panels: Arc<PanelsView>,
    /// The furthest moment that these commands have been played to, and the panels there.
    pub far: (u64, Arc<PanelsView>),
    /// The open part.
    pub inspect: Option<InspectView>,
    /// The open message.
    pub journey: Option<JourneyView>,
    /// The newest happenings, while the event log is open.
    pub log: Vec<LineView>,
    /// How often the asked-about effect took place so far.
    pub answer: Option<u32>,
    /// Trace hash and count of events.
    pub trace: (u64, u64),
    /// What the visitor did: commands that are not the scenario's.
    pub commands: Vec<Timed>,
}

impl Shown {
    /// Nothing.
    #[must_use]
    pub fn empty() -> Self {
        let panels = Arc::new(no_panels());
        Self {
            stage: StageView { now_us: 0, parts: Vec::new(), links: Vec::new(), hops: Vec::new(), one_of: 1 },
            far: (0, panels.clone()),
            panels,
            inspect: None,
            journey: None,
            log: Vec::new(),
            answer: None,
            trace: (0, 0),
            commands: Vec::new(),
        }
    }
}

/// Something that takes longer than a blink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// What it is, in words.
    pub text: String,
    /// How far it is, in thousandths; none where nobody knows.
    pub done: Option<u64>,
}

/// Why nothing is open.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// What it is about.
    pub title: String,
    /// What is wrong, where, and what is allowed.
    pub faults: Vec<Fault>,
}

/// Panels of a run that has not begun.
fn no_panels() -> PanelsView {
    PanelsView {
        users: redrive::view::UsersView::default(),
        findings: Vec::new(),
        alerts: Vec::new(),
        cures: Vec::new(),
        health: Vec::new(),
        spans: Vec::new(),
        series: Vec::new(),
        books: redrive::view::BooksView::default(),
        effects: Vec::new(),
    }
}
