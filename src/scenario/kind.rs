//! The kinds of part, and how one is set: in our words, in its broker's, or with its broker's defaults.

use redrive_brokers::profile::Profile;
use serde_json::Value;

use super::choices::*;
use super::native;
use super::parts::*;
use super::setting::{Refused, Settings, Spec};

/// What a part is, with its settings.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Where messages or shoppers come from.
    Producer(ProducerSettings),
    /// Answers users.
    Service(ServiceSettings),
    /// Keeps orders and the outbox.
    Database(DatabaseSettings),
    /// Publishes the outbox.
    Relay(RelaySettings),
    /// A work queue.
    Queue(QueueSettings),
    /// Routes to queues.
    Exchange(ExchangeSettings),
    /// A partitioned log.
    Log(LogSettings),
    /// Consumes a queue or a log.
    Worker(WorkerSettings),
    /// Is called.
    Dependency(DependencySettings),
}

/// Runs one expression for whichever settings a kind has.
macro_rules! each_kind {
    ($kind:expr, $settings:ident => $body:expr) => {
        match $kind {
            Kind::Producer($settings) => $body,
            Kind::Service($settings) => $body,
            Kind::Database($settings) => $body,
            Kind::Relay($settings) => $body,
            Kind::Queue($settings) => $body,
            Kind::Exchange($settings) => $body,
            Kind::Log($settings) => $body,
            Kind::Worker($settings) => $body,
            Kind::Dependency($settings) => $body,
        }
    };
}

impl Kind {
    /// The words for the kinds, as `kind` takes them.
    pub const WORDS: [&'static str; 9] =
        ["producer", "service", "database", "relay", "queue", "exchange", "log", "worker", "dependency"];

    /// A part of this kind with every setting at its default.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "producer" => Self::Producer(ProducerSettings::default()),
            "service" => Self::Service(ServiceSettings::default()),
            "database" => Self::Database(DatabaseSettings::default()),
            "relay" => Self::Relay(RelaySettings::default()),
            "queue" => Self::Queue(QueueSettings::default()),
            "exchange" => Self::Exchange(ExchangeSettings::default()),
            "log" => Self::Log(LogSettings::default()),
            "worker" => Self::Worker(WorkerSettings::default()),
            "dependency" => Self::Dependency(DependencySettings::default()),
            _ => return None,
        })
    }

    /// The word for this kind.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Producer(_) => "producer",
            Self::Service(_) => "service",
            Self::Database(_) => "database",
            Self::Relay(_) => "relay",
            Self::Queue(_) => "queue",
            Self::Exchange(_) => "exchange",
            Self::Log(_) => "log",
            Self::Worker(_) => "worker",
            Self::Dependency(_) => "dependency",
        }
    }

    fn settings(&self) -> &dyn Settings {
        each_kind!(self, settings => settings)
    }

    /// The settings table of this kind.
    #[must_use]
    pub fn table(&self) -> &'static [Spec] {
        self.settings().table()
    }

    fn settings_mut(&mut self) -> &mut dyn Settings {
        each_kind!(self, settings => settings)
    }

    /// Gives one setting a value, under our name for it or under its broker's own. With another broker every setting that
    /// still had its default gets the new broker's.
    ///
    /// # Errors
    /// [`Refused`] when there is no such setting or the value is not allowed; nothing has changed then.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Refused> {
        if let Some(all) = self.several(name, value) {
            let mut kind = self.clone();
            all.iter().try_for_each(|(name, value)| kind.set(name, value))?;
            *self = kind;
            return Ok(());
        }
        let said = name;
        let (name, value) = &self.in_our_words(said, value);
        let name = name.as_str();
        if let Some(allowed) = native::range_of(self, said) {
            let row = self.table().iter().find(|row| row.name == name).map(|row| Spec { range: allowed, ..*row });
            let mut kind = self.clone();
            if let (Some(row), Some(slot)) = (row, kind.settings_mut().slot_of(name)) {
                slot.take(value, allowed).map_err(|wrong| Refused::Bad { wrong, allowed: row.allowed() })?;
            }
        }
        let before = native::profile_of(self);
        match self.settings_mut().set(name, value) {
            Ok(()) => {
                self.take_defaults(before);
                if let ("acks", Self::Log(log)) = (name, self) {
                    // As Kafka's producers have it: repeats are told apart only where every in-sync replica confirms.
                    log.idempotent_publish &= log.broker == LogBroker::Generic || log.acks == Acks::All;
                }
                Ok(())
            }
            refused => refused,
        }
    }

    /// The settings that one of its broker's settings says at once, as `RedrivePolicy` does; none for one that says one.
    #[must_use]
    pub fn several(&self, name: &str, value: &Value) -> Option<Vec<(String, Value)>> {
        if matches!(self, Self::Queue(_)) { native::spread(name, value) } else { None }
    }

    /// Our name and value for a setting that is said in its broker's words; what is not one of those stays as it is.
    #[must_use]
    pub fn in_our_words(&self, name: &str, value: &Value) -> (String, Value) {
        let value = native::understood(name, value);
        let known = self.table().iter().any(|row| row.name == name);
        let translated = if known { None } else { native::translated(self, self.table(), name, &value) };
        translated.map_or_else(|| (name.to_owned(), value), |(ours, value)| (ours.to_owned(), value))
    }

    /// Gives what still has the default of the broker before the default of the broker in force.
    fn take_defaults(&mut self, before: Option<&'static Profile>) {
        let after = native::profile_of(self);
        if before == after {
            return;
        }
        let default = |profile: Option<&'static Profile>, row: &Spec| {
            profile.and_then(|profile| native::default_of(profile, row)).unwrap_or_else(|| row.default_value())
        };
        for row in self.table() {
            if self.get(row.name) == Some(default(before, row)) {
                // A default that our own range does not allow is left alone; a test holds that there is none.
                let _ = self.settings_mut().set(row.name, &default(after, row));
            }
        }
    }

    /// The value of a setting.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        self.settings().get(name)
    }

    /// What the part is drawn as.
    #[must_use]
    pub fn role(&self) -> Role {
        match self {
            Self::Producer(_) | Self::Service(_) => Role::Service,
            Self::Database(_) => Role::Database,
            Self::Queue(_) | Self::Exchange(_) | Self::Log(_) => Role::Queue,
            Self::Relay(_) | Self::Worker(_) => Role::Worker,
            Self::Dependency(settings) => settings.role,
        }
    }
}
