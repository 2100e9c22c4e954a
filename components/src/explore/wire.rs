//! Tried runs on their way from a worker to the page: eight numbers each.

use redrive::command::CrashStep;
use redrive::explore::{Attempt, Harm};
use redrive::world::{Boundary, Point};

/// Numbers of one run.
pub const EACH: usize = 8;
/// Where there is no second fault.
const NONE: f64 = -1.0;
/// Codes of what is no step.
const ACK: u64 = 200;
const ANSWER: u64 = 201;

fn code(place: Boundary) -> u64 {
    let point = match place.point {
        Point::Step(step) => CrashStep::ALL.iter().position(|known| *known == step).unwrap_or(0) as u64,
        Point::Ack => ACK,
        Point::Answer => ANSWER,
    };
    u64::from(place.part) << 8 | point
}

fn place(at_us: f64, code: f64) -> Option<Boundary> {
    if at_us < 0.0 {
        return None;
    }
    let code = code as u64;
    let point = match code & 0xff {
        ACK => Point::Ack,
        ANSWER => Point::Answer,
        step => Point::Step(*CrashStep::ALL.get(step as usize)?),
    };
    Some(Boundary { at_us: at_us as u64, part: (code >> 8) as u16, point })
}

/// A run as numbers. Moments stay far below what a float holds exactly.
#[must_use]
pub fn pack(attempt: &Attempt) -> [f64; EACH] {
    let Harm { lost, twice, late, out_of_order } = attempt.harm;
    let (second_us, second) = attempt.second.map_or((NONE, 0), |place| (place.at_us as f64, code(place)));
    [
        attempt.first.at_us as f64,
        code(attempt.first) as f64,
        second_us,
        second as f64,
        lost as f64,
        twice as f64,
        late as f64,
        out_of_order as f64,
    ]
}

/// A run from numbers.
#[must_use]
pub fn unpack(numbers: &[f64]) -> Option<Attempt> {
    let &[at_us, code, second_us, second, lost, twice, late, out_of_order] = numbers else { return None };
    let harm = Harm { lost: lost as u64, twice: twice as u64, late: late as u64, out_of_order: out_of_order as u64 };
    Some(Attempt { first: place(at_us, code)?, second: place(second_us, second), harm })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_arrives_as_it_was_sent() {
        let at = |at_us, part, point| Boundary { at_us, part, point };
        let harm = Harm { lost: 1, twice: 20, late: 300, out_of_order: 0 };
        for step in CrashStep::ALL {
            let attempt = Attempt { first: at(86_400_000_000, 63, Point::Step(step)), second: None, harm };
            assert_eq!(unpack(&pack(&attempt)), Some(attempt));
        }
        let attempt = Attempt { first: at(0, 0, Point::Ack), second: Some(at(7, 300, Point::Answer)), harm };
        assert_eq!(unpack(&pack(&attempt)), Some(attempt));
    }
}
