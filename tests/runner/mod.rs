//! Runs the runner and hands back what it said.

use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs the runner with these words; it must leave with 0. What it wrote to its output and beside it.
pub fn redrive(words: &[&str]) -> (String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_redrive")).args(words).stdin(Stdio::null()).output().expect("the runner starts");
    let (out, beside) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "redrive {}: {beside}", words.join(" "));
    (out.into_owned(), beside.into_owned())
}

/// Runs a scenario with these further words and gives its report.
pub fn report(words: &[&str]) -> Value {
    let (out, beside) = redrive(&[&["run"], words, &["--json"]].concat());
    assert_eq!(beside, "", "redrive run {}", words.join(" "));
    serde_json::from_str(&out).expect("the report is one JSON object")
}
