//! The one line of figures under a part's name.

use crate::database::RelayState;
use crate::scenario::Kind;
use crate::scenario::gauges::Unit;
use crate::scenario::gauges::gauges;
use crate::sim::time::{grouped, spoken};
use crate::view::Level;
use crate::world::{Body, World};

impl World {
    /// The newest value of a gauge by its name.
    pub(super) fn gauge(&self, part: u16, name: &str) -> u64 {
        let kind = self.scenario.parts.get_index(usize::from(part)).map(|(_, spec)| &spec.kind);
        let place = kind.and_then(|kind: &Kind| gauges(kind).iter().position(|gauge| gauge.name == name));
        place.map_or(0, |place| self.board.newest(part, place))
    }

    pub(super) fn figure(&self, part: u16) -> (String, Level) {
        let quiet = |text: String| (text, Level::Quiet);
        match self.parts[usize::from(part)].body {
            Body::Producer(index) => {
                let producer = &self.producers[usize::from(index)];
                if producer.blocked {
                    return (format!("waits, {} unconfirmed", grouped(u64::from(producer.memory.len()))), Level::Warn);
                }
                if producer.listed.is_empty() {
                    return quiet(format!("{}/s", grouped(self.gauge(part, "sent_per_s"))));
                }
                quiet(format!("{} of {} sent", producer.serial, producer.listed.len()))
            }
            Body::Service(_) => {
                let errors = self.gauge(part, "error_ppm");
                let well = 1_000_000_u64.saturating_sub(errors);
                let share = if errors == 0 { "100 %".into() } else { format!("{}.{} %", well / 10_000, well % 10_000 / 1_000) };
                let level = if errors > 0 { Level::Bad } else { Level::Quiet };
                (format!("p99 {} · {share}", spoken(self.gauge(part, "p99_us"))), level)
            }
            Body::Database(index) => {
                let per_second = grouped(self.gauge(part, "commits_per_s"));
                let rows = self.databases[usize::from(index)].rows;
                let slot_bytes = self.gauge(part, "slot_bytes");
                if slot_bytes > 1_000_000_000 {
                    return (format!("slot keeps {}", Unit::Bytes.spoken(slot_bytes)), Level::Warn);
                }
                quiet(if rows < 100 { format!("{rows} rows") } else { format!("{per_second} tx/s") })
            }
            Body::Relay(index) => match self.relays[usize::from(index)].state {
                RelayState::Waiting { until_us } => {
                    (format!("retry in {}", spoken(until_us.saturating_sub(self.now_us))), Level::Warn)
                }
                RelayState::Publishing(rows) => quiet(format!("publishing {rows}")),
                RelayState::Marking(rows) => quiet(format!("marking {rows}")),
                RelayState::Idle => quiet(format!("{}/s", grouped(self.gauge(part, "sent_per_s")))),
            },
            Body::Queue(index) => {
                let queue = &self.queues[usize::from(index)];
                if queue.tray {
                    let level = if queue.ready() > 0 { Level::Warn } else { Level::Quiet };
                    let watched = if queue.settings.watched { "watched" } else { "nobody watches" };
                    let messages = if queue.ready() == 1 { "message" } else { "messages" };
                    return (format!("{} {messages} · {watched}", grouped(queue.ready())), level);
                }
                let timeout = spoken(queue.settings.visibility_timeout.0).replace(".0 ", " ");
                match queue.settings.max_receives {
                    0 => quiet(format!("visibility {timeout}")),
                    most => quiet(format!("visibility {timeout} · max receives {most}")),
                }
            }
            Body::Server(index) => {
                let server = &self.servers[usize::from(index)];
                let title = redrive_brokers::profile::named(server.settings.broker.word()).map_or("", |profile| profile.title);
                match server.settings.max_receives {
                    _ if server.is_deleted() => ("deleted, nobody consumed it".into(), Level::Bad),
                    0 => quiet(title.to_owned()),
                    most => quiet(format!("{title} · limit {most}")),
                }
            }
            Body::Exchange(index) => {
                let exchange = &self.exchanges[usize::from(index)];
                match exchange.unroutable {
                    0 => quiet(format!("{}/s", grouped(self.gauge(part, "per_s")))),
                    lost => (format!("{} unroutable", grouped(lost)), Level::Warn),
                }
            }
            Body::Log(index) => {
                let log = &self.logs[usize::from(index)];
                let plural = if log.partitions.len() == 1 { "" } else { "s" };
                let keep = match log.retention() {
                    Some(retention) => spoken(retention.0).replace(".0 ", " "),
                    None => "compacted".into(),
                };
                quiet(format!("{} partition{plural} · {keep}", log.partitions.len()))
            }
            Body::Worker(index) => {
                let worker = &self.workers[usize::from(index)];
                let (lag, lag_us) = self.lag(worker);
                let level = if lag_us > 5_000_000 { Level::Warn } else { Level::Quiet };
                let behind = if lag_us > 1_000_000 { format!("lag {}", spoken(lag_us)) } else { format!("lag {}", grouped(lag)) };
                let parked = worker.parked.len() as u64;
                if parked > 0 {
                    return (format!("{parked} key{} parked · {behind}", if parked == 1 { "" } else { "s" }), Level::Warn);
                }
                let count = worker.settings.workers;
                (format!("{count} worker{} · {behind}", if count == 1 { "" } else { "s" }), level)
            }
            Body::Dependency(_) => {
                let entry = &self.parts[usize::from(part)];
                let waiting = entry.line.len() as u64;
                if waiting > 0 {
                    return (format!("{} waiting in line", grouped(waiting)), Level::Warn);
                }
                let per_second = self.gauge(part, "calls_per_s");
                quiet(if per_second > 20 {
                    format!("{} calls/s", grouped(per_second))
                } else {
                    format!("{} calls", entry.counters.done)
                })
            }
        }
    }
}
