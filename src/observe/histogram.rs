//! A histogram of durations with a relative precision of about 1.6 %, in integers.

/// Counts by logarithmic bucket: 64 linear steps an octave.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

const STEPS: u64 = 64;

#[cfg_attr(page, optimize(speed))]
fn bucket(value: u64) -> usize {
    if value < STEPS {
        return value as usize;
    }
    let octave = u64::from(63 - value.leading_zeros()) - 6;
    ((octave + 1) * STEPS + (value >> octave) - STEPS) as usize
}

/// The smallest value of a bucket.
#[cfg_attr(page, optimize(speed))]
fn floor_of(bucket: u64) -> u64 {
    if bucket < STEPS {
        return bucket;
    }
    let octave = bucket / STEPS - 1;
    (bucket % STEPS + STEPS) << octave
}

impl Histogram {
    /// Counts one value.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn add(&mut self, value: u64) {
        let index = bucket(value);
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
        self.total += 1;
    }

    /// How many values were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Forgets all values.
    pub fn clear(&mut self) {
        self.counts.clear();
        self.total = 0;
    }

    /// The value that so many thousandths of all values do not exceed, to the histogram's precision. Zero when empty.
    #[must_use]
    pub fn quantile(&self, thousandths: u64) -> u64 {
        let rank = (self.total * thousandths).div_ceil(1_000).max(1);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return floor_of(index as u64);
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_their_precision() {
        let mut histogram = Histogram::default();
        for value in 1..=10_000 {
            histogram.add(value * 10);
        }
        for (thousandths, exact) in [(500, 50_000), (990, 99_000), (1_000, 100_000)] {
            let found = histogram.quantile(thousandths);
            assert!(found <= exact && exact - found <= exact / 60, "{thousandths}: {found}");
        }
    }

    #[test]
    fn buckets_are_in_order_and_know_their_floor() {
        for value in [0, 1, 63, 64, 65, 127, 128, 1_000, 1_000_000, u64::from(u32::MAX)] {
            let floor = floor_of(bucket(value) as u64);
            assert!(floor <= value && value - floor <= value / 64, "{value}: {floor}");
        }
    }
}
