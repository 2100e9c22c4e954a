//! A sweep as a chart: for each value of the setting every run as a dot, the middle half of them as a band, the median as a
//! line. The table beside it says the same in figures.

use redrive::explore::said;
use serde_json::Value;

use crate::dom::{Node, el};

/// A value of the setting with what its runs came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// The value.
    pub value: String,
    /// Lowest, first quartile, median, third quartile, highest.
    pub five: [u64; 5],
    /// Seed, figure and address of each run.
    pub runs: Vec<(u64, u64, String)>,
}

/// The points that the workers have told, in the order of the values, without those that no run has reached yet. The values
/// were dealt out to them one by one, like cards.
#[must_use]
pub fn points(told: &[Value]) -> Vec<Point> {
    let point = |point: &Value| {
        let number = |name: &str| point[name].as_u64().unwrap_or(0);
        let run = |run: &Value| {
            let link = run["link"].as_str().unwrap_or_default().to_owned();
            (run["seed"].as_u64().unwrap_or(0), run["value"].as_u64().unwrap_or(0), link)
        };
        Point {
            value: point["value"].as_str().unwrap_or_default().to_owned(),
            five: ["min", "q1", "median", "q3", "max"].map(number),
            runs: point["runs"].as_array().map(|runs| runs.iter().map(run).collect()).unwrap_or_default(),
        }
    };
    let hands: Vec<&[Value]> =
        told.iter().map(|told| told["found"]["points"].as_array().map_or(&[][..], Vec::as_slice)).collect();
    let most = hands.iter().map(|hand| hand.len()).max().unwrap_or(0);
    let dealt = (0..most).flat_map(|round| hands.iter().filter_map(move |hand| hand.get(round)));
    dealt.map(point).filter(|point| !point.runs.is_empty()).collect()
}

/// How large the picture is: width and height, and the room around what is drawn. The same for all figures.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    width: u64,
    height: u64,
}

impl Size {
    /// For a wide page or a narrow one.
    #[must_use]
    pub fn of(narrow: bool) -> Self {
        if narrow { Self { width: 360, height: 240 } } else { Self { width: 760, height: 280 } }
    }
}

const LEFT: u64 = 74;
const RIGHT: u64 = 14;
const TOP: u64 = 12;
const BOTTOM: u64 = 42;

/// The end of the scale: the next 1, 2 or 5 times a power of ten.
#[must_use]
pub fn scale_end(most: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for step in [1, 2, 5] {
            let end = power.saturating_mul(step);
            if end >= most || end > u64::MAX / 20 {
                return end;
            }
        }
        power *= 10;
    }
}

fn number(value: u64) -> String {
    value.to_string()
}

fn line(class: &'static str, (x1, y1): (u64, u64), (x2, y2): (u64, u64)) -> Node {
    let at = ["M", &number(x1), " ", &number(y1), "L", &number(x2), " ", &number(y2)].concat();
    el("path").class(class).attr("d", at)
}

fn words(class: &'static str, x: u64, y: u64, says: &str) -> Node {
    el("text").class(class).attr("x", number(x)).attr("y", number(y)).says(says)
}

/// The picture. `open` is called with the address of the run whose dot is pressed.
#[must_use]
pub fn chart(size: Size, (vary, measure): (&str, &str), points: &[Point], open: impl Fn(&str) + Clone + 'static) -> Node {
    let end = scale_end(points.iter().map(|point| point.five[4]).max().unwrap_or(0).max(1));
    let (inner_width, inner_height) = (size.width - LEFT - RIGHT, size.height - TOP - BOTTOM);
    let slots = points.len().max(1) as u64;
    let x = |place: usize| LEFT + inner_width * (2 * place as u64 + 1) / (2 * slots);
    let y = |value: u64| TOP + inner_height - (u128::from(inner_height) * u128::from(value) / u128::from(end)) as u64;
    let mut nodes = Vec::new();
    for quarter in 0..=4_u64 {
        let value = (u128::from(end) * u128::from(quarter) / 4) as u64;
        nodes.push(line("chart-grid", (LEFT, y(value)), (size.width - RIGHT, y(value))));
        if quarter % 2 == 0 {
            nodes.push(words("chart-y", LEFT - 8, y(value) + 4, &said(measure, value)));
        }
    }
    let along = |read: fn(&Point) -> u64, back: bool| -> String {
        let mut path = String::new();
        let count = points.len();
        for step in 0..count {
            let place = if back { count - 1 - step } else { step };
            path.push_str(if path.is_empty() && !back { "M" } else { "L" });
            path.push_str(&[&number(x(place)), " ", &number(y(read(&points[place])))].concat());
        }
        path
    };
    let band = [along(|point| point.five[1], false), along(|point| point.five[3], true), "Z".to_owned()].concat();
    nodes.push(el("path").class("chart-band").attr("d", band));
    nodes.push(el("path").class("chart-line").attr("d", along(|point| point.five[2], false)));
    // As many values under the axis as have room.
    let room = if size.width > 500 { 12 } else { 5 };
    let every = points.len().div_ceil(room).max(1);
    for (place, point) in points.iter().enumerate() {
        nodes.push(line("chart-whisker", (x(place), y(point.five[0])), (x(place), y(point.five[4]))));
        for (seed, value, link) in &point.runs {
            let title = [&point.value, ", seed ", &seed.to_string(), ": ", &said(measure, *value)].concat();
            let (open, link) = (open.clone(), link.clone());
            let dot = el("circle").class("chart-run").attr("cx", number(x(place))).attr("cy", number(y(*value))).attr("r", "4");
            nodes.push(dot.with(el("title").says(title)).press(move || open(&link)));
        }
        let middle = el("circle").class("chart-median").attr("cx", number(x(place))).attr("cy", number(y(point.five[2])));
        nodes.push(middle.attr("r", "3"));
        if place % every == 0 {
            nodes.push(words("chart-x", x(place), size.height - BOTTOM + 18, &point.value));
        }
    }
    nodes.push(words("chart-name", LEFT + inner_width / 2, size.height - 6, vary));
    let seeds = points.iter().map(|point| point.runs.len()).max().unwrap_or(0).to_string();
    let label = [measure, " for each ", vary, ", over ", &seeds, " seeds; the table below has the figures"].concat();
    el("svg")
        .class("chart")
        .attr("viewBox", ["0 0 ", &number(size.width), " ", &number(size.height)].concat())
        .attr("role", "img")
        .attr("aria-label", label)
        .with_all(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_at_a_round_number() {
        assert_eq!([1, 2, 3, 21, 51, 100, 7_200_000].map(scale_end), [1, 2, 5, 50, 100, 100, 10_000_000]);
        assert!(scale_end(u64::MAX) > 0);
    }

    #[test]
    fn points_come_in_the_order_of_their_values_and_without_runs_are_left_out() {
        let point = |value: &str, seed: u64| {
            let runs = if seed == 0 { vec![] } else { vec![serde_json::json!({"seed": seed, "value": 2, "link": "#/run/A"})] };
            serde_json::json!({"value": value, "min": 1, "q1": 1, "median": 2, "q3": 3, "max": 3, "runs": runs})
        };
        let hand = |points: &[Value]| serde_json::json!({"found": {"points": points}});
        let told = [hand(&[point("1s", 7), point("3s", 0)]), Value::Null, hand(&[point("2s", 7)])];
        let points = points(&told);
        let first = Point { value: "1s".into(), five: [1, 1, 2, 3, 3], runs: vec![(7, 2, "#/run/A".into())] };
        assert_eq!(points, [first.clone(), Point { value: "2s".into(), ..first }]);
    }
}
