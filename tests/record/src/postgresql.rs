//! Records PostgreSQL: every session of a script is a connection with a thread of its own.
//!
//! The words are those of `brokers/src/postgres/script.rs`; `postgresql/words.rs` says what they are in SQL. A statement
//! that the server reports as waiting for a lock has `waits` as its answer, and the reply that it gets later follows the
//! step that let it go on.

mod fuzz;
mod words;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use redrive_brokers::transcript::{Step, Transcript};

use crate::folder::{self, Wish};

/// Where `scripts/record` starts the server.
const SERVER: &str = "host=127.0.0.1 port=25432 user=postgres dbname=postgres";
/// How long a statement must have been waiting to be called so: longer than the `deadlock_timeout` of 25 ms.
const WAITS: Duration = Duration::from_millis(120);
/// Nothing in a script takes longer.
const TOO_LONG: Duration = Duration::from_secs(60);

/// Plays the transcripts of `tests/transcripts/postgresql`, or with `fuzz FIRST COUNT` random scripts.
///
/// # Errors
/// The server cannot be reached, a script cannot be played, or something differs.
pub fn run(words: &[String]) -> Result<(), String> {
    let mut control = connect()?;
    if let [verb, numbers @ ..] = words
        && verb == "fuzz"
    {
        return fuzz::run(&mut control, numbers);
    }
    let (wish, names) = Wish::read(words)?;
    let version = text(&mut control, "select split_part(current_setting('server_version'), ' ', 1)")?;
    folder::each("postgresql", &wish, names, &format!("PostgreSQL {version}"), |script| play(&mut control, script))
}

fn connect() -> Result<Client, String> {
    Client::connect(SERVER, NoTls).map_err(|error| format!("{SERVER}: {error}"))
}

fn text(control: &mut Client, query: &str) -> Result<String, String> {
    control.query_one(query, &[]).map(|row| row.get(0)).map_err(|error| format!("{query}: {error}"))
}

/// A connection of a script.
struct Session {
    name: String,
    pid: i32,
    say: Sender<String>,
    hear: Receiver<Vec<String>>,
    /// It has been asked and has not answered: as the so manieth that had to wait.
    waits: Option<u32>,
}

impl Session {
    fn open(name: &str, base_xid: i64) -> Result<Self, String> {
        let mut client = connect()?;
        let pid = client.query_one("select pg_backend_pid()", &[]).map_err(|error| error.to_string())?.get(0);
        // Rows are changed in the order in which they were picked.
        let set = "set enable_hashjoin = off; set enable_mergejoin = off";
        client.batch_execute(set).map_err(|error| error.to_string())?;
        let (say, asked) = channel::<String>();
        let (answers, hear) = channel();
        let own = name.to_owned();
        thread::spawn(move || {
            for words in asked {
                if answers.send(words::say(&mut client, &own, base_xid, &words)).is_err() {
                    break;
                }
            }
        });
        Ok(Self { name: name.to_owned(), pid, say, hear, waits: None })
    }
}

/// A script on the server.
struct Player<'a> {
    control: &'a mut Client,
    sessions: Vec<Session>,
    relays: words::Relays,
    base_xid: i64,
    /// Statements that had to wait.
    waited: u32,
}

fn play(control: &mut Client, script: &Transcript) -> Result<Transcript, String> {
    let base_xid = words::prepare(control, script)?;
    let mut player = Player { control, sessions: Vec::new(), relays: words::Relays::default(), base_xid, waited: 0 };
    let mut found = Transcript { header: script.header.clone(), steps: Vec::new() };
    for step in &script.steps {
        let gave = player.step(&step.said).map_err(|fault| format!("> {}: {fault}", step.said))?;
        found.steps.push(Step { said: step.said.clone(), gave });
    }
    for session in std::mem::take(&mut player.sessions) {
        player.terminate(&session)?;
    }
    Ok(found)
}

impl Player<'_> {
    fn step(&mut self, said: &str) -> Result<Vec<String>, String> {
        let mut gave = match said.split_once(": ") {
            Some((name, "kill")) => {
                if let Some(place) = self.sessions.iter().position(|session| session.name == name) {
                    let session = self.sessions.remove(place);
                    self.terminate(&session)?;
                }
                Vec::new()
            }
            Some((name, words)) => self.speak(name, words)?,
            None => words::happen(self.control, &mut self.relays, said)?,
        };
        gave.append(&mut self.woken()?);
        Ok(gave)
    }

    /// Says words in a session: what it gives, or that it waits.
    fn speak(&mut self, name: &str, words: &str) -> Result<Vec<String>, String> {
        let place = match self.sessions.iter().position(|session| session.name == name) {
            Some(place) => place,
            None => {
                self.sessions.push(Session::open(name, self.base_xid)?);
                self.sessions.len() - 1
            }
        };
        let session = &self.sessions[place];
        if session.waits.is_some() {
            return Ok(vec!["failed: session waits".to_owned()]);
        }
        session.say.send(words.to_owned()).map_err(|_| "its thread has ended")?;
        match self.settle(place)? {
            Some(gave) => {
                if gave == ["failed: connection closed"] {
                    self.sessions.remove(place);
                }
                Ok(gave)
            }
            None => {
                self.waited += 1;
                self.sessions[place].waits = Some(self.waited);
                Ok(vec!["waits".to_owned()])
            }
        }
    }

    /// Waits until a session has answered, or has been waiting for a lock for long enough.
    fn settle(&mut self, place: usize) -> Result<Option<Vec<String>>, String> {
        let (begun, mut blocked) = (Instant::now(), None);
        while begun.elapsed() < TOO_LONG {
            let session = &self.sessions[place];
            if let Ok(gave) = session.hear.recv_timeout(Duration::from_millis(5)) {
                return Ok(Some(gave));
            }
            let query = "select coalesce(bool_or(wait_event_type = 'Lock'), false) from pg_stat_activity where pid = $1";
            let locked = self.control.query_one(query, &[&session.pid]).map_err(|error| error.to_string())?;
            if !locked.get::<_, bool>(0) {
                blocked = None;
            } else if blocked.get_or_insert_with(Instant::now).elapsed() > WAITS {
                return Ok(None);
            }
        }
        Err("no answer and no lock to wait for".to_owned())
    }

    /// What sessions got that had been waiting, those that have waited longest first.
    fn woken(&mut self) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        let mut asked = 0;
        while let Some(place) = self.waits_after(asked) {
            asked = self.sessions[place].waits.unwrap_or_default();
            if let Some(gave) = self.settle(place)? {
                self.sessions[place].waits = None;
                let told = if gave.is_empty() { "done".to_owned() } else { gave.join(" ") };
                lines.push(format!("{}: {told}", self.sessions[place].name));
                // What it got or gave up may let another one go on.
                asked = 0;
            }
        }
        Ok(lines)
    }

    /// The session that has waited longest of those that began after the so manieth.
    fn waits_after(&self, asked: u32) -> Option<usize> {
        let waiting = self.sessions.iter().enumerate().filter_map(|(place, session)| Some((session.waits?, place)));
        waiting.filter(|(order, _)| *order > asked).min().map(|(_, place)| place)
    }

    fn terminate(&mut self, session: &Session) -> Result<(), String> {
        let begun = Instant::now();
        self.control.execute("select pg_terminate_backend($1)", &[&session.pid]).map_err(|error| error.to_string())?;
        while begun.elapsed() < TOO_LONG {
            let left = "select count(*) from pg_stat_activity where pid = $1";
            let left: i64 = self.control.query_one(left, &[&session.pid]).map_err(|error| error.to_string())?.get(0);
            if left == 0 {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(5));
        }
        Err(format!("backend {} does not end", session.pid))
    }
}
