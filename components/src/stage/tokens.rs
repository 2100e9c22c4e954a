//! Messages between parts, on a canvas over the stage: drawn each frame, at a place that follows from simulation time.

use redrive::view::{HopView, TokenShape};
use std::f64::consts::TAU;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::geometry::{Rect, Within};
use super::ink::{Hit, KEYS};
use super::layout::Layout;

/// The canvas and the colours of the theme in force.
pub struct Canvas {
    element: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    colours: Colours,
    /// The theme that the colours were read from.
    theme: u32,
}

/// Colours, read from the style sheet.
#[derive(Default)]
struct Colours {
    keys: Vec<String>,
    bad: String,
    sheet: String,
    ink: String,
    ghost: String,
}

/// A hop and where it is drawn now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Where.
    pub x: f64,
    /// Where.
    pub y: f64,
}

/// How far along its line a hop is at a moment, as a share of the line.
fn share(hop: &HopView, now_us: u64, trail_us: u64) -> f64 {
    let span = hop.end_us.saturating_sub(hop.start_us).max(trail_us).max(1);
    (now_us.saturating_sub(hop.start_us) as f64 / span as f64).within(0.0, 1.0)
}

/// Where a hop is drawn that is so far along.
fn placed(hop: &HopView, share: f64, layout: &Layout) -> Placed {
    let (x, y) = layout.curve(usize::from(hop.from), usize::from(hop.to)).at(share);
    Placed { x, y }
}

/// The share of a line that one message takes where they stand in a row at its end, and the most that a row takes.
const PLACE: f64 = 0.12;
const ROW: f64 = 0.48;

/// How far along each hop is drawn: where it is or, where nothing may move, in a row at the end that it is nearer to, so that
/// each is seen.
#[must_use]
pub fn shares(hops: &[HopView], now_us: u64, trail_us: u64, still: bool) -> Vec<f64> {
    let all: Vec<f64> = hops.iter().map(|hop| share(hop, now_us, trail_us)).collect();
    if !still {
        return all;
    }
    let end = |place: usize| (hops[place].from, hops[place].to, all[place] >= 0.5);
    let row = |place: usize| {
        let before = (0..place).filter(|other| end(*other) == end(place)).count();
        let into = (before as f64 * PLACE).min(ROW);
        if end(place).2 { 1.0 - into } else { into }
    };
    (0..hops.len()).map(row).collect()
}

impl Canvas {
    /// Takes hold of the canvas.
    #[must_use]
    pub fn new(element: HtmlCanvasElement) -> Option<Self> {
        let context = element.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
        let mut canvas = Self { element, context, colours: Colours::default(), theme: 0 };
        canvas.read_colours();
        Some(canvas)
    }

    /// Reads the colours anew where the theme is another one.
    pub fn wear(&mut self, theme: u32) {
        if self.theme != theme {
            self.theme = theme;
            self.read_colours();
        }
    }

    fn read_colours(&mut self) {
        let Some(style) = leptos::prelude::window().get_computed_style(&self.element).ok().flatten() else { return };
        let read = |name: &str| style.get_property_value(name).unwrap_or_default();
        self.colours = Colours {
            keys: (0..KEYS).map(|key| read(&format!("--k{key}"))).collect(),
            bad: read("--bad"),
            sheet: read("--sheet"),
            ink: read("--ink"),
            ghost: read("--ghost"),
        };
    }

    /// Draws the hops of a frame. Returns what a click on them opens.
    pub fn draw(&self, hops: &[HopView], at: (u64, u64), layout: &Layout, still: bool, leader: Option<Leader>) -> Vec<Hit> {
        let (now_us, trail_us) = at;
        let pixels = leptos::prelude::window().device_pixel_ratio().within(1.0, 3.0);
        let (w, h) = (layout.width * layout.scale, layout.height * layout.scale);
        let (wide, high) = ((w * pixels).round() as u32, (h * pixels).round() as u32);
        if self.element.width() != wide || self.element.height() != high {
            self.element.set_width(wide);
            self.element.set_height(high);
        }
        let unit = pixels * layout.scale;
        // None of these fails on a context that exists.
        let _ = self.context.set_transform(unit, 0.0, 0.0, unit, 0.0, 0.0);
        self.context.clear_rect(0.0, 0.0, layout.width, layout.height);
        let mut hits = Vec::with_capacity(hops.len());
        for (hop, share) in hops.iter().zip(shares(hops, now_us, trail_us, still)) {
            let place = placed(hop, share, layout);
            self.token(hop, place);
            hits.push(Hit { x: place.x, y: place.y, r: 13.0, fact: hop.token.fact });
        }
        if let Some(leader) = leader {
            self.leader(&leader, hops, &hits);
        }
        hits
    }

    fn fill(&self, colour: &str) {
        self.context.set_fill_style_str(colour);
        self.context.fill();
    }

    fn ring(&self, place: Placed, radius: f64, width: f64, colour: &str) {
        self.context.begin_path();
        let _ = self.context.arc(place.x, place.y, radius, 0.0, TAU);
        self.context.set_line_width(width);
        self.context.set_stroke_style_str(colour);
        self.context.stroke();
    }

    fn token(&self, hop: &HopView, place: Placed) {
        let empty = String::new();
        let key = self.colours.keys.get((hop.token.key % KEYS) as usize).unwrap_or(&empty);
        let context = &self.context;
        context.begin_path();
        let mut text = "#fff";
        match hop.token.shape {
            TokenShape::Poison => {
                context.move_to(place.x, place.y - 10.0);
                context.line_to(place.x + 10.0, place.y);
                context.line_to(place.x, place.y + 10.0);
                context.line_to(place.x - 10.0, place.y);
                context.close_path();
                self.fill(&self.colours.bad);
            }
            // No message: none is on its way.
            TokenShape::Gone => return,
            TokenShape::Ghost => {
                let dashes = js_sys::Array::of2(&JsValue::from(3), &JsValue::from(3));
                let _ = context.set_line_dash(&dashes);
                self.ring(place, 8.0, 1.4, &self.colours.ghost);
                let _ = context.set_line_dash(&js_sys::Array::new());
                text = &self.colours.ink;
            }
            TokenShape::Plain | TokenShape::Again | TokenShape::Twice => {
                // Without an id to carry it can be smaller.
                let radius = if hop.token.label.chars().count() <= 3 { 9.0 } else { 6.5 };
                let _ = context.arc(place.x, place.y, radius, 0.0, TAU);
                let twice = hop.token.shape == TokenShape::Twice;
                let colour = if twice { &self.colours.bad } else { key };
                self.fill(colour);
                if hop.token.shape != TokenShape::Plain {
                    self.ring(place, 11.8, 1.5, colour);
                }
            }
        }
        let letters = hop.token.label.chars().count();
        if letters <= 3 {
            // Three letters fit into the circle in a smaller hand.
            let size = if letters == 3 { "8.5" } else { "9.5" };
            context.set_font(&["600 ", size, "px ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace"].concat());
            context.set_text_align("center");
            context.set_fill_style_str(if text == "#fff" { &self.colours.sheet } else { text });
            let _ = context.fill_text(&hop.token.label, place.x, place.y + 3.4);
        }
    }

    /// The ring around a message, and the line to it from its card.
    fn leader(&self, leader: &Leader, hops: &[HopView], hits: &[Hit]) {
        let moving = hops.iter().zip(hits).rev().find(|(hop, _)| hop.token.fact == leader.fact).map(|(_, hit)| (hit.x, hit.y));
        let Some((x, y)) = moving.or(leader.resting) else { return };
        self.ring(Placed { x, y }, 12.5, 1.4, &self.colours.ink);
        let Some((from_x, from_y)) = leader.start(x, y) else { return };
        let away = ((x - from_x).powi(2) + (y - from_y).powi(2)).sqrt().max(1.0);
        let short = (away - 12.5).max(0.0) / away;
        self.context.begin_path();
        self.context.move_to(from_x, from_y);
        self.context.line_to(from_x + (x - from_x) * short, from_y + (y - from_y) * short);
        self.context.set_line_width(1.2);
        self.context.set_stroke_style_str(&self.colours.ink);
        self.context.stroke();
    }
}

/// A line from an open card to the message that it is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leader {
    /// The message.
    pub fact: u32,
    /// The card, where a line leads from it.
    pub card: Option<Rect>,
    /// Where the message is while it is inside a part.
    pub resting: Option<(f64, f64)>,
}

impl Leader {
    /// Where the line leaves the card: the place of its edge that is nearest to the message.
    fn start(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        self.card.map(|card| (x.within(card.x, card.right()), y.within(card.y, card.bottom())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redrive::view::TokenRef;

    #[test]
    fn a_hop_is_where_simulation_time_says() {
        let layout = Layout {
            boxes: vec![Rect { x: 0.0, y: 0.0, w: 10.0, h: 40.0 }, Rect { x: 110.0, y: 0.0, w: 10.0, h: 40.0 }],
            width: 120.0,
            height: 40.0,
            scale: 1.0,
            narrow: false,
        };
        let token = TokenRef { fact: 1, label: "1".into(), key: 1, shape: TokenShape::Plain };
        let hop = HopView { token, from: 0, to: 1, start_us: 1_000, end_us: 2_000 };
        let x = |now, trail, still| placed(&hop, shares(std::slice::from_ref(&hop), now, trail, still)[0], &layout).x;
        assert_eq!([x(1_000, 0, false), x(1_500, 0, false), x(2_000, 0, false)], [10.0, 60.0, 110.0]);
        // A short hop stays on the way for as long as the trail, so that it can be seen.
        assert_eq!(x(2_000, 2_000, false), 60.0);
        // Where nothing may move it is at one end or the other.
        assert_eq!([x(1_400, 0, true), x(1_600, 0, true)], [10.0, 110.0]);
        // Several stand in a row there.
        let three = [hop.clone(), hop.clone(), hop];
        assert_eq!(shares(&three, 1_400, 0, true), [0.0, 0.12, 0.24]);
        assert_eq!(shares(&three, 1_600, 0, true), [1.0, 0.88, 0.76]);
    }
}
