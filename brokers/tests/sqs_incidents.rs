//! Reports of what went wrong with SQS in production, played on the machines, each with its cure.

use redrive_brokers::sqs::lambda::{Mapping, MappingFault, MappingOptions, Outcome, Run};
use redrive_brokers::sqs::{Account, Options, Polled, QueueId, Receive, SECOND_US, Send};
use redrive_brokers::{Consumer, CopyId, Counts, QueueServer};

const WORKER: Consumer = Consumer(1);
const DAY_US: u64 = 86_400 * SECOND_US;

fn counts(account: &mut Account, queue: QueueId) -> Counts {
    account.queue(queue).expect("it was created").counts()
}

fn receive(account: &mut Account, now_us: u64, queue: QueueId, most: u32) -> Vec<redrive_brokers::sqs::Received> {
    match account.receive(now_us, queue, Receive::new(WORKER, most), None).expect("few are in flight") {
        Polled::Answer(received) => received,
        Polled::Waits(_) => unreachable!("the queues have no long poll"),
    }
}

/// A queue and its dead-letter queue.
fn pair(work: Options, dead_letters: Options, max_receives: u32) -> (Account, QueueId, QueueId) {
    let mut account = Account::default();
    let work = account.create(work).expect("in range");
    let dead = account.create(dead_letters).expect("in range");
    account.redrive_policy(0, work, dead, max_receives).expect("both are of one kind");
    (account, work, dead)
}

/// A function that takes 25 of its 30 seconds and never fails, one at a time, behind a mapping that polls for five: how many of
/// twenty messages it handled, and how many are dead letters.
fn throttled(visibility_us: u64) -> (u64, u64) {
    let queue = Options { visibility_us, ..Options::standard() };
    let (mut account, work, dead) = pair(queue, Options::standard(), 3);
    let options =
        MappingOptions { batch_size: 1, timeout_us: 30 * SECOND_US, concurrency: 1, batches: 5, ..MappingOptions::shipped() };
    let mut mapping = Mapping::new(&mut account, work, WORKER, options).expect("the function fits the queue");
    for body in 0..20 {
        account.send(0, work, Send::new(body)).expect("nothing is wrong with it");
    }
    let mut handled = 0;
    let mut ends: Vec<(u64, u64)> = Vec::new();
    mapping.advance(0, &mut account);
    while counts(&mut account, work) != Counts::default() {
        ends.extend(mapping.take_started().iter().map(|run| (run.began_us + 25 * SECOND_US, run.id)));
        let end = ends.first().copied();
        let due_us = mapping.next_due_us(&account).expect("messages are there");
        match end.filter(|(at_us, _)| *at_us <= due_us) {
            Some((at_us, run)) => {
                ends.remove(0);
                handled += 1;
                mapping.finish(at_us, &mut account, run, &Outcome::Done);
            }
            None => mapping.advance(due_us, &mut account),
        }
    }
    (handled, counts(&mut account, dead).ready)
}

/// govuk-one-login/authentication-api, pull request 3053.
#[test]
fn a_visibility_timeout_of_one_function_timeout_sends_healthy_messages_to_the_dead_letters() {
    let (handled, dead) = throttled(30 * SECOND_US);
    assert!(dead > 0, "no message was at fault");
    assert!(handled < 20, "those were never handled");
    let advised_us = MappingOptions { timeout_us: 30 * SECOND_US, ..MappingOptions::shipped() }.advised_visibility_us();
    assert_eq!(advised_us, 180 * SECOND_US);
    assert_eq!(throttled(advised_us), (20, 0));
}

/// Receives a message that never succeeds until it is dead, and gives what is then in the dead-letter queue.
fn retried_for_a_week(dead_letter_retention_us: u64) -> Counts {
    let work = Options { visibility_us: 43_200 * SECOND_US, retention_us: 14 * DAY_US, ..Options::standard() };
    let dead = Options { retention_us: dead_letter_retention_us, ..Options::standard() };
    let (mut account, work, dead) = pair(work, dead, 14);
    account.send(0, work, Send::new(1)).expect("nothing is wrong with it");
    for attempt in 0..14 {
        let received = receive(&mut account, attempt * DAY_US / 2, work, 1);
        assert_eq!(received[0].receives_here, attempt as u32 + 1);
    }
    assert!(receive(&mut account, 7 * DAY_US, work, 1).is_empty(), "this receive moves it");
    assert_eq!(counts(&mut account, work), Counts::default());
    counts(&mut account, dead)
}

/// guardian/support-service-lambdas, pull request 2288.
#[test]
fn a_dead_letter_older_than_its_queue_keeps_vanishes_on_arrival() {
    assert_eq!(retried_for_a_week(4 * DAY_US), Counts::default());
    assert_eq!(retried_for_a_week(14 * DAY_US), Counts { ready: 1, ..Counts::default() });
}

/// The order in which five messages of one group are done when the third fails the first time. A consumer that stops the group
/// gives back the failed message and all after it.
fn third_fails(stops_the_group: bool) -> Vec<u64> {
    let mut account = Account::default();
    let queue = account.create(Options::fifo()).expect("as shipped");
    for body in 1..=5 {
        account.send(0, queue, Send { group: Some(1), dedup: Some(body), ..Send::new(body) }).expect("it has group and id");
    }
    let mut done = Vec::new();
    let mut failed = false;
    for now_us in (0..300).map(|second| second * SECOND_US) {
        let mut stopped = false;
        for received in receive(&mut account, now_us, queue, 10) {
            let handle = redrive_brokers::sqs::Handle { queue, tag: received.tag };
            if stopped || (received.body == 3 && !failed) {
                failed = true;
                stopped = stops_the_group;
                if stopped {
                    account.change_visibility(now_us, queue, handle, 0).expect("it is in flight");
                }
                continue;
            }
            done.push(received.body);
            account.delete(now_us, queue, handle).expect("it is in flight");
        }
    }
    done
}

/// dashbitco/broadway_sqs, issue 78.
#[test]
fn a_fifo_batch_that_goes_on_after_a_failure_breaks_the_order_of_its_group() {
    assert_eq!(third_fails(false), [1, 2, 4, 5, 3]);
    assert_eq!(third_fails(true), [1, 2, 3, 4, 5]);
}

/// Runs a function over a FIFO batch in which the third message fails the first time, and gives what each run got.
fn fifo_function(report: bool, failures: &[u64]) -> Vec<Vec<u64>> {
    let mut account = Account::default();
    let queue = account.create(Options::fifo()).expect("as shipped");
    for body in 1..=5 {
        account.send(0, queue, Send { group: Some(1), dedup: Some(body), ..Send::new(body) }).expect("it has group and id");
    }
    let options = MappingOptions { report_failures: report, ..MappingOptions::shipped() };
    let mut mapping = Mapping::new(&mut account, queue, WORKER, options).expect("3 s fit into 30 s");
    let mut runs = Vec::new();
    for now_us in (0..120).map(|second| second * SECOND_US) {
        mapping.advance(now_us, &mut account);
        for run in mapping.take_started() {
            let failed = run.batch.iter().filter(|received| runs.is_empty() && failures.contains(&received.body));
            let outcome = Outcome::Failures(failed.map(|received| received.copy).collect());
            runs.push(run.batch.iter().map(|received| received.body).collect());
            mapping.finish(now_us, &mut account, run.id, &outcome);
        }
    }
    runs
}

#[test]
fn a_function_on_a_fifo_queue_must_report_the_failed_message_and_all_after_it() {
    assert_eq!(fifo_function(true, &[3]), [vec![1, 2, 3, 4, 5], vec![3]], "4 and 5 were done before 3");
    assert_eq!(fifo_function(true, &[3, 4, 5]), [vec![1, 2, 3, 4, 5], vec![3, 4, 5]]);
    assert_eq!(fifo_function(false, &[3]), [vec![1, 2, 3, 4, 5]], "nobody reads the report, so 3 is lost");
}

#[test]
fn a_mapping_is_checked_against_its_queue() {
    let check = |options: MappingOptions, queue: Options, expect: Result<(), MappingFault>| {
        assert_eq!(options.check(&queue), expect, "{options:?}");
    };
    let shipped = MappingOptions::shipped();
    let window_us = SECOND_US;
    check(shipped, Options::standard(), Ok(()));
    let slow = MappingOptions { timeout_us: 31 * SECOND_US, ..shipped };
    check(slow, Options::standard(), Err(MappingFault::VisibilityBelowTimeout));
    check(MappingOptions { batch_size: 11, ..shipped }, Options::standard(), Err(MappingFault::BatchSize));
    check(MappingOptions { batch_size: 10_000, window_us, ..shipped }, Options::standard(), Ok(()));
    check(MappingOptions { batch_size: 10_001, window_us, ..shipped }, Options::standard(), Err(MappingFault::BatchSize));
    check(MappingOptions { window_us, ..shipped }, Options::fifo(), Err(MappingFault::Window));
    check(MappingOptions { window_us: 301 * SECOND_US, ..shipped }, Options::standard(), Err(MappingFault::Window));
}

/// How large the batches are that a function gets when a message is sent each second.
fn batches(options: MappingOptions) -> Vec<usize> {
    let mut account = Account::default();
    let queue = account.create(Options { visibility_us: 600 * SECOND_US, ..Options::standard() }).expect("in range");
    let mut mapping = Mapping::new(&mut account, queue, WORKER, options).expect("it fits");
    let mut sizes = Vec::new();
    for second in 0..60 {
        account.send(second * SECOND_US, queue, Send::new(second)).expect("nothing is wrong with it");
        mapping.advance(second * SECOND_US, &mut account);
        for run in mapping.take_started() {
            sizes.push(run.batch.len());
            mapping.finish(second * SECOND_US, &mut account, run.id, &Outcome::Done);
        }
    }
    sizes
}

#[test]
fn a_batching_window_gathers_until_it_is_over_or_the_batch_is_full() {
    let shipped = MappingOptions::shipped();
    assert_eq!(batches(shipped), [1; 60]);
    assert_eq!(batches(MappingOptions { batch_size: 100, window_us: 20 * SECOND_US, ..shipped }), [21, 21]);
    assert_eq!(batches(MappingOptions { batch_size: 15, window_us: 20 * SECOND_US, ..shipped }), [15; 4]);
}

#[test]
fn a_function_that_runs_into_its_timeout_leaves_its_batch_hidden() {
    let mut account = Account::default();
    let queue = account.create(Options::standard()).expect("as shipped");
    account.send(0, queue, Send::new(1)).expect("nothing is wrong with it");
    let mut mapping = Mapping::new(&mut account, queue, WORKER, MappingOptions::shipped()).expect("it fits");
    mapping.advance(0, &mut account);
    let first = mapping.take_started().remove(0);
    mapping.finish(4 * SECOND_US, &mut account, first.id, &Outcome::Done);
    assert_eq!(counts(&mut account, queue), Counts { held: 1, ..Counts::default() }, "3 s were over");
    mapping.advance(30 * SECOND_US, &mut account);
    let second = mapping.take_started().remove(0);
    assert_eq!((second.began_us, second.batch[0].receives), (30 * SECOND_US, 2));
}

/// What a function gets in each run, and which messages are dead letters after a minute. Messages 1 to `count` wait when the
/// mapping begins; a message is tried twice.
fn tried_twice(queue: Options, count: u64, outcome: impl Fn(&Run) -> Outcome) -> (Vec<Vec<u64>>, Vec<u64>) {
    let (mut account, work, dead) = pair(queue, Options { visibility_us: 0, ..queue }, 2);
    for body in 1..=count {
        let (group, dedup) = (queue.fifo.map(|_| 1), queue.fifo.map(|_| body));
        account.send(0, work, Send { group, dedup, ..Send::new(body) }).expect("nothing is wrong with it");
    }
    let options = MappingOptions { report_failures: true, timeout_us: 2 * SECOND_US, ..MappingOptions::shipped() };
    let mut mapping = Mapping::new(&mut account, work, WORKER, options).expect("it fits");
    let mut runs = Vec::new();
    for now_us in (0..60).map(|second| second * SECOND_US) {
        mapping.advance(now_us, &mut account);
        for run in mapping.take_started() {
            runs.push(run.batch.iter().map(|received| received.body).collect());
            mapping.finish(now_us, &mut account, run.id, &outcome(&run));
        }
    }
    let dead = receive(&mut account, 60 * SECOND_US, dead, 10);
    assert!(dead.iter().all(|received| received.receives == 3), "twice here and once there: {dead:?}");
    (runs, dead.iter().map(|received| received.body).collect())
}

/// As recorded on AWS by others: LocalStack test suite, `test_report_batch_item_failures` and those beside it.
#[test]
fn failures_of_a_batch_come_again_after_the_visibility_timeout_and_are_dead_after_two() {
    let standard = Options { visibility_us: 8 * SECOND_US, ..Options::standard() };
    let fifo = Options { visibility_us: 8 * SECOND_US, ..Options::fifo() };
    let fails = |run: &Run| {
        let attempts_that_fail = |body: u64| [0, 1, 1, 2][body as usize - 1];
        let failed = run.batch.iter().filter(|received| received.receives_here <= attempts_that_fail(received.body));
        Outcome::Failures(failed.map(|received| received.copy).collect())
    };
    let check = |got: (Vec<Vec<u64>>, Vec<u64>), runs: &[&[u64]], dead: &[u64]| {
        assert_eq!(got.0, runs);
        assert_eq!(got.1, dead);
    };
    check(tried_twice(fifo, 4, fails), &[&[1, 2, 3, 4], &[2, 3, 4]], &[4]);
    check(tried_twice(standard, 2, |_| Outcome::Failed), &[&[1, 2], &[1, 2]], &[1, 2]);
    let unknown = |_: &Run| Outcome::Failures(vec![CopyId(999)]);
    check(tried_twice(standard, 1, unknown), &[&[1], &[1]], &[1]);
    check(tried_twice(standard, 1, |_| Outcome::Failures(Vec::new())), &[&[1]], &[]);
}
