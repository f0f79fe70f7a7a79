//! Why a run gave no verdict: the input is not JSON, or a limit was reached.

use crate::text::nth;
use core::fmt;
use core::num::NonZeroUsize;

/// Why [`Program::validate`](crate::Program::validate) or [`Program::is_valid`](crate::Program::is_valid) gave no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Error {
    /// The instance is not JSON text as RFC 8259 has it.
    Json(JsonError),
    /// A limit was reached. This is not a verdict: the instance may be valid or not.
    Limit(Limit),
}

/// What is wrong with a JSON text, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// The byte offset of the first byte that cannot be part of the text.
    pub at: usize,
}

/// What is wrong with a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
#[repr(u8)]
pub enum JsonErrorKind {
    /// The text ends where a value should start. Models are often cut off mid-call.
    EndsBeforeValue,
    /// The text ends inside a string.
    EndsInString,
    /// The text ends inside a number.
    EndsInNumber,
    /// The text ends inside `true`, `false` or `null`.
    EndsInLiteral,
    /// The text ends inside an array.
    EndsInArray,
    /// The text ends inside an object.
    EndsInObject,
    /// A byte sequence that is not UTF-8 (RFC 8259 section 8.1).
    InvalidUtf8,
    /// A byte that starts no JSON value. A byte order mark is one.
    ExpectedValue,
    /// A member name is missing: a string in quotes must stand here.
    ExpectedName,
    /// The colon between a member's name and its value is missing.
    ExpectedColon,
    /// A comma or the closing bracket is missing.
    ExpectedCommaOrBracket,
    /// A comma or the closing brace is missing.
    ExpectedCommaOrBrace,
    /// A control character (below U+0020) stands unescaped in a string (RFC 8259 section 7).
    ControlCharacter,
    /// A backslash is followed by something that is no escape (RFC 8259 section 7).
    InvalidEscape,
    /// A `\u` escape gives one half of a surrogate pair without the other (RFC 7493 section 2.1).
    LoneSurrogate,
    /// A number that does not follow the grammar of RFC 8259 section 6.
    InvalidNumber,
    /// Something other than white space follows the value.
    TrailingText,
    /// An object names a member twice, where the schema has to tell members apart (RFC 8259 section 4).
    DuplicateName,
}

/// A bound that the caller set, or that this build has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
#[repr(u8)]
pub enum Limit {
    /// Nesting of values and of schemas applied in place: [`Limits::depth`](crate::Limits::depth).
    Depth,
    /// Amount of work: [`Limits::steps`](crate::Limits::steps).
    Steps,
    /// Working memory: more declared properties, members or evaluated items than the scratch has room for.
    Scratch,
    /// Length of the instance: 128 MiB on 32-bit targets.
    Size,
    /// A number with more digits than exact division here can take.
    Number,
}

/// Why an evaluation stopped before the end of the value: not valid, not JSON, or a limit.
///
/// One machine word, never zero, so that the happy path returns in registers: the kind in the low bits, the byte offset above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Halt(NonZeroUsize);

const KIND_BITS: u32 = 5;
const FIRST_LIMIT: usize = 1;
const INVALID: usize = 6;
const FIRST_JSON: usize = 8;

/// Greatest length of an instance in bytes.
pub(crate) const MAX_LEN: usize = usize::MAX >> KIND_BITS;

impl Halt {
    /// The value is not valid, and the evaluation was to stop at the first failure.
    pub(crate) const INVALID: Self = Self::of(INVALID);

    /// The text is not JSON at byte `at`.
    #[cold]
    #[must_use]
    pub const fn json(kind: JsonErrorKind, at: usize) -> Self {
        Self::of(at << KIND_BITS | (kind as usize + FIRST_JSON))
    }

    /// A limit was reached.
    #[cold]
    #[must_use]
    pub const fn limit(limit: Limit) -> Self {
        Self::of(limit as usize + FIRST_LIMIT)
    }

    const fn of(word: usize) -> Self {
        // No kind is zero.
        match NonZeroUsize::new(word) {
            Some(word) => Self(word),
            None => Self(NonZeroUsize::MIN),
        }
    }

    /// The error for the caller; `None` when the value was simply not valid.
    pub(crate) const fn error(self) -> Option<Error> {
        let kind = self.0.get() & ((1 << KIND_BITS) - 1);
        Some(match kind {
            INVALID => return None,
            1 => Error::Limit(Limit::Depth),
            2 => Error::Limit(Limit::Steps),
            3 => Error::Limit(Limit::Scratch),
            4 => Error::Limit(Limit::Size),
            5 => Error::Limit(Limit::Number),
            _ => {
                let index = kind.saturating_sub(FIRST_JSON);
                Error::Json(JsonError { kind: JsonErrorKind::of(index), at: self.0.get() >> KIND_BITS })
            }
        })
    }
}

impl JsonErrorKind {
    /// All of them, in order.
    const ALL: [Self; 18] = [
        Self::EndsBeforeValue,
        Self::EndsInString,
        Self::EndsInNumber,
        Self::EndsInLiteral,
        Self::EndsInArray,
        Self::EndsInObject,
        Self::InvalidUtf8,
        Self::ExpectedValue,
        Self::ExpectedName,
        Self::ExpectedColon,
        Self::ExpectedCommaOrBracket,
        Self::ExpectedCommaOrBrace,
        Self::ControlCharacter,
        Self::InvalidEscape,
        Self::LoneSurrogate,
        Self::InvalidNumber,
        Self::TrailingText,
        Self::DuplicateName,
    ];

    /// The one of a number.
    pub(crate) const fn of(index: usize) -> Self {
        if index < Self::ALL.len() { Self::ALL[index] } else { Self::ExpectedValue }
    }

    /// Whether the text is the beginning of a JSON text and ends too soon.
    #[must_use]
    pub const fn is_truncated(self) -> bool {
        (self as u8) <= (Self::EndsInObject as u8)
    }

    /// The texts stand in the order of the kinds.
    fn text(self) -> &'static str {
        const TEXTS: &str = "\
            input ends where a value should start|input ends inside a string|input ends inside a number|\
            input ends inside true, false or null|input ends inside an array|input ends inside an object|\
            not UTF-8|expected a JSON value|expected a member name in quotes|expected a colon|\
            expected a comma or ]|expected a comma or }|unescaped control character in a string|\
            invalid escape in a string|lone surrogate in a string|invalid number|text after the value|\
            member name occurs twice";
        nth(TEXTS, b'|', self as usize)
    }
}

impl fmt::Display for JsonErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.text())?;
        f.write_str(" at byte ")?;
        // Not by `usize`'s own `Display`, which brings half a kilobyte along.
        crate::Number::from_u64(self.at as u64).write(f)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const TEXTS: &str = "depth limit reached|step limit reached|scratch memory is full|instance is too long|number has too many digits";
        f.write_str(nth(TEXTS, b'|', *self as usize))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::Limit(limit) => limit.fmt(f),
        }
    }
}

impl core::error::Error for JsonError {}
impl core::error::Error for Limit {}
impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::{JsonErrorKind, Limit};
    use std::string::ToString;

    /// As they are told by their number: a kind that is new needs a text in its place.
    #[test]
    fn each_error_has_its_text() {
        for kind in JsonErrorKind::ALL {
            let text = match kind {
                JsonErrorKind::EndsBeforeValue => "input ends where a value should start",
                JsonErrorKind::EndsInString => "input ends inside a string",
                JsonErrorKind::EndsInNumber => "input ends inside a number",
                JsonErrorKind::EndsInLiteral => "input ends inside true, false or null",
                JsonErrorKind::EndsInArray => "input ends inside an array",
                JsonErrorKind::EndsInObject => "input ends inside an object",
                JsonErrorKind::InvalidUtf8 => "not UTF-8",
                JsonErrorKind::ExpectedValue => "expected a JSON value",
                JsonErrorKind::ExpectedName => "expected a member name in quotes",
                JsonErrorKind::ExpectedColon => "expected a colon",
                JsonErrorKind::ExpectedCommaOrBracket => "expected a comma or ]",
                JsonErrorKind::ExpectedCommaOrBrace => "expected a comma or }",
                JsonErrorKind::ControlCharacter => "unescaped control character in a string",
                JsonErrorKind::InvalidEscape => "invalid escape in a string",
                JsonErrorKind::LoneSurrogate => "lone surrogate in a string",
                JsonErrorKind::InvalidNumber => "invalid number",
                JsonErrorKind::TrailingText => "text after the value",
                JsonErrorKind::DuplicateName => "member name occurs twice",
            };
            assert_eq!(kind.to_string(), text);
        }
        for (limit, text) in [
            (Limit::Depth, "depth limit reached"),
            (Limit::Steps, "step limit reached"),
            (Limit::Scratch, "scratch memory is full"),
            (Limit::Size, "instance is too long"),
            (Limit::Number, "number has too many digits"),
        ] {
            assert_eq!(limit.to_string(), text);
        }
    }
}
