//! Records that come again: a log tells them by their publisher's number for them, as the leader of a partition does by
//! sequence number (`ProducerStateEntry` of Apache Kafka, which knows the last five batches of every producer).
//!
//! A number is known until its publisher has its answer, and beyond that while another try is on its way that the publisher
//! has given up: it may come late, and is a repeat as well. Simplified: two steps of one request that publish to the same
//! log have one number.

use redrive_brokers::sorted::SortedMap;

use crate::message::Message;
use crate::world::{Body, Caller, World};

/// How many unanswered records a log remembers to recognise repeats.
const MOST_UNCONFIRMED: usize = 100_000;

/// A publisher's part and its number for a record.
type Number = (u16, u64);

/// Tries of one record that its publisher has given up and that may come all the same.
#[derive(Clone, Copy, Debug, Default)]
struct Late {
    tries: u32,
    /// The publisher has its answer.
    confirmed: bool,
}

/// What a log knows of the records that may come again.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    /// Where those are that it has.
    stored: SortedMap<Number, (u32, u64)>,
    /// Those that may come late.
    late: SortedMap<Number, Late>,
}

impl Repeats {
    /// How many numbers it knows.
    #[must_use]
    pub fn known(&self) -> usize {
        self.stored.len() + self.late.len()
    }

    fn store(&mut self, number: Number, place: (u32, u64)) {
        self.stored.insert(number, place);
        if self.stored.len() > MOST_UNCONFIRMED {
            self.stored.pop_first();
        }
    }

    /// The publisher has its answer.
    fn confirm(&mut self, number: Number) {
        if !self.late.is_empty()
            && let Some(late) = self.late.get_mut(number)
        {
            late.confirmed = true;
            return;
        }
        self.stored.remove(number);
    }

    /// A relay sends one batch at a time, and what it has given up brings none of those before.
    fn confirm_all_of(&mut self, part: u16) {
        let own: Vec<_> = self.stored.range((part, 0)..=(part, u64::MAX)).map(|(own, _)| own).collect();
        for own in own {
            self.stored.remove(own);
        }
    }

    fn may_come(&mut self, number: Number) {
        self.late.or_insert(number, Late::default()).tries += 1;
    }

    fn has_come(&mut self, number: Number) {
        let Some(late) = self.late.get_mut(number) else { return };
        late.tries -= 1;
        let Late { tries, confirmed } = *late;
        if tries == 0 {
            self.late.remove(number);
            if confirmed {
                self.stored.remove(number);
            }
        }
    }
}

impl World {
    /// The number under which a publisher sends a record, the same for every try.
    fn publish_number(&self, caller: Caller, message: &Message) -> Number {
        let number = match caller {
            Caller::Producer(_, handle) | Caller::Request(_, handle) | Caller::Job(_, handle) => {
                u64::from(handle.slot) << 32 | u64::from(handle.generation)
            }
            // A relay that was started again is another publisher.
            Caller::Relay(_, epoch) => u64::from(epoch) << 32 | u64::from(message.fact),
            // Its records have their own.
            Caller::Batch(_, number) => u64::from(number),
        };
        (self.caller_part(caller), number)
    }

    /// Where a record is that the publisher sends again, if the log remembers it and still has it.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn stored_before(&self, index: u16, caller: Caller, message: &Message) -> Option<(u32, u64)> {
        let log = &self.logs[usize::from(index)];
        if log.repeats.stored.is_empty() {
            return None;
        }
        let place = log.repeats.stored.get(self.publish_number(caller, message)).copied()?;
        let tape = &log.partitions[place.0 as usize];
        // What retention has dropped was stored all the same.
        let known = place.1 < tape.start() || tape.get(place.1)?.fact == message.fact;
        known.then_some(place)
    }

    /// A log that recognises repeats remembers a record until its publisher has its answer.
    #[cfg_attr(page, optimize(speed))]
    pub(super) fn remember_stored(&mut self, index: u16, caller: Caller, message: &Message, place: (u32, u64)) {
        if self.logs[usize::from(index)].settings.idempotent_publish {
            let number = self.publish_number(caller, message);
            self.logs[usize::from(index)].repeats.store(number, place);
        }
    }

    /// The publisher has its answer: it will not send the record again.
    #[cfg_attr(page, optimize(speed))]
    pub(crate) fn confirmed(&mut self, index: u16, caller: Caller, message: &Message) {
        if self.logs[usize::from(index)].repeats.stored.is_empty() {
            return;
        }
        if let Caller::Batch(..) = caller {
            return self.batch_of(caller).1.iter().for_each(|record| self.confirmed(index, record.caller, &record.message));
        }
        let number = self.publish_number(caller, message);
        let repeats = &mut self.logs[usize::from(index)].repeats;
        match caller {
            Caller::Relay(..) => repeats.confirm_all_of(number.0),
            _ => repeats.confirm(number),
        }
    }

    /// A publisher has given up a try that is on its way (`true`), or such a try has ended.
    #[inline(never)]
    pub(crate) fn comes_late(&mut self, server: u16, caller: Caller, message: &Message, may: bool) {
        let Body::Log(index) = self.parts[usize::from(server)].body else { return };
        let log = &self.logs[usize::from(index)];
        if may && !log.settings.idempotent_publish || !may && log.repeats.late.is_empty() {
            return;
        }
        match caller {
            Caller::Batch(..) => {
                for record in self.batch_of(caller).1 {
                    self.comes_late(server, record.caller, &record.message, may);
                }
            }
            // What it brings is what the relay publishes by then: nothing that is confirmed.
            Caller::Relay(..) => {}
            _ => {
                let number = self.publish_number(caller, message);
                let repeats = &mut self.logs[usize::from(index)].repeats;
                if may { repeats.may_come(number) } else { repeats.has_come(number) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::run::Run;
    use crate::world::World;

    /// How many numbers a log knows at the end, after three tries that time out and one that is confirmed.
    fn known(commands: &str) -> usize {
        let document = format!(
            r#"{{"redrive": 1, "until": "30s", "parts": {{"p": {{"kind": "producer", "to": "t", "limit": 1}},
                "t": {{"kind": "log", "latency": "10ms", "idempotent_publish": true}}, "w": {{"kind": "worker", "from": "t"}}}},
                "breaks": ["0s slow t 800x", {commands}]}}"#
        );
        let scenario = Run::of_document("test", &document).scenario().expect("a sound document");
        let mut world = World::new(&scenario);
        world.run_until(11_000_000);
        let before = world.logs[0].repeats.known();
        world.run_until(scenario.until_us());
        assert_eq!(world.logs[0].repeats.known(), 0, "{commands}");
        before
    }

    #[test]
    fn a_number_is_forgotten_with_the_last_try_that_may_come() {
        assert_eq!(known(r#""5500ms mend t""#), 2, "where it is, and that one more try may come at 12 s");
        assert_eq!(known(r#""5500ms break t", "5800ms mend t""#), 0, "they died with the broker");
        assert_eq!(known(r#""5500ms mend t", "7s set t.idempotent_publish=false""#), 2);
    }
}
