//! Transcripts of Kafka, replayed.

mod replay;

use redrive_brokers::kafka::error::Error;
use redrive_brokers::kafka::idempotence::{Identity, Producers, Verdict};
use redrive_brokers::kafka::partition::{Acks, Commit, Happening, Options, Partition};
use redrive_brokers::kafka::{offsets, producer, profile, script, segment, transaction};

#[test]
fn kafka_gives_what_the_transcripts_say() {
    replay::check_folder("kafka", |transcript| script::open(transcript).expect("a header it knows"));
}

/// A day made up from a seed: brokers break and come back, a producer writes. Gives what was acknowledged, by offset and epoch.
fn any_day(seed: u64, options: Options, check: impl Fn(&Partition, &str)) -> (Partition, Vec<(u64, u32)>) {
    let mut random = seed;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut partition = Partition::new(0, options, &[1, 2, 3]);
    let (mut now_us, mut acked, mut waiting) = (0, Vec::new(), Vec::new());
    for ticket in 0..400 {
        let broker = u32::try_from(next(3)).expect("below three") + 1;
        let step = next(12);
        match step {
            0 => partition.kill(now_us, broker),
            1 => partition.freeze(now_us, broker),
            2..5 => partition.start(now_us, broker),
            5 => partition.shut_down(now_us, broker),
            6 => now_us += next(20_000_000),
            7 => now_us += next(3_000),
            _ => {
                let records = next(5) + 1;
                if let Ok(appended) = partition.append(now_us, records, Acks::All, ticket) {
                    let named = (appended.base..appended.base + records).map(|offset| (offset, appended.epoch));
                    if appended.answered { acked.extend(named) } else { waiting.push((ticket, named.collect::<Vec<_>>())) }
                }
            }
        }
        partition.advance(now_us);
        for happening in partition.take_happenings() {
            if let Happening::Answered { ticket, result: Ok(()), .. } = happening {
                let place = waiting.iter().position(|(known, _)| *known == ticket).expect("it waits");
                acked.extend(waiting.swap_remove(place).1);
            }
        }
        assert!(partition.next_due_us().is_none_or(|due_us| due_us > now_us), "seed {seed} step {step}: something is left");
        check(&partition, &format!("seed {seed}, at {now_us}, step {step}"));
    }
    for broker in 1..=3 {
        partition.start(now_us, broker);
    }
    partition.advance(now_us + 60_000_000);
    (partition, acked)
}

#[test]
fn no_acknowledged_record_is_lost_in_a_clean_cluster() {
    for seed in 0..500 {
        for commit in [Commit::EveryInSync, Commit::Majority] {
            let options = Options { min_insync: 2, lag_max_us: 3_000_000, commit, ..Options::default() };
            let (partition, acked) = any_day(seed, options, |partition, place| {
                assert!(partition.high_watermark() <= partition.log_end(), "{place}");
            });
            assert_eq!(partition.missing(), 0, "seed {seed}: everyone is back");
            assert_eq!(partition.high_watermark(), partition.log_end(), "seed {seed}");
            let leader = partition.replicas().iter().find(|replica| Some(replica.broker()) == partition.leader());
            let log = leader.expect("someone leads").log();
            for (offset, epoch) in acked {
                assert_eq!(log.epoch_at(offset), Some(epoch), "seed {seed}, {commit:?}: offset {offset}");
            }
            for replica in partition.replicas() {
                assert_eq!(replica.log(), log, "seed {seed}: every replica is the same");
            }
        }
    }
}

#[test]
fn the_profiles_state_the_defaults_that_the_machines_have() {
    let check = |name: &str, expect: &[(&str, u64)]| {
        let known = redrive_brokers::profile::named(name).expect("it is in the list");
        for (setting, value) in expect {
            let stated = known.settings.iter().find(|native| native.name == *setting).expect(setting).default;
            let digits = stated.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(stated.len());
            let unit = match &stated[digits..] {
                "ms" => 1_000,
                "s" => 1_000_000,
                "h" => 3_600_000_000,
                "d" => 86_400_000_000,
                _ => 1,
            };
            assert_eq!(stated[..digits].parse::<u64>().expect(stated) * unit, *value, "{name} {setting}");
        }
    };
    let (client, log, partition) = (producer::Options::default(), segment::Options::default(), Options::default());
    check(
        "kafka",
        &[
            ("linger.ms", client.linger_us),
            ("batch.size", client.batch_bytes),
            ("buffer.memory", client.buffer_bytes),
            ("max.block.ms", client.max_block_us),
            ("delivery.timeout.ms", client.delivery_us),
            ("request.timeout.ms", client.request_us),
            ("retries", client.retries.into()),
            ("retry.backoff.ms", client.backoff_us),
            ("max.in.flight.requests.per.connection", client.in_flight.into()),
            ("offsets.retention.minutes", offsets::Options::default().retention_us),
            ("min.insync.replicas", partition.min_insync.into()),
            ("replica.lag.time.max.ms", partition.lag_max_us),
            ("broker.session.timeout.ms", partition.session_us),
            ("leader.imbalance.check.interval.seconds", partition.rebalance_us.expect("it is on")),
            ("retention.ms", log.retention_us.expect("there is one")),
            ("segment.bytes", log.segment_bytes),
            ("segment.ms", log.segment_us),
        ],
    );
    let log = profile::redpanda_log();
    check(
        "redpanda",
        &[
            ("election_timeout_ms", profile::redpanda_partition().session_us),
            ("segment.bytes", log.segment_bytes),
            ("segment.ms", log.segment_us),
            ("retention.ms", log.retention_us.expect("there is one")),
        ],
    );
    assert_eq!(transaction::Options::default().max_timeout_us, 900_000_000);
}

#[test]
fn machines_hold_at_the_end_of_time() {
    const END: u64 = u64::MAX;
    let huge = Options { lag_max_us: END, session_us: END, request_timeout_us: END, fetch_us: END, ..Options::default() };
    for options in [Options::default(), huge] {
        let mut partition = Partition::new(0, options, &[1, 2, 3]);
        let _ = partition.append(0, 5, Acks::All, 0);
        partition.freeze(1, 2);
        partition.advance(END);
        let _ = partition.append(END, 5, Acks::All, 1);
        partition.kill(END, 1);
        partition.start(END, 1);
        partition.advance(END);
    }
    let mut log = segment::Segments::new(0, segment::Options { retention_us: Some(END), ..segment::Options::default() });
    log.append(END - 1, END, END);
    log.append(END, END, END);
    log.advance(END, END);
    let mut groups = offsets::Offsets::new(0, offsets::Options { retention_us: END, check_us: 0 });
    groups.commit(1, 1, 1, END);
    groups.advance(END);
    let mut coordinator = transaction::Coordinator::new(0, transaction::Options { max_timeout_us: END, ..Default::default() });
    let who = coordinator.init(0, 1, END).expect("it is allowed");
    assert_eq!(coordinator.add_partition(END - 1, 1, who, 1), Ok(()));
    coordinator.advance(END);
    let mut client =
        producer::Producer::new(0, producer::Options { delivery_us: END, backoff_us: END, ..Default::default() }, who, &[1]);
    assert!(client.send(END - 1, 0, 1).is_ok());
    for sent in client.take_ready(END - 1) {
        client.answered(END - 1, &sent, Err(Error::NotLeader));
    }
    client.advance(END);
}

#[test]
fn an_idempotent_producer_stores_everything_once_and_in_order() {
    for seed in 0..300_u64 {
        let mut random = seed;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let options = producer::Options { linger_us: 0, delivery_us: u64::MAX, batch_bytes: 300, ..Default::default() };
        let mut client = producer::Producer::new(0, options, Identity { producer: 1, epoch: 0 }, &[1]);
        let (mut broker, mut log, mut sent, mut now_us) = (Producers::default(), Vec::new(), Vec::new(), 0);
        let (mut accepted, mut acked) = (0, 0);
        for step in 0..2_000 {
            if step < 400 && next(2) == 0 && client.send(now_us, 0, 100).is_ok() {
                accepted += 1;
            }
            sent.extend(client.take_ready(now_us));
            if !sent.is_empty() && next(3) > 0 {
                // One connection: requests arrive, and answers come, in the order in which they were sent.
                let arrived: producer::Outgoing = sent.remove(0);
                // A broker that knows nothing of a producer takes any number, so the first batch has to arrive.
                let fate = if step < 1_000 && !log.is_empty() { next(5) } else { 4 };
                let batch = arrived.sequenced.expect("it is numbered");
                let result = match if fate == 0 { Err(Error::NotLeader) } else { broker.judge(batch) } {
                    Ok(Verdict::Append) => {
                        broker.appended(now_us, batch, log.len() as u64);
                        log.extend((0..arrived.records).map(|index| (arrived.batch, index)));
                        Ok(())
                    }
                    Ok(Verdict::Duplicate { .. }) => Ok(()),
                    Err(error) => Err(error),
                };
                if fate == 1 {
                    // The connection breaks before the answer: what follows on it does not arrive.
                    for lost in std::iter::once(arrived).chain(sent.drain(..)) {
                        client.answered(now_us, &lost, Err(Error::Disconnected));
                    }
                } else {
                    client.answered(now_us, &arrived, result);
                }
            }
            now_us += next(60_000);
            client.advance(now_us);
            acked += client.take_completed().iter().filter(|done| done.result.is_ok()).count();
        }
        while let Some(due_us) = client.next_due_us() {
            now_us = due_us;
            for arrived in client.take_ready(now_us) {
                let batch = arrived.sequenced.expect("it is numbered");
                let result = broker.judge(batch);
                if result == Ok(Verdict::Append) {
                    broker.appended(now_us, batch, log.len() as u64);
                    log.extend((0..arrived.records).map(|index| (arrived.batch, index)));
                }
                client.answered(now_us, &arrived, result.map(|_| ()));
            }
            client.advance(now_us);
            acked += client.take_completed().iter().filter(|done| done.result.is_ok()).count();
        }
        assert_eq!(log.len(), accepted, "seed {seed}: once each");
        assert!(log.is_sorted(), "seed {seed}: in order");
        assert!(acked > 0 && client.used_bytes() == 0, "seed {seed}: everything is settled");
    }
}
