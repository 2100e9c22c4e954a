//! What a transcript's header and its arguments of queues mean.

use super::settings::{DeliveryLimit, Kind, Overflow, Release, Settings};
use crate::transcript::Transcript;

/// What a queue's arguments mean beside `usual`, its dead-letter exchange and key aside.
///
/// # Errors
/// The argument that is not known or has no such value.
pub fn settings(args: &[(String, String)], usual: Settings) -> Result<Settings, String> {
    let mut settings = usual;
    for (name, value) in args {
        set(&mut settings, name, value).ok_or_else(|| format!("{name}={value}"))?;
    }
    Ok(settings)
}

fn set(settings: &mut Settings, name: &str, value: &str) -> Option<()> {
    match name {
        "x-queue-type" => settings.kind = if value == "quorum" { Kind::Quorum } else { Kind::Classic },
        "x-delivery-limit" => {
            let limit: i64 = value.parse().ok()?;
            settings.delivery_limit = u32::try_from(limit).map_or(DeliveryLimit::Unlimited, DeliveryLimit::Returns);
        }
        "x-message-ttl" => settings.ttl_us = Some(value.parse::<u64>().ok()?.checked_mul(1_000)?),
        "x-max-length" => settings.max_length = Some(value.parse().ok()?),
        "x-max-length-bytes" => settings.max_bytes = Some(value.parse().ok()?),
        "x-expires" => settings.expires_us = Some(value.parse::<u64>().ok()?.checked_mul(1_000)?),
        "x-dead-letter-strategy" => {
            settings.at_least_once = match value {
                "at-most-once" => false,
                "at-least-once" => true,
                _ => return None,
            }
        }
        "x-overflow" => {
            settings.overflow = match value {
                "drop-head" => Overflow::DropHead,
                "reject-publish" => Overflow::RejectPublish,
                "reject-publish-dlx" => Overflow::RejectPublishDlx,
                _ => return None,
            }
        }
        "x-max-priority" => settings.priorities = value.parse().ok()?,
        "x-single-active-consumer" => settings.single_active = value == "true",
        "x-dead-letter-exchange" | "x-dead-letter-routing-key" => {}
        _ => return None,
    }
    Some(())
}

/// The release of a `server:` line: `RabbitMQ 3.10.8`.
#[must_use]
pub fn release(server: &str) -> Release {
    let version = server.strip_prefix("RabbitMQ ").unwrap_or(server);
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    match (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) {
        (5.., _) | (4, 3..) => Release::V4_3,
        (4, _) => Release::V4_0,
        _ => Release::V3_10,
    }
}

/// The arguments of the queue that the header declares.
#[must_use]
pub fn main_queue(transcript: &Transcript) -> Option<Vec<(String, String)>> {
    let kind = transcript.value("queue")?;
    let mut args = vec![("x-queue-type".to_owned(), kind.to_owned())];
    args.extend(transcript.header.iter().filter(|(name, _)| name.starts_with("x-")).cloned());
    Some(args)
}
