//! The event queue: what happens next, in order of time and then of scheduling.
//!
//! Two structures behind one order. Most timers of a broker have a fixed delay (a visibility timeout, a session, a
//! constant service time), so they expire in the order in which they were set: each such delay is a first-in first-out
//! *lane*. Everything else goes to a binary heap. Both draw their sequence numbers from one counter, so which of the two
//! holds an event never changes the order of a run.
//!
//! A timer is cancelled by its owner: it carries a [`Handle`](super::Handle) that has gone stale by the time it fires.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::time::Timestamp;

/// Names a lane. All events of a lane have the same delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane(u16);

#[derive(Clone, Debug)]
struct Scheduled<E> {
    at_us: Timestamp,
    sequence: u64,
    event: E,
}

impl<E> PartialEq for Scheduled<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl<E> Eq for Scheduled<E> {}
impl<E> PartialOrd for Scheduled<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<E> Ord for Scheduled<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl<E> Scheduled<E> {
    fn key(&self) -> (Timestamp, u64) {
        (self.at_us, self.sequence)
    }
}

#[derive(Clone, Debug)]
struct LaneQueue<E> {
    delay_us: u64,
    waiting: VecDeque<Scheduled<E>>,
}

/// Pending events of type `E`.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Reverse<Scheduled<E>>>,
    lanes: Vec<LaneQueue<E>>,
    sequence: u64,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), lanes: Vec::new(), sequence: 0 }
    }
}

/// More lanes than this and looking at every head costs more than the heap saves.
const MOST_LANES: usize = 12;

impl<E> EventQueue<E> {
    /// The lane for a delay: the one that exists, or a new one while there is room.
    pub fn lane(&mut self, delay_us: u64) -> Option<Lane> {
        if let Some(index) = self.lanes.iter().position(|lane| lane.delay_us == delay_us) {
            return Some(Lane(index as u16));
        }
        if self.lanes.len() == MOST_LANES {
            return None;
        }
        self.lanes.push(LaneQueue { delay_us, waiting: VecDeque::new() });
        Some(Lane((self.lanes.len() - 1) as u16))
    }

    /// Schedules an event after `delay_us`, in its lane if there is one for that delay.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn after(&mut self, now_us: Timestamp, delay_us: u64, event: E) {
        let index = self.lanes.iter().position(|lane| lane.delay_us == delay_us);
        let sequence = self.next_sequence();
        let scheduled = Scheduled { at_us: now_us.saturating_add(delay_us), sequence, event };
        match index {
            Some(index) => self.lanes[index].waiting.push_back(scheduled),
            None => self.heap.push(Reverse(scheduled)),
        }
    }

    /// Schedules an event at a moment.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn at(&mut self, at_us: Timestamp, event: E) {
        let sequence = self.next_sequence();
        self.heap.push(Reverse(Scheduled { at_us, sequence, event }));
    }

    #[inline]
    fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// Where the next event is: a lane's number, or none for the heap.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    fn next_place(&self) -> Option<(Timestamp, Option<usize>)> {
        let mut best = self.heap.peek().map(|Reverse(top)| (top.key(), None));
        for (index, lane) in self.lanes.iter().enumerate() {
            if let Some(head) = lane.waiting.front()
                && best.is_none_or(|(key, _)| head.key() < key)
            {
                best = Some((head.key(), Some(index)));
            }
        }
        best.map(|((at_us, _), place)| (at_us, place))
    }

    /// When the next event is due.
    #[must_use]
    pub fn next_at_us(&self) -> Option<Timestamp> {
        self.next_place().map(|(at_us, _)| at_us)
    }

    /// Takes the next event if it is due before `before_us`.
    #[inline]
    #[cfg_attr(page, optimize(speed))]
    pub fn pop_before(&mut self, before_us: Timestamp) -> Option<(Timestamp, E)> {
        let (at_us, place) = self.next_place()?;
        if at_us >= before_us {
            return None;
        }
        let scheduled = match place {
            Some(index) => self.lanes[index].waiting.pop_front(),
            None => self.heap.pop().map(|Reverse(top)| top),
        };
        scheduled.map(|scheduled| (at_us, scheduled.event))
    }

    /// How many events wait, cancelled timers included.
    #[must_use]
    pub fn len(&self) -> u64 {
        (self.heap.len() + self.lanes.iter().map(|lane| lane.waiting.len()).sum::<usize>()) as u64
    }

    /// True when nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_heap_give_one_order() {
        let mut with_lane = EventQueue::default();
        with_lane.lane(30).expect("room for a lane");
        let mut heap_only = EventQueue::default();
        for queue in [&mut with_lane, &mut heap_only] {
            for step in 0..50_u64 {
                queue.after(step, 30, step * 2);
                queue.after(step, step * 7 % 45, step * 2 + 1);
            }
        }
        let drain = |queue: &mut EventQueue<u64>| std::iter::from_fn(|| queue.pop_before(u64::MAX)).collect::<Vec<_>>();
        let order = drain(&mut with_lane);
        assert_eq!(order.len(), 100);
        assert_eq!(order, drain(&mut heap_only));
        assert!(order.is_sorted_by_key(|(at_us, _)| *at_us));
    }
}
