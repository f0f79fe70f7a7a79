//! JSON as callers have it: as bytes, or parsed.

use serde_json::{Map, Value};

/// A JSON document that is only looked at: the arguments of a call, structured content, a schema.
///
/// Whatever takes one takes `impl Into<Document>`: bytes, text, `&Value`, `&Map<String, Value>`, or an `Option` of one.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Document<'a> {
    /// Not there.
    Absent,
    /// JSON text.
    Bytes(&'a [u8]),
    /// A parsed value.
    Value(&'a Value),
    /// A parsed object.
    Object(&'a Map<String, Value>),
}

impl<'a> Document<'a> {
    /// The object, where it is a parsed one.
    #[must_use]
    pub const fn as_object(self) -> Option<&'a Map<String, Value>> {
        match self {
            Self::Value(Value::Object(object)) | Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// A copy as a value of its own; `None` when it is absent, or bytes that are not JSON.
    #[must_use]
    pub fn to_value(self) -> Option<Value> {
        match self {
            Self::Absent => None,
            Self::Bytes(bytes) => serde_json::from_slice(bytes).ok(),
            Self::Value(value) => Some(value.clone()),
            Self::Object(object) => Some(Value::Object(object.clone())),
        }
    }

    /// As tool arguments, where "not there" and `null` mean `{}`.
    pub(crate) fn or_empty_object(self) -> Self {
        if self.is_nothing() { Self::Bytes(b"{}") } else { self }
    }

    /// Whether it is not there, or `null`.
    pub(crate) fn is_nothing(self) -> bool {
        match self {
            Self::Absent | Self::Value(Value::Null) => true,
            Self::Bytes(bytes) => trim(bytes) == b"null",
            Self::Value(_) | Self::Object(_) => false,
        }
    }

    /// Whether it is an object, as far as its first byte tells.
    pub(crate) fn is_object(self) -> bool {
        match self {
            Self::Absent => false,
            Self::Bytes(bytes) => trim(bytes).first() == Some(&b'{'),
            Self::Value(value) => value.is_object(),
            Self::Object(_) => true,
        }
    }

    /// Whether it is a string.
    pub(crate) fn is_string(self) -> bool {
        match self {
            Self::Bytes(bytes) => trim(bytes).first() == Some(&b'"'),
            Self::Value(value) => value.is_string(),
            Self::Absent | Self::Object(_) => false,
        }
    }
}

/// Without the whitespace of JSON (RFC 8259 section 2) around it.
fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] | [rest @ .., b' ' | b'\t' | b'\n' | b'\r'] = bytes {
        bytes = rest;
    }
    bytes
}

impl<'a> From<&'a [u8]> for Document<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Document<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Document<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a> From<&'a str> for Document<'a> {
    fn from(text: &'a str) -> Self {
        Self::Bytes(text.as_bytes())
    }
}

impl<'a> From<&'a Value> for Document<'a> {
    fn from(value: &'a Value) -> Self {
        Self::Value(value)
    }
}

impl<'a> From<&'a Map<String, Value>> for Document<'a> {
    fn from(object: &'a Map<String, Value>) -> Self {
        Self::Object(object)
    }
}

impl<'a, T: Into<Self>> From<Option<T>> for Document<'a> {
    fn from(document: Option<T>) -> Self {
        document.map_or(Self::Absent, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::Document;
    use serde_json::{Value, json};

    #[test]
    fn absent_and_null_arguments_are_an_empty_object() {
        let (null, object) = (Value::Null, json!({"a": 1}));
        for document in [None::<&Value>.into(), Document::from(&null), " null\n".into()] {
            assert_eq!(document.or_empty_object().to_value(), Some(json!({})), "{document:?}");
        }
        for document in [Document::from(&object), r#"{"a": 1}"#.into()] {
            assert_eq!(document.or_empty_object().to_value(), Some(object.clone()), "{document:?}");
        }
        // A form feed is no whitespace in JSON.
        assert_eq!(Document::from("\x0cnull").or_empty_object().to_value(), None);
    }

    #[test]
    fn kinds_are_told_from_the_first_byte() {
        assert!(Document::from("\r\n\t {").is_object() && Document::from(" \"").is_string());
        assert!(!Document::from("[{}]").is_object() && !Document::from("").is_string());
        assert!(Document::from(&json!("")).is_string() && Document::from(&json!({})).is_object());
    }
}
