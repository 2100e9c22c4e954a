//! The look of things in shapes: boxes, tokens, flags. One meaning per colour, and each meaning also a shape.

use redrive::scenario::choices::Role;
use redrive::view::{Level, TokenRef, TokenShape, UserLevel, WaitingToken};

use super::geometry::{Rect, Within};
use super::shapes::{Pen, Shape};

/// Something inside a body that opens a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Centre.
    pub x: f64,
    /// Centre.
    pub y: f64,
    /// How near a click must be.
    pub r: f64,
    /// The fact that it tells of.
    pub fact: u32,
}

/// What is being drawn: shapes and what a click on them opens.
#[derive(Debug, Default)]
pub struct Scene {
    /// Shapes, back to front.
    pub shapes: Vec<Shape>,
    /// What opens a message.
    pub hits: Vec<Hit>,
}

/// How many key colours there are.
pub const KEYS: u32 = 6;

/// The class of a token's fill by key.
#[must_use]
pub fn key_class(key: u32) -> &'static str {
    ["tok k0", "tok k1", "tok k2", "tok k3", "tok k4", "tok k5"][(key % KEYS) as usize]
}

/// The class of a token's arc by key.
fn arc_class(key: u32) -> &'static str {
    ["arc k0", "arc k1", "arc k2", "arc k3", "arc k4", "arc k5"][(key % KEYS) as usize]
}

/// The class of the stripe of a box.
#[must_use]
pub fn stripe(role: Role) -> &'static str {
    match role {
        Role::Service => "fill service",
        Role::Database => "fill database",
        Role::Cache => "fill cache",
        Role::Queue => "fill queue",
        Role::Worker => "fill worker",
    }
}

/// The class of small figures by level.
#[must_use]
pub fn figure_class(level: Level) -> &'static str {
    match level {
        Level::Good | Level::Quiet => "mono small soft",
        Level::Warn => "mono small warn",
        Level::Bad => "mono small bad",
    }
}

/// The class of a shopper.
#[must_use]
pub fn user_class(level: UserLevel) -> &'static str {
    match level {
        UserLevel::AsPromised => "person good",
        UserLevel::Late => "person late",
        UserLevel::Twice => "person twice",
        UserLevel::Never => "person never",
        UserLevel::Refused => "person refused",
        UserLevel::Waiting => "person waiting",
    }
}

/// Cuts a text to a width, with an ellipsis. `per` is the width of a character.
#[must_use]
pub fn fit(text: &str, width: f64, per: f64) -> String {
    let most = (width / per).floor().max(1.0) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// Width of a character of a title.
pub const TITLE: f64 = 7.9;
/// Width of a character of a figure.
pub const FIGURE: f64 = 7.25;
/// Width of a character of small print.
pub const SMALL: f64 = 6.65;

impl Scene {
    /// A rectangle.
    pub fn rect(&mut self, look: &'static str, x: f64, y: f64, w: f64, h: f64, r: f64) {
        self.shapes.push(Shape::Rect { look, x, y, w, h, r });
    }

    /// A circle.
    pub fn circle(&mut self, look: &'static str, x: f64, y: f64, r: f64) {
        self.shapes.push(Shape::Circle { look, x, y, r });
    }

    /// A line of text.
    pub fn text(&mut self, look: &'static str, x: f64, y: f64, text: impl Into<String>) {
        self.shapes.push(Shape::Text { look, x, y, text: text.into() });
    }

    /// A path.
    pub fn path(&mut self, look: &'static str, d: Pen) {
        self.shapes.push(Shape::Path { look, d: d.0 });
    }

    /// A box with its stripe and title.
    pub fn frame(&mut self, at: Rect, role: Role, level: Level, title: &str) {
        let look = match level {
            Level::Bad => "box down",
            Level::Warn => "box odd",
            Level::Good | Level::Quiet => "box",
        };
        self.rect(look, at.x, at.y, at.w, at.h, 9.0);
        self.rect(stripe(role), at.x, at.y + 9.0, 3.5, at.h - 18.0, 1.7);
        self.text("title", at.x + 14.0, at.y + 21.0, fit(title, at.w - 20.0, TITLE));
    }

    /// The badge that says what is wrong, on the upper edge of a box.
    pub fn badge(&mut self, at: Rect, text: &str) {
        let text = fit(text, at.w - 26.0, SMALL);
        let w = text.chars().count() as f64 * SMALL + 14.0;
        let x = at.right() - w - 8.0;
        self.rect("badge", x, at.y - 10.0, w, 19.0, 9.5);
        self.text("badge-text", x + w / 2.0, at.y + 3.5, text);
    }

    /// The mark of a part that is otherwise in the other run: a sign on the left upper corner of its box.
    pub fn differs(&mut self, at: Rect) {
        self.rect("differs-mark", at.x - 6.0, at.y - 9.0, 20.0, 18.0, 9.0);
        self.text("differs-sign", at.x + 4.0, at.y + 4.5, "≠");
    }

    /// A token with its id, centred.
    pub fn token(&mut self, token: &TokenRef, x: f64, y: f64) {
        match token.shape {
            TokenShape::Plain => self.circle(key_class(token.key), x, y, 9.0),
            TokenShape::Again => {
                self.circle("again", x, y, 11.0);
                self.circle(key_class(token.key), x, y, 8.0);
            }
            TokenShape::Twice => {
                self.circle("twice-ring", x, y, 11.0);
                self.circle("twice", x, y, 8.0);
            }
            TokenShape::Poison => self.path(
                "poison",
                Pen::default().to('M', &[x, y - 11.0]).to('l', &[11.0, 11.0, -11.0, 11.0, -11.0, -11.0]).to('z', &[]),
            ),
            TokenShape::Ghost => self.circle("ghost", x, y, 9.0),
            TokenShape::Gone => return,
        }
        let looks = if token.shape == TokenShape::Ghost {
            ["tok-label dim", "tok-label dim long"]
        } else {
            ["tok-label", "tok-label long"]
        };
        self.label(token, looks, x, y);
    }

    /// A token that waits: an arc that runs out.
    pub fn waiting(&mut self, waiting: &WaitingToken, now_us: u64, x: f64, y: f64) {
        let span = waiting.until_us.saturating_sub(waiting.since_us).max(1) as f64;
        let left = (waiting.until_us.saturating_sub(now_us) as f64 / span).within(0.0, 1.0);
        self.circle("arc-back", x, y, 9.0);
        self.shapes.push(Shape::Arc { look: arc_class(waiting.token.key), x, y, r: 9.0, share: left });
        match waiting.token.shape {
            TokenShape::Twice => self.circle("twice-ring", x, y, 12.0),
            TokenShape::Poison => self.path(
                "poison-edge",
                Pen::default().to('M', &[x, y - 13.0]).to('l', &[13.0, 13.0, -13.0, 13.0, -13.0, -13.0]).to('z', &[]),
            ),
            TokenShape::Again => self.circle("again", x, y, 12.0),
            TokenShape::Plain | TokenShape::Ghost | TokenShape::Gone => {}
        }
        self.label(&waiting.token, ["tok-label on-sheet", "tok-label on-sheet long"], x, y);
    }

    /// A padlock: the message waits for another of its group.
    pub fn lock(&mut self, x: f64, y: f64) {
        self.path(
            "shackle",
            Pen::default().to('M', &[x - 2.0, y]).to('v', &[-1.8]).to('a', &[2.0, 2.0, 0.0, 0.0, 1.0, 4.0, 0.0]).to('v', &[1.8]),
        );
        self.rect("lock", x - 3.6, y - 0.4, 7.2, 5.6, 1.2);
    }

    /// Its id, where it is short enough; `looks` are those of one or two letters and of three.
    fn label(&mut self, token: &TokenRef, looks: [&'static str; 2], x: f64, y: f64) {
        let letters = token.label.chars().count();
        if letters <= 3 {
            self.text(looks[usize::from(letters == 3)], x, y + 3.5, token.label.clone());
        }
        self.hits.push(Hit { x, y, r: 12.0, fact: token.fact });
    }

    /// The flag of a group under a tape: a shape of its own as well as a colour.
    pub fn flag(&mut self, group: usize, x: f64, y: f64) {
        match group % 4 {
            0 => self.path("fill service", Pen::default().to('M', &[x, y]).to('l', &[4.6, 7.0]).to('h', &[-9.2]).to('z', &[])),
            1 => self.path(
                "fill worker",
                Pen::default().to('M', &[x, y - 0.5]).to('l', &[4.2, 4.0, -4.2, 4.0, -4.2, -4.0]).to('z', &[]),
            ),
            2 => self.circle("fill cache", x, y + 3.6, 3.6),
            _ => self.rect("fill database", x - 3.2, y + 0.4, 6.4, 6.4, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(fit("retry in 3.2 s", 200.0, 7.0), "retry in 3.2 s");
        assert_eq!(fit("idle: 8 members, 6 partitions", 70.0, 7.0), "idle: 8 m…");
    }
}
