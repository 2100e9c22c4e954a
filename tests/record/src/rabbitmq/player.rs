//! Says the words of a transcript to a server and writes its answers in the form that the machine has.

use std::collections::BTreeMap;
use std::time::Duration;

use amqprs::callbacks::DefaultConnectionCallback;
use amqprs::channel::{
    BasicAckArguments, BasicCancelArguments, BasicConsumeArguments, BasicGetArguments, BasicNackArguments, BasicPublishArguments,
    BasicQosArguments, BasicRejectArguments, Channel, ConfirmSelectArguments, ExchangeDeclareArguments, ExchangeDeleteArguments,
    QueueBindArguments, QueueDeclareArguments, QueueDeleteArguments, QueuePurgeArguments,
};
use amqprs::connection::{Connection, OpenConnectionArguments};
use amqprs::error::Error;
use amqprs::{BasicProperties, FieldTable, FieldValue};
use redrive_brokers::rabbitmq::arguments;
use redrive_brokers::rabbitmq::words::{self, Bind, Call, How, MAIN_QUEUE, Out, Said};
use redrive_brokers::rabbitmq::{ExchangeKind, Match};
use redrive_brokers::transcript::Transcript;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{sleep, timeout};

use super::events::{Event, Events, Listener, Subscription};
use super::values::{body, delivery_count, header_value, kind_word, match_word, number, table};

/// Nothing more comes when nothing came for so long.
const QUIET: Duration = Duration::from_millis(80);

/// A confirm that takes longer than this does not come.
const PATIENCE: Duration = Duration::from_secs(5);

/// Someone's channel.
struct Person {
    channel: Channel,
    published: u64,
    /// Queues and consumer tags.
    subscribed: BTreeMap<String, String>,
    tags_used: u32,
}

/// Plays one script.
pub struct Player {
    connection: Connection,
    run: String,
    people: BTreeMap<String, Person>,
    tags: BTreeMap<(String, String), u64>,
    queues: Vec<String>,
    exchanges: Vec<String>,
    /// What a body takes at least: a name is followed by blanks.
    message_bytes: usize,
    events: UnboundedReceiver<(String, Event)>,
    send: Events,
    /// What came while something else was waited for.
    kept: Vec<(String, Event)>,
}

/// The server's name and version.
pub async fn version() -> Result<String, String> {
    let connection = connect().await?;
    let version = format!("RabbitMQ {}", connection.server_properties().version());
    let _ = connection.close().await;
    Ok(version)
}

async fn connect() -> Result<Connection, String> {
    let args = OpenConnectionArguments::new("127.0.0.1", super::PORT, "guest", "guest");
    let connection = Connection::open(&args).await.map_err(fault)?;
    connection.register_callback(DefaultConnectionCallback).await.map_err(fault)?;
    Ok(connection)
}

#[allow(clippy::needless_pass_by_value, reason = "so that `map_err(fault)` reads well")]
fn fault(error: Error) -> String {
    error.to_string()
}

impl Player {
    /// Connects and declares what the header asks for; names get `run` in front.
    pub async fn open(script: &Transcript, run: &str) -> Result<Self, String> {
        let (send, events) = unbounded_channel();
        let mut player = Self {
            connection: connect().await?,
            run: run.to_owned(),
            people: BTreeMap::new(),
            tags: BTreeMap::new(),
            queues: Vec::new(),
            exchanges: Vec::new(),
            message_bytes: script.value("message_bytes").and_then(|bytes| bytes.parse().ok()).unwrap_or(0),
            events,
            send,
            kept: Vec::new(),
        };
        if let Some(args) = arguments::main_queue(script) {
            player.person("main").await?;
            player.declare("main", MAIN_QUEUE, &args).await?;
        }
        Ok(player)
    }

    /// Removes what was declared.
    pub async fn finish(mut self) {
        if self.person("finish").await.is_ok()
            && let Some(person) = self.people.get("finish")
        {
            for queue in &self.queues {
                let _ = person.channel.queue_delete(QueueDeleteArguments::new(&self.real(queue))).await;
            }
            for exchange in &self.exchanges {
                let _ = person.channel.exchange_delete(ExchangeDeleteArguments::new(&self.real(exchange))).await;
            }
        }
        self.people.clear();
        let _ = self.connection.close().await;
    }

    /// The name on the server.
    fn real(&self, name: &str) -> String {
        if name.is_empty() { String::new() } else { format!("{}.{name}", self.run) }
    }

    async fn person(&mut self, who: &str) -> Result<(), String> {
        if self.people.get(who).is_some_and(|person| person.channel.is_open()) {
            return Ok(());
        }
        let channel = self.connection.open_channel(None).await.map_err(fault)?;
        channel.register_callback(Listener(who.to_owned(), self.send.clone())).await.map_err(fault)?;
        channel.confirm_select(ConfirmSelectArguments::default()).await.map_err(fault)?;
        self.people.insert(who.to_owned(), Person { channel, published: 0, subscribed: BTreeMap::new(), tags_used: 0 });
        Ok(())
    }

    /// Says the words of a step; gives the lines of the answer.
    pub async fn say(&mut self, text: &str) -> Result<Vec<String>, String> {
        let Said { who, call } = words::read(text)?;
        self.person(&who).await?;
        let stirs = !matches!(call, Call::Wait(_) | Call::Ready(_) | Call::Queue(..) | Call::Exchange(..) | Call::Bind(_));
        let settles = matches!(call, Call::Settle(..) | Call::Close | Call::Cancel(_));
        let mut lines = self.answer(&who, call).await?;
        let subscribed = self.people.values().any(|person| !person.subscribed.is_empty());
        let quiet = if settles || subscribed && stirs { QUIET } else { Duration::ZERO };
        lines.extend(self.heard(quiet).await);
        Ok(lines)
    }

    async fn answer(&mut self, who: &str, call: Call) -> Result<Vec<String>, String> {
        match call {
            Call::Queue(name, args) => self.declare(who, &name, &args).await?,
            Call::Exchange(name, kind, alternate) => self.exchange(who, &name, kind, alternate).await?,
            Call::Bind(bind) => self.bind(who, &bind).await?,
            Call::Publish(out) => return self.publish(who, &out).await,
            Call::Get(count, queue, deaths) => {
                self.let_arrive(&queue).await;
                return self.get(who, count, &queue, deaths).await;
            }
            Call::Consume(queue, prefetch) => self.consume(who, &queue, prefetch).await?,
            Call::Cancel(queue) => {
                let person = self.people.get_mut(who).ok_or("nobody")?;
                let tag = person.subscribed.remove(&queue).ok_or("no such subscription")?;
                person.channel.basic_cancel(BasicCancelArguments::new(&tag)).await.map_err(fault)?;
            }
            Call::Settle(name, how, multiple) => return self.settle(who, name, how, multiple).await,
            Call::Ready(queue) => {
                self.let_arrive(&queue).await;
                let mut args = QueueDeclareArguments::new(&self.real(&queue));
                args.passive(true);
                let told = self.channel(who)?.queue_declare(args).await.map_err(fault)?;
                return Ok(vec![told.map_or(0, |(_, ready, _)| ready).to_string()]);
            }
            Call::Purge(queue) => {
                let args = QueuePurgeArguments::new(&self.real(&queue));
                let count = self.channel(who)?.queue_purge(args).await.map_err(fault)?;
                return Ok(vec![count.unwrap_or_default().to_string()]);
            }
            Call::Wait(us) => sleep(Duration::from_micros(us)).await,
            Call::Kill(_) | Call::Start(_) => return Err("one node only".to_owned()),
            Call::Close => {
                self.tags.retain(|(person, _), _| person != who);
                if let Some(person) = self.people.remove(who) {
                    person.channel.close().await.map_err(fault)?;
                }
            }
        }
        Ok(Vec::new())
    }

    /// Dead letters are on their way for a moment.
    async fn let_arrive(&self, queue: &str) {
        if queue != MAIN_QUEUE {
            sleep(QUIET).await;
        }
    }

    fn channel(&self, who: &str) -> Result<&Channel, String> {
        self.people.get(who).map(|person| &person.channel).ok_or_else(|| format!("{who} has no channel"))
    }

    async fn declare(&mut self, who: &str, name: &str, args: &[(String, String)]) -> Result<(), String> {
        let to_default = args.iter().any(|(name, value)| name == "x-dead-letter-exchange" && value.is_empty());
        let pairs: Vec<(String, FieldValue)> = args
            .iter()
            .map(|(name, value)| {
                let typed = match name.as_str() {
                    "x-dead-letter-exchange" => self.real(value).as_str().into(),
                    "x-dead-letter-routing-key" if to_default => self.real(value).as_str().into(),
                    "x-single-active-consumer" => FieldValue::t(value == "true"),
                    _ => value.parse().map_or_else(|_| value.as_str().into(), FieldValue::l),
                };
                (name.clone(), typed)
            })
            .collect();
        let mut declare = QueueDeclareArguments::durable_client_named(&self.real(name));
        declare.arguments(table(&pairs));
        let _ = self.channel(who)?.queue_delete(QueueDeleteArguments::new(&self.real(name))).await;
        self.channel(who)?.queue_declare(declare).await.map_err(fault)?;
        self.queues.push(name.to_owned());
        Ok(())
    }

    async fn exchange(&mut self, who: &str, name: &str, kind: ExchangeKind, alternate: Option<String>) -> Result<(), String> {
        let mut args = ExchangeDeclareArguments::new(&self.real(name), kind_word(kind));
        if let Some(alternate) = alternate {
            args.arguments(table(&[("alternate-exchange".to_owned(), self.real(&alternate).as_str().into())]));
        }
        self.channel(who)?.exchange_declare(args).await.map_err(fault)?;
        self.exchanges.push(name.to_owned());
        Ok(())
    }

    async fn bind(&mut self, who: &str, bind: &Bind) -> Result<(), String> {
        let mut pairs: Vec<(String, FieldValue)> =
            bind.headers.iter().map(|(name, value)| (name.clone(), header_value(value))).collect();
        if !bind.headers.is_empty() || bind.matching != Match::All {
            pairs.push(("x-match".to_owned(), match_word(bind.matching).into()));
        }
        let mut args = QueueBindArguments::new(&self.real(&bind.queue), &self.real(&bind.exchange), &bind.key);
        args.arguments(table(&pairs));
        self.channel(who)?.queue_bind(args).await.map_err(fault)
    }

    async fn publish(&mut self, who: &str, out: &Out) -> Result<Vec<String>, String> {
        let key = if out.exchange.is_empty() { self.real(&out.key) } else { out.key.clone() };
        let exchange = self.real(&out.exchange);
        let mut each = Vec::new();
        for name in &out.names {
            let mut args = BasicPublishArguments::new(&exchange, &key);
            args.mandatory(out.mandatory);
            let mut properties = BasicProperties::default();
            properties.with_delivery_mode(2);
            if let Some(level) = out.priority {
                properties.with_priority(level);
            }
            if let Some(ms) = out.ttl_ms {
                properties.with_expiration(&ms.to_string());
            }
            if !out.headers.is_empty() {
                let pairs: Vec<(String, FieldValue)> =
                    out.headers.iter().map(|(name, value)| (name.clone(), header_value(value))).collect();
                properties.with_headers(table(&pairs));
            }
            let person = self.people.get_mut(who).ok_or("nobody")?;
            person.published += 1;
            let number = person.published;
            let body = format!("{name:0$}", self.message_bytes).into_bytes();
            person.channel.basic_publish(properties, body, args).await.map_err(fault)?;
            if !self.confirm(who, number, name, &mut each).await {
                break;
            }
        }
        Ok(words::outcomes(&each))
    }

    /// Waits for the confirm of a publish; false if the channel closed instead.
    async fn confirm(&mut self, who: &str, number: u64, name: &str, each: &mut Vec<(String, &'static str)>) -> bool {
        loop {
            let event = timeout(PATIENCE, self.events.recv()).await;
            match event {
                Ok(Some((person, Event::Returned))) if person == who => each.push((name.to_owned(), "returned")),
                Ok(Some((person, Event::Confirmed(tag, well)))) if person == who && tag >= number => {
                    each.push((name.to_owned(), if well { "confirmed" } else { "nacked" }));
                    return true;
                }
                Ok(Some((person, Event::Closed(code)))) => {
                    let own = person == who;
                    self.kept.push((person, Event::Closed(code)));
                    if own {
                        return false;
                    }
                }
                Ok(Some(other)) => self.kept.push(other),
                Ok(None) | Err(_) => {
                    each.push((name.to_owned(), "unconfirmed"));
                    return true;
                }
            }
        }
    }

    async fn get(&mut self, who: &str, count: u32, queue: &str, deaths: bool) -> Result<Vec<String>, String> {
        let real = self.real(queue);
        let mut line = Vec::new();
        let mut lines = Vec::new();
        for _ in 0..count {
            // The server may close the channel instead of answering.
            let got = timeout(PATIENCE, self.channel(who)?.basic_get(BasicGetArguments::new(&real))).await;
            let Ok(Ok(Some((ok, properties, content)))) = got else { break };
            let name = body(&content);
            self.tags.insert((who.to_owned(), name.clone()), ok.delivery_tag());
            let word = words::message(&name, ok.redelivered(), delivery_count(&properties));
            if deaths {
                let deaths = self.deaths(&properties);
                let each = deaths.iter().map(|(reason, queue, count)| (reason.as_str(), queue.as_str(), *count));
                lines.push(words::with_deaths(&word, each));
            }
            line.push(word);
        }
        Ok(match (deaths, line.is_empty()) {
            (_, true) => vec!["nothing".to_owned()],
            (true, false) => lines,
            (false, false) => vec![line.join(" ")],
        })
    }

    fn deaths(&self, properties: &BasicProperties) -> Vec<(String, String, u32)> {
        let headers = properties.headers().map(FieldTable::as_ref);
        let header = headers.and_then(|all| all.iter().find(|(name, _)| name.as_ref() == "x-death"));
        let Some((_, FieldValue::A(entries))) = header else { return Vec::new() };
        let entries: Vec<FieldValue> = entries.clone().into();
        let prefix = format!("{}.", self.run);
        let each = entries.into_iter().filter_map(|entry| {
            let FieldValue::F(entry) = entry else { return None };
            let field = |wanted: &str| entry.as_ref().iter().find(|(name, _)| name.as_ref() == wanted).map(|(_, value)| value);
            let text = |wanted: &str| match field(wanted) {
                Some(FieldValue::S(text)) => text.to_string(),
                _ => String::new(),
            };
            let count = field("count").and_then(number).unwrap_or_default();
            Some((text("reason"), text("queue").trim_start_matches(&prefix).to_owned(), count))
        });
        each.collect()
    }

    async fn consume(&mut self, who: &str, queue: &str, prefetch: u16) -> Result<(), String> {
        let subscription = Subscription(who.to_owned(), queue.to_owned(), self.send.clone());
        let real = self.real(queue);
        let person = self.people.get_mut(who).ok_or("nobody")?;
        // A tag that comes again while its old deliveries are outstanding crashes the channel of a quorum queue.
        person.tags_used += 1;
        let tag = format!("c{}", person.tags_used);
        let args = BasicConsumeArguments::new(&real, &tag);
        person.subscribed.insert(queue.to_owned(), tag);
        person.channel.basic_qos(BasicQosArguments::new(0, prefetch, false)).await.map_err(fault)?;
        person.channel.basic_consume(subscription, args).await.map_err(fault)?;
        Ok(())
    }

    async fn settle(&mut self, who: &str, name: String, how: How, multiple: bool) -> Result<Vec<String>, String> {
        let tag = if name.is_empty() { Some(0) } else { self.tags.get(&(who.to_owned(), name)).copied() };
        let Some(tag) = tag else { return Ok(vec!["no such delivery".to_owned()]) };
        let channel = self.channel(who)?;
        match how {
            How::Ack => channel.basic_ack(BasicAckArguments::new(tag, multiple)).await,
            How::Nack(requeue) => channel.basic_nack(BasicNackArguments::new(tag, multiple, requeue)).await,
            How::Reject(requeue) => channel.basic_reject(BasicRejectArguments::new(tag, requeue)).await,
        }
        .map_err(fault)?;
        Ok(Vec::new())
    }

    /// What came without being asked for, until nothing comes for a while.
    async fn heard(&mut self, quiet: Duration) -> Vec<String> {
        let mut gets: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        let mut closed = Vec::new();
        let mut came: Vec<(String, Event)> = std::mem::take(&mut self.kept);
        while let Ok(Some(event)) = timeout(quiet, self.events.recv()).await {
            came.push(event);
        }
        for (who, event) in came {
            match event {
                Event::Delivery { queue, tag, name, redelivered, count } => {
                    self.tags.insert((who.clone(), name.clone()), tag);
                    gets.entry((who, queue)).or_default().push(words::message(&name, redelivered, count));
                }
                Event::Closed(code) => {
                    closed.push(format!("{who} closed {code}"));
                    self.people.remove(&who);
                }
                Event::Confirmed(..) | Event::Returned => {}
            }
        }
        closed.sort();
        let lines = gets.into_iter().map(|((who, _), words)| format!("{who} gets {}", words.join(" ")));
        lines.chain(closed).collect()
    }
}
