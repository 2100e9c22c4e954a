//! Runs the runner with something wrong and compares what it complains about.

use std::io::Write;
use std::process::{Command, Stdio};

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
    assert_eq!(complaint.trim_end(), expect, "redrive {}", words.join(" "));
    assert_eq!((output.status.code(), &*out), (Some(2), ""), "redrive {}", words.join(" "));
}
