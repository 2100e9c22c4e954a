//! Transcripts of Kafka, replayed.

mod replay;

use redrive_brokers::kafka::script;

#[test]
fn kafka_gives_what_the_transcripts_say() {
    replay::check_folder("kafka", |transcript| script::open(transcript).expect("a header it knows"));
}
