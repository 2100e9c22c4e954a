//! What two runs are called beside each other: by what each has that the other has not.

use redrive::run::{Run, Source};
use redrive::sim::time::clock;

/// Most changes that a name lists.
const MOST: usize = 2;

/// The name of a run beside another: `mend orders at 00:41.20`, `seed 8`, `as it is`.
#[must_use]
pub fn named(run: &Run, other: &Run) -> String {
    let mut words: Vec<String> = Vec::new();
    if run.source != other.source {
        let (Source::Library(id) | Source::Document(id, _)) = &run.source;
        words.push(id.clone());
    }
    if run.seed != other.seed {
        words.push(run.seed.map_or_else(|| "its own seed".to_owned(), |seed| "seed ".to_owned() + &seed.to_string()));
    }
    let sets = run.sets.iter().filter(|set| !other.sets.contains(set));
    words.extend(sets.map(|(place, value)| [place.strip_prefix("lab.").unwrap_or(place), " = ", value].concat()));
    let commands = run.commands.iter().filter(|timed| !other.commands.contains(timed));
    words.extend(commands.map(|timed| [&timed.command.to_string(), " at ", &clock(timed.at_us)].concat()));
    let more = words.len().saturating_sub(MOST);
    words.truncate(MOST);
    let mut name = words.join(", ");
    if more > 0 {
        name.push_str(&[" and ", &more.to_string(), " more"].concat());
    }
    if name.is_empty() { "as it is".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redrive::command::Timed;

    #[test]
    fn a_run_is_called_by_what_the_other_has_not() {
        let run = Run::of_library("order-shop");
        let timed = |text| Timed::parse(text).expect("a command");
        let broken = Run { commands: vec![timed("41s break orders")], ..run.clone() };
        let cured = Run { commands: vec![timed("41s break orders"), timed("86s mend orders")], ..run.clone() };
        assert_eq!([named(&run, &broken), named(&broken, &run)], ["as it is", "break orders at 00:41.00"]);
        assert_eq!([named(&broken, &cured), named(&cured, &broken)], ["as it is", "mend orders at 01:26.00"]);
        let other = Run { seed: Some(8), sets: vec![("lab.publishing".into(), "dual-write".into())], ..cured };
        assert_eq!(named(&other, &run), "seed 8, publishing = dual-write and 2 more");
    }
}
