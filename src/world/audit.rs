//! The audit: what the parts really hold, counted anew and compared with the books and the ledger.

use super::World;
use crate::observe::books::Place;
use crate::service::Source;

impl World {
    /// Checks that the books balance: every copy is in exactly one place, where the part that should have it has it.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn audit(&self) -> Result<(), String> {
        let books = &self.observer.books;
        if !books.balance() {
            return Err("copies made, held and ended do not add up".into());
        }
        if !self.gathered_is_held() {
            return Err("what is gathered for a log is in nobody's memory".into());
        }
        let mut live = 0_i64;
        let expect = |part: u16, place: Place, found: u64| {
            let counted = books.count(part, place);
            let id = &self.parts[usize::from(part)].id;
            if counted == found as i64 {
                Ok(())
            } else {
                Err(format!("{id}: books say {counted} {}, it has {found}", place.words()))
            }
        };
        for producer in &self.producers {
            expect(producer.part, Place::Memory, u64::from(producer.memory.len()))?;
            live += i64::from(producer.memory.len()) * i64::from(producer.effects.count_ones());
        }
        for service in &self.services {
            expect(service.part, Place::Memory, u64::from(service.requests.len()))?;
            live += i64::from(service.requests.len()) * i64::from(service.effects.count_ones());
        }
        for database in &self.databases {
            expect(database.part, Place::Outbox, database.outbox.len())?;
            expect(database.part, Place::PassedOver, database.outbox.passed_over())?;
            live += database.outbox.len() as i64 * i64::from(database.effects.count_ones());
        }
        for queue in &self.queues {
            expect(queue.part, if queue.tray { Place::Tray } else { Place::Ready }, queue.ready())?;
            expect(queue.part, Place::Hidden, queue.held())?;
            expect(queue.part, Place::Delayed, queue.delayed())?;
            if !queue.tray {
                let all = (queue.ready() + queue.held() + queue.delayed()) as i64;
                live += all * i64::from(queue.effects.count_ones());
            }
        }
        for server in &self.servers {
            let (ready, held, delayed) = server.counts();
            expect(server.part, Place::Ready, ready)?;
            expect(server.part, Place::Hidden, held)?;
            expect(server.part, Place::Delayed, delayed)?;
            live += (ready + held + delayed) as i64 * i64::from(server.effects.count_ones());
        }
        for (index, log) in (0_u16..).zip(&self.logs) {
            let mut unread = 0;
            for worker in self.workers.iter().filter(|worker| worker.source == Source::Log(index)) {
                let Some(group) = &worker.group else { continue };
                let before = unread;
                for (partition, tape) in log.partitions.iter().enumerate() {
                    let from = group.committed[partition].max(tape.start());
                    // Unless dead letters were redriven into it, every record is for every group and none need be looked at.
                    unread += if log.marked == 0 {
                        tape.end() - from
                    } else {
                        tape.iter_from(from).filter(|(_, record)| record.effects & (1 << worker.effect) != 0).count() as u64
                    };
                }
                let (counted, found) = (books.unread(log.part, worker.effect), unread - before);
                if counted != found as i64 {
                    return Err(format!("books say {counted} unread for effect {}, there are {found}", worker.effect));
                }
            }
            expect(log.part, Place::Unread, unread)?;
            live += unread as i64;
        }
        for worker in &self.workers {
            let owned = worker.jobs.iter().filter(|(_, job)| job.owned).count() as u64;
            expect(worker.part, Place::Memory, owned)?;
            live += owned as i64;
        }
        let counted = self.observer.ledger.live_total();
        if counted == live { Ok(()) } else { Err(format!("the ledger counts {counted} live copies, the parts hold {live}")) }
    }
}
