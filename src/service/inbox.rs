//! An inbox: which facts have been processed already. A set of numbers that only grows, cheap to clone.

use crate::sim::Tape;

/// A set of facts.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    words: Tape<u64>,
    count: u64,
}

impl Inbox {
    /// Adds a fact. False when it was there already.
    #[cfg_attr(page, optimize(speed))]
    pub fn insert(&mut self, fact: u32) -> bool {
        let (word, bit) = (u64::from(fact / 64), 1_u64 << (fact % 64));
        while self.words.end() <= word {
            self.words.push(0);
        }
        let Some(bits) = self.words.get_mut(word) else { return false };
        let new = *bits & bit == 0;
        *bits |= bit;
        self.count += u64::from(new);
        new
    }

    /// True when the fact is there.
    #[must_use]
    pub fn contains(&self, fact: u32) -> bool {
        self.words.get(u64::from(fact / 64)).is_some_and(|bits| bits & (1 << (fact % 64)) != 0)
    }

    /// How many facts are there: the rows of the table.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_each_fact_once() {
        let mut inbox = Inbox::default();
        assert!(inbox.insert(200) && inbox.insert(3) && !inbox.insert(200));
        assert_eq!((inbox.contains(3), inbox.contains(4), inbox.contains(9_999), inbox.rows()), (true, false, false, 2));
    }
}
