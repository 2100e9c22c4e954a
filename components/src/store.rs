//! What this browser keeps for the visitor: the theme and their own runs. A browser may refuse to keep anything; then
//! nothing is kept, and the lab works all the same.

use leptos::prelude::window;

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// What is kept under a name.
#[must_use]
pub fn read(name: &str) -> Option<String> {
    storage()?.get_item(name).ok().flatten()
}

/// Keeps a text under a name.
pub fn write(name: &str, text: &str) {
    if let Some(storage) = storage() {
        // Full or forbidden: the visitor loses the convenience, not the run.
        let _ = storage.set_item(name, text);
    }
}

/// A run of the visitor's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The scenario's id.
    pub id: String,
    /// The scenario's title.
    pub title: String,
    /// The run as the text of a link.
    pub link: String,
    /// Where they were.
    pub at_us: u64,
}

/// Where own runs are kept.
const RUNS: &str = "redrive.runs";
/// How many are kept.
const MOST: usize = 12;

/// Own runs, newest first.
#[must_use]
pub fn runs() -> Vec<Kept> {
    parse(&read(RUNS).unwrap_or_default())
}

fn parse(text: &str) -> Vec<Kept> {
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let kept = Kept {
            id: fields.next()?.to_owned(),
            link: fields.next()?.to_owned(),
            at_us: fields.next()?.parse().ok()?,
            title: fields.next()?.to_owned(),
        };
        (!kept.link.is_empty()).then_some(kept)
    };
    text.lines().filter_map(line).collect()
}

fn print(runs: &[Kept]) -> String {
    let mut text = String::new();
    for run in runs {
        let title = run.title.replace(['\t', '\n'], " ");
        text.push_str(&[run.id.as_str(), &run.link, &run.at_us.to_string(), &title].join("\t"));
        text.push('\n');
    }
    text
}

/// Puts a run first and takes out the one that it grew from, `before`, if it is one of this sitting.
#[must_use]
fn with(mut runs: Vec<Kept>, run: Kept, before: Option<&str>) -> Vec<Kept> {
    runs.retain(|kept| Some(kept.link.as_str()) != before && kept.link != run.link);
    runs.insert(0, run);
    runs.truncate(MOST);
    runs
}

/// Keeps a run of the visitor's own. `before` is the link under which this sitting kept it last.
pub fn keep(run: Kept, before: Option<&str>) {
    write(RUNS, &print(&with(runs(), run, before)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(link: &str) -> Kept {
        Kept { id: "order-shop".into(), title: "The order\tshop".into(), link: link.into(), at_us: 7 }
    }

    #[test]
    fn runs_read_back_and_a_broken_line_is_left_out() {
        let text = print(&[kept("a"), kept("b")]) + "half a line\n";
        let read = parse(&text);
        assert_eq!(read.iter().map(|run| run.link.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(read[0].title, "The order shop");
    }

    #[test]
    fn a_sitting_replaces_its_own_run_and_no_other() {
        let links = |runs: &[Kept]| runs.iter().map(|run| run.link.clone()).collect::<Vec<_>>();
        let runs = with(vec![kept("mine"), kept("older")], kept("mine, changed"), Some("mine"));
        assert_eq!(links(&runs), ["mine, changed", "older"]);
        // A run that grew from someone's link stands beside the visitor's own.
        assert_eq!(links(&with(runs, kept("from a link"), None)), ["from a link", "mine, changed", "older"]);
    }
}
