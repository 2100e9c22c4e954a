//! Where a scenario comes from: a file, standard input, or the library.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use redrive::run::Source;
use redrive::scenario::document::MAX_BYTES;
use redrive::scenario::{Fault, library};

/// Finds FILE or ID. A file that exists wins.
///
/// # Errors
/// What is wrong with the file, or which ids exist.
pub fn find(input: &str) -> Result<Source, Fault> {
    let fault = |wrong: String| Fault::new(input, wrong, "a scenario as JSON in UTF-8");
    if input == "-" {
        return text(stdin().lock()).map(|text| Source::Document("stdin".into(), text)).map_err(fault);
    }
    let path = Path::new(input);
    // A pipe is as good as a file: `<(…)` of a shell is one.
    if path.exists() && !path.is_dir() {
        let file = File::open(path).map_err(|error| fault(format!("the file does not open: {error}")))?;
        let stem = path.file_stem().map_or_else(|| input.into(), |stem| stem.to_string_lossy());
        return text(file).map(|text| Source::Document(stem.into_owned(), text)).map_err(fault);
    }
    if path.is_dir() && library::text(input).is_err() {
        return Err(fault("this is a folder".into()));
    }
    if input.ends_with(".json") || input.contains(['/', '\\']) {
        let ids = library::ids().collect::<Vec<_>>().join(", ");
        return Err(Fault::new(input, "there is no such file", format!("a file, - for standard input, or an id: {ids}")));
    }
    library::text(input).map(|_| Source::Library(input.to_owned())).map_err(|mut faults| faults.0.remove(0))
}

/// Reads text, a little more than a document may have at most: the check of the document then says how much is allowed.
fn text(reader: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    reader.take(4 * MAX_BYTES as u64).read_to_end(&mut bytes).map_err(|error| format!("it cannot be read: {error}"))?;
    String::from_utf8(bytes).map_err(|error| format!("it is not UTF-8 text: byte {} is wrong", error.utf8_error().valid_up_to()))
}
