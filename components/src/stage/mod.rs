//! The stage: boxes, lines and bodies in SVG at panel rate, messages between them on a canvas each frame, and over both a
//! real button for each part.

pub mod bodies;
pub mod geometry;
pub mod ink;
pub mod layout;
pub mod legend;
mod narrow;
mod path;
pub mod shapes;
pub mod tape;
pub mod tokens;
mod wide;

use leptos::html::{Canvas as CanvasTag, Div};
use leptos::prelude::*;
use leptos::svg::Svg;
use redrive::view::{JourneyView, Level, LinkView, PartView, StageView};
use wasm_bindgen::JsCast;
use web_sys::{HtmlButtonElement, HtmlElement, MouseEvent};

use crate::compare::differs::{Differs, at, said};
use crate::compare::seat::SEATS;
use crate::lab::Lab;
use crate::page::Page;
use crate::state::Selection;
use bodies::Room;
use geometry::{Rect, Within};
use ink::{Hit, Scene};
use layout::{Item, Layout, Line};
use shapes::{Group, Pen};
use tokens::{Canvas, Leader};

/// What a layout is made for.
#[derive(PartialEq)]
struct Wanted {
    items: Vec<Item>,
    lines: Vec<Line>,
    size: (f64, f64),
    narrow: bool,
}

/// What the stage keeps between two paintings.
#[derive(Default)]
struct Easel {
    layout: Layout,
    /// What the layout was made for.
    made_for: Option<Wanted>,
    room: Option<Room>,
    groups: Vec<Group>,
    hits: Vec<Hit>,
    flying: Vec<Hit>,
    canvas: Option<Canvas>,
}

/// Width and greatest height of a message's card, in pixels.
const CARD: (f64, f64) = (312.0, 320.0);

/// The name of a part for reading aloud: `orders, log, down 45.2 s, 12 partitions · 7 days. Open`.
#[must_use]
pub fn spoken_name(part: &PartView) -> String {
    let mut name = format!("{}, {}", part.title, part.kind);
    for word in [part.badge.as_deref().unwrap_or_default(), &part.figure] {
        if !word.is_empty() {
            name.push_str(", ");
            name.push_str(word);
        }
    }
    if let Some(gather) = part.gathers.as_ref().filter(|gather| gather.records > 0) {
        name.push_str(&[", ", &gather.records.to_string(), " gathered"].concat());
    }
    name.push_str(". Open");
    name
}

fn wire_class(link: &LinkView) -> &'static str {
    match (link.broken, link.flow) {
        (true, _) => "wire cut",
        (false, true) => "wire",
        (false, false) => "wire call",
    }
}

fn draw_wires(stage: &StageView, layout: &Layout) -> Scene {
    let mut scene = Scene::default();
    for link in &stage.links {
        let [(x0, y0), (x1, y1), (x2, y2), (x3, y3)] = layout.curve(link.from.into(), link.to.into()).0;
        let pen = Pen::default().to('M', &[x0, y0]).to('C', &[x1, y1, x2, y2, x3, y3]);
        scene.path(wire_class(link), pen);
    }
    scene
}

impl Easel {
    /// Makes the layout anew where the scenario, the size of the page or a part's needs have changed.
    fn settle(&mut self, stage: &StageView, places: &[Option<(u32, u32)>], size: (f64, f64), narrow: bool) -> bool {
        let room = Room::of(&stage.parts, narrow);
        let items: Vec<_> = stage.parts.iter().zip(places).map(|(part, at)| bodies::measure(part, *at, room)).collect();
        let lines: Vec<_> =
            stage.links.iter().map(|link| Line { from: link.from.into(), to: link.to.into(), flow: link.flow }).collect();
        let wanted = Wanted { items, lines, size, narrow };
        if self.made_for.as_ref() == Some(&wanted) {
            return false;
        }
        self.layout = Layout::of(&wanted.items, &wanted.lines, size.0, size.1, narrow);
        self.made_for = Some(wanted);
        self.room = Some(room);
        true
    }

    /// What a click at this place opens, if it is a message.
    fn message_at(&self, x: f64, y: f64) -> Option<u32> {
        let near = |hits: &[Hit]| {
            hits.iter().rev().find(|hit| (hit.x - x).abs() <= hit.r && (hit.y - y).abs() <= hit.r).map(|hit| hit.fact)
        };
        near(&self.flying).or_else(|| near(&self.hits))
    }
}

/// Paints boxes, lines and bodies, marks the parts where the other run differs, and draws over them the path of the open
/// message.
fn paint(
    easel: &mut Easel,
    svg: &web_sys::Element,
    stage: &StageView,
    differs: &[Differs],
    journey: Option<&JourneyView>,
) -> Result<(), wasm_bindgen::JsValue> {
    let room = easel.room.unwrap_or(Room { narrow: false, rows: false });
    let document = leptos::prelude::document();
    while easel.groups.len() > stage.parts.len() + 2 {
        easel.groups.pop();
    }
    while easel.groups.len() < stage.parts.len() + 2 {
        easel.groups.push(Group::new(&document, svg)?);
    }
    let view = format!("0 0 {} {}", easel.layout.width.round() as i64, easel.layout.height.round() as i64);
    svg.set_attribute("viewBox", &view)?;
    easel.groups[0].paint(draw_wires(stage, &easel.layout).shapes)?;
    easel.hits.clear();
    for (index, part) in stage.parts.iter().enumerate() {
        let mut scene = Scene::default();
        bodies::draw(&mut scene, part, easel.layout.boxes[index], stage.now_us, room);
        if at(differs, part).is_some() {
            scene.differs(easel.layout.boxes[index]);
        }
        easel.hits.append(&mut scene.hits);
        easel.groups[index + 1].paint(scene.shapes)?;
    }
    let path = journey.map(|journey| path::draw(journey, stage, &easel.layout)).unwrap_or_default();
    easel.groups[stage.parts.len() + 1].paint(path.shapes)
}

/// Moves a button over its box.
fn cover(button: &HtmlElement, at: Rect, scale: f64) {
    let style = button.style();
    for (name, value) in [("left", at.x), ("top", at.y), ("width", at.w), ("height", at.h)] {
        let _ = style.set_property(name, &(shapes::number(value * scale) + "px"));
    }
}

/// Wider than this, a stage beside another flows left to right.
const ABREAST: f64 = 760.0;

/// The stage of the run in a seat. Where there is one run it sits in the first, and the other stage stays empty.
#[component]
pub fn Stage(lab: Lab, page: Page, seat: usize) -> impl IntoView {
    let easel = StoredValue::new_local(Easel::default());
    let view: NodeRef<Div> = NodeRef::new();
    let svg: NodeRef<Svg> = NodeRef::new();
    let canvas: NodeRef<CanvasTag> = NodeRef::new();
    let over: NodeRef<Div> = NodeRef::new();
    let buttons = StoredValue::new_local(Vec::<HtmlElement>::new());
    // Grows with each layout.
    let laid = RwSignal::new(0_u32);

    Effect::new(move || {
        if let Some(view) = view.get() {
            page.heed(&view);
        }
    });

    // Boxes and bodies: whenever the stage was read anew, or the page has another size.
    Effect::new(move || {
        let (shown, beside) = (lab.shown.get(), lab.beside.get());
        let (Some(view), Some(svg), Some(over)) = (view.get(), svg.get(), over.get()) else { return };
        page.size.track();
        let size = (f64::from(view.client_width()), f64::from(view.client_height()));
        let narrow = page.narrow.get() || (beside.is_some() && size.0 < ABREAST);
        let own = beside.as_ref().map_or(0, |beside| beside.own);
        let differs = beside.as_ref().map_or(&[][..], |beside| &beside.parts);
        let (stage, places) = match &beside {
            Some(beside) if own != seat => (&beside.stage, beside.places.clone()),
            _ => (
                &shown.stage,
                lab.opened.with_untracked(|open| open.as_ref().map(|open| open.places.clone())).unwrap_or_default(),
            ),
        };
        // Fails for no attribute of this name.
        let _ = view.set_attribute("data-own", if own == seat { "true" } else { "false" });
        let label = match beside {
            None => "Stage: the parts of the scenario".to_owned(),
            Some(_) => ["Stage of run ", SEATS[seat], ": the parts of the scenario"].concat(),
        };
        let _ = view.set_attribute("aria-label", &label);
        if places.len() != stage.parts.len() || size.0 < 1.0 {
            return;
        }
        easel.update_value(|easel| {
            let moved = easel.settle(stage, &places, size, narrow);
            let journey = shown.journey.as_ref().filter(|_| own == seat);
            if let Err(error) = paint(easel, &svg, stage, differs, journey) {
                web_sys::console::error_2(&"the stage could not be drawn".into(), &error);
            }
            place_buttons(own_selection(lab, seat), stage, easel, &over, &buttons, moved, (differs, seat));
            if moved {
                laid.update(|laid| *laid += 1);
            }
            if moved && own == seat {
                let scale = easel.layout.scale;
                lab.free_spot.set(easel.layout.free_spot(CARD.0 / scale, CARD.1 / scale).scaled(scale));
            }
        });
    });

    // The card of a part stands at the other side of the stage.
    Effect::new(move || {
        if let Selection::Part(part) = lab.selection.get() {
            if own_seat(lab) != seat {
                return;
            }
            let two = lab.beside.with_untracked(Option::is_some);
            let right = easel.with_value(|easel| {
                easel.layout.boxes.get(usize::from(part)).is_some_and(|at| at.mid_x() > easel.layout.width / 2.0)
            });
            // With two stages it stands over the other one.
            lab.inspector_left.set(if two { seat == 1 } else { right });
        }
    });

    // Messages between parts: each frame.
    Effect::new(move || {
        let beside = lab.beside.with(Option::is_some);
        let own = own_seat(lab);
        if !beside && seat != own {
            return;
        }
        let frame = if own == seat { lab.frame.get() } else { lab.beside_frame.get() };
        page.theme.track();
        laid.track();
        lab.shown.track();
        let Some(element) = canvas.get() else { return };
        easel.update_value(|easel| {
            if easel.canvas.is_none() {
                easel.canvas = Canvas::new(element);
            }
            let leader = if own == seat { leader(lab, easel) } else { None };
            if let Some(canvas) = &mut easel.canvas {
                canvas.wear(page.theme.get_untracked());
                easel.flying =
                    canvas.draw(&frame.hops, (frame.now_us, frame.trail_us), &easel.layout, page.still.get_untracked(), leader);
            }
        });
    });

    let pressed = move |event: MouseEvent| {
        let Some(over) = over.get_untracked() else { return };
        let at = over.get_bounding_client_rect();
        let scale = easel.with_value(|easel| easel.layout.scale).max(0.1);
        let (x, y) = ((f64::from(event.client_x()) - at.left()) / scale, (f64::from(event.client_y()) - at.top()) / scale);
        // A press of Enter has no place; it opens the part.
        let by_pointer = event.detail() > 0;
        lab.take_seat(seat);
        if by_pointer && let Some(fact) = easel.with_value(|easel| easel.message_at(x, y)) {
            lab.select(Selection::Message(fact));
            return;
        }
        let part = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlButtonElement>().ok())
            .and_then(|button| button.get_attribute("data-index"))
            .and_then(|index| index.parse::<u16>().ok());
        match part {
            Some(part) => lab.select(Selection::Part(part)),
            None => lab.select(Selection::Nothing),
        }
    };

    view! {
        <div class="stage" node_ref=view role="group" tabindex="0">
            <div class="boards" on:click=pressed>
                <svg class="board" node_ref=svg aria-hidden="true" xmlns="http://www.w3.org/2000/svg"></svg>
                <canvas class="board" node_ref=canvas aria-hidden="true"></canvas>
                <div class="board over" node_ref=over></div>
            </div>
        </div>
    }
    .into_any()
}

/// The seat of the run that takes the commands.
fn own_seat(lab: Lab) -> usize {
    lab.beside.with_untracked(|beside| beside.as_ref().map_or(0, |beside| beside.own))
}

/// What is open, on the stage that it was opened on.
fn own_selection(lab: Lab, seat: usize) -> Selection {
    if own_seat(lab) == seat { lab.selection.get_untracked() } else { Selection::Nothing }
}

fn leader(lab: Lab, easel: &Easel) -> Option<Leader> {
    let Selection::Message(fact) = lab.selection.get() else { return None };
    let spot = lab.free_spot.get_untracked();
    let inside = easel.hits.iter().rev().find(|hit| hit.fact == fact).map(|hit| (hit.x, hit.y));
    // Inside a part that does not draw it: at the near side of the part that it came to last.
    let last =
        lab.shown.with_untracked(|shown| shown.journey.as_ref().and_then(|journey| journey.path.last().map(|stop| stop.part)));
    let spot = spot.scaled(1.0 / easel.layout.scale.max(0.1));
    let near =
        |at: &Rect| (spot.mid_x().within(at.x + 16.0, at.right() - 16.0), spot.mid_y().within(at.y + 16.0, at.bottom() - 16.0));
    let resting = inside.or_else(|| last.and_then(|part| easel.layout.boxes.get(usize::from(part))).map(near));
    // On a narrow page the card is a sheet over the foot of the page: no line leads there.
    Some(Leader { fact, card: (!easel.layout.narrow).then_some(spot), resting })
}

/// Keeps one button over each box, in the order of the parts.
fn place_buttons(
    selected: Selection,
    stage: &StageView,
    easel: &Easel,
    over: &HtmlElement,
    buttons: &StoredValue<Vec<HtmlElement>, LocalStorage>,
    moved: bool,
    (differs, seat): (&[Differs], usize),
) {
    buttons.update_value(|buttons| {
        for gone in buttons.drain(stage.parts.len().min(buttons.len())..) {
            gone.remove();
        }
        for (index, part) in stage.parts.iter().enumerate() {
            if buttons.len() == index {
                let Some(made) = make_button(over) else { return };
                buttons.push(made);
            }
            let button = &buttons[index];
            let put = |name: &str, value: &str| {
                if button.get_attribute(name).as_deref() != Some(value) {
                    let _ = button.set_attribute(name, value);
                }
            };
            put("data-part", &part.id);
            put("data-index", &index.to_string());
            put("data-level", level_word(part.level));
            let differs = at(differs, part).map(|differs| said(differs, seat)).unwrap_or_default();
            put("aria-label", &(spoken_name(part) + &differs));
            put("data-differs", if differs.is_empty() { "false" } else { "true" });
            put("aria-expanded", if selected == Selection::Part(index as u16) { "true" } else { "false" });
            if moved || button.style().get_property_value("width").unwrap_or_default().is_empty() {
                cover(button, easel.layout.boxes[index], easel.layout.scale);
            }
        }
        let boards = over.parent_element().and_then(|boards| boards.dyn_into::<HtmlElement>().ok());
        if moved && let Some(boards) = boards {
            let style = boards.style();
            let _ = style.set_property("width", &(shapes::number(easel.layout.width * easel.layout.scale) + "px"));
            let _ = style.set_property("height", &(shapes::number(easel.layout.height * easel.layout.scale) + "px"));
        }
    });
}

fn make_button(over: &HtmlElement) -> Option<HtmlElement> {
    let button = document().create_element("button").ok()?.dyn_into::<HtmlElement>().ok()?;
    button.set_attribute("type", "button").ok()?;
    button.set_class_name("part");
    over.append_child(&button).ok()?;
    Some(button)
}

/// The word of a level, for tests and for style.
#[must_use]
pub fn level_word(level: Level) -> &'static str {
    match level {
        Level::Good => "good",
        Level::Warn => "warn",
        Level::Bad => "bad",
        Level::Quiet => "quiet",
    }
}
