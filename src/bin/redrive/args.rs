//! The command line: what is asked, or a fault that says what exists.

use redrive::command::Timed;
use redrive::explore::{FaultKind, MOST_SEEDS, Plan};
use redrive::observe::lists::Which;
use redrive::scenario::nearest::known;
use redrive::scenario::{Fault, Faults};
use redrive::sim::Micros;

/// What `redrive` prints about itself.
pub const USAGE: &str = "\
redrive: the lab of queues, logs and outboxes without a page

  redrive list                                  the scenarios that ship: id, title
  redrive check FILE|ID                         says every fault of a scenario: place, what is wrong, what is allowed
  redrive run FILE|ID [--seed N] [--until 90s] [--do 'TIME VERB …']… [--set PART.SETTING=VALUE]…
              [--json] [--trace FILE.jsonl] [--story] [--messages LIST]… [--most N]
  redrive explore FILE|ID [--part P]… [--fault crash|lost-ack|lost-answer|all]… [--faults 1|2] [--most N]
              [--seed N] [--until 90s] [--do …]… [--set …]… [--json]
                                                crashes every step there is, one a run, and says what came of it
  redrive sweep FILE|ID --vary PART.SETTING=A..B/POINTS|v1,v2,… --measure FIGURE [--seeds N]
              [--seed N] [--until 90s] [--do …]… [--set …]… [--json|--csv]
                                                a setting against a figure of the report, over many seeds
  redrive compare FILE|ID --with CHANGE… [--left CHANGE]…
              [--seed N] [--until 90s] [--do …]… [--set …]… [--json]
                                                a run beside the same run with a change: what differs, and since when
  redrive alerts FILE|ID [--set …]… [--prometheus]
                                                its alert rules with their settings, or as a rules file of Prometheus
  redrive export FILE|ID [--set …]…             the scenario as JSON, complete
  redrive schema                                the JSON Schema of a scenario

FILE is a scenario as JSON, - reads it from standard input. FIGURE is like facts.twice, users.p99_us, parts.jobs.ready(max).
LIST is lost, twice, late, out-of-order, dead, pending, once, skipped, refused, never, waiting, served or all.
CHANGE is PART.SETTING=VALUE or TIME VERB …. TIME VERB is like '41s break orders':
  break P, mend P, slow P 40x, fail P 30%, cut P Q, crash P [at STEP], lose-acks P N, poison P, burst P 10x for 60s,
  deploy P, scale P N, pause P, resume P, redrive P, rewind P to 0|TIME, set P.SETTING=VALUE
Exit: 0 done, 1 a file could not be written, 2 something in what was asked is wrong, and said so.
";

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// The scenarios that ship.
    List,
    /// Is it sound?
    Check,
    /// Run it.
    Run,
    /// Crash it everywhere.
    Explore,
    /// A setting against a figure.
    Sweep,
    /// Two runs side by side.
    Compare,
    /// Its alert rules.
    Alerts,
    /// Write it out complete.
    Export,
    /// The JSON Schema.
    Schema,
    /// How to use this.
    Help,
    /// Which version this is.
    Version,
}

/// One command of the runner: its word, whether it takes a scenario, its options.
type Row = (&'static str, Verb, bool, &'static [&'static str]);

const ROWS: [Row; 9] = [
    ("list", Verb::List, false, &[]),
    ("check", Verb::Check, true, &["--set"]),
    ("run", Verb::Run, true, &["--seed", "--until", "--do", "--set", "--json", "--trace", "--story", "--messages", "--most"]),
    (
        "explore",
        Verb::Explore,
        true,
        &["--seed", "--until", "--do", "--set", "--json", "--part", "--fault", "--faults", "--most"],
    ),
    ("sweep", Verb::Sweep, true, &["--vary", "--measure", "--seeds", "--seed", "--until", "--do", "--set", "--json", "--csv"]),
    ("compare", Verb::Compare, true, &["--with", "--left", "--right", "--seed", "--until", "--do", "--set", "--json"]),
    ("alerts", Verb::Alerts, true, &["--set", "--prometheus"]),
    ("export", Verb::Export, true, &["--seed", "--until", "--set"]),
    ("schema", Verb::Schema, false, &[]),
];

/// The options that take a value, with what it looks like.
const VALUES: [(&str, &str); 16] = [
    ("--seed", "a whole number, like --seed 7"),
    ("--until", "a duration, like --until 90s"),
    ("--do", "TIME VERB …, like --do '41s break orders'"),
    ("--set", "PART.SETTING=VALUE, like --set orders.retention=1h"),
    ("--trace", "a file to write, like --trace run.jsonl"),
    ("--part", "the id of a part that can be struck, like --part relay"),
    ("--fault", "crash, lost-ack, lost-answer or all, like --fault lost-ack"),
    ("--faults", "how many faults strike together, 1 or 2"),
    ("--most", "how many at most, from 1 to 1000000, like --most 500"),
    ("--messages", "which messages, like --messages lost"),
    ("--vary", "PART.SETTING=A..B/POINTS or v1,v2,…, like --vary jobs.visibility_timeout=5s..60s/12"),
    ("--measure", "a figure of the report, like --measure facts.twice"),
    ("--seeds", "how many seeds, from 1 to 1000"),
    ("--with", "PART.SETTING=VALUE or 'TIME VERB …', like --with '41s break orders'"),
    ("--left", "PART.SETTING=VALUE or 'TIME VERB …', like --left orders.retention=1h"),
    ("--right", "PART.SETTING=VALUE or 'TIME VERB …', like --right orders.retention=1h"),
];

/// The longest run.
const MAX_UNTIL: Micros = Micros::seconds(365 * 86_400);

/// A command line, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Args {
    /// What is asked.
    pub verb: Verb,
    /// FILE or ID; empty where none is taken.
    pub input: String,
    /// `--seed`
    pub seed: Option<u64>,
    /// `--until`
    pub until: Option<Micros>,
    /// `--do`: as it was written, and read.
    pub commands: Vec<(String, Timed)>,
    /// `--set`
    pub sets: Vec<(String, String)>,
    /// `--json`
    pub json: bool,
    /// `--story`
    pub story: bool,
    /// `--trace`
    pub trace: Option<String>,
    /// `--messages`: each with its word.
    pub messages: Vec<(String, Which)>,
    /// `--csv`
    pub csv: bool,
    /// `--prometheus`
    pub prometheus: bool,
    /// `--vary`
    pub vary: Option<String>,
    /// `--measure`
    pub measure: Option<String>,
    /// `--seeds`
    pub seeds: Option<u64>,
    /// `--left`: what is different there only.
    pub left: Vec<String>,
    /// `--with`, `--right`: what is different there only.
    pub right: Vec<String>,
    /// `--part`, `--fault`, `--faults`, `--most`
    pub plan: Plan,
}

impl Args {
    fn new(verb: Verb) -> Self {
        Self {
            verb,
            input: String::new(),
            seed: None,
            until: None,
            commands: Vec::new(),
            sets: Vec::new(),
            json: false,
            story: false,
            trace: None,
            messages: Vec::new(),
            csv: false,
            prometheus: false,
            vary: None,
            measure: None,
            seeds: None,
            left: Vec::new(),
            right: Vec::new(),
            plan: Plan { faults: Vec::new(), ..Plan::default() },
        }
    }

    /// Reads the words after the program's name.
    ///
    /// # Errors
    /// Every fault, each with the word it is about.
    pub fn read(words: &[String]) -> Result<Self, Faults> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some((first, rest)) = words.split_first() else {
            let names = ROWS.map(|row| row.0).join(", ");
            return Err(Fault::new("redrive", "it is not said what to do", format!("{names}; --help says more")).into());
        };
        if words.iter().any(|word| ["--help", "-h"].contains(word)) || *first == "help" {
            return Ok(Self::new(Verb::Help));
        }
        if ["--version", "-V"].contains(first) {
            return Ok(Self::new(Verb::Version));
        }
        let Some(row) = ROWS.iter().find(|row| row.0 == *first) else {
            let names = ROWS.map(|row| row.0);
            return Err(Fault::new("redrive", format!("`{first}` is not a command"), known(first, names)).into());
        };
        let mut args = Self::new(row.1);
        let mut faults = Vec::new();
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            if !word.starts_with('-') || *word == "-" {
                args.takes_input(row, word, &mut faults);
                continue;
            }
            let (name, glued) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (*word, None),
            };
            if !row.3.contains(&name) {
                let allowed = if row.3.is_empty() { "no options".to_owned() } else { known(name, row.3.iter().copied()) };
                faults.push(Fault::new(name, format!("`{}` has no such option", row.0), allowed));
                continue;
            }
            let Some((_, form)) = VALUES.iter().find(|(option, _)| *option == name) else {
                match name {
                    "--json" => args.json = true,
                    "--csv" => args.csv = true,
                    "--prometheus" => args.prometheus = true,
                    _ => args.story = true,
                }
                if let Some(value) = glued {
                    faults.push(Fault::new(name, format!("it takes no value, and here is `{value}`"), name));
                }
                continue;
            };
            let Some(value) = glued.or_else(|| words.next().copied()) else {
                faults.push(Fault::new(name, "its value is missing", *form));
                continue;
            };
            if let Err(fault) = args.option(name, value, form) {
                faults.push(fault);
            }
        }
        if row.2 && args.input.is_empty() && faults.is_empty() {
            faults.push(Fault::new(
                row.0,
                "it is not said which scenario",
                "a file, - for standard input, or an id that `redrive list` shows",
            ));
        }
        if faults.is_empty() { Ok(args) } else { Err(Faults(faults)) }
    }

    fn takes_input(&mut self, row: &Row, word: &str, faults: &mut Vec<Fault>) {
        if row.2 && self.input.is_empty() {
            word.clone_into(&mut self.input);
            return;
        }
        let allowed = if row.2 { "one scenario" } else { "nothing more" };
        faults.push(Fault::new(row.0, format!("`{word}` is one word too many"), allowed));
    }

    fn option(&mut self, name: &str, value: &str, form: &str) -> Result<(), Fault> {
        let bad = |wrong: String| Fault::new(name, wrong, form);
        match name {
            "--seed" => {
                self.seed =
                    Some(value.parse().map_err(|_| bad(format!("`{value}` is not a whole number from 0 to {}", u64::MAX)))?)
            }
            "--until" => match Micros::parse(value).map_err(bad)? {
                until if until == Micros::ZERO || until > MAX_UNTIL => {
                    return Err(bad(format!("`{value}` is not between 1us and {MAX_UNTIL}")));
                }
                until => self.until = Some(until),
            },
            "--do" => {
                let timed = Timed::parse(value).map_err(|fault| Fault { path: place(value), ..fault })?;
                self.commands.push((value.to_owned(), timed));
            }
            "--set" => {
                let (place, value) = value.split_once('=').ok_or_else(|| bad(format!("`{value}` has no =")))?;
                self.sets.push((place.trim().to_owned(), value.trim().to_owned()));
            }
            "--part" => self.plan.parts.extend(value.split(',').map(|part| part.trim().to_owned())),
            "--fault" => {
                for word in value.split(',').map(str::trim) {
                    match FaultKind::ALL.into_iter().find(|kind| kind.word() == word) {
                        Some(kind) => self.plan.faults.push(kind),
                        None if word == "all" => self.plan.faults.extend(FaultKind::ALL),
                        None => {
                            let words = FaultKind::ALL.map(FaultKind::word).into_iter().chain(["all"]);
                            return Err(Fault::new(name, format!("`{word}` is not a kind of fault"), known(word, words)));
                        }
                    }
                }
            }
            "--faults" => match value {
                "1" => self.plan.together = 1,
                "2" => self.plan.together = 2,
                _ => return Err(bad(format!("`{value}` is neither 1 nor 2"))),
            },
            "--most" => match value.parse() {
                Ok(most @ 1..=1_000_000) => self.plan.most = Some(most),
                _ => return Err(bad(format!("`{value}` is not a whole number from 1 to 1000000"))),
            },
            "--vary" => self.vary = Some(value.to_owned()),
            "--measure" => self.measure = Some(value.to_owned()),
            "--seeds" => match value.parse() {
                Ok(seeds @ 1..=MOST_SEEDS) => self.seeds = Some(seeds),
                _ => return Err(bad(format!("`{value}` is not a whole number from 1 to {MOST_SEEDS}"))),
            },
            "--messages" => match Which::parse(value) {
                Some(which) => self.messages.push((value.to_owned(), which)),
                None => return Err(Fault::new(name, format!("`{value}` is not a list"), known(value, Which::words()))),
            },
            "--left" => self.left.push(value.to_owned()),
            "--with" | "--right" => self.right.push(value.to_owned()),
            _ => self.trace = Some(value.to_owned()),
        }
        Ok(())
    }
}

/// The place of a fault in a command: `--do '41s brake orders'`.
pub fn place(text: &str) -> String {
    format!("--do '{text}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Args, String> {
        let words: Vec<String> = line.split(' ').filter(|word| !word.is_empty()).map(|word| word.replace('_', " ")).collect();
        Args::read(&words).map_err(|faults| faults.to_string())
    }

    #[test]
    fn options_stand_anywhere_and_may_be_glued() {
        let args = read("run --seed=9 order-shop --do 41s_break_orders --set a.b=c=d --json").expect("a good line");
        assert_eq!((args.input.as_str(), args.seed, args.json, args.story), ("order-shop", Some(9), true, false));
        assert_eq!(args.sets, [("a.b".to_owned(), "c=d".to_owned())]);
        assert_eq!(args.commands[0].1.to_string(), "41s break orders");
        assert_eq!(read("run -").map(|args| args.input), Ok("-".into()));
        assert_eq!(read("run x --help").map(|args| args.verb), Ok(Verb::Help));
    }

    #[test]
    fn a_wrong_line_says_what_exists() {
        let check = |line: &str, expect: &str| assert_eq!(read(line).expect_err(line), expect);
        check(
            "",
            "redrive: it is not said what to do; allowed: list, check, run, explore, sweep, compare, alerts, export, schema; --help says more",
        );
        check(
            "rum x",
            "redrive: `rum` is not a command; allowed: list, check, run, explore, sweep, compare, alerts, export, schema; nearest: run",
        );
        check(
            "run",
            "run: it is not said which scenario; allowed: a file, - for standard input, or an id that `redrive list` shows",
        );
        check("run a b", "run: `b` is one word too many; allowed: one scenario");
        check("list --json", "--json: `list` has no such option; allowed: no options");
        check(
            "check a --sed 3",
            "--sed: `check` has no such option; allowed: --set; nearest: --set\ncheck: `3` is one word too many; allowed: one scenario",
        );
        check("run a --json=yes", "--json: it takes no value, and here is `yes`; allowed: --json");
        check("run a --until", "--until: its value is missing; allowed: a duration, like --until 90s");
    }
}
