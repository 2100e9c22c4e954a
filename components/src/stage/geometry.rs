//! Boxes and lines on the stage, in its own units.

/// Keeps a number between two others.
pub trait Within {
    /// The number, or the end of the range that it is beyond. Where the range is empty, its lower end. Unlike
    /// [`f64::clamp`] it has nothing to say about that, and so needs no text of floating-point numbers.
    #[must_use]
    fn within(self, low: Self, high: Self) -> Self;
}

impl Within for f64 {
    fn within(self, low: Self, high: Self) -> Self {
        low.max(self.min(high))
    }
}

/// A box on the stage, in its own units: pixels before [`Layout::scale`](super::layout::Layout::scale).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// The right edge.
    #[must_use]
    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    /// The lower edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// The middle, left to right.
    #[must_use]
    pub fn mid_x(&self) -> f64 {
        self.x + self.w / 2.0
    }

    /// The middle, top to bottom.
    #[must_use]
    pub fn mid_y(&self) -> f64 {
        self.y + self.h / 2.0
    }

    /// The same at another scale.
    #[must_use]
    pub fn scaled(&self, scale: f64) -> Self {
        Self { x: self.x * scale, y: self.y * scale, w: self.w * scale, h: self.h * scale }
    }

    /// The area that both cover.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> f64 {
        let w = self.right().min(other.right()) - self.x.max(other.x);
        let h = self.bottom().min(other.bottom()) - self.y.max(other.y);
        w.max(0.0) * h.max(0.0)
    }
}

/// A line as it is drawn: a cubic curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve(pub [(f64, f64); 4]);

impl Curve {
    /// The point at `share` of the way, 0 to 1.
    #[must_use]
    pub fn at(&self, share: f64) -> (f64, f64) {
        let rest = 1.0 - share;
        let weights = [rest * rest * rest, 3.0 * rest * rest * share, 3.0 * rest * share * share, share * share * share];
        self.0.iter().zip(weights).fold((0.0, 0.0), |(x, y), ((px, py), weight)| (x + px * weight, y + py * weight))
    }
}
