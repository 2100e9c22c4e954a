//! PostgreSQL as a queue and as an outbox gives what the real one gave.

mod replay;

use redrive_brokers::postgres::script::Player;
use redrive_brokers::transcript::Transcript;

#[test]
fn transcripts_replay() {
    replay::check_folder("postgresql", |header| {
        let mut player = Player::open(header);
        Box::new(move |said| player.say(said))
    });
}

#[test]
fn words_without_sense_or_measure_do_no_harm() {
    let huge = "18446744073709551615";
    let mut player = Player::open(&Transcript::default());
    let words = [
        format!("T1: idle limit {huge}s"),
        "T1: begin".to_owned(),
        "T1: insert A".to_owned(),
        format!("T1: lease {huge} for {huge}s"),
        format!("T1: lock {huge}"),
        "T1: busy 4294967295 x 4294967295".to_owned(),
        format!("T1: trim busy {huge}"),
        "T1: rollback to".to_owned(),
        "T1:".to_owned(),
        String::new(),
        "R: create slot".to_owned(),
        format!("wait {huge}s"),
        format!("wait {huge}s"),
        "checkpoint".to_owned(),
        "slot status".to_owned(),
    ];
    let last = words.iter().map(|said| player.say(said)).last();
    assert_eq!(last, Some(vec!["reserved".to_owned()]), "the idle limit was reached, so the slot waits no more");
}
