//! Transcripts: a script in neutral words with what a real server gave, line by line.
//!
//! ```text
//! case: one of three comes back to its place
//! server: RabbitMQ 3.10.8
//! source: recorded 2026-11-29
//! queue: classic
//!
//! > publish A B C D E
//! > get 3
//! A B C
//! > nack B requeue
//! > get 3
//! B(r) D E
//! ```
//!
//! A header of `name: value` lines, an empty line, then steps: a line that starts with `> ` is said to the server, the
//! lines up to the next one are what came back. `#` starts a comment line. The words of a step are each broker's own
//! matter; its module says which there are.

use std::fmt::Write;

/// A script with its recorded answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// Name and value of each header line, in order.
    pub header: Vec<(String, String)>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// What was said and what came back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The words.
    pub said: String,
    /// The answer's lines.
    pub gave: Vec<String>,
}

impl Transcript {
    /// Reads a transcript.
    ///
    /// # Errors
    /// The number of the first line that cannot be read, from 1, and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut found = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(said) = line.strip_prefix("> ") {
                found.steps.push(Step { said: said.trim().to_owned(), gave: Vec::new() });
            } else if let Some(step) = found.steps.last_mut() {
                step.gave.push(line.trim().to_owned());
            } else if let Some((name, value)) = line.split_once(':') {
                found.header.push((name.trim().to_owned(), value.trim().to_owned()));
            } else {
                return Err(format!("line {number}: a `name: value` line or a step that starts with `> ` was expected"));
            }
        }
        Ok(found)
    }

    /// The value of a header line.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.header.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The transcript as text, as [`Transcript::parse`] reads it.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.header {
            let _ = writeln!(text, "{name}: {value}");
        }
        text.push('\n');
        for step in &self.steps {
            let _ = writeln!(text, "> {}", step.said);
            for line in &step.gave {
                let _ = writeln!(text, "{line}");
            }
        }
        text
    }

    /// The same script with the answers that `server` gives, each call one step's words.
    #[must_use]
    pub fn replayed(&self, mut server: impl FnMut(&str) -> Vec<String>) -> Self {
        let answer = |step: &Step| Step { said: step.said.clone(), gave: server(&step.said) };
        Self { header: self.header.clone(), steps: self.steps.iter().map(answer).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_reads_as_it_is_written() {
        let text = "case: two\nserver: none 1.0\n\n> publish A\n> get 1\nA\nnothing more\n";
        let read = Transcript::parse(text).expect("it is well formed");
        assert_eq!(read.value("server"), Some("none 1.0"));
        assert_eq!(read.steps[1], Step { said: "get 1".into(), gave: vec!["A".into(), "nothing more".into()] });
        assert_eq!(read.to_text(), text);
    }

    #[test]
    fn a_line_before_any_step_must_be_a_header() {
        let fault = Transcript::parse("case: one\nnonsense\n").expect_err("no header, no step");
        assert!(fault.starts_with("line 2:"), "{fault}");
    }
}
