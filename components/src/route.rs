//! The address of a run: `#/s/ID` for a scenario that ships, `#/run/LINK` for a shared run, `/at/US` for a moment of it;
//! `#/compare/LINK/LINK` for two runs side by side; `#/brokers` and `#/fidelity` open over whatever run there is.

use redrive::run::Run;

/// What an address asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// Nothing in particular.
    Home,
    /// What brokers can do.
    Brokers,
    /// How far that is proven.
    Fidelity,
    /// A scenario that ships.
    Scenario(String),
    /// A shared run.
    Shared {
        /// The text of its link.
        link: String,
        /// The moment it was shared at, in microseconds.
        at_us: u64,
    },
    /// Two runs side by side.
    Compare {
        /// The texts of their links.
        links: [String; 2],
        /// The moment, in microseconds.
        at_us: u64,
    },
    /// Something that is no address of this lab.
    Unknown(String),
}

/// The longest id of a scenario that is looked for.
const MOST_ID: usize = 64;

/// Reads the part of an address after `#`.
#[must_use]
pub fn parse(hash: &str) -> Route {
    let path = hash.trim_start_matches('#');
    let mut steps = path.trim_start_matches('/').split('/');
    if let Some(pair) = path.strip_prefix("/compare/") {
        return compared(pair).unwrap_or_else(|| Route::Unknown(hash.to_owned()));
    }
    match (steps.next().unwrap_or_default(), steps.next(), steps.next(), steps.next(), steps.next()) {
        ("", None, ..) => Route::Home,
        ("brokers", None, ..) => Route::Brokers,
        ("fidelity", None, ..) => Route::Fidelity,
        // Longer than any id that a scenario may have.
        ("s", Some(id), None, ..) if (1..=MOST_ID).contains(&id.len()) => Route::Scenario(id.to_owned()),
        ("run", Some(link), None, ..) => Route::Shared { link: link.to_owned(), at_us: 0 },
        ("run", Some(link), Some("at"), Some(at), None) if at.parse::<u64>().is_ok() => {
            Route::Shared { link: link.to_owned(), at_us: at.parse().unwrap_or_default() }
        }
        _ => Route::Unknown(hash.to_owned()),
    }
}

/// Reads the two links of a comparison and its moment.
fn compared(pair: &str) -> Option<Route> {
    let (links, at_us) = match pair.split_once("/at/") {
        Some((links, at)) => (links, at.parse().ok()?),
        None => (pair, 0),
    };
    let (left, right) = links.split_once('/')?;
    let sound = !left.is_empty() && !right.is_empty() && !right.contains('/');
    sound.then(|| Route::Compare { links: [left.to_owned(), right.to_owned()], at_us })
}

/// The address of two runs side by side, to stand behind `#`.
#[must_use]
pub fn compare(links: &[String; 2], at_us: u64) -> String {
    let address = ["/compare/", &links[0], "/", &links[1]].concat();
    if at_us == 0 { address } else { [&address, "/at/", &at_us.to_string()].concat() }
}

/// The address of a shared run, to stand behind `#`.
#[must_use]
pub fn shared(link: &str, at_us: u64) -> String {
    if at_us == 0 { format!("/run/{link}") } else { format!("/run/{link}/at/{at_us}") }
}

/// The address of a run from its start: short for a scenario as it ships.
#[must_use]
pub fn of(run: &Run) -> String {
    run.as_shipped().map_or_else(|| shared(&run.to_link(), 0), |id| ["/s/", id].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back() {
        assert_eq!(parse(""), Route::Home);
        assert_eq!(parse("#/"), Route::Home);
        assert_eq!([parse("#/brokers"), parse("#/fidelity")], [Route::Brokers, Route::Fidelity]);
        assert_eq!(parse("#/s/order-shop"), Route::Scenario("order-shop".into()));
        let mut run = Run::of_library("order-shop");
        assert_eq!(of(&run), "/s/order-shop");
        run.seed = Some(8);
        assert_eq!(parse(&of(&run)), Route::Shared { link: run.to_link(), at_us: 0 });
        for at_us in [0, 86_400_000] {
            let address = format!("#{}", shared("eJx_-9", at_us));
            assert_eq!(parse(&address), Route::Shared { link: "eJx_-9".into(), at_us }, "{address}");
            let links = ["eJx_-9".to_owned(), "abc".to_owned()];
            let address = ["#", &compare(&links, at_us)].concat();
            assert_eq!(parse(&address), Route::Compare { links, at_us }, "{address}");
        }
    }

    #[test]
    fn what_is_no_address_is_said_to_be_none() {
        for address in [
            "#/s/",
            &["#/s/", &"x".repeat(100)].concat(),
            "#/compare/abc",
            "#/compare/a/b/c",
            "#/compare//b",
            "#/compare/a/b/at/soon",
            "#/t/order-shop",
            "#/run/abc/at/soon",
            "#/run/abc/at/1/2",
            "#order-shop",
        ] {
            assert_eq!(parse(address), Route::Unknown(address.into()), "{address}");
        }
    }
}
