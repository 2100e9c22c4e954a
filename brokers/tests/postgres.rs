//! PostgreSQL as a queue and as an outbox gives what the real one gave.

mod replay;

use redrive_brokers::postgres::script::Player;

#[test]
fn transcripts_replay() {
    replay::check_folder("postgresql", |header| {
        let mut player = Player::open(header);
        Box::new(move |said| player.say(said))
    });
}
