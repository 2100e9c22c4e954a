//! What is wrong with a part.

use crate::command::CrashStep;
use crate::sim::{Ppm, Timestamp};

/// The faults of a part. The default is healthy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// It answers nobody.
    pub down: bool,
    /// Since when it is down or crashed.
    pub since_us: Timestamp,
    /// Everything takes so many thousandths of its time.
    pub slow_milli: u64,
    /// This share of what it is asked fails.
    pub fail: Ppm,
    /// It takes no new work.
    pub paused: bool,
    /// So many of its next acknowledgements are lost on the way.
    pub lose_acks: u64,
    /// Its process dies the next time it reaches this step.
    pub crash_at: Option<CrashStep>,
    /// So many of its next messages can never be processed.
    pub poison_next: u64,
    /// Its process died and comes back at this moment.
    pub restarting_until_us: Option<Timestamp>,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            down: false,
            since_us: 0,
            slow_milli: 1_000,
            fail: Ppm(0),
            paused: false,
            lose_acks: 0,
            crash_at: None,
            poison_next: 0,
            restarting_until_us: None,
        }
    }
}

impl Health {
    /// How long something takes here that normally takes so long.
    #[inline]
    #[must_use]
    pub fn stretched_us(&self, normally_us: u64) -> u64 {
        if self.slow_milli == 1_000 { normally_us } else { normally_us.saturating_mul(self.slow_milli) / 1_000 }
    }

    /// True when it neither answers nor works.
    #[must_use]
    pub fn out(&self) -> bool {
        self.down || self.restarting_until_us.is_some()
    }
}
