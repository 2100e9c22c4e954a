//! The headless runner: the engine without a page, for tests, for documentation checks, for anyone who wants numbers.

mod args;
mod compare;
mod explore;
mod library;
mod messages;
mod progress;
mod run;
mod source;
mod summary;
mod sweep;

use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use args::{Args, USAGE, Verb};
use redrive::scenario::{Fault, Faults};

/// Why a command did not do what was asked.
pub enum Failure {
    /// Something in what was asked is wrong.
    Asked(Faults),
    /// A file or the output could not be written.
    Output(io::Error),
}

impl From<Faults> for Failure {
    fn from(faults: Faults) -> Self {
        Self::Asked(faults)
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Asked(fault.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    let done = answer(&words, &mut out).and_then(|()| Ok(out.flush()?));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has seen enough, as with `| head`.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            let (text, code) = match failure {
                Failure::Asked(faults) => (faults.to_string(), 2),
                Failure::Output(error) => (format!("redrive: {error}"), 1),
            };
            // If even this cannot be written, the exit code still says it.
            let _ = writeln!(io::stderr(), "{text}");
            ExitCode::from(code)
        }
    }
}

fn answer(words: &[String], out: &mut impl Write) -> Result<(), Failure> {
    let args = Args::read(words)?;
    match args.verb {
        Verb::Help => Ok(write!(out, "{USAGE}")?),
        Verb::Version => Ok(writeln!(out, "redrive {}", env!("CARGO_PKG_VERSION"))?),
        Verb::List => library::list(out),
        Verb::Check => library::check(&args, out),
        Verb::Alerts => library::alerts(&args, out),
        Verb::Export => library::export(&args, out),
        Verb::Schema => library::schema(out),
        Verb::Run => run::run(&args, out),
        Verb::Explore => explore::explore(&args, out),
        Verb::Sweep => sweep::sweep(&args, out),
        Verb::Compare => compare::compare(&args, out),
    }
}
