//! Values of headers and arguments, as the client library has them.

use amqprs::{BasicProperties, FieldTable, FieldValue};
use redrive_brokers::rabbitmq::{ExchangeKind, Match, Value};

/// The name that is a message's body.
pub(super) fn body(content: &[u8]) -> String {
    String::from_utf8_lossy(content).trim_end().to_owned()
}

/// `x-delivery-count`, where the server sends it.
pub(super) fn delivery_count(properties: &BasicProperties) -> Option<u32> {
    let value = properties.headers()?.as_ref().iter().find(|(name, _)| name.as_ref() == "x-delivery-count")?.1;
    number(value)
}

/// A whole number, of whatever width.
pub(super) fn number(value: &FieldValue) -> Option<u32> {
    match value {
        FieldValue::l(number) => u32::try_from(*number).ok(),
        FieldValue::I(number) => u32::try_from(*number).ok(),
        FieldValue::b(number) => u32::try_from(*number).ok(),
        FieldValue::B(number) => Some(u32::from(*number)),
        _ => None,
    }
}

/// A table of these.
pub(super) fn table(pairs: &[(String, FieldValue)]) -> FieldTable {
    let mut table = FieldTable::new();
    for (name, value) in pairs {
        if let Ok(name) = name.as_str().try_into() {
            table.insert(name, value.clone());
        }
    }
    table
}

/// A header's value.
pub(super) fn header_value(value: &Value) -> FieldValue {
    match value {
        Value::Text(text) => text.as_str().into(),
        Value::Int(number) => FieldValue::l(*number),
        Value::Void => FieldValue::V,
    }
}

/// The value of `x-match`.
pub(super) fn match_word(matching: Match) -> &'static str {
    match matching {
        Match::All => "all",
        Match::Any => "any",
        Match::AllWithX => "all-with-x",
        Match::AnyWithX => "any-with-x",
    }
}

/// The name of a type of exchange.
pub(super) fn kind_word(kind: ExchangeKind) -> &'static str {
    match kind {
        ExchangeKind::Direct => "direct",
        ExchangeKind::Fanout => "fanout",
        ExchangeKind::Topic => "topic",
        ExchangeKind::Headers => "headers",
        ExchangeKind::ConsistentHash => "x-consistent-hash",
    }
}
