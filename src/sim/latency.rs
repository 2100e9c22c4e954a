//! How long something takes: a constant or a distribution, sampled over `libm` so that native and Wasm agree to the bit.

use std::fmt;

use super::chance::Stream;
use super::time::Micros;

/// A distribution of durations.
///
/// Written `20ms` (always), `20ms..80ms` (uniform), `exp 20ms` (exponential with that mean), `p50 20ms p99 1.5s` (log-normal
/// with that median and 99th percentile).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// Always the same.
    Constant(Micros),
    /// Any duration from the first to the second, equally likely.
    Uniform(Micros, Micros),
    /// Memoryless, with this mean.
    Exponential(Micros),
    /// Log-normal, given by its median and its 99th percentile.
    LogNormal {
        /// Half of all durations are shorter.
        p50: Micros,
        /// 99 of 100 are shorter.
        p99: Micros,
    },
}

/// The 99 % quantile of the standard normal distribution.
const Z99: f64 = 2.326_347_874_040_841;

impl Default for Latency {
    fn default() -> Self {
        Self::Constant(Micros::ZERO)
    }
}

impl Latency {
    /// Draws one duration in microseconds.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn sample_us(self, stream: &mut Stream) -> u64 {
        match self {
            Self::Constant(always) => always.0,
            Self::Uniform(low, high) => {
                let span = u32::try_from(high.0 - low.0).unwrap_or(u32::MAX - 1);
                low.0 + u64::from(stream.below(span.saturating_add(1)))
            }
            Self::Exponential(mean) => rounded(-libm::log(stream.open_unit()) * mean.0 as f64),
            Self::LogNormal { p50, p99 } => {
                let sigma = libm::log(p99.0 as f64 / p50.0 as f64) / Z99;
                rounded(p50.0 as f64 * libm::exp(sigma * normal(stream)))
            }
        }
    }

    /// The one duration, where it does not vary: lets a caller use a first-in first-out lane of the event queue.
    #[must_use]
    pub fn constant_us(self) -> Option<u64> {
        match self {
            Self::Constant(always) => Some(always.0),
            _ => None,
        }
    }

    /// Reads one of the four forms.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(mean) = text.strip_prefix("exp ") {
            return Micros::parse(mean).map(Self::Exponential);
        }
        if let Some(rest) = text.strip_prefix("p50 ") {
            let (p50, p99) =
                rest.split_once(" p99 ").ok_or_else(|| format!("`{text}` has no p99: write it like p50 20ms p99 1.5s"))?;
            let (p50, p99) = (Micros::parse(p50)?, Micros::parse(p99)?);
            if p50.0 == 0 || p99 < p50 {
                return Err(format!("`{text}`: p50 must be above zero and p99 not below it"));
            }
            return Ok(Self::LogNormal { p50, p99 });
        }
        if let Some((low, high)) = text.split_once("..") {
            let (low, high) = (Micros::parse(low)?, Micros::parse(high)?);
            if high < low {
                return Err(format!("`{text}` ends before it starts"));
            }
            return Ok(Self::Uniform(low, high));
        }
        Micros::parse(text).map(Self::Constant).map_err(|fault| {
            if fault.contains("is not a duration") {
                format!("`{text}` is not a latency: write it like 20ms, 20ms..80ms, exp 20ms or p50 20ms p99 1.5s")
            } else {
                fault
            }
        })
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(always) => write!(f, "{always}"),
            Self::Uniform(low, high) => write!(f, "{low}..{high}"),
            Self::Exponential(mean) => write!(f, "exp {mean}"),
            Self::LogNormal { p50, p99 } => write!(f, "p50 {p50} p99 {p99}"),
        }
    }
}

/// A number from the standard normal distribution, by Marsaglia's polar method: it needs no sine, which is a large function.
fn normal(stream: &mut Stream) -> f64 {
    loop {
        let (x, y) = (2.0 * stream.open_unit() - 1.0, 2.0 * stream.open_unit() - 1.0);
        let square = x * x + y * y;
        if square < 1.0 && square > 0.0 {
            return x * (-2.0 * libm::log(square) / square).sqrt();
        }
    }
}

/// The nearest whole microsecond. `f64::round` is a platform function, adding a half and cutting is not.
#[inline]
fn rounded(us: f64) -> u64 {
    (us + 0.5) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_back() {
        for text in ["20ms", "20ms..80ms", "exp 20ms", "p50 20ms p99 1.5s"] {
            assert_eq!(Latency::parse(text).map(|latency| latency.to_string()), Ok(text.to_owned()));
        }
        assert!(Latency::parse("fast").unwrap_err().contains("is not a latency"));
        assert_eq!(Latency::parse("-1s").unwrap_err(), "`-1s` is negative");
    }

    #[test]
    fn samples_have_the_quantiles_they_were_given() {
        let mut stream = Stream::new(3, "x", "latency");
        let latency = Latency::parse("p50 20ms p99 1.5s").expect("a good form");
        let mut samples: Vec<u64> = (0..20_000).map(|_| latency.sample_us(&mut stream)).collect();
        samples.sort_unstable();
        assert!((19_000..21_000).contains(&samples[10_000]), "{}", samples[10_000]);
        assert!((1_300_000..1_700_000).contains(&samples[19_800]), "{}", samples[19_800]);
    }
}
