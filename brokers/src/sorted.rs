//! Maps and sets in the order of their keys, whose tree is there once for all of them.
//!
//! The standard library's tree is made anew for every pair of types, and each of them is a few kilobytes of what a visitor
//! downloads. Here one tree holds where each key's value lies, and the values lie in a list of their type. Every operation takes
//! the time that it takes in the standard library's map, and one look more.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

/// What can be a key: numbers, and pairs of them, in their order.
pub trait Key: Copy {
    /// A number whose order is the keys' order.
    fn rank(self) -> u128;

    /// The key of that number.
    fn of_rank(rank: u128) -> Self;
}

macro_rules! number_key {
    ($($number:ty),*) => {$(
        impl Key for $number {
            fn rank(self) -> u128 {
                u128::from(self)
            }
            fn of_rank(rank: u128) -> Self {
                rank as Self
            }
        }
        impl Key for ($number, u64) {
            fn rank(self) -> u128 {
                u128::from(self.0) << 64 | u128::from(self.1)
            }
            fn of_rank(rank: u128) -> Self {
                ((rank >> 64) as $number, rank as u64)
            }
        }
    )*};
}

number_key!(u8, u16, u32, u64);

/// Where the value of each key lies. No type of key or value is in it, so that its code is there once.
#[derive(Clone, Debug, Default)]
struct Places {
    tree: BTreeMap<u128, u32>,
    free: Vec<u32>,
}

impl Places {
    #[inline(never)]
    fn find(&self, rank: u128) -> Option<usize> {
        self.tree.get(&rank).map(|place| *place as usize)
    }

    /// The place of a key: its own, else a free one, else a new one after all others.
    #[inline(never)]
    fn claim(&mut self, rank: u128) -> usize {
        let next = (self.tree.len() + self.free.len()) as u32;
        let free = &mut self.free;
        *self.tree.entry(rank).or_insert_with(|| free.pop().unwrap_or(next)) as usize
    }

    #[inline(never)]
    fn release(&mut self, rank: u128) -> Option<usize> {
        let place = self.tree.remove(&rank)?;
        self.free.push(place);
        Some(place as usize)
    }

    #[inline(never)]
    fn range(&self, low: Bound<u128>, high: Bound<u128>) -> std::collections::btree_map::Range<'_, u128, u32> {
        // Upside down it is empty, as in a filter; the tree's own would panic.
        let empty = match (low, high) {
            (Bound::Included(low), Bound::Included(high)) => low > high,
            (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => low >= high,
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        };
        if empty { self.tree.range(0..0) } else { self.tree.range((low, high)) }
    }
}

/// A map in the order of its keys.
#[derive(Clone, Debug)]
pub struct SortedMap<K, V> {
    places: Places,
    values: Vec<Option<V>>,
    keys: PhantomData<K>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self { places: Places::default(), values: Vec::new(), keys: PhantomData }
    }
}

impl<K: Key, V> SortedMap<K, V> {
    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.tree.len()
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.tree.is_empty()
    }

    /// Whether a key is there.
    #[must_use]
    pub fn contains_key(&self, key: K) -> bool {
        self.places.find(key.rank()).is_some()
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(self.places.find(key.rank())?)?.as_ref()
    }

    /// The value of a key, to change.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.values.get_mut(self.places.find(key.rank())?)?.as_mut()
    }

    /// Gives a key a value, and returns the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let place = self.places.claim(key.rank());
        if place == self.values.len() {
            self.values.push(None);
        }
        self.values[place].replace(value)
    }

    /// The value of a key, which gets `value` if it has none.
    pub fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let place = self.places.claim(key.rank());
        if place == self.values.len() {
            self.values.push(None);
        }
        self.values[place].get_or_insert(value)
    }

    /// Takes a key out, with its value.
    pub fn remove(&mut self, key: K) -> Option<V> {
        let place = self.places.release(key.rank())?;
        self.values[place].take()
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The lowest key and its value.
    #[must_use]
    pub fn first(&self) -> Option<(K, &V)> {
        self.iter().next()
    }

    /// Takes the lowest key out, with its value.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        let key = self.first()?.0;
        self.remove(key).map(|value| (key, value))
    }

    /// All keys with their values, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.among(Bound::Unbounded, Bound::Unbounded)
    }

    /// The keys in a range with their values, in order; none where the range is upside down.
    pub fn range(&self, range: impl RangeBounds<K>) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.among(range.start_bound().map(|key| key.rank()), range.end_bound().map(|key| key.rank()))
    }

    fn among(&self, low: Bound<u128>, high: Bound<u128>) -> impl DoubleEndedIterator<Item = (K, &V)> {
        let places = self.places.range(low, high);
        places.filter_map(|(rank, place)| Some((K::of_rank(*rank), self.values.get(*place as usize)?.as_ref()?)))
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> {
        self.places.tree.keys().map(|rank| K::of_rank(*rank))
    }

    /// All values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// All values, to change, in no order that means anything.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.values.iter_mut().flatten()
    }
}

/// A set in the order of its keys.
#[derive(Clone, Debug)]
pub struct SortedSet<K>(SortedMap<K, ()>);

impl<K> Default for SortedSet<K> {
    fn default() -> Self {
        Self(SortedMap::default())
    }
}

impl<K: Key> SortedSet<K> {
    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a key is there.
    #[must_use]
    pub fn contains(&self, key: K) -> bool {
        self.0.contains_key(key)
    }

    /// Puts a key in. False if it was there.
    pub fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ()).is_none()
    }

    /// Takes a key out. False if it was not there.
    pub fn remove(&mut self, key: K) -> bool {
        self.0.remove(key).is_some()
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The lowest key.
    #[must_use]
    pub fn first(&self) -> Option<K> {
        self.iter().next()
    }

    /// All keys, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = K> {
        self.0.keys()
    }

    /// The keys in a range, in order; none where the range is upside down.
    pub fn range(&self, range: impl RangeBounds<K>) -> impl DoubleEndedIterator<Item = K> {
        self.0.range(range).map(|(key, ())| key)
    }
}

impl<K: Key> Extend<K> for SortedSet<K> {
    fn extend<T: IntoIterator<Item = K>>(&mut self, keys: T) {
        for key in keys {
            self.insert(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_what_the_library_does() {
        let mut sorted = SortedMap::default();
        let mut library = BTreeMap::new();
        let mut number = 7_u64;
        for step in 0..2_000_u64 {
            number = number.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(step);
            let key = ((number >> 60) as u8, number >> 33 & 15);
            match number >> 20 & 3 {
                0 => assert_eq!(sorted.remove(key), library.remove(&key)),
                1 => assert_eq!(*sorted.or_insert(key, step), *library.entry(key).or_insert(step)),
                2 if step % 40 == 0 => assert_eq!(sorted.pop_first(), library.pop_first()),
                _ => assert_eq!(sorted.insert(key, step), library.insert(key, step)),
            }
            assert_eq!((sorted.len(), sorted.get(key)), (library.len(), library.get(&key)));
        }
        let pairs =
            |low: (u8, u64), high: (u8, u64)| sorted.range(low..high).map(|(key, value)| (key, *value)).collect::<Vec<_>>();
        let known = |low, high| library.range(low..high).map(|(key, value)| (*key, *value)).collect::<Vec<_>>();
        assert_eq!(pairs((3, 2), (9, 1)), known((3, 2), (9, 1)));
        assert_eq!(pairs((9, 1), (3, 2)), []);
        assert!(sorted.iter().map(|(key, value)| (key, *value)).eq(library.iter().map(|(key, value)| (*key, *value))));
        assert!(sorted.values.len() <= 16 * 16, "places are used again");
    }

    #[test]
    fn a_set_tells_what_is_new() {
        let mut set = SortedSet::default();
        assert_eq!([5_u32, 3, 5, 9].map(|key| set.insert(key)), [true, true, false, true]);
        assert_eq!((set.remove(3), set.remove(3), set.first(), set.len()), (true, false, Some(5), 2));
        assert!(set.range(6..).eq([9]) && set.contains(5));
    }
}
