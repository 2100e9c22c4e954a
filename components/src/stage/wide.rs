//! The layout of a desk: left to right, each column's parts as near to their rows as there is room.

use super::geometry::{Rect, Within};
use super::layout::{Block, Item, ItemShape, Layout, Plan};

/// Least gap between two columns.
const GAP: f64 = 34.0;
/// Gap between a part and one that it alone calls.
const SNUG: f64 = 14.0;
/// Gap between two other parts of a column.
const APART: f64 = 26.0;
/// The largest and the smallest that a stage is drawn.
const LARGEST: f64 = 1.3;
const SMALLEST: f64 = 0.5;
/// The most that two rows are apart, from middle to middle.
const ROW: f64 = 190.0;
/// Room above the first part, for its badge.
const TOP: f64 = 18.0;

/// Left to right on a stage of this size.
pub(super) fn place(items: &[Item], plan: &Plan, width: f64, height: f64) -> Layout {
    let widths: Vec<f64> = plan
        .columns
        .iter()
        .map(|blocks| blocks.iter().flat_map(|block| &block.parts).map(|part| items[*part].w).fold(0.0, f64::max))
        .collect();
    let high = |block: &Block| -> f64 {
        block.parts.iter().map(|part| items[*part].h).sum::<f64>() + SNUG * (block.parts.len() - 1) as f64
    };
    let needs_h = plan
        .columns
        .iter()
        .map(|blocks| blocks.iter().map(high).sum::<f64>() + APART * (blocks.len().max(1) - 1) as f64 + 2.0 * TOP)
        .fold(0.0, f64::max);
    let count = widths.len().max(1) as f64;
    let needs_w = widths.iter().sum::<f64>() + GAP * (count - 1.0) + 40.0;
    // A small scenario is drawn larger, as far as its gaps stay as wide as they should be.
    let roomy = (width / (needs_w + GAP * count)).min(height / (needs_h * 1.15)).within(1.0, LARGEST);
    let fits = (width / needs_w).min(height / needs_h);
    let scale = if fits < 1.0 { fits.max(SMALLEST) } else { roomy };
    let (width, height) = ((width / scale).max(needs_w), (height / scale).max(needs_h));
    let gap = if count > 1.0 { ((width - 56.0 - widths.iter().sum::<f64>()) / (count - 1.0)).within(GAP, 96.0) } else { 0.0 };
    let used = widths.iter().sum::<f64>() + gap * (count - 1.0);
    let mut x = ((width - used) / 2.0).max(14.0);
    let row = ((height - 2.0 * TOP) / plan.rows).min(ROW);
    let first = (height - row * plan.rows) / 2.0;
    let mut boxes = vec![Rect::default(); items.len()];
    for (blocks, column_w) in plan.columns.iter().zip(&widths) {
        let heights: Vec<f64> = blocks.iter().map(high).collect();
        let mut tops: Vec<f64> = Vec::new();
        let mut free = TOP;
        for (block, h) in blocks.iter().zip(&heights) {
            let middle = first + (block.row + 0.5) * row;
            let top = (middle - h / 2.0).max(free);
            tops.push(top);
            free = top + h + APART;
        }
        let mut floor = height - TOP;
        for (top, h) in tops.iter_mut().zip(&heights).rev() {
            *top = top.min(floor - h);
            floor = *top - APART;
        }
        for (block, top) in blocks.iter().zip(&tops) {
            let mut y = *top;
            for part in &block.parts {
                let own = if items[*part].shape == ItemShape::Crowd { items[*part].w } else { *column_w };
                boxes[*part] = Rect { x, y, w: own, h: items[*part].h };
                y += items[*part].h + SNUG;
            }
        }
        x += column_w + gap;
    }
    Layout { boxes, width, height, scale, narrow: false }
}
