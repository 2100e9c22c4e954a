//! RabbitMQ, at 127.0.0.1:25680. Beside `record` and `check` it knows
//!
//! ```text
//! fuzz KIND COUNT SEED    KIND is classic, quorum or quorum-limit: random scripts on server and machine
//! ```

mod events;
mod fuzz;
mod player;
mod values;

use std::fmt::Write;
use std::process::Command;

use redrive_brokers::transcript::Transcript;

use crate::folder::{Wish, each};
use player::Player;

/// Where `scripts/record` starts the server.
const PORT: u16 = 25_680;

/// Runs `record`, `check` or `fuzz`.
///
/// # Errors
/// What went wrong, in words for a person.
pub fn run(words: &[String]) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    if let [verb, kind, count, seed] = words
        && verb == "fuzz"
    {
        let number = |word: &str| word.parse::<u64>().map_err(|error| format!("{word}: {error}"));
        return runtime.block_on(fuzz::run(kind, number(count)?, number(seed)?));
    }
    let (wish, names) = Wish::read(words)?;
    let version = runtime.block_on(player::version())?;
    each("rabbitmq", &wish, names, &version, |script| {
        set_times(script)?;
        runtime.block_on(settled(script))
    })
}

/// Plays a script until two recordings in a row agree: on a busy machine an answer may come after it was waited for.
async fn settled(script: &Transcript) -> Result<Transcript, String> {
    let mut before = script.clone();
    for _ in 0..4 {
        let found = play(script, "record").await?;
        if found.steps == before.steps {
            return Ok(found);
        }
        before = found;
    }
    Err("the server answers otherwise each time".to_owned())
}

/// The script with the answers of the server. `run` keeps names apart from those of scripts that run beside it.
async fn play(script: &Transcript, run: &str) -> Result<Transcript, String> {
    let mut player = Player::open(script, run).await?;
    let mut found = script.clone();
    for step in &mut found.steps {
        step.gave = player.say(&step.said).await.map_err(|fault| format!("> {}: {fault}", step.said))?;
    }
    player.finish().await;
    Ok(found)
}

/// Times of the node that a header may set, and what they are otherwise.
const TIMES: &[(&str, &str)] = &[("consumer_timeout", "1800s"), ("dead_letter_worker_publisher_confirm_timeout", "180s")];

/// Channels read them when they open, the workers for dead letters when their queue is declared.
fn set_times(script: &Transcript) -> Result<(), String> {
    let mut words = String::new();
    for (name, usual) in TIMES {
        let time = script.value(name).unwrap_or(usual);
        let us = redrive_brokers::rabbitmq::words::duration_us(time).ok_or_else(|| format!("{name}: {time}"))?;
        let _ = write!(words, "application:set_env(rabbit, {name}, {}), ", us / 1_000);
    }
    let told = Command::new("/usr/lib/rabbitmq/bin/rabbitmqctl")
        .args(["-q", "eval", &format!("{words} ok.")])
        .output()
        .map_err(|error| format!("rabbitmqctl: {error}"))?;
    if told.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&told.stderr).into_owned()) }
}
