//! The words of a script in SQL.

use std::thread;
use std::time::Duration;

use postgres::{Client, Error, SimpleQueryMessage};
use redrive_brokers::transcript::Transcript;

/// Positions of the relays of a script.
#[derive(Default)]
pub struct Relays {
    last_id: i64,
    horizon: (i64, i64),
}

/// Tables, settings and transaction ids as at a script's beginning: the last id before it.
pub fn prepare(control: &mut Client, script: &Transcript) -> Result<i64, String> {
    let keep = script.value("max_slot_wal_keep_size").unwrap_or("-1");
    let set = [
        "select pg_drop_replication_slot(slot_name) from pg_replication_slots".to_owned(),
        format!("alter system set max_slot_wal_keep_size = '{keep}'"),
        "select pg_reload_conf()".to_owned(),
        "drop table if exists rows, orders, inbox, busy".to_owned(),
        "create table rows (id bigserial primary key, body text, xid xid8 not null default pg_current_xact_id(), \
         sent bool not null default false, status text not null default 'ready', attempts int not null default 0, \
         locked_until timestamptz, owner text)"
            .to_owned(),
        "create table orders (id bigserial primary key, body text)".to_owned(),
        "create table inbox (key bigint primary key)".to_owned(),
        "create table busy (data text)".to_owned(),
        "alter table busy alter data set storage plain".to_owned(),
        "checkpoint".to_owned(),
    ];
    for statement in set {
        control.batch_execute(&statement).map_err(|error| format!("{statement}: {error}"))?;
    }
    thread::sleep(Duration::from_millis(50));
    let xid: String = super::text(control, "select pg_current_xact_id()::text")?;
    xid.parse().map_err(|_| format!("{xid} is no transaction id"))
}

/// What nobody in particular says.
pub fn happen(control: &mut Client, relays: &mut Relays, said: &str) -> Result<Vec<String>, String> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let fault = |error: Error| error.to_string();
    match words.as_slice() {
        ["wait", time] => {
            thread::sleep(duration(time)?);
            Ok(Vec::new())
        }
        ["checkpoint"] => control.batch_execute("checkpoint").map(|()| Vec::new()).map_err(fault),
        ["vacuum", "busy"] => control.batch_execute("vacuum busy").map(|()| Vec::new()).map_err(fault),
        ["busy", "size"] => super::text(control, "select pg_relation_size('busy') / 8192 || ' pages'").map(|size| vec![size]),
        ["slot", "status"] => {
            let query = "select coalesce((select wal_status from pg_replication_slots), 'none')";
            super::text(control, query).map(|status| vec![status])
        }
        ["slot", "keeps"] => {
            let query = "select coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint \
                         from pg_replication_slots";
            let bytes: i64 = control.query_one(query, &[]).map_err(fault)?.get(0);
            let power = u64::try_from(bytes >> 20).unwrap_or(0).checked_ilog2();
            Ok(vec![power.map_or_else(|| "under 1MB".to_owned(), |power| format!("{}MB", 1_u64 << power))])
        }
        ["last-id", "polls"] => {
            let query = "select id from rows where id > $1 order by id";
            let rows = control.query(query, &[&relays.last_id]).map_err(fault)?;
            let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
            relays.last_id = ids.last().copied().unwrap_or(relays.last_id);
            Ok(vec![listed(ids.iter().map(i64::to_string))])
        }
        ["horizon", "polls"] => {
            let query = "select xid::text::bigint, id from rows where xid < pg_snapshot_xmin(pg_current_snapshot()) \
                         and (xid::text::bigint, id) > ($1, $2) order by 1, 2";
            let rows = control.query(query, &[&relays.horizon.0, &relays.horizon.1]).map_err(fault)?;
            let keys: Vec<(i64, i64)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
            relays.horizon = keys.last().copied().unwrap_or(relays.horizon);
            Ok(vec![listed(keys.iter().map(|(_, id)| id.to_string()))])
        }
        _ => Err("unknown words".to_owned()),
    }
}

/// What a session says: the lines of its answer.
pub fn say(client: &mut Client, name: &str, base_xid: i64, said: &str) -> Vec<String> {
    match answer(client, name, base_xid, &said.split_whitespace().collect::<Vec<_>>()) {
        Ok(lines) => lines,
        Err(error) => vec![format!("failed: {}", why(client, &error))],
    }
}

fn why(client: &Client, error: &Error) -> String {
    if client.is_closed() {
        return "connection closed".to_owned();
    }
    let Some(fault) = error.as_db_error() else { return error.to_string() };
    match fault.code().code() {
        "25P02" => "transaction is aborted".to_owned(),
        "40P01" => "deadlock".to_owned(),
        "40001" => "could not serialize".to_owned(),
        "57014" => "statement timeout".to_owned(),
        "55P03" => "lock not available".to_owned(),
        "25001" | "25P01" | "3B001" | "42704" => "no such thing".to_owned(),
        "57P01" | "25P03" => "connection closed".to_owned(),
        "55000" if fault.message().contains("can no longer get changes") => "slot is lost".to_owned(),
        _ => fault.message().to_owned(),
    }
}

fn answer(client: &mut Client, name: &str, base_xid: i64, words: &[&str]) -> Result<Vec<String>, Error> {
    let select = |fits: &str, most: &str, held: &str| {
        format!("select id from rows where {fits} order by id limit {most} for update {held}")
    };
    let these = |rows: &[&str]| match rows {
        [rows @ .., "if", "mine"] => {
            format!("id in ({}) and status = 'running' and owner = '{name}'", rows.join(", "))
        }
        _ => format!("id in ({})", rows.join(", ")),
    };
    let ready = "status = 'ready'";
    let due = "(status = 'ready' or status = 'running' and locked_until < now())";
    let expired = "status = 'running' and locked_until < now()";
    let lease =
        |time: &str| format!("status = 'running', attempts = attempts + 1, owner = '{name}', locked_until = now() + '{time}'");
    let query = match words {
        ["begin", "repeatable", "read"] => return quiet(client, "begin isolation level repeatable read"),
        ["begin" | "commit" | "rollback"] => return quiet(client, words[0]),
        ["savepoint" | "release", _] | ["rollback", "to", _] => return quiet(client, &words.join(" ")),
        ["idle", "limit", time] => return quiet(client, &format!("set idle_in_transaction_session_timeout = '{time}'")),
        ["lock", "limit", time] => return quiet(client, &format!("set lock_timeout = '{time}'")),
        ["statement", "limit", time] => return quiet(client, &format!("set statement_timeout = '{time}'")),
        ["emit", label] => return quiet(client, &format!("select pg_logical_emit_message(true, 'outbox', '{label}')")),
        ["advisory", key] => return quiet(client, &format!("select pg_advisory_xact_lock({key})")),
        ["busy", rows, "x", bytes] => {
            let insert = format!("insert into busy select repeat('x', {bytes}) from generate_series(1, {rows})");
            return quiet(client, &insert);
        }
        ["trim", "busy", rows] => {
            let oldest = format!("delete from busy where ctid in (select ctid from busy limit {rows})");
            return quiet(client, &oldest);
        }
        ["create", "slot"] => {
            return quiet(client, "select pg_create_logical_replication_slot('outbox', 'test_decoding')");
        }
        ["drop", "slot"] => return quiet(client, "select pg_drop_replication_slot('outbox')"),
        ["peek", "slot"] => return changes(client, "peek", "null"),
        ["read", "slot"] => return changes(client, "get", "null"),
        ["read", "slot", most] => return changes(client, "get", most),
        ["follow", "rows"] => return follow(client),
        ["snapshot"] => {
            let shown = first(client, "select pg_current_snapshot()")?;
            return Ok(vec![snapshot(&shown, base_xid)]);
        }
        ["xid"] => {
            let xid = first(client, "select pg_current_xact_id()")?;
            return Ok(vec![since(&xid, base_xid)]);
        }
        ["insert", labels @ ..] => insert("rows", labels),
        ["order", labels @ ..] => insert("orders", labels),
        ["inbox", key] => format!("insert into inbox values ({key}) on conflict do nothing returning key"),
        ["claim", most] => select(ready, most, "skip locked"),
        ["claim", most, "waiting"] => select(ready, most, ""),
        ["claim", most, "nowait"] => select(ready, most, "nowait"),
        ["unsent", most] => select("not sent", most, "skip locked"),
        ["lock", rows @ .., "for", "key", "share"] => weaker(&these(rows), "key share"),
        ["lock", rows @ .., "for", "share"] => weaker(&these(rows), "share"),
        ["lock", rows @ .., "for", "no", "key", "update"] => weaker(&these(rows), "no key update"),
        ["touch", row] => format!("update rows set attempts = attempts + 1 where id = {row} returning id"),
        ["lock", rows @ ..] => select(&these(rows), "all", ""),
        ["lease", most, "for", time] => update(&select(ready, most, "skip locked"), &lease(time)),
        ["lease", most, "for", time, "or", "expired"] => update(&select(due, most, "skip locked"), &lease(time)),
        ["extend", rows @ .., "for", time] => {
            let mine: Vec<&str> = rows.iter().copied().chain(["if", "mine"]).collect();
            update(&select(&these(&mine), "all", ""), &format!("locked_until = now() + '{time}'"))
        }
        ["delete", rows @ ..] => delete(&select(&these(rows), "all", "")),
        ["done", rows @ ..] => update(&select(&these(rows), "all", ""), "status = 'done'"),
        ["sent", rows @ ..] => update(&select(&these(rows), "all", ""), "sent = true"),
        ["attempt", rows @ ..] => update(&select(&these(rows), "all", ""), "attempts = attempts + 1"),
        ["pop", most] => delete(&select(ready, most, "skip locked")),
        ["reap", attempts] => {
            let state = format!("status = case when attempts >= {attempts} then 'failed' else 'ready' end");
            update(&select(expired, "all", "skip locked"), &state)
        }
        ["see"] => format!("select id from rows where {ready} order by id"),
        ["see", "unsent"] => "select id from rows where not sent order by id".to_owned(),
        ["see", "orders"] => "select id from orders order by id".to_owned(),
        ["see", "all"] => {
            let all = "select format('%s(%s %s)', id, status, attempts) from rows order by id";
            return Ok(vec![listed(column(client, all)?.into_iter())]);
        }
        _ => return Ok(vec!["unknown words".to_owned()]),
    };
    let mut ids: Vec<u64> = column(client, &query)?.iter().filter_map(|id| id.parse().ok()).collect();
    ids.sort_unstable();
    Ok(vec![listed(ids.iter().map(u64::to_string))])
}

fn weaker(fits: &str, lock: &str) -> String {
    format!("select id from rows where {fits} order by id for {lock}")
}

fn insert(table: &str, labels: &[&str]) -> String {
    let values: Vec<String> = labels.iter().map(|label| format!("('{label}')")).collect();
    format!("insert into {table} (body) values {} returning id", values.join(", "))
}

fn update(picked: &str, set: &str) -> String {
    format!(
        "with picked as materialized ({picked}) update rows set {set} from picked where rows.id = picked.id returning rows.id"
    )
}

fn delete(picked: &str) -> String {
    format!("with picked as materialized ({picked}) delete from rows using picked where rows.id = picked.id returning rows.id")
}

fn quiet(client: &mut Client, statement: &str) -> Result<Vec<String>, Error> {
    client.simple_query(statement).map(|_| Vec::new())
}

/// The first column of what a statement gives.
fn column(client: &mut Client, query: &str) -> Result<Vec<String>, Error> {
    let rows = client.simple_query(query)?;
    Ok(rows
        .iter()
        .filter_map(|row| match row {
            SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
            _ => None,
        })
        .collect())
}

fn first(client: &mut Client, query: &str) -> Result<String, Error> {
    Ok(column(client, query)?.into_iter().next().unwrap_or_default())
}

/// A line for each transaction that the slot shows, in the script's words.
fn changes(client: &mut Client, verb: &str, most: &str) -> Result<Vec<String>, Error> {
    let query = format!("select data from pg_logical_slot_{verb}_changes('outbox', null, {most})");
    let shown: Vec<String> = transactions(&column(client, &query)?).into_iter().filter(|line| !line.is_empty()).collect();
    Ok(if shown.is_empty() { vec!["none".to_owned()] } else { shown })
}

/// What a connector for the rows does: it passes on their changes, and confirms the last one it saw.
fn follow(client: &mut Client) -> Result<Vec<String>, Error> {
    let both = column(client, "select lsn || ' ' || data from pg_logical_slot_peek_changes('outbox', null, null)")?;
    let (lsns, data): (Vec<String>, Vec<String>) = both
        .iter()
        .filter_map(|line| line.split_once(' '))
        .filter(|(_, data)| !data.starts_with("table ") || data.starts_with("table public.rows:"))
        .map(|(lsn, data)| (lsn.to_owned(), data.to_owned()))
        .unzip();
    let ends = lsns.iter().zip(&data).filter(|(_, data)| data.starts_with("COMMIT")).map(|(lsn, _)| lsn);
    let seen: Vec<(String, &String)> = transactions(&data).into_iter().zip(ends).filter(|(line, _)| !line.is_empty()).collect();
    if let Some((_, lsn)) = seen.last() {
        quiet(client, &format!("select pg_replication_slot_advance('outbox', '{lsn}')"))?;
        return Ok(seen.into_iter().map(|(line, _)| line).collect());
    }
    Ok(vec!["none".to_owned()])
}

/// The lines of `test_decoding`, a line for each transaction: `+1 ~2 orders-3`.
fn transactions(data: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut changes: Vec<String> = Vec::new();
    for line in data {
        if line.starts_with("COMMIT") {
            found.push(std::mem::take(&mut changes).join(" "));
        } else if let Some(message) = line.strip_prefix("message: ") {
            changes.push(format!("message {}", message.rsplit(':').next().unwrap_or_default()));
        } else if let Some((table, rest)) = line.strip_prefix("table public.").and_then(|rest| rest.split_once(": ")) {
            let sign = match rest.split_once(':') {
                Some(("INSERT", _)) => '+',
                Some(("UPDATE", _)) => '~',
                _ => '-',
            };
            let id = rest.split_once("[bigint]:").map_or("?", |(_, rest)| rest.split(' ').next().unwrap_or_default());
            match table {
                "busy" => {}
                "rows" => changes.push(format!("{sign}{id}")),
                _ => changes.push(format!("{table}{sign}{id}")),
            }
        }
    }
    found
}

/// `700:703:701,702` in the script's words.
fn snapshot(shown: &str, base_xid: i64) -> String {
    let parts: Vec<&str> = shown.split(':').collect();
    let part = |place: usize| parts.get(place).copied().unwrap_or_default();
    let running = part(2).split(',').filter(|xid| !xid.is_empty()).map(|xid| since(xid, base_xid));
    format!("xmin {} xmax {} running {}", since(part(0), base_xid), since(part(1), base_xid), listed(running))
}

fn since(xid: &str, base_xid: i64) -> String {
    xid.parse::<i64>().map_or_else(|_| xid.to_owned(), |xid| format!("+{}", xid - base_xid))
}

fn listed(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    if words.is_empty() { "none".to_owned() } else { words.join(" ") }
}

fn duration(word: &str) -> Result<Duration, String> {
    let (value, unit_ms) = match word.strip_suffix("ms") {
        Some(value) => (value, 1),
        None => (word.strip_suffix('s').unwrap_or(word), 1_000),
    };
    value.parse().map(|value: u64| Duration::from_millis(value * unit_ms)).map_err(|_| format!("{word} is no time"))
}
