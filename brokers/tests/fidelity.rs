//! The figures that the lab shows of its own fidelity are counted here, by replaying every transcript.
//!
//! `REDRIVE_BLESS=1 cargo test -p redrive-brokers --test fidelity` writes `src/fidelity.rs`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use redrive_brokers::profile::{self, Profile};
use redrive_brokers::transcript::Transcript;
use redrive_brokers::{kafka, postgres, rabbitmq, sqs};

type Server = Box<dyn FnMut(&str) -> Vec<String>>;

/// The folders of a broker's transcripts.
fn folders(profile: &Profile) -> &'static [&'static str] {
    match profile.transcripts {
        "kafka" => &["kafka", "kafka-groups"],
        "kafka-share" => &["kafka-share"],
        "postgresql" => &["postgresql"],
        "rabbitmq" => &["rabbitmq"],
        "sns" => &["sns"],
        "sqs" => &["sqs"],
        other => panic!("whose transcripts are in {other}?"),
    }
}

/// Whether a case of its folders is one of this broker. A case about exchanges alone is one of both kinds of queue.
fn is_of(profile: &Profile, case: &Transcript) -> bool {
    let redpanda = case.value("server").is_some_and(|server| server.starts_with("Redpanda"));
    let queue = case.value("queue");
    match profile.id {
        "kafka" => !redpanda,
        "redpanda" => redpanda,
        "sqs" => queue != Some("fifo"),
        "sqs-fifo" => queue == Some("fifo"),
        "rabbitmq-classic" => queue != Some("quorum"),
        "rabbitmq-quorum" => queue != Some("classic"),
        _ => true,
    }
}

fn open(folder: &str, case: &Transcript) -> Server {
    macro_rules! says {
        ($script:expr) => {{
            let mut script = $script;
            Box::new(move |words: &str| script.say(words))
        }};
    }
    match folder {
        "kafka" => kafka::script::open(case).expect("a header it knows"),
        "kafka-groups" => says!(kafka::group::script::Script::open(case).expect("a header it knows")),
        "kafka-share" => says!(kafka::group::share_script::ShareScript::open(case).expect("a header it knows")),
        "postgresql" => says!(postgres::script::Player::open(case)),
        "rabbitmq" => says!(rabbitmq::script::Script::open(case).expect("a header it knows")),
        "sns" => says!(sqs::script::topic::TopicScript::new(case).expect("a header it knows")),
        "sqs" => says!(sqs::script::Script::new(case).expect("a header it knows")),
        other => panic!("nothing plays {other}"),
    }
}

/// The transcripts of a folder, by name.
fn cases(folder: &str) -> Vec<Transcript> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/transcripts").join(folder);
    let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let read = |file: &std::path::PathBuf| Transcript::parse(&fs::read_to_string(file).expect("a text file"));
    files.iter().map(|file| read(file).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()))).collect()
}

/// The file as it should be.
fn counted() -> String {
    let mut text = String::from(
        "//! How many recorded and documented cases each machine matches. Counted by `tests/fidelity.rs`, which writes this file.\n\n\
         /// The cases of one broker.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq)]\n\
         pub struct Fidelity {\n\
         \x20   /// The broker's id in [`crate::profile`].\n    pub id: &'static str,\n\
         \x20   /// Cases in all.\n    pub cases: u32,\n\
         \x20   /// Cases in which the machine gives the same, line by line.\n    pub matched: u32,\n\
         \x20   /// Cases that this project recorded on a real server.\n    pub recorded: u32,\n\
         \x20   /// Cases that others recorded on the real service.\n    pub by_others: u32,\n\
         \x20   /// Cases taken from the broker's documentation or source.\n    pub documented: u32,\n\
         \x20   /// The servers with their versions.\n    pub servers: &'static [&'static str],\n}\n\n\
         /// One row a broker, in the order of [`crate::profile::ALL`].\n\
         #[rustfmt::skip]\n\
         pub const ALL: &[Fidelity] = &[\n",
    );
    for profile in profile::ALL {
        let (mut all, mut matched, mut recorded, mut by_others) = (0, 0, 0, 0);
        let mut servers: Vec<String> = Vec::new();
        for folder in folders(profile) {
            for case in cases(folder).into_iter().filter(|case| is_of(profile, case)) {
                all += 1;
                matched += u32::from(case.replayed(open(folder, &case)).steps == case.steps);
                let source = case.value("source").expect("a case says where it comes from");
                recorded += u32::from(source.starts_with("recorded 20"));
                by_others += u32::from(source.starts_with("recorded on"));
                for server in case.value("server").expect("a case says on which server").split("; ") {
                    if !servers.iter().any(|known| known == server) {
                        servers.push(server.to_owned());
                    }
                }
            }
        }
        servers.sort();
        let names: Vec<String> = servers.iter().map(|server| format!("{server:?}")).collect();
        let rest = all - recorded - by_others;
        let _ = writeln!(
            text,
            "    Fidelity {{ id: {:?}, cases: {all}, matched: {matched}, recorded: {recorded}, by_others: {by_others}, documented: {rest}, \
             servers: &[{}] }},",
            profile.id,
            names.join(", "),
        );
    }
    text + "];\n"
}

#[test]
fn the_figures_shown_are_those_of_the_transcripts() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fidelity.rs");
    let counted = counted();
    if std::env::var_os("REDRIVE_BLESS").is_some() {
        fs::write(&file, &counted).expect("the file can be written");
    }
    assert!(
        fs::read_to_string(&file).expect("it is there") == counted,
        "src/fidelity.rs is not what was counted: run this test with REDRIVE_BLESS=1"
    );
}
