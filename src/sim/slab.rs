//! Slots for things that come and go, with handles that stop working once their slot has been given to something else.

use redrive_brokers::sorted::Key;

/// A place in a [`Slab`] together with the generation it was given in. A receipt is one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle {
    /// Which slot.
    pub slot: u32,
    /// Which of the slot's occupants.
    pub generation: u32,
}

impl Key for Handle {
    fn rank(self) -> u128 {
        (self.slot, u64::from(self.generation)).rank()
    }
    fn of_rank(rank: u128) -> Self {
        let (slot, generation) = <(u32, u64)>::of_rank(rank);
        Self { slot, generation: generation as u32 }
    }
}

/// A list of slots that are used again. Iterates by slot number.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    slots: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
    occupied: u32,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), occupied: 0 }
    }
}

impl<T> Slab<T> {
    /// Puts something in and returns its handle.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn insert(&mut self, value: T) -> Handle {
        self.occupied += 1;
        if let Some(slot) = self.free.pop() {
            let (generation, place) = &mut self.slots[slot as usize];
            *place = Some(value);
            return Handle { slot, generation: *generation };
        }
        self.slots.push((0, Some(value)));
        Handle { slot: (self.slots.len() - 1) as u32, generation: 0 }
    }

    /// What the handle stands for, unless it is gone.
    #[inline]
    #[must_use]
    #[cfg_attr(page, optimize(speed))]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        match self.slots.get(handle.slot as usize) {
            Some((generation, Some(value))) if *generation == handle.generation => Some(value),
            _ => None,
        }
    }

    /// What the handle stands for, to change.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        match self.slots.get_mut(handle.slot as usize) {
            Some((generation, Some(value))) if *generation == handle.generation => Some(value),
            _ => None,
        }
    }

    /// Takes it out; the handle is stale from then on.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        let (generation, place) = self.slots.get_mut(handle.slot as usize)?;
        if *generation != handle.generation {
            return None;
        }
        let value = place.take()?;
        *generation = generation.wrapping_add(1);
        self.free.push(handle.slot);
        self.occupied -= 1;
        Some(value)
    }

    /// Empties its slot; false where the handle is stale. As [`Self::remove`], for those who do not want what was in it.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn free(&mut self, handle: Handle) -> bool {
        match self.slots.get_mut(handle.slot as usize) {
            Some((generation, place)) if *generation == handle.generation && place.is_some() => {
                *place = None;
                *generation = generation.wrapping_add(1);
                self.free.push(handle.slot);
                self.occupied -= 1;
                true
            }
            _ => false,
        }
    }

    /// How many slots are taken.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.occupied
    }

    /// True when none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// All occupants by slot number.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        self.slots.iter().enumerate().filter_map(|(slot, (generation, place))| {
            place.as_ref().map(|value| (Handle { slot: slot as u32, generation: *generation }, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_goes_stale_when_its_slot_is_used_again() {
        let mut slab = Slab::default();
        let first = slab.insert("a");
        assert_eq!(slab.remove(first), Some("a"));
        let second = slab.insert("b");
        assert_eq!((first.slot, slab.get(first), slab.get(second)), (second.slot, None, Some(&"b")));
        assert_eq!((slab.remove(first), slab.len()), (None, 1));
    }
}
