//! "Did you mean": the nearest of the names that exist.

/// The candidate with the smallest edit distance, if it is near enough to be what was meant.
#[must_use]
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let most = (name.chars().count() / 2).max(2);
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        // Not one with nothing in common: between short names a few edits change everything.
        .filter(|(distance, candidate)| *distance <= most && *distance < name.chars().count().max(candidate.chars().count()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `what exists: a, b, c; nearest: b`, for messages.
#[must_use]
pub fn known<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    let all: Vec<&str> = candidates.into_iter().collect();
    match nearest(name, all.iter().copied()) {
        Some(near) => format!("{}; nearest: {near}", all.join(", ")),
        None => all.join(", "),
    }
}

/// Edits (insert, delete, replace, swap of neighbours) from one name to the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().take(64).collect(), to.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, a) in from.iter().enumerate() {
        let mut now = vec![row + 1];
        for (column, b) in to.iter().enumerate() {
            let mut best = (last[column] + usize::from(a != b)).min(last[column + 1] + 1).min(now[column] + 1);
            if row > 0 && column > 0 && *a == to[column - 1] && from[row - 1] == *b {
                best = best.min(before[column - 1] + 1);
            }
            now.push(best);
        }
        before = std::mem::replace(&mut last, now);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["orders", "orders-db", "checkout", "relay"];
        assert_eq!(nearest("ordres", names), Some("orders"));
        assert_eq!(nearest("chekout", names), Some("checkout"));
        assert_eq!(nearest("zzzzzzzz", names), None);
        assert_eq!(known("rely", names), "orders, orders-db, checkout, relay; nearest: relay");
    }
}
