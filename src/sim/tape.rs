//! A long sequence that grows at one end, shrinks at the other and is cheap to clone.
//!
//! Elements live in chunks that clones share until one of them writes. A snapshot of nine million waiting messages
//! therefore copies a list of chunk pointers, not the messages.

use std::collections::VecDeque;
use std::rc::Rc;

use super::share::own;

const CHUNK: u64 = 512;

/// A sequence with absolute positions: dropping from the front does not renumber what stays.
#[derive(Clone, Debug)]
pub struct Tape<T> {
    chunks: VecDeque<Rc<Vec<T>>>,
    /// Position of the first element of the first chunk; always a multiple of the chunk size.
    base: u64,
    start: u64,
    end: u64,
}

impl<T> Default for Tape<T> {
    fn default() -> Self {
        Self { chunks: VecDeque::new(), base: 0, start: 0, end: 0 }
    }
}

impl<T: Clone> Tape<T> {
    /// Position of the first element that is still here.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Position that the next pushed element will get.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// How many elements are here.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Adds an element at the end and returns its position.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn push(&mut self, element: T) -> u64 {
        if (self.end - self.base).is_multiple_of(CHUNK) {
            self.chunks.push_back(Rc::new(Vec::with_capacity(CHUNK as usize)));
        }
        let position = self.end;
        self.end += 1;
        if let Some(chunk) = self.chunks.back_mut() {
            own(chunk).push(element);
        }
        position
    }

    /// The element at a position, if it is still here.
    #[inline]
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn get(&self, position: u64) -> Option<&T> {
        if position < self.start || position >= self.end {
            return None;
        }
        let offset = position - self.base;
        self.chunks.get((offset / CHUNK) as usize)?.get((offset % CHUNK) as usize)
    }

    /// The element at a position, to change. Copies its chunk if a clone still shares it.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn get_mut(&mut self, position: u64) -> Option<&mut T> {
        if position < self.start || position >= self.end {
            return None;
        }
        let offset = position - self.base;
        own(self.chunks.get_mut((offset / CHUNK) as usize)?).get_mut((offset % CHUNK) as usize)
    }

    /// The first element.
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        self.get(self.start)
    }

    /// Takes the first element off.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let element = self.get(self.start)?.clone();
        self.drop_before(self.start + 1);
        Some(element)
    }

    /// Forgets every element before `position`.
    #[cfg_attr(page, optimize(speed))]
    pub fn drop_before(&mut self, position: u64) {
        self.start = position.clamp(self.start, self.end);
        while self.base + CHUNK <= self.start {
            self.chunks.pop_front();
            self.base += CHUNK;
        }
    }

    /// Forgets every element from `position` on.
    pub fn truncate(&mut self, position: u64) {
        self.end = position.clamp(self.start, self.end);
        let kept = self.end - self.base;
        self.chunks.truncate(kept.div_ceil(CHUNK) as usize);
        if let Some(chunk) = self.chunks.back_mut().filter(|_| !kept.is_multiple_of(CHUNK)) {
            own(chunk).truncate((kept % CHUNK) as usize);
        }
    }

    /// The elements from `position` on, in order.
    pub fn iter_from(&self, position: u64) -> impl Iterator<Item = (u64, &T)> {
        let from = position.clamp(self.start, self.end);
        (from..self.end).filter_map(|at| self.get(at).map(|element| (at, element)))
    }

    /// All elements, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.iter_from(self.start).map(|(_, element)| element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_dropping_and_clones_are_independent() {
        let mut tape = Tape::default();
        for value in 0..2_000_u64 {
            assert_eq!(tape.push(value), value);
        }
        let snapshot = tape.clone();
        for value in 0..1_500 {
            assert_eq!(tape.pop(), Some(value));
        }
        *tape.get_mut(1_700).expect("still here") = 0;
        assert_eq!((tape.start(), tape.end(), tape.get(1_499), tape.get(1_500)), (1_500, 2_000, None, Some(&1_500)));
        assert_eq!((snapshot.len(), snapshot.get(1_700), snapshot.front()), (2_000, Some(&1_700), Some(&0)));
        assert_eq!(tape.iter().count(), 500);
        tape.truncate(1_800);
        assert_eq!((tape.end(), tape.len(), tape.get(1_799), tape.get(1_800)), (1_800, 300, Some(&1_799), None));
        assert_eq!(tape.push(7), 1_800);
        tape.truncate(1_536);
        assert_eq!((tape.push(8), tape.get(1_535), tape.get(1_536)), (1_536, Some(&1_535), Some(&8)));
        tape.drop_before(9_999);
        assert!(tape.is_empty());
        assert_eq!(tape.push(5), 1_537);
        assert_eq!(tape.get(1_537), Some(&5));
        tape.truncate(0);
        assert!(tape.is_empty());
    }
}
