//! A heap that gives out the lowest rank first. The standard library's does the same; it is generic code, which the page's
//! build makes small, and this is asked for each message.

/// What a [`Heap`] orders by.
pub trait Ranked: Copy {
    /// No two in one heap have the same.
    fn rank(&self) -> u128;
}

/// A binary heap in one list: the children of `n` are at `2n + 1` and `2n + 2`.
#[derive(Clone, Debug)]
pub struct Heap<T>(Vec<T>);

impl<T> Default for Heap<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ranked> Heap<T> {
    /// The one of the lowest rank.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn first(&self) -> Option<&T> {
        self.0.first()
    }

    /// How many are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts one in.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn push(&mut self, item: T) {
        self.0.push(item);
        self.rise(self.0.len() - 1, item);
    }

    /// Takes the one of the lowest rank out.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn pop(&mut self) -> Option<T> {
        let last = self.0.pop()?;
        let Some(first) = self.0.first().copied() else { return Some(last) };
        // The hole goes down to the end along the lower children, and the last one up from there: it came from the end, and
        // seldom has far to go.
        let items = &mut self.0[..];
        let mut hole = 0;
        loop {
            let left = 2 * hole + 1;
            let Some([one, other]) = items.get(left..left + 2) else { break };
            let child = left + usize::from(other.rank() < one.rank());
            items[hole] = items[child];
            hole = child;
        }
        let left = 2 * hole + 1;
        if left < items.len() {
            items[hole] = items[left];
            hole = left;
        }
        self.rise(hole, last);
        Some(first)
    }

    /// Moves a hole up to where an item belongs, and puts it there.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    fn rise(&mut self, mut hole: usize, item: T) {
        let items = &mut self.0[..];
        while hole > 0 {
            let parent = (hole - 1) / 2;
            if items[parent].rank() < item.rank() {
                break;
            }
            items[hole] = items[parent];
            hole = parent;
        }
        items[hole] = item;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Ranked for u128 {
        fn rank(&self) -> u128 {
            *self
        }
    }

    #[test]
    fn what_goes_in_comes_out_in_order() {
        for count in 0..70_u128 {
            let mut heap = Heap::default();
            (0..count).for_each(|number| heap.push(number * 37 % 71));
            assert_eq!(heap.len() as u128, count);
            let out: Vec<u128> = std::iter::from_fn(|| heap.pop()).collect();
            assert_eq!(out.len() as u128, count);
            assert!(out.is_sorted(), "{out:?}");
        }
    }

    #[test]
    fn it_may_be_filled_between() {
        let mut heap = Heap::default();
        let mut out = Vec::new();
        for round in 0..100_u128 {
            heap.push(1_000 + round * 7 % 100);
            heap.push(2_000 + round);
            out.extend(heap.pop());
        }
        out.extend(std::iter::from_fn(|| heap.pop()));
        out.sort_unstable();
        out.dedup();
        assert_eq!((out.len(), heap.is_empty()), (200, true));
    }
}
