//! JSON Schema validation without an allocator or a DOM.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod arena;
#[cfg(feature = "regex")]
mod regex;
mod text;

#[cfg(feature = "regex")]
pub use regex::{OutOfSteps, Pattern, PatternError, PatternErrorKind, PatternLimit};
pub use text::Text;
