//! Where each part stands: computed once per scenario and size of the stage, never while it runs.
//!
//! Left to right by column, or top to bottom where the page is narrow. Nothing overlaps: a test holds it for every
//! scenario that ships, at the width of a desk and of a phone.

use super::geometry::{Curve, Rect, Within};

/// What a part needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Column and row that the scenario fixes.
    pub at: Option<(u32, u32)>,
    /// The least width.
    pub w: f64,
    /// The height.
    pub h: f64,
    /// What it is, as far as placing goes.
    pub shape: ItemShape,
}

/// What a part is, as far as placing goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemShape {
    /// A crowd without a box.
    Crowd,
    /// A queue or log that others gather around.
    Store,
    /// A tray of dead letters.
    Tray,
    /// Is called, and calls nobody.
    Called,
    /// Any other.
    Other,
}

/// A line between two parts, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// From.
    pub from: usize,
    /// To.
    pub to: usize,
    /// Messages travel along it.
    pub flow: bool,
}

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The boxes, in the order of the parts.
    pub boxes: Vec<Rect>,
    /// Width in the units of the boxes.
    pub width: f64,
    /// Height in the units of the boxes.
    pub height: f64,
    /// How many pixels a unit has.
    pub scale: f64,
    /// Whether it runs top to bottom.
    pub narrow: bool,
}

impl Layout {
    /// Places the parts on a stage of this size in pixels.
    #[must_use]
    pub fn of(items: &[Item], lines: &[Line], width: f64, height: f64, narrow: bool) -> Self {
        if narrow {
            return super::narrow::place(items, &Plan::of(items, lines, true), width);
        }
        // What only one part calls stands under it where that leaves everything larger, else in a column of its own.
        let apart = super::wide::place(items, &Plan::of(items, lines, false), width, height);
        if apart.scale >= 1.0 {
            return apart;
        }
        let folded = super::wide::place(items, &Plan::of(items, lines, true), width, height);
        if folded.scale > apart.scale { folded } else { apart }
    }

    /// The curve of a line.
    #[must_use]
    pub fn curve(&self, from: usize, to: usize) -> Curve {
        let (Some(a), Some(b)) = (self.boxes.get(from), self.boxes.get(to)) else { return Curve([(0.0, 0.0); 4]) };
        let down = |x1: f64, y1: f64, x2: f64, y2: f64| {
            let bend = (y2 - y1) / 2.0;
            Curve([(x1, y1), (x1, y1 + bend), (x2, y2 - bend), (x2, y2)])
        };
        let across = |x1: f64, y1: f64, x2: f64, y2: f64| {
            let bend = (x2 - x1) / 2.0;
            Curve([(x1, y1), (x1 + bend, y1), (x2 - bend, y2), (x2, y2)])
        };
        let beside = b.x >= a.right() - 1.0;
        let behind = b.right() <= a.x + 1.0;
        let overlapping = !beside && !behind;
        if overlapping || (self.narrow && (b.y >= a.bottom() || b.bottom() <= a.y)) {
            // Straight down where one stands over the other, whatever their widths.
            let x = |own: &Rect| if overlapping { (a.x.max(b.x) + a.right().min(b.right())) / 2.0 } else { own.mid_x() };
            let (top, low) = if b.y >= a.y { (a.bottom(), b.y) } else { (b.bottom(), a.y) };
            let middle = Rect { x: x(a) - 1.0, y: top + 1.0, w: 2.0, h: (low - top - 2.0).max(0.0) };
            if overlapping && self.boxes.iter().any(|other| other.overlap(&middle) > 0.0) {
                // Something stands between the two: around it, at the left.
                let out = a.x.min(b.x) - 20.0;
                return Curve([(a.x, a.mid_y()), (out, a.mid_y()), (out, b.mid_y()), (b.x, b.mid_y())]);
            }
            return if b.y >= a.y { down(x(a), a.bottom(), x(b), b.y) } else { down(x(a), a.y, x(b), b.bottom()) };
        }
        // A line between boxes that stand level runs level, not from middle to middle.
        let level = {
            let (low, high) = (a.y.max(b.y) + 14.0, a.bottom().min(b.bottom()) - 14.0);
            (low <= high).then(|| a.mid_y().min(b.mid_y()).within(low, high))
        };
        let (y1, y2) = (level.unwrap_or_else(|| a.mid_y()), level.unwrap_or_else(|| b.mid_y()));
        if beside { across(a.right(), y1, b.x, y2) } else { across(a.x, y1, b.right(), y2) }
    }

    /// The place for a card of this width: as high as can be without covering a part, else where it covers the least.
    #[must_use]
    pub fn free_spot(&self, w: f64, highest: f64) -> Rect {
        let spots = [1.0, 0.85, 0.7, 0.6].map(|share| self.spot(w, highest * share));
        let covered = |spot: &Rect| self.boxes.iter().map(|part| part.overlap(spot)).sum::<f64>();
        // The highest of those that cover the least.
        let mut best = spots[0];
        for spot in spots {
            if covered(&spot) < covered(&best) {
                best = spot;
            }
        }
        best
    }

    fn spot(&self, w: f64, h: f64) -> Rect {
        let (right, bottom) = ((self.width - w - 12.0).max(12.0), (self.height - h - 12.0).max(12.0));
        let mut best = (f64::MAX, Rect { x: right, y: bottom, w, h });
        for step_y in 0..=24 {
            for step_x in 0..=48 {
                let rect = Rect {
                    x: 12.0 + (right - 12.0) * f64::from(step_x) / 48.0,
                    y: bottom - (bottom - 12.0) * f64::from(step_y) / 24.0,
                    w,
                    h,
                };
                let covered: f64 = self.boxes.iter().map(|part| part.overlap(&rect)).sum();
                if covered < best.0 {
                    best = (covered, rect);
                }
            }
        }
        best.1
    }
}

/// Column and order of each part, and which parts hang under another.
pub(super) struct Plan {
    /// Columns, left to right; each a list of blocks, top to bottom; each a list of parts that stand close together.
    pub columns: Vec<Vec<Block>>,
    /// How many rows the scenario counts.
    pub rows: f64,
}

/// Parts that stand close together.
pub(super) struct Block {
    /// The parts, top to bottom.
    pub parts: Vec<usize>,
    /// Its row: where its middle should be.
    pub row: f64,
}

impl Plan {
    fn of(items: &[Item], lines: &[Line], fold: bool) -> Self {
        let mut columns = columns(items, lines);
        let hangs = hangs(items, lines, &columns, fold);
        for (part, under) in hangs.iter().enumerate() {
            if let Some(under) = under {
                columns[part] = columns[*under];
            }
        }
        let count = columns.iter().max().map_or(0, |last| last + 1);
        let mut plan = Self { columns: Vec::new(), rows: 1.0 };
        for column in 0..count {
            let mut blocks: Vec<Block> = Vec::new();
            let members = (0..items.len()).filter(|part| columns[*part] == column);
            for (order, part) in members.filter(|part| hangs[*part].is_none()).enumerate() {
                let mut parts = vec![part];
                parts.extend((0..items.len()).filter(|other| hangs[*other] == Some(part)));
                let rows: Vec<f64> = parts.iter().filter_map(|part| items[*part].at.map(|at| f64::from(at.1))).collect();
                let row = if rows.is_empty() { order as f64 } else { rows.iter().sum::<f64>() / rows.len() as f64 };
                blocks.push(Block { parts, row });
            }
            blocks.sort_by(|a, b| a.row.total_cmp(&b.row));
            if !blocks.is_empty() {
                plan.columns.push(blocks);
            }
        }
        // A column of its own making is centred on the rows that the others use.
        let fixed = items.iter().filter_map(|item| item.at).map(|at| f64::from(at.1) + 1.0).fold(0.0, f64::max);
        let longest = plan.columns.iter().map(Vec::len).max().unwrap_or(1) as f64;
        plan.rows = fixed.max(longest).max(1.0);
        for blocks in &mut plan.columns {
            if blocks.iter().all(|block| block.parts.iter().all(|part| items[*part].at.is_none())) {
                let shift = (plan.rows - blocks.len() as f64) / 2.0;
                blocks.iter_mut().for_each(|block| block.row += shift);
            }
        }
        plan
    }
}

/// The column of each part: as the scenario says, else one right of what leads to it.
fn columns(items: &[Item], lines: &[Line]) -> Vec<u32> {
    let mut columns: Vec<u32> = items.iter().map(|item| item.at.map_or(0, |at| at.0)).collect();
    // As many rounds as there are parts reach the end of every chain; a ring stops growing there too.
    for _ in 0..items.len() {
        for line in lines.iter().filter(|line| line.flow) {
            if items[line.to].at.is_none() && (columns[line.to] as usize) < items.len() {
                columns[line.to] = columns[line.to].max(columns[line.from] + 1).min(items.len() as u32);
            }
        }
    }
    for (part, item) in items.iter().enumerate().filter(|(_, item)| item.at.is_none()) {
        let callers: Vec<usize> = lines.iter().filter(|line| line.to == part).map(|line| line.from).collect();
        if lines.iter().any(|line| line.to == part && line.flow) || callers.is_empty() {
            continue;
        }
        let nearest = callers.iter().map(|caller| columns[*caller]).max().unwrap_or(0);
        columns[part] = match item.shape {
            // Dead letters stand under what they came from, not behind the worker that put them there.
            ItemShape::Tray if items[callers[0]].shape != ItemShape::Store => nearest.saturating_sub(1),
            ItemShape::Tray => nearest,
            ItemShape::Called if callers.len() == 1 && items[callers[0]].h < 120.0 => nearest,
            ItemShape::Called | ItemShape::Crowd | ItemShape::Store | ItemShape::Other => nearest + 1,
        };
    }
    columns
}

/// For each part, the one it hangs under: the only one that calls it, where both stand in one column, or where `fold`
/// asks for it whatever their columns.
fn hangs(items: &[Item], lines: &[Line], columns: &[u32], fold: bool) -> Vec<Option<usize>> {
    (0..items.len())
        .map(|part| {
            let mut callers = lines.iter().filter(|line| line.to == part && line.from != part);
            let (Some(only), None) = (callers.next(), callers.next()) else { return None };
            let near = match (items[part].at, items[only.from].at) {
                _ if fold => columns[part] == columns[only.from] + 1 && items[only.from].shape != ItemShape::Called,
                (Some(own), Some(caller)) => columns[part] == columns[only.from] && own.1 == caller.1 + 1,
                (None, _) => columns[part] == columns[only.from],
                (Some(_), None) => false,
            };
            (items[part].shape == ItemShape::Called && near).then_some(only.from)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::bodies::{Room, measure};
    use super::*;
    use redrive::run::Run;
    use redrive::scenario::library;
    use redrive::timeline::Timeline;

    /// Every scenario that ships, with every choice of its switches.
    fn runs() -> Vec<(String, Run)> {
        let mut runs = Vec::new();
        for id in library::ids() {
            let run = Run::of_library(id);
            let scenario = run.scenario().expect("a scenario that ships is sound");
            for (name, switch) in &scenario.switches {
                for (word, _) in &switch.choices {
                    let mut run = run.clone();
                    run.sets.push((format!("lab.{name}"), word.clone()));
                    runs.push((format!("{id} {name}={word}"), run));
                }
            }
            runs.push((id.to_owned(), run));
        }
        runs
    }

    fn layout(run: &Run, width: f64, height: f64, narrow: bool) -> Layout {
        let timeline = Timeline::open(run).expect("a scenario that ships is sound");
        let stage = timeline.stage(0);
        let room = Room::of(&stage.parts, narrow);
        let places = timeline.scenario().parts.values().map(|part| part.at);
        let items: Vec<Item> = stage.parts.iter().zip(places).map(|(part, at)| measure(part, at, room)).collect();
        let lines: Vec<Line> =
            stage.links.iter().map(|link| Line { from: link.from.into(), to: link.to.into(), flow: link.flow }).collect();
        Layout::of(&items, &lines, width, height, narrow)
    }

    #[test]
    fn nothing_overlaps_at_a_desk_or_on_a_phone() {
        for (name, run) in runs() {
            for (width, height, narrow) in [(1068.0, 500.0, false), (760.0, 400.0, false), (390.0, 420.0, true)] {
                let layout = layout(&run, width, height, narrow);
                let whole = Rect { x: 0.0, y: 0.0, w: layout.width, h: layout.height };
                for (index, part) in layout.boxes.iter().enumerate() {
                    let other = layout.boxes[..index].iter().position(|other| other.overlap(part) > 0.0);
                    assert_eq!(other, None, "{name} at {width}: part {index} lies over another: {:?}", layout.boxes);
                    assert!((whole.overlap(part) - part.w * part.h).abs() < 0.01, "{name} at {width}: part {index} sticks out");
                }
                assert!(layout.width * layout.scale <= width + 0.5, "{name} is wider than {width}");
            }
        }
    }

    #[test]
    fn the_flow_runs_left_to_right_at_a_desk_and_down_on_a_phone() {
        let run = Run::of_library("order-shop");
        let timeline = Timeline::open(&run).expect("it ships");
        let flow: Vec<(usize, usize)> =
            timeline.stage(0).links.iter().filter(|link| link.flow).map(|link| (link.from.into(), link.to.into())).collect();
        let (desk, phone) = (layout(&run, 1068.0, 560.0, false), layout(&run, 390.0, 420.0, true));
        for (from, to) in flow {
            assert!(desk.boxes[to].x >= desk.boxes[from].right(), "{from} to {to} at a desk");
            let (a, b) = (phone.boxes[from], phone.boxes[to]);
            assert!(b.y >= a.bottom() || b.x >= a.right(), "{from} to {to} on a phone");
        }
    }

    #[test]
    fn the_order_shop_leaves_room_for_a_card() {
        let layout = layout(&Run::of_library("order-shop"), 1068.0, 515.0, false);
        let spot = layout.free_spot(312.0 / layout.scale, 320.0 / layout.scale);
        let covered: f64 = layout.boxes.iter().map(|part| part.overlap(&spot)).sum();
        assert_eq!(covered, 0.0, "{spot:?} of {layout:?}");
    }

    #[test]
    fn a_card_stands_where_it_covers_least() {
        let boxes = vec![Rect { x: 0.0, y: 0.0, w: 1000.0, h: 200.0 }];
        let layout = Layout { boxes, width: 1000.0, height: 600.0, scale: 1.0, narrow: false };
        let spot = layout.free_spot(300.0, 250.0);
        assert_eq!(layout.boxes[0].overlap(&spot), 0.0);
    }
}
