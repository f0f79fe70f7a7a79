//! A JSON value as it is spelled: checked once, passed on as it is.

use crate::error::{Error, Halt};
use crate::instance::{Instance, Kind};
use crate::json::{Json, MAX_DEPTH};
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
    pub fn kind(self) -> Kind {
        Json::trusted(self.0).kind(0).unwrap_or(Kind::Null)
    }

    /// The string, if it is one.
    #[must_use]
    pub fn string(self) -> Option<Text<'a>> {
        match self.kind() {
            Kind::String => Json::trusted(self.0).string(0).ok().map(|(text, _)| text),
            _ => None,
        }
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
        f.write_str(self.as_str())
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Raw<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=[u8]:a}", self.0);
    }
}
