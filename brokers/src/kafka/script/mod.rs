//! Transcripts of Kafka: what a script's words do to the machines.
//!
//! The header's `machine:` says which: `cluster` (the default), [`cluster::Cluster`]. Its settings
//! stand in the header under Kafka's own names, times in milliseconds. Where `recorded:` names what was seen on the real
//! server, the other lines follow from its rules.

pub mod cluster;
mod words;

use crate::transcript::Transcript;

/// What answers the words of a script.
pub type Machine = Box<dyn FnMut(&str) -> Vec<String>>;

/// Makes the machine that a transcript's header asks for.
///
/// # Errors
/// The word that is not known.
pub fn open(transcript: &Transcript) -> Result<Machine, String> {
    match transcript.value("machine").unwrap_or("cluster") {
        "cluster" => {
            let mut cluster = cluster::Cluster::new(transcript)?;
            Ok(Box::new(move |words| cluster.say(words)))
        }
        other => Err(format!("no machine `{other}`")),
    }
}
