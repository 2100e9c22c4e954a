//! SQS and SNS: transcripts replayed.

mod replay;

use redrive_brokers::sqs::script::Script;
use redrive_brokers::sqs::script::topic::TopicScript;

#[test]
fn sqs_answers_as_the_transcripts_say() {
    replay::check_folder("sqs", |header| {
        let mut script = Script::new(header).unwrap_or_else(|fault| panic!("{:?}: {fault}", header.value("case")));
        Box::new(move |words| script.say(words))
    });
}

#[test]
fn sns_answers_as_the_transcripts_say() {
    replay::check_folder("sns", |header| {
        let mut script = TopicScript::new(header).unwrap_or_else(|fault| panic!("{:?}: {fault}", header.value("case")));
        Box::new(move |words| script.say(words))
    });
}
