//! The books as rows that add up, and the messages of a row.

use crate::message::Message;
use crate::observe::books::{End, Place};
use crate::observe::lists::Which;
use crate::observe::record::Cause;
use crate::service::Source;
use crate::view::{BookRow, BooksView, Level};
use crate::world::{Body, World};

impl World {
    /// Where every copy is. The rows add up to the total, at any moment.
    pub(super) fn books_view(&self) -> BooksView {
        let books = &self.observer.books;
        let counted = |count: i64| u64::try_from(count).unwrap_or(0);
        let mut rows = Vec::new();
        for part in 0..self.parts.len() as u16 {
            for place in Place::ALL.into_iter().filter(|place| books.has_been(part, *place)) {
                if place == Place::Unread {
                    for (effect, reader) in self.readers_of(part) {
                        let what = ["not yet read by ", &self.title(reader)].concat();
                        rows.push(self.book_row(part, place, effect, what, books.unread(part, effect)));
                    }
                } else {
                    rows.push(self.book_row(part, place, 0, self.place_words(part, place).to_owned(), books.count(part, place)));
                }
            }
        }
        let ended = |end: End, what: &str, level: Level, list: Which| BookRow {
            part: String::new(),
            what: what.to_owned(),
            count: counted(books.ended(end)),
            level,
            list: Some(list),
        };
        for (end, what) in [
            (End::HandedOn, "handed on to the next part"),
            (End::Acknowledged, "acknowledged and deleted"),
            (End::Committed, "committed past by its group"),
        ] {
            rows.push(ended(end, what, Level::Good, Which::Ended(end)));
        }
        for cause in Cause::ALL {
            rows.push(ended(End::Gone(cause), cause.words(), Level::Bad, Which::LostBy(cause)));
        }
        rows.retain(|row| row.count > 0 || !row.part.is_empty());
        BooksView { rows, total: counted(books.made()) }
    }

    fn book_row(&self, part: u16, place: Place, effect: u8, what: String, count: i64) -> BookRow {
        let level = match place {
            Place::Tray | Place::PassedOver if count > 0 => Level::Warn,
            _ => Level::Quiet,
        };
        let list = Some(Which::At { part, place, effect });
        BookRow { part: self.title(part), what, count: u64::try_from(count).unwrap_or(0), level, list }
    }

    /// Effect and part of each group that reads a log.
    fn readers_of(&self, part: u16) -> Vec<(u8, u16)> {
        let reads = |source: Source| matches!(source, Source::Log(log) if self.logs[usize::from(log)].part == part);
        self.workers.iter().filter(|worker| reads(worker.source)).map(|worker| (worker.effect, worker.part)).collect()
    }

    fn place_words(&self, part: u16, place: Place) -> &'static str {
        match (place, self.parts[usize::from(part)].body) {
            (Place::Memory, Body::Producer(_)) => "sent, not yet confirmed",
            (Place::Memory, Body::Service(_)) => "requests under way",
            (Place::Memory, Body::Worker(_)) => "in hand, acknowledged before the work",
            (Place::Memory, _) => "in memory",
            (Place::Outbox, _) => "in the outbox, unsent",
            (Place::Delayed, _) => "delayed",
            (Place::Ready, _) => "ready",
            (Place::Hidden, _) => "in a worker's hands, hidden",
            (Place::Tray, _) => "dead letters",
            (Place::Unread, _) => "not yet read",
            (Place::PassedOver, _) => "in the outbox, passed over",
        }
    }

    /// The facts at a place of a part, in the order in which they lie there, from a position on.
    pub(super) fn facts_at(&self, part: u16, place: Place, effect: u8, from: usize, most: usize) -> Vec<u32> {
        let facts: Box<dyn Iterator<Item = u32> + '_> = match (self.parts[usize::from(part)].body, place) {
            (Body::Producer(index), Place::Memory) => {
                Box::new(self.producers[usize::from(index)].memory.iter().map(|(_, held)| held.message.fact))
            }
            (Body::Service(index), Place::Memory) => {
                Box::new(self.services[usize::from(index)].requests.iter().map(|(_, request)| request.message.fact))
            }
            (Body::Worker(index), Place::Memory) => {
                let jobs = self.workers[usize::from(index)].jobs.iter();
                Box::new(jobs.filter(|(_, job)| job.owned).map(|(_, job)| job.message.fact))
            }
            (Body::Database(index), Place::Outbox) => {
                Box::new(self.databases[usize::from(index)].outbox.first(usize::MAX).map(|row| row.fact))
            }
            (Body::Database(index), Place::PassedOver) => {
                Box::new(self.databases[usize::from(index)].outbox.never_read().iter().map(|row| row.fact))
            }
            (Body::Queue(index), Place::Ready | Place::Tray) => {
                Box::new(self.queues[usize::from(index)].in_sight().map(|message| message.fact))
            }
            (Body::Queue(index), Place::Hidden | Place::Delayed) => {
                let hidden = self.queues[usize::from(index)].out_of_sight();
                let held = move |hidden: &&crate::broker::queue::Hidden| hidden.holder.is_some() == (place == Place::Hidden);
                Box::new(hidden.filter(held).map(|hidden| hidden.queued.message.fact))
            }
            (Body::Server(index), Place::Ready) => {
                let server = &self.servers[usize::from(index)];
                let (free, locked) = (server.next(from + most), server.locked(from + most));
                Box::new(free.into_iter().chain(locked).map(|message: Message| message.fact))
            }
            (Body::Server(index), Place::Hidden | Place::Delayed) => {
                let shelf = self.servers[usize::from(index)].shelf(usize::MAX).into_iter();
                Box::new(shelf.filter(move |held| held.3 == (place == Place::Hidden)).map(|held| held.0.fact))
            }
            (Body::Log(index), Place::Unread) => Box::new(self.unread_of(index, effect)),
            _ => Box::new(std::iter::empty()),
        };
        facts.skip(from).take(most).collect()
    }

    /// The facts of a log that a reader has not read, partition by partition.
    fn unread_of(&self, index: u16, effect: u8) -> impl Iterator<Item = u32> + '_ {
        let log = &self.logs[usize::from(index)];
        let reader = self.workers.iter().find(|worker| worker.source == Source::Log(index) && worker.effect == effect);
        let group = reader.and_then(|worker| worker.group.as_ref());
        log.partitions.iter().enumerate().flat_map(move |(partition, tape)| {
            let from = group.map_or(tape.end(), |group| group.committed[partition].max(tape.start()));
            tape.iter_from(from).filter(move |(_, record)| record.effects & 1 << effect != 0).map(|(_, record)| record.fact)
        })
    }
}
