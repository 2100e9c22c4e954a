//! Messages by what became of them: what a list of them is asked for.

use super::account::{Outcome, Standing};
use super::books::{End, Place};
use super::ledger::Ledger;
use super::record::Cause;

/// What may have become of an effect of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Took place exactly once.
    Once,
    /// More than once.
    Twice,
    /// Can no longer take place.
    Lost,
    /// May still take place.
    Pending,
    /// Lies among the dead letters only.
    Dead,
    /// Came, or will come, after its promise.
    Late,
    /// A repeat was recognised and skipped.
    Skipped,
    /// Took place after a later one of the same key.
    OutOfOrder,
}

impl Fate {
    /// All of them, with their words.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Once, "once"),
        (Self::Twice, "twice"),
        (Self::Lost, "lost"),
        (Self::Pending, "pending"),
        (Self::Dead, "dead"),
        (Self::Late, "late"),
        (Self::Skipped, "skipped"),
        (Self::OutOfOrder, "out-of-order"),
    ];
}

/// Which messages a list has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All.
    All,
    /// With this fate of an effect, by bit; of any effect for none.
    Fate(Fate, Option<u8>),
    /// With this outcome for their user.
    User(Outcome),
    /// Of this key.
    Key(u32),
    /// With an effect that is lost for this cause.
    LostBy(Cause),
    /// Of which a copy has ended so.
    Ended(End),
    /// At a place of a part; of those unread in a log, for the reader that leads to this effect.
    At {
        /// The part.
        part: u16,
        /// The place.
        place: Place,
        /// The reader's effect, by bit; nought where it does not matter.
        effect: u8,
    },
    /// Whose id begins so, or of this key.
    Near {
        /// How the id begins.
        begins: String,
        /// The key.
        key: Option<u32>,
    },
}

/// What users may have got, with its words.
const OUTCOMES: [(Outcome, &str); 4] =
    [(Outcome::Refused, "refused"), (Outcome::Never, "never"), (Outcome::Waiting, "waiting"), (Outcome::Served, "served")];

impl Which {
    /// The words of every list that has a name.
    pub fn words() -> impl Iterator<Item = &'static str> {
        ["all"].into_iter().chain(Fate::ALL.map(|(_, word)| word)).chain(OUTCOMES.map(|(_, word)| word))
    }

    /// What is near a text that someone types: `88` is an id, the beginning of one, or a key; `key 88` is a key alone.
    #[must_use]
    pub fn near(text: &str) -> Self {
        let text = text.trim();
        let key = text.strip_prefix("key").map(|rest| rest.trim_start_matches([' ', '=', ':']));
        match key.and_then(|key| key.parse().ok()) {
            Some(key) => Self::Key(key),
            None => Self::Near { begins: text.to_owned(), key: text.parse().ok() },
        }
    }

    /// The list with this name; none where there is none.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let fate = Fate::ALL.into_iter().find(|(_, own)| *own == word).map(|(fate, _)| Self::Fate(fate, None));
        let outcome = || OUTCOMES.into_iter().find(|(_, own)| *own == word).map(|(outcome, _)| Self::User(outcome));
        fate.or_else(outcome).or((word == "all").then_some(Self::All))
    }
}

impl Ledger {
    /// Whether an effect of a fact has this fate.
    #[must_use]
    pub fn has_fate(&self, fact: u32, effect: usize, fate: Fate) -> bool {
        match (fate, self.standing(fact, effect)) {
            (Fate::Late, _) => self.is_late(fact, effect),
            (Fate::Skipped, _) => self.is_skipped(fact, effect),
            (Fate::OutOfOrder, _) => self.is_out_of_order(fact, effect),
            (Fate::Once, standing) => standing == Standing::Done(1),
            (Fate::Twice, standing) => matches!(standing, Standing::Done(2..)),
            (Fate::Lost, standing) => matches!(standing, Standing::Lost(_)),
            (Fate::Pending, standing) => standing == Standing::Pending,
            (Fate::Dead, standing) => standing == Standing::Dead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_names_a_list() {
        for word in Which::words() {
            assert!(Which::parse(word).is_some(), "{word}");
        }
        assert_eq!(Which::parse("late"), Some(Which::Fate(Fate::Late, None)), "an effect is late, and so its user");
        assert_eq!(Which::parse("loste"), None);
        assert_eq!([Which::near("key 7"), Which::near(" key=7")], [Which::Key(7), Which::Key(7)]);
        assert_eq!(Which::near(" 88 "), Which::Near { begins: "88".into(), key: Some(88) });
        assert_eq!(Which::near("keys"), Which::Near { begins: "keys".into(), key: None });
    }
}
