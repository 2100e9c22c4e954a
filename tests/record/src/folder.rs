//! A folder of transcripts: playing each anew, then writing it or telling the differences.

use std::fs;
use std::path::{Path, PathBuf};

use redrive_brokers::transcript::Transcript;

/// What is wanted of a folder.
pub enum Wish<'a> {
    /// Write down what the server gives, recorded on this date.
    Record(&'a str),
    /// Tell what differs and write nothing.
    Check,
}

impl<'a> Wish<'a> {
    /// Reads `record DATE [NAME…]` or `check [NAME…]`: the wish, and the transcripts that it is about; none are all.
    ///
    /// # Errors
    /// The words are neither.
    pub fn read(words: &'a [String]) -> Result<(Self, &'a [String]), String> {
        match words {
            [verb, date, names @ ..] if verb == "record" => Ok((Self::Record(date), names)),
            [verb, names @ ..] if verb == "check" => Ok((Self::Check, names)),
            _ => Err("`record DATE [NAME…]` or `check [NAME…]` was expected".to_owned()),
        }
    }
}

/// Whether a transcript of this source is ours to play: `recorded 2026-11-29` is played anew, `record` asks for a first
/// recording; `recorded on AWS by others` is not.
fn is_ours(source: &str) -> bool {
    source == "record" || source.strip_prefix("recorded ").is_some_and(|when| when.starts_with(|c: char| c.is_ascii_digit()))
}

/// Plays every transcript of a folder of `tests/transcripts` that was recorded here. `version` is the server's own name
/// and version; `play` gives the script with the answers of the server.
///
/// # Errors
/// A file cannot be read or written, a script cannot be played, or something differs from what is checked.
pub fn each(
    server: &str,
    wish: &Wish<'_>,
    names: &[String],
    version: &str,
    mut play: impl FnMut(&Transcript) -> Result<Transcript, String>,
) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../transcripts").join(server);
    let mut faults = 0;
    let mut played = 0;
    for file in files(&folder)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).map_err(|error| format!("{name}: {error}"))?;
        let known = Transcript::parse(&text).map_err(|fault| format!("{name}: {fault}"))?;
        let wanted = names.is_empty() || names.contains(&name);
        if !wanted || !known.value("source").is_some_and(is_ours) {
            continue;
        }
        played += 1;
        let mut found = match play(&known) {
            Ok(found) => found,
            Err(fault) => {
                eprintln!("{name}: {fault}");
                faults += 1;
                continue;
            }
        };
        if found.steps == known.steps && known.value("source") != Some("record") {
            continue;
        }
        match wish {
            Wish::Check => {
                faults += 1;
                tell(&name, &known, &found);
            }
            Wish::Record(date) => {
                set(&mut found, "server", version);
                set(&mut found, "source", &format!("recorded {date}"));
                fs::write(&file, found.to_text()).map_err(|error| format!("{name}: {error}"))?;
                println!("{name}: written");
            }
        }
    }
    println!("{server}: {played} played on {version}, {faults} with faults or differences");
    if faults == 0 { Ok(()) } else { Err(format!("{server}: {faults} of {played} transcripts")) }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    Ok(files)
}

fn set(transcript: &mut Transcript, name: &str, value: &str) {
    match transcript.header.iter_mut().find(|(known, _)| known == name) {
        Some((_, held)) => value.clone_into(held),
        None => transcript.header.push((name.to_owned(), value.to_owned())),
    }
}

fn tell(name: &str, known: &Transcript, found: &Transcript) {
    for (step, again) in known.steps.iter().zip(&found.steps) {
        if step.gave != again.gave {
            println!("{name}: > {}\n  recorded {:?}\n  now      {:?}", step.said, step.gave, again.gave);
        }
    }
}
