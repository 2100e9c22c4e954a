//! Sorting in place with little code: every type that the library's own sort is made for adds kilobytes to what a visitor
//! downloads.

/// Sorts by a strict order. Items of which neither is before the other may come in any order, the same each time.
pub(crate) fn sort_by<T>(items: &mut [T], before: impl Fn(&T, &T) -> bool) {
    // A heap with the last item on top, taken off one by one.
    let mut size = items.len();
    let mut root = size / 2;
    while size > 1 {
        if root > 0 {
            root -= 1;
        } else {
            size -= 1;
            items.swap(0, size);
        }
        let mut parent = root;
        loop {
            let mut child = 2 * parent + 1;
            if child >= size {
                break;
            }
            if child + 1 < size && before(&items[child], &items[child + 1]) {
                child += 1;
            }
            if !before(&items[parent], &items[child]) {
                break;
            }
            items.swap(parent, child);
            parent = child;
        }
    }
}

/// Sorts by a key. Items of one key may come in any order, the same each time.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a) < key(b));
}

/// Sorts ascending.
pub(crate) fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, |a, b| a < b);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_out_in_order() {
        let mut seed = 7_u32;
        for length in 0..60 {
            let mut items: Vec<u32> = Vec::new();
            for _ in 0..length {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                items.push(seed >> 27);
            }
            let mut expect = items.clone();
            expect.sort_unstable();
            sort(&mut items);
            assert_eq!(items, expect);
        }
        let mut words = ["pear", "fig", "plum", "banana"];
        sort_by_key(&mut words, |word| (word.len(), *word));
        assert_eq!(words, ["fig", "pear", "plum", "banana"]);
    }
}
