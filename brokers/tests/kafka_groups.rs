//! Consumer groups do what Kafka's did.

mod replay;

use redrive_brokers::kafka::group::script::Script;

#[test]
fn groups_do_what_was_recorded() {
    replay::check_folder("kafka-groups", |header| {
        let mut script = Script::open(header).unwrap_or_else(|fault| panic!("{fault}"));
        Box::new(move |words| script.say(words))
    });
}

/// The coordinator alone, spoken to as a client would.
mod coordinator {
    use redrive_brokers::kafka::group::classic::{Answer, Classic, Join, Phase};
    use redrive_brokers::kafka::group::{Fault, MemberId, Partition, Removal, Subscription, Who};

    const SECOND_US: u64 = 1_000_000;
    /// The initial delay passes twice, since a second member joins while it passes first.
    const JOINED_US: u64 = 2;

    fn join() -> Join {
        let subscription = Subscription { topics: vec![0], ..Subscription::default() };
        Join { subscription, session_us: 10 * SECOND_US, rebalance_us: 60 * SECOND_US }
    }

    fn who(member: MemberId) -> Who {
        Who { member, instance: None }
    }

    /// Two members that have joined and not synced; the first leads.
    fn joined() -> (Classic, MemberId, MemberId) {
        let mut group = Classic::new(1);
        let first = group.join(0, None, None, join()).expect("it is new");
        let second = group.join(0, None, None, join()).expect("it is new");
        group.advance(JOINED_US);
        (group, first, second)
    }

    #[test]
    fn the_leader_alone_hears_who_is_there() {
        let (mut group, first, second) = joined();
        let heard: Vec<(MemberId, usize)> = group
            .take_answers()
            .into_iter()
            .map(|(id, answer)| match answer {
                Answer::Joined { generation: 1, members } => (id, members.len()),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(heard, [(first, 2), (second, 0)]);
    }

    #[test]
    fn between_join_and_sync_a_commit_is_told_to_join_again() {
        let (mut group, first, second) = joined();
        assert_eq!(group.commit(SECOND_US, who(second), 1), Err(Fault::RebalanceInProgress));
        assert_eq!(group.commit(SECOND_US, who(second), 0), Err(Fault::IllegalGeneration));
        assert_eq!(group.heartbeat(SECOND_US, who(second), 1), Ok(()), "a heartbeat is a heartbeat");
        group.sync(SECOND_US, who(first), 1, Vec::new()).expect("it leads");
        assert_eq!(group.commit(SECOND_US, who(second), 1), Ok(()));
    }

    #[test]
    fn a_follower_that_syncs_first_waits_for_the_leader() {
        let (mut group, first, second) = joined();
        group.take_answers();
        group.sync(0, who(second), 1, Vec::new()).expect("it is a member");
        assert_eq!(group.take_answers(), []);
        let part = vec![Partition { topic: 0, index: 3 }];
        group.sync(0, who(first), 1, vec![(second, part.clone())]).expect("it leads");
        assert_eq!(group.take_answers(), [(first, Answer::Synced(vec![])), (second, Answer::Synced(part))]);
    }

    #[test]
    fn who_joined_and_never_syncs_is_dropped_after_the_rebalance_timeout() {
        let (mut group, first, second) = joined();
        group.sync(0, who(first), 1, Vec::new()).expect("it leads");
        for second_of in 1..60 {
            for id in [first, second] {
                group.heartbeat(second_of * SECOND_US, who(id), 1).expect("it lives");
            }
        }
        let over_us = JOINED_US + 60 * SECOND_US;
        group.advance(over_us);
        assert_eq!(group.take_removals(), [(over_us, second, Removal::RebalanceTimeout)]);
        assert_eq!(group.heartbeat(over_us, who(first), 1), Err(Fault::RebalanceInProgress));
    }

    #[test]
    fn a_commit_keeps_the_session() {
        let (mut group, first, second) = joined();
        group.sync(0, who(first), 1, Vec::new()).expect("it leads");
        group.sync(0, who(second), 1, Vec::new()).expect("it is a member");
        group.commit(9 * SECOND_US, who(first), 1).expect("it is a member");
        group.advance(15 * SECOND_US);
        assert_eq!(group.take_removals(), [(10 * SECOND_US, second, Removal::SessionTimeout)]);
        assert_eq!(group.phase(), Phase::PreparingRebalance);
    }

    #[test]
    fn a_follower_that_asks_again_without_news_is_told_the_same_generation() {
        let (mut group, first, second) = joined();
        group.sync(0, who(first), 1, Vec::new()).expect("it leads");
        group.take_answers();
        group.join(SECOND_US, Some(second), None, join()).expect("it is a member");
        assert_eq!(group.take_answers(), [(second, Answer::Joined { generation: 1, members: vec![] })]);
        group.join(SECOND_US, Some(first), None, join()).expect("it is a member");
        assert_eq!(group.phase(), Phase::PreparingRebalance, "the leader's question starts a rebalance");
    }

    #[test]
    fn nobody_of_that_name() {
        let (mut group, ..) = joined();
        let stranger = who(MemberId(99));
        assert_eq!(group.heartbeat(0, stranger, 1), Err(Fault::UnknownMemberId));
        assert_eq!(group.commit(0, stranger, 1), Err(Fault::UnknownMemberId));
        assert_eq!(group.leave(0, stranger, Removal::Left), Err(Fault::UnknownMemberId));
        assert_eq!(group.join(0, Some(MemberId(99)), None, join()), Err(Fault::UnknownMemberId));
    }
}

/// Any sequence of what processes do.
mod random {
    use redrive_brokers::Consumer;
    use redrive_brokers::kafka::group::consumers::{Consumers, Event, Heartbeats, Joiner, Protocol, Settings};
    use redrive_brokers::kafka::group::{Partition, Strategy};

    const SECOND_US: u64 = 1_000_000;
    const PARTITIONS: u32 = 7;

    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }
    }

    /// Who owns what, of those that know of nothing that would stop them.
    fn owned(group: &Consumers) -> Vec<Partition> {
        let members = (0..6).map(Consumer).filter(|&process| group.is_member(process));
        let mut owned: Vec<Partition> = members.flat_map(|process| group.owned(process).to_vec()).collect();
        owned.sort_unstable();
        owned
    }

    fn check(protocol: Protocol, strategy: Strategy, seed: u64) {
        let settings = Settings {
            protocol,
            strategy,
            session_us: 10 * SECOND_US,
            max_poll_us: 30 * SECOND_US,
            hop_us: SECOND_US / 7,
            ..Settings::default()
        };
        let mut group = Consumers::new(settings, vec![PARTITIONS]);
        let mut random = Random(seed);
        let mut now_us = 0;
        let context = |step: u64| format!("{protocol:?} {strategy:?} seed {seed} step {step}");
        for step in 0..400 {
            now_us += random.below(4) * SECOND_US / 2;
            let id = u32::try_from(random.below(6)).expect("small");
            let process = Consumer(id);
            match random.below(8) {
                // Where it lives, a new process takes its name: the old one has died without a word.
                0 => {
                    group.start(now_us, process, Joiner { topics: vec![0], ..Joiner::default() });
                    group.poll(now_us, process);
                }
                1 => group.leave(now_us, process),
                2 | 3 => group.work(now_us, process),
                4 => drop(group.commit(now_us, process)),
                _ => group.poll(now_us, process),
            }
            let held = owned(&group);
            assert!(held.windows(2).all(|pair| pair[0] != pair[1]), "two own one: {held:?} {}", context(step));
            assert!(group.next_due_us().is_none_or(|due_us| due_us > now_us), "{}", context(step));
        }
        for id in 0..6 {
            group.start(now_us, Consumer(id), Joiner { topics: vec![0], ..Joiner::default() });
            group.poll(now_us, Consumer(id));
        }
        group.advance(now_us + 300 * SECOND_US);
        let all: Vec<Partition> = (0..PARTITIONS).map(|index| Partition { topic: 0, index }).collect();
        assert_eq!(owned(&group), all, "{}", context(400));
        group.take_events();
        group.advance(now_us + 600 * SECOND_US);
        assert_eq!(group.take_events(), [], "a quiet group stays quiet: {}", context(400));
    }

    #[test]
    fn no_two_members_own_a_partition_and_in_the_end_all_are_owned() {
        for seed in 0..60 {
            for strategy in [Strategy::Range, Strategy::RoundRobin, Strategy::Sticky, Strategy::CooperativeSticky] {
                check(Protocol::Classic, strategy, seed);
            }
            for strategy in [Strategy::Uniform, Strategy::ServerRange] {
                check(Protocol::Consumer, strategy, seed);
            }
        }
    }

    /// Static processes and processes without a heartbeat thread may own what others have; they must not upset anything.
    #[test]
    fn static_members_and_heartbeats_by_hand_come_to_rest_as_well() {
        for seed in 0..60 {
            for protocol in [Protocol::Classic, Protocol::Consumer] {
                let settings = Settings { protocol, strategy: Strategy::CooperativeSticky, ..Settings::default() };
                let mut group = Consumers::new(settings, vec![PARTITIONS, 2]);
                let mut random = Random(seed);
                let mut now_us = 0;
                for _ in 0..300 {
                    now_us += random.below(20) * SECOND_US;
                    let process = Consumer(u32::try_from(random.below(5)).expect("small"));
                    match random.below(9) {
                        0 | 1 => {
                            // Two processes may have one instance id.
                            let instance = (random.below(2) == 0).then_some(process.0 / 2);
                            let by_hand = random.below(3) == 0;
                            let heartbeats = if by_hand { Heartbeats::ByHand } else { Heartbeats::Background };
                            let topics = if random.below(3) == 0 { vec![0] } else { vec![0, 1] };
                            group.start(now_us, process, Joiner { instance, topics, heartbeats });
                            group.poll(now_us, process);
                        }
                        2 => group.leave(now_us, process),
                        3 => group.die(now_us, process),
                        4 => group.work(now_us, process),
                        5 => drop(group.commit(now_us, process)),
                        6 => drop(group.beat(now_us, process)),
                        _ => group.poll(now_us, process),
                    }
                    assert!(group.next_due_us().is_none_or(|due_us| due_us > now_us), "{protocol:?} seed {seed}");
                }
                for id in 0..5 {
                    group.die(now_us, Consumer(id));
                    group.start(now_us, Consumer(id), Joiner { topics: vec![0, 1], ..Joiner::default() });
                    group.poll(now_us, Consumer(id));
                }
                group.advance(now_us + 1_000 * SECOND_US);
                assert_eq!(owned(&group).len(), PARTITIONS as usize + 2, "{protocol:?} seed {seed}");
            }
        }
    }

    #[test]
    fn the_events_add_up_to_what_is_owned() {
        let settings = Settings { strategy: Strategy::CooperativeSticky, hop_us: 1_000, ..Settings::default() };
        let mut group = Consumers::new(settings, vec![PARTITIONS]);
        for (id, start_us) in [(0, 0), (1, 20), (2, 50)] {
            group.start(start_us * SECOND_US, Consumer(id), Joiner { topics: vec![0], ..Joiner::default() });
            group.poll(start_us * SECOND_US, Consumer(id));
        }
        group.die(80 * SECOND_US, Consumer(0));
        group.advance(200 * SECOND_US);
        let mut owned = vec![Vec::new(); 3];
        for (_, event) in group.take_events() {
            match event {
                Event::Assigned(process, partitions) => owned[process.0 as usize].extend(partitions),
                Event::Revoked(process, gone) | Event::Lost(process, gone) => {
                    owned[process.0 as usize].retain(|held| !gone.contains(held));
                }
                Event::Generation(_) | Event::Evicted(..) | Event::Fenced(_) => {}
            }
        }
        for id in 1..3 {
            let mut held = group.owned(Consumer(id)).to_vec();
            held.sort_unstable();
            owned[id as usize].sort_unstable();
            assert_eq!(owned[id as usize], held);
        }
        assert_eq!(owned[1].len() + owned[2].len(), PARTITIONS as usize);
    }
}
