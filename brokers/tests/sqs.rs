//! SQS: transcripts replayed.

mod replay;

use redrive_brokers::sqs::script::Script;

#[test]
fn sqs_answers_as_the_transcripts_say() {
    replay::check_folder("sqs", |header| {
        let mut script = Script::new(header).unwrap_or_else(|fault| panic!("{:?}: {fault}", header.value("case")));
        Box::new(move |words| script.say(words))
    });
}
