//! What is inside a part's box: how large it is, and how it is drawn.

use redrive::sim::time::{grouped, spoken};
use redrive::view::{BodyView, GatherView, Level, PartView, ProcessView, TokenRef, UserLevel, WaitingToken};

use super::geometry::{Rect, Within};
use super::ink::{FIGURE, Hit, SMALL, Scene, TITLE, figure_class, fit, user_class};
use super::layout::{Item, ItemShape};
use super::tape;

/// How much a body may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The page is narrow.
    pub narrow: bool,
    /// Each process has a row of its own.
    pub rows: bool,
}

impl Room {
    /// The room that a scenario leaves: few workers show their processes one by one.
    #[must_use]
    pub fn of(parts: &[PartView], narrow: bool) -> Self {
        let (mut pools, mut most) = (0, 0);
        for part in parts {
            if let BodyView::Workers { total, .. } = &part.body {
                pools += 1;
                most = most.max(*total);
            }
        }
        Self { narrow, rows: pools <= 2 && most <= 8 }
    }
}

/// Most rows of a list inside a body.
const LIST: usize = 8;
/// Rows of an outbox that are drawn as bars.
const BARS: usize = 5;
/// Most bindings of an exchange that are drawn.
const BINDINGS: usize = 6;
/// Most slots of a queue that are drawn.
const SLOTS: f64 = 7.0;
/// The line that says what a publisher gathers: how wide a part has to be for it, and how much higher it is.
const GATHERS: (f64, f64) = (150.0, 22.0);

fn wide_enough(part: &PartView, least: f64) -> f64 {
    let title = part.title.chars().count() as f64 * TITLE;
    let figure = part.figure.chars().count() as f64 * FIGURE;
    (title.max(figure) + 28.0).within(least, 190.0)
}

/// What a part needs on the stage. `at` is where the scenario puts it.
#[must_use]
pub fn measure(part: &PartView, at: Option<(u32, u32)>, room: Room) -> Item {
    let (w, h, shape) = match &part.body {
        BodyView::Plain => {
            let called = part.kind == "dependency";
            let shape = if called { ItemShape::Called } else { ItemShape::Other };
            // A figure may come and go while it runs; the box keeps its size.
            (wide_enough(part, 128.0).min(160.0), 54.0, shape)
        }
        BodyView::Crowd(_) => (104.0, if room.narrow { 44.0 } else { 132.0 }, ItemShape::Crowd),
        BodyView::Outbox { .. } => (146.0, if room.narrow { 104.0 } else { 160.0 }, ItemShape::Other),
        BodyView::Queue { tray: true, .. } => (206.0, 74.0, ItemShape::Tray),
        BodyView::Queue { tray: false, .. } => (if room.narrow { 188.0 } else { 272.0 }, 114.0, ItemShape::Store),
        BodyView::Exchange { bindings, .. } => {
            (if room.narrow { 188.0 } else { 250.0 }, 76.0 + 19.0 * lines_of(bindings), ItemShape::Store)
        }
        BodyView::Log { partitions_total, .. } => {
            let (w, h) = tape::measure(u64::from(*partitions_total), room.narrow);
            (w, h, ItemShape::Store)
        }
        BodyView::Workers { total, .. } if room.rows => (226.0, 46.0 + 22.0 * (*total).clamp(1, 8) as f64, ItemShape::Other),
        BodyView::Workers { .. } => (132.0, if room.narrow { 58.0 } else { 72.0 }, ItemShape::Other),
        BodyView::Effects(_) => (132.0, if room.narrow { 116.0 } else { 52.0 + 19.0 * LIST as f64 }, ItemShape::Called),
    };
    let (w, h) = if part.gathers.is_some() { (w.max(GATHERS.0), h + GATHERS.1) } else { (w, h) };
    Item { at, w, h, shape }
}

/// Draws a part into its box.
pub fn draw(scene: &mut Scene, part: &PartView, at: Rect, now_us: u64, room: Room) {
    if let BodyView::Crowd(newest) = &part.body {
        crowd(scene, part, newest, at, room);
        let left = if room.narrow { at.x + 10.0 } else { at.x };
        return gathers(scene, part.gathers.as_ref(), now_us, left, at);
    }
    scene.frame(at, part.role, part.level, &part.title);
    gathers(scene, part.gathers.as_ref(), now_us, at.x + 14.0, at);
    match &part.body {
        BodyView::Plain | BodyView::Crowd(_) => figure(scene, part, at),
        BodyView::Outbox { unsent, oldest_us, rows } => {
            figure(scene, part, at);
            outbox(scene, *unsent, *oldest_us, rows, at, room);
        }
        BodyView::Queue { ready, next, locked, hidden, shelf, tray: false } => {
            figure(scene, part, at);
            queue(scene, (*ready, next, locked), (*hidden, shelf), now_us, at);
        }
        BodyView::Queue { ready, next, tray: true, .. } => {
            figure(scene, part, at);
            tray(scene, *ready, next, at);
        }
        BodyView::Exchange { kind, bindings, alternate, unroutable } => {
            figure(scene, part, at);
            let others = match (alternate, unroutable) {
                (Some(title), _) => Some((title.clone(), ["mono tiny", "small"])),
                (None, 0) => None,
                (None, lost) => Some((["nowhere: ", &grouped(*lost)].concat(), ["mono tiny bad", "small bad"])),
            };
            exchange(scene, kind, bindings, others, at);
        }
        BodyView::Log { groups, partitions, partitions_total, rebalancing } => {
            figure(scene, part, at);
            tape::draw(scene, &tape::Tapes { groups, partitions, total: *partitions_total, rebalancing }, at);
        }
        BodyView::Workers { processes, total } => workers(scene, part, processes, *total, at, room),
        BodyView::Effects(rows) => {
            figure(scene, part, at);
            effects(scene, rows, at, room);
        }
    }
    if let Some(badge) = &part.badge {
        scene.badge(at, badge);
    }
}

/// How many lines bindings take; the last one may say how many more there are.
fn lines_of(bindings: &[(String, String)]) -> f64 {
    bindings.len().min(BINDINGS + 1) as f64
}

/// A line each binding: what the key must be, and the queue that it leads to. Under them where all others go, and how that looks.
fn exchange(scene: &mut Scene, kind: &str, bindings: &[(String, String)], others: Option<(String, [&'static str; 2])>, at: Rect) {
    use super::shapes::Pen;
    let middle = at.x + 14.0 + (at.w - 28.0) * 0.48;
    let arrow = |y: f64| {
        let arrow = Pen::default().to('M', &[middle - 4.0, y - 3.5]).to('h', &[13.0]);
        arrow.to('m', &[-4.0, -3.0]).to('l', &[4.0, 3.0, -4.0, 3.0])
    };
    for (row, (key, queue)) in (0_u32..).zip(bindings.iter().take(BINDINGS)) {
        let y = at.y + 60.0 + 19.0 * f64::from(row);
        let key = match (key.as_str(), kind) {
            ("", "fanout") => "every key",
            ("", _) => "no key",
            (key, _) => key,
        };
        scene.rect("binding", at.x + 12.0, y - 11.0, middle - at.x - 18.0, 15.0, 4.0);
        scene.text("mono tiny", at.x + 17.0, y, fit(key, middle - at.x - 26.0, SMALL));
        scene.path("route", arrow(y));
        scene.text("small", middle + 15.0, y, fit(queue, at.right() - middle - 22.0, SMALL));
    }
    let more = bindings.len().saturating_sub(BINDINGS);
    if more > 0 {
        scene.text("tiny soft", at.x + 17.0, at.y + 60.0 + 19.0 * BINDINGS as f64, format!("+ {more} more"));
    }
    let Some((queue, [key_look, queue_look])) = others else { return };
    let y = at.y + 60.0 + 19.0 * lines_of(bindings);
    scene.text(key_look, at.x + 17.0, y, "others");
    scene.path("route", arrow(y));
    scene.text(queue_look, middle + 15.0, y, fit(&queue, at.right() - middle - 22.0, SMALL));
}

fn figure(scene: &mut Scene, part: &PartView, at: Rect) {
    let text = fit(&part.figure, at.w - 24.0, FIGURE);
    scene.text(figure_class(part.figure_level), at.x + 14.0, at.y + 38.0, text);
}

/// What a publisher has gathered: how many records, and the linger that runs out.
fn gathers(scene: &mut Scene, gather: Option<&GatherView>, now_us: u64, left: f64, at: Rect) {
    let Some(gather) = gather else { return };
    let (right, y) = (at.right() - 16.0, at.bottom() - 13.0);
    let count = grouped(gather.records);
    let taken = left + 50.0 + count.chars().count() as f64 * FIGURE;
    scene.text("small soft", left, y + 4.0, "gathers");
    scene.text("mono small strong", left + 50.0, y + 4.0, count);
    let Some(first) = &gather.first else { return };
    let note = spoken(first.until_us.saturating_sub(now_us));
    let room = right - 14.0 - taken;
    if room >= 0.0 {
        scene.waiting(first, now_us, right, y);
    }
    if room >= note.chars().count() as f64 * SMALL + 6.0 {
        scene.text("mono tiny warn end", right - 16.0, y + 3.5, note);
    }
}

fn crowd(scene: &mut Scene, part: &PartView, newest: &[UserLevel], at: Rect, room: Room) {
    // Beside another crowd there is room for half of them.
    let (columns, count) = match (room.narrow, at.w < 230.0) {
        (true, true) => (4, 4),
        (true, false) => (8, 8),
        (false, _) => (4, 12),
    };
    let (left, top) = if room.narrow { (at.x + 10.0, at.y + 22.0) } else { (at.x + 8.0, at.y + 48.0) };
    let shown = &newest[newest.len().saturating_sub(count)..];
    for place in 0..count {
        let level = shown.get(place).copied();
        let (x, y) = (left + (place % columns) as f64 * 20.0, top + (place / columns) as f64 * 24.0);
        person(scene, level.map_or("person nobody", user_class), x, y, level);
    }
    if room.narrow {
        let taken = columns as f64 * 20.0 + 6.0;
        scene.text(figure_class(part.figure_level), left + taken, top + 4.0, fit(&part.figure, at.w - taken - 24.0, FIGURE));
    } else {
        scene.text("title", at.x, at.y + 18.0, fit(&part.title, at.w + 20.0, TITLE));
        scene.text(figure_class(part.figure_level), at.x, at.y + 126.0, fit(&part.figure, at.w + 16.0, FIGURE));
    }
    if let Some(badge) = &part.badge {
        scene.badge(Rect { y: at.y + 10.0, ..at }, badge);
    }
}

/// A shopper: a head and shoulders, with a mark for harm so that colour is not the only sign.
fn person(scene: &mut Scene, look: &'static str, x: f64, y: f64, level: Option<UserLevel>) {
    use super::shapes::Pen;
    scene.circle(look, x, y - 6.0, 4.2);
    scene.path(look, Pen::default().to('M', &[x - 6.0, y + 7.0]).to('a', &[6.0, 6.4, 0.0, 0.0, 1.0, 12.0, 0.0]).to('z', &[]));
    let mark = match level {
        Some(UserLevel::Twice) => "2",
        Some(UserLevel::Never) => "–",
        Some(UserLevel::Refused) => "×",
        Some(UserLevel::AsPromised | UserLevel::Late | UserLevel::Waiting) | None => return,
    };
    scene.text("person-mark", x, y + 6.2, mark);
}

/// How many bars stand for so many rows: up to five one each, then one more for each power of ten.
fn bars_of(unsent: u64) -> usize {
    if unsent <= BARS as u64 { unsent as usize } else { (unsent.ilog10() as usize + 1).min(BARS) }
}

fn outbox(scene: &mut Scene, unsent: u64, oldest_us: u64, rows: &[TokenRef], at: Rect, room: Room) {
    const SHADES: [&str; BARS] = ["kept r0", "kept r1", "kept r2", "kept r3", "kept r4"];
    let bars = if room.narrow { 3 } else { BARS };
    let count = bars_of(unsent).min(bars);
    let (pitch, thick, wide) = if room.narrow { (11.0, 8.0, 36.0) } else { (14.0, 11.0, at.w - 28.0) };
    scene.text("small soft", at.x + 14.0, at.y + 59.0, if unsent == 0 { "outbox, all sent" } else { "outbox" });
    let top = at.y + 67.0;
    for bar in 0..bars {
        let y = top + bar as f64 * pitch;
        // Rows fill from below, as a stack does.
        if bar < bars - count {
            scene.rect("slot", at.x + 14.0, y, wide, thick, 2.5);
            continue;
        }
        scene.rect(SHADES[BARS - bars + bar], at.x + 14.0, y, wide, thick, 2.5);
        if unsent <= BARS as u64
            && let Some(row) = rows.get(bar + count - bars)
        {
            let middle = at.x + 14.0 + wide / 2.0;
            scene.text("row-label", middle, y + thick / 2.0 + 3.2, row.label.clone());
            scene.hits.push(Hit { x: middle, y: y + thick / 2.0, r: 16.0, fact: row.fact });
        }
    }
    if unsent == 0 {
        return;
    }
    let old = oldest_us > 5_000_000;
    let look = if old { "mono small strong warn end" } else { "mono small soft end" };
    if old {
        scene.text("mono tiny warn end", at.right() - 14.0, at.y + 59.0, spoken(oldest_us));
    }
    if room.narrow {
        scene.text(look, at.right() - 8.0, at.bottom() - 12.0, fit(&grouped(unsent), at.w - 62.0, FIGURE));
        return;
    }
    scene.text(look, at.right() - 14.0, at.bottom() - 6.0, fit(&(grouped(unsent) + " unsent"), at.w - 20.0, FIGURE));
}

fn queue(scene: &mut Scene, ready: (u64, &[TokenRef], &[bool]), hidden: (u64, &[WaitingToken]), now_us: u64, at: Rect) {
    let right = at.right() - 22.0;
    let (ready, next, locked) = ready;
    let y = at.y + 62.0;
    let written = 54.0 + grouped(ready).chars().count() as f64 * FIGURE;
    let slots = ((at.w - written - 20.0) / 24.0).floor().within(0.0, SLOTS) as usize;
    scene.text("small soft", at.x + 14.0, y + 4.0, "ready");
    scene.text("mono small strong", at.x + 54.0, y + 4.0, grouped(ready));
    for slot in 0..slots {
        let x = right - slot as f64 * 24.0;
        match next.get(slot) {
            Some(token) => scene.token(token, x, y),
            None => scene.rect("slot", x - 10.0, y - 10.0, 20.0, 20.0, 4.0),
        }
        if locked.get(slot) == Some(&true) {
            scene.lock(x + 7.0, y + 5.5);
        }
    }
    let (hidden, shelf) = hidden;
    let y = at.y + 92.0;
    scene.text("small soft", at.x + 14.0, y + 4.0, "hidden");
    scene.text("mono small strong", at.x + 61.0, y + 4.0, grouped(hidden));
    let Some(first) = shelf.first() else { return };
    let note = spoken(first.until_us.saturating_sub(now_us));
    let free = at.right() - 12.0 - (at.x + 67.0 + grouped(hidden).chars().count() as f64 * FIGURE);
    let room = free - note.chars().count() as f64 * SMALL - 8.0;
    // Where there is room for one or the other, the arc tells how much of the time is left.
    let (fits, noted) = if room < 26.0 { (usize::from(free >= 26.0), false) } else { ((room / 26.0).floor() as usize, true) };
    let fits = shelf.len().min(fits);
    for (place, waiting) in shelf.iter().take(fits).enumerate() {
        scene.waiting(waiting, now_us, right - place as f64 * 26.0, y);
    }
    // What comes back first stands at the right; its seconds at the left end of the shelf.
    if noted {
        scene.text("mono tiny warn end", right - (fits as f64 - 1.0) * 26.0 - 18.0, y + 3.5, note);
    }
}

fn tray(scene: &mut Scene, ready: u64, next: &[TokenRef], at: Rect) {
    let y = at.bottom() - 15.0;
    if ready == 0 {
        scene.rect("tray", at.x + 14.0, y - 2.0, at.w - 28.0, 7.0, 3.5);
        return;
    }
    scene.rect("tray full", at.x + 14.0, y - 2.0, at.w - 28.0, 7.0, 3.5);
    for (place, token) in next.iter().take(6).enumerate() {
        scene.token(token, at.right() - 24.0 - place as f64 * 26.0, y - 2.0);
    }
}

fn workers(scene: &mut Scene, part: &PartView, processes: &[ProcessView], total: u64, at: Rect, room: Room) {
    if room.rows && at.w > 150.0 && at.h >= 46.0 + 20.0 * processes.len() as f64 {
        figure(scene, part, at);
        for (index, process) in processes.iter().enumerate() {
            process_row(scene, process, at, at.y + 58.0 + index as f64 * 22.0);
        }
        return;
    }
    // A narrow box has a line for each half of the figure: `3 workers`, `lag 0`.
    let (first, second) = part.figure.split_once(" · ").unwrap_or((part.figure.as_str(), ""));
    scene.text("mono tiny soft", at.x + 14.0, at.y + 36.0, fit(first, at.w - 20.0, SMALL));
    let look = match part.figure_level {
        Level::Good | Level::Quiet => "mono tiny soft",
        Level::Warn => "mono tiny warn",
        Level::Bad => "mono tiny bad",
    };
    scene.text(look, at.x + 14.0, at.y + 50.0, fit(second, at.w - 20.0, SMALL));
    if at.h < 64.0 {
        return;
    }
    let count = processes.len().max(1) as f64;
    let w = ((at.w - 28.0 - 4.0 * (count - 1.0)) / count).min(40.0);
    for (index, process) in processes.iter().enumerate() {
        let look = match (process.level, process.holding) {
            (Level::Bad, _) => "bar down",
            (_, 0) => "bar idle",
            (Level::Warn, _) => "bar odd",
            (Level::Good | Level::Quiet, _) => "bar busy",
        };
        scene.rect(look, at.x + 14.0 + index as f64 * (w + 4.0), at.y + 59.0, w, 4.0, 2.0);
    }
    if total > processes.len() as u64 {
        scene.text("mono tiny soft end", at.right() - 8.0, at.y + 50.0, format!("+{}", total - processes.len() as u64));
    }
}

fn process_row(scene: &mut Scene, process: &ProcessView, at: Rect, y: f64) {
    let dot = match (process.level, process.holding) {
        (Level::Bad, _) => "dot bad",
        (Level::Warn, _) => "dot warn",
        (_, 0) => "dot idle",
        (Level::Good | Level::Quiet, _) => "dot busy",
    };
    scene.circle(dot, at.x + 18.0, y - 3.5, 3.6);
    scene.text("small strong", at.x + 28.0, y, process.name.clone());
    let look = match process.level {
        Level::Good | Level::Quiet => "mono tiny soft",
        Level::Warn => "mono tiny warn",
        Level::Bad => "mono tiny bad",
    };
    let left = at.x + 34.0 + process.name.chars().count() as f64 * 7.2;
    // Which partitions it has, at the right end.
    let own: Vec<String> = process.partitions.iter().map(u32::to_string).collect();
    let own = if own.is_empty() { String::new() } else { fit(&["p", &own.join(",")].concat(), 48.0, SMALL) };
    let taken = own.chars().count() as f64 * SMALL;
    scene.text("mono tiny end", at.right() - 8.0, y, own);
    let state = fit(&process.state, at.right() - 14.0 - taken - left, SMALL);
    scene.text(look, left, y, state);
    if let Some(token) = process.holds.first() {
        scene.hits.push(Hit { x: left + 20.0, y: y - 4.0, r: 18.0, fact: token.fact });
    }
}

fn effects(scene: &mut Scene, rows: &[(TokenRef, u32)], at: Rect, room: Room) {
    let (columns, lines) = if room.narrow { (2, 4) } else { (1, LIST) };
    let first = rows.len().saturating_sub(columns * lines);
    for (place, (token, count)) in rows[first..].iter().enumerate() {
        let x = at.x + 14.0 + (place / lines) as f64 * (at.w / 2.0);
        let y = at.y + 60.0 + (place % lines) as f64 * if room.narrow { 16.0 } else { 19.0 };
        scene.text("mono tiny soft", x, y, fit(&token.label, 52.0, SMALL));
        let look = if *count > 1 { "dot bad" } else { "dot good" };
        for dot in 0..(*count).min(4) {
            scene.circle(look, x + 58.0 + f64::from(dot) * 10.0, y - 4.0, 4.0);
        }
        if *count > 4 {
            scene.text("mono tiny bad", x + 98.0, y, grouped(u64::from(*count)));
        }
        scene.hits.push(Hit { x: x + 30.0, y: y - 4.0, r: 14.0, fact: token.fact });
    }
}
