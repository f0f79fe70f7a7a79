//! JSON Schema validation without an allocator or a DOM.
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unused_qualifications,
    rustdoc::broken_intra_doc_links
)]
// A build that leaves parts out does not use all of the others, and its linker drops the rest.
#![cfg_attr(
    not(all(feature = "compile", feature = "regex", feature = "formats", feature = "messages")),
    allow(dead_code)
)]

#[cfg(test)]
extern crate std;

#[cfg(any(feature = "compile", feature = "regex"))]
mod arena;
#[cfg(feature = "compile")]
mod compile;
mod error;
mod format;
mod hash;
mod instance;
mod issue;
mod json;
mod limits;
mod machine;
mod number;
mod program;
#[cfg(feature = "regex")]
mod regex;
mod text;
#[cfg(feature = "compile")]
mod uri;

#[cfg(feature = "compile")]
pub use compile::{Dialect, Options, SchemaError, SchemaErrorKind, compile};
pub use error::{Error, Halt, JsonError, JsonErrorKind, Limit};
pub use instance::{Instance, Kind, Member, Next};
#[cfg(feature = "messages")]
pub use issue::Message;
pub use issue::{Description, Issue, IssueSink, Issues, Pointer, Segment};
pub use json::Json;
pub use limits::Limits;
pub use number::Number;
pub use program::{Program, ProgramError, Stats, Validator};
#[cfg(feature = "regex")]
pub use regex::{Lenient, OutOfSteps, Pattern, PatternError, PatternErrorKind, PatternLimit};
pub use text::Text;
