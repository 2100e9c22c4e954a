//! Random scripts, played on the server and on the machine until they differ. A difference is played again, for a busy
//! machine may be too slow for a script, then made as short as it goes, and printed as a transcript.

use std::collections::BTreeMap;

use redrive_brokers::rabbitmq::script::Script;
use redrive_brokers::transcript::{Step, Transcript};
use tokio::task::{JoinSet, LocalSet};

/// Scripts that play side by side.
const ABREAST: u64 = 12;

/// The fuzzer stops after so many differences.
const ENOUGH: usize = 3;

/// A difference is played at most so often while it is shortened.
const SHORTENING: u32 = 60;

/// Plays `count` scripts of a kind of queue from a seed.
///
/// # Errors
/// The kind is not known, the server cannot be reached, or a difference was found.
pub async fn run(kind: &str, count: u64, seed: u64) -> Result<(), String> {
    let differences = LocalSet::new().run_until(run_local(kind, count, seed)).await?;
    println!("{kind}: {count} scripts from seed {seed}, {differences} differ");
    if differences == 0 { Ok(()) } else { Err(format!("{kind}: {differences} differences")) }
}

async fn run_local(kind: &str, count: u64, seed: u64) -> Result<usize, String> {
    let mut next = seed;
    let mut playing = JoinSet::new();
    let mut differences = 0;
    while differences < ENOUGH && (next < seed + count || !playing.is_empty()) {
        while next < seed + count && (playing.len() as u64) < ABREAST {
            let script = Maker::new(kind, next)?.make();
            let name = format!("f{next}");
            playing.spawn_local(async move { (differs(&script, &name).await, script, name) });
            next += 1;
        }
        let Some(ended) = playing.join_next().await else { break };
        let (found, script, name) = ended.map_err(|error| error.to_string())?;
        if found? && stays(&script, &name).await? {
            differences += 1;
            println!("# {kind}, seed {}\n{}", &name[1..], tell(&shorten(script, &name).await?, &name).await?);
        }
    }
    Ok(differences)
}

/// The script with the machine's answers.
fn imagine(script: &Transcript) -> Result<Transcript, String> {
    let mut machine = Script::open(script)?;
    Ok(script.replayed(|words| machine.say(words)))
}

async fn differs(script: &Transcript, name: &str) -> Result<bool, String> {
    let real = patiently(script, name).await?;
    Ok(real.steps != imagine(script)?.steps)
}

/// The client does not always get a channel at once after another was closed: the script is played again then.
async fn patiently(script: &Transcript, name: &str) -> Result<Transcript, String> {
    for _ in 0..4 {
        if let Ok(real) = super::play(script, name).await {
            return Ok(real);
        }
    }
    super::play(script, name).await.map_err(|fault| format!("{fault}\n{}", script.to_text()))
}

/// Whether a difference is there twice more.
async fn stays(script: &Transcript, name: &str) -> Result<bool, String> {
    Ok(differs(script, name).await? && differs(script, name).await?)
}

async fn shorten(mut script: Transcript, name: &str) -> Result<Transcript, String> {
    let mut left = SHORTENING;
    let mut at = script.steps.len();
    while at > 0 && left > 0 {
        at -= 1;
        left -= 1;
        let mut shorter = script.clone();
        shorter.steps.remove(at);
        // What is left of a script may be one that no server takes.
        if let (Ok(true), Ok(true)) = (differs(&shorter, name).await, differs(&shorter, name).await) {
            script = shorter;
        }
    }
    Ok(script)
}

/// The script with the server's answers, and the machine's where they are others.
async fn tell(script: &Transcript, name: &str) -> Result<String, String> {
    let mut real = super::play(script, name).await?;
    for (step, imagined) in real.steps.iter_mut().zip(imagine(script)?.steps) {
        if step.gave != imagined.gave {
            step.gave.push(format!("# machine: {:?}", imagined.gave));
        }
    }
    Ok(real.to_text())
}

/// Random numbers: splitmix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.roll(from.len() as u64) as usize) }
    }
}

const PEOPLE: &[&str] = &["a", "b", "c"];

/// Makes a script step by step beside the machine, to settle what was delivered.
struct Maker {
    dice: Dice,
    script: Transcript,
    machine: Script,
    published: u64,
    /// By person, what is in their hands.
    held: BTreeMap<String, Vec<String>>,
    subscribed: Vec<String>,
    expires: bool,
    ranks: bool,
    dead_letters: bool,
    single: bool,
    classic: bool,
}

impl Maker {
    fn new(kind: &str, seed: u64) -> Result<Self, String> {
        let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let mut header = vec![("case".to_owned(), format!("seed {seed}")), ("server".to_owned(), "RabbitMQ 3.10.8".to_owned())];
        let mut set = |name: &str, value: &str| header.push((name.to_owned(), value.to_owned()));
        let quorum = match kind {
            "classic" => false,
            "quorum" | "quorum-limit" => true,
            _ => return Err(format!("no kind of queue is named {kind}")),
        };
        set("queue", if quorum { "quorum" } else { "classic" });
        if kind == "quorum-limit" {
            set("x-delivery-limit", &dice.roll(4).to_string());
        }
        let mut refuses = false;
        if dice.one_in(3) {
            let most = 1 + dice.roll(4);
            if dice.one_in(3) {
                set("message_bytes", "100");
                set("x-max-length-bytes", &(most * 100 + 50).to_string());
            } else {
                set("x-max-length", &most.to_string());
            }
            refuses = dice.one_in(2);
            if refuses {
                set("x-overflow", "reject-publish");
            }
        }
        let ranks = !quorum && dice.one_in(4);
        if ranks {
            set("x-max-priority", "3");
        }
        let single = dice.one_in(5);
        if single {
            set("x-single-active-consumer", "true");
        }
        let expires = dice.one_in(5);
        if expires && dice.one_in(2) {
            set("x-message-ttl", "2500");
        }
        let dead_letters = dice.one_in(2);
        if dead_letters {
            set("x-dead-letter-exchange", "");
            set("x-dead-letter-routing-key", "dlq");
            if quorum && refuses && dice.one_in(2) {
                set("x-dead-letter-strategy", "at-least-once");
            }
        }
        let script = Transcript { header, steps: Vec::new() };
        let machine = Script::open(&script)?;
        Ok(Self {
            dice,
            script,
            machine,
            published: 0,
            held: BTreeMap::new(),
            subscribed: Vec::new(),
            expires,
            ranks,
            dead_letters,
            single,
            classic: !quorum,
        })
    }

    fn make(mut self) -> Transcript {
        if self.dead_letters {
            let kind = ["classic", "quorum"][self.dice.roll(2) as usize];
            // Every other one gives back what is rejected there.
            let back = if self.dice.one_in(2) { " x-dead-letter-exchange= x-dead-letter-routing-key=q" } else { "" };
            self.say(format!("queue dlq {kind}{back}"));
        }
        self.publish();
        let steps = 5 + self.dice.roll(16);
        let mut waits = 0;
        for _ in 0..steps {
            if self.expires && waits < 2 && self.dice.one_in(6) {
                waits += 1;
                self.say("wait 3s".to_owned());
            } else {
                self.step();
            }
        }
        self.say("ready".to_owned());
        if self.dead_letters {
            self.say("get 9 from dlq with deaths".to_owned());
        }
        self.script
    }

    fn step(&mut self) {
        let who = (*self.dice.pick(PEOPLE).unwrap_or(&"a")).to_owned();
        match self.dice.roll(20) {
            0..4 => self.publish(),
            4..7 if !self.single => {
                let count = 1 + self.dice.roll(3);
                self.say(format!("{who}: get {count}"));
            }
            7..9 if !self.subscribed.contains(&who) => {
                let prefetch = self.dice.roll(4);
                self.subscribed.push(who.clone());
                self.say(format!("{who}: consume prefetch {prefetch}"));
            }
            // The server's queue process crashes where the active consumer of a classic queue is cancelled while messages wait.
            9 if self.subscribed.contains(&who) && !(self.single && self.classic) => {
                self.subscribed.retain(|other| *other != who);
                self.say(format!("{who}: cancel"));
            }
            10 | 11 => {
                self.gone(&who);
                self.say(format!("{who}: close"));
            }
            12 if self.dice.one_in(3) => self.say("purge".to_owned()),
            13 | 14 if self.dead_letters => {
                let count = 1 + self.dice.roll(3);
                self.say(format!("{who}: get {count} from dlq with deaths"));
            }
            _ => self.settle(),
        }
    }

    fn publish(&mut self) {
        let count = 1 + self.dice.roll(3);
        let names: Vec<String> = (self.published..self.published + count).map(|number| format!("m{number}")).collect();
        self.published += count;
        let mut words = format!("publish {}", names.join(" "));
        if self.ranks && self.dice.one_in(2) {
            words += &format!(" priority {}", self.dice.roll(5));
        }
        if self.expires && self.dice.one_in(3) {
            words += " ttl 2s";
        }
        self.say(words);
    }

    fn settle(&mut self) {
        let people: Vec<String> = self.held.iter().filter(|(_, names)| !names.is_empty()).map(|(who, _)| who.clone()).collect();
        let Some(who) = self.dice.pick(&people).cloned() else { return };
        let names = self.held.get(&who).cloned().unwrap_or_default();
        let Some(name) = self.dice.pick(&names).cloned() else { return };
        let multiple = self.dice.one_in(4);
        let how = ["ack", "nack", "nack", "nack", "reject"][self.dice.roll(5) as usize];
        let verdict = match how {
            "ack" => "",
            _ if self.dice.one_in(3) => " discard",
            _ => " requeue",
        };
        // One in so many is settled twice.
        if !self.dice.one_in(25) {
            let held = self.held.entry(who.clone()).or_default();
            let at = held.iter().position(|other| *other == name).unwrap_or(0);
            if multiple && how != "reject" {
                held.drain(..=at);
            } else {
                held.remove(at);
            }
        }
        let multiple = if multiple && how != "reject" { " multiple" } else { "" };
        self.say(format!("{who}: {how} {name}{verdict}{multiple}"));
    }

    fn gone(&mut self, who: &str) {
        self.held.remove(who);
        self.subscribed.retain(|other| other != who);
    }

    /// Says it to the machine and notes what came into whose hands.
    fn say(&mut self, words: String) {
        let gave = self.machine.say(&words);
        for line in &gave {
            if let Some((who, "405" | "406")) = line.split_once(" closed ") {
                self.gone(who);
                continue;
            }
            let (who, delivered) = match (line.split_once(" gets "), words.split_once(": get ")) {
                (Some((who, delivered)), _) => (who, delivered),
                (None, Some((who, _))) if line != "nothing" => (who, line.as_str()),
                _ => continue,
            };
            let names = delivered.split_whitespace().map(|word| word.split(['(', ':']).next().unwrap_or(word).to_owned());
            let names = names.filter(|name| name.strip_prefix('m').is_some_and(|number| number.parse::<u64>().is_ok()));
            self.held.entry(who.to_owned()).or_default().extend(names);
        }
        self.script.steps.push(Step { said: words, gave: Vec::new() });
    }
}
