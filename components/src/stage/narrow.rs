//! The layout of a phone: top to bottom, with the queue or log beside the chain that leads to it.

use super::geometry::Rect;
use super::layout::{Item, ItemShape, Layout, Plan};

/// Margin at both sides.
const SIDE: f64 = 16.0;
/// Gap between two bands.
const BAND: f64 = 24.0;
/// Gap between a part and what it calls.
const SNUG: f64 = 12.0;
/// Gap between two parts of a band.
const BETWEEN: f64 = 6.0;
/// Width of the chain beside a queue or log.
const LANE: f64 = 134.0;
/// Room at the left of the chain for a line that goes around.
const INSET: f64 = 8.0;
/// Most parts side by side.
const ABREAST: usize = 3;

/// The parts of the narrow layout in the order in which they are placed.
struct Bands<'a> {
    items: &'a [Item],
    boxes: Vec<Rect>,
    width: f64,
    y: f64,
}

impl Bands<'_> {
    /// Parts side by side, each with what hangs under it.
    fn abreast(&mut self, blocks: &[Vec<usize>]) {
        for row in blocks.chunks(ABREAST) {
            let share = (self.width - 2.0 * SIDE - BETWEEN * (row.len() - 1) as f64) / row.len() as f64;
            let tallest = row.iter().map(|parts| self.items[parts[0]].h).fold(0.0, f64::max);
            let mut lowest = self.y;
            for (index, parts) in row.iter().enumerate() {
                let x = SIDE + (share + BETWEEN) * index as f64;
                let mut y = self.y;
                for (depth, part) in parts.iter().enumerate() {
                    let h = if depth == 0 { tallest } else { self.items[*part].h };
                    self.boxes[*part] = Rect { x, y, w: share, h };
                    y += h + SNUG;
                }
                lowest = lowest.max(y - SNUG);
            }
            self.y = lowest + BAND;
        }
    }

    /// A chain in the left lane with the store that it leads to at its right.
    fn beside(&mut self, chain: &[usize], store: usize) {
        let top = self.y;
        let mut y = top;
        // A line that goes around a part needs room at the left.
        let around = chain.iter().rev().skip(1).any(|part| self.items[*part].shape == ItemShape::Called);
        let inset = if around { INSET } else { 0.0 };
        for part in chain {
            self.boxes[*part] = Rect { x: SIDE + inset, y, w: LANE - inset, h: self.items[*part].h };
            y += self.items[*part].h + BAND - 2.0;
        }
        let lane = y - BAND + 2.0 - top;
        let h = self.items[store].h.max(lane);
        let x = SIDE + LANE + 36.0;
        self.boxes[store] = Rect { x, y: top, w: self.width - SIDE - x, h };
        self.y = top + h + BAND + 4.0;
    }
}

/// Top to bottom on a page of this width.
pub(super) fn place(items: &[Item], plan: &Plan, width: f64) -> Layout {
    let mut bands = Bands { items, boxes: vec![Rect::default(); items.len()], width, y: 18.0 };
    let is = |part: usize, shape: ItemShape| items[part].shape == shape;
    // Dead letters come last, whatever column they stand in: they are where the flow ends.
    let columns: Vec<Vec<Vec<usize>>> = plan
        .columns
        .iter()
        .map(|blocks| blocks.iter().map(|block| block.parts.clone()).filter(|parts| !is(parts[0], ItemShape::Tray)).collect())
        .collect();
    let trays: Vec<Vec<usize>> = plan
        .columns
        .iter()
        .flatten()
        .filter(|block| is(block.parts[0], ItemShape::Tray))
        .map(|block| block.parts.clone())
        .collect();
    let only_store = |blocks: &Vec<Vec<usize>>| blocks.len() == 1 && is(blocks[0][0], ItemShape::Store);
    let store = columns.iter().position(only_store);
    let mut next = 0;
    if let Some(first) = columns.first()
        && first.iter().any(|parts| is(parts[0], ItemShape::Crowd))
        && store != Some(0)
    {
        bands.abreast(first);
        next = 1;
    }
    if let Some(store) = store
        && store > next
    {
        let chain: Vec<usize> = columns[next..store].iter().flatten().flatten().copied().collect();
        bands.beside(&chain, columns[store][0][0]);
        next = store + 1;
    }
    for blocks in &columns[next.min(columns.len())..] {
        bands.abreast(blocks);
    }
    bands.abreast(&trays);
    let height = bands.y;
    Layout { boxes: bands.boxes, width, height, scale: 1.0, narrow: true }
}
