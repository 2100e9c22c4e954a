//! Incidents that consumer groups really had, played by members on the coordinator, each with its cure.

use redrive_brokers::Consumer;
use redrive_brokers::kafka::group::consumers::{Event, Heartbeats, Joiner, Settings};
use redrive_brokers::kafka::group::member::{Commits, Crew, Defect, Handling, Retries, Seen};
use redrive_brokers::kafka::group::{Fault, Partition, Removal, Strategy};

const SECOND_US: u64 = 1_000_000;
const MINUTE_US: u64 = 60 * SECOND_US;

const fn part(index: u32) -> Partition {
    Partition { topic: 0, index }
}

/// Members 1 to `members` on `partitions` partitions with so many records each, run until a moment.
struct Case {
    settings: Settings,
    how: Handling,
    members: u32,
    partitions: u32,
    records: u64,
    defects: Vec<(u64, Defect)>,
    until_us: u64,
}

impl Case {
    fn play(&self) -> (Crew, Vec<(u64, Seen)>) {
        let mut crew = Crew::new(self.settings, vec![self.partitions]);
        for index in 0..self.partitions {
            crew.publish(0, part(index), self.records);
        }
        for &(offset, defect) in &self.defects {
            crew.spoil(part(0), offset, defect);
        }
        for member in 1..=self.members {
            crew.start(0, Consumer(member), self.how.clone());
        }
        crew.advance(self.until_us);
        let seen = crew.take_seen();
        (crew, seen)
    }

    fn committed(&self) -> u64 {
        let (crew, _) = self.play();
        (0..self.partitions).map(|index| crew.committed(part(index))).sum()
    }
}

fn count(seen: &[(u64, Seen)], which: impl Fn(&Seen) -> bool) -> usize {
    seen.iter().filter(|(_, seen)| which(seen)).count()
}

fn evictions(seen: &[(u64, Seen)], why: Removal) -> usize {
    count(seen, |seen| matches!(seen, Seen::Group(Event::Evicted(_, reason)) if *reason == why))
}

/// Three members, 60 s a message, session 30 s, no heartbeat while a message is handled.
fn without_heartbeats() -> Case {
    Case {
        settings: Settings { session_us: 30 * SECOND_US, max_poll_us: MINUTE_US, ..Settings::default() },
        how: Handling {
            joiner: Joiner { topics: vec![0], heartbeats: Heartbeats::ByHand, ..Joiner::default() },
            handler_us: MINUTE_US,
            poll_records: 10,
            commits: Commits::AfterRecord,
            ..Handling::default()
        },
        members: 3,
        partitions: 3,
        records: 5,
        defects: vec![],
        until_us: 30 * MINUTE_US,
    }
}

#[test]
fn members_that_cannot_beat_while_they_work_all_expire_and_never_recover() {
    let (crew, seen) = without_heartbeats().play();
    assert!(evictions(&seen, Removal::SessionTimeout) > 60, "all three, in every round");
    assert!(count(&seen, |seen| matches!(seen, Seen::BeatRefused(_, Fault::UnknownMemberId))) > 60);
    assert!(count(&seen, |seen| matches!(seen, Seen::Handled(_, _, 0))) > 60, "the first records again and again");
    assert_eq!(count(&seen, |seen| matches!(seen, Seen::Handled(_, _, 1))), 0, "and no others");
    assert_eq!((0..3).map(|index| crew.committed(part(index))).collect::<Vec<_>>(), [0, 0, 0]);
}

#[test]
fn a_heartbeat_in_the_handler_cures_that() {
    let mut case = without_heartbeats();
    case.how.beat_in_handler_us = Some(3 * SECOND_US);
    let (_, seen) = case.play();
    assert_eq!(evictions(&seen, Removal::SessionTimeout), 0);
    assert_eq!(case.committed(), 15);
    assert_eq!(count(&seen, |seen| matches!(seen, Seen::Handled(..))), 15, "each once");
}

/// Two members, one partition, a handler of 8 s, `max.poll.interval.ms` 4 s.
fn slow_handler() -> Case {
    Case {
        settings: Settings {
            session_us: 3 * SECOND_US,
            heartbeat_us: SECOND_US / 2,
            max_poll_us: 4 * SECOND_US,
            initial_delay_us: 80_000,
            hop_us: 10_000,
            ..Settings::default()
        },
        how: Handling { handler_us: 8 * SECOND_US, poll_records: 1, ..Handling::default() },
        members: 2,
        partitions: 1,
        records: 1,
        defects: vec![],
        until_us: 9 * SECOND_US,
    }
}

#[test]
fn a_handler_over_the_poll_interval_has_its_record_handled_twice_and_its_commit_refused() {
    let (crew, seen) = slow_handler().play();
    let at = |which: &Seen| seen.iter().find(|(_, seen)| seen == which).map(|(at_us, _)| *at_us / 10_000);
    let got = |member| Seen::Group(Event::Assigned(Consumer(member), vec![part(0)]));
    assert_eq!(at(&got(1)), Some(18), "A reads at 0.18");
    assert_eq!(at(&Seen::Group(Event::Evicted(Consumer(1), Removal::PollTimeout))), Some(418));
    assert_eq!(at(&got(2)), Some(469), "B has it within a heartbeat");
    assert_eq!(at(&Seen::Refused(Consumer(1), Fault::UnknownMemberId)), Some(818), "A's commit fails");
    assert_eq!(crew.committed(part(0)), 0);
}

#[test]
fn a_longer_poll_interval_cures_that() {
    let mut case = slow_handler();
    case.settings.max_poll_us = 10 * SECOND_US;
    let (crew, seen) = case.play();
    assert_eq!(evictions(&seen, Removal::PollTimeout), 0);
    assert_eq!(crew.committed(part(0)), 1);
    assert_eq!(count(&seen, |seen| matches!(seen, Seen::Handled(..))), 1);
}

/// A batch of ten at 1 s each, one of which fails; back-off of 60 s, ten attempts, `max.poll.interval.ms` 5 min.
fn long_backoff() -> Case {
    Case {
        settings: Settings::default(),
        how: Handling {
            handler_us: SECOND_US,
            poll_records: 10,
            retries: Retries { attempts: 10, backoff_us: MINUTE_US },
            ..Handling::default()
        },
        members: 2,
        partitions: 1,
        records: 10,
        defects: vec![(5, Defect::Fails)],
        until_us: 60 * MINUTE_US,
    }
}

#[test]
fn back_off_and_batch_beyond_the_poll_interval_repeat_the_batch() {
    let (crew, seen) = long_backoff().play();
    assert!(evictions(&seen, Removal::PollTimeout) > 3);
    assert!(count(&seen, |seen| matches!(seen, Seen::Handled(_, _, 0))) > 3, "the batch from its start");
    assert!(count(&seen, |seen| matches!(seen, Seen::Refused(..))) > 1, "even done, it cannot be committed");
    assert_eq!(crew.committed(part(0)), 0);
}

#[test]
fn a_shorter_back_off_cures_that() {
    let mut case = long_backoff();
    case.how.retries.backoff_us = SECOND_US;
    let (crew, seen) = case.play();
    assert_eq!(evictions(&seen, Removal::PollTimeout), 0);
    assert_eq!(count(&seen, |seen| matches!(seen, Seen::DeadLettered(_, _, 5))), 1);
    assert_eq!(crew.committed(part(0)), 10);
}

/// One member, two partitions; a record of the first cannot be deserialised.
fn unreadable() -> Case {
    Case {
        settings: Settings::default(),
        how: Handling::default(),
        members: 1,
        partitions: 2,
        records: 100,
        defects: vec![(40, Defect::Unreadable)],
        until_us: 10 * MINUTE_US,
    }
}

#[test]
fn an_unreadable_record_is_polled_for_ever_and_its_partition_alone_lags() {
    let (crew, seen) = unreadable().play();
    assert!(count(&seen, |seen| matches!(seen, Seen::Stuck(_, _, 40))) > 100);
    assert_eq!((crew.lag(part(0)), crew.lag(part(1))), (60, 0));
    assert_eq!(evictions(&seen, Removal::PollTimeout), 0, "the member is well: no timeout notices");
}

#[test]
fn an_error_handler_with_a_dead_letter_topic_cures_that() {
    let mut case = unreadable();
    case.how.dead_letters_unreadable = true;
    let (crew, seen) = case.play();
    assert_eq!(count(&seen, |seen| matches!(seen, Seen::DeadLettered(_, _, 40))), 1);
    assert_eq!((crew.lag(part(0)), crew.lag(part(1))), (0, 0));
}

/// A member dies 30.5 s into its work and another takes over. How many records are handled twice.
fn repeated(commits: Commits) -> usize {
    let how = Handling { handler_us: SECOND_US / 10, poll_records: 10, commits, ..Handling::default() };
    let mut crew = Crew::new(Settings { initial_delay_us: 0, ..Settings::default() }, vec![1]);
    crew.publish(0, part(0), 1_000);
    crew.start(0, Consumer(1), how.clone());
    crew.start(1, Consumer(2), how);
    crew.advance(30 * SECOND_US + SECOND_US / 2);
    crew.die(30 * SECOND_US + SECOND_US / 2, Consumer(1));
    crew.advance(10 * MINUTE_US);
    assert_eq!(crew.committed(part(0)), 1_000);
    let seen = crew.take_seen();
    let handled = count(&seen, |seen| matches!(seen, Seen::Handled(..)));
    handled - 1_000
}

#[test]
fn what_a_death_repeats_is_what_was_not_committed() {
    assert_eq!(repeated(Commits::AfterRecord), 0);
    let batch = repeated(Commits::AfterBatch);
    assert!((1..=10).contains(&batch), "part of a batch: {batch}");
    let auto = repeated(Commits::Auto(5 * SECOND_US));
    assert!(auto > batch && auto <= 60, "up to 5 s and a batch: {auto}");
}

#[test]
fn cooperative_members_work_on_what_they_keep_through_a_rebalance() {
    let pause = |strategy| {
        let settings = Settings { strategy, initial_delay_us: 0, ..Settings::default() };
        let how = Handling { handler_us: 20 * SECOND_US, poll_records: 1, ..Handling::default() };
        let mut crew = Crew::new(settings, vec![6]);
        (0..6).for_each(|index| crew.publish(0, part(index), 1_000));
        crew.start(0, Consumer(1), how.clone());
        crew.start(1, Consumer(2), how.clone());
        crew.advance(10 * MINUTE_US);
        crew.start(10 * MINUTE_US, Consumer(3), how);
        crew.advance(20 * MINUTE_US);
        let lost = |seen: &Seen| matches!(seen, Seen::Group(Event::Revoked(_, partitions)) if partitions.len() > 1);
        let seen = crew.take_seen();
        seen.iter().filter(|(at_us, seen)| *at_us >= 10 * MINUTE_US && lost(seen)).count()
    };
    assert!(pause(Strategy::Range) >= 2, "everyone gives up everything");
    assert_eq!(pause(Strategy::CooperativeSticky), 0, "each gives up one");
}
