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
