//! The words of the scripts in `tests/transcripts/postgresql`, spoken to a [`Database`].
//!
//! `T1: words` is said by the session `T1`; any name will do. A statement answers with the ids it is about, `none` where
//! there are none, `waits`, or `failed: why`; replies that came of earlier statements meanwhile follow as `T2: 3 4`.
//!
//! | words | what is said |
//! | --- | --- |
//! | `begin`, `commit`, `rollback`, `savepoint a`, `rollback to a`, `release a` | as in SQL; no answer |
//! | `kill` | its backend is terminated |
//! | `begin repeatable read` | at that isolation level |
//! | `insert A B`, `order A` | a row for each into the rows, the orders |
//! | `inbox 7` | `insert … on conflict do nothing` of a unique key: the key, or `none` where it is known |
//! | `emit A` | `pg_logical_emit_message`, transactional |
//! | `claim 2`, `claim 2 waiting`, `claim 2 nowait` | ready rows `for update skip locked`, without it, with `nowait` |
//! | `unsent 2`, `lock 1 2` | rows not sent, skipping locked ones; these rows, waiting |
//! | `lock 1 for share`, … `for key share`, … `for no key update` | the weaker locks |
//! | `touch 1` | a plain `UPDATE` that counts an attempt: it locks `for no key update` |
//! | `lease 2 for 1s`, `lease 2 for 1s or expired` | running until then, one more attempt, skipping locked rows |
//! | `extend 1 for 1s`, `delete 1 if mine`, `done 1 if mine` | where the row still runs under the session's name |
//! | `delete 1 2`, `done 1`, `sent 1`, `attempt 1` | of these rows, waiting; `attempt` counts one more |
//! | `pop 2` | `delete … returning` of ready rows, skipping locked ones |
//! | `reap 3` | running rows whose lease is over: ready, or failed after 3 attempts |
//! | `see`, `see all`, `see unsent`, `see orders` | visible rows: ready ones; `4(running 1)` with state and attempts |
//! | `xid`, `snapshot` | `+2`, counted from the script's beginning |
//! | `advisory 7` | `pg_advisory_xact_lock` |
//! | `idle limit 1s`, `lock limit 1s`, `statement limit 1s` | `idle_in_transaction_session_timeout`, `lock_timeout`, `statement_timeout` |
//! | `busy 500 x 1000` | 500 rows of 1000 bytes into a table that nobody looks at, committed |
//! | `trim busy 500` | deletes so many rows of it, the oldest first, committed |
//! | `create slot`, `drop slot` | a logical replication slot |
//! | `peek slot`, `read slot`, `read slot 1` | a line for each transaction, `+1 ~1 -1` for inserted, updated, deleted; `read` confirms |
//! | `follow rows` | shows what of the slot is in the rows and confirms up to the last of it, as a connector does |
//!
//! Said by nobody: `wait 1500ms`, `checkpoint`, `vacuum busy`, `busy size` (pages of 8 kB), `slot status`, `slot keeps` (whole MB, as a power of two), and the relays
//! `last-id polls`, `horizon polls`.

mod lines;

use super::{Act, Change, Claim, Database, Held, Op, Pick, Reply, Session, Strength, Table, WalStatus};
use super::{Horizon, LastId};
use crate::transcript::Transcript;
use lines::{FIRST_XID, claim, count, failed, ids, keeps, lines, number, numbers, seen, since, unknown, us};

/// A script's database, its relays, and the names it uses.
#[derive(Debug)]
pub struct Player {
    database: Database,
    last_id: LastId,
    horizon: Horizon,
    /// Sessions by number.
    sessions: Vec<String>,
    /// Those that wait, the longest first: in this order replies of one moment are told.
    waiting: Vec<Session>,
    /// What rows and keys are about, by number from 1.
    labels: Vec<String>,
}

impl Player {
    /// The database that a transcript's header asks for: `max_slot_wal_keep_size: 32MB`.
    #[must_use]
    pub fn open(header: &Transcript) -> Self {
        let mut database = Database::new(FIRST_XID);
        let megabytes = |value: &str| value.strip_suffix("MB")?.trim().parse::<u64>().ok();
        database.wal.keep_bytes = header.value("max_slot_wal_keep_size").and_then(megabytes).map(|size| size << 20);
        Self {
            database,
            last_id: LastId::default(),
            horizon: Horizon::default(),
            sessions: Vec::new(),
            waiting: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Says a step's words; the lines that come back.
    pub fn say(&mut self, said: &str) -> Vec<String> {
        let mut gave = match said.split_once(": ") {
            Some((name, words)) => {
                let session = Session(number(&mut self.sessions, name));
                let gave = self.speak(session, &words.split_whitespace().collect::<Vec<_>>());
                if gave == ["waits"] {
                    self.waiting.push(session);
                }
                gave
            }
            None => self.happen(&said.split_whitespace().collect::<Vec<_>>()),
        };
        let mut woken = self.database.take_woken();
        woken.sort_by_key(|(session, _)| self.waiting.iter().position(|known| known == session));
        for (session, reply) in woken {
            self.waiting.retain(|known| *known != session);
            let name = self.sessions.get(session.0 as usize).map_or("?", String::as_str);
            gave.push(format!("{name}: {}", self.told(reply).unwrap_or_else(|| "done".to_owned())));
        }
        gave
    }

    fn happen(&mut self, words: &[&str]) -> Vec<String> {
        let reader = Session(u32::MAX);
        match words {
            ["wait", time] => {
                let now_us = self.database.now_us().saturating_add(us(time));
                self.database.advance(now_us);
                Vec::new()
            }
            ["checkpoint"] => {
                self.database.checkpoint();
                Vec::new()
            }
            ["vacuum", "busy"] => {
                self.database.vacuum_busy();
                Vec::new()
            }
            ["busy", "size"] => vec![format!("{} pages", self.database.busy.pages)],
            ["slot", "status"] => vec![
                match self.database.wal.status() {
                    None => "none",
                    Some(WalStatus::Reserved) => "reserved",
                    Some(WalStatus::Extended) => "extended",
                    Some(WalStatus::Unreserved) => "unreserved",
                    Some(WalStatus::Lost) => "lost",
                }
                .to_owned(),
            ],
            ["slot", "keeps"] => vec![keeps(self.database.wal.retained_bytes())],
            ["last-id", "polls"] => {
                let rows = self.database.select(reader, Table::Rows, &Pick::All).unwrap_or_default();
                vec![ids(&self.last_id.poll(&rows, u32::MAX))]
            }
            ["horizon", "polls"] => {
                let xmin = self.database.current_snapshot(reader).map_or(0, |snapshot| snapshot.xmin);
                let rows = self.database.select(reader, Table::Rows, &Pick::All).unwrap_or_default();
                vec![ids(&self.horizon.poll(&rows, xmin, u32::MAX))]
            }
            _ => unknown(),
        }
    }

    fn speak(&mut self, session: Session, words: &[&str]) -> Vec<String> {
        let skip = |pick, most: &str, act| claim(pick, count(most), Held::Skip, act);
        let these = |rows: &[&str], act| match rows {
            [rows @ .., "if", "mine"] => claim(Pick::Owned(numbers(rows)), u32::MAX, Held::Wait, act),
            _ => claim(Pick::Ids(numbers(rows)), u32::MAX, Held::Wait, act),
        };
        let weaker = |rows: &[&str], strength, act| Claim { strength, ..these(rows, act) };
        let database = &mut self.database;
        let reply = match words {
            ["begin", "repeatable", "read"] => return self.quiet(|database| database.begin_repeatable(session)),
            ["begin"] => return self.quiet(|database| database.begin(session)),
            ["commit"] => return self.quiet(|database| database.commit(session)),
            ["rollback"] => return self.quiet(|database| database.rollback(session)),
            ["savepoint", name] => {
                let name = u64::from(number(&mut self.labels, name));
                return self.quiet(|database| database.savepoint(session, name));
            }
            ["rollback", "to", name] => {
                let name = u64::from(number(&mut self.labels, name));
                return self.quiet(|database| database.rollback_to(session, name));
            }
            ["release", name] => {
                let name = u64::from(number(&mut self.labels, name));
                return self.quiet(|database| database.release(session, name));
            }
            ["kill"] => {
                self.waiting.retain(|known| *known != session);
                database.kill(session);
                return Vec::new();
            }
            ["idle", "limit", time] => {
                database.limit_idle(session, us(time));
                return Vec::new();
            }
            ["lock", "limit", time] => {
                database.limit_lock(session, us(time));
                return Vec::new();
            }
            ["statement", "limit", time] => {
                database.limit_statement(session, us(time));
                return Vec::new();
            }
            ["emit", label] => {
                let body = u64::from(number(&mut self.labels, label)) + 1;
                return self.quiet(|database| database.emit(session, body));
            }
            ["advisory", key] => return self.quiet(|database| database.advisory_lock(session, count(key).into())),
            ["busy", rows, "x", bytes] => {
                let (rows, bytes) = (count(rows), count(bytes));
                return self.quiet(|database| database.busy(session, rows, bytes));
            }
            ["trim", "busy", rows] => return self.quiet(|database| database.trim_busy(session, count(rows))),
            ["insert", labels @ ..] => {
                let bodies: Vec<u64> = labels.iter().map(|label| u64::from(number(&mut self.labels, label)) + 1).collect();
                database.insert(session, Table::Rows, &bodies)
            }
            ["order", labels @ ..] => {
                let bodies: Vec<u64> = labels.iter().map(|label| u64::from(number(&mut self.labels, label)) + 1).collect();
                database.insert(session, Table::Orders, &bodies)
            }
            ["inbox", key] => database.insert_once(session, count(key).into()),
            ["claim", most] => database.claim(session, skip(Pick::Ready, most, Act::Lock)),
            ["claim", most, "waiting"] => database.claim(session, claim(Pick::Ready, count(most), Held::Wait, Act::Lock)),
            ["claim", most, "nowait"] => database.claim(session, claim(Pick::Ready, count(most), Held::Fail, Act::Lock)),
            ["unsent", most] => database.claim(session, skip(Pick::Unsent, most, Act::Lock)),
            ["lock", rows @ .., "for", "key", "share"] => database.claim(session, weaker(rows, Strength::KeyShare, Act::Lock)),
            ["lock", rows @ .., "for", "share"] => database.claim(session, weaker(rows, Strength::Share, Act::Lock)),
            ["lock", rows @ .., "for", "no", "key", "update"] => {
                database.claim(session, weaker(rows, Strength::NoKeyUpdate, Act::Lock))
            }
            ["touch", row] => database.claim(session, weaker(&[row], Strength::NoKeyUpdate, Act::Set(Change::Attempt))),
            ["lock", rows @ ..] => database.claim(session, these(rows, Act::Lock)),
            ["lease", most, "for", time] => {
                database.claim(session, skip(Pick::Ready, most, Act::Set(Change::Lease { for_us: us(time) })))
            }
            ["lease", most, "for", time, "or", "expired"] => {
                database.claim(session, skip(Pick::Due, most, Act::Set(Change::Lease { for_us: us(time) })))
            }
            ["extend", rows @ .., "for", time] => {
                let act = Act::Set(Change::Extend { for_us: us(time) });
                database.claim(session, claim(Pick::Owned(numbers(rows)), u32::MAX, Held::Wait, act))
            }
            ["delete", rows @ ..] => database.claim(session, these(rows, Act::Delete)),
            ["done", rows @ ..] => database.claim(session, these(rows, Act::Set(Change::Done))),
            ["sent", rows @ ..] => database.claim(session, these(rows, Act::Set(Change::Sent))),
            ["attempt", rows @ ..] => database.claim(session, these(rows, Act::Set(Change::Attempt))),
            ["pop", most] => database.claim(session, skip(Pick::Ready, most, Act::Delete)),
            ["reap", attempts] => {
                let act = Act::Set(Change::Reap { max_attempts: count(attempts) });
                database.claim(session, claim(Pick::Expired, u32::MAX, Held::Skip, act))
            }
            ["see", what @ ..] => {
                let (table, pick) = match what {
                    [] => (Table::Rows, Pick::Ready),
                    ["unsent"] => (Table::Rows, Pick::Unsent),
                    ["orders"] => (Table::Orders, Pick::All),
                    _ => (Table::Rows, Pick::All),
                };
                return match database.select(session, table, &pick) {
                    Ok(rows) => vec![seen(&rows, what == ["all"])],
                    Err(fault) => vec![failed(fault)],
                };
            }
            ["xid"] => {
                return match database.current_xid(session) {
                    Ok(xid) => vec![since(xid)],
                    Err(fault) => vec![failed(fault)],
                };
            }
            ["snapshot"] => {
                let shown = match database.current_snapshot(session) {
                    Ok(shown) => shown,
                    Err(fault) => return vec![failed(fault)],
                };
                let running: Vec<String> = shown.running.iter().map(|&xid| since(xid)).collect();
                let running = if running.is_empty() { "none".to_owned() } else { running.join(" ") };
                return vec![format!("xmin {} xmax {} running {running}", since(shown.xmin), since(shown.xmax))];
            }
            ["create", "slot"] => return self.quiet(|database| database.create_slot(session)),
            ["drop", "slot"] => {
                database.wal.drop_slot();
                return Vec::new();
            }
            ["peek", "slot"] => return self.reads(u32::MAX, false),
            ["read", "slot"] => return self.reads(u32::MAX, true),
            ["read", "slot", most] => return self.reads(count(most), true),
            ["follow", "rows"] => return self.follows(),
            _ => return unknown(),
        };
        self.told(reply).into_iter().collect()
    }

    /// A statement that has nothing to tell when it goes well.
    fn quiet(&mut self, statement: impl FnOnce(&mut Database) -> Reply) -> Vec<String> {
        match statement(&mut self.database) {
            Reply::Ids(_) => Vec::new(),
            reply => self.told(reply).into_iter().collect(),
        }
    }

    /// A reply in words.
    fn told(&self, reply: Reply) -> Option<String> {
        match reply {
            Reply::Ids(found) => Some(ids(&found)),
            Reply::Done => None,
            Reply::Waits => Some("waits".to_owned()),
            Reply::Failed(fault) => Some(failed(fault)),
        }
    }

    /// Whole transactions, until there are so many changes.
    fn reads(&mut self, most: u32, confirm: bool) -> Vec<String> {
        if let Some(fault) = self.database.wal.unreadable() {
            return vec![failed(fault)];
        }
        let (mut shown, mut changes, mut end) = (Vec::new(), 0, self.database.wal.lsn);
        for commit in self.database.wal.unread() {
            shown.push(commit.changes.iter().map(|change| self.change(change.op, change.table, change.id)).collect::<Vec<_>>());
            // The server counts the lines that its plugin writes: a beginning, the changes, an end.
            changes += commit.changes.len() + 2;
            if changes >= most as usize {
                end = commit.lsn;
                break;
            }
        }
        if confirm {
            self.database.wal.confirm(end);
        }
        lines(&shown)
    }

    /// What a connector for the rows does: it passes on their changes, and confirms the last one it saw.
    fn follows(&mut self) -> Vec<String> {
        if let Some(fault) = self.database.wal.unreadable() {
            return vec![failed(fault)];
        }
        let (mut shown, mut last) = (Vec::new(), None);
        for commit in self.database.wal.unread() {
            let rows = commit.changes.iter().filter(|change| change.table == Table::Rows);
            let found: Vec<String> = rows.map(|change| self.change(change.op, change.table, change.id)).collect();
            if !found.is_empty() {
                shown.push(found);
                last = Some(commit.lsn);
            }
        }
        if let Some(lsn) = last {
            self.database.wal.confirm(lsn);
        }
        lines(&shown)
    }

    fn change(&self, op: Op, table: Table, id: u64) -> String {
        let sign = match op {
            Op::Insert => "+",
            Op::Update => "~",
            Op::Delete => "-",
            Op::Message => "message ",
        };
        match (op, table) {
            (Op::Message, _) => {
                let place = usize::try_from(id).unwrap_or(0).wrapping_sub(1);
                format!("{sign}{}", self.labels.get(place).map_or("?", String::as_str))
            }
            (_, Table::Rows) => format!("{sign}{id}"),
            (_, Table::Orders) => format!("orders{sign}{id}"),
            (_, Table::Inbox) => format!("inbox{sign}{id}"),
        }
    }
}
