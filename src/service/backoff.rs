//! How long to wait before trying again.

use crate::scenario::choices::Backoff;
use crate::scenario::parts::WorkerSettings;
use crate::sim::Stream;

/// The wait in microseconds after the try with this number, counted from 1.
///
/// With jitter the wait is drawn between half and all of its length, so that those who failed together do not come back
/// together.
pub fn wait_us(settings: &WorkerSettings, tries: u16, stream: &mut Stream) -> u64 {
    let first_us = settings.backoff_first.0;
    let full_us = match settings.backoff {
        Backoff::None => return 0,
        Backoff::Fixed => first_us,
        Backoff::Exponential => first_us.saturating_mul(1 << u32::from(tries.saturating_sub(1)).min(32)),
    }
    .min(settings.backoff_max.0.max(first_us));
    if !settings.jitter {
        return full_us;
    }
    let half_us = full_us / 2;
    half_us + u64::from(stream.below(u32::try_from(full_us - half_us + 1).unwrap_or(u32::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_their_limit() {
        let mut settings = WorkerSettings { jitter: false, ..WorkerSettings::default() };
        let mut stream = Stream::new(1, "worker", "jitter");
        let waits: Vec<u64> = (1..=7).map(|tries| wait_us(&settings, tries, &mut stream) / 1_000_000).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
        settings.jitter = true;
        for tries in 1..=5 {
            let wait = wait_us(&settings, tries, &mut stream);
            let full = 1_000_000 << (tries - 1);
            assert!((full / 2..=full).contains(&wait), "{tries}: {wait}");
        }
        settings.backoff = Backoff::None;
        assert_eq!(wait_us(&settings, 3, &mut stream), 0);
    }
}
