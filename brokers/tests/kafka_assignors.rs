//! The assignors give what Kafka's give, round after round, to the order of each list.

use redrive_brokers::kafka::group::assign::{Partition, Strategy, Subscription, assign};
use redrive_brokers::kafka::group::script::java_order;

const CHAINS: &str = include_str!("data/kafka-assignments.txt");

/// A member's line: its name, its instance id, the topics it wants, its claim with a generation, what it gets.
struct Line {
    name: String,
    instance: bool,
    wants: Vec<String>,
    owns: Option<(Vec<String>, u32)>,
    gets: Vec<String>,
}

fn line(text: &str) -> Line {
    let mut found = Line { name: String::new(), instance: false, wants: vec![], owns: None, gets: vec![] };
    let mut place = "name";
    for word in text.split_whitespace() {
        match (word, place) {
            ("wants" | "owns" | "gets" | "in" | "instance", _) => {
                place = word;
                if word == "owns" {
                    found.owns = Some((vec![], 0));
                }
            }
            (_, "name") => found.name = word.to_owned(),
            (_, "instance") => found.instance = true,
            (_, "wants") => found.wants.push(word.to_owned()),
            (_, "owns") => found.owns.as_mut().expect("a claim").0.push(word.to_owned()),
            (_, "in") => found.owns.as_mut().expect("a claim").1 = word.parse().expect("a generation"),
            _ => found.gets.push(word.to_owned()),
        }
    }
    found
}

fn check(chain: &str) {
    let mut rounds = chain.split("\nround\n");
    let header = rounds.next().expect("a header");
    let value = |name: &str| {
        let line = header.lines().find_map(|line| line.strip_prefix(name)).expect(name);
        line.trim().to_owned()
    };
    let strategy = match value("assignor:").as_str() {
        "range" => Strategy::Range,
        "roundrobin" => Strategy::RoundRobin,
        "sticky" => Strategy::Sticky,
        "cooperative-sticky" => Strategy::CooperativeSticky,
        "uniform" => Strategy::Uniform,
        "server-range" => Strategy::ServerRange,
        other => panic!("no assignor is called {other}"),
    };
    let mut topics: Vec<(String, u32)> = Vec::new();
    for word in value("topics:").split_whitespace() {
        let (name, count) = word.split_once('=').expect("topic=count");
        topics.push((name.to_owned(), count.parse().expect("a count")));
    }
    topics.sort();
    let counts: Vec<u32> = topics.iter().map(|(_, count)| *count).collect();
    let topic = |name: &str| {
        let at = topics.iter().position(|(known, _)| known == name).expect(name);
        u32::try_from(at).expect("few topics")
    };
    let partition = |word: &str| {
        let (name, index) = word.rsplit_once('-').expect("topic-partition");
        Partition { topic: topic(name), index: index.parse().expect("a partition") }
    };
    let mut last: Vec<(String, Vec<Partition>)> = Vec::new();
    for (generation, round) in (0_u32..).zip(rounds) {
        let lines: Vec<Line> = round.lines().filter(|text| !text.is_empty()).map(line).collect();
        let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        let order = match strategy {
            Strategy::Uniform | Strategy::ServerRange => (0..names.len()).collect(),
            _ => java_order(&names),
        };
        let subscription = |&at: &usize| {
            let line: &Line = &lines[at];
            let before = last.iter().find(|(name, _)| *name == line.name).map(|(_, had)| had.clone());
            let owned = match &line.owns {
                Some((claim, _)) => claim.iter().map(|word| partition(word)).collect(),
                None => before.clone().unwrap_or_default(),
            };
            let claimed = line.owns.as_ref().map(|(_, generation)| *generation);
            Subscription {
                member: u32::try_from(at).expect("few members"),
                instance: line.instance.then_some(0),
                topics: line.wants.iter().map(|name| topic(name)).collect(),
                owned,
                generation: claimed.or(before.map(|_| generation)),
            }
        };
        let members: Vec<Subscription> = order.iter().map(subscription).collect();
        let given = assign(strategy, &counts, &members);
        last.clear();
        for (&at, given) in order.iter().zip(given) {
            let expect: Vec<Partition> = lines[at].gets.iter().map(|word| partition(word)).collect();
            assert_eq!(given, expect, "{} in round {} of:\n{header}", lines[at].name, generation + 1);
            last.push((lines[at].name.clone(), given));
        }
    }
}

#[test]
fn every_chain_gives_what_kafka_gave() {
    let chains: Vec<&str> = CHAINS.split("\n\nchain:").skip(1).collect();
    assert!(chains.len() > 30, "the file is cut short: {}", chains.len());
    chains.iter().for_each(|chain| check(chain));
}

/// By the bin of the hash, not by name.
#[test]
fn members_are_walked_as_java_walks_them() {
    assert_eq!(java_order(&["A", "B", "C"]), [0, 1, 2]);
    assert_eq!(java_order(&["consumer1", "consumer2", "consumer3"]), [2, 1, 0]);
}

/// Whatever is subscribed and owned: each wanted partition goes to one member that wants it, and equal subscriptions share
/// alike.
#[test]
fn random_groups_get_valid_assignments() {
    let mut seed = 11_u64;
    let mut random = move |end: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % end
    };
    let strategies = [
        Strategy::Range,
        Strategy::RoundRobin,
        Strategy::Sticky,
        Strategy::CooperativeSticky,
        Strategy::Uniform,
        Strategy::ServerRange,
    ];
    for case in 0..3_000 {
        let counts: Vec<u32> = (0..3).map(|_| u32::try_from(random(9)).expect("small")).collect();
        let alike = random(2) == 0;
        let mut members = Vec::new();
        for member in 0..=u32::try_from(random(6)).expect("small") {
            // Nobody joins without a topic.
            let always = u32::try_from(random(3)).expect("small");
            let topics: Vec<u32> = (0..3).filter(|&topic| alike || topic == always || random(3) > 0).collect();
            members.push(Subscription { member, topics, ..Subscription::default() });
        }
        let strategy = strategies[case % strategies.len()];
        let rounds = if strategy == Strategy::CooperativeSticky { 4 } else { 2 };
        let mut given = Vec::new();
        for round in 0..rounds {
            given = assign(strategy, &counts, &members);
            assert_eq!(given, assign(strategy, &counts, &members), "the same twice, case {case}");
            if round == 0 && members.len() > 1 {
                // One leaves with what it had.
                members.pop();
                given.pop();
            }
            for (member, given) in members.iter_mut().zip(&given) {
                member.owned.clone_from(given);
                member.generation = Some(round);
            }
        }
        let mut all: Vec<Partition> = given.concat();
        all.sort_unstable();
        let wanted = |topic: u32| members.iter().any(|member| member.topics.contains(&topic));
        let expect: Vec<Partition> = (0..3)
            .filter(|&topic| wanted(topic))
            .flat_map(|topic| (0..counts[topic as usize]).map(move |index| Partition { topic, index }))
            .collect();
        assert_eq!(all, expect, "{strategy:?}, case {case}: {members:?}");
        for (member, given) in members.iter().zip(&given) {
            assert!(given.iter().all(|got| member.topics.contains(&got.topic)), "{strategy:?}, case {case}");
        }
        let even = matches!(strategy, Strategy::Sticky | Strategy::CooperativeSticky | Strategy::Uniform);
        let sizes = given.iter().map(Vec::len);
        if alike && even {
            assert!(sizes.clone().max() <= sizes.min().map(|least| least + 1), "{strategy:?}, case {case}: {given:?}");
        }
    }
}
