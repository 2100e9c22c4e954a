//! Plays the scripts of `tests/transcripts` on real servers and writes down what came back. `scripts/record` starts the
//! servers; nothing that a default test runs needs this package.
//!
//! ```text
//! redrive-record SERVER record DATE [NAME…]   rewrites the answers of the recorded transcripts, or of these
//! redrive-record SERVER check [NAME…]         reports what would differ
//! ```
//!
//! A server may have more words of its own; its module says which.

mod folder;
mod postgresql;
mod rabbitmq;

use std::env;
use std::process::ExitCode;

/// Runs the words behind a server's name. The error is what to tell the person.
type Run = fn(&[String]) -> Result<(), String>;

/// The servers that can be recorded, by the folder of their transcripts.
const SERVERS: &[(&str, Run)] = &[("postgresql", postgresql::run), ("rabbitmq", rabbitmq::run)];

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let server = words.first().map_or("", String::as_str);
    let Some((_, run)) = SERVERS.iter().find(|(name, _)| *name == server) else {
        let names: Vec<&str> = SERVERS.iter().map(|(name, _)| *name).collect();
        eprintln!("no server is named `{server}`. There are: {}", names.join(", "));
        return ExitCode::from(2);
    };
    match run(&words[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::FAILURE
        }
    }
}
