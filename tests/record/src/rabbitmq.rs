//! RabbitMQ.

/// Runs `record` or `check`.
///
/// # Errors
/// What went wrong, in words for a person.
pub fn run(words: &[String]) -> Result<(), String> {
    let (wish, names) = crate::folder::Wish::read(words)?;
    crate::folder::each("rabbitmq", &wish, names, "RabbitMQ", |_| Err("cannot be played yet".to_owned()))
}
