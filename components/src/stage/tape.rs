//! A log as a tape of cells: offsets, what each group has committed, and the head where the next record goes.

use redrive::sim::time::grouped;
use redrive::view::{PartitionView, TokenShape};

use super::geometry::{Rect, Within};
use super::ink::{Hit, SMALL, Scene, fit, key_class};

/// What is known of a log.
pub struct Tapes<'a> {
    /// The groups that read it.
    pub groups: &'a [(u16, String)],
    /// Its first partitions.
    pub partitions: &'a [PartitionView],
    /// How many it has.
    pub total: u32,
    /// Groups that stand still, in words.
    pub rebalancing: &'a [String],
}

/// Up to so many partitions have cells large enough for an id.
const LARGE: u64 = 3;
/// Most partitions that are drawn.
const MOST: u64 = 6;
/// Cells kept free right of the head, so that the tape has somewhere to grow.
const FREE: u64 = 3;

/// Width and height of a log's box.
#[must_use]
pub fn measure(partitions: u64, narrow: bool) -> (f64, f64) {
    let shown = partitions.clamp(1, MOST) as f64;
    match (partitions <= LARGE, narrow) {
        (true, false) => (318.0, 58.0 + 48.0 * shown + 22.0),
        (true, true) => (188.0, 58.0 + 48.0 * shown + 22.0),
        (false, false) => (236.0, 50.0 + 33.0 * shown + 24.0),
        (false, true) => (188.0, 50.0 + 33.0 * shown.min(5.0) + 24.0),
    }
}

/// How many records a cell stands for: a round number that lets the slowest group be seen on the tape.
fn records_a_cell(tapes: &Tapes<'_>, cells: u64) -> u64 {
    let behind = tapes
        .partitions
        .iter()
        .map(|part| part.end - part.committed.iter().copied().min().unwrap_or(part.start).min(part.end))
        .max()
        .unwrap_or(0);
    let mut size = 1_u64;
    while behind > size * (cells - FREE - 1) {
        // 1, 2, 5, 10, 20, 50, …
        size = if size.to_string().starts_with('2') { size / 2 * 5 } else { size * 2 };
    }
    size
}

/// Draws the tapes into the box.
pub fn draw(scene: &mut Scene, tapes: &Tapes<'_>, at: Rect) {
    let large = u64::from(tapes.total) <= LARGE;
    let (cell, gap, high, pitch, first) = if large { (24.0, 2.0, 22.0, 48.0, 66.0) } else { (11.0, 2.0, 15.0, 33.0, 52.0) };
    let rows = (((at.h - first - 18.0 + pitch - high - 8.0) / pitch).floor().max(1.0) as usize).min(tapes.partitions.len());
    let left = at.x + 34.0;
    let cells = (((at.w - 34.0 - 12.0) / (cell + gap)).floor() as u64).max(FREE + 2);
    let size = records_a_cell(tapes, cells);
    for (row, part) in tapes.partitions.iter().take(rows).enumerate() {
        // Each tape has offsets of its own; its head stands where some room is left to grow.
        let base = part.end.div_ceil(size).saturating_sub(cells - FREE);
        let y = at.y + first + row as f64 * pitch;
        scene.text("mono tiny soft", at.x + 14.0, y + high / 2.0 + 4.0, format!("p{}", part.index));
        let slowest = part.committed.iter().copied().min().unwrap_or(part.end);
        for place in 0..cells {
            let (from, x) = ((base + place) * size, left + place as f64 * (cell + gap));
            let look = if from >= part.end {
                "cell free"
            } else if from + size <= part.start {
                "cell gone"
            } else if from < slowest {
                "cell read"
            } else if from >= part.high_watermark {
                // In the leader's log, and nobody may read it yet.
                "cell unread unsafe"
            } else {
                "cell unread"
            };
            scene.rect(look, x, y, cell, high, if large { 4.0 } else { 2.0 });
            if size == 1 && large && from < part.end {
                record(scene, part, from, Rect { x, y, w: cell, h: high });
            }
        }
        if large {
            let room = replicas(scene, part, (left, at.right() - 12.0), y - 4.0);
            scene.text("mono tiny soft", left, y - 4.0, fit(&offsets(part, base * size), room, SMALL));
            if part.high_watermark < part.end {
                let x = left + (part.high_watermark as f64 / size as f64 - base as f64).within(0.0, cells as f64) * (cell + gap)
                    - gap / 2.0;
                scene.rect("watermark", x - 0.8, y - 3.0, 1.6, high + 6.0, 0.8);
            }
        }
        for (group, committed) in part.committed.iter().enumerate() {
            let share = (*committed as f64 / size as f64 - base as f64).within(0.0, cells as f64);
            // Flags that stand at one place step aside a little.
            let same = part.committed[..group].iter().filter(|other| *other / size == committed / size).count() as f64;
            scene.flag(group, left + share * (cell + gap) - gap / 2.0 + same * 6.0, y + high + 2.0);
        }
    }
    legend(scene, tapes, at, (rows, size));
}

/// Where the tape begins, and what of it cannot be read: dropped by retention, or not yet with every replica that counts.
fn offsets(part: &PartitionView, first: u64) -> String {
    if part.high_watermark < part.end {
        return "readable below ".to_owned() + &grouped(part.high_watermark);
    }
    let gone = "below ".to_owned() + &grouped(part.start) + " is gone";
    if part.start == 0 {
        "offset ".to_owned() + &grouped(first)
    } else if first > part.start {
        ["offset ", &grouped(first), " · ", &gone].concat()
    } else {
        gone
    }
}

/// The replicas over the right end of a tape: a filled mark leads, a ring is in sync, a dashed one is behind. Returns how much
/// room they leave at the left.
fn replicas(scene: &mut Scene, part: &PartitionView, (left, right): (f64, f64), y: f64) -> f64 {
    let mut x = right;
    for replica in part.replicas.iter().rev() {
        let (look, state) = match (replica.up, replica.leads, replica.in_sync) {
            (false, ..) => ("replica down", " down".to_owned()),
            (true, true, _) => ("replica leads", " leads".to_owned()),
            (true, false, true) if replica.read => ("replica", " read".to_owned()),
            (true, false, true) => ("replica", String::new()),
            (true, false, false) => ("replica behind", [" −", &grouped(part.end.saturating_sub(replica.end))].concat()),
        };
        let says = replica.broker.to_string() + &state;
        let words = says.chars().count() as f64 * 6.2;
        if x - words - 12.0 < left {
            break;
        }
        let look_text = if replica.up && (replica.leads || replica.in_sync) { "tiny soft end" } else { "tiny warn end" };
        scene.text(look_text, x, y, says);
        scene.circle(look, x - words - 7.0, y - 3.6, 3.4);
        x -= words + 19.0;
    }
    x - left
}

/// The id of a record in its cell.
fn record(scene: &mut Scene, part: &PartitionView, offset: u64, at: Rect) {
    let oldest = part.end - part.cells.len() as u64;
    let Some(token) = offset.checked_sub(oldest).and_then(|place| part.cells.get(place as usize)) else { return };
    if token.shape == TokenShape::Gone {
        return scene.rect("cell gone", at.x, at.y, at.w, at.h, 4.0);
    }
    scene.rect(key_class(token.key), at.x + 2.0, at.bottom() - 4.0, at.w - 4.0, 2.5, 1.0);
    scene.text("cell-label", at.mid_x(), at.y + 14.0, fit(&token.label, at.w + 2.0, SMALL));
    scene.hits.push(Hit { x: at.mid_x(), y: at.mid_y(), r: 13.0, fact: token.fact });
}

/// The line under the tapes: whose flag is whose, and what a cell stands for, and how many tapes are not drawn.
fn legend(scene: &mut Scene, tapes: &Tapes<'_>, at: Rect, drawn: (usize, u64)) {
    let (rows, size) = drawn;
    let y = at.bottom() - 9.0;
    if let Some(first) = tapes.rebalancing.first() {
        scene.text("tiny warn", at.x + 14.0, y, fit(first, at.w - 22.0, 5.9));
        return;
    }
    let more = u64::from(tapes.total).saturating_sub(rows as u64);
    let mut notes = Vec::new();
    if size > 1 {
        notes.push("▢ ".to_owned() + &grouped(size));
    }
    if more > 0 {
        notes.push(format!("+ {more} more"));
    }
    let mut x = at.x + 14.0;
    for (group, (_, title)) in tapes.groups.iter().enumerate() {
        let w = title.chars().count() as f64 * 5.8 + 20.0;
        if x + w > at.right() - if size > 1 { 44.0 } else { 2.0 } {
            break;
        }
        scene.flag(group, x + 4.6, y - 7.5);
        scene.text("tiny soft", x + 12.0, y, title.clone());
        x += w;
    }
    // What a cell stands for must be said; how many tapes there are more is in the figure above, too.
    let mut right = at.right() - 10.0;
    for note in notes {
        let w = note.chars().count() as f64 * 5.9;
        if right - w > x {
            scene.text("tiny soft end", right, y, note);
            right -= w + 8.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tapes(end: u64, committed: u64) -> Vec<PartitionView> {
        vec![PartitionView {
            index: 0,
            start: 0,
            end,
            committed: vec![committed],
            cells: Vec::new(),
            high_watermark: end,
            replicas: Vec::new(),
        }]
    }

    #[test]
    fn a_cell_stands_for_as_many_records_as_the_slowest_group_needs() {
        let size = |end, committed| {
            let partitions = tapes(end, committed);
            records_a_cell(&Tapes { groups: &[], partitions: &partitions, total: 1, rebalancing: &[] }, 13)
        };
        assert_eq!([size(8, 0), size(10, 0), size(45, 0), size(1_904, 0), size(1_904, 1_900)], [1, 2, 5, 500, 1]);
    }
}
