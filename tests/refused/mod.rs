//! Runs the runner with something wrong and compares what it complains about.

use std::io::Write;
use std::process::{Command, Stdio};

/// Compares a complaint with what is expected of it; `⋯` stands for the middle of a list that grows with the engine.
fn compare(complaint: &str, expect: &str, words: &[&str]) {
    match expect.split_once('⋯') {
        Some((front, back)) if complaint.starts_with(front) && complaint.ends_with(back) => {}
        _ => assert_eq!(complaint, expect, "redrive {}", words.join(" ")),
    }
}

/// Runs the runner with these words and this standard input, and compares what it complains about.
pub fn check(words: &[&str], input: &str, expect: &str) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_redrive"))
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the runner starts");
    // A runner that refuses its options does not read its input: the pipe may be closed already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the runner ends");
    let (out, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    compare(complaint.trim_end(), expect, words);
    assert_eq!((output.status.code(), &*out), (Some(2), ""), "redrive {}", words.join(" "));
}
