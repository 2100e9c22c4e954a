//! Keys worked off in parallel, each in its order, and keys that wait for a message that was set aside.

use redrive_brokers::sorted::SortedSet;

use super::{Lane, Worker};
use crate::message::Message;
use crate::sim::Handle;
use crate::world::World;

impl Worker {
    /// True when it has set aside an earlier message of the same key that nobody has worked off since.
    pub(super) fn parked_before(&self, message: &Message) -> bool {
        self.parked.get(message.key).and_then(SortedSet::first).is_some_and(|first| first < message.fact)
    }

    pub(super) fn unpark(&mut self, key: u32, fact: u32) {
        if let Some(parked) = self.parked.get_mut(key) {
            parked.remove(fact);
            if parked.is_empty() {
                self.parked.remove(key);
            }
        }
    }
}

impl World {
    /// True when a job has to wait for another one of its key; it is put behind that.
    pub(super) fn waits_for_key(&mut self, index: u16, process: u16, handle: Handle) -> bool {
        let worker = &mut self.workers[usize::from(index)];
        let Some(job) = worker.jobs.get(handle) else { return true };
        let hands = &mut worker.processes[usize::from(process)];
        let lane = hands.lanes.or_insert(job.message.key, Lane::default());
        if std::mem::replace(&mut lane.busy, true) {
            lane.behind.push_back(handle);
            hands.behind += 1;
            return true;
        }
        false
    }

    /// A job of a key is over: the next one of the key may begin.
    #[inline(always)]
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn frees_key(&mut self, index: u16, process: u16, key: u32) {
        let hands = &mut self.workers[usize::from(index)].processes[usize::from(process)];
        let Some(lane) = hands.lanes.get_mut(key) else { return };
        lane.busy = false;
        match lane.behind.pop_front() {
            Some(next) => {
                hands.behind -= 1;
                hands.buffer.push_front(next);
            }
            None => {
                hands.lanes.remove(key);
            }
        }
    }

    /// A message has been worked off, or is given up: whoever had set it aside need not keep its key waiting for it.
    pub(super) fn unparks(&mut self, index: u16, key: u32, fact: u32) {
        let worker = &mut self.workers[usize::from(index)];
        worker.unpark(key, fact);
        let source = worker.source;
        let mut sources = vec![self.source_part(source)];
        while let Some(part) = sources.pop() {
            for index in 0..self.workers.len() {
                let worker = &mut self.workers[index];
                if worker.dead_letters != Some(part) {
                    continue;
                }
                worker.unpark(key, fact);
                let before = worker.source;
                sources.push(self.source_part(before));
            }
        }
    }
}
