//! Transcripts of Kafka: what a script's words do to the machines.
//!
//! The header's `machine:` says which: `cluster` (the default), [`log`] or [`client`]. Its settings stand in the header
//! under Kafka's own names, times in milliseconds. Where `recorded:` names what was seen on the real server, the other
//! lines follow from its rules.

pub mod client;
pub mod cluster;
pub mod log;
mod reading;
mod transactions;
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
        "log" => {
            let mut log = log::Log::new(transcript)?;
            Ok(Box::new(move |words| log.say(words)))
        }
        "client" => {
            let mut client = client::Client::new(transcript)?;
            Ok(Box::new(move |words| client.say(words)))
        }
        other => Err(format!("no machine `{other}`")),
    }
}
