//! Patterns: ECMA-262 regular expressions with the `u` flag, compiled into a few bytes and run in linear time.
//!
//! A pattern is matched by a finite automaton over code points. Most patterns of real schemas are such that the next code
//! point always tells the way (`^[a-z][a-z0-9_]{0,31}$`): they run with one thread. The others run all threads side by
//! side, as a set of states. Look-ahead runs with the text read from its end, so that it is known before it is asked
//! for; look-behind the other way round. Nothing ever goes back over the text, so time is linear in the text and in the pattern.
//!
//! # Not supported
//! Refused by name: back-references, `(?i:…)`, `\p{…}` of a property that neither the feature `unicode` nor the caller brings, and look-ahead together with
//! look-behind where both are without bound (or nest in each other). Everything else of ECMA-262 with `u` is there.
//! Beyond ASCII, the name of a group may hold any code points, not only those of an identifier.
//!
//! # Limits
//! [`PatternLimit`] has them. Matching takes the same memory for every pattern and every text: on a Cortex-M4 about 400
//! bytes of stack for a pattern that runs with one thread, about 850 for the others. While a pattern is compiled, the arena
//! holds 16 bytes more for each of its parts (a run of literal characters, a class, a group, a quantifier), and where flash is not short
//! for each part or character that branches have in common; and 8 for each range above ASCII of the class that is being read.
//!
//! # Layers
//! `parse` reads the syntax item by item; `tree` keeps it; `facts` tells what can be said about it; `factor` takes out of branches what they begin with; `compile` decides how it is
//! run; `emit` writes the image, whose layout is in `program`, with the sets of code points of `class` and the tables of `unicode`; `run`
//! matches (where flash is not short, with the help of `words`), `verify` checks an image from elsewhere.

mod class;
mod compile;
mod emit;
mod error;
#[cfg(not(any(target_os = "none", feature = "small")))]
mod factor;
mod facts;
mod parse;
mod program;
mod run;
#[cfg(test)]
mod tests;
mod tree;
#[cfg(feature = "unicode")]
mod unicode;
mod verify;
#[cfg(not(any(target_os = "none", feature = "small")))]
mod words;

pub use error::{OutOfSteps, PatternError, PatternErrorKind, PatternLimit};

use crate::arena::Arena;
use crate::text::Text;
use parse::{ClassItem, Item, Parser, Properties};

/// A compiled pattern on its own.
#[derive(Clone, Copy, Debug)]
pub struct Pattern<'a> {
    program: &'a [u8],
}

impl<'a> Pattern<'a> {
    /// Compiles a pattern into a buffer, which also holds what is only needed meanwhile.
    ///
    /// # Errors
    /// The pattern is invalid, not supported, or too large.
    pub fn compile(pattern: Text<'_>, buffer: &'a mut [u8]) -> Result<Self, PatternError> {
        let mut arena = Arena::new(buffer);
        compile(pattern, &[], &mut arena)?;
        Ok(Self { program: arena.finish() })
    }

    /// A pattern compiled before: the bytes of [`as_bytes`](Self::as_bytes). `None` if they are anything else.
    #[must_use]
    pub fn from_bytes(program: &'a [u8]) -> Option<Self> {
        verify(program).then_some(Self { program })
    }

    /// The compiled pattern.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.program
    }

    /// Whether the pattern matches somewhere in the text. Takes about one step for each code point and live state from `steps`.
    ///
    /// # Errors
    /// The steps ran out first.
    pub fn is_match(&self, text: Text<'_>, steps: &mut usize) -> Result<bool, OutOfSteps> {
        is_match(self.program, text, steps)
    }
}

impl Pattern<'_> {
    /// Where a pattern holds what is read although `u` forbids it, such as the `\-` of `^\-?\d+$`: byte offsets into the
    /// text as it is stored. Ends early at an error.
    #[must_use]
    pub fn lenient(pattern: Text<'_>) -> Lenient<'_> {
        Lenient { parser: Parser::new(pattern, false), in_class: false }
    }
}

/// Appends the program of a pattern to the arena's front; on an error, nothing.
pub(crate) fn compile(
    pattern: Text<'_>,
    properties: Properties<'_>,
    arena: &mut Arena<'_>,
) -> Result<(), PatternError> {
    compile::compile(pattern, properties, arena)
}

/// Whether the pattern of a program matches somewhere in the text.
pub(crate) fn is_match(program: &[u8], text: Text<'_>, steps: &mut usize) -> Result<bool, OutOfSteps> {
    run::is_match(program, text, steps)
}

/// Whether the bytes are a program of this version, which this build can run.
pub(crate) fn verify(program: &[u8]) -> bool {
    verify::verify(program)
}

/// Whether the pattern is valid, exactly as ECMA-262 with `u` has it (back-references and all), without compiling it.
#[cfg(any(feature = "formats", test))]
pub(crate) fn parse_only(pattern: Text<'_>) -> Result<(), PatternError> {
    let mut parser = Parser::new(pattern, true);
    loop {
        match parser.item_or_class() {
            Ok(Item::End) => return Ok(()),
            Ok(_) => {}
            Err(kind) => return Err(PatternError::new(kind, parser.start)),
        }
    }
}

/// The places of a pattern, from [`Pattern::lenient`].
#[derive(Clone, Debug)]
pub struct Lenient<'t> {
    parser: Parser<'t>,
    in_class: bool,
}

impl Iterator for Lenient<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            if self.in_class {
                self.in_class = self.parser.class_item().ok()? != ClassItem::End;
            } else {
                match self.parser.item().ok()? {
                    Item::End => return None,
                    Item::ClassOpen { .. } => self.in_class = true,
                    _ => {}
                }
            }
            if let Some(at) = self.parser.lenient.take() {
                return Some(at);
            }
        }
    }
}
