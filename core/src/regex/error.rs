//! Why a pattern was refused, and where.

use crate::arena::Full;

/// A pattern that is not valid, or that this engine does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PatternError {
    /// What is wrong.
    pub kind: PatternErrorKind,
    /// Where: a byte offset into the pattern's text, as it is stored.
    pub at: u32,
}

/// What is wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// A `(` without its `)`.
    UnterminatedGroup,
    /// A `)` without its `(`.
    UnmatchedParenthesis,
    /// A `[` without its `]`.
    UnterminatedClass,
    /// A range of a class that runs backwards: `[z-a]`.
    RangeOrder,
    /// A quantifier with nothing before it that can be repeated.
    NothingToRepeat,
    /// A quantifier whose bounds run backwards, `{5,2}`, or that dialects read differently, `{,3}`.
    Quantifier,
    /// A `(?` that ECMA-262 does not know.
    GroupKind,
    /// A group name that is malformed, not closed, or used twice.
    GroupName,
    /// A `\` that starts no escape of ECMA-262.
    Escape,
    /// A back-reference: valid, but not run by an engine that promises linear time.
    BackReference,
    /// A group with modifiers, `(?i:…)`: valid, but not supported.
    Modifiers,
    /// A `\p{…}` whose name or value is unknown: neither the feature `unicode` nor [`Options::properties`](crate::Options::properties) has it.
    UnicodeProperty,
    /// Look-ahead and look-behind combined in a way that cannot be run in linear time: both without a bound on
    /// their length, or one nested in the other.
    LookAround,
    /// More than a limit of the engine.
    TooLarge(PatternLimit),
    /// The arena has no room left.
    Full,
}

/// The limits of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PatternLimit {
    /// The compiled code (after repeated groups are written out) has more than 1,024 bytes.
    Code,
    /// Groups nest too deep.
    Nesting,
    /// More than 64 distinct classes, or their table is too large.
    Classes,
    /// More than 32,768 ranges above ASCII in all classes together.
    Ranges,
    /// More than 16 counted repetitions that need a counter.
    Counters,
    /// More than 16 look-arounds.
    LookArounds,
    /// More than 32 named groups.
    Names,
    /// The pattern's text.
    Length,
}

impl PatternError {
    pub(super) const fn new(kind: PatternErrorKind, at: usize) -> Self {
        Self { kind, at: at as u32 }
    }
}

impl From<Full> for PatternErrorKind {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

impl PatternErrorKind {
    /// What is wrong, in a few words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnterminatedGroup => "group is not closed",
            Self::UnmatchedParenthesis => "unmatched closing parenthesis",
            Self::UnterminatedClass => "class is not closed",
            Self::RangeOrder => "range is out of order",
            Self::NothingToRepeat => "nothing to repeat",
            Self::Quantifier => "invalid quantifier",
            Self::GroupKind => "unknown kind of group",
            Self::GroupName => "invalid group name",
            Self::Escape => "invalid escape",
            Self::BackReference => "back-references are not supported",
            Self::Modifiers => "modifiers are not supported",
            Self::UnicodeProperty => "unknown or unsupported unicode property",
            Self::LookAround => "unsupported combination of look-ahead and look-behind",
            Self::TooLarge(limit) => match limit {
                PatternLimit::Code => "pattern too large: compiled code",
                PatternLimit::Nesting => "pattern too large: nesting",
                PatternLimit::Classes => "pattern too large: classes",
                PatternLimit::Ranges => "pattern too large: ranges of its classes",
                PatternLimit::Counters => "pattern too large: counted repetitions",
                PatternLimit::LookArounds => "pattern too large: look-arounds",
                PatternLimit::Names => "pattern too large: named groups",
                PatternLimit::Length => "pattern too large: length",
            },
            Self::Full => "arena is full",
        }
    }
}

impl core::fmt::Display for PatternError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.kind.as_str())
    }
}

impl core::error::Error for PatternError {}

/// The step budget ran out before the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct OutOfSteps;

impl core::fmt::Display for OutOfSteps {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("out of steps")
    }
}

impl core::error::Error for OutOfSteps {}
