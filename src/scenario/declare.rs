//! The macros that settings and their choices are declared with.

/// Declares a settings struct: `name: Type = "default" in "range", "what it does";`.
#[macro_export]
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $struct:ident { $($name:ident : $type:ty = $default:literal in $range:literal, $doc:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $struct { $(#[doc = $doc] pub $name: $type,)* }

        impl $struct {
            /// The table, in the order of declaration.
            pub const TABLE: &'static [$crate::scenario::setting::Spec] = &[$($crate::scenario::setting::Spec {
                name: stringify!($name),
                form: <$type as $crate::scenario::setting::SettingValue>::FORM,
                default: $default, range: $range, doc: $doc,
            },)*];
        }

        impl Default for $struct {
            fn default() -> Self {
                let mut settings = Self { $($name: Default::default(),)* };
                $crate::scenario::setting::fill(&mut settings);
                settings
            }
        }

        impl $crate::scenario::setting::Settings for $struct {
            fn table(&self) -> &'static [$crate::scenario::setting::Spec] {
                Self::TABLE
            }

            fn slot(&self, row: usize) -> Option<&dyn $crate::scenario::setting::Slot> {
                let slots = [$(&self.$name as &dyn $crate::scenario::setting::Slot,)*];
                slots.get(row).copied()
            }

            fn slot_mut(&mut self, row: usize) -> Option<&mut dyn $crate::scenario::setting::Slot> {
                let slots = [$(&mut self.$name as &mut dyn $crate::scenario::setting::Slot,)*];
                slots.into_iter().nth(row)
            }
        }
    };
}

/// Declares an enum that a setting chooses from; each variant has its word and a sentence.
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $enum:ident { $($variant:ident = $word:literal, $doc:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $enum { $(#[doc = $doc] $variant,)* }

        impl Default for $enum {
            fn default() -> Self {
                [$(Self::$variant,)*][0]
            }
        }

        impl $enum {
            /// The word that a scenario writes.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl $crate::scenario::setting::SettingValue for $enum {
            const FORM: $crate::scenario::setting::Form = $crate::scenario::setting::Form::Choice;
            fn read(value: &serde_json::Value, _range: &str) -> Result<Self, String> {
                match value.as_str() {
                    $(Some($word) => Ok(Self::$variant),)*
                    _ => Err(format!("{value} is not a choice here")),
                }
            }
            fn write(&self) -> serde_json::Value {
                serde_json::Value::from(self.word())
            }
        }
    };
}
