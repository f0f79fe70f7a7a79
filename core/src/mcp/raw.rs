//! A JSON value as it is spelled: checked once, passed on as it is.

use crate::error::{Error, Halt};
use crate::instance::{Instance, Kind, Next};
use crate::json::{Json, MAX_DEPTH};
use crate::number::Number;
use crate::text::Text;
use core::fmt;

/// One JSON value, as it is spelled. Whoever holds one knows that it is well-formed, in UTF-8, and without space around it.
///
/// Two are equal when they are spelled alike: `1` and `1.0` are not.
///
/// ```
/// use microschema::mcp::Raw;
///
/// let value = Raw::new(b" [1, 2] ")?;
/// assert_eq!(value.as_bytes(), b"[1, 2]");
/// assert!(Raw::new(b"[1, 2").is_err());
/// # Ok::<(), microschema::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    /// `null`
    pub const NULL: Raw<'static> = Raw(b"null");
    /// `{}`: what omitted arguments stand for.
    pub const EMPTY_OBJECT: Raw<'static> = Raw(b"{}");

    /// Checks that `text` is one JSON value (RFC 8259), nested at most 512 levels.
    ///
    /// # Errors
    /// When it is not.
    pub fn new(text: &'a [u8]) -> Result<Self, Error> {
        let json = Json::new(text)?;
        let read = || -> Result<Self, Halt> {
            let at = json.root()?;
            let end = json.skip(at, MAX_DEPTH)?;
            json.finish(end)?;
            Ok(Self(json.span(at, end)))
        };
        read().map_err(|halt| halt.error().unwrap_or(Error::Limit(crate::Limit::Depth)))
    }

    /// A value that the reader has just read.
    pub(super) const fn trusted(text: &'a [u8]) -> Self {
        Self(text)
    }

    /// The value as it is spelled.
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The value as it is spelled.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        core::str::from_utf8(self.0).unwrap_or_default()
    }

    /// What kind of value it is.
    #[must_use]
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub fn kind(self) -> Kind {
        Json::trusted(self.0).kind(0).unwrap_or(Kind::Null)
    }

    /// The string, if it is one.
    #[must_use]
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub fn string(self) -> Option<Text<'a>> {
        match self.kind() {
            Kind::String => Json::trusted(self.0).string(0).ok().map(|(text, _)| text),
            _ => None,
        }
    }

    /// The integer, if it is a number without a fraction (`1.0` and `1e2` are such) in the range of the type.
    #[must_use]
    pub fn integer(self) -> Option<i64> {
        if self.kind() != Kind::Number {
            return None;
        }
        match self.0.strip_prefix(b"-") {
            Some(digits) => 0_i64.checked_sub_unsigned(Number::from_literal(digits).to_u64()?),
            None => i64::try_from(Number::from_literal(self.0).to_u64()?).ok(),
        }
    }

    /// The member of this name (the first, should it occur twice), if this is an object that has it.
    ///
    /// Cost: linear in the members before it. For many of them, [`typed`](Self::typed) reads all at once.
    ///
    /// ```
    /// use microschema::mcp::Raw;
    ///
    /// let arguments = Raw::new(br#"{"led": {"pin": 13.0}}"#)?;
    /// assert_eq!(arguments.member("led").and_then(|led| led.member("pin")).and_then(Raw::integer), Some(13));
    /// # Ok::<(), microschema::Error>(())
    /// ```
    #[must_use]
    pub fn member(self, name: &str) -> Option<Raw<'a>> {
        if self.kind() != Kind::Object {
            return None;
        }
        let json = Json::trusted(self.0);
        let mut members = json.members(0);
        let mut after = 0;
        while let Next::Item(member) = json.next_member(&mut members, after).ok()? {
            after = json.skip(member.value, MAX_DEPTH).ok()?;
            if member.name.is(name) {
                return Some(Self(json.span(member.value, after)));
            }
        }
        None
    }

    /// The elements of an array or object, those of an object with their names; a scalar has none.
    ///
    /// ```
    /// use microschema::mcp::Raw;
    ///
    /// let pins: Vec<_> = Raw::new(b"[13, [14]]")?.elements().map(|(_, value)| value.as_str()).collect();
    /// assert_eq!(pins, ["13", "[14]"]);
    /// let named = Raw::new(br#"{"a": 1, "a": 2}"#)?;
    /// assert!(named.elements().all(|(name, _)| name.is_some_and(|name| name.equals(b"a"))));
    /// # Ok::<(), microschema::Error>(())
    /// ```
    #[must_use]
    pub fn elements(self) -> Elements<'a> {
        let json = Json::trusted(self.0);
        let walk = match self.kind() {
            Kind::Array => Walk::Items(json.items(0)),
            Kind::Object => Walk::Members(json.members(0)),
            _ => Walk::Over,
        };
        Elements { json, walk, after: 0 }
    }

    /// Reads it as a `T`, by `serde-json-core`. A string that has escapes is decoded in `scratch`, and needs a type that copies it from
    /// there (`heapless::String`); into a `&str` it is an error.
    ///
    /// That reader checks less than a schema does (and recurses once for each level of nesting that `T` does not know): for arguments
    /// that have passed their schema. On a microcontroller a single `f32` costs 17 KB of flash.
    ///
    /// ```
    /// use microschema::mcp::Raw;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Arguments<'a> { name: &'a str, led: u8 }
    ///
    /// let arguments: Arguments = Raw::new(br#"{"name": "n", "led": 2}"#)?.typed(&mut []).expect("as in the schema");
    /// assert_eq!((arguments.name, arguments.led), ("n", 2));
    /// # Ok::<(), microschema::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the value does not fit the type, or a string the scratch.
    pub fn typed<'s, T: serde::Deserialize<'s>>(self, scratch: &'s mut [u8]) -> Result<T, serde_json_core::de::Error>
    where
        'a: 's,
    {
        serde_json_core::from_slice_escaped(self.0, scratch).map(|(value, _)| value)
    }
}

/// The elements of a [`Raw`], in their order.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    json: Json<'a>,
    walk: Walk<'a>,
    after: usize,
}

#[derive(Clone, Debug)]
enum Walk<'a> {
    Items(<Json<'a> as Instance<'a>>::Items),
    Members(<Json<'a> as Instance<'a>>::Members),
    Over,
}

impl<'a> Iterator for Elements<'a> {
    type Item = (Option<Text<'a>>, Raw<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let next = match &mut self.walk {
            Walk::Items(items) => match self.json.next_item(items, self.after) {
                Ok(Next::Item(item)) => Some((None, item)),
                _ => None,
            },
            Walk::Members(members) => match self.json.next_member(members, self.after) {
                Ok(Next::Item(member)) => Some((Some(member.name), member.value)),
                _ => None,
            },
            Walk::Over => None,
        };
        let element = next.and_then(|(name, value)| Some((name, value, self.json.skip(value, MAX_DEPTH).ok()?)));
        let Some((name, value, end)) = element else {
            self.walk = Walk::Over;
            return None;
        };
        self.after = end;
        Some((name, Raw(self.json.span(value, end))))
    }
}

/// Comparison by a call: inlined, each would take a good part of a hundred bytes.
pub(super) trait Is {
    /// Whether the value of the text is this.
    fn is(self, other: &str) -> bool;
}

impl Is for Text<'_> {
    #[inline(never)]
    fn is(self, other: &str) -> bool {
        self.equals(other.as_bytes())
    }
}

impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without what makes a `&str` of it, which takes 0.6 KB of flash.
        Text::json(self.0, false).write(f)
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Raw<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=str}", self.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::Raw;

    #[test]
    fn integers_are_exact() {
        for (spelled, value) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("-7", Some(-7)),
            ("1.0", Some(1)),
            ("-12e2", Some(-1200)),
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("-9223372036854775808", Some(i64::MIN)),
            ("-9223372036854775809", None),
            ("1.5", None),
            ("1e99", None),
            ("\"1\"", None),
            ("true", None),
        ] {
            assert_eq!(Raw::new(spelled.as_bytes()).unwrap().integer(), value, "{spelled}");
        }
    }

    #[test]
    fn members_are_found_by_their_decoded_name() {
        let object = Raw::new(br#"{"a": [{"b": 1}], "\u0062": -2, "b": 3}"#).unwrap();
        assert_eq!(object.member("b").map(Raw::as_str), Some("-2"));
        assert_eq!(object.member("c"), None);
        assert_eq!(Raw::new(br#"["b", 1]"#).unwrap().member("b"), None);
        assert_eq!(Raw::EMPTY_OBJECT.member("b"), None);
    }

    #[test]
    fn elements_are_as_they_are_spelled() {
        for (text, elements) in [
            ("[]", &[][..]),
            ("{}", &[]),
            ("7", &[]),
            ("\"[1]\"", &[]),
            ("[1.0 ,[ ], {\"a\":[2]}\n]", &["1.0", "[ ]", "{\"a\":[2]}"]),
            ("{ \"a\" : 1 ,\"\\u0061\":\"}\" }", &["1", "\"}\""]),
        ] {
            let found: std::vec::Vec<_> =
                Raw::new(text.as_bytes()).unwrap().elements().map(|(_, raw)| raw.as_str()).collect();
            assert_eq!(found, elements, "{text}");
        }
    }
}
