//! Replays recorded transcripts on the machine of their server: the same words must give the same lines.

use std::fs;
use std::path::{Path, PathBuf};

use redrive_brokers::transcript::Transcript;

/// What answers the words of a script.
pub type Server = Box<dyn FnMut(&str) -> Vec<String>>;

/// Replays every transcript of a folder of `tests/transcripts`; `open` makes the machine that a header asks for.
pub fn check_folder(folder: &str, open: impl Fn(&Transcript) -> Server) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/transcripts").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no transcript", folder.display());
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("a text file");
        let recorded = Transcript::parse(&text).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        let replayed = recorded.replayed(open(&recorded));
        let differs = recorded.steps.iter().zip(&replayed.steps).find(|(step, again)| step.gave != again.gave);
        if let Some((step, again)) = differs {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            wrong.push(format!("{name}: > {}\n  recorded {:?}\n  replayed {:?}", step.said, step.gave, again.gave));
        }
    }
    assert!(wrong.is_empty(), "{} of {} transcripts differ:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}
