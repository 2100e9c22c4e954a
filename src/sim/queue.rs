//! The event queue: what happens next, in order of time and then of scheduling.
//!
//! Two structures behind one order. Most timers of a broker have a fixed delay (a visibility timeout, a session, a
//! constant service time), so they expire in the order in which they were set: each such delay is a first-in first-out
//! *lane*. Everything else goes to a binary heap. Both draw their sequence numbers from one counter, so which of the two
//! holds an event never changes the order of a run.
//!
//! A timer is cancelled by its owner: it carries a [`Handle`](super::Handle) that has gone stale by the time it fires.

use std::collections::VecDeque;

use super::heap::{Heap, Ranked};
use super::time::Timestamp;

/// When something is due, and its place among what is due at one moment: one number, compared at once.
type Rank = u128;

#[inline]
#[cfg_attr(page, optimize(speed))]
fn rank(at_us: Timestamp, sequence: u64) -> Rank {
    u128::from(at_us) << 64 | u128::from(sequence)
}

/// The moment of a rank.
#[inline]
#[cfg_attr(page, optimize(speed))]
fn moment(rank: Rank) -> Timestamp {
    (rank >> 64) as Timestamp
}

/// An event and its rank.
#[derive(Clone, Copy, Debug)]
struct Scheduled<E> {
    rank: Rank,
    event: E,
}

impl<E: Copy> Ranked for Scheduled<E> {
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    fn rank(&self) -> Rank {
        self.rank
    }
}

/// Names a lane. All events of a lane have the same delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane(u16);

/// Pending events of type `E`.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: Heap<Scheduled<E>>,
    /// The delay of each lane.
    delays: Vec<u64>,
    /// What waits in each lane.
    lanes: Vec<VecDeque<Scheduled<E>>>,
    /// The lanes that are not empty by the rank of their first event, the lowest last: there the next event is.
    order: Vec<(Rank, u16)>,
    sequence: u64,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: Heap::default(), delays: Vec::new(), lanes: Vec::new(), order: Vec::new(), sequence: 0 }
    }
}

/// More lanes than this and keeping them in order costs more than the heap saves.
const MOST_LANES: usize = 12;

/// After everything that is ever due: every run ends before.
const NEVER: Rank = Rank::MAX;

impl<E: Copy> EventQueue<E> {
    /// The lane for a delay: the one that exists, or a new one while there is room.
    pub fn lane(&mut self, delay_us: u64) -> Option<Lane> {
        if let Some(index) = self.delays.iter().position(|delay| *delay == delay_us) {
            return Some(Lane(index as u16));
        }
        if self.lanes.len() == MOST_LANES {
            return None;
        }
        self.delays.push(delay_us);
        self.lanes.push(VecDeque::new());
        Some(Lane((self.lanes.len() - 1) as u16))
    }

    /// Schedules an event after `delay_us`, in its lane if there is one for that delay.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn after(&mut self, now_us: Timestamp, delay_us: u64, event: E) {
        let at_us = now_us.saturating_add(delay_us);
        let scheduled = Scheduled { rank: rank(at_us, self.next_sequence()), event };
        match self.delays.iter().position(|delay| *delay == delay_us) {
            Some(index) => {
                let lane = &mut self.lanes[index];
                if lane.is_empty() {
                    self.order.push((scheduled.rank, index as u16));
                    settle(&mut self.order);
                }
                lane.push_back(scheduled);
            }
            None => self.heap.push(scheduled),
        }
    }

    /// Schedules an event at a moment.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn at(&mut self, at_us: Timestamp, event: E) {
        let rank = rank(at_us, self.next_sequence());
        self.heap.push(Scheduled { rank, event });
    }

    #[inline]
    fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// When the next event is due.
    #[must_use]
    pub fn next_at_us(&self) -> Option<Timestamp> {
        let at_us = moment(self.next_of_lanes().min(self.next_of_heap()));
        (at_us != moment(NEVER)).then_some(at_us)
    }

    /// Takes the next event if it is due before `before_us`.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn pop_before(&mut self, before_us: Timestamp) -> Option<(Timestamp, E)> {
        let (of_lanes, of_heap) = (self.next_of_lanes(), self.next_of_heap());
        let at_us = moment(of_lanes.min(of_heap));
        if at_us >= before_us {
            return None;
        }
        if of_heap < of_lanes {
            return self.heap.pop().map(|first| (at_us, first.event));
        }
        let (rank, index) = self.order.last_mut()?;
        let lane = &mut self.lanes[usize::from(*index)];
        let first = lane.pop_front()?;
        match lane.front() {
            Some(next) => {
                *rank = next.rank;
                settle(&mut self.order);
            }
            None => {
                self.order.pop();
            }
        }
        Some((at_us, first.event))
    }

    #[inline]
    #[cfg_attr(page, optimize(speed))]
    fn next_of_lanes(&self) -> Rank {
        self.order.last().map_or(NEVER, |(rank, _)| *rank)
    }

    #[inline]
    #[cfg_attr(page, optimize(speed))]
    fn next_of_heap(&self) -> Rank {
        self.heap.first().map_or(NEVER, |first| first.rank)
    }

    /// How many events wait, cancelled timers included.
    #[must_use]
    pub fn len(&self) -> u64 {
        (self.heap.len() + self.lanes.iter().map(VecDeque::len).sum::<usize>()) as u64
    }

    /// True when nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Moves the last lane to where it belongs; all others are in order. Mostly it stays, or goes past one or two.
#[inline]
#[cfg_attr(page, optimize(speed))]
fn settle(order: &mut [(Rank, u16)]) {
    let Some((moved, before)) = order.split_last() else { return };
    let moved = *moved;
    let mut place = before.len();
    while let Some(previous) = place.checked_sub(1).filter(|previous| order[*previous].0 < moved.0) {
        order[place] = order[previous];
        place = previous;
    }
    order[place] = moved;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_at_the_end_of_time_is_never_next() {
        let mut queue = EventQueue::default();
        queue.lane(u64::MAX).expect("room for a lane");
        queue.after(7, u64::MAX, 1);
        queue.at(u64::MAX, 2);
        assert_eq!((queue.next_at_us(), queue.pop_before(u64::MAX), queue.len()), (None, None, 2));
        queue.after(7, 3, 3);
        assert_eq!((queue.next_at_us(), queue.pop_before(u64::MAX), queue.next_at_us()), (Some(10), Some((10, 3)), None));
    }

    #[test]
    fn lanes_and_heap_give_one_order() {
        let mut with_lanes = EventQueue::default();
        for delay_us in [30, 0, 7, 14] {
            with_lanes.lane(delay_us).expect("room for a lane");
        }
        let mut heap_only = EventQueue::default();
        for queue in [&mut with_lanes, &mut heap_only] {
            for step in 0..50_u64 {
                queue.after(step, 30, step * 2);
                queue.after(step, step * 7 % 45, step * 2 + 1);
            }
        }
        let drain = |queue: &mut EventQueue<u64>| std::iter::from_fn(|| queue.pop_before(u64::MAX)).collect::<Vec<_>>();
        let order = drain(&mut with_lanes);
        assert_eq!(order.len(), 100);
        assert_eq!(order, drain(&mut heap_only));
        assert!(order.is_sorted_by_key(|(at_us, _)| *at_us));
    }
}
