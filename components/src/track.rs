//! Time as a place: faults as spans, alerts as marks, gauges as small multiples, and a head that can be dragged anywhere.

use leptos::html::Div;
use leptos::prelude::*;
use leptos::svg::Svg;
use redrive::scenario::choices::Role;
use redrive::sim::time::clock;
use redrive::view::{PanelsView, SeriesView, SpanView};
use web_sys::PointerEvent;

use crate::compare::Beside;
use crate::lab::Lab;
use crate::page::Page;
use crate::stage::geometry::Within;
use crate::stage::ink::{Scene, fit};
use crate::stage::shapes::{Group, Pen};

/// Room for the names of the series.
const GUTTER: f64 = 152.0;

/// Where things stand on the track, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    left: f64,
    width: f64,
    until_us: u64,
    rows: usize,
    first: f64,
    pitch: f64,
    bottom: f64,
    narrow: bool,
}

impl Frame {
    fn of(width: f64, until_us: u64, narrow: bool) -> Self {
        if narrow {
            Self { left: 8.0, width: (width - 16.0).max(1.0), until_us, rows: 1, first: 34.0, pitch: 20.0, bottom: 38.0, narrow }
        } else {
            Self {
                left: GUTTER,
                width: (width - GUTTER - 18.0).max(1.0),
                until_us,
                rows: 4,
                first: 54.0,
                pitch: 32.0,
                bottom: 158.0,
                narrow,
            }
        }
    }

    fn x(&self, at_us: u64) -> f64 {
        self.left + self.width * (at_us.min(self.until_us) as f64 / self.until_us.max(1) as f64)
    }

    fn time(&self, x: f64) -> u64 {
        (((x - self.left) / self.width).within(0.0, 1.0) * self.until_us as f64) as u64
    }
}

fn series_class(series: &SeriesView, known: bool) -> &'static str {
    match (known, series.harm, series.role) {
        (false, ..) => "series ahead",
        (true, true, _) => "series harm",
        (true, false, Role::Service) => "series service",
        (true, false, Role::Database) => "series database",
        (true, false, Role::Cache) => "series cache",
        (true, false, Role::Queue) => "series queue",
        (true, false, Role::Worker) => "series worker",
    }
}

/// The curve of a series: one point a pixel at most, the highest of those that fall on it.
fn curve(frame: &Frame, points: &[(u64, u64)], peak: u64, base: f64) -> Pen {
    let next = |pen: Pen, x: f64, y: f64| {
        let command = if pen.0.is_empty() { 'M' } else { 'L' };
        pen.to(command, &[x, y])
    };
    let mut pen = Pen::default();
    let height = frame.pitch - 8.0;
    let mut held: Option<(f64, f64)> = None;
    for (at_us, value) in points {
        let (x, y) = (frame.x(*at_us), base - *value as f64 / peak.max(1) as f64 * height);
        match held {
            Some((old_x, old_y)) if x - old_x < 1.0 => held = Some((old_x, old_y.min(y))),
            _ => {
                if let Some((x, y)) = held {
                    pen = next(pen, x, y);
                }
                held = Some((x, y));
            }
        }
    }
    if let Some((x, y)) = held {
        pen = next(pen, x, y);
    }
    pen
}

/// The series of the other run, where there are two.
type Other<'a> = Option<(&'a [SeriesView], &'a [SeriesView])>;

fn draw_series(scene: &mut Scene, frame: &Frame, seen: &[SeriesView], far: &[SeriesView], other: Other<'_>) {
    for row in 0..frame.rows {
        let base = frame.first + row as f64 * frame.pitch - 2.0;
        let Some(series) = seen.get(row).or_else(|| far.get(row)) else { continue };
        let ahead = far.get(row).filter(|ahead| ahead.title == series.title);
        let highest = |series: &SeriesView| series.points.iter().map(|point| point.1).max().unwrap_or(0);
        let of = |all: &'_ [SeriesView]| all.iter().position(|other| other.title == series.title);
        let other = other.and_then(|(seen, far)| Some((seen.get(of(seen)?)?, of(far).and_then(|place| far.get(place)))));
        let own = ahead.unwrap_or(series);
        let longest = other.map_or(own, |(seen, far)| {
            let other = far.unwrap_or(seen);
            if highest(other) > highest(own) { other } else { own }
        });
        // Both are drawn to one height, or they could not be compared.
        let peak = highest(longest);
        scene.path("hair", Pen::default().to('M', &[frame.left, base]).to('H', &[frame.left + frame.width]));
        if let Some(ahead) = ahead {
            scene.path(series_class(series, false), curve(frame, &ahead.points, peak, base));
        }
        if let Some((seen, far)) = other {
            if let Some(far) = far {
                scene.path("series ahead", curve(frame, &far.points, peak, base));
            }
            scene.path("series other", curve(frame, &seen.points, peak, base));
        }
        scene.path(series_class(series, true), curve(frame, &series.points, peak, base));
        if !frame.narrow {
            scene.text("track-label end", frame.left - 10.0, base - 11.0, fit(&series.title, frame.left - 14.0, 6.5));
            scene.text("track-peak end", frame.left - 10.0, base + 2.0, fit(&longest.peak, frame.left - 14.0, 6.0));
        }
    }
}

fn draw_spans(scene: &mut Scene, frame: &Frame, spans: &[SpanView], known_us: u64) {
    let mut lanes: Vec<f64> = Vec::new();
    for span in spans {
        let (from, to) = (frame.x(span.from_us), frame.x(span.to_us.unwrap_or(known_us)).max(frame.x(span.from_us) + 3.0));
        // A fault that lies over another has its bar under the other's.
        let lane = lanes.iter().position(|end| *end <= from).unwrap_or(lanes.len());
        if lane == lanes.len() {
            lanes.push(to);
        } else {
            lanes[lane] = to;
        }
        let high = if frame.narrow { 10.0 } else { 14.0 };
        let y = 4.0 + lane.min(2) as f64 * (high + 1.0);
        scene.rect("span-tint", from, 4.0, to - from, frame.bottom - 4.0, 0.0);
        scene.rect("span-bar", from, y, to - from, high, 3.0);
        let text = fit(&span.title, to - from - 12.0, 6.2);
        if !frame.narrow && to - from > 40.0 {
            scene.text("span-text", from + 8.0, y + 10.6, text);
        }
    }
}

/// Faults of the other run only, as the outlines of their bars.
fn draw_other_spans<'a>(scene: &mut Scene, frame: &Frame, spans: impl Iterator<Item = &'a SpanView>, known_us: u64) {
    for span in spans {
        let from = frame.x(span.from_us);
        let to = frame.x(span.to_us.unwrap_or(known_us)).max(from + 3.0);
        scene.rect("span-other", from, 4.0, to - from, if frame.narrow { 10.0 } else { 15.0 }, 3.0);
        // At the right end: the bar of a fault that both have stands at the left.
        if !frame.narrow && to - from > 80.0 {
            scene.text("track-label end", to - 8.0, 15.0, fit(&span.title, (to - from) / 2.0, 6.2));
        }
    }
}

fn draw_alerts(scene: &mut Scene, frame: &Frame, panels: &PanelsView, look: [&'static str; 2]) {
    for at_us in panels.alerts.iter().filter_map(|alert| alert.at_us) {
        let x = frame.x(at_us);
        let y = if frame.narrow { 16.0 } else { 24.0 };
        scene.path(look[0], Pen::default().to('M', &[x, y]).to('V', &[frame.bottom - 4.0]));
        scene.path(look[1], Pen::default().to('M', &[x, y - 3.0]).to('l', &[4.5, 7.5]).to('h', &[-9.0]).to('z', &[]));
    }
}

/// Where two runs part, and where something first happened in one of them only.
fn draw_parting(scene: &mut Scene, frame: &Frame, beside: &Beside) {
    for (at_us, look) in [(beside.fork_us, "fork-line"), (beside.differs_us, "differs-line")] {
        let Some(x) = at_us.map(|at_us| frame.x(at_us)) else { continue };
        scene.path(look, Pen::default().to('M', &[x, 0.0]).to('V', &[frame.bottom]));
    }
    if let Some(x) = beside.differs_us.map(|at_us| frame.x(at_us)) {
        let y = frame.bottom - 11.0;
        scene.rect("differs-mark", x - 10.0, y - 9.0, 20.0, 18.0, 9.0);
        scene.text("differs-sign", x, y + 4.5, "≠");
    }
}

/// Seconds between two marks, so that they neither crowd nor leave one alone.
fn mark_s(until_us: u64) -> u64 {
    let until_s = until_us / 1_000_000;
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400]
        .into_iter()
        .find(|step| until_s / step <= 8)
        .unwrap_or(7 * 86_400)
}

fn draw_marks(scene: &mut Scene, frame: &Frame) {
    let step = mark_s(frame.until_us);
    scene.rect("track-line", frame.left, frame.bottom, frame.width, 3.0, 1.5);
    if frame.narrow {
        return;
    }
    for mark in 0..=frame.until_us / 1_000_000 / step {
        let at_us = mark * step * 1_000_000;
        let text = clock(at_us);
        scene.text("track-mark middle", frame.x(at_us), frame.bottom + 15.0, text.split('.').next().unwrap_or_default());
    }
}

/// The track.
#[component]
pub fn Track(lab: Lab, page: Page) -> impl IntoView {
    let view: NodeRef<Div> = NodeRef::new();
    let svg: NodeRef<Svg> = NodeRef::new();
    let groups = StoredValue::new_local(Vec::<Group>::new());
    let frame = RwSignal::new(Frame::of(1.0, 1, false));
    let dragging = RwSignal::new(false);

    Effect::new(move || {
        page.size.track();
        let until_us = lab.opened.with(|open| open.as_ref().map_or(1, |open| open.until_us));
        if let Some(view) = view.get() {
            frame.set(Frame::of(f64::from(view.client_width()), until_us, page.narrow.get()));
        }
    });
    Effect::new(move || {
        let (frame, shown) = (frame.get(), lab.shown.get());
        let (seen, far) = (&shown.panels, &shown.far);
        let Some(svg) = svg.get() else { return };
        let known_us = far.0.max(lab.frame.with_untracked(|frame| frame.now_us));
        let mut scene = Scene::default();
        let known = if far.1.series.is_empty() { seen } else { &far.1 };
        draw_spans(&mut scene, &frame, &known.spans, known_us);
        let beside = lab.beside.get();
        if let Some(beside) = &beside {
            let spans = beside.far.1.spans.iter().filter(|span| known.spans.iter().all(|own| own != *span));
            draw_other_spans(&mut scene, &frame, spans, known_us);
            draw_alerts(&mut scene, &frame, &beside.far.1, ["alert-line other", "alert-mark other"]);
        }
        let other = beside.as_ref().map(|beside| (&beside.panels.series[..], &beside.far.1.series[..]));
        draw_series(&mut scene, &frame, &seen.series, &far.1.series, other);
        draw_alerts(&mut scene, &frame, known, ["alert-line", "alert-mark"]);
        if let Some(beside) = &beside {
            draw_parting(&mut scene, &frame, beside);
        }
        draw_marks(&mut scene, &frame);
        paint(groups, &svg, 0, scene);
    });
    Effect::new(move || {
        let (frame, now_us) = (frame.get(), lab.frame.with(|frame| frame.now_us));
        let Some(svg) = svg.get() else { return };
        let x = frame.x(now_us);
        let mut scene = Scene::default();
        scene.path("playhead", Pen::default().to('M', &[x, 0.0]).to('V', &[frame.bottom]));
        scene.circle("playhead-knob", x, frame.bottom + 1.5, 6.0);
        paint(groups, &svg, 1, scene);
    });

    let to_pointer = move |event: &PointerEvent| {
        if let Some(view) = view.get_untracked() {
            let x = f64::from(event.client_x()) - view.get_bounding_client_rect().left();
            lab.travel(frame.get_untracked().time(x));
        }
    };
    let down = move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        dragging.set(true);
        if let Some(view) = view.get_untracked() {
            // Fails only for a pointer that is gone already.
            let _ = view.set_pointer_capture(event.pointer_id());
        }
        to_pointer(&event);
    };
    let moved = move |event: PointerEvent| {
        if dragging.get_untracked() {
            to_pointer(&event);
        }
    };
    let until = Memo::new(move |_| lab.opened.with(|open| open.as_ref().map_or(1, |open| open.until_us)));
    let (last, step) =
        (Signal::derive(move || until.get().to_string()), Signal::derive(move || (until.get() / 600).max(1).to_string()));
    let here = Signal::derive(move || lab.frame.with(|frame| frame.now_us).to_string());
    let text = Signal::derive(move || {
        let now = clock(lab.frame.with(|frame| frame.now_us));
        match lab.shown.with(|shown| shown.panels.spans.iter().filter(|span| span.to_us.is_none()).count()) {
            0 => now,
            1 => now + ", 1 fault under way",
            many => format!("{now}, {many} faults under way"),
        }
    });
    let input = move |event: web_sys::Event| {
        if let Ok(at_us) = event_target_value(&event).parse::<u64>() {
            lab.travel(at_us);
        }
    };
    view! {
        <div class="track" id="track" node_ref=view on:pointerdown=down on:pointermove=moved
            on:pointerup=move |_| dragging.set(false) on:pointercancel=move |_| dragging.set(false)>
            <svg node_ref=svg aria-hidden="true" width="100%" height="100%"></svg>
            <input type="range" id="time" aria-label="Time" min="0" max=last step=step aria-valuetext=text prop:value=here on:input=input />
        </div>
    }
    .into_any()
}

fn paint(groups: StoredValue<Vec<Group>, LocalStorage>, svg: &web_sys::Element, index: usize, scene: Scene) {
    groups.update_value(|groups| {
        while groups.len() <= index {
            match Group::new(&document(), svg) {
                Ok(group) => groups.push(group),
                Err(error) => return web_sys::console::error_2(&"the track could not be drawn".into(), &error),
            }
        }
        if let Err(error) = groups[index].paint(scene.shapes) {
            web_sys::console::error_2(&"the track could not be drawn".into(), &error);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_on_the_track_is_a_moment_and_back() {
        let frame = Frame::of(1_000.0, 180_000_000, false);
        for at_us in [0, 41_200_000, 180_000_000] {
            assert!(frame.time(frame.x(at_us)).abs_diff(at_us) < 2, "{at_us}");
        }
        assert_eq!([frame.time(-5.0), frame.time(5_000.0)], [0, 180_000_000]);
    }

    #[test]
    fn marks_are_round_and_few() {
        assert_eq!([mark_s(10_000_000), mark_s(180_000_000), mark_s(4_200_000_000)], [2, 30, 600]);
    }

    #[test]
    fn a_curve_keeps_the_peak_of_a_pixel() {
        let frame = Frame::of(274.0, 104_000_000, false);
        let points: Vec<(u64, u64)> = (0..1_040).map(|step| (step * 100_000, if step == 503 { 10 } else { 0 })).collect();
        let pen = curve(&frame, &points, 10, 50.0).0;
        assert!(pen.contains(" 26"), "{pen}");
        assert!(pen.matches('L').count() <= 105, "{pen}");
    }
}
