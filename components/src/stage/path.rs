//! The path of the open message on the stage: the lines it has come along, and when it came to each part.

use redrive::sim::time::clock;
use redrive::view::{BodyView, JourneyView, StageView};

use super::ink::Scene;
use super::layout::Layout;
use super::shapes::Pen;

/// Width of a character of a time, and height of its label.
const CHAR: f64 = 6.3;
const LABEL: f64 = 15.0;

/// Draws the path. A line is drawn once, however often it was taken; a part says when the message came first, and how often.
#[must_use]
pub fn draw(journey: &JourneyView, stage: &StageView, layout: &Layout) -> Scene {
    let mut scene = Scene::default();
    for link in &stage.links {
        let trod = |from: u16, to: u16| journey.path.iter().any(|stop| stop.part == to && stop.from == Some(from));
        if trod(link.from, link.to) || trod(link.to, link.from) {
            let [(x0, y0), (x1, y1), (x2, y2), (x3, y3)] = layout.curve(link.from.into(), link.to.into()).0;
            scene.path("trod", Pen::default().to('M', &[x0, y0]).to('C', &[x1, y1, x2, y2, x3, y3]));
        }
    }
    for (part, at) in layout.boxes.iter().enumerate() {
        let mut stops = journey.path.iter().filter(|stop| usize::from(stop.part) == part);
        let Some(first) = stops.next() else { continue };
        let text = match stops.count() {
            0 => clock(first.at_us),
            again => [&clock(first.at_us), " ×", &(again + 1).to_string()].concat(),
        };
        // Over the lower edge, at the left: titles, badges and lines are elsewhere. A crowd has its figure there, and no edge.
        let crowd = stage.parts.get(part).is_some_and(|part| matches!(part.body, BodyView::Crowd(_)));
        let (x, y) = if crowd { (at.x, at.bottom() + 1.0) } else { (at.x + 7.0, at.bottom() - LABEL / 2.0) };
        scene.rect("trod-at", x, y, text.chars().count() as f64 * CHAR + 9.0, LABEL, LABEL / 2.0);
        scene.text("trod-time", x + 4.5, y + 11.0, text);
    }
    scene
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Rect;
    use super::super::shapes::Shape;
    use super::*;
    use redrive::view::{LinkView, StopView};

    #[test]
    fn lines_are_drawn_once_and_each_part_says_when() {
        let link = |from, to| LinkView { from, to, flow: true, broken: false };
        let links = vec![link(0, 1), link(1, 2)];
        let stage = StageView { now_us: 0, parts: Vec::new(), links, hops: Vec::new(), one_of: 1 };
        let stop = |part, from, at_us| StopView { part, from, at_us };
        let path = vec![stop(0, None, 1_000_000), stop(1, Some(0), 2_000_000), stop(0, Some(1), 3_000_000)];
        let journey =
            JourneyView { fact: 0, title: "1".into(), detail: String::new(), key: 0, fates: Vec::new(), path, lines: Vec::new() };
        let boxes = (0..3).map(|place| Rect { x: f64::from(place) * 100.0, y: 0.0, w: 50.0, h: 40.0 }).collect();
        let layout = Layout { boxes, width: 300.0, height: 40.0, scale: 1.0, narrow: false };
        let shapes = draw(&journey, &stage, &layout).shapes;
        assert_eq!(shapes.iter().filter(|shape| matches!(shape, Shape::Path { .. })).count(), 1);
        let texts = shapes.iter().filter_map(|shape| match shape {
            Shape::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["00:01.00 ×2", "00:02.00"]);
    }
}
