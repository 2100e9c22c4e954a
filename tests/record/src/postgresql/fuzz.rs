//! Random interleavings, played on the server and on the machine: `fuzz FIRST COUNT` plays so many, numbered from the first,
//! and prints those that differ up to where they do.

use postgres::Client;
use redrive_brokers::postgres::script::Player;
use redrive_brokers::transcript::{Step, Transcript};

/// Steps of a script.
const STEPS: u64 = 40;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Plays `COUNT` scripts from number `FIRST` on.
pub fn run(control: &mut Client, words: &[String]) -> Result<(), String> {
    let number = |place: usize| words.get(place).and_then(|word| word.parse::<u64>().ok());
    let (Some(first), Some(count)) = (number(0), number(1)) else {
        return Err("`fuzz FIRST COUNT` was expected".to_owned());
    };
    let mut differ = 0;
    for seed in first..first.saturating_add(count) {
        let script = script(seed);
        let real = super::play(control, &script).map_err(|fault| format!("{seed}: {fault}"))?;
        let mut player = Player::open(&script);
        let ours = script.replayed(|said| player.say(said));
        let Some(place) = real.steps.iter().zip(&ours.steps).position(|(real, ours)| real.gave != ours.gave) else {
            continue;
        };
        differ += 1;
        println!("script {seed}");
        for step in &real.steps[..place] {
            println!("  > {}   {:?}", step.said, step.gave);
        }
        println!(
            "  > {}\n    server  {:?}\n    machine {:?}",
            real.steps[place].said, real.steps[place].gave, ours.steps[place].gave
        );
    }
    println!("{count} scripts, {differ} differ");
    if differ == 0 { Ok(()) } else { Err(format!("{differ} of {count} scripts")) }
}

fn script(seed: u64) -> Transcript {
    let mut dice = Dice(seed);
    let mut script = Transcript::default();
    let mut player = Player::open(&script);
    // Nothing is said in a session that waits: the machine knows.
    let mut say = |said: String| {
        if player.say(&said).first().is_none_or(|first| first != "failed: session waits") {
            script.steps.push(Step { said, gave: Vec::new() });
        }
    };
    if dice.below(2) == 0 {
        say("R: create slot".to_owned());
    }
    say("T1: insert A B C".to_owned());
    for _ in 0..STEPS {
        let session = dice.below(3) + 1;
        let (row, other, few) = (dice.below(5) + 1, dice.below(5) + 1, dice.below(3) + 1);
        let name = ["a", "b"][dice.below(2) as usize];
        let said = match dice.below(44) {
            0..=4 => "begin".to_owned(),
            5 => "begin repeatable read".to_owned(),
            6..=8 => "commit".to_owned(),
            9 => "rollback".to_owned(),
            10 | 11 => format!("savepoint {name}"),
            12 | 13 => format!("rollback to {name}"),
            14 => format!("release {name}"),
            15 => "kill".to_owned(),
            16 => "insert D".to_owned(),
            17 | 18 => format!("claim {few}"),
            19 | 20 => format!("claim {few} waiting"),
            21 => format!("claim {few} nowait"),
            22 | 23 => format!("lock {row}"),
            24 => format!("delete {row} {other}"),
            25 => format!("done {row}"),
            26 => format!("attempt {row} {other}"),
            27 => format!("lease {few} for 60s"),
            28 => format!("delete {row} if mine"),
            29 => format!("pop {few}"),
            30 => format!("unsent {few}"),
            31 => format!("sent {row}"),
            32 => "see all".to_owned(),
            33 => ["xid", "snapshot"][dice.below(2) as usize].to_owned(),
            34 => format!("advisory {few}"),
            35 => format!("inbox {row}"),
            36 => "order X".to_owned(),
            37 => format!("extend {row} for 60s"),
            38..=40 => format!("lock {row} for {}", ["key share", "share", "no key update"][dice.below(3) as usize]),
            41 => format!("touch {row}"),
            _ => {
                let shared =
                    ["last-id polls", "horizon polls", "R: peek slot", "R: read slot", "R: read slot 4", "R: follow rows"];
                say(shared[dice.below(6) as usize].to_owned());
                continue;
            }
        };
        say(format!("T{session}: {said}"));
    }
    script
}
