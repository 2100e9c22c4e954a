//! What a worker is asked, as one text: a line for each thing, because the two sides share nothing else.

use redrive::explore::{FaultKind, Plan};

/// A job for a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// A fault at every place, one run each.
    Crashes {
        /// The run, as the text of its link.
        link: String,
        /// What is tried.
        plan: Plan,
    },
    /// One setting against one figure.
    Sweep {
        /// The run, as the text of its link.
        link: String,
        /// The setting and its values.
        vary: String,
        /// The figure.
        measure: String,
        /// How many seeds each value gets.
        seeds: u64,
    },
}

impl Job {
    /// As text.
    #[must_use]
    pub fn print(&self) -> String {
        match self {
            Self::Crashes { link, plan } => {
                let faults: Vec<&str> = plan.faults.iter().map(|fault| fault.word()).collect();
                let most = plan.most.map_or_else(String::new, |most| most.to_string());
                let together = plan.together.to_string();
                ["crashes", link, &faults.join(","), &plan.parts.join(","), &together, &most].join("\n")
            }
            Self::Sweep { link, vary, measure, seeds } => ["sweep", link, vary, measure, &seeds.to_string()].join("\n"),
        }
    }

    /// From text; none where it is no job.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        let mut next = || lines.next().map(str::to_owned);
        match next()?.as_str() {
            "crashes" => {
                let (link, faults, parts, together, most) = (next()?, next()?, next()?, next()?, next()?);
                let words = |text: &str| text.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>();
                let plan = Plan {
                    faults: FaultKind::ALL
                        .into_iter()
                        .filter(|fault| words(&faults).iter().any(|word| word == fault.word()))
                        .collect(),
                    parts: words(&parts),
                    together: together.parse().ok()?,
                    most: most.parse().ok(),
                };
                Some(Self::Crashes { link, plan })
            }
            "sweep" => Some(Self::Sweep { link: next()?, vary: next()?, measure: next()?, seeds: next()?.parse().ok()? }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_arrives_as_it_was_sent() {
        let check = |job: Job| assert_eq!(Job::parse(&job.print()), Some(job));
        check(Job::Crashes { link: "AB".into(), plan: Plan::default() });
        let plan =
            Plan { faults: FaultKind::ALL.to_vec(), parts: vec!["relay".into(), "email".into()], together: 2, most: Some(1_000) };
        check(Job::Crashes { link: "AB".into(), plan });
        check(Job::Sweep {
            link: "AB".into(),
            vary: "jobs.visibility_timeout=5s..30s/6".into(),
            measure: "facts.twice".into(),
            seeds: 5,
        });
        assert_eq!(Job::parse("dance\nAB"), None);
    }
}
