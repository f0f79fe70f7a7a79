//! Why a schema was refused, and where.

use super::elements::Elements;
use crate::error::{Error, JsonError, JsonErrorKind, Limit};
use crate::instance::{Instance, Next};
use crate::issue::write_segment;
use crate::json::{Json, MAX_DEPTH};
use core::fmt::{self, Write};

/// Why a schema was refused, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SchemaError {
    /// The reason.
    pub kind: SchemaErrorKind,
    /// The byte offset of the offending value (for a member that is at fault as such, of its name).
    pub at: usize,
    /// The document it is in: `None` for the schema itself, else the index of a [registered document](crate::Options::documents).
    pub document: Option<u16>,
}

impl SchemaError {
    /// The place as a JSON Pointer (RFC 6901) into the schema, or into the document that the error is in: give the text of that one.
    ///
    /// ```
    /// let schema = br#"{"properties": {"a/b": {"minimum": "1"}}}"#;
    /// let error = microschema::compile(schema, &mut [0; 256]).unwrap_err();
    /// assert_eq!(error.pointer(schema).to_string(), "/properties/a~1b/minimum");
    /// ```
    #[must_use]
    pub const fn pointer<'s>(&self, schema: &'s [u8]) -> SchemaPointer<'s> {
        SchemaPointer { schema, at: self.at }
    }
}

/// The JSON Pointer of a [`SchemaError`]; see there.
#[derive(Clone, Copy, Debug)]
pub struct SchemaPointer<'s> {
    schema: &'s [u8],
    at: usize,
}

impl SchemaPointer<'_> {
    /// Writes the step from the container at `*place` towards the place of the error, and goes there; `false` when that is reached,
    /// or the text is no JSON from here on.
    fn step(&self, place: &mut usize, f: &mut fmt::Formatter<'_>) -> Result<bool, fmt::Error> {
        let doc = Json::trusted(self.schema);
        let Ok(Some(mut elements)) = Elements::of(doc, *place) else {
            return Ok(false);
        };
        let mut after = *place;
        loop {
            let Ok(Next::Item(element)) = elements.next(after) else {
                return Ok(false);
            };
            let end = doc.skip(element.value, MAX_DEPTH);
            if element.at <= self.at && end.is_ok_and(|end| self.at < end) || end.is_err() && element.value <= self.at {
                *place = element.value;
                f.write_char('/')?;
                write_segment(f, element.segment, true)?;
                return Ok(element.value <= self.at);
            }
            let Ok(end) = end else {
                return Ok(false);
            };
            after = end;
        }
    }
}

impl fmt::Display for SchemaPointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut place = Json::trusted(self.schema).white_space(0);
        while self.step(&mut place, f)? {}
        Ok(())
    }
}

/// Why a schema was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// The schema is not JSON.
    Json(JsonErrorKind),
    /// A schema must be an object or a boolean (draft-04: an object).
    ExpectedSchema,
    /// The keyword's value must be a string.
    ExpectedString,
    /// The keyword's value must be a number.
    ExpectedNumber,
    /// The keyword's value must be true or false.
    ExpectedBoolean,
    /// The keyword's value must be an array.
    ExpectedArray,
    /// The keyword's value must be an object.
    ExpectedObject,
    /// The keyword's value must be an integer that is not negative.
    ExpectedCount,
    /// The keyword's value must be greater than zero.
    ExpectedPositive,
    /// The array must have at least one item.
    EmptyArray,
    /// The items of the array must be unique.
    DuplicateItem,
    /// A member name occurs twice.
    DuplicateName,
    /// `type` names something other than the seven types.
    UnknownType,
    /// `$schema` names a dialect that is neither built in nor registered as a document.
    UnknownDialect,
    /// A vocabulary that the meta-schema requires is unknown here.
    UnknownVocabulary,
    /// A reference to something that is not in the schema nor in the registered documents. Nothing is ever fetched.
    UnresolvedReference,
    /// A reference that is not a URI reference, or is too long.
    InvalidReference,
    /// `$id` with a fragment, or an anchor that is no name.
    InvalidIdentifier,
    /// A keyword that means something only beside another, which is missing: the booleans `exclusiveMinimum` and `exclusiveMaximum` of
    /// draft-04.
    MissingKeyword,
    /// References that come back to themselves without going into the instance.
    CyclicReference,
    /// Two resources have the same URI, or two anchors the same name.
    DuplicateIdentifier,
    /// A pattern that is not a regular expression.
    InvalidPattern,
    /// A pattern with a back-reference: it cannot be run in linear time.
    BackReference,
    /// A pattern with `\p{…}` of a property that is unknown: neither the feature `unicode` nor [`Options::properties`](crate::Options::properties)
    /// has it.
    UnicodeProperty,
    /// A pattern that needs more than the engine's bounds.
    PatternTooLarge,
    /// This build leaves out the keyword (feature `regex`).
    RegexNotBuilt,
    /// This build leaves out the format (features `formats`, `idn`).
    FormatNotBuilt,
    /// A divisor or bound with more digits than can be divided exactly.
    NumberTooLong,
    /// The arena is too small for the program and what the compiler needs meanwhile.
    ArenaFull,
    /// Schemas are nested too deeply.
    TooDeep,
    /// Names made to have the same hash, or references that take more looking for than any schema not made for that: the compiler
    /// stops rather than take quadratic time.
    TooCostly,
    /// The program outgrows the image format (16 MiB), or a count in it (32 bits).
    TooLarge,
}

/// Greatest length of a schema in bytes.
pub(super) const MAX_LEN: usize = usize::MAX >> 6;

/// What is wrong with a text, and where.
pub(super) const fn of_text(error: Option<Error>) -> (SchemaErrorKind, usize) {
    match error {
        Some(Error::Json(JsonError { kind: JsonErrorKind::DuplicateName, at })) => (SchemaErrorKind::DuplicateName, at),
        Some(Error::Json(JsonError { kind, at })) => (SchemaErrorKind::Json(kind), at),
        Some(Error::Limit(Limit::Depth)) => (SchemaErrorKind::TooDeep, 0),
        Some(Error::Limit(_)) | None => (SchemaErrorKind::TooLarge, 0),
    }
}

impl SchemaErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::Json(_) => "schema is not JSON",
            Self::ExpectedSchema => "expected a schema: an object or a boolean",
            Self::ExpectedString => "expected a string",
            Self::ExpectedNumber => "expected a number",
            Self::ExpectedBoolean => "expected true or false",
            Self::ExpectedArray => "expected an array",
            Self::ExpectedObject => "expected an object",
            Self::ExpectedCount => "expected an integer that is not negative",
            Self::ExpectedPositive => "expected a number greater than 0",
            Self::EmptyArray => "expected at least one item",
            Self::DuplicateItem => "item occurs twice",
            Self::DuplicateName => "member name occurs twice",
            Self::UnknownType => "unknown type: expected null, boolean, object, array, number, string or integer",
            Self::UnknownDialect => "unknown dialect: register its meta-schema as a document",
            Self::UnknownVocabulary => "the meta-schema requires an unknown vocabulary",
            Self::UnresolvedReference => "reference leads nowhere: not in the schema, nor in the registered documents",
            Self::InvalidReference => "not a URI reference, or too long",
            Self::InvalidIdentifier => "not an identifier: $id has no fragment, anchors are names",
            Self::MissingKeyword => "keyword needs the bound it is about beside it",
            Self::CyclicReference => "reference comes back to itself without going into the instance",
            Self::DuplicateIdentifier => "identifier is taken",
            Self::InvalidPattern => "not a regular expression",
            Self::BackReference => "back-references are not supported: they cannot be run in linear time",
            Self::UnicodeProperty => "unknown Unicode property, or built without the feature unicode",
            Self::PatternTooLarge => "pattern is too large",
            Self::RegexNotBuilt => "built without the feature regex",
            Self::FormatNotBuilt => "built without this format (features formats, idn)",
            Self::NumberTooLong => "number has too many digits",
            Self::ArenaFull => "arena is too small",
            Self::TooDeep => "schemas are nested too deeply",
            Self::TooCostly => "schema takes too much work to compile",
            Self::TooLarge => "schema is too large",
        }
    }
}

impl fmt::Display for SchemaErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())?;
        if let Self::Json(kind) = self {
            f.write_str(": ")?;
            fmt::Display::fmt(kind, f)?;
        }
        Ok(())
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind, f)?;
        f.write_str(" at byte ")?;
        fmt::Display::fmt(&self.at, f)
    }
}

impl core::error::Error for SchemaError {}
