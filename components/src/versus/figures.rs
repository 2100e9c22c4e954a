//! What a run came to at a moment, and how two runs differ, in numbers and in words.

use redrive::sim::time::{clock, grouped, spoken};
use redrive::view::PanelsView;

/// A count of a run: what it counts, whether more of it is harm, and whether the sentence speaks of it.
struct Row {
    title: &'static str,
    harm: bool,
    told: bool,
    /// It is shown where both runs have none of it, too.
    always: bool,
}

const fn row(title: &'static str, harm: bool, told: bool, always: bool) -> Row {
    Row { title, harm, told, always }
}

/// Effects first, then users.
const ROWS: [Row; 12] = [
    row("took effect once", false, true, true),
    row("took effect twice", true, true, true),
    row("lost", true, true, true),
    row("in the dead letters", false, true, true),
    row("out of order", true, true, true),
    row("late", true, true, false),
    row("still to come", false, true, false),
    row("users served", false, false, true),
    row("users told no", true, false, false),
    row("users served late", true, false, false),
    row("users never served", true, false, false),
    row("users served twice", true, false, false),
];

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    counts: [u64; ROWS.len()],
    /// The first alert: when, and what it says.
    alert: Option<(u64, String)>,
}

impl Figures {
    /// Reads them off the panels.
    #[must_use]
    pub fn of(panels: &PanelsView) -> Self {
        let mut counts = [0; ROWS.len()];
        for effect in &panels.effects {
            let own = [effect.once, effect.twice, effect.lost, effect.dead, effect.out_of_order, effect.late, effect.pending];
            counts.iter_mut().zip(own).for_each(|(sum, count)| *sum += count);
        }
        let users = &panels.users;
        let own = [users.served, users.refused, users.late, users.never, users.twice];
        counts[7..].iter_mut().zip(own).for_each(|(sum, count)| *sum = count);
        let fired = panels.alerts.iter().filter_map(|alert| Some((alert.at_us?, alert.text.clone())));
        Self { counts, alert: fired.reduce(|first, other| if other.0 < first.0 { other } else { first }) }
    }
}

/// How a cell of the table is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The same as before.
    Same,
    /// Another count than before.
    Other,
    /// More harm than before.
    Worse,
}

/// A line of the table: title, before, now, how the last is to be read.
pub type Line = (&'static str, String, String, Reads);

/// The table of two runs.
#[must_use]
pub fn lines(before: &Figures, now: &Figures) -> Vec<Line> {
    let mut lines = Vec::new();
    for (row, (was, is)) in ROWS.iter().zip(before.counts.iter().zip(now.counts)) {
        if row.always || *was > 0 || is > 0 {
            let reads = match is.cmp(was) {
                std::cmp::Ordering::Equal => Reads::Same,
                std::cmp::Ordering::Greater if row.harm => Reads::Worse,
                _ => Reads::Other,
            };
            lines.push((row.title, grouped(*was), grouped(is), reads));
        }
    }
    let alert =
        |figures: &Figures| figures.alert.as_ref().map_or("none".into(), |(at_us, text)| [&clock(*at_us), " ", text].concat());
    let reads = if before.alert == now.alert { Reads::Same } else { Reads::Other };
    lines.push(("first alert", alert(before), alert(now), reads));
    lines
}

/// How they differ, in words: `2 more took effect twice, 3 fewer lost. The first alert came 4.0 s later.`
#[must_use]
pub fn told(before: &Figures, now: &Figures) -> String {
    let mut words: Vec<String> = Vec::new();
    for (row, (was, is)) in ROWS.iter().zip(before.counts.iter().zip(now.counts)) {
        if row.told && *was != is {
            let more = if is > *was { " more " } else { " fewer " };
            words.push([&grouped(was.abs_diff(is)), more, row.title].concat());
        }
    }
    let mut said = if words.is_empty() { "No count of an effect differs.".to_owned() } else { words.join(", ") + "." };
    match (&before.alert, &now.alert) {
        (None, Some(_)) => said.push_str(" An alert fires that did not."),
        (Some(_), None) => said.push_str(" No alert fires any more."),
        (Some((was_us, _)), Some((is_us, _))) if was_us != is_us => {
            let when = if is_us > was_us { " later." } else { " earlier." };
            said.push_str(&[" The first alert comes ", &spoken(was_us.abs_diff(*is_us)), when].concat());
        }
        _ => {}
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(counts: &[(usize, u64)], alert_us: Option<u64>) -> Figures {
        let mut figures = Figures { counts: [0; ROWS.len()], alert: alert_us.map(|at_us| (at_us, "lag".to_owned())) };
        for (row, count) in counts {
            figures.counts[*row] = *count;
        }
        figures
    }

    #[test]
    fn a_difference_is_told_in_numbers_and_words() {
        let check = |before: Figures, now: Figures, said: &str| assert_eq!(told(&before, &now), said);
        check(figures(&[], None), figures(&[], None), "No count of an effect differs.");
        check(
            figures(&[(0, 9), (1, 1)], Some(4_000_000)),
            figures(&[(0, 7), (1, 3)], Some(6_000_000)),
            "2 fewer took effect once, 2 more took effect twice. The first alert comes 2.0 s later.",
        );
        check(figures(&[], Some(1)), figures(&[(7, 3)], None), "No count of an effect differs. No alert fires any more.");
    }

    #[test]
    fn only_more_harm_reads_as_worse() {
        let lines = lines(&figures(&[(2, 5), (3, 1)], None), &figures(&[(1, 2), (3, 4)], None));
        let reads: Vec<_> = lines.iter().map(|(title, .., reads)| (*title, *reads)).collect();
        assert_eq!(reads[1], ("took effect twice", Reads::Worse));
        assert_eq!(reads[2], ("lost", Reads::Other));
        assert_eq!(reads[3], ("in the dead letters", Reads::Other));
        assert_eq!(lines.last().map(|line| line.1.as_str()), Some("none"));
    }
}
