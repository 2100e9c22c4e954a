//! Sharing what clones have in common: a snapshot copies a pointer, and who writes first copies what is behind it.

use std::rc::Rc;

/// What is shared, to change; copied first where a clone has it too. As [`Rc::make_mut`], but the usual case, that no clone
/// has it, is a compare in the caller: millions of these are made in a run.
#[inline(always)]
#[cfg_attr(page, optimize(speed))]
pub fn own<T: Clone>(shared: &mut Rc<T>) -> &mut T {
    if Rc::get_mut(shared).is_none() {
        part(shared);
    }
    Rc::get_mut(shared).expect("a copy of one's own")
}

#[cold]
fn part<T: Clone>(shared: &mut Rc<T>) {
    *shared = Rc::new(T::clone(shared));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_what_it_had() {
        let mut one = Rc::new(vec![1]);
        let other = Rc::clone(&one);
        own(&mut one).push(2);
        assert_eq!((one.as_slice(), other.as_slice()), (&[1, 2][..], &[1][..]));
        let place = Rc::as_ptr(&one);
        own(&mut one).push(3);
        assert_eq!(Rc::as_ptr(&one), place, "nobody else has it: no copy");
    }
}
