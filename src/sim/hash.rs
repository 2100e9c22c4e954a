//! The trace hash: one 64-bit number that stands for everything that happened in a run.

/// A running hash over 64-bit words. Order matters; it is a fingerprint for equality, not a defence against an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceHash(u64);

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

impl Default for TraceHash {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl TraceHash {
    /// Takes in one word.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    }

    /// Takes in a text, its length first so that two neighbours cannot swap characters.
    pub fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        for chunk in text.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(bytes));
        }
    }

    /// The fingerprint so far, mixed so that every bit depends on every word.
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn value(self) -> u64 {
        let mut value = self.0;
        value ^= value >> 32;
        value = value.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        value ^ (value >> 32)
    }
}

/// The fingerprint of a text alone: used for the names of random streams.
#[must_use]
pub fn of_text(text: &str) -> u64 {
    let mut hash = TraceHash::default();
    hash.text(text);
    hash.value()
}
