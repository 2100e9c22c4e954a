//! What a scenario says should be true of every run: `redrive explore` tries to break it.

use serde::Serialize;

/// Whether a property must hold at every moment or at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PropertyKind {
    /// At every moment of every run.
    Always,
    /// In the end of every run.
    Eventually,
}

/// How often an effect should take place for a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// Neither lost nor twice.
    Once,
    /// Not lost.
    AtLeastOnce,
    /// Not twice.
    AtMostOnce,
    /// Not after a later fact of its key.
    InOrder,
}

/// A property as a scenario names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertySpec {
    /// In words: `every order is charged exactly once`.
    pub name: String,
    /// Always or eventually.
    pub kind: PropertyKind,
    /// The effect it is about.
    pub effect: String,
    /// How often that should take place.
    pub what: What,
}

impl PropertyKind {
    /// Both, with their words.
    pub const WORDS: [(&str, Self); 2] = [("always", Self::Always), ("eventually", Self::Eventually)];
}

impl What {
    /// All, with their words.
    pub const WORDS: [(&str, Self); 4] = [
        ("once", Self::Once),
        ("at-least-once", Self::AtLeastOnce),
        ("at-most-once", Self::AtMostOnce),
        ("in-order", Self::InOrder),
    ];
}
