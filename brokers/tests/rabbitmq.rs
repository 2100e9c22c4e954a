//! RabbitMQ gives what the real one gave.

mod replay;

use redrive_brokers::rabbitmq::script::Script;

#[test]
fn transcripts_replay() {
    replay::check_folder("rabbitmq", |transcript| {
        let mut script = Script::open(transcript).unwrap_or_else(|fault| panic!("header: {fault}"));
        Box::new(move |words| script.say(words))
    });
}
