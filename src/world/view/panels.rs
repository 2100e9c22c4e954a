//! The four panels, the time track and the books.

use crate::command::Command;
use crate::observe::health::Consumer;
use crate::observe::words::Names;
use crate::scenario::alerts::{gauge_of, setting_of};
use crate::scenario::choices::Role;
use crate::scenario::gauges::{Unit, gauges};
use crate::scenario::prometheus::expression;
use crate::sim::Tape;
use crate::sim::order::by_key;
use crate::sim::time::{grouped, spoken};
use crate::view::{AlertView, CureView, EffectView, FindingView, HealthView, PanelsView, SeriesView, SpanView, VerdictView};
use crate::world::{Body, World};

/// A series is thinned out to so many points.
const MOST_POINTS: u64 = 480;

impl World {
    /// The panels now.
    #[must_use]
    pub fn panels(&self) -> PanelsView {
        let names = Names::new(self);
        let findings = &self.observer.findings;
        PanelsView {
            users: self.users_view(),
            findings: findings
                .found()
                .iter()
                .map(|finding| FindingView {
                    at_us: finding.at_us,
                    part: finding.part,
                    text: names.finding(finding),
                    count: finding.count,
                    why: finding.kind.why(),
                    level: finding.kind.level(),
                })
                .collect(),
            alerts: self.alert_views(),
            cures: self.cure_views(),
            health: self.health_views(),
            spans: findings
                .spans()
                .iter()
                .map(|span| SpanView {
                    title: format!("{} {}", names.part(span.part), span.what),
                    from_us: span.from_us,
                    to_us: span.to_us,
                })
                .collect(),
            series: self.series_views(),
            books: self.books_view(),
            effects: self.effect_views(),
        }
    }

    fn alert_views(&self) -> Vec<AlertView> {
        let mut fired: Vec<AlertView> = Vec::new();
        let mut silent: Vec<AlertView> = Vec::new();
        for alert in &self.board.alerts {
            let Some(gauge) = gauge_of(&self.scenario, &alert.spec) else { continue };
            let (unit, hold) = (gauge.unit, alert.spec.hold.to_string());
            let holds = if alert.spec.hold.0 > 0 { [" for ", &spoken(alert.spec.hold.0)].concat() } else { String::new() };
            let text = [gauge.title, " > ", &unit.spoken(alert.spec.above), &holds, " on ", &self.title(alert.part)].concat();
            let base = AlertView {
                rule: alert.spec.rule.clone(),
                text,
                at_us: None,
                after_us: None,
                cleared_us: None,
                why: String::new(),
                partition: None,
                threshold: unit.written(alert.spec.above),
                form: unit.form(),
                set: setting_of(&alert.spec),
                hold,
                expr: expression(&self.scenario, &alert.spec),
            };
            if alert.fired.is_empty() {
                let why = match alert.highest {
                    0 => "stayed at 0: no help here".into(),
                    highest if highest > alert.spec.above => {
                        ["was above it for ", &spoken(alert.longest_us), " at most"].concat()
                    }
                    highest => ["stayed at or below ", &unit.spoken(highest)].concat(),
                };
                silent.push(AlertView { why, ..base.clone() });
            }
            fired.extend(alert.fired.iter().map(|firing| AlertView {
                text:
                    firing.partition.map_or_else(
                        || base.text.clone(),
                        |partition| [&base.text, ", partition ", &partition.to_string()].concat(),
                    ),
                at_us: Some(firing.at_us),
                after_us: firing.after_us,
                cleared_us: firing.cleared_us,
                partition: firing.partition,
                ..base.clone()
            }));
        }
        let mut fired = by_key(fired, |alert| alert.at_us.unwrap_or(0));
        fired.extend(silent);
        fired
    }

    fn health_views(&self) -> Vec<HealthView> {
        let view = |consumer: &Consumer| {
            let now = consumer.stretches.last()?;
            Some(HealthView {
                part: consumer.part,
                title: self.title(consumer.part),
                verdict: now.verdict,
                why: now.sign.why(now.value),
                since_us: now.from_us,
                spans: consumer
                    .stretches
                    .iter()
                    .map(|stretch| VerdictView {
                        verdict: stretch.verdict,
                        why: stretch.sign.why(stretch.value),
                        from_us: stretch.from_us,
                        to_us: stretch.to_us,
                    })
                    .collect(),
            })
        };
        self.board.consumers.iter().filter_map(view).collect()
    }

    /// The scenario's cures that would change something now, after a mend for everything that is broken.
    fn cure_views(&self) -> Vec<CureView> {
        let broken = |part: &str| self.part_index(part).is_some_and(|part| self.is_broken(part));
        let useful = |command: &Command| match command {
            Command::Mend(part) => broken(part),
            Command::Resume(part) => self.part_index(part).is_some_and(|part| self.parts[usize::from(part)].health.paused),
            Command::Redrive(part) => self.part_index(part).is_some_and(|part| match self.parts[usize::from(part)].body {
                Body::Queue(queue) => self.queues[usize::from(queue)].ready() > 0,
                _ => false,
            }),
            Command::Set { part, setting, value } => {
                let in_force = self.part_index(part).and_then(|part| self.setting_text(part, setting));
                in_force.is_none_or(|in_force| in_force != *value)
            }
            _ => true,
        };
        let mut cures: Vec<CureView> = Vec::new();
        let shipped = self.scenario.cures.iter().filter(|cure| cure.commands.iter().any(useful));
        for (index, (id, spec)) in self.scenario.parts.iter().enumerate() {
            let mend = Command::Mend(id.clone());
            let offered = self.scenario.cures.iter().any(|cure| cure.commands == [mend.clone()]);
            if self.is_broken(index as u16) && !offered {
                cures.push(CureView {
                    title: format!("Mend {}", spec.title),
                    why: "Ends what is wrong with it.".into(),
                    commands: vec![mend.to_string()],
                });
            }
        }
        cures.extend(shipped.map(|cure| CureView {
            title: cure.title.clone(),
            why: cure.why.clone(),
            commands: cure.commands.iter().map(ToString::to_string).collect(),
        }));
        cures
    }

    /// True when a mend would change something.
    pub(super) fn is_broken(&self, part: u16) -> bool {
        let health = &self.parts[usize::from(part)].health;
        health.out()
            || health.paused
            || health.fail.0 > 0
            || health.slow_milli != 1_000
            || health.lose_acks > 0
            || health.poison_next > 0
            || health.crash_at.is_some()
            || matches!(self.parts[usize::from(part)].body, Body::Server(server) if self.server_lacks_node(server))
            || self.cuts.iter().any(|cut| cut.0 == part || cut.1 == part)
    }

    /// The series that tell most: what waits to be published, how far workers are behind, how long answers take, who is harmed.
    fn series_views(&self) -> Vec<SeriesView> {
        let wanted = |body: Body| -> Option<&'static str> {
            match body {
                Body::Database(index) => self.databases[usize::from(index)].has_relay.then_some("outbox_oldest_us"),
                Body::Service(_) => Some("p99_us"),
                Body::Queue(index) if self.queues[usize::from(index)].tray => Some("ready"),
                Body::Queue(_) | Body::Server(_) => Some("ready"),
                Body::Worker(index) => self.workers[usize::from(index)].group.is_some().then_some("lag"),
                Body::Dependency(_) | Body::Producer(_) | Body::Relay(_) | Body::Exchange(_) | Body::Log(_) => None,
            }
        };
        let mut views: Vec<SeriesView> = Vec::new();
        for (index, (_, spec)) in self.scenario.parts.iter().enumerate() {
            let Some(name) = wanted(self.parts[index].body) else { continue };
            let Some(place) = gauges(&spec.kind).iter().position(|gauge| gauge.name == name) else { continue };
            if views.len() < 3 {
                let gauge = &gauges(&spec.kind)[place];
                let title = format!("{} {}", spec.title, gauge.title);
                views.push(self.series_view(title, spec.kind.role(), false, gauge.unit, &self.board.series[index][place]));
            }
        }
        views.push(self.series_view("users harmed".into(), Role::Service, true, Unit::Count, &self.board.harm));
        views
    }

    fn series_view(&self, title: String, role: Role, harm: bool, unit: Unit, tape: &Tape<u64>) -> SeriesView {
        let stride = tape.len().div_ceil(MOST_POINTS).max(1);
        let mut points = Vec::new();
        let mut peak = 0;
        // The highest of each stretch: a short peak must not fall between two points.
        let mut highest = 0;
        for (position, value) in tape.iter_from(0) {
            highest = highest.max(*value);
            if position % stride == stride - 1 || position + 1 == tape.end() {
                points.push((position * self.board.sample_us, highest));
                peak = peak.max(highest);
                highest = 0;
            }
        }
        SeriesView { title, role, harm, points, peak: unit.spoken(peak) }
    }

    fn effect_views(&self) -> Vec<EffectView> {
        let ledger = &self.observer.ledger;
        ledger
            .effects
            .iter()
            .enumerate()
            .map(|(effect, info)| {
                let counts = ledger.counts(effect);
                EffectView {
                    name: info.name.clone(),
                    once: counts.once,
                    twice: counts.twice,
                    lost: counts.lost,
                    pending: counts.pending,
                    dead: counts.dead,
                    late: counts.late,
                    skipped: counts.skipped,
                    out_of_order: counts.out_of_order,
                }
            })
            .collect()
    }

    /// A count for a button: `5 processes`.
    pub(super) fn counted(count: u64, noun: &str) -> String {
        format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "es" })
    }
}
