//! JSON Schema validation without an allocator or a DOM.
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    rustdoc::invalid_html_tags,
    rustdoc::private_intra_doc_links,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications
)]
// A build that leaves parts out does not use all of the others, and its linker drops the rest.
#![cfg_attr(
    not(all(feature = "compile", feature = "regex", feature = "formats", feature = "messages")),
    allow(dead_code)
)]

#[cfg(feature = "alloc")]
extern crate alloc;
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
#[cfg(feature = "defmt")]
mod log;
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
#[cfg(feature = "alloc")]
pub use program::ProgramBuf;
pub use program::{Program, ProgramError, Stats, Validator};
#[cfg(feature = "regex")]
pub use regex::{Lenient, OutOfSteps, Pattern, PatternError, PatternErrorKind, PatternLimit};
pub use text::Text;
