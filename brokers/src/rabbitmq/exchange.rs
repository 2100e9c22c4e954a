//! Exchanges: which queues a message goes to.
//!
//! Matching as in the sources of 3.10: `rabbit_exchange_type_topic`, `rabbit_exchange_type_headers` and, for alternate
//! exchanges, `rabbit_exchange:route`.

/// The types of exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeKind {
    /// Binding key equals routing key.
    Direct,
    /// Every binding.
    Fanout,
    /// Words between dots; `*` is one word, `#` any number of them.
    Topic,
    /// By the message's headers.
    Headers,
    /// `x-consistent-hash` (a plug-in): one queue for each routing key; binding keys are weights.
    ConsistentHash,
}

/// The value of a header or of a binding's argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A number.
    Int(i64),
    /// No value: a binding with it wants the header to be there.
    Void,
}

/// How a headers binding reads its arguments: `x-match`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Match {
    /// All of them, those that start with `x-` aside.
    #[default]
    All,
    /// One of them, those that start with `x-` aside.
    Any,
    /// All of them.
    AllWithX,
    /// One of them.
    AnyWithX,
}

/// A queue bound to an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The queue's number.
    pub queue: u32,
    /// The binding key.
    pub key: String,
    /// What a headers exchange compares.
    pub headers: Vec<(String, Value)>,
    /// How it compares.
    pub matching: Match,
}

impl Binding {
    /// A binding by key.
    #[must_use]
    pub fn by_key(queue: u32, key: &str) -> Self {
        Self { queue, key: key.to_owned(), headers: Vec::new(), matching: Match::All }
    }
}

/// The queues that a message goes to, each once, by number. Empty means that nothing takes it: it is confirmed and gone,
/// returned if it is mandatory, or given to the alternate exchange.
#[must_use]
pub fn route(kind: ExchangeKind, bindings: &[Binding], key: &str, headers: &[(String, Value)]) -> Vec<u32> {
    if kind == ExchangeKind::ConsistentHash {
        return super::hash::bucket(bindings, key).into_iter().collect();
    }
    let takes = |binding: &&Binding| match kind {
        ExchangeKind::Direct => binding.key == key,
        ExchangeKind::Fanout | ExchangeKind::ConsistentHash => true,
        ExchangeKind::Topic => topic_matches(&binding.key, key),
        ExchangeKind::Headers => headers_match(binding, headers),
    };
    let mut queues: Vec<u32> = bindings.iter().filter(takes).map(|binding| binding.queue).collect();
    crate::order::sort(&mut queues);
    queues.dedup();
    queues
}

/// Whether a topic pattern takes a routing key. An empty key has no words; `a..b` has an empty one in the middle.
#[must_use]
pub fn topic_matches(pattern: &str, key: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        if text.is_empty() { Vec::new() } else { text.split('.').map(str::to_owned).collect() }
    };
    let (pattern, key) = (words(pattern), words(key));
    // The key's beginnings that the pattern's beginning takes; a table, for `#` after `#` must not take forever.
    let mut taken = vec![false; key.len() + 1];
    taken[0] = true;
    for word in &pattern {
        if word == "#" {
            let first = taken.iter().position(|taken| *taken).unwrap_or(taken.len());
            taken[first..].fill(true);
            continue;
        }
        for at in (0..key.len()).rev() {
            taken[at + 1] = taken[at] && (word == "*" || *word == key[at]);
        }
        taken[0] = false;
    }
    taken[key.len()]
}

fn headers_match(binding: &Binding, headers: &[(String, Value)]) -> bool {
    let with_x = matches!(binding.matching, Match::AllWithX | Match::AnyWithX);
    let mut wanted = binding.headers.iter().filter(|(name, _)| name != "x-match" && (with_x || !name.starts_with("x-")));
    let has = |(name, value): &(String, Value)| {
        headers.iter().any(|(known, held)| known == name && (*value == Value::Void || value == held))
    };
    match binding.matching {
        Match::All | Match::AllWithX => wanted.all(has),
        Match::Any | Match::AnyWithX => wanted.any(has),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: ExchangeKind, keys: &[&str], key: &str, expect: &[u32]) {
        let bindings: Vec<Binding> = (0..).zip(keys).map(|(queue, key)| Binding::by_key(queue, key)).collect();
        assert_eq!(route(kind, &bindings, key, &[]), expect, "{kind:?} {keys:?} {key:?}");
    }

    #[test]
    fn a_topic_matches_word_by_word() {
        let patterns = ["#", "#.#", "*", "a", "a.#", "a.#.c", "*.c", "#.c", ""];
        check(ExchangeKind::Topic, &patterns, "", &[0, 1, 8]);
        check(ExchangeKind::Topic, &patterns, "a", &[0, 1, 2, 3, 4]);
        check(ExchangeKind::Topic, &patterns, "a.c", &[0, 1, 4, 5, 6, 7]);
        check(ExchangeKind::Topic, &patterns, "a..c", &[0, 1, 4, 5, 7]);
    }

    #[test]
    fn other_types_look_at_the_whole_key_or_not_at_all() {
        check(ExchangeKind::Direct, &["a", "b", "a"], "a", &[0, 2]);
        check(ExchangeKind::Fanout, &["a", "b"], "c", &[0, 1]);
        check(ExchangeKind::Direct, &["*"], "a", &[]);
    }
}
